/** Disk space of a snapshot folder: errors say how much is needed and how much is free. */
import { statfs } from 'node:fs/promises';
import { CalendarError, isCalendarError } from '../../src/calendar/errors.ts';
import { failureText } from '../../src/calendar/failures.ts';
import { type Manifest, parseManifest, readManifestText } from '../../src/snapshot/manifest.ts';

/** Throws DISK_FULL, with the number of missing bytes, if a folder's disk has no room for as many bytes. */
export async function expectRoom(folder: string, bytes: number): Promise<void> {
  const free = await freeBytesIn(folder);
  if (bytes > free) throw lackOf(folder, { bytes, free });
}

export async function hasRoom(folder: string, bytes: number): Promise<boolean> {
  return bytes <= (await freeBytesIn(folder));
}

/** Bytes that this user may still write to a folder's disk. */
export async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/**
 * Adds the number of missing bytes to the fault of a build for which there was no room. A build needs as much room as the snapshot before,
 * which it does not replace; its own unfinished files have been removed by now. Returns any other fault unchanged, and that of a first build.
 */
export async function roomFaultOf(folder: string, fault: unknown): Promise<unknown> {
  if (!isCalendarError(fault) || fault.code !== 'DISK_FULL') return fault;
  try {
    const text = await readManifestText(folder);
    const bytes = text === null ? 0 : bytesOf(parseManifest(text));
    const free = await freeBytesIn(folder);
    return bytes > free ? lackOf(folder, { bytes, free, cause: fault }) : fault;
  } catch {
    return fault;
  }
}

/** The snapshot and the public edition, each with its compressed copy, and the texts that a build puts aside. */
function bytesOf({ bytes, compressed, public: edition }: Manifest): number {
  const copies = [compressed?.bytes, edition?.bytes, edition?.compressed?.bytes];
  return copies.reduce<number>((sum, more = 0) => sum + more, 2 * bytes);
}

interface Lack {
  /** Bytes that are needed, and those that there are. */
  readonly bytes: number;
  readonly free: number;
  readonly cause?: unknown;
}

function lackOf(folder: string, { bytes, free, cause }: Lack): CalendarError {
  const message = failureText('noRoom', { folder, bytes, free, missing: bytes - free });
  return new CalendarError('DISK_FULL', `${message}: free some space on this disk`, { cause });
}
