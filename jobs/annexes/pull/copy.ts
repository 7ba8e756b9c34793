/** H6: copies an origin's snapshot into the local snapshot folder, verified and published like a build. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type CalendarError, messageOf } from '../../../src/calendar/errors.ts';
import { MANIFEST, makeFolder } from '../../../src/snapshot/files.ts';
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
import { manifestOfFormat } from '../../../src/snapshot/other-formats.ts';
import { openReader } from '../../../src/snapshot/sqlite.ts';
import { type VerifiedFile, verifyBytes } from '../../../src/snapshot/verify.ts';
import { verifyApart } from '../../../src/snapshot/verify-apart.ts';
import { type Accepted, checkSignature, type Trust } from '../../kit/signature.ts';
import { faultOf } from '../../machine-fault.ts';
import { canContinue } from '../../previous.ts';
import { withLock } from '../../publish/lock.ts';
import { type PublicDraft, verifyAndPublish } from '../../publish/publish.ts';
import { expectRoom, hasRoom } from '../../publish/room.ts';
import { removeDebris, unfinishedPath } from '../../publish/unfinished.ts';
import { type DownloadOptions, download, type FileEntry, fetchFile, unusable } from './download.ts';

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
  /** Called with the reason why an old file was not removed. */
  readonly warn?: (warning: string) => void;
  /** G14: whether a build continues from the copy, which may then have an older format. Servers refuse such a file. */
  readonly isForBuild?: boolean;
  /** Replaces verification in its own process, for tests. */
  readonly verify?: typeof verifyApart;
}

/** Milliseconds for the whole manifest. */
const MANIFEST_MS = 30_000;

/** Bytes: nearly ten times the snapshot of 200,000 events. */
const LARGEST_FILE = 8 * 1_024 * 1_024 * 1_024;

/** H7: milliseconds. Without this limit, a builder whose clock once ran ahead would stay the newest forever. */
const MOST_AHEAD_MS = 86_400_000;

/**
 * The text of the origin's manifest. It is requested unconditionally: the entity tag of a plain file server may be the same for two
 * manifests of one second, and the text is hardly longer than a 304.
 */
export function fetchManifest(options: CopyOptions, name = MANIFEST): Promise<string> {
  return download(options, { name, bytes: LONGEST_MANIFEST, totalMs: MANIFEST_MS }, text);
}

/** What there is to copy. */
interface Wanted {
  readonly manifest: Manifest;
  /** Why this is not the origin's latest snapshot: that one has another format. Null if it is the latest. */
  readonly behind: CalendarError | null;
}

/**
 * H5, H6: the latest snapshot of the origin that has this program's format, from the text of the origin's manifest. Throws ORIGIN_UNUSABLE,
 * as `readOriginManifest`, or if there is none.
 */
export async function findWanted(options: CopyOptions, manifestText: string): Promise<Wanted> {
  const { format } = parseManifest(manifestText);
  if (isUsable(format, options))
    return { manifest: await readOriginManifest(manifestText, options), behind: null };
  const behind = ofAnotherFormat(format);
  const older = await fetchManifest(options, manifestOfFormat(FORMAT)).catch(() => null);
  if (older === null) throw behind;
  return { manifest: await readOriginManifest(older, options), behind };
}

/** Parses the origin's manifest. Throws ORIGIN_UNUSABLE if it is invalid, from the future, or not signed by a trusted key. */
export async function readOriginManifest(
  text: string,
  {
    folder,
    trust = null,
    clock = Date.now,
    isForBuild = false,
  }: Pick<CopyOptions, 'folder' | 'trust' | 'clock' | 'isForBuild'>,
): Promise<Manifest> {
  const manifest = parseManifest(text);
  const { format, bytes, builtAt } = manifest;
  const latestMoment = clock() + MOST_AHEAD_MS;
  if (Date.parse(builtAt) > latestMoment) {
    const expected = `expected a calendar built by ${new Date(latestMoment).toISOString()}, a day ahead of this machine's clock`;
    throw unusable(MANIFEST, `${expected}, found one built at ${builtAt}: check the builder's clock`);
  }
  if (trust !== null) checkSignature(manifest, trust, await latestIn(folder));
  if (!isUsable(format, { isForBuild })) throw ofAnotherFormat(format);
  refuseLarge(Math.max(bytes, manifest.compressed?.bytes ?? 0));
  return manifest;
}

/** G14: servers read this program's format alone; a build continues from older ones, too. */
function isUsable(format: number, { isForBuild = false }: Pick<CopyOptions, 'isForBuild'>): boolean {
  return format === FORMAT || (isForBuild && canContinue(format));
}

/** Says which machine to upgrade. */
function ofAnotherFormat(format: number): CalendarError {
  const advice = format > FORMAT ? 'upgrade this machine' : 'upgrade the builder before its replicas';
  return unusable(MANIFEST, `${formatMismatch(format)}; ${advice}`);
}

function refuseLarge(bytes: number): void {
  if (bytes > LARGEST_FILE)
    throw unusable(MANIFEST, `expected a file of ${LARGEST_FILE} bytes at most, found ${bytes}`);
}

/** The folder's latest snapshot; null without one. */
async function latestIn(folder: string): Promise<Accepted | null> {
  const [latest] = await listByBuild(folder);
  if (latest === undefined) return null;
  const reader = await openReader(latest.path, { connections: 1 });
  return readMeta(reader).finally(reader.close);
}

/** Whether the folder's current snapshot is the one of that manifest, and its file has the right size. Never rejects. */
export async function isCurrent(folder: string, manifest: Manifest): Promise<boolean> {
  try {
    if (parseManifest((await readManifestText(folder)) ?? '').id !== manifest.id) return false;
    return (await stat(join(folder, manifest.file))).size === manifest.bytes;
  } catch {
    // Unreadable for any reason: the origin's copy replaces it.
    return false;
  }
}

/** As `isCurrent`; also reads the whole file and verifies it. Never rejects. */
export async function isIntact(
  { folder, signal, verify = verifyApart }: Pick<CopyOptions, 'folder' | 'signal' | 'verify'>,
  manifest: Manifest,
): Promise<boolean> {
  if (!(await isCurrent(folder, manifest))) return false;
  return verify(join(folder, manifest.file), manifest, { signal }).then(
    () => true,
    () => false,
  );
}

/**
 * Makes the origin's snapshot this folder's current one, even if it is older: the origin decides. Throws ORIGIN_UNUSABLE, SNAPSHOT_UNUSABLE,
 * DISK_FULL or BUILD_LOCKED; the folder then keeps its snapshot.
 */
export async function copySnapshot(options: CopyOptions, manifest: Manifest): Promise<Manifest> {
  const { folder } = options;
  try {
    await makeFolder(folder);
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
  const { folder, signal, keepDays, warn, verify = verifyApart } = options;
  try {
    const draft = unfinishedPath(folder, expected.file);
    const { path: file, copied } = await fetchFile(options, await fittingEntry(folder, expected), draft);
    return await verifyAndPublish({
      folder,
      file,
      origin: {
        manifest: expected,
        compressed: copied,
        verify: (path) => verifyCopy(path, expected, { signal, verify }),
      },
      publicDraft: await fetchPublic(options, expected.public),
      keepDays,
      warn,
    });
  } finally {
    // The next copy removes what cannot be removed now.
    await removeDebris(folder).catch(() => undefined);
  }
}

/** H7: in a process that can be killed. G14: an older format's tables are not known, so only the bytes are checked. */
export function verifyCopy(
  path: string,
  manifest: Manifest,
  { signal, verify = verifyApart }: Pick<CopyOptions, 'signal' | 'verify'>,
): Promise<VerifiedFile> {
  if (manifest.format !== FORMAT) return verifyBytes(path, manifest);
  return verify(path, manifest, { isThorough: true, signal });
}

/** The manifest's entry, without the compressed copy if there is no room for both files: they are on the disk at the same time. */
async function fittingEntry(folder: string, manifest: Manifest): Promise<FileEntry> {
  const { compressed, ...plain } = manifest;
  const fits = compressed !== undefined && (await hasRoom(folder, manifest.bytes + compressed.bytes));
  return fits ? manifest : plain;
}

/**
 * J5: fetches the public edition. If it is damaged or too large, or if there is no room for it, its files are removed, and the snapshot is
 * published without it.
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
