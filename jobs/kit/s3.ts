/**
 * A folder of an object store with the S3 protocol (J1, publishing to an object store; J2, replicas of a store). Requests have the same
 * limits as all others to outside servers (`fetch.ts`); the signature covers the SHA-256 of an upload, so a store stores exactly these
 * bytes or refuses them. Conditional puts, which some stores lack, are not needed.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { SignatureV4 } from '@smithy/signature-v4';
import { FetchProblem, fetchBounded, type Reply, wholeBody } from './fetch.ts';

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

export interface StoreAccess {
  /** Null: Amazon's, in that region. */
  readonly endpoint: URL | null;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** Names are of objects in the folder. Every operation throws StoreProblem. */
export interface Store {
  readonly name: string;
  readonly read: (name: string) => Promise<StoredText>;
  /** The bytes of an object; null if it does not exist. */
  readonly sizeOf: (name: string) => Promise<number | null>;
  /** Returns the number of bytes sent. */
  readonly put: (name: string, content: Content) => Promise<number>;
  /** Objects whose names begin so; at most a thousand. */
  readonly list: (beginning: string) => Promise<readonly Listed[]>;
  readonly remove: (name: string) => Promise<void>;
}

interface Listed {
  readonly name: string;
  /** As the store writes it, which sorts; many stores give whole seconds only. */
  readonly modified: string;
}

interface StoredText {
  /** Null if it does not exist. */
  readonly text: string | null;
  /** By the store's clock, in milliseconds since 1970; null if unknown. */
  readonly at: number | null;
}

interface Content {
  readonly body: { readonly file: string; readonly bytes: number; readonly sha256: string } | string;
  readonly type: string;
  /** For caches on the way. */
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
/** Milliseconds for all but files. */
const SMALL_MS = 30_000;

/** Bytes of a list of a thousand objects, or of a refusal. */
const LONGEST_REPLY = 2 * 1_024 * 1_024;

/** S3's limit for one request. */
const LARGEST_PUT = 5 * 1_024 * 1_024 * 1_024;

export function openStore(options: StoreOptions): Store {
  const { location, s3 } = options;
  const folder = folderUrl(location, s3);
  const ask = createAsk(options);

  return {
    name: location.href.replace(/\/$/, ''),
    read: async (name) => {
      const { status, text, headers } = await ask(new URL(name, folder), {
        method: 'GET',
        headers: { 'accept-encoding': 'identity', 'cache-control': 'no-cache' },
        expected: [200, 404],
      });
      return { text: status === 200 ? text : null, at: dateOf(headers) };
    },
    sizeOf: async (name) => {
      const { status, headers } = await ask(new URL(name, folder), { method: 'HEAD', expected: [200, 404] });
      return status === 200 ? Number(headers['content-length']) : null;
    },
    put: async (name, { body, type, cacheControl }) => {
      const { bytes, sha256, open } = typeof body === 'string' ? textBody(body) : fileBody(body);
      if (bytes > LARGEST_PUT) {
        const message = `${name}: expected ${LARGEST_PUT} bytes at most, found ${bytes}`;
        throw new StoreProblem('size limit', message);
      }
      const headers = {
        'content-length': `${bytes}`,
        'content-type': type,
        'cache-control': cacheControl,
        expect: '100-continue',
      };
      await ask(new URL(name, folder), { method: 'PUT', headers, body: open, sha256, expected: [200, 201] });
      return bytes;
    },
    list: async (beginning) => {
      const bucket = bucketUrl(location, s3);
      bucket.search = `${new URLSearchParams({ 'list-type': '2', prefix: keyOf(location, beginning) })}`;
      const { text } = await ask(bucket, { method: 'GET', expected: [200] });
      return listedIn(text, keyOf(location, ''));
    },
    remove: async (name) => {
      await ask(new URL(name, folder), { method: 'DELETE', expected: [200, 204, 404] });
    },
  };
}

/** Sends signed requests. They throw StoreProblem for another status than they expect. */
function createAsk({ location, s3, signal, clock, totalMs, stallMs = STALL_MS }: StoreOptions) {
  const sign = createSigner(s3, clock);
  return async (url: URL, { method, headers = {}, body, sha256 = NOTHING, expected }: Asking) => {
    const limits = {
      bytes: LONGEST_REPLY,
      seconds: (typeof body === 'function' ? totalMs : SMALL_MS) / 1_000,
      stallSeconds: stallMs / 1_000,
      redirects: 0,
    };
    const where = `${location.protocol}//${location.host}${location.pathname}${nameIn(url)}`;
    try {
      const all = { ...headers, ...(await sign({ method, url, sha256 })) };
      // The operator chose the store, at any address.
      const request = { url, method, headers: all, limits, mayBePrivate: () => true, signal };
      return await fetchBounded({ ...request, ...(body !== undefined && { body }) }, async (reply) => {
        const { status, headers } = reply;
        if (!expected.includes(status))
          throw new StoreProblem(`status ${status}`, `${where}: found ${await refusalText(reply, clock())}`);
        return { status, headers, text: (await wholeBody(reply.body)).toString('utf8') };
      });
    } catch (cause) {
      if (!(cause instanceof FetchProblem)) throw cause;
      throw new StoreProblem(cause.reason, `${where}: ${cause.message}`, cause);
    }
  };
}

interface Asking {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: () => Readable;
  /** SHA-256 of the body, in hex. */
  readonly sha256?: string;
  /** Statuses of success. */
  readonly expected: readonly number[];
}

/** SHA-256 of no bytes. */
const NOTHING = createHash('sha256').digest('hex');

function textBody(text: string) {
  const bytes = Buffer.from(text);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return { bytes: bytes.length, sha256, open: () => Readable.from([bytes]) };
}

function fileBody({ file, bytes, sha256 }: Exclude<Content['body'], string>) {
  return { bytes, sha256, open: () => createReadStream(file, { highWaterMark: CHUNK }) };
}

const CHUNK = 256 * 1_024;

/** The store's own message; with a hint if this machine's clock is wrong. */
export async function refusalText({ status, headers, body }: Reply, now: number): Promise<string> {
  const text = `${await wholeBody(body).catch(() => '')}`;
  const code = /<Code>(\w{1,64})<\/Code>/.exec(text.slice(0, 4_096))?.[1];
  const skew = Math.round((now - (dateOf(headers) ?? now)) / 1_000);
  const said = code === undefined ? '' : ` (${code})`;
  const clock =
    Math.abs(skew) < NOTABLE_SKEW ? '' : `; this machine’s clock is ${skewText(skew)} the store’s`;
  return `status ${status}${said}${clock}`;
}

/** The store's clock; null if unknown. */
function dateOf({ date = '' }: IncomingHttpHeaders): number | null {
  const at = Date.parse(date);
  return Number.isFinite(at) ? at : null;
}

/** Seconds. Stores refuse requests that are a quarter of an hour off. */
const NOTABLE_SKEW = 300;

/** In minutes, so that the message stays the same for a while. */
function skewText(seconds: number): string {
  return `${Math.round(Math.abs(seconds) / 60)} min ${seconds > 0 ? 'ahead of' : 'behind'}`;
}

function nameIn({ pathname, search }: URL): string {
  return search === '' ? pathname.slice(pathname.lastIndexOf('/') + 1) : '';
}

/** The key of the named object in its bucket. */
function keyOf({ pathname }: URL, name: string): string {
  return `${pathname.slice(1)}${name}`;
}

function listedIn(xml: string, prefix: string): readonly Listed[] {
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

/** An origin in an object store is read by HTTP with a signature. `token`: for any other origin (H9, nothing unpublished leaves). */
export function originOf(origin: URL, s3: StoreAccess | null, token: string | null = null): Origin {
  if (s3 === null || origin.protocol !== 's3:') return { origin, token };
  return { origin: folderUrl(origin, s3), signRequest: createSigner(s3, Date.now) };
}

interface Origin {
  readonly origin: URL;
  readonly token?: string | null;
  readonly signRequest?: SignRequest;
}

/** URL of the folder, for HTTP; ends in a slash. */
function folderUrl(location: URL, s3: StoreAccess): URL {
  const url = bucketUrl(location, s3);
  url.pathname += keyOf(location, '');
  return url;
}

/** At Amazon, buckets are hosts; its certificates cover no name with a dot. Elsewhere they are folders. */
function bucketUrl({ host: bucket }: URL, { endpoint, region }: StoreAccess): URL {
  if (endpoint !== null) return new URL(`${bucket}/`, endpoint);
  const amazon = `s3.${region}.amazonaws.com`;
  return new URL(bucket.includes('.') ? `https://${amazon}/${bucket}/` : `https://${bucket}.${amazon}/`);
}

interface ToSign {
  readonly method: string;
  readonly url: URL;
  /** SHA-256 of the body, in hex. */
  readonly sha256?: string;
  /** Other headers that a store requires to be signed. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Returns the headers that authenticate the request (AWS Signature Version 4). */
export type SignRequest = (request: ToSign) => Promise<Readonly<Record<string, string>>>;

export function createSigner(s3: StoreAccess, clock: () => number): SignRequest {
  let signer: Promise<SignatureV4> | undefined;
  return async ({ method, url, sha256 = NOTHING, headers: more = {} }) => {
    signer ??= loadSigner(s3);
    const { headers } = await (await signer).sign(
      {
        method,
        protocol: url.protocol,
        hostname: url.hostname,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers: { ...more, host: url.host, 'x-amz-content-sha256': sha256 },
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
