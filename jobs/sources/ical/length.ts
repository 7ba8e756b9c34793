import { DAY, instantIn, OPEN_ENDED } from '../../../src/calendar/time.ts';
import type { Moment } from './moments.ts';

/** From start to end: on the wall clock (DTEND), or days on the calendar and then seconds on a stopwatch (DURATION). */
export interface Length {
  readonly days: number;
  readonly seconds: number;
  readonly isElapsed: boolean;
}

/** The instant at which a date of that length ends; its start when it has no length. */
export function endInstant({ wall, zone }: Moment, length: Length | null): number {
  const { offsetAt } = zone;
  const start = instantIn(offsetAt, wall);
  if (length === null) return start;
  const { days, seconds, isElapsed } = length;
  if (isElapsed) return instantIn(offsetAt, wall + days * DAY) + seconds;
  // A start that a clock change moves forward may pass the end.
  return Math.max(start, instantIn(offsetAt, wall + days * DAY + seconds));
}

/** Seconds after its start at which a date of that length is over for certain, clock changes included. */
export function reachOf(length: Length | null): number {
  return length === null ? OPEN_ENDED : length.days * DAY + length.seconds + DAY;
}
