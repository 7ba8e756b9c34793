/** The dates of one series, on its clock: which readings it has (A11), and when the occurrence at a reading starts and ends. */
import type { Occurrence } from '../../src/calendar/model.ts';
import {
  DAY,
  instantIn,
  instantOf,
  type OffsetAt,
  OPEN_ENDED,
  osloDay,
  osloOffset,
  timeOfDay,
  wallOf,
} from '../../src/calendar/time.ts';
import type { Allowance, EventAllowance } from './allowance.ts';
import { createClocks, lastUpTo, wallIn } from './clocks.ts';
import { type Expansion, expand } from './expand.ts';
import { retimed, type Times } from './retiming.ts';
import type { Rule } from './rule.ts';
import type { Length, Phase, Series } from './series.ts';

/** The parts of a series that are expanded, on their clock. */
export interface RecurrenceSet extends Pick<Series, 'start' | 'rules' | 'exceptRules' | 'starts' | 'except'> {
  readonly clock: OffsetAt;
}

export type ClockedSeries = Series & RecurrenceSet;

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

  const instantAt = (wall: number) => instantIn(clock, wall);
  const gone = new Set(set.except.map(instantAt));
  for (const rule of set.exceptRules) for (const wall of wallsOf(rule, () => true)) gone.add(instantAt(wall));
  const keep =
    gone.size === 0 ? window.keep : (wall: number) => !gone.has(instantAt(wall)) && window.keep(wall);
  const lists = rules.map((rule) => wallsOf(rule, keep));
  if (starts.length > 0) lists.push(starts.filter(keep));
  return { walls: [...new Set(lists.flat())].sort((left, right) => left - right), cut };
}

/** Instants: from a first start to a last end. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function unite(left: Span | null, right: Span): Span {
  if (left === null) return { start: right.start, end: right.end };
  return { start: Math.min(left.start, right.start), end: Math.max(left.end, right.end) };
}

function phaseAt({ phases }: Series, wall: number): Phase | undefined {
  return lastUpTo(phases, ({ from }) => from <= wall) ?? phases[0];
}

/** The instant at which an occurrence ends, given the reading of its start; equal to the start without a length. */
export function endOf(clock: OffsetAt, wall: number, length: Length | null): number {
  if (length === null) return instantIn(clock, wall);
  const { days, seconds, isElapsed } = length;
  return isElapsed
    ? instantIn(clock, wall + days * DAY) + seconds
    : instantIn(clock, wall + days * DAY + seconds);
}

/** Seconds after its start at which an occurrence is certainly over, changes of the clock included. */
export function reachOf({ phases }: Series): number {
  let reach = 0;
  for (const { length, shift, retimings = [] } of phases) {
    // Each moves a start within its day, and an end by less than two.
    const lasts = (length === null ? 0 : length.days * DAY + length.seconds) + 2 * retimings.length * DAY;
    reach = Math.max(reach, Math.max(lasts, OPEN_ENDED) + Math.abs(shift));
  }
  return reach + DAY;
}

/** Start and end of the occurrence at a reading of the series' clock. */
export function spanAt(series: ClockedSeries, wall: number): Span {
  const phase = phaseAt(series, wall);
  return phase?.retimings === undefined ? plainSpanAt(series, phase, wall) : allTimesOf(series, phase, wall);
}

function plainSpanAt({ clock }: ClockedSeries, phase: Phase | undefined, wall: number): Span {
  const { shift = 0, length = null } = phase ?? {};
  const moved = wall + shift;
  return { start: instantIn(clock, moved), end: endOf(clock, moved, length) };
}

function allTimesOf(series: ClockedSeries, phase: Phase, wall: number): Times {
  const { start, end } = plainSpanAt(series, phase, wall);
  const times = {
    start,
    end,
    duration: phase.length === null ? null : Math.round((end - start) / 60),
    // As entered, if that was on Norway's clock.
    startTime: phase.startTime ?? timeOfDay(series.clock === osloOffset ? wall + phase.shift : wallOf(start)),
    allDay: phase.allDay,
  };
  return (phase.retimings ?? []).reduce(retimed, times);
}

/** The occurrence at a reading of the series' clock. */
export function occurrenceOf(series: ClockedSeries, wall: number): Occurrence {
  const phase = phaseAt(series, wall);
  if (phase === undefined) throw new RangeError('expected a series to have a phase, found none');
  return { ...allTimesOf(series, phase, wall), ...phase.own };
}

/** F13: a date of a series, with its reading on the series' clock. */
interface SeriesDate {
  readonly wall: number;
  readonly date: Occurrence;
}

/** Creates the function that finds the dates of a series that start on a Norwegian day, whenever that is. */
export function createDayFinder(allowance: Allowance) {
  const clockOf = createClocks(allowance);
  return (series: Series, day: number, source: string): readonly SeriesDate[] => {
    const clocked = { ...series, clock: clockOf(series.zone) };
    const reach = Math.max(0, ...series.phases.map(({ shift }) => Math.abs(shift))) + DAY;
    const from = instantOf(day * DAY);
    const window = { from: from - reach, until: from + DAY + reach, keep: () => true };
    return expandSet(clocked, window, allowance.forEvent(source))
      .walls.map((wall) => ({ wall, date: occurrenceOf(clocked, wall) }))
      .filter(({ date }) => osloDay(date.start) === day);
  };
}
