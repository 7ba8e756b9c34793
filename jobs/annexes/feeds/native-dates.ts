/** Dates in the native format (F4), as readers of feeds write them. */
import { parseSourceDatetime } from '../../../src/calendar/input-datetime.ts';
import { DAY } from '../../../src/calendar/time.ts';
import type { WrittenMoment } from './moments.ts';

export interface DatedTime {
  readonly day: string;
  /** `24:00` is the midnight after. */
  readonly time: string;
  readonly offset: string;
}

/** A datetime of the native format. */
export function writtenAt({ day, time, offset }: DatedTime): string {
  return `${time === '24:00' ? `${daysLater(day, 1)} 00:00` : `${day} ${time}`}${offset}`;
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

/** From one day to the last, inclusive; a last day before the first is dropped, and `onEarlier` called with it. */
export function wholeDays(day: string, last: string | null, onEarlier: (last: string) => void): WrittenDate {
  if (last === null || last === day) return { start: day };
  if (last > day) return { start: day, end: last };
  onEarlier(last);
  return { start: day };
}

/** Up to an end that may be a day alone, which is included; `onEarlier` is called for one that is before the start. */
export function timedDate(
  start: string,
  { day, time, offset }: Omit<DatedTime, 'time'> & Pick<WrittenMoment, 'time'>,
  onEarlier: () => void,
): WrittenDate {
  const end = writtenAt({ day, time: time ?? '24:00', offset });
  const length = instantAt(end) - instantAt(start);
  if (length < 0) onEarlier();
  return length > 0 ? { start, end } : { start };
}

export function daysLater(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * DAY * 1_000).toISOString().slice(0, 10);
}

/** The instant of a datetime of the native format. */
export function instantAt(written: string): number {
  return parseSourceDatetime(written)?.instant ?? Number.NaN;
}
