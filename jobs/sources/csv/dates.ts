/** When a row's date is, out of one cell or several. */
import {
  BEHIND,
  type DatedTime,
  dayAfter,
  dayBefore,
  instantAt,
  type ReadMoment,
  type WrittenDate,
  type WrittenMoment,
  wholeDays,
  writtenAt,
} from '../../feeds/moments.ts';
import { durationOf, flagOf } from './cells.ts';
import type { Field } from './columns.ts';

interface DateCells {
  /** Empty for a column that is not there. */
  readonly cell: (field: Field) => string;
  readonly readMoment: ReadMoment;
  /** How dates are to be written, for findings. */
  readonly expected: string;
  /** Of a cell that cannot be read. The row is left out where it has no day. */
  readonly refuse: (field: Field, expected: string, action: 'dropped record' | 'changed value') => void;
}

const A_TIME = 'a time of day such as 19.00';
const NOTHING: WrittenMoment = { day: null, time: null, offset: '', until: null, lastDay: null };

/** Null, after a finding, for a row without a day that can be told. */
export function dateOf(cells: DateCells): WrittenDate | null {
  const { cell, expected, refuse } = cells;
  const start = momentIn('start', cells);
  const date = momentIn('date', cells);
  const day = start?.day ?? date?.day ?? null;
  if (start === null || date === null || day === null) {
    const field = start === null || (cell('date') === '' && cell('start') !== '') ? 'start' : 'date';
    refuse(cell(field) === '' && cell('start') === '' ? 'start' : field, expected, 'dropped record');
    return null;
  }
  const clock = isWholeDay(cell('startTime')) ? NOTHING : momentIn('startTime', cells);
  if (clock === null) refuse('startTime', A_TIME, 'changed value');
  const said = [start, clock ?? NOTHING, date].find(({ time }) => time !== null) ?? NOTHING;
  const end = endOf(cells, { until: said.until, lastDay: start.lastDay ?? date.lastDay });
  if (flagOf(cell('allDay')) === true) return allDay(day, lastDayOf(end), cells);
  return said.time === null ? allDay(day, end, cells) : timed({ ...said, day, time: said.time }, end, cells);
}

/** Nothing said for a blank cell; null for one that says something else. */
function momentIn(field: Field, { cell, readMoment }: DateCells): WrittenMoment | null {
  return cell(field) === '' ? NOTHING : readMoment(cell(field));
}

function isWholeDay(cell: string): boolean {
  return /^(?:hele dagen|heldags?|all day|-)$/i.test(cell);
}

/** Calendars end a whole day at the midnight behind it. */
function lastDayOf(end: End): End {
  const day = end.time === '00:00' && end.day !== null ? dayBefore(end.day) : end.day;
  return { ...end, day, time: null };
}

interface End {
  readonly day: string | null;
  readonly time: string | null;
  readonly offset: string;
  /** The column that a finding about it names. */
  readonly field: Field;
}

/** Where an end may stand. */
const ENDS = ['end', 'endDate', 'endTime', 'start', 'date'] as const;

/** In columns of its own, or else behind the start in one. */
function endOf(cells: DateCells, { until, lastDay }: Pick<WrittenMoment, 'until' | 'lastDay'>): End {
  const read = (field: Field, expected: string): WrittenMoment => {
    const moment = momentIn(field, cells);
    if (moment === null) cells.refuse(field, expected, 'changed value');
    return moment ?? NOTHING;
  };
  const end = read('end', cells.expected);
  const last = read('endDate', cells.expected);
  const clock = read('endTime', A_TIME);
  const { time, offset } = [end, clock, last].find((said) => said.time !== null) ?? {
    time: until,
    offset: '',
  };
  const field = ENDS.find((named) => cells.cell(named) !== '') ?? 'start';
  return { day: end.day ?? last.day ?? lastDay, time, offset, field };
}

function allDay(day: string, { day: last, time, field }: End, { refuse }: DateCells): WrittenDate {
  if (time !== null) refuse(field, 'a time of day at the start, too', 'changed value');
  return wholeDays(day, last, () => refuse(field, BEHIND, 'changed value'));
}

function timed(said: DatedTime, end: End, { cell, refuse }: DateCells): WrittenDate {
  const start = writtenAt(said);
  if (end.time === null && (end.day === null || end.day === said.day)) {
    if (cell('duration') === '') return { start };
    const duration = durationOf(cell('duration'));
    if (duration !== undefined) return { start, duration };
    refuse('duration', 'minutes, or hours and minutes such as 1:30', 'changed value');
    return { start };
  }
  // F4: a last day is included. What ends at an hour that is past already does so the night after.
  const last = end.day ?? (end.time !== null && end.time < said.time ? dayAfter(said.day) : said.day);
  const written = writtenAt({ day: last, time: end.time ?? '24:00', offset: end.offset });
  const length = instantAt(written) - instantAt(start);
  if (length > 0) return { start, end: written };
  if (length < 0) refuse(end.field, BEHIND, 'changed value');
  return { start };
}
