/**
 * The dates of a row's event: its days, each with its times, and the rule by which they repeat. Below: whether `05/06/2027` is in June or in
 * May, which is decided for a whole table, and never guessed.
 */

import { formatWall, instantIn, type OffsetAt, parseSourceDatetime } from '../../../../src/calendar/time.ts';
import { hasNorwaysClock } from '../../../recurrence/clocks.ts';
import { isFlaw, readRule } from '../../../recurrence/rule.ts';
import { FeedProblem } from '../health.ts';
import type { Zones } from '../ical/zones.ts';
import {
  BEHIND,
  type DatedTime,
  type DateOrder,
  daysLater,
  MOST_DATES,
  momentReader,
  type ReadMoment,
  readList,
  timedDate,
  type WrittenDate,
  type WrittenMoment,
  type WrittenRepeat,
  wholeDays,
  writtenAt,
} from '../moments.ts';
import type { ParsedFeed } from '../reading.ts';
import type { TableField as Field } from '../table-fields.ts';
import { type CellRow, cellAs, DURATION, FLAG } from './cells.ts';
import type { Columns } from './columns.ts';
import type { Row } from './table.ts';

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
const NOTHING: WrittenMoment = { day: null, time: null, offset: '', until: null, lastDay: null };

/** Null, after a finding, for a row whose day cannot be read. */
export function datesOfRow(reading: DatedRow): RowDates | null {
  const days = daysOf(reading);
  if (days === null) return null;
  const ends = endsOf(reading, days.length > 1);
  const isAllDay = cellAs('allDay', reading, FLAG) === true;
  const dates = days.map(({ day, timing, lastDay }) => {
    const end = { ...ends, day: ends.day ?? lastDay, time: ends.time ?? timing.until };
    if (isAllDay) return allDay(day, lastDayOf(end), reading);
    if (timing.time === null) return allDay(day, end, reading);
    return timed({ ...timing, day, time: timing.time }, end, reading);
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

/** Each day with each time of day. */
function daysOf(reading: DatedRow) {
  const { cell, refuse } = reading;
  const starts = momentsIn('start', reading);
  const dates = momentsIn('date', reading);
  const isInStart = starts?.some(({ day }) => day !== null) ?? false;
  const days = (isInStart ? starts : dates)?.filter(({ day }) => day !== null) ?? [];
  if (days.length === 0) {
    refuse(starts === null || cell('date') === '' ? 'start' : 'date', formOf(reading), 'dropped record');
    return null;
  }
  if (starts === null) refuse('start', `${A_TIME} (the date is taken for a whole day)`);
  if (dates === null) refuse('date', formOf(reading));
  const clocks = isWholeDay(cell('startTime')) ? [] : momentsIn('startTime', reading);
  if (clocks === null) refuse('startTime', `${A_TIME} (the date is taken for a whole day)`);
  // A time beside the day takes precedence over that of another column.
  const times = [isInStart ? [] : (starts ?? []), clocks ?? [], isInStart ? (dates ?? []) : []]
    .map((list) => list.filter(({ time }) => time !== null))
    .find((list) => list.length > 0);
  const all = days.flatMap((moment) =>
    (isInStart && moment.time !== null ? [moment] : (times ?? [moment])).map((timing) => ({
      day: moment.day ?? '',
      timing,
      lastDay: moment.lastDay ?? (isInStart ? (dates?.[0]?.lastDay ?? null) : null),
    })),
  );
  if (all.length > MOST_DATES) refuse('date', `at most ${MOST_DATES} dates (the rest is left out)`);
  return all.slice(0, MOST_DATES);
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
  /** The column that a finding about it names. */
  readonly field: Field;
}

const ENDS = ['end', 'endDate', 'endTime', 'start', 'date'] as const;

/** The end in its own columns; in a row with several dates it can only be a time of day. */
function endsOf(reading: DatedRow, isSeveral: boolean): End {
  const { cell, refuse } = reading;
  const momentIn = (field: Field, expected: string): WrittenMoment => {
    const moment = cell(field) === '' ? NOTHING : reading.read(cell(field));
    if (moment === null) refuse(field, expected);
    return moment ?? NOTHING;
  };
  const aDate = formOf(reading);
  const ends = [momentIn('end', aDate), momentIn('endTime', A_TIME), momentIn('endDate', aDate)];
  const { time, offset } = ends.find((end) => end.time !== null) ?? NOTHING;
  const day = ends[0]?.day ?? ends[2]?.day ?? null;
  const field = ENDS.find((named) => cell(named) !== '') ?? 'start';
  if (day !== null && isSeveral) refuse(field, 'a time of day, because the row has several dates');
  const duration = cellAs('duration', reading, DURATION);
  return { day: isSeveral ? null : day, time, offset, duration, field };
}

function allDay(day: string, { day: last, time, field }: End, { refuse }: DatedRow): WrittenDate {
  if (time !== null) refuse(field, 'a time of day at the start, too');
  return wholeDays(day, last, () => refuse(field, BEHIND));
}

function timed(moment: DatedTime, end: End, { refuse }: DatedRow): WrittenDate {
  const start = writtenAt(moment);
  const { duration } = end;
  if (end.time === null && (end.day === null || end.day === moment.day))
    return duration === undefined ? { start } : { start, duration };
  // F4: a last day is included. An end at an earlier time of day than the start is on the next day.
  const day =
    end.day ?? (end.time !== null && end.time < moment.time ? daysLater(moment.day, 1) : moment.day);
  return timedDate(start, { ...end, day }, () => refuse(end.field, BEHIND));
}

/** The first date repeats by the row's rule; with an unreadable rule it remains a single date. */
function withRule(dates: readonly WrittenDate[], clock: OffsetAt | null, reading: DatedRow): RowDates {
  const [first, ...more] = dates;
  const rule = reading.cell('rule').replace(/^RRULE:/i, '');
  if (rule === '' || first === undefined) return { dates, repeats: [] };
  const read = readRule(rule);
  const elsewhere = clock === null ? null : 'no rule, or the clock of Norway, on which rules repeat';
  const expected = elsewhere ?? (isFlaw(read) ? read.expected : null);
  if (expected !== null) {
    reading.refuse('rule', `${expected} (the first date is kept)`);
    return { dates, repeats: [] };
  }
  const except = exceptIn(first.start, reading);
  return { dates: more, repeats: [{ ...first, rule, ...(except.length === 0 ? {} : { except }) }] };
}

/** Days, or days and times; without times, at the first date's time. */
function exceptIn(start: string, { cell, refuse, read }: DatedRow): readonly string[] {
  if (cell('except') === '') return [];
  const moments = readList(cell('except'), read);
  if (moments === null) refuse('except', 'days such as 14.02.2027, 21.02.2027');
  const [, clock = ''] = start.split(' ');
  return (moments ?? []).flatMap(({ day, time, offset }) => {
    if (day === null) return [];
    if (clock === '') return [day];
    return [time === null ? `${day} ${clock}` : writtenAt({ day, time, offset })];
  });
}

/** The reader of the table's dates. Throws FeedProblem if their order is uncertain. */
export function dateReader(table: Table, format: string | null): ReadMoment {
  return format === null ? momentReader(null, orderOf(table)) : momentReader(format);
}

const DATES = ['start', 'date', 'end', 'endDate', 'except', 'publishingDate', 'ticketsFromDate'] as const;
const NUMERIC = /(?<![\d./-])(\d{1,2})([./-]) ?(\d{1,2})\2 ?(?:\d{4}|\d{2})(?!\d)/g;

interface Table {
  readonly rows: readonly Row[];
  readonly columns: Columns;
}

/** By the dates that have one reading, else by the program that wrote the table. */
function orderOf(table: Table): DateOrder {
  const days: string[] = [];
  const months: string[] = [];
  /** `05/06/2027`; with dots the Norwegian order is certain. */
  let doubtful: { readonly date: string; readonly field: Field } | null = null;
  for (const field of DATES)
    for (const row of table.columns.has(field) ? table.rows : [])
      for (const [date, first, sign, second] of table.columns.cellOf(row, field).matchAll(NUMERIC)) {
        if (Number(first) > 12 && Number(second) <= 12) days.push(date);
        else if (Number(second) > 12 && Number(first) <= 12) months.push(date);
        else if (sign !== '.' && Number(first) !== Number(second)) doubtful ??= { date, field };
      }
  const [few = 0, many = 0] = [days.length, months.length].sort((left, right) => left - right);
  if (doubtful !== null && many > 0 && many <= SLIPS * few)
    throw problem(doubtful.field, table, `both "${days[0]}" and "${months[0]}"`);
  if (many > 0) return days.length === many ? 'day first' : 'month first';
  const order = doubtful === null ? 'day first' : programOrder(table);
  if (order !== null) return order;
  const { field, date } = doubtful ?? { field: 'start', date: '' };
  throw problem(field, table, `"${date}", which is ${readings(date)}`);
}

/** A date in another order than this many others is an error, not an ambiguity: it is dropped alone. */
const SLIPS = 10;

/** Google's calendar and the English Outlook use these column names and American dates; AM and PM also mean American dates. */
function programOrder({ rows, columns }: Table): DateOrder | null {
  const { names, cellOf } = columns;
  if (names.has('start date') && (names.has('all day event') || names.has('all day'))) return 'month first';
  if (names.has('startdato') && names.has('heldagshendelse')) return 'day first';
  const isHalved = (row: Row) => CLOCKS.some((field) => /\d ?[ap]\.?m\b/i.test(cellOf(row, field)));
  return rows.some(isHalved) ? 'month first' : null;
}

const CLOCKS = ['start', 'date', 'startTime', 'end', 'endDate', 'endTime'] as const;

function problem(field: Field, { columns }: Table, found: string): FeedProblem {
  const expected = `dates in the column ${JSON.stringify(columns.titleOf(field))} whose order is certain`;
  const settings = 'say "format": "DD/MM/YYYY" or "format": "MM/DD/YYYY", with " HH:mm" if it has times';
  return new FeedProblem('unreadable answer', `expected ${expected}, found ${found}; ${settings}`);
}

/** `2027-06-05 by DD/MM/YYYY and 2027-05-06 by MM/DD/YYYY` */
function readings(date: string): string {
  const [first = '', second = '', year = ''] = date.split(/[./-] ?/).map((part) => part.padStart(2, '0'));
  return `${year}-${second}-${first} by DD/MM/YYYY and ${year}-${first}-${second} by MM/DD/YYYY`;
}
