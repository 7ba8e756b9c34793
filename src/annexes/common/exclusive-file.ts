/** A file that several processes change, and that others may read at any time. */
import { type FileHandle, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../calendar/errors.ts';
import { makeFolder } from '../../snapshot/files.ts';

interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds after which an unfinished change counts as left behind by a killed process. */
  readonly staleMs: number;
}

/**
 * Replaces the file by the result of `change`, in one rename: readers see the old or the new text. The temporary file is created
 * exclusively, so that it is the lock, too. Returns false, and changes nothing, while another process is changing the file, and also if
 * the change took so long that another process took over.
 *
 * One case remains between the check and the rename, two system calls: if another process takes over just there, its unfinished file is
 * renamed, the earlier change is lost, and readers may see half a text for a moment. It takes a process that stopped for `staleMs`, or
 * two that clear away the same leftover. Readers keep what they have read before while a text is not complete.
 */
export async function replaceFile(
  path: string,
  { now, staleMs }: Moment,
  change: () => Promise<string>,
): Promise<boolean> {
  const temporary = `${path}.next`;
  await makeFolder(dirname(path));
  const leftover = await stat(temporary).catch(() => null);
  if (leftover !== null && now - leftover.mtimeMs > staleMs) await rm(temporary, { force: true });
  // Both files may contain mail addresses.
  const file = await open(temporary, 'wx', 0o600).catch((cause: unknown) => {
    if (systemCodeOf(cause) === 'EEXIST') return null;
    throw cause;
  });
  if (file === null) return false;
  try {
    await file.writeFile(await change());
    await file.sync();
    if (!(await isStillAt(temporary, file))) return false;
    await rename(temporary, path);
  } catch (cause) {
    if (await isStillAt(temporary, file)) await rm(temporary, { force: true });
    throw cause;
  } finally {
    await file.close();
  }
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
  return true;
}

/** Whether the path still leads to the open file: a process that took this one for dead has put its own there. */
async function isStillAt(path: string, file: FileHandle): Promise<boolean> {
  const [own, found] = await Promise.all([file.stat(), stat(path).catch(() => null)]);
  return found !== null && found.ino === own.ino && found.dev === own.dev;
}
