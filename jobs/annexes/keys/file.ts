/** Changes of the key file, which servers may read at any time. */
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type KeyEntry, readKeyFile } from '../../../src/annexes/common/keys.ts';
import { CalendarError, messageOf } from '../../../src/calendar/errors.ts';

/**
 * Replaces the file by the result of `change`, in one rename: readers see the old or the new one. The temporary file is created
 * exclusively, so that of two concurrent changes the second fails and neither is lost.
 */
export async function changeKeyFile(path: string, now: Date, change: ChangeKeys): Promise<void> {
  const beside = `${path}.next`;
  await mkdir(dirname(path), { recursive: true }).catch((cause: unknown) => {
    throw cannotWrite(path, cause);
  });
  await removeStale(beside, now);
  // It contains mail addresses.
  const file = await open(beside, 'wx', 0o600).catch((cause: unknown) => {
    throw isThere(cause) ? invalid(beside, CHANGING, cause) : cannotWrite(path, cause);
  });
  try {
    const keys = change(await readKeyFile(path));
    await file.writeFile(`${JSON.stringify({ keys }, null, 2)}\n`);
    await file.sync();
    await file.close();
    await rename(beside, path);
    await syncFolder(dirname(path));
  } catch (cause) {
    await file.close().catch(() => undefined);
    await rm(beside, { force: true });
    throw cause;
  }
}

const CHANGING = 'expected no other change under way, found one; try again in a few seconds';

function cannotWrite(path: string, cause: unknown): CalendarError {
  return invalid(path, `expected a folder that this user may write to, found ${messageOf(cause)}`, cause);
}

function isThere(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
}

type ChangeKeys = (keys: readonly KeyEntry[]) => readonly KeyEntry[];

/** Milliseconds after which an unfinished change must have died. */
const STALE = 10_000;

async function removeStale(beside: string, now: Date): Promise<void> {
  const found = await stat(beside).catch(() => undefined);
  if (found !== undefined && now.getTime() - found.mtimeMs > STALE) await rm(beside, { force: true });
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function invalid(path: string, message: string, cause?: unknown): CalendarError {
  return new CalendarError('INVALID_SETTING', `${path}: ${message}`, { cause });
}
