/** Which days a rule means: the calendar's days, a year at a time, and the tests that BYMONTH, BYDAY and the like put to them. */
import { DAY, weekdayOf } from '../../src/calendar/time.ts';
import type { Rule } from './rule.ts';

export interface Day {
  /** Days since 1970-01-01. */
  readonly number: number;
  /** From 1. */
  readonly month: number;
  readonly monthDay: Place;
  readonly yearDay: Place;
  readonly week: Place;
  /** Monday is 0. */
  readonly weekday: number;
}

/** One of so many, counted from 1: the 3rd of 31 is also the -29th. */
interface Place {
  readonly at: number;
  readonly of: number;
}

export type DayTest = (day: Day) => boolean;

/** Null when any day will do, at least within the rule's periods that have one. */
export function dayTestOf(rule: Rule, start: number): DayTest | null {
  const tests = [...testsOf(rule), ...impliedTests(rule, start)];
  const [first, second] = tests;
  if (first === undefined) return null;
  if (second === undefined) return first;
  if (tests.length === 2) return (day) => first(day) && second(day);
  return (day) => tests.every((test) => test(day));
}

function testsOf({ frequency, by }: Rule): readonly DayTest[] {
  const tests = PLACES.flatMap(([name, placeOf]): readonly DayTest[] => {
    const wanted = by[name];
    return wanted === undefined ? [] : [placeTest(new Set(wanted), placeOf)];
  });
  if (by.BYMONTH !== undefined) {
    const months = new Set(by.BYMONTH);
    tests.unshift(({ month }) => months.has(month));
  }
  if (by.BYDAY !== undefined) {
    const isInMonth = frequency === 'MONTHLY' || by.BYMONTH !== undefined;
    tests.push(weekdayTest(new Set(by.BYDAY), isInMonth));
  }
  return tests;
}

const PLACES = [
  ['BYMONTHDAY', (day: Day) => day.monthDay],
  ['BYYEARDAY', (day: Day) => day.yearDay],
  ['BYWEEKNO', (day: Day) => day.week],
] as const;

function placeTest(wanted: ReadonlySet<number>, placeOf: (day: Day) => Place): DayTest {
  return (day) => {
    const { at, of } = placeOf(day);
    return wanted.has(at) || wanted.has(at - of - 1);
  };
}

/** `TU` is every Tuesday; `2TU` and `-1TU` count in the month where the rule speaks of months, else in the year. */
function weekdayTest(wanted: ReadonlySet<number>, isInMonth: boolean): DayTest {
  if ([...wanted].every((code) => code >= 0 && code < 7)) return ({ weekday }) => wanted.has(weekday);
  return ({ weekday, monthDay, yearDay }) => {
    const { at, of } = isInMonth ? monthDay : yearDay;
    const fromEnd = Math.ceil((of + 1 - at) / 7);
    return (
      wanted.has(weekday) || wanted.has(Math.ceil(at / 7) * 7 + weekday) || wanted.has(weekday - fromEnd * 7)
    );
  };
}

/** What a rule does not say of its days is as in its start (RFC 5545, 3.3.10). */
function impliedTests({ frequency, by }: Rule, start: number): readonly DayTest[] {
  if (by.BYDAY !== undefined || by.BYMONTHDAY !== undefined || by.BYYEARDAY !== undefined) return [];
  if (frequency === 'WEEKLY' || by.BYWEEKNO !== undefined) {
    const weekday = weekdayOf(Math.floor(start / DAY));
    return [(day) => day.weekday === weekday];
  }
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') return [];
  const date = new Date(start * 1000).getUTCDate();
  return [(day) => day.monthDay.at === date];
}

/** The months, from 1 and ascending, in which a rule of years has days. */
export function monthsOf({ by }: Rule, start: number): readonly number[] {
  if (by.BYMONTH !== undefined) return by.BYMONTH.toSorted((left, right) => left - right);
  const isInAny = [by.BYDAY, by.BYMONTHDAY, by.BYYEARDAY, by.BYWEEKNO].some((part) => part !== undefined);
  return isInAny ? ALL_MONTHS : [new Date(start * 1000).getUTCMonth() + 1];
}

const ALL_MONTHS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** `weekStart` is the weekday that weeks begin with. */
export function dayOf(number: number, weekStart: number): Day {
  const days = daysOfYear(new Date(number * DAY * 1000).getUTCFullYear(), weekStart);
  const day = days[number - (days[0]?.number ?? 0)];
  if (day === undefined) throw new RangeError(`expected the number of a day, got ${number}`);
  return day;
}

/** Months count on from January of year 0. */
export function daysOfMonth(month: number, weekStart: number): readonly Day[] {
  const days = daysOfYear(Math.floor(month / 12), weekStart);
  const place = firstOfMonth(month) - (days[0]?.number ?? 0);
  return days.slice(place, place + (days[place]?.monthDay.of ?? 0));
}

/** The number of its day. */
export function firstOfMonth(month: number): number {
  const date = new Date(0);
  date.setUTCFullYear(0, month, 1);
  return date.getTime() / 1000 / DAY;
}

function daysOfYear(year: number, weekStart: number): readonly Day[] {
  const key = year * 7 + weekStart;
  const found = known.get(key);
  if (found !== undefined) return found;
  const days = workOutDays(year, weekStart);
  if (known.size === MOST_KNOWN) known.clear();
  known.set(key, days);
  return days;
}

/** A build asks for the same two or three years for every rule. */
const MOST_KNOWN = 50;
const known = new Map<number, readonly Day[]>();

function workOutDays(year: number, weekStart: number): readonly Day[] {
  const first = firstOfMonth(12 * year);
  const length = firstOfMonth(12 * year + 12) - first;
  const weeks = [year - 1, year, year + 1, year + 2].map((of) => firstWeek(of, weekStart));
  const days: Day[] = [];
  for (let month = 0; month < 12; month++) {
    const begin = firstOfMonth(12 * year + month);
    const of = firstOfMonth(12 * year + month + 1) - begin;
    for (let at = 1; at <= of; at++) {
      const number = begin + at - 1;
      days.push({
        number,
        month: month + 1,
        monthDay: { at, of },
        yearDay: { at: number - first + 1, of: length },
        week: weekOf(number, weeks),
        weekday: weekdayOf(number),
      });
    }
  }
  return days;
}

/** The first week of a year is the first with at least four days in it. */
function firstWeek(year: number, weekStart: number): number {
  const fourth = firstOfMonth(12 * year) + 3;
  return fourth - ((weekdayOf(fourth) - weekStart + 7) % 7);
}

function weekOf(day: number, firstWeeks: readonly number[]): Place {
  const next = firstWeeks.findIndex((first) => first > day);
  const begin = firstWeeks[next - 1] ?? 0;
  return { at: Math.floor((day - begin) / 7) + 1, of: ((firstWeeks[next] ?? 0) - begin) / 7 };
}
