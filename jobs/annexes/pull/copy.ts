/** H6, replicas: copies an origin's snapshot into the local snapshot folder, verified and published like a build. */
import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, mkdir, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress } from 'node:zlib';
import { CalendarError, type ErrorCode, isCalendarError } from '../../../src/calendar/errors.ts';
import {
  type CompressedCopy,
  LONGEST_MANIFEST,
  listByBuild,
  MANIFEST,
  type Manifest,
  openRegular,
  parseManifest,
  readManifestText,
} from '../../../src/snapshot/folder.ts';
import { FORMAT } from '../../../src/snapshot/format.ts';
import { readMeta } from '../../../src/snapshot/meta.ts';
import { openReader } from '../../../src/snapshot/sqlite.ts';
import { formatMismatch } from '../../../src/snapshot/verify.ts';
import { verifyApart } from '../../../src/snapshot/verify-apart.ts';
import { FetchProblem, fetchBounded, wholeBody } from '../../kit/fetch.ts';
import { refusalText, type SignRequest } from '../../kit/s3.ts';
import { checkSignature, type Known, type Trust } from '../../kit/signature.ts';
import { faultOf, withLock } from '../../lock.ts';
import { createFile, publish, removeDebris, unfinishedPath } from '../../publish.ts';

export interface CopyOptions {
  /** URL of the folder; ends in a slash. */
  readonly origin: URL;
  /** Signs requests, for an origin in an object store that requires it. */
  readonly signRequest?: SignRequest;
  /** H9, nothing unpublished leaves: sent to the origin, and to no other host. */
  readonly token?: string | null;
  /** J3, signatures: the keys that manifests must be signed with; null for none. */
  readonly trust?: Trust | null;
  /** Called with the number of bytes as they arrive. */
  readonly onBytes?: (count: number) => void;
  readonly folder: string;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly clock?: () => number;
  /** Aborts at once. */
  readonly signal: AbortSignal;
  /** Whether the origin may redirect to other hosts whose addresses are not public. */
  readonly allowPrivate: boolean;
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
export async function fetchManifest(options: CopyOptions): Promise<string> {
  let text = '';
  await download(options, {
    name: MANIFEST,
    bytes: LONGEST_MANIFEST,
    tooLong: `expected ${LONGEST_MANIFEST} bytes at most, found more`,
    totalMs: MANIFEST_MS,
    use: async (body) => {
      text = (await wholeBody(body)).toString('utf8');
    },
  });
  return text;
}

/** Parses the origin's manifest. Throws if it is invalid, from the future, or not signed by a trusted key. */
export async function readOriginManifest(
  text: string,
  { folder, trust = null, clock = Date.now }: Pick<CopyOptions, 'folder' | 'trust' | 'clock'>,
): Promise<Manifest> {
  const manifest = parseManifest(text);
  const { format, bytes, builtAt } = manifest;
  if (Date.parse(builtAt) > clock() + AHEAD_MS) {
    const latest = new Date(clock() + AHEAD_MS).toISOString();
    const found = `expected a calendar built by ${latest}, a day ahead of this machine's clock, found one built at ${builtAt}`;
    throw new CalendarError('ORIGIN_UNUSABLE', `${MANIFEST}: ${found}: look at the builder's clock`);
  }
  if (trust !== null) checkSignature(manifest, trust, await knownOf(folder));
  if (format !== FORMAT) throw new CalendarError('ORIGIN_UNUSABLE', `${MANIFEST}: ${formatMismatch(format)}`);
  const most = Math.max(bytes, manifest.compressed?.bytes ?? 0);
  if (most <= LARGEST_SNAPSHOT) return manifest;
  const found = `expected a file of ${LARGEST_SNAPSHOT} bytes at most, found ${most}`;
  throw new CalendarError('ORIGIN_UNUSABLE', `${MANIFEST}: ${found}`);
}

/** H7, a stranger's file: a builder whose clock once ran ahead would be the newest for good. */
const AHEAD_MS = 86_400_000;

/** The folder's present snapshot; null if it has none, or an invalid manifest. */
async function knownOf(folder: string): Promise<Known | null> {
  const known = await knownByManifest(folder);
  if (known !== null) return known;
  for (const { path } of await listByBuild(folder)) {
    const reader = await openReader(path, { connections: 1 });
    try {
      return await readMeta(reader);
    } catch {
      // Treated as missing.
    } finally {
      await reader.close();
    }
  }
  return null;
}

async function knownByManifest(folder: string): Promise<Known | null> {
  try {
    const { licence, builtAt } = parseManifest((await readManifestText(folder)) ?? '');
    return licence === undefined ? null : { licence, builtAt };
  } catch {
    return null;
  }
}

interface CurrentOptions {
  /** Reads the whole file, not only its size. */
  readonly thorough: boolean;
}

/** Whether the folder's current snapshot is the one of that manifest. */
export async function isCurrent(
  { folder, signal, verify = verifyApart }: Pick<CopyOptions, 'folder' | 'signal' | 'verify'>,
  manifest: Manifest,
  { thorough }: CurrentOptions,
): Promise<boolean> {
  try {
    const text = await readManifestText(folder);
    if (text === null || parseManifest(text).id !== manifest.id) return false;
    const path = join(folder, manifest.file);
    if (!thorough) return (await stat(path)).size === manifest.bytes;
    await verify(path, manifest, { signal });
    return true;
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
    return await withLock(folder, () => copyAlone(options, manifest));
  } catch (cause) {
    throw faultOf(folder, cause);
  }
}

async function copyAlone(options: CopyOptions, manifest: Manifest): Promise<Manifest> {
  const { folder } = options;
  await removeDebris(folder);
  try {
    return (await publishAgain(options, manifest)) ?? (await publishDownload(options, manifest));
  } finally {
    await removeDebris(folder);
  }
}

/** Publishes a file that is still in the folder, if the origin returns to an earlier snapshot. */
async function publishAgain(options: CopyOptions, manifest: Manifest): Promise<Manifest | null> {
  const { folder } = options;
  const file = unfinishedPath(folder, manifest.file);
  try {
    const known = join(folder, manifest.file);
    await (await openRegular(known)).close();
    await copyFile(known, file, constants.COPYFILE_FICLONE);
    return await publishStranger(options, file, manifest);
  } catch {
    return null;
  }
}

async function publishDownload(options: CopyOptions, manifest: Manifest): Promise<Manifest> {
  const { folder } = options;
  const file = unfinishedPath(folder, manifest.file);
  await expectRoom(folder, manifest.bytes);
  if (!(await tryCompressed(options, { file, manifest }))) await downloadPlain(options, { file, manifest });
  return publishStranger(options, file, manifest);
}

/** J4, compressed copies: false if there is no worthwhile copy, or an invalid one: the plain file may still be good. */
async function tryCompressed(options: CopyOptions, { file, manifest }: DownloadFile): Promise<boolean> {
  const { compressed: copy } = manifest;
  if (copy === undefined || copy.bytes >= manifest.bytes) return false;
  try {
    await downloadCompressed(options, { file, manifest, copy });
  } catch (cause) {
    const isOurs = options.signal.aborted || (isCalendarError(cause) && OURS.has(cause.code));
    if (isOurs) throw cause;
    return false;
  }
  return (await stat(file)).size === manifest.bytes;
}

/** H7: verified in a process that can be killed. */
function publishStranger(
  { folder, signal, verify = verifyApart }: CopyOptions,
  file: string,
  expected: Manifest,
): Promise<Manifest> {
  return publish({
    folder,
    file,
    expected,
    verify: (path) => verify(path, expected, { isThorough: true, signal }),
    sign: () => expected.signature ?? null,
  });
}

async function expectRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bytes <= bavail * bsize) return;
  const found = `expected room for ${bytes} bytes, found ${bavail * bsize}`;
  throw new CalendarError('DISK_FULL', `${folder}: ${found}: make room on this disk`);
}

/** Codes of errors of this machine. */
const OURS: ReadonlySet<ErrorCode> = new Set<ErrorCode>(['BUILD_REFUSED', 'DISK_FULL']);

interface DownloadFile {
  readonly file: string;
  readonly manifest: Manifest;
}

async function downloadPlain(options: CopyOptions, { file, manifest }: DownloadFile): Promise<void> {
  const { file: name, bytes } = manifest;
  const url = new URL(name, options.origin);
  const use = async (body: AsyncIterable<Buffer>) => pipeline(body, await createFile(file));
  await downloadFile(options, { name, bytes, use });
  const { size } = await stat(file);
  if (size < bytes) throw unusable(url, `expected ${bytes} bytes, found ${size}`);
}

/** Hashed as it arrives and decompressed at once: the manifest's size of the plain file bounds the output. */
async function downloadCompressed(
  options: CopyOptions,
  { file, manifest: { bytes: most }, copy }: DownloadFile & { readonly copy: CompressedCopy },
): Promise<void> {
  const { file: name, bytes, sha256 } = copy;
  const url = new URL(name, options.origin);
  const hash = createHash('sha256');
  let length = 0;
  const hashed = async function* (body: AsyncIterable<Buffer>) {
    for await (const chunk of body) {
      hash.update(chunk);
      yield chunk;
    }
    const found = hash.digest('hex');
    if (found !== sha256) throw unusable(url, `expected SHA-256 ${sha256}, found ${found}`);
  };
  const bounded = async function* (unpacked: AsyncIterable<Buffer>) {
    for await (const chunk of unpacked) {
      length += chunk.length;
      if (length > most) throw unusable(url, `expected ${most} bytes once it is unpacked, found more`);
      yield chunk;
    }
  };
  const unpack = () => createBrotliDecompress({ chunkSize: CHUNK });
  const use = async (body: AsyncIterable<Buffer>) =>
    pipeline(body, hashed, unpack(), bounded, await createFile(file));
  await downloadFile(options, { name, bytes, use });
}

const CHUNK = 256 * 1_024;

async function downloadFile(
  options: CopyOptions,
  { name, bytes, use }: Pick<Download, 'name' | 'bytes' | 'use'>,
): Promise<void> {
  const { folder, totalMs = TOTAL_MS } = options;
  const tooLong = `expected ${bytes} bytes, found more`;
  try {
    await download(options, { name, bytes, tooLong, totalMs, use });
  } catch (cause) {
    throw faultOf(folder, cause);
  }
}

interface Download {
  readonly name: string;
  /** Upper bound. */
  readonly bytes: number;
  readonly tooLong: string;
  readonly totalMs: number;
  readonly use: (body: AsyncIterable<Buffer>) => Promise<void>;
}

/** Throws ORIGIN_UNUSABLE, naming the URL and what was found there. */
async function download(
  { origin, signal, allowPrivate, stallMs = STALL_MS, signRequest, token = null, onBytes }: CopyOptions,
  { name, bytes, tooLong, totalMs, use }: Download,
): Promise<void> {
  const url = new URL(name, origin);
  const limits = {
    bytes,
    seconds: totalMs / 1_000,
    stallSeconds: stallMs / 1_000,
    redirects: MOST_REDIRECTS,
  };
  // The operator chose the origin, at any address; redirects are the origin's choice.
  const mayBePrivate = (hop: URL) => allowPrivate || hop.host === origin.host;
  try {
    const bearer = token === null ? {} : { authorization: `Bearer ${token}` };
    const headers = { ...HEADERS, ...bearer, ...(await signRequest?.({ method: 'GET', url })) };
    await fetchBounded({ url, headers, limits, mayBePrivate, signal }, async (reply) => {
      if (reply.status === 200) return use(counted(reply.body, onBytes));
      const found =
        signRequest === undefined ? statusText(reply.status) : await refusalText(reply, Date.now());
      throw unusable(url, `expected status 200, found ${found}`);
    });
  } catch (cause) {
    if (!(cause instanceof FetchProblem)) throw cause;
    throw unusable(url, cause.reason === 'size limit' ? tooLong : wordsOf(cause, origin), cause);
  }
}

function statusText(status: number): string {
  const advice = status === 401 ? '; ALMANAKK_SNAPSHOTS_TOKEN has to be the one of the origin' : '';
  return `${status}${advice}`;
}

async function* counted(body: AsyncIterable<Buffer>, onBytes: CopyOptions['onBytes']) {
  for await (const chunk of body) {
    onBytes?.(chunk.length);
    yield chunk;
  }
}

/** Caches on the way must revalidate with the origin, and must not change the bytes. */
const HEADERS = { 'accept-encoding': 'identity', 'cache-control': 'no-cache' };

function wordsOf({ reason, url, message }: FetchProblem, origin: URL): string {
  const where = url.host === origin.host ? '' : `redirected to ${url.host}: `;
  const advice = reason === 'address refused' ? '; ALMANAKK_ALLOW_PRIVATE_FEEDS=true allows those' : '';
  return `${where}${message}${advice}`;
}

function unusable({ origin, pathname }: URL, found: string, cause?: unknown): CalendarError {
  return new CalendarError('ORIGIN_UNUSABLE', `${origin}${pathname}: ${found}`, { cause });
}
