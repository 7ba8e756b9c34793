/** H14: builds into a folder are paused after an older snapshot was put back: the next build would replace it at once. */
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CalendarError, isMissing } from '../../src/calendar/errors.ts';
import { commandLine } from '../../src/package.ts';
import { unfinishedPath } from './unfinished.ts';

/** The file that pauses builds. Its text says why. */
const HOLD = '.held';

/** Pauses builds into a folder. `why`: for the message of a refused build. Returns the function that undoes this. */
export async function holdBuilds(folder: string, why: string): Promise<() => Promise<void>> {
  const before = await reasonIn(folder);
  await writeReason(folder, why);
  return () => (before === null ? releaseBuilds(folder) : writeReason(folder, before));
}

/** A full disk leaves the reason as it was. The next build, or the end of this command, removes the unfinished file. */
async function writeReason(folder: string, why: string): Promise<void> {
  const draft = unfinishedPath(folder, HOLD);
  await writeFile(draft, why, { flush: true });
  await rename(draft, join(folder, HOLD));
}

/** Resumes builds. Does nothing if they are not paused. */
export async function releaseBuilds(folder: string): Promise<void> {
  await rm(join(folder, HOLD), { force: true });
}

/** Throws BUILD_REFUSED while builds are paused. */
export async function refuseHeld(folder: string): Promise<void> {
  const why = await reasonIn(folder);
  if (why === null) return;
  const message = `${folder}: Builds are paused: ${why}. "${commandLine('restore', '--resume')}" resumes them`;
  throw new CalendarError('BUILD_REFUSED', message);
}

/** Why builds are paused; null if they are not. */
async function reasonIn(folder: string): Promise<string | null> {
  return readFile(join(folder, HOLD), 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return null;
    throw cause;
  });
}
