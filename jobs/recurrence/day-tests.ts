/** Decides whether a day meets the parts of a rule that name days: weekdays, dates, weeks and months (RFC 5545, 3.3.10). */
import { DAY, weekdayOf } from '../../src/calendar/time.ts';
import { dateOf, firstOfMonth, modulo } from './calendar-math.ts';
import type { Rule } from './rule.ts';

/** Whether a day, as its number since 1970-01-01, meets a part of the rule. */
export type DayTest = (day: number) => boolean;

/** Whether a day meets every part of a rule, at least within the rule's periods that have one. */
export function dayTestOf(rule: Rule, start: number): DayTest {
  const tests = [...testsOf(rule), ...impliedTests(rule, start)];
  const [first] = tests;
  return tests.length === 1 && first !== undefined ? first : (day) => tests.every((test) => test(day));
}

function testsOf({ frequency, by, weekStart }: Rule): readonly DayTest[] {
  const isInMonth = frequency === 'MONTHLY' || by.BYMONTH !== undefined;
  return [
    testOf(by.BYDAY, (wanted) => weekdayTest(wanted, isInMonth ? inMonth : inYear)),
    testOf(by.BYMONTH, (wanted) => (day) => wanted.has(dateOf(day).getUTCMonth() + 1)),
    testOf(by.BYMONTHDAY, (wanted) => positionTest(wanted, inMonth)),
    testOf(by.BYYEARDAY, (wanted) => positionTest(wanted, inYear)),
    testOf(by.BYWEEKNO, (wanted) => positionTest(wanted, (day) => weekOf(day, weekStart))),
  ].flat();
}

function testOf(
  values: readonly number[] | undefined,
  create: (wanted: ReadonlySet<number>) => DayTest,
): readonly DayTest[] {
  return values === undefined ? [] : [create(new Set(values))];
}

/** A position, counted from 1: the 3rd of 31 is also the -29th. */
interface Position {
  readonly at: number;
  readonly of: number;
}

function positionTest(wanted: ReadonlySet<number>, positionOf: (day: number) => Position): DayTest {
  return (day) => {
    const { at, of } = positionOf(day);
    return wanted.has(at) || wanted.has(at - of - 1);
  };
}

/** `TU` is every Tuesday; `2TU` and `-1TU` count within the month if the rule names months, else within the year. */
function weekdayTest(wanted: ReadonlySet<number>, positionOf: (day: number) => Position): DayTest {
  const named = new Set([...wanted].map((code) => modulo(code, 7)));
  return (day) => {
    const weekday = weekdayOf(day);
    if (!named.has(weekday) || wanted.has(weekday)) return named.has(weekday);
    const { at, of } = positionOf(day);
    const fromEnd = Math.ceil((of + 1 - at) / 7);
    return wanted.has(Math.ceil(at / 7) * 7 + weekday) || wanted.has(weekday - fromEnd * 7);
  };
}

/** A rule takes the parts that it does not set from its start (RFC 5545, 3.3.10). */
function impliedTests({ frequency, by }: Rule, start: number): readonly DayTest[] {
  if (by.BYDAY !== undefined || by.BYMONTHDAY !== undefined || by.BYYEARDAY !== undefined) return [];
  const first = Math.floor(start / DAY);
  if (frequency === 'WEEKLY' || by.BYWEEKNO !== undefined)
    return [(day) => weekdayOf(day) === weekdayOf(first)];
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') return [];
  return [(day) => dateOf(day).getUTCDate() === dateOf(first).getUTCDate()];
}

function inMonth(day: number): Position {
  const date = dateOf(day);
  const month = 12 * date.getUTCFullYear() + date.getUTCMonth();
  return { at: date.getUTCDate(), of: firstOfMonth(month + 1) - firstOfMonth(month) };
}

function inYear(day: number): Position {
  const january = 12 * dateOf(day).getUTCFullYear();
  return { at: day - firstOfMonth(january) + 1, of: firstOfMonth(january + 12) - firstOfMonth(january) };
}

/** A week belongs to the year that has its fourth day, and begins on the weekday `weekStart`. */
function weekOf(day: number, weekStart: number): Position {
  const first = day - modulo(weekdayOf(day) - weekStart, 7);
  const year = dateOf(first + 3).getUTCFullYear();
  const begin = firstWeek(year, weekStart);
  return { at: (first - begin) / 7 + 1, of: (firstWeek(year + 1, weekStart) - begin) / 7 };
}

function firstWeek(year: number, weekStart: number): number {
  const fourth = firstOfMonth(12 * year) + 3;
  return fourth - modulo(weekdayOf(fourth) - weekStart, 7);
}
