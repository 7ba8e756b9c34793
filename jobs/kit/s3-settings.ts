/** The address and credentials of an object store: shared by the annexes that publish to one and that copy from one. */
import { invalidSetting } from '../../src/calendar/errors.ts';
import {
  foundSecret,
  httpUrl,
  orNone,
  type SettingKind,
  type SettingsOf,
  type SettingsTable,
} from '../../src/settings/kinds.ts';
import type { Variable } from '../annex.ts';
import type { StoreAccess } from './s3-signer.ts';

/** A user name would take the place of the signature in a request. */
const STORE_ENDPOINT: SettingKind<URL> = {
  expected: 'an http or https URL without a user name',
  parse(text, folder) {
    const url = httpUrl().parse(text, folder);
    return url?.username === '' && url.password === '' ? url : undefined;
  },
};

export const S3_SETTINGS = {
  s3Endpoint: {
    name: 'ALMANAKK_S3_ENDPOINT',
    description:
      'URL of the object store; by default Amazon’s. The `AWS_*` variables contain the credentials.',
    ...orNone(STORE_ENDPOINT),
  },
} as const satisfies SettingsTable;

/** The derived value of each of those annexes, besides its own settings. */
export interface InStore extends SettingsOf<typeof S3_SETTINGS> {
  /** Null if no object store is used. */
  readonly s3: StoreAccess | null;
}

interface StoreLocations extends Pick<InStore, 's3Endpoint'> {
  readonly publish?: URL | null;
  readonly publishPublic?: URL | null;
  readonly origin?: URL | null;
}

/**
 * The access to the object store that the settings of an annex name. The variables have the names that Amazon's own programs use, and are the
 * same for every annex: a program may have both. Throws INVALID_SETTING.
 */
export function deriveS3(settings: StoreLocations, variable: Variable): Pick<InStore, 's3'> {
  const { publish, publishPublic, origin, s3Endpoint: endpoint } = settings;
  const isUsed = [publish, publishPublic, origin].some((location) => location?.protocol === 's3:');
  if (!isUsed) return { s3: null };
  return {
    s3: {
      endpoint,
      region: regionIn(variable),
      accessKeyId: neededIn(variable, 'AWS_ACCESS_KEY_ID'),
      secretAccessKey: neededIn(variable, 'AWS_SECRET_ACCESS_KEY'),
      sessionToken: credentialIn(variable, 'AWS_SESSION_TOKEN'),
    },
  };
}

function regionIn(variable: Variable): string {
  const region = variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION') ?? 'us-east-1';
  if (/^[\w-]{1,63}$/.test(region)) return region;
  throw invalidSetting('AWS_REGION', 'a region such as eu-north-1', JSON.stringify(region));
}

function neededIn(variable: Variable, name: string): string {
  const text = credentialIn(variable, name);
  if (text !== null) return text;
  throw invalidSetting(name, 'a value, which s3:// needs', 'none');
}

/** Null if it is not set. Credentials travel in headers. Amazon writes the secret, which does not, in the same characters. */
function credentialIn(variable: Variable, name: string): string | null {
  const text = variable(name)?.trim() ?? null;
  if (text === null || /^[!-~]+$/.test(text)) return text;
  throw invalidSetting(name, 'printable ASCII without spaces', foundSecret(text));
}
