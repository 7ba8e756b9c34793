/**
 * Rules become starts (F4). A rule is expanded on the wall clock, as if Norway were on UTC; what a clock change does to a
 * start is decided later (A12). As RFC 5545's algorithm has it, the first start counts only when the rule gives it.
 *
 * A hostile rule costs little: it was read strictly, it is expanded in stretches of bounded size, and it is cut when it has
 * had its share of work or of occurrences.
 */
import { RRuleTemporal } from 'rrule-temporal';
import { messageOf } from '../src/calendar/errors.ts';
import { DAY, formatWall, HOUR } from '../src/calendar/time.ts';
import type { EventAllowance, Share } from './recurrence/allowance.ts';
import { type Period, periodsOf } from './recurrence/days.ts';
import { plainSeries, type Series } from './recurrence/plain.ts';
import type { ByName, Frequency, Rule } from './recurrence/rule.ts';

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
  try {
    for (const wall of readings(rule, wanted, share)) {
      const kept = wanted.keep(wall);
      const granted = kept ? share.keep() : share.work(1);
      if (!granted || (kept && walls.push(wall) === wanted.most)) break;
    }
  } catch (thrown) {
    return { walls, cut: `a rule that the library can expand: ${messageOf(thrown)}` };
  }
  return { walls, cut: share.refused() };
}

function readings(rule: Rule, wanted: Wanted, share: Share): Iterable<number> {
  const range = { ...wanted, until: Math.min(wanted.until, rule.until ?? wanted.until) };
  const series = plainSeries(rule, wanted.start);
  if (series !== null) return readSeries(series, rule.count, range);
  const periods = periodsOf(rule, wanted.start, firstLook(rule, wanted));
  return periods === null
    ? readLibrary(rule, range, share)
    : readPeriods(periods, rule.count, { ...range, share });
}

/** COUNT begins at the start, whatever is wanted. */
function firstLook(rule: Rule, { start, from }: Wanted): number {
  return rule.count === null ? Math.max(start, from) : start;
}

function* readSeries(series: Series, count: number | null, { from, until }: Wanted): Iterable<number> {
  for (let index = series.indexFrom(from); index < (count ?? Number.POSITIVE_INFINITY); index++) {
    const wall = series.at(index);
    if (wall > until) return;
    yield wall;
  }
}

function* readPeriods(
  periods: Iterable<Period>,
  count: number | null,
  { start, from, until, share }: Wanted & { readonly share: Share },
): Iterable<number> {
  let left = count ?? Number.POSITIVE_INFINITY;
  for (const { begin, candidates, readings } of periods) {
    if (begin > until || !share.work(Math.ceil(candidates / CHEAPER))) return;
    for (const wall of readings()) {
      if (wall < start) continue;
      if (wall > until) return;
      if (wall >= from) yield wall;
      left--;
      if (left === 0) return;
    }
  }
}

/** So many candidates that are looked at here cost as much as one of the library's. */
const CHEAPER = 10;

/** The library is asked for one stretch of time after the other, and never for COUNT: that would be one long call. */
function* readLibrary(rule: Rule, wanted: Wanted, share: Share): Iterable<number> {
  const { start, from, until } = wanted;
  const text = libraryText(rule, start);
  if (text === null) return;
  const library = new RRuleTemporal({ rruleString: text, cache: false, maxIterations: LIBRARY_STEPS });
  const perDay = candidatesPerDay(rule);
  const stretch = Math.max(PERIODS[rule.frequency], Math.floor((STRETCH / perDay) * DAY));
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (let at = firstLook(rule, wanted); at <= until; at += stretch) {
    const end = Math.min(at + stretch - 1, until);
    if (!share.work(Math.ceil(((end - at) / DAY) * perDay) + 1)) return;
    for (const moment of library.between(new Date(at * 1000), new Date(end * 1000), true)) {
      const wall = moment.epochMilliseconds / 1000;
      if (wall >= from) yield wall;
      left--;
      if (left === 0) return;
    }
  }
}

/** Candidates in one call to the library. */
const STRETCH = 4_000;
/** Steps after which the library gives up; it takes a few a candidate, so this never cuts a stretch short. */
const LIBRARY_STEPS = 50_000;

/** Seconds that a stretch must have, so that a period is not worked out again and again. */
const PERIODS: Readonly<Record<Frequency, number>> = {
  SECONDLY: 1,
  MINUTELY: 60,
  HOURLY: HOUR,
  DAILY: DAY,
  WEEKLY: 7 * DAY,
  MONTHLY: 31 * DAY,
  YEARLY: 366 * DAY,
};

/** How often a day has a candidate, at most: the rule's periods, each with the times that the rule spreads in it. */
function candidatesPerDay(rule: Rule): number {
  const hours = rule.by.get('BYHOUR')?.length;
  const minutes = rule.by.get('BYMINUTE')?.length;
  const seconds = rule.by.get('BYSECOND')?.length;
  const periods = Math.ceil(DAY / PERIODS[rule.frequency] / rule.interval);
  switch (rule.frequency) {
    case 'SECONDLY':
      return Math.min(periods, (hours ?? 24) * (minutes ?? 60) * (seconds ?? 60));
    case 'MINUTELY':
      return Math.min(periods, (hours ?? 24) * (minutes ?? 60)) * (seconds ?? 1);
    case 'HOURLY':
      return Math.min(periods, hours ?? 24) * (minutes ?? 1) * (seconds ?? 1);
    default:
      // Whole months and years are worked out by counting; a day of theirs costs a fraction.
      return ((hours ?? 1) * (minutes ?? 1) * (seconds ?? 1)) / 4;
  }
}

/** The rule without its bounds, as the library reads it; null when it can never be met. */
function libraryText(rule: Rule, start: number): string | null {
  const parts = [`FREQ=${rule.frequency}`, `INTERVAL=${rule.interval}`, `WKST=${rule.weekStart}`];
  for (const [name, values] of rule.by) {
    const real = values.filter((value) => !isLeapSecond(name, value));
    if (real.length === 0) return null;
    parts.push(`${name}=${real.join(',')}`);
  }
  return `DTSTART:${formatWall(start).replace(' ', 'T').replace(/[-:]/g, '')}Z\nRRULE:${parts.join(';')}`;
}

/** RFC 5545 allows a sixtieth second; no clock of this calendar shows one. */
function isLeapSecond(name: ByName, value: string): boolean {
  return name === 'BYSECOND' && value === '60';
}
