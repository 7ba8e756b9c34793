/**
 * Rules become starts (F4), as RFC 5545, 3.3.10 has it. A rule is expanded on the wall clock, as if its place were on UTC; what
 * a clock change does to a start is decided later (A12). The first start counts only when the rule gives it.
 *
 * A rule has periods, of which every INTERVALth counts. Candidates in a period are the days that meet every part of the rule,
 * each at all of the rule's times, of which BYSETPOS picks some. Periods are looked at one by one, and those that give nothing
 * cost a step: nobody can write a rule that is worked on for ever.
 */
import { DAY, HOUR, weekdayOf } from '../../src/calendar/time.ts';
import type { EventAllowance, Share } from './allowance.ts';
import { type Day, type DayTest, dayOf, daysOfMonth, dayTestOf, firstOfMonth, monthsOf } from './days.ts';
import type { Frequency, Rule } from './rule.ts';

export interface Wanted {
  /** Wall clock reading at which the rule begins (DTSTART). */
  readonly start: number;
  /** The first and the last reading that is of interest. */
  readonly from: number;
  readonly until: number;
  /** Leaves out exceptions, and what is over. */
  readonly keep: (wall: number) => boolean;
  /** No more than that many; without it, as many as the allowance grants. */
  readonly most?: number;
}

export interface Expansion {
  /** Wall clock readings, ascending. */
  readonly walls: readonly number[];
  /** What was expected of the rule so that there would be more; null when these are all. */
  readonly cut: string | null;
}

export function expand(rule: Rule, wanted: Wanted, allowance: EventAllowance): Expansion {
  const share = allowance.share();
  const walls: number[] = [];
  for (const wall of readings(rule, wanted, share)) {
    const isKept = wanted.keep(wall);
    if (isKept ? !share.keep() : !share.work(1)) break;
    if (isKept && walls.push(wall) === wanted.most) break;
  }
  return { walls, cut: share.refused() };
}

function readings(written: Rule, { start, ...wanted }: Wanted, share: Share): Iterable<number> {
  const rule = asWeekly(written);
  const times = timesOf(rule, start);
  if (!share.work(inTens(times.count))) return [];
  const { limits, offsets } = times.list();
  if (offsets.length === 0 || limits.some(({ values }) => values.size === 0)) return [];
  const range = {
    rule,
    start,
    from: Math.max(start, wanted.from),
    until: Math.min(wanted.until, rule.until ?? wanted.until),
    periods: periodsOf(rule, start, limits),
    candidates: candidatesOf(rule.by.BYSETPOS, offsets),
  };
  const looks = offsets.length + (rule.by.BYSETPOS?.length ?? 0);
  return range.periods.isRegular ? regularReadings(range) : unevenReadings(range, looks, share);
}

/** Every weekday, as most calendars write it, is a rule of regular weeks. */
function asWeekly(rule: Rule): Rule {
  const { frequency, interval, by } = rule;
  const isWeekly =
    frequency === 'DAILY' &&
    interval === 1 &&
    by.BYDAY !== undefined &&
    (by.BYMONTHDAY ?? by.BYSETPOS) === undefined;
  return isWeekly ? { ...rule, frequency: 'WEEKLY' } : rule;
}

interface Range {
  readonly rule: Rule;
  readonly start: number;
  readonly from: number;
  readonly until: number;
  readonly periods: Periods;
  readonly candidates: (bases: readonly number[]) => readonly number[];
}

/** By arithmetic: all periods have the same candidates, counted from their beginning. What is not kept costs nothing. */
function* regularReadings({ rule, start, from, until, periods, candidates }: Range): Generator<number> {
  const first = periods.numberOf(start);
  const origin = periods.begin(first);
  const step = periods.begin(first + rule.interval) - origin;
  const offsets = candidates(periods.bases(first)).map((wall) => wall - origin);
  if (offsets.length === 0) return;
  const passed = Math.floor((from - origin) / step);
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  // COUNT begins at the start, whatever is wanted.
  if (passed > 0) {
    left -= offsets.filter((offset) => origin + offset >= start).length + (passed - 1) * offsets.length;
  }
  for (let begin = origin + passed * step; begin <= until; begin += step) {
    for (let place = 0; place < offsets.length; place++) {
      const wall = begin + (offsets[place] ?? 0);
      if (wall < start) continue;
      if (wall > until || left <= 0) return;
      left--;
      if (wall >= from) yield wall;
    }
  }
}

function* unevenReadings(
  { rule, start, from, until, periods, candidates }: Range,
  looks: number,
  share: Share,
): Generator<number> {
  const first = periods.numberOf(start);
  const passed = rule.count === null ? Math.floor((periods.numberOf(from) - first) / rule.interval) : 0;
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  let period = first + passed * rule.interval;
  while (left > 0 && periods.begin(period) <= until) {
    const bases = periods.bases(period);
    if (!share.work(periods.steps + inTens(bases.length * looks))) return;
    let isEmpty = true;
    for (const wall of candidates(bases)) {
      if (wall < start) continue;
      if (wall > until || left === 0) return;
      left--;
      if (wall < from) continue;
      isEmpty = false;
      yield wall;
    }
    if (isEmpty && !share.work(1)) return;
    const next = Math.max(period + rule.interval, bases.length === 0 ? periods.after() : 0);
    period = first + Math.ceil((next - first) / rule.interval) * rule.interval;
  }
}

/** Ten days or times that are looked at, or put together, are as much work as a step. */
const inTens = (looks: number) => Math.floor(looks / 10);

/** The parts of a rule that tell the time, with the seconds that one of them is, and how many there are. */
const TIMES = [
  ['BYHOUR', HOUR, 24],
  ['BYMINUTE', 60, 60],
  ['BYSECOND', 1, 60],
] as const;

/** Within a period that is shorter than a day a part may be the period's own: then it lets the period in, or not. */
interface Limit {
  readonly unit: number;
  readonly cycle: number;
  readonly values: ReadonlySet<number>;
}

interface Times {
  readonly limits: readonly Limit[];
  /** Seconds after the beginning of a period, or of its days, at which there is a candidate; ascending. */
  readonly offsets: readonly number[];
}

function timesOf(rule: Rule, start: number): { readonly count: number; readonly list: () => Times } {
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

/** Seconds of a period; of months and years only that they are longer than a day matters. */
const LENGTHS: Readonly<Record<Frequency, number>> = {
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

/** All days at all times, in order; with BYSETPOS those at certain places among them. */
function candidatesOf(
  positions: readonly number[] | undefined,
  offsets: readonly number[],
): Range['candidates'] {
  const all = (bases: readonly number[]) => bases.flatMap((base) => offsets.map((offset) => base + offset));
  if (positions === undefined) return all;
  return (bases) => {
    const walls = all(bases);
    const places = positions.map((position) => (position > 0 ? position - 1 : walls.length + position));
    return [...new Set(places)].sort(ascending).flatMap((place) => walls[place] ?? []);
  };
}

/** The periods of a rule: units of its frequency, numbered without gaps. */
interface Periods {
  /** Of the period that a reading lies in. */
  readonly numberOf: (wall: number) => number;
  readonly begin: (period: number) => number;
  /** Beginnings of the days that the rule means in a period, ascending; of a shorter period its own, or none. */
  readonly bases: (period: number) => readonly number[];
  /** After a period without bases: a later one before which none has any; 0 when that is not known. */
  readonly after: () => number;
  /** Whether all periods have the same bases, counted from their beginnings. */
  readonly isRegular: boolean;
  /** What looking at one costs, apart from what comes of it. */
  readonly steps: number;
}

function periodsOf(rule: Rule, start: number, limits: readonly Limit[]): Periods {
  switch (rule.frequency) {
    case 'YEARLY':
      return years(rule, start);
    case 'MONTHLY':
      return months(rule, start);
    case 'WEEKLY':
      return weeks(rule, start);
    default:
      return clockPeriods(rule, start, limits);
  }
}

/** Days, hours, minutes and seconds. One that a part of the rule rules out is followed by the first that it does not. */
function clockPeriods(rule: Rule, start: number, limits: readonly Limit[]): Periods {
  const length = LENGTHS[rule.frequency];
  const test = dayTestOf(rule, start);
  let known = { day: Number.NaN, isMeant: true };
  let next = 0;

  function isMeant(day: number): boolean {
    if (test !== null && day !== known.day) known = { day, isMeant: test(dayOf(day, rule.weekStart)) };
    return known.isMeant;
  }

  /** The reading itself when nothing rules it out, else where that ends. */
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
