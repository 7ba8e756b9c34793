/**
 * Expands rules to starts (F4), by RFC 5545, 3.3.10. A rule is expanded on the wall clock, as if its place were on UTC; the effect of a
 * clock change on a start is decided later (A12). The first start counts only if the rule yields it.
 *
 * A rule has periods, of which every INTERVALth counts. Candidates in a period are the days that meet every part of the rule, each at all
 * of the rule's times, of which BYSETPOS selects some. Periods are tried one by one, and a period without candidates costs a step: so the
 * work for any rule is bounded.
 */
import { HOUR } from '../../src/calendar/time.ts';
import type { EventAllowance } from './allowance.ts';
import { ascending, modulo } from './calendar-math.ts';
import { inTens, LENGTHS, type Limit, periodsOf } from './periods.ts';
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
  readonly most?: number | undefined;
}

export interface Expansion {
  /** Wall clock readings, ascending. */
  readonly walls: readonly number[];
  /** The expected form of a rule with more starts; null if these are all. */
  readonly cut: string | null;
}

/** The starts of a rule on its clock, until it ends, the wanted range does, or the allowance is used up. */
export function expand(rule: Rule, wanted: Wanted, allowance: EventAllowance): Expansion {
  let cut: string | null = null;
  const work: Work = (steps) => {
    if (steps > 0) cut ??= allowance.takeSteps(steps);
    return cut === null;
  };
  const walls: number[] = [];
  for (const wall of readings(rule, wanted, work)) {
    const isKept = wanted.keep(wall);
    cut ??= isKept ? allowance.takeOccurrences(1) : allowance.takeSteps(1);
    if (cut !== null) break;
    if (isKept) walls.push(wall);
    if (walls.length === wanted.most) break;
  }
  return { walls, cut };
}

/** Takes some steps; returns false if not enough are left. */
type Work = (steps: number) => boolean;

/** The starts of a rule, in order, as readings of its clock. Ends early if no work is left. */
function* readings(rule: Rule, { start, ...wanted }: Wanted, work: Work): Generator<number> {
  const { interval, count, by } = rule;
  const times = timesOfDay(rule, start);
  // They are counted before they are listed: BYHOUR, BYMINUTE and BYSECOND allow 86,400.
  if (!work(inTens(times.count))) return;
  const { limits, offsets } = times.list();
  if (offsets.length === 0 || limits.some(({ values }) => values.size === 0)) return;
  const from = Math.max(start, wanted.from);
  const until = Math.min(wanted.until, rule.until ?? wanted.until);
  const periods = periodsOf(rule, start, limits);
  const triesPerDay = offsets.length + (by.BYSETPOS?.length ?? 0);
  const first = periods.numberOf(start);
  let remaining = count ?? Number.POSITIVE_INFINITY;
  // COUNT begins at the start, even if the wanted range begins later: then no period is skipped.
  const skipped = count === null ? Math.floor((periods.numberOf(from) - first) / interval) : 0;
  let period = first + skipped * interval;
  while (remaining > 0 && periods.begin(period) <= until) {
    const bases = periods.bases(period);
    if (!work(periods.steps + inTens(bases.length * triesPerDay))) return;
    let hasYielded = false;
    for (const wall of candidatesOf(bases, offsets, by.BYSETPOS)) {
      if (wall < start) continue;
      if (wall > until || remaining === 0) return;
      remaining--;
      if (wall < from) continue;
      hasYielded = true;
      yield wall;
    }
    if (!hasYielded && !work(1)) return;
    // A period without days: the next that has some may be years ahead.
    const nextWithDays = bases.length === 0 ? (periods.after?.(period) ?? 0) : 0;
    const next = Math.max(period + interval, nextWithDays);
    period = first + Math.ceil((next - first) / interval) * interval;
  }
}

/** The parts of a rule that set times: the seconds of a unit, and the number of units after which it begins again. */
const TIMES = [
  { name: 'BYHOUR', unit: HOUR, cycle: 24 },
  { name: 'BYMINUTE', unit: 60, cycle: 60 },
  { name: 'BYSECOND', unit: 1, cycle: 60 },
] as const;

interface Times {
  readonly limits: readonly Limit[];
  /** Seconds after the beginning of a period, or of its days, at which there is a candidate; ascending. */
  readonly offsets: readonly number[];
}

function timesOfDay(rule: Rule, start: number): { readonly count: number; readonly list: () => Times } {
  const length = LENGTHS[rule.frequency];
  const given = TIMES.map(({ name, unit, cycle }) => ({
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
