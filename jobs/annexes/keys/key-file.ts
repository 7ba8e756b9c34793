/** Changes the key file of applications. */
import { replaceFile } from '../../../src/annexes/common/exclusive-file.ts';
import { type KeyEntry, readKeyFile } from '../../../src/annexes/common/keys.ts';
import { CalendarError, isCalendarError, messageOf } from '../../../src/calendar/errors.ts';
import { faultOf } from '../../machine-fault.ts';

/** Milliseconds after which the unfinished file of another change counts as left behind by a killed process. */
const STALE_MS = 10_000;

/** Returns the keys as changed. Of two concurrent changes, the second fails and neither is lost. Throws INVALID_SETTING and DISK_FULL. */
export async function changeKeyFile(
  path: string,
  now: Date,
  change: (keys: readonly KeyEntry[]) => readonly KeyEntry[],
): Promise<readonly KeyEntry[]> {
  let keys: readonly KeyEntry[] = [];
  const written = async () => {
    keys = change(await readKeyFile(path));
    return `${JSON.stringify({ keys }, null, 2)}\n`;
  };
  const isChanged = await replaceFile(path, { now: now.getTime(), staleMs: STALE_MS }, written).catch(
    (cause: unknown) => {
      if (isCalendarError(cause)) throw cause;
      throw diskFault(path, cause) ?? invalid(`${path}: ${WRITABLE}, found ${messageOf(cause)}`, cause);
    },
  );
  if (!isChanged) throw invalid(`${path}.next: ${UNDISTURBED}`);
  return keys;
}

const WRITABLE = 'expected a folder that this user may write to';
const UNDISTURBED = 'expected no other change in progress, found one; try again in a few seconds';

export function invalid(message: string, cause?: unknown): CalendarError {
  return new CalendarError('INVALID_SETTING', message, { cause });
}

/** DISK_FULL for an error of a full disk or quota; null for any other error. */
export function diskFault(path: string, cause: unknown): CalendarError | null {
  const fault = faultOf(path, cause);
  return isCalendarError(fault) && fault.code === 'DISK_FULL' ? fault : null;
}
