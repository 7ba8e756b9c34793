/** F4: the datetimes, days and times of day of a native source, as its records write them. */
import * as z from 'zod';
import {
  parseMinute,
  parseSourceDatetime,
  parseSourceDay,
  type SourceDatetime,
} from '../../src/calendar/input-datetime.ts';
import { DAY, startOfDay } from '../../src/calendar/time.ts';
import { paramsOfDate } from './salvage.ts';

const DATETIME = 'a datetime such as "2026-05-17 19:30"';
const DATETIME_OR_DATE = 'a datetime such as "2026-05-17 19:30" or a date such as "2026-05-17"';
export const datetime = timeReadBy(parseSourceDatetime, DATETIME);

/** F4: the begin or end of a date: a datetime, or the midnight with which a day begins. */
export interface SourceMoment extends SourceDatetime {
  readonly isDay: boolean;
}

export const moment = timeReadBy(readMoment, DATETIME_OR_DATE);

function timeReadBy<Time extends SourceDatetime>(read: (written: string) => Time | null, expected: string) {
  return z.string(expected).transform((written, context): Time => {
    const time = read(written);
    if (time !== null && isWithinTime(time.instant)) return time;
    const iso = isoOf(written);
    const params = iso !== null && read(iso) !== null ? paramsOfDate(iso) : {};
    context.issues.push({ code: 'custom', message: expected, input: written, params });
    return z.NEVER;
  });
}

/** As tables have it: `13.12.2026 18:00` or `13.12.2026 kl. 18.00`. */
const NORWEGIAN = /^(\d{1,2})\.(\d{1,2})\.(\d{4})(?:,? (?:kl\.? )?(\d{1,2})[.:](\d\d))?$/;

/** F4: the same in the native form; null for any other text. */
function isoOf(written: string): string | null {
  const [, day = '', month = '', year = '', hour, minute = ''] = NORWEGIAN.exec(written.trim()) ?? [];
  if (day === '') return null;
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  return hour === undefined ? date : `${date} ${hour.padStart(2, '0')}:${minute}`;
}

function readMoment(written: string): SourceMoment | null {
  const day = parseSourceDay(written);
  if (day !== null) return { instant: startOfDay(day), wall: day * DAY, isDay: true };
  const read = parseSourceDatetime(written);
  return read && { instant: read.instant, wall: read.wall, isDay: false };
}

const TIME_OF_DAY = 'a time of day such as "19:30"';
export const timeOfDay = z
  .string(TIME_OF_DAY)
  .refine((written) => parseMinute(written) !== null, TIME_OF_DAY);

/** One day inside of the years that four digits can express, so that any zone's reading has such a year too. */
const EARLIEST = Date.parse('0001-01-02T00:00:00Z') / 1000;
const LATEST = Date.parse('9999-12-30T00:00:00Z') / 1000;

export function isWithinTime(instant: number): boolean {
  return instant >= EARLIEST && instant < LATEST;
}
