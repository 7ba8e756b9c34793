/** The address and credentials of an object store: shared by the annexes that publish to one and that copy from one. */
import { CalendarError } from '../../src/calendar/errors.ts';
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

/** The same for every annex: a program may have both. By the names of Amazon's own programs. Throws INVALID_SETTING. */
export function deriveS3(
  settings: Pick<InStore, 's3Endpoint'> & {
    readonly publish?: URL | null;
    readonly publishPublic?: URL | null;
    readonly origin?: URL | null;
  },
  variable: Variable,
): Pick<InStore, 's3'> {
  const { publish, publishPublic, origin, s3Endpoint: endpoint } = settings;
  const isUsed = [publish, publishPublic, origin].some((place) => place?.protocol === 's3:');
  if (!isUsed) return { s3: null };
  /** All of them travel in headers, the secret excepted, which Amazon writes in the same letters. */
  const given = (name: string) => {
    const text = variable(name)?.trim() ?? null;
    if (text === null || /^[!-~]+$/.test(text)) return text;
    throw invalid(name, 'printable ASCII without spaces', foundSecret(text));
  };
  const wanted = (name: string) => {
    const text = given(name);
    if (text !== null) return text;
    throw invalid(name, 'it for s3://', 'none');
  };
  const region = variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION') ?? 'us-east-1';
  if (!/^[\w-]{1,63}$/.test(region))
    throw invalid('AWS_REGION', 'a region such as eu-north-1', JSON.stringify(region));
  return {
    s3: {
      endpoint,
      region,
      accessKeyId: wanted('AWS_ACCESS_KEY_ID'),
      secretAccessKey: wanted('AWS_SECRET_ACCESS_KEY'),
      sessionToken: given('AWS_SESSION_TOKEN'),
    },
  };
}

function invalid(name: string, expected: string, found: string): CalendarError {
  return new CalendarError('INVALID_SETTING', `${name}: expected ${expected}, found ${found}`);
}
