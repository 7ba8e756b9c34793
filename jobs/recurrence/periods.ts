/**
 * What a rule consists of, its periods, and its days in them: the calendar's days, a year at a time, and the tests of BYMONTH, BYDAY and the
 * like.
 */
import * as z from 'zod';
import { DAY, HOUR, weekdayOf } from '../../src/calendar/time.ts';

export const FREQUENCIES = [
  'SECONDLY',
  'MINUTELY',
  'HOURLY',
  'DAILY',
  'WEEKLY',
  'MONTHLY',
  'YEARLY',
] as const;
export type Frequency = Rule['frequency'];

const BY_NAMES = [
  'BYSECOND',
  'BYMINUTE',
  'BYHOUR',
  'BYDAY',
  'BYMONTHDAY',
  'BYYEARDAY',
  'BYWEEKNO',
  'BYMONTH',
  'BYSETPOS',
] as const;
export type ByName = (typeof BY_NAMES)[number];

/** A parsed rule, also as the records of a feed store it. */
export const ruleSchema = z.object({
  frequency: z.enum(FREQUENCIES),
  interval: z.int(),
  count: z.int().nullable(),
  /** Last wall clock reading that may be a start. */
  until: z.int().nullable(),
  /** The first weekday of a week; Monday is 0. */
  weekStart: z.int(),
  /** The given BYxxx parts, with distinct values. BYDAY has `nth * 7 + weekday`: 0 is every Monday, 8 the first Tuesday. */
  by: z.partialRecord(z.enum(BY_NAMES), z.array(z.int()).readonly()),
});

export type Rule = Readonly<z.output<typeof ruleSchema>>;

/** The periods of a rule: units of its frequency, numbered without gaps. */
export interface Periods {
  /** Number of the period that contains a reading. */
  readonly numberOf: (wall: number) => number;
  readonly begin: (period: number) => number;
  /** Beginnings of the rule's days in a period, ascending; for a period shorter than a day its own beginning, or none. */
  readonly bases: (period: number) => readonly number[];
  /** After a period without bases: a later one before which no period has any; 0 if unknown. */
  readonly after: () => number;
  /** Whether all periods have the same bases, relative to their beginnings. */
  readonly isRegular: boolean;
  /** Steps for trying a period, whatever it yields. */
  readonly steps: number;
}

export function periodsOf(rule: Rule, start: number, limits: readonly Limit[]): Periods {
  if (rule.frequency === 'YEARLY') return years(rule, start);
  if (rule.frequency === 'MONTHLY') return months(rule, start);
  if (rule.frequency === 'WEEKLY') return weeks(rule, start);
  return clockPeriods(rule, start, limits);
}

/** Days, hours, minutes and seconds. After a period that a part of the rule excludes comes the first that it does not. */
function clockPeriods(rule: Rule, start: number, limits: readonly Limit[]): Periods {
  const length = LENGTHS[rule.frequency];
  const test = dayTestOf(rule, start);
  let known = { day: Number.NaN, isMeant: true };
  let next = 0;

  function isMeant(day: number): boolean {
    if (test !== null && day !== known.day) known = { day, isMeant: test(dayOf(day, rule.weekStart)) };
    return known.isMeant;
  }

  /** The reading itself if no part excludes it, else the end of the exclusion. */
  function opening(wall: number): number {
    const day = Math.floor(wall / DAY);
    if (!isMeant(day)) return (day + 1) * DAY;
    for (const { unit, cycle, values } of limits) {
      const count = Math.floor(wall / unit);
      if (!values.has(modulo(count, cycle))) return (count + 1) * unit;
    }
    return wall;
  }

  return {
    numberOf: (wall) => Math.floor(wall / length),
    begin: (period) => period * length,
    bases: (period) => {
      const begin = period * length;
      const open = opening(begin);
      next = open / length;
      return open === begin ? [begin] : [];
    },
    after: () => next,
    isRegular: test === null && limits.length === 0,
    steps: 0,
  };
}

function weeks(rule: Rule, start: number): Periods {
  const { weekStart, by } = rule;
  const length = 7 * DAY;
  // 1970-01-01 was a Thursday.
  const origin = (weekStart - 3) * DAY;
  const numberOf = (wall: number) => Math.floor((wall - origin) / length);
  const weekdays = by.BYDAY ?? [weekdayOf(Math.floor(start / DAY))];
  const shifts = weekdays.map((weekday) => modulo(weekday - weekStart, 7) * DAY).sort(ascending);
  const test = by.BYMONTH === undefined ? null : dayTestOf(rule, start);
  const begin = (period: number) => period * length + origin;
  return {
    numberOf,
    begin,
    bases: (period) => {
      const bases = shifts.map((shift) => begin(period) + shift);
      return test === null ? bases : bases.filter((base) => test(dayOf(base / DAY, weekStart)));
    },
    after: () => 0,
    isRegular: test === null,
    steps: 0,
  };
}

function months(rule: Rule, start: number): Periods {
  const test = dayTestOf(rule, start);
  return {
    numberOf: (wall) => {
      const date = new Date(wall * 1000);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    },
    begin: (month) => firstOfMonth(month) * DAY,
    bases: (month) => basesIn(daysOfMonth(month, rule.weekStart), test),
    after: () => 0,
    isRegular: false,
    steps: inTens(31),
  };
}

function years(rule: Rule, start: number): Periods {
  const test = dayTestOf(rule, start);
  const months = monthsOf(rule, start);
  return {
    numberOf: (wall) => new Date(wall * 1000).getUTCFullYear(),
    begin: (year) => firstOfMonth(12 * year) * DAY,
    bases: (year) =>
      months.flatMap((month) => basesIn(daysOfMonth(12 * year + month - 1, rule.weekStart), test)),
    after: () => 0,
    isRegular: false,
    steps: inTens(31 * months.length),
  };
}

function basesIn(days: readonly Day[], test: DayTest | null): readonly number[] {
  const bases: number[] = [];
  for (const day of days) if (test === null || test(day)) bases.push(day.number * DAY);
  return bases;
}

/** In a period shorter than a day, a part may apply to the whole period: then it includes or excludes the period. */
export interface Limit {
  readonly unit: number;
  readonly cycle: number;
  readonly values: ReadonlySet<number>;
}

/** Seconds of a period; for months and years only that they are longer than a day matters. */
export const LENGTHS: Readonly<Record<Frequency, number>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: HOUR,
  DAILY: DAY,
  WEEKLY: 7 * DAY,
  MONTHLY: 31 * DAY,
  YEARLY: 366 * DAY,
};

/** Ten days or times that are tried or combined count as one step. */
export const inTens = (looks: number) => Math.floor(looks / 10);

export const ascending = (left: number, right: number) => left - right;
export const modulo = (value: number, cycle: number) => ((value % cycle) + cycle) % cycle;

interface Day {
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

/** A position among a number, counted from 1: the 3rd of 31 is also the -29th. */
interface Place {
  readonly at: number;
  readonly of: number;
}

type DayTest = (day: Day) => boolean;

/** Null if any day passes, at least within the rule's periods that have one. */
function dayTestOf(rule: Rule, start: number): DayTest | null {
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

/** `TU` is every Tuesday; `2TU` and `-1TU` count within the month if the rule names months, else within the year. */
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

/** Parts that a rule does not set are those of its start (RFC 5545, 3.3.10). */
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

/** The months, from 1 and ascending, in which a yearly rule has days. */
function monthsOf({ by }: Rule, start: number): readonly number[] {
  if (by.BYMONTH !== undefined) return by.BYMONTH.toSorted((left, right) => left - right);
  const isInAny = [by.BYDAY, by.BYMONTHDAY, by.BYYEARDAY, by.BYWEEKNO].some((part) => part !== undefined);
  return isInAny ? ALL_MONTHS : [new Date(start * 1000).getUTCMonth() + 1];
}

const ALL_MONTHS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** `weekStart` is the first weekday of a week. */
function dayOf(number: number, weekStart: number): Day {
  const days = daysOfYear(new Date(number * DAY * 1000).getUTCFullYear(), weekStart);
  const day = days[number - (days[0]?.number ?? 0)];
  if (day === undefined) throw new RangeError(`expected the number of a day, got ${number}`);
  return day;
}

/** Months are numbered from January of year 0. */
function daysOfMonth(month: number, weekStart: number): readonly Day[] {
  const days = daysOfYear(Math.floor(month / 12), weekStart);
  const place = firstOfMonth(month) - (days[0]?.number ?? 0);
  return days.slice(place, place + (days[place]?.monthDay.of ?? 0));
}

/** The day number of a month's first day. */
function firstOfMonth(month: number): number {
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

/** A build needs the same two or three years for every rule. */
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
