/**
 * The snapshot folder, the whole protocol between a build and its servers (H5, the snapshot folder): its files, its manifest, and how
 * changes are noticed.
 */

import { constants, type FSWatcher, watch } from 'node:fs';
import { type FileHandle, lstat, open, readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { CalendarError, isCalendarError, isMissing, messageOf } from '../calendar/errors.ts';
import { type Holds, isCount, matching, objectOf, parsedJson } from '../calendar/json.ts';
import { unusable } from './format.ts';
import { type Counts, isCounts, isIsoSecond, readMeta } from './meta.ts';
import { openReader } from './sqlite.ts';

// A name is never a path: names from outside are matched against a pattern, not joined to a path.

export const MANIFEST = 'manifest.json';

/**
 * The caller closes it. A link may lead out of the folder, and a pipe would block whatever opens it, even the end of the process: both
 * are refused. Throws SNAPSHOT_UNUSABLE for those, and the error of `open` for a missing file.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (cause) => {
      throw NO_FILE.has(codeOf(cause)) ? notRegular(path, cause) : cause;
    },
  );
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notRegular(path);
}

/** Error codes of opening a link, and a socket. */
const NO_FILE: ReadonlySet<unknown> = new Set(['ELOOP', 'EMLINK', 'ENXIO']);

const codeOf = (cause: unknown) => (cause instanceof Error && 'code' in cause ? cause.code : undefined);

function notRegular(path: string, cause?: unknown): CalendarError {
  return unusable(path, 'a file', 'something else', cause);
}

/** Prefix of unpublished files; the next build removes them. */
export const UNFINISHED = '.unfinished-';

/** The file that a build locks while it uses the folder; it remains between builds. */
export const LOCK = '.lock';

const FILE = /^calendar-([0-9a-f]{16})\.sqlite$/;

/** The first 16 hex digits of the content's SHA-256. */
export function snapshotId(sha256: string): string {
  return sha256.slice(0, 16);
}

export function snapshotFile(id: string): string {
  return `calendar-${id}.sqlite`;
}

export function compressedFile(id: string): string {
  return `${snapshotFile(id)}.br`;
}

/** The id in a snapshot's file name; null if the name is not a snapshot's. */
export function idOfFile(name: string): string | null {
  return FILE.exec(name)?.[1] ?? null;
}

/** The same for the name of a compressed copy. */
export function idOfCompressed(name: string): string | null {
  return name.endsWith('.br') ? idOfFile(name.slice(0, -'.br'.length)) : null;
}

export function idOfPath(path: string): string {
  return idOfFile(basename(path)) ?? basename(path);
}

export interface Manifest {
  readonly format: number;
  readonly id: string;
  /** A name within the folder: `calendar-<id>.sqlite`. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  /** ISO 8601 in UTC. */
  readonly builtAt: string;
  readonly counts: Counts;
  /** Id of the calendar's licence. Builds before signatures existed did not write it. */
  readonly licence?: string;
  /** J4, compressed copies: a compressed copy of the file, for transfer. */
  readonly compressed?: CompressedCopy;
  /** J3, signatures: the manifest's signature; it signs all other fields. */
  readonly signature?: Signature;
}

export interface CompressedCopy {
  /** A name within the folder: the snapshot's name and `.br`. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
}

export interface Signature {
  /** The beginning of the public key's SHA-256: it identifies the key. */
  readonly key: string;
  /** Ed25519, Base64. */
  readonly value: string;
}

/** Bytes: ten times a usual manifest. */
export const LONGEST_MANIFEST = 8_192;

/** The manifest's text as it is, or null if there is none. */
export async function readManifestText(folder: string): Promise<string | null> {
  const path = join(folder, MANIFEST);
  try {
    const file = await openRegular(path);
    try {
      const { size } = await file.stat();
      if (size <= LONGEST_MANIFEST) return await file.readFile('utf8');
      throw wrong(`${LONGEST_MANIFEST} bytes at most`, size);
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (isMissing(cause)) return null;
    if (isCalendarError(cause)) throw cause;
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${MANIFEST}: ${messageOf(cause)}`, { cause });
  }
}

/** Throws SNAPSHOT_UNUSABLE for half a manifest, garbage, and names that would lead out of the folder. */
export function parseManifest(text: string): Manifest {
  const value = parsedJson(text);
  if (value === undefined) throw wrong('JSON', text);
  if (typeof value !== 'object' || value === null) throw wrong('a JSON object', text);
  checkFields(value);
  const { id, file, sha256, compressed } = value;
  if (file !== snapshotFile(id)) throw wrong(`"file" to be ${snapshotFile(id)}`, file);
  if (!sha256.startsWith(id)) throw wrong('"sha256" to begin with the id', sha256);
  if (compressed !== undefined && compressed.file !== compressedFile(id))
    throw wrong(`"compressed.file" to be ${compressedFile(id)}`, compressed.file);
  return value;
}

export function renderManifest(manifest: Manifest): string {
  const { format, id, file, bytes, sha256, builtAt, counts, licence, compressed, signature } = manifest;
  const known = { format, id, file, bytes, sha256, builtAt, counts, licence, compressed, signature };
  return `${JSON.stringify(known, null, 2)}\n`;
}

export interface SnapshotFile {
  readonly id: string;
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly modified: number;
}

/** Every file with a snapshot's name, the latest written first. A missing folder has none. */
export async function listSnapshots(folder: string): Promise<readonly SnapshotFile[]> {
  const files: SnapshotFile[] = [];
  for (const name of await namesIn(folder)) {
    const id = idOfFile(name);
    if (id === null) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => null);
    if (found?.isFile() === true) files.push({ id, path, modified: found.mtimeMs });
  }
  return files.sort((left, right) => right.modified - left.modified || (left.id < right.id ? -1 : 1));
}

/** The same by the instant of the build, which a copied folder keeps. Files without it are left out. */
export async function listByBuild(folder: string): Promise<readonly SnapshotFile[]> {
  const dated: { readonly file: SnapshotFile; readonly builtAt: string }[] = [];
  for (const file of await listSnapshots(folder)) {
    const builtAt = await builtAtOf(file.path);
    if (builtAt !== null) dated.push({ file, builtAt });
  }
  return dated.sort((left, right) => (left.builtAt < right.builtAt ? 1 : -1)).map(({ file }) => file);
}

async function builtAtOf(path: string): Promise<string | null> {
  try {
    const reader = await openReader(path, { connections: 1 });
    try {
      return (await readMeta(reader)).builtAt;
    } finally {
      await reader.close();
    }
  } catch {
    return null;
  }
}

/** Changes whenever a file is written to or replaced. */
export async function stampOf(path: string): Promise<string> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return `${size} ${mtimeMs} ${ino}`;
  } catch (cause) {
    return messageOf(cause);
  }
}

/** The same for a file that was only written to. */
export function inodeIn(stamp: string): string | undefined {
  return stamp.split(' ')[2];
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw new CalendarError('SNAPSHOT_UNUSABLE', `${folder}: ${messageOf(cause)}`, { cause });
  }
}

const isId = matching(/^[0-9a-f]{16}$/);
const isSha256 = matching(/^[0-9a-f]{64}$/);
const isName = matching(/./s);

/** Each field of a manifest with its expected form and its check. */
const FIELDS: Readonly<Record<keyof Manifest, readonly [expected: string, holds: Holds]>> = {
  format: ['a whole number', isCount],
  id: ['16 hex digits', isId],
  file: ['calendar-<id>.sqlite', matching(FILE)],
  bytes: ['a whole number', isCount],
  sha256: ['64 hex digits', isSha256],
  builtAt: ['an ISO 8601 moment in UTC', isIsoSecond],
  counts: ['counts by name', isCounts],
  licence: ['a text, where it is there', orMissing(isName)],
  compressed: [
    'a file, its bytes and its SHA-256, where it is there',
    orMissing(objectOf<CompressedCopy>({ file: isName, bytes: isCount, sha256: isSha256 })),
  ],
  signature: [
    'a key and a value, where it is there',
    orMissing(objectOf<Signature>({ key: isId, value: matching(/^[A-Za-z0-9+/]{86}==$/) })),
  ],
};

function checkFields(value: object): asserts value is Manifest {
  const found = new Map<string, unknown>(Object.entries(value));
  for (const [name, [expected, holds]] of Object.entries(FIELDS)) {
    if (!holds(found.get(name))) throw wrong(`"${name}" to be ${expected}`, found.get(name));
  }
}

function orMissing(holds: Holds): Holds {
  return (value) => value === undefined || holds(value);
}

function wrong(expected: string, found: unknown): CalendarError {
  return unusable(MANIFEST, expected, typeof found === 'string' ? found.trim() || 'an empty file' : found);
}

/**
 * Calls back when the manifest may have changed: at once where the file system has events, else at the next poll. Neither keeps the process
 * alive. Returns a function that stops it.
 */
export function watchFolder(folder: string, pollMs: number, onChange: () => void): () => void {
  let watcher: FSWatcher | null = null;
  const unwatch = (): void => {
    watcher?.close();
    watcher = null;
  };
  // A watcher follows the folder that it was made for, even when another one takes that name.
  const rewatch = (): void => {
    unwatch();
    try {
      watcher = watch(folder, { persistent: false }, (_, name) => {
        if (name === null || name === MANIFEST) onChange();
      }).on('error', unwatch);
    } catch {
      // Without events (no folder, not supported, or too many watchers on this machine) polling goes on.
    }
  };
  rewatch();
  const poll = setInterval(() => {
    rewatch();
    onChange();
  }, pollMs).unref();
  return () => {
    clearInterval(poll);
    unwatch();
  };
}
