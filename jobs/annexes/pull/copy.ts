/** H6: copies an origin's snapshot into the local snapshot folder, verified and published like a build. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CalendarError, messageOf } from '../../../src/calendar/errors.ts';
import { MANIFEST } from '../../../src/snapshot/files.ts';
import { listByBuild } from '../../../src/snapshot/folder.ts';
import { FORMAT, formatMismatch } from '../../../src/snapshot/format.ts';
import {
  LONGEST_MANIFEST,
  type Manifest,
  type PublicFile,
  parseManifest,
  readManifestText,
} from '../../../src/snapshot/manifest.ts';
import { readMeta } from '../../../src/snapshot/meta.ts';
import { openReader } from '../../../src/snapshot/sqlite.ts';
import { verifyApart } from '../../../src/snapshot/verify-apart.ts';
import { type Accepted, checkSignature, type Trust } from '../../kit/signature.ts';
import { withLock } from '../../lock.ts';
import { faultOf } from '../../machine-fault.ts';
import { type PublicDraft, verifyAndPublish } from '../../publish.ts';
import { expectRoom } from '../../room.ts';
import { removeDebris, unfinishedPath } from '../../unfinished.ts';
import { type DownloadOptions, download, fetchFile } from './download.ts';

export interface CopyOptions extends DownloadOptions {
  /** J3: the keys that manifests must be signed with; null for none. */
  readonly trust?: Trust | null;
  readonly folder: string;
  /** Milliseconds since 1970; `Date.now` by default. */
  readonly clock?: () => number;
  /** H5: the number of days of which the last file is kept; none by default. */
  readonly keepDays?: number;
  /** J5: called with the reason why the public edition was not copied; the snapshot is. */
  readonly onPublicLost?: (reason: string) => void;
  /** Replaces verification in its own process, for tests. */
  readonly verify?: typeof verifyApart;
}

const MANIFEST_MS = 30_000;

/** Bytes: nearly ten times the snapshot of 200,000 events. */
const LARGEST_FILE = 8 * 1_024 * 1_024 * 1_024;

/** H7: otherwise a builder whose clock once ran ahead would stay the newest forever. */
const AHEAD_MS = 86_400_000;

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
    throw unusable(MANIFEST, `${expected}, found one built at ${builtAt}: check the builder's clock`);
  }
  if (trust !== null) checkSignature(manifest, trust, await acceptedIn(folder));
  if (format !== FORMAT) throw unusable(MANIFEST, formatMismatch(format));
  refuseLarge(Math.max(bytes, manifest.compressed?.bytes ?? 0));
  return manifest;
}

function refuseLarge(bytes: number): void {
  if (bytes > LARGEST_FILE)
    throw unusable(MANIFEST, `expected a file of ${LARGEST_FILE} bytes at most, found ${bytes}`);
}

/** The folder's latest snapshot; null without one. */
async function acceptedIn(folder: string): Promise<Accepted | null> {
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
      return copyFiles(options, manifest);
    });
  } catch (cause) {
    throw faultOf(folder, cause);
  }
}

/** The manifest is kept whole, and so are the compressed copy and the public edition: this folder is an origin for others, too. */
async function copyFiles(options: CopyOptions, expected: Manifest): Promise<Manifest> {
  const { folder, signal, keepDays, verify = verifyApart } = options;
  try {
    const { path: file, copied } = await fetchFile(options, expected, unfinishedPath(folder, expected.file));
    return await verifyAndPublish({
      folder,
      file,
      expected,
      copied,
      publicDraft: await fetchPublic(options, expected.public),
      // H7: in a process that can be killed.
      verify: (path) => verify(path, expected, { isThorough: true, signal }),
      signature: expected.signature,
      keepDays,
    });
  } finally {
    await removeDebris(folder);
  }
}

/**
 * J5: the snapshot is worth more than its public edition, and is published without one that is unsound, too large, or has no room. Then
 * nothing of it takes up room, either.
 */
async function fetchPublic(options: CopyOptions, entry: PublicFile | undefined): Promise<PublicDraft | null> {
  if (entry === undefined) return null;
  const { folder, signal, onPublicLost } = options;
  const draft = unfinishedPath(folder, entry.file);
  try {
    const bytes = entry.bytes + (entry.compressed?.bytes ?? 0);
    refuseLarge(bytes);
    await expectRoom(folder, bytes);
    const { path, copied } = await fetchFile(options, entry, draft);
    return { path, copy: copied?.path ?? null, entry };
  } catch (cause) {
    if (signal.aborted) throw cause;
    for (const path of [draft, `${draft}.br`]) await rm(path, { force: true });
    onPublicLost?.(messageOf(cause));
    return { path: null, copy: null, entry };
  }
}

function unusable(address: string, found: string, cause?: unknown): CalendarError {
  return new CalendarError('ORIGIN_UNUSABLE', `${address}: ${found}`, { cause });
}
