/** The address and credentials of an object store: shared by the annexes that publish to one and that copy from one. */
import { CalendarError } from '../../src/calendar/errors.ts';
import {
  foundSecret,
  httpUrl,
  type Kind,
  orNone,
  type SettingsOf,
  type SettingsTable,
} from '../../src/settings/kinds.ts';
import type { Variable } from '../annex.ts';
import type { StoreAccess } from './s3.ts';

export const S3_SETTINGS = {
  s3Endpoint: {
    name: 'ALMANAKK_S3_ENDPOINT',
    description: 'URL of the object store; without one, Amazon’s. `AWS_*` variables say who asks.',
    ...orNone(storeEndpoint()),
  },
} as const satisfies SettingsTable;

/** A user name would take the place of the signature in a request. */
function storeEndpoint(): Kind<URL> {
  return {
    expected: 'an http or https URL without a user name',
    parse(text, folder) {
      const url = httpUrl().parse(text, folder);
      return url?.username === '' && url.password === '' ? url : undefined;
    },
  };
}

/** The derived value of each of those annexes, besides its own settings. */
export interface InStore extends SettingsOf<typeof S3_SETTINGS> {
  /** Null if no object store is used. */
  readonly s3: StoreAccess | null;
}

/** The same for every annex: a program may have both. Throws INVALID_SETTING. */
export function deriveS3(
  settings: Pick<InStore, 's3Endpoint'> & { readonly publish?: URL | null; readonly origin?: URL | null },
  variable: Variable,
): Pick<InStore, 's3'> {
  const { publish = null, origin = null, s3Endpoint } = settings;
  const isInStore = publish !== null || origin?.protocol === 's3:';
  return { s3: isInStore ? readS3(variable, s3Endpoint) : null };
}

/** By the names of Amazon's own programs. */
function readS3(variable: Variable, endpoint: URL | null): StoreAccess {
  const wanted = (name: string) => {
    const text = given(variable, name);
    if (text !== null) return text;
    throw new CalendarError('INVALID_SETTING', `${name}: expected it for s3://, found none`);
  };
  const region = variable('AWS_REGION') ?? variable('AWS_DEFAULT_REGION') ?? 'us-east-1';
  if (!/^[\w-]{1,63}$/.test(region)) {
    const found = JSON.stringify(region);
    throw new CalendarError(
      'INVALID_SETTING',
      `AWS_REGION: expected a region such as eu-north-1, found ${found}`,
    );
  }
  return {
    endpoint,
    region,
    accessKeyId: wanted('AWS_ACCESS_KEY_ID'),
    secretAccessKey: wanted('AWS_SECRET_ACCESS_KEY'),
    sessionToken: given(variable, 'AWS_SESSION_TOKEN'),
  };
}

/** All of them travel in headers, the secret excepted, which Amazon writes in the same letters. */
function given(variable: Variable, name: string): string | null {
  const text = variable(name)?.trim();
  if (text === undefined) return null;
  if (/^[!-~]+$/.test(text)) return text;
  throw new CalendarError(
    'INVALID_SETTING',
    `${name}: expected printable ASCII without spaces, found ${foundSecret(text)}`,
  );
}
