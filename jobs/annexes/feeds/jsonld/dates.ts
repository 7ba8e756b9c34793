/** The date of a linked-data event, from its `startDate`, `endDate` and `duration`. */
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { DAY, formatWall, osloOffset } from '../../../../src/calendar/time.ts';
import { type Duration, readDuration } from '../ical/values.ts';
import { momentReader, type WrittenMoment } from '../moments.ts';
import {
  A_LATER_END,
  daysLater,
  instantAt,
  timedDate,
  type WrittenDate,
  wholeDays,
  writtenAt,
} from '../native-dates.ts';
import { textOf } from './linked-data.ts';

export type Note = (
  action: 'dropped record' | 'dropped date' | 'dropped series' | 'changed value',
  field: string,
  expected: string,
  found: unknown,
) => void;

/** ISO dates, and times of day. */
export const readIso = momentReader('YYYY-MM-DD');
export const A_DATE = 'a date or time such as 2027-02-14 or 2027-02-14T19:00:00+01:00';

export interface DayMoment extends WrittenMoment {
  readonly day: string;
}

/** Null for a missing value; a finding for an unreadable one. */
export function momentOf(value: unknown, field: string, note: Note | null): DayMoment | null {
  const text = textOf(value);
  if (text === null) return null;
  const moment = readIso(text.replace(ONE_DIGIT_OFFSET, '$10'));
  if (moment?.day != null && moment.until === null && moment.lastDay === null)
    return { ...moment, day: moment.day };
  note?.('changed value', field, A_DATE, value);
  return null;
}

/** Some write the offset's hour with one digit, which is not a valid time zone: `19:00:00+1:00`. */
const ONE_DIGIT_OFFSET = /(?<=:\d\d)([+-])(?=\d:\d\d$)/;

/** Null, after a finding, for an event without a readable start. */
export function dateOf({ startDate, endDate, duration }: JsonObject, note: Note): WrittenDate | null {
  const start = momentOf(startDate, 'startDate', null);
  if (start === null) {
    note('dropped date', 'startDate', A_DATE, startDate);
    return null;
  }
  const end = momentOf(endDate, 'endDate', note);
  const { day, time, offset } = start;
  const reportEnd = (last: string) => note('changed value', 'endDate', A_LATER_END, last);
  if (time === null) return wholeDays(day, lastDayOf(end), reportEnd);
  // Programs without all-day events write all hours of the day.
  if (time === '00:00' && end?.time === '23:59') return wholeDays(day, end.day, reportEnd);
  const at = writtenAt({ day, time, offset });
  if (end === null) return { start: at, ...lengthOf(duration, note) };
  return timedDate(at, end, () => note('changed value', 'endDate', A_LATER_END, endDate));
}

/** L2: a date is the last day itself; the midnight after a day belongs to the day. */
function lastDayOf(end: DayMoment | null): string | null {
  if (end === null || end.time !== '00:00') return end?.day ?? null;
  return daysLater(end.day, -1);
}

/** The length of a date as a native date has it: minutes. Nothing for a missing value and, after a finding, for an unreadable one. */
export function lengthOf(written: unknown, note: Note): { readonly duration?: number } {
  const read = durationOf(written, note);
  return read === null ? {} : { duration: Math.round((read.days * DAY + read.seconds) / 60) };
}

/** Null for a missing value; a finding for an unreadable one. */
export function durationOf(written: unknown, note: Note): Duration | null {
  const text = textOf(written);
  const read = text === null ? null : readDuration(text);
  if (text !== null && read === null)
    note('changed value', 'duration', 'a duration such as PT1H30M', written);
  return read;
}

/** The moment on Norway's clock, on which rules are expanded: in another zone's time they could fall on another day. */
export function inNorway(moment: DayMoment | null): DayMoment | null {
  if (moment === null || moment.time === null || moment.offset === '') return moment;
  const instant = instantAt(writtenAt({ ...moment, time: moment.time }));
  const [day = '', time = ''] = formatWall(instant + osloOffset(instant)).split(' ');
  return { day, time: time.slice(0, 5), offset: '', until: null, untilOffset: '', lastDay: null };
}
