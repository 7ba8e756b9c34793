/** RRULE values as feeds write them, made ready for the one reader of rules that there is. */
import { formatWall, type OffsetAt, parseInputDatetime } from '../../../src/calendar/time.ts';

/**
 * The rule with an UNTIL in UTC as the reading of the clock on which it is expanded, and without the parts of RFC 7529 that
 * only say what is so anyway.
 */
export function ruleOnClock(written: string, offsetAt: OffsetAt): string {
  return written
    .trim()
    .split(';')
    .filter((part) => part !== '' && !IS_SO_ANYWAY.test(part.trim()))
    .map((part) => part.trim().replace(UNTIL, (whole, ...digits) => untilOn(offsetAt, digits) ?? whole))
    .join(';');
}

const IS_SO_ANYWAY = /^(?:RSCALE=GREGORIAN|SKIP=OMIT)$/i;
const UNTIL = /^UNTIL=(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/i;

function untilOn(
  offsetAt: OffsetAt,
  [year, month, day, hour, minute, second]: readonly string[],
): string | null {
  const instant = parseInputDatetime(`${year}-${month}-${day} ${hour}:${minute}:${second}Z`);
  return instant === null ? null : `UNTIL=${basicWall(instant + offsetAt(instant))}`;
}

/** `YYYYMMDDTHHMMSS` of a wall clock reading. */
function basicWall(wall: number): string {
  return formatWall(wall).replace(/[-:]/g, '').replace(' ', 'T');
}
