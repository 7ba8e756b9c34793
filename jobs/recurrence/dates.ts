/** Expands one series on its clock, without the dates that it excludes (A11). */
import { instantIn, type OffsetAt } from '../../src/calendar/time.ts';
import type { EventAllowance } from './allowance.ts';
import { wallIn } from './clocks.ts';
import { type Expansion, expand, type Wanted } from './expand.ts';
import type { Series } from './series.ts';

/** The parts of a series that are expanded, on their clock. */
export interface RecurrenceSet extends Pick<Series, 'start' | 'rules' | 'exceptRules' | 'starts' | 'except'> {
  readonly clock: OffsetAt;
}

interface Window {
  /** Instant: earlier starts are not computed. Null: from the beginning on. */
  readonly from: number | null;
  /** The last instant at which an occurrence of a rule may start. Listed starts are kept at any distance (A11). */
  readonly until: number;
  /** Called for each start that is not excluded. */
  readonly keep: (wall: number) => boolean;
  /** Limit on the starts of each rule, without those that are excluded. */
  readonly most?: number;
}

/** The starts of a set on its clock, before they are moved. */
export function expandSet(set: RecurrenceSet, window: Window, allowance: EventAllowance): Expansion {
  const { clock, start, rules, starts } = set;
  const from = window.from === null ? start : wallIn(clock, window.from);
  const range: Range = { start, from: Math.max(start, from), until: wallIn(clock, window.until) };
  const exceptions = expandExceptions(set, range, allowance);
  const exceptionWalls = exceptions.flatMap(({ walls }) => walls);
  const keep = withoutExcluded(window.keep, [...set.except, ...exceptionWalls], clock);

  const expansions = rules.map((rule) => expand(rule, { ...range, keep, most: window.most }, allowance));
  const walls = new Set(expansions.flatMap((expansion) => expansion.walls));
  for (const wall of starts) if (keep(wall)) walls.add(wall);
  const firstCut = [...exceptions, ...expansions].find(({ cut }) => cut !== null);
  return { walls: [...walls].sort((left, right) => left - right), cut: firstCut?.cut ?? null };
}

/** Readings of the series' clock. */
type Range = Pick<Wanted, 'start' | 'from' | 'until'>;

/**
 * The dates of the exception rules in the range, and at each listed start after it, because those are kept beyond the range (A11). They are
 * expanded without `most`: any of them may exclude the next start of a rule.
 */
function expandExceptions(
  { starts, exceptRules }: RecurrenceSet,
  range: Range,
  allowance: EventAllowance,
): readonly Expansion[] {
  const laterStarts = starts.filter((wall) => wall > range.until);
  const ranges = [range, ...laterStarts.map((wall) => ({ ...range, from: wall, until: wall }))];
  return exceptRules.flatMap((rule) =>
    ranges.map((part) => expand(rule, { ...part, keep: () => true }, allowance)),
  );
}

/** Excludes instants: two readings may be the same instant when the clock changes. */
function withoutExcluded(
  keep: Window['keep'],
  excludedWalls: readonly number[],
  clock: OffsetAt,
): Window['keep'] {
  if (excludedWalls.length === 0) return keep;
  const excluded = new Set(excludedWalls.map((wall) => instantIn(clock, wall)));
  return (wall) => !excluded.has(instantIn(clock, wall)) && keep(wall);
}
