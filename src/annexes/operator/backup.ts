/** The backups of this machine, as the file that each of them touches shows them. */
import { stat } from 'node:fs/promises';

export interface BackupHealth {
  /** When the last backup was made, ISO 8601; null if the file is not there. */
  readonly lastAt: string | null;
  readonly isOld: boolean;
}

/** A night and two hours. */
const OLD_MS = 26 * 3_600_000;

/** `mark`: the path of the file; without one, there is nothing to know. `now`: milliseconds since 1970. */
export async function readBackup(mark: string | null, now: number): Promise<BackupHealth | null> {
  if (mark === null) return null;
  const found = await stat(mark).catch(() => null);
  return {
    lastAt: found === null ? null : found.mtime.toISOString(),
    isOld: found === null || now - found.mtimeMs > OLD_MS,
  };
}
