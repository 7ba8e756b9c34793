/** Signs requests to an object store (AWS Signature Version 4). */
import { createHash } from 'node:crypto';
import type { SignatureV4 } from '@smithy/signature-v4';

export interface StoreAccess {
  /** Null: Amazon's, in that region. */
  readonly endpoint: URL | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

interface ToSign {
  readonly method: string;
  readonly url: URL;
  /** SHA-256 of the body, in hex; by default that of an empty one. */
  readonly sha256?: string | undefined;
  /** Other headers that a store requires to be signed. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the headers that authenticate the request (AWS Signature Version 4). */
export type SignRequest = (request: ToSign) => Promise<Readonly<Record<string, string>>>;

export function createSigner(s3: StoreAccess, clock: () => number): SignRequest {
  let signer: Promise<SignatureV4> | undefined;
  return async ({ method, url, sha256 = hashOf(''), headers: others = {} }) => {
    signer ??= loadSigner(s3);
    const { headers } = await (await signer).sign(
      {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { ...others, host: url.host, 'x-amz-content-sha256': sha256 },
      },
      { signingDate: new Date(clock()) },
    );
    const { host: _, ...rest } = headers;
    return rest;
  };
}

/** Loaded only by machines with a store. */
async function loadSigner(s3: StoreAccess): Promise<SignatureV4> {
  const { region, accessKeyId, secretAccessKey, sessionToken } = s3;
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@smithy/core/checksum'),
  ]);
  const token = sessionToken === null ? {} : { sessionToken };
  const credentials = { accessKeyId, secretAccessKey, ...token };
  // Only S3, of all services, takes paths unescaped.
  return new SignatureV4({ service: 's3', region, credentials, sha256: Sha256, uriEscapePath: false });
}

/** SHA-256 in hex. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
