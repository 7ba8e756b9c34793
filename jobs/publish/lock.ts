/**
 * One build at a time in a folder (G6). The lock is the operating system's, taken through SQLite: it ends with the process that holds it, however
 * that dies, so no lock is ever stale. A note next to it says who holds it.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { CalendarError, isCalendarError } from '../../src/calendar/errors.ts';
import { LOCK } from '../../src/snapshot/files.ts';
import { openWriter, type Writer } from '../../src/snapshot/sqlite.ts';

interface LockOptions {
  /** Seconds to wait for another build to end; none by default. */
  readonly wait?: number;
  /** What runs under the lock, for the message; a build by default. */
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
    await acquire(lock, folder, { wait, what });
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

/** Throws BUILD_LOCKED if another process has the lock for longer than `wait` seconds. */
async function acquire(lock: Writer, folder: string, { wait, what }: Required<LockOptions>): Promise<void> {
  try {
    await lock.exec(`pragma busy_timeout = ${Math.round(wait * 1000)}; begin exclusive`);
  } catch (cause) {
    if (!isCalendarError(cause) || cause.code !== 'BUILD_LOCKED') throw cause;
    const holder = await holderOf(folder);
    const running = wait > 0 ? `still running there after ${wait} s` : 'already running there';
    const message = `${folder}: ${what} is ${running} (${holder}): start again when it has finished`;
    throw new CalendarError('BUILD_LOCKED', message, { cause });
  }
}

/**
 * The process that holds the lock, in words. It may not have written its note yet. Until it has, the note of a killed process is read in its
 * place.
 */
async function holderOf(folder: string): Promise<string> {
  const note = await readFile(noteIn(folder), 'utf8').catch(() => '');
  return note === '' ? 'another process' : note;
}

function noteIn(folder: string): string {
  return join(folder, `${LOCK}-holder`);
}
