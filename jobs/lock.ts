/**
 * One build at a time in a folder (G6). The lock is the operating system's, taken through SQLite: it ends with the process that holds it, however that dies, so there is no
 * such thing as a stale one. A note beside it says who holds it.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CalendarError, isCalendarError, isMissing, messageOf } from '../src/calendar/errors.ts';
import { commandLine } from '../src/package.ts';
import { LOCK } from '../src/snapshot/files.ts';
import { openWriter, type Writer } from '../src/snapshot/sqlite.ts';

interface LockOptions {
  /** Seconds to wait for another build to end; none by default. */
  readonly wait?: number;
  /** The holder, for the message; a build by default. */
  readonly what?: string;
}

/** Runs `work` while no other process builds into the folder. Throws BUILD_LOCKED, naming the holder, if the wait is too long. */
export async function withLock<T>(
  folder: string,
  work: () => Promise<T>,
  { wait = 0, what = 'a build' }: LockOptions = {},
): Promise<T> {
  // No other code may open this file: closing any handle to it would release the lock of the whole process (POSIX).
  const lock = await openWriter(join(folder, LOCK));
  try {
    await take(lock, folder, { wait, what });
    try {
      await writeFile(noteIn(folder), `process ${process.pid} on ${hostname()}`);
      return await work();
    } finally {
      await rm(noteIn(folder), { force: true });
    }
  } finally {
    await lock.close();
  }
}

async function take(lock: Writer, folder: string, { wait, what }: Required<LockOptions>): Promise<void> {
  try {
    await lock.exec(`pragma busy_timeout = ${Math.round(wait * 1000)}; begin exclusive`);
  } catch (cause) {
    if (!isCalendarError(cause) || cause.code !== 'BUILD_LOCKED') throw cause;
    const holder = await holderOf(folder);
    const waited = wait > 0 ? ` after ${wait} s` : '';
    const message = `${folder}: ${what} is at work there${waited} (${holder}): start again when it is done`;
    throw new CalendarError('BUILD_LOCKED', message, { cause });
  }
}

/** A process that has just taken the lock may not have written its note yet. */
async function holderOf(folder: string): Promise<string> {
  const note = await readFile(noteIn(folder), 'utf8').catch(() => '');
  return note === '' ? 'another process' : note;
}

function noteIn(folder: string): string {
  return join(folder, `${LOCK}-holder`);
}

/** An error of the machine during work in a folder, with advice; any other error unchanged. */
export function faultOf(folder: string, cause: unknown): unknown {
  if (isCalendarError(cause) || !(cause instanceof Error) || !('code' in cause)) return cause;
  const advice = ADVICE[String(cause.code)];
  if (advice === undefined) return cause;
  const code = FULL.has(cause.code) ? 'DISK_FULL' : 'BUILD_REFUSED';
  return new CalendarError(code, `${folder}: ${messageOf(cause)}: ${advice}`, { cause });
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT']);

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'see that this user may write to the folder',
  EDQUOT: "make room in this user's quota",
  EFBIG: 'raise the limit on the size of files',
  EIO: 'see that the disk is sound',
  EMFILE: 'raise the limit on open files',
  ENFILE: 'raise the limit on open files',
  ENOENT: 'make sure that the folder is not removed during a build',
  ENOSPC: 'make room on this disk',
  ENOTDIR: 'name a folder',
  EEXIST: 'name a folder',
  EPERM: 'see that this user may write to the folder',
  EROFS: 'see that the folder may be written to',
};

// H14: a folder holds builds after an older snapshot was put back.

/** Its text says why. */
const HOLD = '.held';

export async function holdBuilds(folder: string, why: string): Promise<void> {
  await writeFile(join(folder, HOLD), why, { flush: true });
}

export async function releaseBuilds(folder: string): Promise<void> {
  await rm(join(folder, HOLD), { force: true });
}

/** Throws BUILD_REFUSED. */
export async function refuseHeld(folder: string): Promise<void> {
  const why = await readFile(join(folder, HOLD), 'utf8').catch((cause: unknown) => {
    if (isMissing(cause)) return null;
    throw cause;
  });
  if (why === null) return;
  const message = `${folder}: Builds are paused: ${why}. "${commandLine('restore', '--resume')}" resumes them`;
  throw new CalendarError('BUILD_REFUSED', message);
}
