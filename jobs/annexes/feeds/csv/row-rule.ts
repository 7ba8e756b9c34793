/** The rule by which the first date of a row repeats, and its exceptions. */
import type { OffsetAt } from '../../../../src/calendar/time.ts';
import { isFlaw, readRule } from '../../../recurrence/rule.ts';
import { MOST_DATES, readMomentList } from '../moment-lists.ts';
import type { WrittenMoment } from '../moments.ts';
import { daysLater, type WrittenDate, writtenAt } from '../native-dates.ts';
import type { RowCells, RowDates } from './row.ts';

/**
 * The first date repeats by the row's rule. Without a rule and, after a finding, with an unreadable one, it remains a single date. `clock`: that of
 * the row's times; null for Norway's.
 */
export function withRule(dates: readonly WrittenDate[], clock: OffsetAt | null, reading: RowCells): RowDates {
  const [first, ...more] = dates;
  const rule = reading.cell('rule').replace(/^RRULE:/i, '');
  if (rule === '' || first === undefined) return { dates, repeats: [] };
  const expected = clock === null ? flawIn(rule) : NORWAYS_CLOCK;
  if (expected !== null) {
    reading.reportCell('rule', `${expected} (the first date is kept)`);
    return { dates, repeats: [] };
  }
  const except = exceptionsOf(first.start, reading);
  const repeat = except.length === 0 ? { ...first, rule } : { ...first, rule, except };
  return { dates: more, repeats: [repeat] };
}

const NORWAYS_CLOCK = 'no rule, or Norwegian time, which all rules use';

/** The `expected` of a finding about an unreadable rule; null for a good one. */
function flawIn(rule: string): string | null {
  const read = readRule(rule);
  return isFlaw(read) ? read.expected : null;
}

/** Days, ranges of days, or days and times; without times, at the time of `start`, which is the first date's. */
function exceptionsOf(start: string, reading: RowCells): readonly string[] {
  const { cell, reportCell, read } = reading;
  if (cell('except') === '') return [];
  const moments = readMomentList(cell('except'), read);
  const exceptions = moments?.filter(isException) ?? [];
  const isAllRead = moments !== null && exceptions.length === moments.length;
  if (!isAllRead) reportExceptions(reading);
  const [, startTime = ''] = start.split(' ');
  const dates = exceptions.flatMap((exception) => datesOfException(exception, startTime));
  if (dates.length > MOST_DATES) reportCell('except', `at most ${MOST_DATES} days (the rest is left out)`);
  return dates.slice(0, MOST_DATES);
}

/** Reports the cell with something else than exceptions; the first one if the cells cannot be read together. */
function reportExceptions({ usedCells, read, reportCell, reportIn }: RowCells): void {
  const isRead = (cell: string) => readMomentList(cell, read)?.every(isException) ?? false;
  const unread = usedCells('except').find(({ value }) => !isRead(value));
  if (unread === undefined) reportCell('except', EXCEPTIONS);
  else reportIn(unread, EXCEPTIONS);
}

const EXCEPTIONS = 'days such as 14.02.2027, 21.02.2027 or 14.–16. februar 2027';

interface Exception extends WrittenMoment {
  readonly day: string;
}

/** A day, with or without a time, or a range of days. A range with times could mean one time or all between. */
function isException(moment: WrittenMoment): moment is Exception {
  const { day, time, until, lastDay } = moment;
  if (day === null || lastDay === null) return day !== null;
  return time === null && until === null && lastDay >= day;
}

/** `startTime` is empty for whole days. */
function datesOfException({ day, lastDay, time, offset }: Exception, startTime: string): readonly string[] {
  const days = daysFrom(day, lastDay ?? day);
  if (startTime === '') return days;
  return days.map((each) =>
    time === null ? `${each} ${startTime}` : writtenAt({ day: each, time, offset }),
  );
}

/** One day more than allowed is enough to notice a range that is too long. */
function daysFrom(day: string, lastDay: string): readonly string[] {
  const days: string[] = [];
  for (let next = day; next <= lastDay && days.length <= MOST_DATES; next = daysLater(next, 1))
    days.push(next);
  return days;
}
