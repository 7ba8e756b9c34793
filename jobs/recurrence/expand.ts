/**
 * Expands rules to starts (F4, dates in records), by RFC 5545, 3.3.10. A rule is expanded on the wall clock, as if its place were on UTC;
 * the effect of a clock change on a start is decided later (A12, clock changes). The first start counts only if the rule yields it.
 *
 * A rule has periods, of which every INTERVALth counts. Candidates in a period are the days that meet every part of the rule, each at all
 * of the rule's times, of which BYSETPOS selects some. Periods are tried one by one, and a period without candidates costs a step: so the
 * work for any rule is bounded.
 */
import { HOUR } from '../../src/calendar/time.ts';
import { ascending, inTens, LENGTHS, type Limit, modulo, type Periods, periodsOf } from './periods.ts';
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

/** Every weekday, as most calendars write it, is a regular weekly rule. */
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

/** By arithmetic: all periods have the same candidates, relative to their beginning. Rejected ones cost nothing. */
function* regularReadings({ rule, start, from, until, periods, candidates }: Range): Generator<number> {
  const first = periods.numberOf(start);
  const origin = periods.begin(first);
  const step = periods.begin(first + rule.interval) - origin;
  const offsets = candidates(periods.bases(first)).map((wall) => wall - origin);
  if (offsets.length === 0) return;
  const passed = Math.floor((from - origin) / step);
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  // COUNT begins at the start, whatever range is wanted.
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

/** All days at all times, in order; with BYSETPOS only the selected ones. */
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

/**
 * Limits on rules, as counts: no rule can block or fill a build, and the same source always gives the same snapshot. Each event has
 * enough of its own for any real programme; beyond that, all events of a build share a pool.
 */

/** An occurrence three times an hour, nine hours a day, for a year: more than any venue lists as one event. */
export const MOST_OCCURRENCES = 10_000;
/** A daily event has 548 up to the horizon; hourly ones use the common pool. */
export const OCCURRENCES_FREELY = 1_000;
export const OCCURRENCES_IN_COMMON = 2_000_000;
/** The free ones included. Each takes about 100 bytes in a server's memory. */
export const MOST_IN_ALL = 10_000_000;

/** A step is a period without candidates, an excluded date, or ten days or times that were tried. It takes 0.1 to 1 µs. */
export const MOST_WORK = 50_000;
/** Thirteen years of days, one by one. */
export const WORK_FREELY = 5_000;
export const WORK_IN_COMMON = 400_000;

/** One for all rules of a build. */
export interface Allowance {
  readonly forEvent: () => EventAllowance;
}

/** One for all rules of an event. */
export interface EventAllowance {
  readonly share: () => Share;
}

/** One rule's use of the allowance. */
interface Share {
  /** Takes some steps; returns false if not enough are left. */
  readonly work: (steps: number) => boolean;
  /** Takes one occurrence; returns false if none is left. */
  readonly keep: () => boolean;
  /** The limit that was exceeded, in words; null if all was granted. */
  readonly refused: () => string | null;
}

export function createAllowance(): Allowance {
  const work = createPool(WORK_IN_COMMON);
  const occurrences = createPool(OCCURRENCES_IN_COMMON);
  const all = createPool(MOST_IN_ALL);
  return {
    forEvent: () => {
      const takeWork = createTaker({ most: MOST_WORK, freely: WORK_FREELY, pool: work });
      const takeOccurrences = createTaker({
        most: MOST_OCCURRENCES,
        freely: OCCURRENCES_FREELY,
        pool: occurrences,
      });
      return { share: () => createShare(takeWork, () => (all(1) ? takeOccurrences(1) : MOST_IN_ALL)) };
    },
  };
}

/** Null, or the limit that was exceeded. */
type Taken = number | null;

function createShare(work: (steps: number) => Taken, keep: () => Taken): Share {
  let refused: string | null = null;
  function granted(limit: Taken, what: string): boolean {
    if (limit !== null) refused = `at most ${limit} ${what}`;
    return limit === null;
  }
  return {
    work: (steps) => granted(work(steps), 'readings to look at'),
    keep: () => granted(keep(), 'occurrences'),
    refused: () => refused,
  };
}

/** Takes an amount; returns whether it was left. */
type Pool = (amount: number) => boolean;

function createPool(size: number): Pool {
  let left = size;
  return (amount) => {
    if (amount > left) return false;
    left -= amount;
    return true;
  };
}

function createTaker({ most, freely, pool }: { most: number; freely: number; pool: Pool }) {
  let taken = 0;
  return (amount: number): Taken => {
    const next = taken + amount;
    if (next > most) return most;
    const beyond = Math.max(0, next - freely) - Math.max(0, taken - freely);
    if (beyond > 0 && !pool(beyond)) return freely;
    taken = next;
    return null;
  };
}
