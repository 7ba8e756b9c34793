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
import type { Allowance, Share } from './recurrence/allowance.ts';
import { plainSeries, type Series } from './recurrence/plain.ts';
import type { ByName, Frequency, Rule } from './recurrence/rule.ts';
import { readingsOfYear, YEARLY_DAY_PARTS } from './recurrence/yearly.ts';

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

export function expand(rule: Rule, wanted: Wanted, allowance: Allowance): Expansion {
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
  const choosesDays = YEARLY_DAY_PARTS.some((name) => rule.by.has(name));
  return rule.frequency === 'YEARLY' && choosesDays
    ? readYears(rule, range, share)
    : readLibrary(rule, range, share);
}

function* readSeries(series: Series, count: number | null, { from, until }: Wanted): Iterable<number> {
  const end = count ?? Number.POSITIVE_INFINITY;
  for (let index = series.indexFrom(from); index < end; index++) {
    const wall = series.at(index);
    if (wall > until) return;
    yield wall;
  }
}

function* readYears(rule: Rule, { start, from, until }: Wanted, share: Share): Iterable<number> {
  const candidates = Math.ceil(candidatesPerDay(rule) * 366);
  const first = yearOf(start);
  // Without COUNT, what was before is of no interest.
  const skipped = rule.count === null ? Math.max(0, Math.floor((yearOf(from) - first) / rule.interval)) : 0;
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (let year = first + skipped * rule.interval; year <= yearOf(until); year += rule.interval) {
    if (!share.work(candidates)) return;
    for (const wall of readingsOfYear(rule, start, year)) {
      if (wall < start) continue;
      if (wall > until || left === 0) return;
      left--;
      if (wall >= from) yield wall;
    }
  }
}

function yearOf(wall: number): number {
  return new Date(wall * 1000).getUTCFullYear();
}

/** The library is asked for one stretch of time after the other, and never for COUNT: that would be one long call. */
function* readLibrary(rule: Rule, { start, from, until }: Wanted, share: Share): Iterable<number> {
  const text = libraryText(rule, start);
  if (text === null) return;
  const library = new RRuleTemporal({ rruleString: text, cache: false, maxIterations: LIBRARY_STEPS });
  const perDay = candidatesPerDay(rule);
  const stretch = Math.max(PERIODS[rule.frequency], Math.floor((STRETCH / perDay) * DAY));
  let left = rule.count ?? Number.POSITIVE_INFINITY;
  for (let at = rule.count === null ? Math.max(start, from) : start; at <= until; at += stretch) {
    const end = Math.min(at + stretch - 1, until);
    if (!share.work(Math.ceil(((end - at) / DAY) * perDay) + 1)) return;
    for (const moment of library.between(new Date(at * 1000), new Date(end * 1000), true)) {
      const wall = moment.epochMilliseconds / 1000;
      if (left === 0) return;
      left--;
      if (wall >= from) yield wall;
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
    case 'DAILY':
    case 'WEEKLY':
      // To pick by position the library makes each candidate first, at several times the cost.
      return (hours ?? 1) * (minutes ?? 1) * (seconds ?? 1) * (rule.by.has('BYSETPOS') ? 4 : 1);
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
