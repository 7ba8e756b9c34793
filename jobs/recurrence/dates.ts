/** Expands one series on its clock, without the dates that it excludes (A11). */
import { instantIn, type OffsetAt } from '../../src/calendar/time.ts';
import type { EventAllowance } from './allowance.ts';
import { wallIn } from './clocks.ts';
import { type Expansion, expand } from './expand.ts';
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
  const range = { start, from: Math.max(start, from), until: wallIn(clock, window.until) };

  // Exceptions are expanded without `most`: any of them may exclude the next start of a rule. Listed starts are kept beyond the range (A11), so
  // each of those is also looked up.
  const later = starts.filter((wall) => wall > range.until);
  const ranges = [range, ...later.map((wall) => ({ start, from: wall, until: wall }))];
  const exceptions = set.exceptRules.flatMap((rule) =>
    ranges.map((part) => expand(rule, { ...part, keep: () => true }, allowance)),
  );
  const excluded = instantsOf([...set.except, ...exceptions.flatMap(({ walls }) => walls)], clock);
  const isExcluded = (wall: number) => excluded.has(instantIn(clock, wall));
  const keep = excluded.size === 0 ? window.keep : (wall: number) => !isExcluded(wall) && window.keep(wall);

  const expansions = rules.map((rule) => expand(rule, { ...range, keep, most: window.most }, allowance));
  const walls = new Set(expansions.flatMap((expansion) => expansion.walls));
  for (const wall of starts) if (keep(wall)) walls.add(wall);
  const firstCut = [...exceptions, ...expansions].find(({ cut }) => cut !== null);
  return { walls: [...walls].sort((left, right) => left - right), cut: firstCut?.cut ?? null };
}

/** Two readings may be the same instant when the clock changes. */
function instantsOf(walls: readonly number[], clock: OffsetAt): ReadonlySet<number> {
  return new Set(walls.map((wall) => instantIn(clock, wall)));
}
