/**
 * F14: a file that `sources.json` names, from the source folder or from a folder of the builder's settings. Whoever may edit the source
 * folder must not publish what else this user can read, such as keys.
 */
import { constants } from 'node:fs';
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, dirname, resolve } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { isMissing, readingFault } from '../../../src/calendar/errors.ts';
import { failureText } from '../../../src/calendar/failures.ts';
import { createNearest, withNearest } from '../../../src/calendar/nearest.ts';
import { isIn } from '../../source/source-files.ts';
import type { Feed } from './config.ts';
import { FeedProblem } from './feed-problem.ts';
import type { FetchContext } from './fetch.ts';

/** From one handle, and never more than the limit and a byte: the file may grow meanwhile. Throws FeedProblem. */
export async function readSourceFile(
  { file, limits }: Pick<Feed, 'file' | 'limits'>,
  { source, sourceFiles = [] }: Pick<FetchContext, 'source' | 'sourceFiles'>,
): Promise<Buffer> {
  const most = Math.floor(limits.bytes);
  const path = resolve(source, file ?? '');
  const folders = [resolve(source), ...sourceFiles];
  // Checked before any look-up: no message may reveal which other files exist.
  if (!isIn(folders, path)) throw outside(file);
  try {
    const handle = await openIn(path, folders);
    const bytes = handle === null ? null : await buffer(handle.createReadStream({ end: most }));
    if (bytes === null) throw outside(file);
    if (bytes.length <= most) return bytes;
    throw new FeedProblem('size limit', `${file}: ${failureText('tooLarge', { bytes: most })}`);
  } catch (cause) {
    if (cause instanceof FeedProblem) throw cause;
    throw new FeedProblem('file', await fileFault(path, file, cause), { cause });
  }
}

/** Null unless it is a regular file whose real path is inside one of the folders. */
async function openIn(path: string, folders: readonly string[]): Promise<FileHandle | null> {
  // A folder that cannot be resolved allows nothing that has a real path.
  const allowed = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)));
  // Opening a device may have effects, and opening a pipe waits for a writer.
  const isThere = async () => isIn(allowed, await realpath(path)) && (await stat(path)).isFile();
  if (!(await isThere())) return null;
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  // A link may have been put in its place meanwhile.
  const [opened, named] = await Promise.all([handle.stat(), stat(await realpath(path))]);
  if (opened.ino === named.ino && opened.dev === named.dev && (await isThere())) return handle;
  await handle.close();
  return null;
}

function outside(file: string | null): FeedProblem {
  const expected = 'expected a regular file in the source folder, or in a folder of ALMANAKK_SOURCE_FILES';
  return new FeedProblem('file', `${file}: ${expected}, found something else`);
}

/** With the nearest name in its folder, if the file is not there. */
async function fileFault(path: string, file: string | null, cause: unknown): Promise<string> {
  const fault = `${file}: ${readingFault(cause)}`;
  if (!isMissing(cause)) return fault;
  // Without the names, the fault is still to be reported.
  const names = await readdir(dirname(path)).catch(() => []);
  return withNearest(fault, createNearest(names, (name) => [name])(basename(path)));
}
