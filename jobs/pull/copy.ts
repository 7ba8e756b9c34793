/** H6: copies what an origin has into a snapshot folder of one's own, checked and published like a build. */
import { constants } from 'node:fs';
import { copyFile, mkdir, open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError } from '../../src/calendar/errors.ts';
import { type Manifest, parseManifest, readManifestText } from '../../src/snapshot/folder.ts';
import { FORMAT } from '../../src/snapshot/format.ts';
import { MANIFEST } from '../../src/snapshot/names.ts';
import { formatMismatch, openVerified } from '../../src/snapshot/verify.ts';
import { faultOf } from '../build/faults.ts';
import { withLock } from '../lock.ts';
import { publish, removeDebris, unfinishedPath } from '../publish.ts';
import { request, unusable } from './request.ts';

export interface CopyOptions {
  /** Of the folder; ends in a slash. */
  readonly origin: URL;
  readonly folder: string;
  /** Gives up at once. */
  readonly signal: AbortSignal;
  /** Milliseconds without a byte after which the origin is given up. */
  readonly stallMs?: number;
  /** Milliseconds for a whole file. */
  readonly totalMs?: number;
}

const STALL_MS = 15_000;
const TOTAL_MS = 900_000;
const MANIFEST_MS = 30_000;

/** Ten times what a manifest takes. */
const LONGEST_MANIFEST = 8_192;

/**
 * The text of the origin's manifest. It is asked for without a condition: the entity tag of a plain file server may be
 * the same for two manifests of one second, and the text is hardly longer than a 304.
 */
export async function fetchManifest({ origin, signal, stallMs = STALL_MS }: CopyOptions): Promise<string> {
  const url = new URL(MANIFEST, origin);
  const chunks: Uint8Array[] = [];
  let length = 0;
  const onBytes = (bytes: Uint8Array) => {
    length += bytes.length;
    if (length > LONGEST_MANIFEST)
      throw unusable(url, `expected ${LONGEST_MANIFEST} bytes at most, found more`);
    chunks.push(bytes);
  };
  await request({ url, signal, stallMs, totalMs: MANIFEST_MS, onBytes });
  return Buffer.concat(chunks, length).toString('utf8');
}

/** The manifest as the origin means it. Throws when it makes no sense to this program. */
export function readOriginManifest(text: string): Manifest {
  const manifest = parseManifest(text);
  if (manifest.format === FORMAT) return manifest;
  throw new CalendarError('ORIGIN_UNUSABLE', `${MANIFEST}: ${formatMismatch(manifest.format)}`);
}

export interface CurrentOptions {
  /** Reads the whole file, not only its size. */
  readonly thorough: boolean;
}

/** Whether the folder's current snapshot is the one of that manifest. */
export async function isCurrent(
  folder: string,
  manifest: Manifest,
  { thorough }: CurrentOptions,
): Promise<boolean> {
  try {
    const text = await readManifestText(folder);
    if (text === null || parseManifest(text).id !== manifest.id) return false;
    const path = join(folder, manifest.file);
    if (!thorough) return (await stat(path)).size === manifest.bytes;
    const { snapshot } = await openVerified(path, manifest, { connections: 1, timeout: 0 });
    await snapshot.close();
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
    return (await publishAgain(folder, manifest)) ?? (await publishDownload(options, manifest));
  } finally {
    await removeDebris(folder);
  }
}

/** From a file that is still there, when the origin goes back to a snapshot that it had before. */
async function publishAgain(folder: string, manifest: Manifest): Promise<Manifest | null> {
  const file = unfinishedPath(folder, manifest.file);
  try {
    await copyFile(join(folder, manifest.file), file, constants.COPYFILE_FICLONE);
    return await publish({ folder, file, expected: manifest });
  } catch {
    return null;
  }
}

async function publishDownload(options: CopyOptions, manifest: Manifest): Promise<Manifest> {
  const file = unfinishedPath(options.folder, manifest.file);
  await download(options, { file, manifest });
  return publish({ folder: options.folder, file, expected: manifest });
}

interface Download {
  readonly file: string;
  readonly manifest: Manifest;
}

async function download(
  { origin, folder, signal, stallMs = STALL_MS, totalMs = TOTAL_MS }: CopyOptions,
  { file, manifest }: Download,
): Promise<void> {
  const url = new URL(manifest.file, origin);
  const handle = await open(file, 'w');
  let length = 0;
  try {
    const onBytes = async (bytes: Uint8Array) => {
      length += bytes.length;
      if (length > manifest.bytes) throw unusable(url, `expected ${manifest.bytes} bytes, found more`);
      await handle.writeFile(bytes).catch((cause) => {
        throw faultOf(folder, cause);
      });
    };
    await request({ url, signal, stallMs, totalMs, onBytes });
  } finally {
    await handle.close();
  }
  if (length < manifest.bytes) {
    throw unusable(url, `expected ${manifest.bytes} bytes, found ${length}`);
  }
}
