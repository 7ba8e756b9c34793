/** H6: copies an origin's snapshot into the local snapshot folder, verified and published like a build. */
import { mkdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer, text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { CalendarError } from '../../../src/calendar/errors.ts';
import {
  LONGEST_MANIFEST,
  listByBuild,
  MANIFEST,
  type Manifest,
  parseManifest,
  readManifestText,
} from '../../../src/snapshot/folder.ts';
import { FORMAT } from '../../../src/snapshot/format.ts';
import { readMeta } from '../../../src/snapshot/meta.ts';
import { openReader } from '../../../src/snapshot/sqlite.ts';
import { formatMismatch } from '../../../src/snapshot/verify.ts';
import { verifyApart } from '../../../src/snapshot/verify-apart.ts';
import { FetchProblem, fetchBounded } from '../../kit/fetch.ts';
import { type Origin, refusalText } from '../../kit/s3.ts';
import { checkSignature, type Known, type Trust } from '../../kit/signature.ts';
import { faultOf, withLock } from '../../lock.ts';
import { createFile, publish, removeDebris, unfinishedPath } from '../../publish.ts';

export interface CopyOptions extends Origin {
  /** J3: the keys that manifests must be signed with; null for none. */
  readonly trust?: Trust | null;
  readonly folder: string;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly clock?: () => number;
  /** Aborts at once. */
  readonly signal: AbortSignal;
  /** Whether the origin may redirect to other hosts whose addresses are not public. */
  readonly allowPrivate: boolean;
  /** H5: days of which the last file stays; none by default. */
  readonly keepDays?: number;
  /** Milliseconds without a byte after which the copy is aborted. */
  readonly stallMs?: number;
  /** Milliseconds for a whole file. */
  readonly totalMs?: number;
  /** Replaces verification in its own process, for tests. */
  readonly verify?: typeof verifyApart;
}

const STALL_MS = 15_000;
const TOTAL_MS = 900_000;
const MANIFEST_MS = 30_000;
const MOST_REDIRECTS = 5;

/** Nearly ten times the file of 200,000 events. */
const LARGEST_SNAPSHOT = 8 * 1_024 * 1_024 * 1_024;

/**
 * The text of the origin's manifest. It is requested unconditionally: the entity tag of a plain file server may be the same for two
 * manifests of one second, and the text is hardly longer than a 304.
 */
export function fetchManifest(options: CopyOptions): Promise<string> {
  const limits = { bytes: LONGEST_MANIFEST, totalMs: MANIFEST_MS };
  return download(options, MANIFEST, limits, text);
}

/** Parses the origin's manifest. Throws if it is invalid, from the future, or not signed by a trusted key. */
export async function readOriginManifest(
  text: string,
  { folder, trust = null, clock = Date.now }: Pick<CopyOptions, 'folder' | 'trust' | 'clock'>,
): Promise<Manifest> {
  const manifest = parseManifest(text);
  const { format, bytes, builtAt } = manifest;
  const latest = clock() + AHEAD_MS;
  if (Date.parse(builtAt) > latest) {
    const expected = `expected a calendar built by ${new Date(latest).toISOString()}, a day ahead of this machine's clock`;
    throw unusable(MANIFEST, `${expected}, found one built at ${builtAt}: look at the builder's clock`);
  }
  if (trust !== null) checkSignature(manifest, trust, await knownOf(folder));
  if (format !== FORMAT) throw unusable(MANIFEST, formatMismatch(format));
  const most = Math.max(bytes, manifest.compressed?.bytes ?? 0);
  if (most > LARGEST_SNAPSHOT)
    throw unusable(MANIFEST, `expected a file of ${LARGEST_SNAPSHOT} bytes at most, found ${most}`);
  return manifest;
}

/** H7: a builder whose clock once ran ahead would be the newest for good. */
const AHEAD_MS = 86_400_000;

/** The folder's latest snapshot; null without one. */
async function knownOf(folder: string): Promise<Known | null> {
  const [latest] = await listByBuild(folder);
  if (latest === undefined) return null;
  const reader = await openReader(latest.path, { connections: 1 });
  return readMeta(reader).finally(reader.close);
}

/** Whether the folder's current snapshot is the one of that manifest. `isThorough` reads the whole file, not only its size. */
export async function isCurrent(
  { folder, signal, verify = verifyApart }: Pick<CopyOptions, 'folder' | 'signal' | 'verify'>,
  manifest: Manifest,
  { isThorough }: { readonly isThorough: boolean },
): Promise<boolean> {
  try {
    if (parseManifest((await readManifestText(folder)) ?? '').id !== manifest.id) return false;
    const path = join(folder, manifest.file);
    if (isThorough) await verify(path, manifest, { signal });
    return (await stat(path)).size === manifest.bytes;
  } catch {
    // Invalid for any reason: the origin's copy replaces it.
    return false;
  }
}

/** Makes the origin's snapshot this folder's current one, even if it is older: the origin decides. */
export async function copySnapshot(options: CopyOptions, manifest: Manifest): Promise<Manifest> {
  const { folder } = options;
  try {
    await mkdir(folder, { recursive: true });
    return await withLock(folder, async () => {
      await removeDebris(folder);
      await expectRoom(folder, manifest.bytes);
      return (await copyCompressed(options, manifest)) ?? copyFile(options, manifest, false);
    });
  } catch (cause) {
    throw faultOf(folder, cause);
  }
}

async function expectRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bytes <= bavail * bsize) return;
  const found = `expected room for ${bytes} bytes, found ${bavail * bsize}`;
  throw new CalendarError('DISK_FULL', `${folder}: ${found}: make room on this disk`);
}

/** J4: null without one that is worthwhile, or if it is bad: the plain file may still be good. */
async function copyCompressed(options: CopyOptions, manifest: Manifest): Promise<Manifest | null> {
  if ((manifest.compressed?.bytes ?? Number.POSITIVE_INFINITY) >= manifest.bytes) return null;
  return copyFile(options, manifest, true).catch((cause) => {
    if (options.signal.aborted) throw cause;
    return null;
  });
}

/** What is verified, and was signed, is the plain file: its size bounds what a compressed one may unpack to. */
async function copyFile(options: CopyOptions, expected: Manifest, isCompressed: boolean): Promise<Manifest> {
  const { folder, signal, totalMs = TOTAL_MS, verify = verifyApart } = options;
  const { file: name, bytes } = (isCompressed ? expected.compressed : null) ?? expected;
  const file = unfinishedPath(folder, expected.file);
  try {
    await download(options, name, { bytes, totalMs }, async (body) => {
      const target = await createFile(file);
      if (!isCompressed) return pipeline(body, target);
      return pipeline(
        body,
        createBrotliDecompress({ chunkSize: CHUNK }),
        (unpacked: AsyncIterable<Buffer>) => atMost(expected.bytes, unpacked),
        target,
      );
    });
    return await publish({
      folder,
      file,
      expected,
      // H7: in a process that can be killed.
      verify: (path) => verify(path, expected, { isThorough: true, signal }),
      signature: expected.signature,
      keepDays: options.keepDays,
    });
  } finally {
    await removeDebris(folder);
  }
}

const CHUNK = 256 * 1_024;

async function* atMost(most: number, chunks: AsyncIterable<Buffer>) {
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > most) throw unusable('compressed copy', `expected ${most} bytes at most, found more`);
    yield chunk;
  }
}

/** Caches on the way must revalidate with the origin, and must not change the bytes. */
const HEADERS = { 'accept-encoding': 'identity', 'cache-control': 'no-cache' };

/** Throws ORIGIN_UNUSABLE, naming the URL and what was found there. */
async function download<Result>(
  { origin, signal, allowPrivate, stallMs = STALL_MS, signRequest, token = null }: CopyOptions,
  name: string,
  { bytes, totalMs }: { readonly bytes: number; readonly totalMs: number },
  use: (body: AsyncIterable<Buffer>) => Promise<Result>,
): Promise<Result> {
  const url = new URL(name, origin);
  const place = `${url.origin}${url.pathname}`;
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
      const advice = reply.status === 401 ? '; ALMANAKK_SNAPSHOTS_TOKEN has to be the one of the origin' : '';
      const found = refusalText({ ...reply, body: await buffer(reply.body).catch(() => Buffer.alloc(0)) });
      throw unusable(place, `expected status 200, found ${found}${advice}`);
    });
  } catch (cause) {
    if (!(cause instanceof FetchProblem)) throw cause;
    const where = cause.url.host === origin.host ? '' : `redirected to ${cause.url.host}: `;
    const isRefused = cause.reason === 'address refused';
    const advice = isRefused ? '; ALMANAKK_ALLOW_PRIVATE_FEEDS=true allows those' : '';
    throw unusable(place, `${where}${cause.message}${advice}`, cause);
  }
}

function unusable(place: string, found: string, cause?: unknown): CalendarError {
  return new CalendarError('ORIGIN_UNUSABLE', `${place}: ${found}`, { cause });
}
