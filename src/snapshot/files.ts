/**
 * The files of a snapshot folder: their names, and how one is opened. A name is never a path: names from outside are matched against a
 * pattern, not joined to a path.
 */
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { type CalendarError, messageOf, systemCodeOf } from '../calendar/errors.ts';
import { unusable } from './unusable.ts';

export const MANIFEST = 'manifest.json';

/** Prefix of unpublished files; the next build removes them. */
export const UNFINISHED = '.unfinished-';

/** The file that a build locks while it uses the folder; it remains between builds. */
export const LOCK = '.lock';

/** The first 16 hex digits of the content's SHA-256. */
export function snapshotId(sha256: string): string {
  return sha256.slice(0, 16);
}

export const SNAPSHOT_FILE = /^calendar-([0-9a-f]{16})\.sqlite$/;

export function snapshotFile(id: string): string {
  return `calendar-${id}.sqlite`;
}

/** The id in a snapshot's file name; null if the name is not a snapshot's. */
export function idOfFile(name: string): string | null {
  return SNAPSHOT_FILE.exec(name)?.[1] ?? null;
}

export function idOfPath(path: string): string {
  return idOfFile(basename(path)) ?? basename(path);
}

/** J5: the name of a public edition; its id is made of its own bytes. */
export const PUBLIC_FILE = /^public-([0-9a-f]{16})\.sqlite$/;

export function publicFile(id: string): string {
  return `public-${id}.sqlite`;
}

/** Whether it is the name of a public edition or of its compressed copy. */
export function isPublicFile(name: string): boolean {
  return PUBLIC_FILE.test(withoutBr(name) ?? name);
}

export function compressedFile(id: string): string {
  return `${snapshotFile(id)}.br`;
}

/** The id in the name of a snapshot's compressed copy; null if the name is not one. */
export function idOfCompressed(name: string): string | null {
  const original = withoutBr(name);
  return original === null ? null : idOfFile(original);
}

/** The name of the file that a compressed copy is made of; null for any other name. */
function withoutBr(name: string): string | null {
  return name.endsWith('.br') ? name.slice(0, -'.br'.length) : null;
}

/**
 * The caller closes it. A link may lead out of the folder, and a pipe would block whatever opens it, even the end of the process: both
 * are refused. Throws SNAPSHOT_UNUSABLE for those, and the error of `open` for a missing file.
 */
export async function openRegular(path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(path, flags).catch((cause: unknown) => {
    const isOtherKind = OF_OTHER_KINDS.has(systemCodeOf(cause));
    throw isOtherKind ? notRegular(path, cause) : cause;
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw notRegular(path);
}

/** Error codes of opening a link, and a socket. */
const OF_OTHER_KINDS: ReadonlySet<string> = new Set(['ELOOP', 'EMLINK', 'ENXIO']);

function notRegular(path: string, cause?: unknown): CalendarError {
  return unusable(path, 'a file', 'something else', cause);
}

/** A file as it is at one moment. */
export interface FileStamp {
  /** Changes whenever the file is written to or replaced. For a file that cannot be read, the reason. */
  readonly text: string;
  /** Stays the same while the file is only written to; null for a file that cannot be read. */
  readonly inode: number | null;
}

export async function stampOf(path: string): Promise<FileStamp> {
  try {
    const { size, mtimeMs, ino } = await stat(path);
    return { text: `${size} ${mtimeMs} ${ino}`, inode: ino };
  } catch (cause) {
    return { text: messageOf(cause), inode: null };
  }
}

/**
 * Creates a folder, and those above it, unless they exist. Node's own recursive `mkdir` reports a read-only disk as a missing folder, and
 * tries for ever below `/proc`.
 */
export async function makeFolder(path: string, mode?: number): Promise<void> {
  try {
    await mkdir(path, mode);
  } catch (cause) {
    if (systemCodeOf(cause) === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const above = dirname(path);
    if (systemCodeOf(cause) !== 'ENOENT' || above === path) throw cause;
    await makeFolder(above, mode);
    await mkdir(path, mode).catch((second: unknown) => {
      // Another process was faster.
      if (systemCodeOf(second) !== 'EEXIST') throw second;
    });
  }
}
