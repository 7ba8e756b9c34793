/**
 * G13: a build that is tried in a folder of its own. It begins with copies of the last snapshot and of the last records of feeds, so that its
 * result is that of the next build in the configured folder.
 */
import { constants } from 'node:fs';
import { copyFile, cp, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { CalendarError, isMissing } from '../../src/calendar/errors.ts';
import { MANIFEST, makeFolder } from '../../src/snapshot/files.ts';
import { parseManifest, readManifestText } from '../../src/snapshot/manifest.ts';

/** Creates the trial folder, and copies the last snapshot and the records of feeds into it. Throws INVALID_SETTING if it is the target itself. */
export async function beginTrial(trial: string, target: string): Promise<void> {
  if (await isSameFolder(trial, target)) {
    const expected = 'expected a separate folder';
    throw new CalendarError('INVALID_SETTING', `--trial: ${expected}, found the snapshot folder ${target}`);
  }
  await makeFolder(trial);
  await copyFeeds(target, trial);
  const text = await readManifestText(target);
  if (text === null) return;
  const { file } = parseManifest(text);
  await copyFile(join(target, file), join(trial, file), constants.COPYFILE_FICLONE);
  await copyFile(join(target, MANIFEST), join(trial, MANIFEST));
}

/** Copies the last good records of feeds, which are next to the snapshots. */
export async function copyFeeds(from: string, to: string): Promise<void> {
  await cp(join(from, FEEDS), join(to, FEEDS), { recursive: true }).catch((cause: unknown) => {
    if (!isMissing(cause)) throw cause;
  });
}

const FEEDS = 'feeds';

/** Whether two paths lead to one folder, through any links. */
export async function isSameFolder(left: string, right: string): Promise<boolean> {
  return (await realPath(resolve(left))) === (await realPath(resolve(right)));
}

/** The path without links, also of a file that does not exist yet. */
async function realPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (cause) {
    if (!isMissing(cause) || dirname(path) === path) throw cause;
    return join(await realPath(dirname(path)), basename(path));
  }
}
