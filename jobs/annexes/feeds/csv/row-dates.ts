/** The dates of a row's event: its days, each with its times, and the rule by which they repeat. */

import { parseSourceDatetime } from '../../../../src/calendar/input-datetime.ts';
import { formatWall, instantIn, type OffsetAt } from '../../../../src/calendar/time.ts';
import { hasNorwaysClock } from '../../../recurrence/clocks.ts';
import { isFlaw, readRule } from '../../../recurrence/rule.ts';
import type { ParsedFeed } from '../config.ts';
import type { Zones } from '../ical/zones.ts';
import { MOST_DATES, readList } from '../moment-lists.ts';
import type { ReadMoment, WrittenMoment } from '../moments.ts';
import {
  A_LATER_END,
  type DatedTime,
  daysLater,
  timedDate,
  type WrittenDate,
  type WrittenRepeat,
  wholeDays,
  writtenAt,
} from '../native-dates.ts';
import type { TableField as Field } from '../table-fields.ts';
import { type CellRow, cellAs, DURATION, FLAG } from './cells.ts';

export interface DatedRow extends CellRow {
  readonly read: ReadMoment;
  /** The feed's settings: the format is null for the usual forms of dates, the zone for Norway's. */
  readonly feed: Pick<ParsedFeed, 'format' | 'timeZone'>;
  readonly zones: Zones;
  /** Instant of the build. */
  readonly now: number;
}

/** In the native format. */
export interface RowDates {
  readonly dates: readonly WrittenDate[];
  readonly repeats: readonly WrittenRepeat[];
}

const A_DATE = 'a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00';
const A_TIME = 'a time of day such as 19.00 or 19.00–21.00';
const A_TIME_OR_DAY = `${A_TIME} (the date is read as a whole day)`;
const NOTHING: WrittenMoment = {
  day: null,
  time: null,
  offset: '',
  until: null,
  untilOffset: '',
  lastDay: null,
};

/** Null, after a finding, for a row whose day cannot be read. */
export function datesOfRow(reading: DatedRow): RowDates | null {
  const days = daysOf(reading);
  if (days === null) return null;
  const columns = endInColumns(reading, days.length > 1);
  const refuseEnd = (expected: string) => reading.refuse(fieldOfEnd(reading), expected);
  const isAllDay = cellAs('allDay', reading, FLAG) === true;
  const dates = days.map((timedDay) => {
    const { day, timing } = timedDay;
    const end = endOf(timedDay, columns);
    if (isAllDay) return allDay(day, lastDayOf(end), refuseEnd);
    if (timing.time === null) return allDay(day, end, refuseEnd);
    return timed({ ...timing, day, time: timing.time }, end, refuseEnd);
  });
  const clock = clockOf(reading);
  return withRule(clock === null ? dates : dates.map((date) => onClock(date, clock)), clock, reading);
}

/** The clock of the row's times; null for Norway's. */
function clockOf({ cell, refuse, feed, zones, now }: DatedRow): OffsetAt | null {
  const name = cell('timeZone') || feed.timeZone;
  const zone = name ? zones.find(name) : null;
  if (name && zone === null) refuse('timeZone', 'a time zone such as Europe/Oslo (read as Norwegian time)');
  return zone === null || hasNorwaysClock(zone.offsetAt, now) ? null : zone.offsetAt;
}

/** Days, and times with an offset, stay as they are. */
function onClock({ start, end, ...date }: WrittenDate, clock: OffsetAt): WrittenDate {
  const inUtc = (written: string) => {
    const wall = parseSourceDatetime(written)?.wall;
    const isOnClock = /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(written) && wall !== undefined;
    return isOnClock ? `${formatWall(instantIn(clock, wall))}Z` : written;
  };
  return { ...date, start: inUtc(start), ...(end !== undefined && { end: inUtc(end) }) };
}

/** Each day with each time of day. Null, after a finding, without a day. */
function daysOf(reading: DatedRow): readonly TimedDay[] | null {
  const { cell, refuse } = reading;
  const starts = momentsIn('start', reading);
  const dates = momentsIn('date', reading);
  const daysOfStart = starts?.filter(hasDay) ?? [];
  const daysOfDate = dates?.filter(hasDay) ?? [];
  if (daysOfStart.length === 0 && daysOfDate.length === 0) {
    const field = starts === null || cell('date') === '' ? 'start' : 'date';
    refuse(field, formOf(reading), 'dropped record');
    return null;
  }
  if (starts === null) refuse('start', A_TIME_OR_DAY);
  if (dates === null) refuse('date', formOf(reading));
  const startTimes = startTimesOf(reading);
  const days =
    daysOfStart.length > 0
      ? timedByStart(daysOfStart, dates ?? [], startTimes)
      : timedByDate(daysOfDate, starts ?? [], startTimes);
  if (days.length > MOST_DATES) refuse('date', `at most ${MOST_DATES} dates (the rest is left out)`);
  return days.slice(0, MOST_DATES);
}

/** A time next to the day takes precedence over that of another column; so does a last day. */
function timedByStart(days: Moments, dates: Moments, startTimes: Moments): readonly TimedDay[] {
  const times = firstTimed([startTimes, dates]);
  const lastDay = dates[0]?.lastDay ?? null;
  return days.flatMap((moment) =>
    withTimes({ ...moment, lastDay: moment.lastDay ?? lastDay }, moment.time === null ? times : undefined),
  );
}

/** A time in the column of the start takes precedence over that of its own column, and over one next to the day. */
function timedByDate(days: Moments, starts: Moments, startTimes: Moments): readonly TimedDay[] {
  const times = firstTimed([starts, startTimes]);
  return days.flatMap((moment) => withTimes(moment, times));
}

/** The day at each of these times; at its own if there are none. */
function withTimes(moment: WrittenMoment, times: Moments | undefined): readonly TimedDay[] {
  const { day, lastDay } = moment;
  return (times ?? [moment]).map((timing) => ({ day: day ?? '', timing, lastDay }));
}

type Moments = readonly WrittenMoment[];

interface TimedDay {
  readonly day: string;
  /** Its time of day. */
  readonly timing: WrittenMoment;
  readonly lastDay: string | null;
}

function hasDay({ day }: WrittenMoment): boolean {
  return day !== null;
}

/** The times of day in their own column; none for a whole day and, after a finding, for an unreadable cell. */
function startTimesOf(reading: DatedRow): readonly WrittenMoment[] {
  if (isWholeDay(reading.cell('startTime'))) return [];
  const times = momentsIn('startTime', reading);
  if (times === null) reading.refuse('startTime', A_TIME_OR_DAY);
  return times ?? [];
}

/** The times of day of the first list that has any. */
function firstTimed(lists: readonly Moments[]): Moments | undefined {
  return lists.map((list) => list.filter(({ time }) => time !== null)).find((list) => list.length > 0);
}

/** Empty for a blank cell; null for an invalid one. */
function momentsIn(field: Field, { cell, read }: DatedRow): readonly WrittenMoment[] | null {
  return cell(field) === '' ? [] : readList(cell(field), read);
}

function formOf({ feed: { format } }: DatedRow): string {
  return format === null ? A_DATE : `a date of the form ${format}`;
}

function isWholeDay(cell: string): boolean {
  return /^(?:hele dagen|heldags?|all day|-)$/i.test(cell);
}

/** Calendar programs end a whole day at the following midnight. */
function lastDayOf(end: End): End {
  const day = end.time === '00:00' && end.day !== null ? daysLater(end.day, -1) : end.day;
  return { ...end, day, time: null };
}

interface End {
  readonly day: string | null;
  readonly time: string | null;
  readonly offset: string;
  readonly duration: number | undefined;
}

/** The column that a finding about the end names. */
function fieldOfEnd({ cell }: DatedRow): Field {
  return ENDS.find((named) => cell(named) !== '') ?? 'start';
}

const ENDS = ['end', 'endDate', 'endTime', 'start', 'date'] as const;

/** The end in its own columns takes precedence over that in the cell of the start; an offset belongs to its time. */
function endOf({ timing, lastDay }: TimedDay, columns: End): End {
  const day = columns.day ?? lastDay;
  if (columns.time !== null) return { ...columns, day };
  return { ...columns, day, time: timing.until, offset: timing.untilOffset };
}

/** The end in its own columns; in a row with several dates it can only be a time of day. */
function endInColumns(reading: DatedRow, isSeveral: boolean): End {
  const { cell, refuse } = reading;
  const momentIn = (field: Field, expected: string): WrittenMoment => {
    const moment = cell(field) === '' ? NOTHING : reading.read(cell(field));
    if (moment === null) refuse(field, expected);
    return moment ?? NOTHING;
  };
  const aDate = formOf(reading);
  const end = momentIn('end', aDate);
  const endTime = momentIn('endTime', A_TIME);
  const endDate = momentIn('endDate', aDate);
  const { time, offset } = [end, endTime, endDate].find((moment) => moment.time !== null) ?? NOTHING;
  const day = end.day ?? endDate.day;
  if (day !== null && isSeveral)
    refuse(fieldOfEnd(reading), 'a time of day, because the row has several dates');
  const duration = cellAs('duration', reading, DURATION);
  return { day: isSeveral ? null : day, time, offset, duration };
}

/** `expected` is of the end. */
type RefuseEnd = (expected: string) => void;

function allDay(day: string, { day: last, time }: End, refuseEnd: RefuseEnd): WrittenDate {
  if (time !== null) refuseEnd('a time of day at the start, too');
  return wholeDays(day, last, () => refuseEnd(A_LATER_END));
}

function timed(moment: DatedTime, end: End, refuseEnd: RefuseEnd): WrittenDate {
  const start = writtenAt(moment);
  const { duration } = end;
  if (end.time === null && (end.day === null || end.day === moment.day))
    return duration === undefined ? { start } : { start, duration };
  // F4: a last day is included. An end at an earlier time of day than the start is on the next day.
  const day =
    end.day ?? (end.time !== null && end.time < moment.time ? daysLater(moment.day, 1) : moment.day);
  return timedDate(start, { ...end, day }, () => refuseEnd(A_LATER_END));
}

/** The first date repeats by the row's rule; with an unreadable rule it remains a single date. */
function withRule(dates: readonly WrittenDate[], clock: OffsetAt | null, reading: DatedRow): RowDates {
  const [first, ...more] = dates;
  const rule = reading.cell('rule').replace(/^RRULE:/i, '');
  if (rule === '' || first === undefined) return { dates, repeats: [] };
  const expected = clock === null ? flawIn(rule) : NORWAYS_CLOCK;
  if (expected !== null) {
    reading.refuse('rule', `${expected} (the first date is kept)`);
    return { dates, repeats: [] };
  }
  const except = exceptIn(first.start, reading);
  const repeat = except.length === 0 ? { ...first, rule } : { ...first, rule, except };
  return { dates: more, repeats: [repeat] };
}

const NORWAYS_CLOCK = 'no rule, or Norwegian time, which all rules use';

/** The `expected` of a finding about an unreadable rule; null for a good one. */
function flawIn(rule: string): string | null {
  const read = readRule(rule);
  return isFlaw(read) ? read.expected : null;
}

/** Days, ranges of days, or days and times; without times, at the first date's time. */
function exceptIn(start: string, { cell, refuse, read }: DatedRow): readonly string[] {
  if (cell('except') === '') return [];
  const moments = readList(cell('except'), read);
  const exceptions = moments?.filter(isException) ?? [];
  if (exceptions.length < (moments?.length ?? 1)) refuse('except', EXCEPTIONS);
  const [, startTime = ''] = start.split(' ');
  const dates = exceptions.flatMap(({ day, lastDay, time, offset }) => {
    const days = daysFrom(day, lastDay ?? day);
    if (startTime === '') return days;
    return days.map((each) =>
      time === null ? `${each} ${startTime}` : writtenAt({ day: each, time, offset }),
    );
  });
  if (dates.length > MOST_DATES) refuse('except', `at most ${MOST_DATES} days (the rest is left out)`);
  return dates.slice(0, MOST_DATES);
}

const EXCEPTIONS = 'days such as 14.02.2027, 21.02.2027 or 14.–16. februar 2027';

/** A day, with or without a time, or a range of days. A range with times could mean one time or all between. */
function isException(moment: WrittenMoment): moment is WrittenMoment & { readonly day: string } {
  const { day, time, until, lastDay } = moment;
  if (day === null || lastDay === null) return day !== null;
  return time === null && until === null && lastDay >= day;
}

/** One day more than allowed is enough to notice a range that is too long. */
function daysFrom(day: string, lastDay: string): readonly string[] {
  const days: string[] = [];
  for (let next = day; next <= lastDay && days.length <= MOST_DATES; next = daysLater(next, 1))
    days.push(next);
  return days;
}
