/** Dates in the native format (F4), as readers of feeds write them. Their days are `YYYY-MM-DD`, their times `HH:mm`. */
import { parseSourceDatetime } from '../../../src/calendar/input-datetime.ts';
import { DAY } from '../../../src/calendar/time.ts';

export interface DatedTime {
  readonly day: string;
  /** `24:00` is the midnight after. */
  readonly time: string;
  /** `Z` or `+02:00`; empty for Norwegian time. */
  readonly offset: string;
}

/** An end that may be a day alone, which is included. */
interface WrittenEnd extends Omit<DatedTime, 'time'> {
  readonly time: string | null;
}

/** A datetime of the native format. */
export function writtenAt({ day, time, offset }: DatedTime): string {
  const wall = time === '24:00' ? `${daysLater(day, 1)} 00:00` : `${day} ${time}`;
  return wall + offset;
}

/** In the native format; a day alone means the whole day (F4). */
export interface WrittenDate {
  readonly start: string;
  readonly end?: string;
  readonly duration?: number;
}

export interface WrittenRepeat extends WrittenDate {
  readonly rule: string;
  readonly except?: readonly string[];
}

/** The `expected` of a finding about an end that is dropped. */
export const A_LATER_END = 'an end that is not before the start';

/** From one day to the last, inclusive. A last day before the first is dropped; `onEarlierEnd` is called with it. */
export function wholeDays(
  day: string,
  last: string | null,
  onEarlierEnd: (end: string) => void,
): WrittenDate {
  if (last === null || last === day) return { start: day };
  if (last > day) return { start: day, end: last };
  onEarlierEnd(last);
  return { start: day };
}

/** From a datetime to an end. An end before the start is dropped; `onEarlierEnd` is called with it. */
export function timedDate(
  start: string,
  { day, time, offset }: WrittenEnd,
  onEarlierEnd: (end: string) => void,
): WrittenDate {
  const end = writtenAt({ day, time: time ?? '24:00', offset });
  const startInstant = instantAt(start);
  const endInstant = instantAt(end);
  if (endInstant > startInstant) return { start, end };
  if (endInstant < startInstant) onEarlierEnd(end);
  return { start };
}

/** The day that is that many days after another; before it if the number is negative. */
export function daysLater(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY * 1_000).toISOString().slice(0, 10);
}

/** The instant of a datetime of the native format; NaN for any other text. */
export function instantAt(written: string): number {
  return parseSourceDatetime(written)?.instant ?? Number.NaN;
}
