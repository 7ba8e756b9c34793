/** A file that several processes change, and that others may read at any time. */
import { mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemCodeOf } from '../../calendar/errors.ts';

interface Moment {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Milliseconds after which an unfinished change must have died. */
  readonly staleMs: number;
}

/**
 * Replaces the file by the result of `change`, in one rename: readers see the old or the new text. The temporary file is created
 * exclusively, so that it is the lock, too. Returns false, and changes nothing, while another process is changing the file.
 */
export async function replaceFile(
  path: string,
  { now, staleMs }: Moment,
  change: () => Promise<string>,
): Promise<boolean> {
  const beside = `${path}.next`;
  await mkdir(dirname(path), { recursive: true });
  const left = await stat(beside).catch(() => null);
  if (left !== null && now - left.mtimeMs > staleMs) await rm(beside, { force: true });
  // Both files may contain mail addresses.
  const file = await open(beside, 'wx', 0o600).catch((cause: unknown) => {
    if (systemCodeOf(cause) === 'EEXIST') return null;
    throw cause;
  });
  if (file === null) return false;
  try {
    await file.writeFile(await change());
    await file.sync();
    await file.close();
    await rename(beside, path);
  } catch (cause) {
    await file.close().catch(() => undefined);
    await rm(beside, { force: true });
    throw cause;
  }
  const folder = await open(dirname(path));
  await folder.sync().finally(() => folder.close());
  return true;
}
