/** The dates of a row in the native format: its days and times of day, each with its end, and the rule by which they repeat. */
import { parseSourceDatetime } from '../../../../src/calendar/input-datetime.ts';
import { formatWall, instantIn, type OffsetAt } from '../../../../src/calendar/time.ts';
import { hasNorwaysClock } from '../../../recurrence/clocks.ts';
import type { WrittenMoment } from '../moments.ts';
import {
  A_LATER_END,
  type DatedTime,
  daysLater,
  timedDate,
  type WrittenDate,
  wholeDays,
  writtenAt,
} from '../native-dates.ts';
import type { TableField } from '../table-fields.ts';
import { cellAs, DURATION, FLAG } from './cells.ts';
import type { RowCells, RowDates } from './row.ts';
import { A_TIME, daysOfRow, formOfDates, type TimedDay } from './row-days.ts';
import { withRule } from './row-rule.ts';

/** Null, after a finding, for a row whose day cannot be read. */
export function datesOfRow(reading: RowCells): RowDates | null {
  const days = daysOfRow(reading);
  if (days === null) return null;
  const ownEnd = endInColumns(reading, days.length > 1);
  const reportEnd = (expected: string) => reading.reportCell(fieldOfEnd(reading), expected);
  const isAllDay = cellAs('allDay', reading, FLAG) === true;
  const dates = days.map((timedDay) => {
    const { day, timing } = timedDay;
    const end = endOf(timedDay, ownEnd);
    if (isAllDay) return allDayDate(day, lastDayOf(end), reportEnd);
    if (timing.time === null) return allDayDate(day, end, reportEnd);
    return dateWithTime({ ...timing, day, time: timing.time }, end, reportEnd);
  });
  const clock = clockOf(reading);
  return withRule(clock === null ? dates : dates.map((date) => onClock(date, clock)), clock, reading);
}

/** The clock of the row's times; null for Norway's. */
function clockOf({ cell, reportCell, feed, zones, now }: RowCells): OffsetAt | null {
  const name = cell('timeZone') || feed.timeZone;
  if (!name) return null;
  const zone = zones.find(name);
  if (zone === null) reportCell('timeZone', 'a time zone such as Europe/Oslo (read as Norwegian time)');
  return zone === null || hasNorwaysClock(zone.offsetAt, now) ? null : zone.offsetAt;
}

/** Times as readings of that clock, in UTC. Days, and times with an offset, stay as they are. */
function onClock({ start, end, ...date }: WrittenDate, clock: OffsetAt): WrittenDate {
  const inUtc = (written: string) => {
    const wall = parseSourceDatetime(written)?.wall;
    const isReading = /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(written) && wall !== undefined;
    return isReading ? `${formatWall(instantIn(clock, wall))}Z` : written;
  };
  const dateInUtc = { ...date, start: inUtc(start) };
  return end === undefined ? dateInUtc : { ...dateInUtc, end: inUtc(end) };
}

/** The end of a date, as far as the row gives it. */
interface End {
  readonly day: string | null;
  readonly time: string | null;
  /** The time's offset from UTC, as written; empty for none. */
  readonly offset: string;
  /** Minutes. */
  readonly duration: number | undefined;
}

/** The end in its own columns; in a row with several dates it can only be a time of day. */
function endInColumns(reading: RowCells, hasSeveralDates: boolean): End {
  const aDate = formOfDates(reading);
  const end = momentIn('end', aDate, reading);
  const endTime = momentIn('endTime', A_TIME, reading);
  const endDate = momentIn('endDate', aDate, reading);
  const { time, offset } = [end, endTime, endDate].find((moment) => moment.time !== null) ?? NOTHING;
  const day = end.day ?? endDate.day;
  if (day !== null && hasSeveralDates)
    reading.reportCell(fieldOfEnd(reading), 'a time of day, because the row has several dates');
  const duration = cellAs('duration', reading, DURATION);
  return { day: hasSeveralDates ? null : day, time, offset, duration };
}

/** The moment in a cell; nothing for a blank one and, after a finding, for an unreadable one. */
function momentIn(field: TableField, expected: string, { cell, read, reportCell }: RowCells): WrittenMoment {
  if (cell(field) === '') return NOTHING;
  const moment = read(cell(field));
  if (moment === null) reportCell(field, expected);
  return moment ?? NOTHING;
}

const NOTHING: WrittenMoment = {
  day: null,
  time: null,
  offset: '',
  until: null,
  untilOffset: '',
  lastDay: null,
};

/** The column that a finding about the end names. */
function fieldOfEnd({ cell }: RowCells): TableField {
  return END_FIELDS.find((field) => cell(field) !== '') ?? 'start';
}

const END_FIELDS = ['end', 'endDate', 'endTime', 'start', 'date'] as const;

/** The end in its own columns takes precedence over that in the cell of the start; an offset belongs to its time. */
function endOf({ timing, lastDay }: TimedDay, ownEnd: End): End {
  const day = ownEnd.day ?? lastDay;
  if (ownEnd.time !== null) return { ...ownEnd, day };
  return { ...ownEnd, day, time: timing.until, offset: timing.untilOffset };
}

/** The end of a whole day, without its time. Calendar programs end a whole day at the following midnight. */
function lastDayOf(end: End): End {
  const day = end.time === '00:00' && end.day !== null ? daysLater(end.day, -1) : end.day;
  return { ...end, day, time: null };
}

/** Reports the row's end; `expected` belongs to the finding. */
type ReportEnd = (expected: string) => void;

function allDayDate(day: string, { day: last, time }: End, reportEnd: ReportEnd): WrittenDate {
  if (time !== null) reportEnd('a time of day at the start, too');
  return wholeDays(day, last, () => reportEnd(A_LATER_END));
}

function dateWithTime(moment: DatedTime, end: End, reportEnd: ReportEnd): WrittenDate {
  const start = writtenAt(moment);
  const { duration } = end;
  const hasEnd = end.time !== null || (end.day !== null && end.day !== moment.day);
  if (!hasEnd) return duration === undefined ? { start } : { start, duration };
  // F4: a last day is included. An end at an earlier time of day than the start is on the next day.
  const isPastMidnight = end.time !== null && end.time < moment.time;
  const day = end.day ?? (isPastMidnight ? daysLater(moment.day, 1) : moment.day);
  return timedDate(start, { ...end, day }, () => reportEnd(A_LATER_END));
}
