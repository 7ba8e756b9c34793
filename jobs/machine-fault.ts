/** Faults of the machine, such as a full disk, with advice for operators. */
import { CalendarError, isCalendarError, messageOf, systemCodeOf } from '../src/calendar/errors.ts';

/** An error of the machine during work in a folder, with advice; any other error unchanged. */
export function faultOf(folder: string, cause: unknown): unknown {
  if (isCalendarError(cause)) return cause;
  const systemCode = systemCodeOf(cause);
  const advice = ADVICE[systemCode];
  if (advice === undefined) return cause;
  const code = FULL.has(systemCode) ? 'DISK_FULL' : 'BUILD_REFUSED';
  return new CalendarError(code, `${folder}: ${messageOf(cause)}: ${advice}`, { cause });
}

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'make sure that this user may write to the folder',
  EDQUOT: "free some space in this user's quota",
  EFBIG: 'raise the limit on the size of files',
  EIO: 'check the disk for errors',
  EMFILE: 'raise the limit on open files',
  ENFILE: 'raise the limit on open files',
  ENOENT: 'make sure that the folder is not removed during a build',
  ENOSPC: 'free some space on this disk',
  ENOTDIR: 'name a folder',
  EEXIST: 'name a folder',
  EPERM: 'make sure that this user may write to the folder',
  EROFS: 'make sure that the folder is writable',
};
