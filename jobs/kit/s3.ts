/**
 * A folder of an object store with the S3 protocol (J1, J2). Requests have the same limits as all others to outside servers (`fetch.ts`);
 * the signature covers the SHA-256 of an upload, so a store stores exactly these bytes or refuses them. Conditional puts, which some stores
 * lack, are not needed.
 */
import { createReadStream } from 'node:fs';
import { type FetchRequest, fetchWhole, type WholeReply } from './fetch.ts';
import { FetchProblem } from './fetch-problem.ts';
import { createSigner, hashOf, type SignRequest, type StoreAccess } from './s3-signer.ts';

interface StoreOptions {
  /** `s3://bucket/prefix/`; ends in a slash. */
  readonly location: URL;
  readonly s3: StoreAccess;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Milliseconds for a whole file. */
  readonly totalMs: number;
  /** Milliseconds without progress. */
  readonly stallMs?: number;
}

/** A folder of an object store, or of this machine. Names are those of its objects. Every operation throws StoreProblem. */
export interface Store {
  /** Its address, for logs and messages. */
  readonly name: string;
  /** The text of an object; null if it does not exist. */
  readonly read: (name: string) => Promise<string | null>;
  /** The bytes of an object; null if it does not exist. */
  readonly sizeOf: (name: string) => Promise<number | null>;
  /** Returns the number of bytes sent. */
  readonly put: (name: string, content: FileContent) => Promise<number>;
  /** Objects whose names begin so, at most a thousand. `modified`: ISO 8601; many stores give whole seconds only. */
  readonly list: (
    beginning: string,
  ) => Promise<readonly { readonly name: string; readonly modified: string }[]>;
  readonly remove: (name: string) => Promise<void>;
}

export interface FileContent {
  readonly body: { readonly file: string; readonly bytes: number; readonly sha256: string } | string;
  readonly type: string;
  /** For caches between the store and a client. */
  readonly cacheControl: string;
}

export class StoreProblem extends Error {
  /** One or two words, from a small set: for metrics. */
  readonly why: string;

  constructor(why: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'StoreProblem';
    this.why = why;
  }
}

const STALL_MS = 30_000;
/** Milliseconds for a request that sends no file. */
const SMALL_MS = 30_000;

/** Bytes of a list of a thousand objects, or of a refusal. */
const LONGEST_REPLY = 2 * 1_024 * 1_024;

/** Bytes of a file that are read at a time. */
const CHUNK = 256 * 1_024;

/** A folder of an object store. Nothing is requested yet. */
export function openStore(options: StoreOptions): Store {
  const { location, s3 } = options;
  const prefix = location.pathname.slice(1);
  const request = createRequester(options);
  const urlOf = (name: string) => new URL(name, folderUrl(location, s3));

  return {
    name: location.href.replace(/\/$/, ''),
    read: async (name: string) => {
      const headers = { 'accept-encoding': 'identity', 'cache-control': 'no-cache' };
      const reply = await request({ url: urlOf(name), headers }, [200, 404]);
      return reply.status === 200 ? `${reply.body}` : null;
    },
    sizeOf: async (name: string) => {
      const { status, headers } = await request({ url: urlOf(name), method: 'HEAD' }, [200, 404]);
      return status === 200 ? Number(headers['content-length']) : null;
    },
    put: async (name: string, { body, type, cacheControl }: FileContent) => {
      const isText = typeof body === 'string';
      const { bytes, sha256 } = isText ? { bytes: Buffer.byteLength(body), sha256: hashOf(body) } : body;
      const headers: Record<string, string> = {
        'content-length': `${bytes}`,
        'content-type': type,
        'cache-control': cacheControl,
      };
      if (!isText) headers.expect = '100-continue';
      const sent = isText ? body : () => createReadStream(body.file, { highWaterMark: CHUNK });
      await request({ url: urlOf(name), method: 'PUT', headers, body: sent, sha256 }, [200, 201]);
      return bytes;
    },
    list: async (beginning: string) => {
      const url = bucketUrl(location, s3);
      url.search = `${new URLSearchParams({ 'list-type': '2', prefix: prefix + beginning })}`;
      return listedIn(`${(await request({ url }, [200])).body}`, prefix);
    },
    remove: async (name: string) => {
      await request({ url: urlOf(name), method: 'DELETE' }, [200, 204, 404]);
    },
  };
}

interface StoreRequest extends Pick<FetchRequest, 'url' | 'method' | 'headers' | 'body'> {
  /** SHA-256 of the body, in hex. */
  readonly sha256?: string;
}

/** Creates the function that sends a signed request. It throws StoreProblem for a failure, and for a status that is not expected. */
function createRequester({ location, s3, signal, clock, totalMs, stallMs = STALL_MS }: StoreOptions) {
  const sign = createSigner(s3, clock);
  return async ({ sha256, ...request }: StoreRequest, expected: readonly number[]): Promise<WholeReply> => {
    const { url, method = 'GET', headers, body } = request;
    const ms = typeof body === 'function' ? totalMs : SMALL_MS;
    const limits = { bytes: LONGEST_REPLY, seconds: ms / 1_000, stallSeconds: stallMs / 1_000, redirects: 0 };
    const name = url.search === '' ? url.pathname.slice(url.pathname.lastIndexOf('/') + 1) : '';
    const where = `${location.protocol}//${location.host}${location.pathname}${name}`;
    const signature = await sign({ method, url, sha256 });
    const signedHeaders = { ...headers, ...signature };
    try {
      // The operator chose the store, at any address.
      const mayBePrivate = () => true;
      const reply = await fetchWhole({ ...request, headers: signedHeaders, limits, mayBePrivate, signal });
      if (expected.includes(reply.status)) return reply;
      throw new StoreProblem(
        `status ${reply.status}`,
        `${where}: expected status ${expected.join(' or ')}, found ${refusalText(reply)}`,
      );
    } catch (cause) {
      if (!(cause instanceof FetchProblem)) throw cause;
      throw new StoreProblem(cause.reason, `${where}: ${cause.message}`, cause);
    }
  };
}

/** The status and the store's own code, without its message, which may repeat the access key and the signed text. */
export function refusalText({ status, body }: WholeReply): string {
  const code = /<Code>(\w{1,64})<\/Code>/.exec(body.toString('utf8', 0, 4_096))?.[1];
  // `/status` knows it by the word before the number: see `CODES` in src/annexes/operator/reasons.ts.
  return code === undefined ? `status ${status}` : `status ${status} (${code})`;
}

/** The objects in the reply to a list request. */
function listedIn(xml: string, prefix: string) {
  return xml
    .split('<Contents>')
    .slice(1)
    .map((entry) => ({
      key: /<Key>([^<]{1,1024})<\/Key>/.exec(entry)?.[1] ?? '',
      modified: /<LastModified>([^<]{1,40})<\/LastModified>/.exec(entry)?.[1] ?? '',
    }))
    .filter(({ key }) => key.startsWith(prefix))
    .map(({ key, modified }) => ({ name: key.slice(prefix.length), modified }));
}

/** An origin in an object store is read by HTTP with a signature. `token`: for any other origin (H9). */
export function originAccessOf(
  origin: URL,
  s3: StoreAccess | null,
  token: string | null = null,
): OriginAccess {
  if (s3 === null || origin.protocol !== 's3:') return { origin, token };
  return { origin: folderUrl(origin, s3), signRequest: createSigner(s3, Date.now) };
}

export interface OriginAccess {
  /** URL of the folder; ends in a slash. */
  readonly origin: URL;
  /** H9: sent to the origin, and to no other host. */
  readonly token?: string | null;
  /** Signs requests, for an origin in an object store that requires it. */
  readonly signRequest?: SignRequest;
}

/** URL of the folder, for HTTP; ends in a slash. */
function folderUrl(location: URL, s3: StoreAccess): URL {
  return new URL(`.${location.pathname}`, bucketUrl(location, s3));
}

/** At Amazon, buckets are hosts; its certificates cover no name with a dot. Elsewhere they are folders. */
function bucketUrl({ host: bucket }: URL, { endpoint, region }: StoreAccess): URL {
  if (endpoint !== null) return new URL(`${bucket}/`, endpoint);
  const amazon = `s3.${region}.amazonaws.com`;
  return new URL(bucket.includes('.') ? `https://${amazon}/${bucket}/` : `https://${bucket}.${amazon}/`);
}
