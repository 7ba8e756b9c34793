/** Expands one series on its clock, without the dates that it excludes (A11). */
import type { Occurrence } from '../../src/calendar/model.ts';
import { DAY, instantIn, instantOf, type OffsetAt, osloDay } from '../../src/calendar/time.ts';
import type { Allowance, EventAllowance } from './allowance.ts';
import { createClocks, wallIn } from './clocks.ts';
import { type Expansion, expand } from './expand.ts';
import { occurrenceOf } from './occurrences.ts';
import type { Rule } from './rule.ts';
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
  /** Limit on the starts of a rule. */
  readonly most?: number;
}

/** The starts of a set on its clock, before they are moved. */
export function expandSet(set: RecurrenceSet, window: Window, allowance: EventAllowance): Expansion {
  const { clock, start, rules, starts } = set;
  const from = window.from === null ? start : wallIn(clock, window.from);
  const wanted = { ...window, start, from: Math.max(start, from), until: wallIn(clock, window.until) };
  let cut: string | null = null;
  const wallsOf = (rule: Rule, keep: (wall: number) => boolean): readonly number[] => {
    const expansion = expand(rule, { ...wanted, keep }, allowance);
    cut ??= expansion.cut;
    return expansion.walls;
  };

  const excluded = excludedInstants(set, (rule) => wallsOf(rule, () => true));
  const isExcluded = (wall: number) => excluded.has(instantIn(clock, wall));
  const keep = excluded.size === 0 ? window.keep : (wall: number) => !isExcluded(wall) && window.keep(wall);
  const walls = new Set(rules.flatMap((rule) => wallsOf(rule, keep)));
  for (const wall of starts) if (keep(wall)) walls.add(wall);
  return { walls: [...walls].sort((left, right) => left - right), cut };
}

/** By instants, because two readings may be the same instant when the clock changes. */
function excludedInstants(
  { clock, except, exceptRules }: RecurrenceSet,
  wallsOf: (rule: Rule) => readonly number[],
): ReadonlySet<number> {
  const walls = [...except, ...exceptRules.flatMap((rule) => wallsOf(rule))];
  return new Set(walls.map((wall) => instantIn(clock, wall)));
}

/** F13: a date of a series, with its reading on the series' clock. */
interface SeriesDate {
  readonly wall: number;
  readonly date: Occurrence;
}

/** Finds the dates of a series that start on a Norwegian day, whenever that is. */
export type FindDays = (series: Series, day: number, source: string) => readonly SeriesDate[];

export function createDayFinder(allowance: Allowance): FindDays {
  const clockOf = createClocks(allowance);
  return (series, day, source) => {
    const clocked = { ...series, clock: clockOf(series.zone) };
    const reach = Math.max(0, ...series.phases.map(({ shift }) => Math.abs(shift))) + DAY;
    const from = instantOf(day * DAY);
    const window = { from: from - reach, until: from + DAY + reach, keep: () => true };
    return expandSet(clocked, window, allowance.forEvent(source))
      .walls.map((wall) => ({ wall, date: occurrenceOf(clocked, wall) }))
      .filter(({ date }) => osloDay(date.start) === day);
  };
}
