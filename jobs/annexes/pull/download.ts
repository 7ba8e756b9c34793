/** H6: downloads the files of an origin, each with its size and SHA-256 known beforehand. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { CalendarError } from '../../../src/calendar/errors.ts';
import type { CompressedCopy, PublicFile } from '../../../src/snapshot/manifest.ts';
import { fetchBounded } from '../../kit/fetch.ts';
import { FetchProblem } from '../../kit/fetch-problem.ts';
import { type OriginAccess, refusalText } from '../../kit/s3.ts';
import type { CopiedDraft } from '../../publish/publish.ts';
import { createFile } from '../../publish/unfinished.ts';

export interface DownloadOptions extends OriginAccess {
  /** Aborts at once. */
  readonly signal: AbortSignal;
  /** Whether the origin may redirect to other hosts whose addresses are not public. */
  readonly allowPrivate: boolean;
  /** Milliseconds without a byte after which a download is aborted. */
  readonly stallMs?: number;
  /** Milliseconds for a whole file. */
  readonly totalMs?: number;
}

const STALL_MS = 15_000;
const TOTAL_MS = 900_000;
const MOST_REDIRECTS = 5;
/** Bytes that are read or unpacked at a time. */
const CHUNK = 256 * 1_024;

/** A file as a manifest names it. */
export type FileEntry = Pick<PublicFile, 'file' | 'bytes' | 'sha256' | 'compressed'>;

interface Fetched {
  /** Path of the plain file. */
  readonly path: string;
  /** J4: the compressed copy, if the file was downloaded in that form. */
  readonly copied: CopiedDraft | null;
}

/** Downloads a file to a path, in the form of its compressed copy if that is smaller and valid. Throws ORIGIN_UNUSABLE. */
export async function fetchFile(options: DownloadOptions, entry: FileEntry, path: string): Promise<Fetched> {
  const { compressed } = entry;
  if (compressed !== undefined && compressed.bytes < entry.bytes) {
    try {
      return await fetchCompressed(options, { entry, compressed, path });
    } catch (cause) {
      // The plain file may still be good.
      if (options.signal.aborted) throw cause;
      for (const draft of [path, `${path}.br`]) await rm(draft, { force: true });
    }
  }
  await fetchTo(options, entry, path);
  return { path, copied: null };
}

interface Compressed {
  readonly entry: FileEntry;
  readonly compressed: CompressedCopy;
  readonly path: string;
}

async function fetchCompressed(
  options: DownloadOptions,
  { entry, compressed, path }: Compressed,
): Promise<Fetched> {
  const copy = `${path}.br`;
  await fetchTo(options, compressed, copy);
  // The plain file is verified, and was signed. Its size bounds the bytes that the compressed one may unpack to.
  await pipeline(
    createReadStream(copy, { highWaterMark: CHUNK }),
    createBrotliDecompress({ chunkSize: CHUNK }),
    (unpacked: AsyncIterable<Buffer>) => checked(unpacked, entry),
    await createFile(path),
  );
  return { path, copied: { path: copy, entry: compressed } };
}

async function fetchTo(
  options: DownloadOptions,
  entry: Omit<FileEntry, 'compressed'>,
  path: string,
): Promise<void> {
  const { file: name, bytes } = entry;
  const { totalMs = TOTAL_MS } = options;
  await download(options, { name, bytes, totalMs }, async (body) =>
    pipeline(body, (chunks: AsyncIterable<Buffer>) => checked(chunks, entry), await createFile(path)),
  );
}

/** Passes chunks on. Throws ORIGIN_UNUSABLE as soon as they cannot be the expected file. */
async function* checked(
  chunks: AsyncIterable<Buffer>,
  { file, bytes, sha256 }: Omit<FileEntry, 'compressed'>,
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > bytes) throw unusable(file, `expected ${bytes} bytes at most, found more`);
    hash.update(chunk);
    yield chunk;
  }
  if (length !== bytes) throw unusable(file, `expected ${bytes} bytes, found ${length}`);
  const found = hash.digest('hex');
  if (found !== sha256) throw unusable(file, `expected SHA-256 ${sha256}, found ${found}`);
}

/** Caches between here and the origin must revalidate with the origin, and must not change the bytes. */
const HEADERS = { 'accept-encoding': 'identity', 'cache-control': 'no-cache' };

interface Wanted {
  /** Name of the file within the origin. */
  readonly name: string;
  /** Longest body. */
  readonly bytes: number;
  readonly totalMs: number;
}

/** Requests a file of the origin, and passes its body to `use`. Throws ORIGIN_UNUSABLE, with the URL and the reply or the failure. */
export async function download<Result>(
  { origin, signal, allowPrivate, stallMs = STALL_MS, signRequest, token = null }: DownloadOptions,
  { name, bytes, totalMs }: Wanted,
  use: (body: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> {
  const url = new URL(name, origin);
  const address = `${url.origin}${url.pathname}`;
  const bearer = token === null ? {} : { authorization: `Bearer ${token}` };
  const request = {
    url,
    headers: { ...HEADERS, ...bearer, ...(await signRequest?.({ method: 'GET', url })) },
    limits: { bytes, seconds: totalMs / 1_000, stallSeconds: stallMs / 1_000, redirects: MOST_REDIRECTS },
    // The operator chose the origin, at any address; redirects are the origin's choice.
    mayBePrivate: (hop: URL) => allowPrivate || hop.host === origin.host,
    signal,
  };
  try {
    return await fetchBounded(request, async (reply) => {
      if (reply.status === 200) return use(reply.body);
      const advice = reply.status === 401 ? '; ALMANAKK_SNAPSHOTS_TOKEN must be the token of the origin' : '';
      const found = refusalText({ ...reply, body: await buffer(reply.body).catch(() => Buffer.alloc(0)) });
      throw unusable(address, `expected status 200, found ${found}${advice}`);
    });
  } catch (cause) {
    if (!(cause instanceof FetchProblem)) throw cause;
    const where = cause.url.host === origin.host ? '' : `redirected to ${cause.url.host}: `;
    const isRefused = cause.reason === 'address refused';
    const advice = isRefused ? '; ALMANAKK_ALLOW_PRIVATE_FEEDS=true allows those' : '';
    throw unusable(address, `${where}${cause.message}${advice}`, cause);
  }
}

/** ORIGIN_UNUSABLE. `address`: the URL, or the name of the file. */
export function unusable(address: string, found: string, cause?: unknown): CalendarError {
  return new CalendarError('ORIGIN_UNUSABLE', `${address}: ${found}`, { cause });
}
