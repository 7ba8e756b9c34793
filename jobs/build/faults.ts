/** Faults of the machine and of the source that a build can meet, as refusals that say what to do. */
import { CalendarError, isCalendarError, messageOf } from '../../src/calendar/errors.ts';

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'see that this user may write to the folder',
  EDQUOT: "make room in this user's quota",
  EFBIG: 'raise the limit on the size of files',
  EIO: 'see that the disk is sound',
  EMFILE: 'raise the limit on open files',
  ENFILE: 'raise the limit on open files',
  ENOENT: 'see that nobody removes the folder during a build',
  ENOSPC: 'make room on this disk',
  ENOTDIR: 'name a folder',
  EEXIST: 'name a folder',
  EPERM: 'see that this user may write to the folder',
  EROFS: 'see that the folder may be written to',
};

/** What is to be thrown in place of the cause: itself when it is no fault of the machine. */
export function faultOf(folder: string, cause: unknown): unknown {
  if (isCalendarError(cause) || !(cause instanceof Error) || !('code' in cause)) return cause;
  const advice = ADVICE[String(cause.code)];
  if (advice === undefined) return cause;
  return new CalendarError('BUILD_REFUSED', `${folder}: ${messageOf(cause)}: ${advice}`, { cause });
}

/** The same for what is wrong with a source as a whole: its files are named where they are read, and its folder here. */
export function sourceFaultOf(folder: string, cause: unknown): unknown {
  if (!isCalendarError(cause) || cause.code !== 'INVALID_SOURCE') return cause;
  const message = `${cause.message}; look at the source in ${folder}, then build again`;
  return new CalendarError('INVALID_SOURCE', message, { cause });
}
