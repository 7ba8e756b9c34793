/** The days of a row, each with its times of day, from the columns of the start. */
import { MOST_DATES, readMomentList } from '../moment-lists.ts';
import type { WrittenMoment } from '../moments.ts';
import type { TableField } from '../table-fields.ts';
import type { RowCells } from './row.ts';

/** A day on which the event begins, with one of its times. */
export interface TimedDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** The start, and the end if the same cell names one; a whole day has no times. */
  readonly timing: WrittenMoment;
  /** Null if the cell names no last day. */
  readonly lastDay: string | null;
}

export const A_TIME = 'a time of day such as 19.00 or 19.00–21.00';
const A_TIME_OR_DAY = `${A_TIME} (the date is read as a whole day)`;
const A_DATE = 'a date such as 14.02.2027 kl. 19.00 or 2027-02-14 19:00';

/** Each day, once for each of its times. Null, with a finding, if the row names no day that can be read. */
export function daysOfRow(reading: RowCells): readonly TimedDay[] | null {
  const { reportCell } = reading;
  const starts = momentsIn('start', reading);
  const dates = momentsIn('date', reading);
  const daysOfStart = starts?.filter(hasDay) ?? [];
  const daysOfDate = dates?.filter(hasDay) ?? [];
  if (daysOfStart.length === 0 && daysOfDate.length === 0) {
    const field = fieldOfMissingDay(starts, reading);
    reportList(field, { expected: formOfDates(reading), action: 'dropped record' }, reading);
    return null;
  }
  if (starts === null) reportCell('start', A_TIME_OR_DAY);
  if (dates === null) reportList('date', { expected: formOfDates(reading) }, reading);
  const startTimes = startTimesOf(reading);
  const days =
    daysOfStart.length > 0
      ? timedByStart(daysOfStart, dates ?? [], startTimes)
      : timedByDate(daysOfDate, starts ?? [], startTimes);
  if (days.length > MOST_DATES) reportCell('date', `at most ${MOST_DATES} dates (the rest is left out)`);
  return days.slice(0, MOST_DATES);
}

/** The column in which a row without a day should have one: that of the date if it is filled in, or if the table has no other. */
function fieldOfMissingDay(starts: Moments | null, { cell, columns }: RowCells): 'date' | 'start' {
  const isStartUnreadable = starts === null;
  const isInDate = cell('date') !== '' && !isStartUnreadable;
  const hasNoStart = starts?.length === 0 && !columns.has('start');
  return isInDate || hasNoStart ? 'date' : 'start';
}

interface ListFlaw {
  readonly expected: string;
  readonly action?: 'dropped record';
}

/** Reports the cell of a field that names no date by itself; the first one if the cells cannot be read together. */
function reportList(
  field: TableField,
  { expected, action }: ListFlaw,
  { usedCells, read, reportCell, reportIn }: RowCells,
): void {
  const unread = usedCells(field).find(({ value }) => readMomentList(value, read) === null);
  if (unread === undefined) reportCell(field, expected, action);
  else reportIn(unread, expected, action);
}

/** The form of a date, as findings state it. */
export function formOfDates({ feed: { format } }: RowCells): string {
  return format === null ? A_DATE : `a date of the form ${format}`;
}

type Moments = readonly WrittenMoment[];

interface DayMoment extends WrittenMoment {
  readonly day: string;
}

function hasDay(moment: WrittenMoment): moment is DayMoment {
  return moment.day !== null;
}

/** A time next to the day takes precedence over that of another column; so does a last day. */
function timedByStart(days: readonly DayMoment[], dates: Moments, startTimes: Moments): readonly TimedDay[] {
  const times = firstTimed([startTimes, dates]);
  const lastDay = dates[0]?.lastDay ?? null;
  return days.flatMap((moment) =>
    withTimes({ ...moment, lastDay: moment.lastDay ?? lastDay }, moment.time === null ? times : null),
  );
}

/** A time in the column of the start takes precedence over that of its own column, and over one next to the day. */
function timedByDate(days: readonly DayMoment[], starts: Moments, startTimes: Moments): readonly TimedDay[] {
  const times = firstTimed([starts, startTimes]);
  return days.flatMap((moment) => withTimes(moment, times));
}

/** The times of day of the first list that has any; null if none has. */
function firstTimed(lists: readonly Moments[]): Moments | null {
  const timed = lists.map((list) => list.filter(({ time }) => time !== null));
  return timed.find((list) => list.length > 0) ?? null;
}

/** The day at each of these times; at its own if they are null. */
function withTimes(moment: DayMoment, times: Moments | null): readonly TimedDay[] {
  const { day, lastDay } = moment;
  return (times ?? [moment]).map((timing) => ({ day, timing, lastDay }));
}

/** The times of day in their own column; none for a whole day and, after a finding, for an unreadable cell. */
function startTimesOf(reading: RowCells): Moments {
  if (SAYS_WHOLE_DAY.test(reading.cell('startTime'))) return [];
  const times = momentsIn('startTime', reading);
  if (times === null) reading.reportCell('startTime', A_TIME_OR_DAY);
  return times ?? [];
}

const SAYS_WHOLE_DAY = /^(?:hele dagen|heile dagen|hei?ldags?|all day|-)$/i;

/** Empty for a blank cell; null for an invalid one. */
function momentsIn(field: TableField, { cell, read }: RowCells): Moments | null {
  return cell(field) === '' ? [] : readMomentList(cell(field), read);
}
