/** H6: copies what an origin has into a snapshot folder of one's own, checked and published like a build. */
import { constants } from 'node:fs';
import { copyFile, mkdir, open, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError } from '../../src/calendar/errors.ts';
import {
  LONGEST_MANIFEST,
  MANIFEST,
  type Manifest,
  parseManifest,
  readManifestText,
} from '../../src/snapshot/folder.ts';
import { FORMAT } from '../../src/snapshot/format.ts';
import { formatMismatch } from '../../src/snapshot/verify.ts';
import { verifyApart } from '../../src/snapshot/verify-apart.ts';
import { FetchProblem, fetchBounded } from '../fetch.ts';
import { faultOf, withLock } from '../lock.ts';
import { publish, removeDebris, unfinishedPath } from '../publish.ts';

export interface CopyOptions {
  /** Of the folder; ends in a slash. */
  readonly origin: URL;
  readonly folder: string;
  /** Gives up at once. */
  readonly signal: AbortSignal;
  /** Whether the origin may redirect to other hosts whose addresses are not public. */
  readonly allowPrivate: boolean;
  /** Milliseconds without a byte after which the origin is given up. */
  readonly stallMs?: number;
  /** Milliseconds for a whole file. */
  readonly totalMs?: number;
  /** In place of a process of its own, for tests. */
  readonly verify?: typeof verifyApart;
}

const STALL_MS = 15_000;
const TOTAL_MS = 900_000;
const MANIFEST_MS = 30_000;
const MOST_REDIRECTS = 5;

/** Nearly ten times the file of 200,000 events. */
const LARGEST_SNAPSHOT = 8 * 1_024 * 1_024 * 1_024;

/**
 * The text of the origin's manifest. It is asked for without a condition: the entity tag of a plain file server may be
 * the same for two manifests of one second, and the text is hardly longer than a 304.
 */
export async function fetchManifest(options: CopyOptions): Promise<string> {
  const chunks: Uint8Array[] = [];
  await download(options, {
    name: MANIFEST,
    bytes: LONGEST_MANIFEST,
    tooLong: `expected ${LONGEST_MANIFEST} bytes at most, found more`,
    totalMs: MANIFEST_MS,
    onBytes: async (bytes) => chunks.push(bytes),
  });
  return Buffer.concat(chunks).toString('utf8');
}

/** The manifest as the origin means it. Throws when it makes no sense to this program. */
export function readOriginManifest(text: string): Manifest {
  const manifest = parseManifest(text);
  const { format, bytes } = manifest;
  if (format !== FORMAT) throw new CalendarError('ORIGIN_UNUSABLE', `${MANIFEST}: ${formatMismatch(format)}`);
  if (bytes <= LARGEST_SNAPSHOT) return manifest;
  const found = `expected a file of ${LARGEST_SNAPSHOT} bytes at most, found ${bytes}`;
  throw new CalendarError('ORIGIN_UNUSABLE', `${MANIFEST}: ${found}`);
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
    await verify(path, manifest, { depth: 'adopt', signal });
    return true;
  } catch {
    // Whatever is wrong with it: the origin's copy takes its place.
    return false;
  }
}

/** Makes the origin's snapshot this folder's current one, also when it is older: the origin knows best. */
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

/** From a file that is still there, when the origin goes back to a snapshot that it had before. */
async function publishAgain(options: CopyOptions, manifest: Manifest): Promise<Manifest | null> {
  const { folder } = options;
  const file = unfinishedPath(folder, manifest.file);
  try {
    await copyFile(join(folder, manifest.file), file, constants.COPYFILE_FICLONE);
    return await publishStranger(options, file, manifest);
  } catch {
    return null;
  }
}

async function publishDownload(options: CopyOptions, manifest: Manifest): Promise<Manifest> {
  const { folder } = options;
  const file = unfinishedPath(folder, manifest.file);
  await expectRoom(folder, manifest.bytes);
  await downloadFile(options, { file, manifest });
  return publishStranger(options, file, manifest);
}

/** H7: checked to the last text, where it can be killed. */
function publishStranger(
  { folder, signal, verify = verifyApart }: CopyOptions,
  file: string,
  expected: Manifest,
): Promise<Manifest> {
  return publish({
    folder,
    file,
    expected,
    verify: (path) => verify(path, expected, { depth: 'stranger', signal }),
  });
}

async function expectRoom(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  if (bytes <= bavail * bsize) return;
  const found = `expected room for ${bytes} bytes, found ${bavail * bsize}`;
  throw new CalendarError('BUILD_REFUSED', `${folder}: ${found}: make room on this disk`);
}

interface DownloadFile {
  readonly file: string;
  readonly manifest: Manifest;
}

async function downloadFile(options: CopyOptions, { file, manifest }: DownloadFile): Promise<void> {
  const { folder, totalMs = TOTAL_MS } = options;
  const { file: name, bytes } = manifest;
  const handle = await open(file, 'w');
  try {
    const length = await download(options, {
      name,
      bytes,
      tooLong: `expected ${bytes} bytes, found more`,
      totalMs,
      onBytes: (chunk) =>
        handle.writeFile(chunk).catch((cause) => {
          throw faultOf(folder, cause);
        }),
    });
    if (length < bytes)
      throw unusable(new URL(name, options.origin), `expected ${bytes} bytes, found ${length}`);
  } finally {
    await handle.close();
  }
}

interface Download {
  readonly name: string;
  /** At most. */
  readonly bytes: number;
  /** What is said of more. */
  readonly tooLong: string;
  readonly totalMs: number;
  readonly onBytes: (bytes: Uint8Array) => Promise<unknown>;
}

/** Gives how many bytes there were. Throws ORIGIN_UNUSABLE, naming the URL and what was found there. */
async function download(
  { origin, signal, allowPrivate, stallMs = STALL_MS }: CopyOptions,
  { name, bytes, tooLong, totalMs, onBytes }: Download,
): Promise<number> {
  const url = new URL(name, origin);
  const limits = {
    bytes,
    seconds: totalMs / 1_000,
    stallSeconds: stallMs / 1_000,
    redirects: MOST_REDIRECTS,
  };
  // The operator chose the origin, wherever it is; where it leads to from there, the origin chooses.
  const mayBePrivate = (hop: URL) => allowPrivate || hop.host === origin.host;
  try {
    return await fetchBounded({ url, headers: HEADERS, limits, mayBePrivate, signal }, async (reply) => {
      if (reply.status !== 200) throw unusable(url, `expected status 200, found ${reply.status}`);
      let length = 0;
      for await (const chunk of reply.body) {
        length += chunk.length;
        await onBytes(chunk);
      }
      return length;
    });
  } catch (cause) {
    if (!(cause instanceof FetchProblem)) throw cause;
    throw unusable(url, cause.reason === 'size limit' ? tooLong : wordsOf(cause, origin), cause);
  }
}

/** Whatever keeps copies on the way is to ask the origin itself, and not to change the bytes. */
const HEADERS = { 'accept-encoding': 'identity', 'cache-control': 'no-cache' };

function wordsOf({ reason, url, message }: FetchProblem, origin: URL): string {
  const where = url.host === origin.host ? '' : `redirected to ${url.host}: `;
  const advice = reason === 'address refused' ? '; ALMANAKK_ALLOW_PRIVATE_FEEDS=true allows those' : '';
  return `${where}${message}${advice}`;
}

function unusable({ origin, pathname }: URL, found: string, cause?: unknown): CalendarError {
  return new CalendarError('ORIGIN_UNUSABLE', `${origin}${pathname}: ${found}`, { cause });
}
