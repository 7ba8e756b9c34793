/**
 * Expands rules to starts (F4), by RFC 5545, 3.3.10. A rule is expanded on the wall clock, as if its place were on UTC; the effect of a
 * clock change on a start is decided later (A12). The first start counts only if the rule yields it.
 *
 * A rule has periods, of which every INTERVALth counts. Candidates in a period are the days that meet every part of the rule, each at all
 * of the rule's times, of which BYSETPOS selects some. Periods are tried one by one, and a period without candidates costs a step: so the
 * work for any rule is bounded.
 */
import { DAY, HOUR, weekdayOf } from '../../src/calendar/time.ts';
import type { EventAllowance } from './allowance.ts';
import type { Rule } from './rule.ts';

export interface Wanted {
  /** Wall clock reading at which the rule begins (DTSTART). */
  readonly start: number;
  /** The first and the last reading that is wanted. */
  readonly from: number;
  readonly until: number;
  /** Rejects exceptions, and past starts. */
  readonly keep: (wall: number) => boolean;
  /** Limit on the number; without it, as many as the allowance grants. */
  readonly most?: number;
}

export interface Expansion {
  /** Wall clock readings, ascending. */
  readonly walls: readonly number[];
  /** The expected form of a rule with more starts; null if these are all. */
  readonly cut: string | null;
}

export function expand(rule: Rule, wanted: Wanted, allowance: EventAllowance): Expansion {
  let cut: string | null = null;
  const work: Work = (steps) => {
    if (steps > 0) cut ??= allowance.work(steps);
    return cut === null;
  };
  const walls: number[] = [];
  for (const wall of readings(rule, wanted, work)) {
    const isKept = wanted.keep(wall);
    cut ??= isKept ? allowance.keep(1) : allowance.work(1);
    if (cut !== null || (isKept && walls.push(wall) === wanted.most)) break;
  }
  return { walls, cut };
}

/** Takes some steps; returns false if not enough are left. */
type Work = (steps: number) => boolean;

/** Ten days or times that are tried or combined count as one step. */
const inTens = (looks: number) => Math.floor(looks / 10);

function* readings(rule: Rule, { start, ...wanted }: Wanted, work: Work): Generator<number> {
  const { interval, count, by } = rule;
  const times = timesOfDay(rule, start);
  if (!work(inTens(times.count))) return;
  const { limits, offsets } = times.list();
  if (offsets.length === 0 || limits.some(({ values }) => values.size === 0)) return;
  const from = Math.max(start, wanted.from);
  const until = Math.min(wanted.until, rule.until ?? wanted.until);
  const periods = periodsOf(rule, start, limits);
  const looks = offsets.length + (by.BYSETPOS?.length ?? 0);
  const first = periods.numberOf(start);
  let left = count ?? Number.POSITIVE_INFINITY;
  // COUNT begins at the start, whatever range is wanted.
  const passed = count === null ? Math.floor((periods.numberOf(from) - first) / interval) : 0;
  let period = first + passed * interval;
  while (left > 0 && periods.begin(period) <= until) {
    const bases = periods.bases(period);
    if (!work(periods.steps + inTens(bases.length * looks))) return;
    let isEmpty = true;
    for (const wall of candidatesOf(bases, offsets, by.BYSETPOS)) {
      if (wall < start) continue;
      if (wall > until || left === 0) return;
      left--;
      if (wall < from) continue;
      isEmpty = false;
      yield wall;
    }
    if (isEmpty && !work(1)) return;
    const next = Math.max(period + interval, bases.length === 0 ? (periods.after?.(period) ?? 0) : 0);
    period = first + Math.ceil((next - first) / interval) * interval;
  }
}

/** The parts of a rule that set times, with the seconds of one unit, and the number of units. */
const TIMES = [
  ['BYHOUR', HOUR, 24],
  ['BYMINUTE', 60, 60],
  ['BYSECOND', 1, 60],
] as const;

interface Times {
  readonly limits: readonly Limit[];
  /** Seconds after the beginning of a period, or of its days, at which there is a candidate; ascending. */
  readonly offsets: readonly number[];
}

/** In a period shorter than a day, a part may apply to the whole period: then it includes or excludes the period. */
interface Limit {
  readonly unit: number;
  readonly cycle: number;
  readonly values: ReadonlySet<number>;
}

function timesOfDay(rule: Rule, start: number): { readonly count: number; readonly list: () => Times } {
  const length = LENGTHS[rule.frequency];
  const given = TIMES.map(([name, unit, cycle]) => ({
    unit,
    cycle,
    isLimit: unit >= length,
    // RFC 5545 allows a sixtieth second; no clock of this calendar shows one.
    values: rule.by[name]?.filter((value) => value < cycle),
  }));
  const within = given
    .filter(({ isLimit }) => !isLimit)
    .map(({ unit, cycle, values }) => ({
      unit,
      values: values ?? [modulo(Math.floor(start / unit), cycle)],
    }));
  const limits = given.flatMap(({ isLimit, unit, cycle, values }) =>
    isLimit && values !== undefined ? [{ unit, cycle, values: new Set(values) }] : [],
  );
  const list = (): Times => {
    const offsets = within.reduce<readonly number[]>(
      (all, { unit, values }) => all.flatMap((offset) => values.map((value) => offset + value * unit)),
      [0],
    );
    return { limits, offsets: offsets.toSorted(ascending) };
  };
  return { count: within.reduce((product, { values }) => product * values.length, 1), list };
}

/** All days at all times, in order; with BYSETPOS only the selected ones. */
function candidatesOf(
  bases: readonly number[],
  offsets: readonly number[],
  positions: readonly number[] | undefined,
): readonly number[] {
  const walls: number[] = [];
  for (const base of bases) for (const offset of offsets) walls.push(base + offset);
  if (positions === undefined) return walls;
  const indexes = positions.map((position) => (position > 0 ? position - 1 : walls.length + position));
  return [...new Set(indexes)].sort(ascending).flatMap((index) => walls[index] ?? []);
}

/** The periods of a rule: units of its frequency, numbered without gaps. */
interface Periods {
  /** Number of the period that contains a reading. */
  readonly numberOf: (wall: number) => number;
  readonly begin: (period: number) => number;
  /** Beginnings of the rule's days in a period, ascending; for a period shorter than a day its own beginning, or none. */
  readonly bases: (period: number) => readonly number[];
  /** After a period without bases: a later one before which no period has any. */
  readonly after?: (period: number) => number;
  /** Steps for trying a period, whatever it yields. */
  readonly steps: number;
}

function periodsOf(rule: Rule, start: number, limits: readonly Limit[]): Periods {
  if (rule.frequency === 'YEARLY') return years(rule, start);
  if (rule.frequency === 'MONTHLY') return months(rule, start);
  if (rule.frequency === 'WEEKLY') return weeks(rule, start);
  return clockPeriods(rule, start, limits);
}

/** Days, hours, minutes and seconds. After a period that a part of the rule excludes comes the first that it does not. */
function clockPeriods(rule: Rule, start: number, limits: readonly Limit[]): Periods {
  const length = LENGTHS[rule.frequency];
  const isMeant = dayTestOf(rule, start);

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
    bases: (period) => (opening(period * length) === period * length ? [period * length] : []),
    after: (period) => opening(period * length) / length,
    steps: 0,
  };
}

function weeks(rule: Rule, start: number): Periods {
  const isMeant = dayTestOf(rule, start);
  // 1970-01-01 was a Thursday.
  const origin = rule.weekStart - 3;
  return {
    numberOf: (wall) => Math.floor((wall / DAY - origin) / 7),
    begin: (week) => (7 * week + origin) * DAY,
    bases: (week) => basesIn(7 * week + origin, 7 * week + origin + 7, isMeant),
    steps: 0,
  };
}

function months(rule: Rule, start: number): Periods {
  const isMeant = dayTestOf(rule, start);
  return {
    numberOf: (wall) => {
      const date = new Date(wall * 1000);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    },
    begin: (month) => firstOfMonth(month) * DAY,
    bases: (month) => basesIn(firstOfMonth(month), firstOfMonth(month + 1), isMeant),
    steps: inTens(31),
  };
}

function years(rule: Rule, start: number): Periods {
  const { bases } = months(rule, start);
  const inYear = monthsOf(rule, start);
  return {
    numberOf: (wall) => new Date(wall * 1000).getUTCFullYear(),
    begin: (year) => firstOfMonth(12 * year) * DAY,
    bases: (year) => inYear.flatMap((month) => bases(12 * year + month - 1)),
    steps: inTens(31 * inYear.length),
  };
}

/** The months, from 1 and ascending, in which a yearly rule has days. */
function monthsOf({ by }: Rule, start: number): readonly number[] {
  if (by.BYMONTH !== undefined) return by.BYMONTH.toSorted(ascending);
  const isInAny = [by.BYDAY, by.BYMONTHDAY, by.BYYEARDAY, by.BYWEEKNO].some((part) => part !== undefined);
  return isInAny ? ALL_MONTHS : [new Date(start * 1000).getUTCMonth() + 1];
}

const ALL_MONTHS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** Beginnings of the days from one number up to another that pass. */
function basesIn(first: number, end: number, isMeant: DayTest): readonly number[] {
  const bases: number[] = [];
  for (let day = first; day < end; day++) if (isMeant(day)) bases.push(day * DAY);
  return bases;
}

/** Seconds of a period; for months and years only that they are longer than a day matters. */
const LENGTHS: Readonly<Record<Rule['frequency'], number>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: HOUR,
  DAILY: DAY,
  WEEKLY: 7 * DAY,
  MONTHLY: 31 * DAY,
  YEARLY: 366 * DAY,
};

const ascending = (left: number, right: number) => left - right;
const modulo = (value: number, cycle: number) => ((value % cycle) + cycle) % cycle;

/** Whether a day, as its number since 1970-01-01, meets a part of the rule. */
type DayTest = (day: number) => boolean;

/** Whether a day meets every part of a rule, at least within the rule's periods that have one. */
function dayTestOf(rule: Rule, start: number): DayTest {
  const tests = [...testsOf(rule), ...impliedTests(rule, start)];
  const [only, another] = tests;
  return only !== undefined && another === undefined ? only : (day) => tests.every((test) => test(day));
}

function testsOf({ frequency, by, weekStart }: Rule): readonly DayTest[] {
  const isInMonth = frequency === 'MONTHLY' || by.BYMONTH !== undefined;
  return [
    testOf(by.BYDAY, (wanted) => weekdayTest(wanted, isInMonth ? inMonth : inYear)),
    testOf(by.BYMONTH, (wanted) => (day) => wanted.has(dateOf(day).getUTCMonth() + 1)),
    testOf(by.BYMONTHDAY, (wanted) => placeTest(wanted, inMonth)),
    testOf(by.BYYEARDAY, (wanted) => placeTest(wanted, inYear)),
    testOf(by.BYWEEKNO, (wanted) => placeTest(wanted, (day) => weekOf(day, weekStart))),
  ].flat();
}

function testOf(
  values: readonly number[] | undefined,
  create: (wanted: ReadonlySet<number>) => DayTest,
): readonly DayTest[] {
  return values === undefined ? [] : [create(new Set(values))];
}

/** A position among a number, counted from 1: the 3rd of 31 is also the -29th. */
interface Place {
  readonly at: number;
  readonly of: number;
}

function placeTest(wanted: ReadonlySet<number>, placeOf: (day: number) => Place): DayTest {
  return (day) => {
    const { at, of } = placeOf(day);
    return wanted.has(at) || wanted.has(at - of - 1);
  };
}

/** `TU` is every Tuesday; `2TU` and `-1TU` count within the month if the rule names months, else within the year. */
function weekdayTest(wanted: ReadonlySet<number>, placeOf: (day: number) => Place): DayTest {
  const named = new Set([...wanted].map((code) => modulo(code, 7)));
  return (day) => {
    const weekday = weekdayOf(day);
    if (!named.has(weekday) || wanted.has(weekday)) return named.has(weekday);
    const { at, of } = placeOf(day);
    const fromEnd = Math.ceil((of + 1 - at) / 7);
    return wanted.has(Math.ceil(at / 7) * 7 + weekday) || wanted.has(weekday - fromEnd * 7);
  };
}

/** Parts that a rule does not set are those of its start (RFC 5545, 3.3.10). */
function impliedTests({ frequency, by }: Rule, start: number): readonly DayTest[] {
  if (by.BYDAY !== undefined || by.BYMONTHDAY !== undefined || by.BYYEARDAY !== undefined) return [];
  const first = Math.floor(start / DAY);
  if (frequency === 'WEEKLY' || by.BYWEEKNO !== undefined)
    return [(day) => weekdayOf(day) === weekdayOf(first)];
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY') return [];
  return [(day) => dateOf(day).getUTCDate() === dateOf(first).getUTCDate()];
}

const dateOf = (day: number) => new Date(day * DAY * 1000);

function inMonth(day: number): Place {
  const date = dateOf(day);
  const month = 12 * date.getUTCFullYear() + date.getUTCMonth();
  return { at: date.getUTCDate(), of: firstOfMonth(month + 1) - firstOfMonth(month) };
}

function inYear(day: number): Place {
  const january = 12 * dateOf(day).getUTCFullYear();
  return { at: day - firstOfMonth(january) + 1, of: firstOfMonth(january + 12) - firstOfMonth(january) };
}

/** A week belongs to the year that has its fourth day, and begins on the weekday `weekStart`. */
function weekOf(day: number, weekStart: number): Place {
  const first = day - modulo(weekdayOf(day) - weekStart, 7);
  const year = dateOf(first + 3).getUTCFullYear();
  const begin = firstWeek(year, weekStart);
  return { at: (first - begin) / 7 + 1, of: (firstWeek(year + 1, weekStart) - begin) / 7 };
}

function firstWeek(year: number, weekStart: number): number {
  const fourth = firstOfMonth(12 * year) + 3;
  return fourth - modulo(weekdayOf(fourth) - weekStart, 7);
}

/** The day number of a month's first day. Months are numbered from January of year 0; years begin in March here, so that leap days end them. */
function firstOfMonth(month: number): number {
  const year = Math.floor((month - 2) / 12);
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  return 365 * year + leapDays + Math.floor((153 * modulo(month - 2, 12) + 2) / 5) - EPOCH;
}

/** Days from 1 March of year 0 to 1970-01-01. */
const EPOCH = 719_468;
