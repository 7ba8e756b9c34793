/** The disk of the snapshot folder. */
import { stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { isMissing, messageOf } from '../../calendar/errors.ts';
import { snapshotFile } from '../../snapshot/files.ts';
import type { Snapshot } from '../../snapshot/open.ts';

export interface DiskHealth {
  /** Room for users without special rights. */
  readonly freeBytes: number;
  /** The size of the snapshot's file; null if it is not there. */
  readonly fileBytes: number | null;
  readonly isNearlyFull: boolean;
}

/** Null for a folder that is not there yet. Throws if the system cannot say. */
export async function readDisk(
  folder: string,
  snapshot: Pick<Snapshot, 'id'> | null,
): Promise<DiskHealth | null> {
  const found = await statfs(folder).catch((cause) => nullIfMissing(cause, folder));
  if (found === null) return null;
  const freeBytes = found.bavail * found.bsize;
  const fileBytes = await fileBytesOf(snapshot, folder);
  return { freeBytes, fileBytes, isNearlyFull: isNearlyFull(freeBytes, fileBytes) };
}

/** Logs and backups are often on the same disk. */
const LEAST_BYTES = 500 * 1_024 * 1_024;
/** A build writes a file, a compressed copy, and often both again as the public edition. */
const LEAST_FILES = 3;

/** H12: whether there is hardly room for more snapshots. docs/alerts.yml has the same bounds. */
export function isNearlyFull(freeBytes: number, fileBytes: number | null): boolean {
  return freeBytes < Math.max(LEAST_BYTES, LEAST_FILES * (fileBytes ?? 0));
}

async function fileBytesOf(snapshot: Pick<Snapshot, 'id'> | null, folder: string): Promise<number | null> {
  if (snapshot === null) return null;
  const path = join(folder, snapshotFile(snapshot.id));
  const found = await stat(path).catch((cause) => nullIfMissing(cause, path));
  return found === null ? null : found.size;
}

function nullIfMissing(cause: unknown, path: string): null {
  if (isMissing(cause)) return null;
  throw new Error(
    `${path}: expected to read its size and the free space on its disk, found ${messageOf(cause)}`,
    { cause },
  );
}
