/**
 * Recurrence sets (RFC 5545, 3.8.5): the dates of rules and lists, without exclusions. All readings of a set are of one clock, on which
 * its times stay constant when clocks change.
 */

import * as z from 'zod';
import { DAY, instantIn, type OffsetAt, OPEN_ENDED, wallIn } from '../../src/calendar/time.ts';
import { zoneSchema } from './clocks.ts';
import { type EventAllowance, type Expansion, expand } from './expand.ts';
import { type Rule, ruleSchema } from './rule.ts';

export interface RecurrenceSet {
  readonly clock: OffsetAt;
  /** The beginning of the rules (DTSTART). It is in the set if a rule yields it, or if it is listed. */
  readonly start: number;
  readonly rules: readonly Rule[];
  readonly exceptRules: readonly Rule[];
  /** Listed starts. */
  readonly dates: readonly number[];
  readonly except: readonly number[];
  /** Properties of its occurrences: each phase applies from its reading up to that of the next. The first applies from the beginning. */
  readonly phases: readonly Phase[];
}

interface Phase {
  readonly from: number;
  /** Seconds by which the occurrences are moved. */
  readonly shift: number;
  readonly length: Length | null;
}

/** From start to end: on the wall clock, or calendar days followed by elapsed seconds. */
export type Length = Readonly<z.output<typeof lengthSchema>>;

interface SetWindow {
  /** Instant: earlier starts are not computed. Null: from the beginning on. */
  readonly from: number | null;
  /** The last instant at which an occurrence of a rule may start. */
  readonly until: number;
  /** Called for each start that is not excluded. */
  readonly keep: (wall: number) => boolean;
  /** Limit on the starts of a rule. */
  readonly most?: number;
}

/** The starts of a set on its clock, before they are moved. Listed starts are included at any distance (A11). */
export function expandSet(set: RecurrenceSet, window: SetWindow, allowance: EventAllowance): Expansion {
  const { clock, start, rules } = set;
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
  for (const rule of set.exceptRules) for (const wall of wallsOf(rule, all)) gone.add(instantAt(wall));
  const keep =
    gone.size === 0 ? window.keep : (wall: number) => !gone.has(instantAt(wall)) && window.keep(wall);
  const lists = rules.map((rule) => wallsOf(rule, keep));
  if (set.dates.length > 0) lists.push(set.dates.filter(keep));
  const [only, another] = lists;
  if (only !== undefined && another === undefined && set.dates.length === 0) return { walls: only, cut };
  return { walls: [...new Set(lists.flat())].sort((left, right) => left - right), cut };
}

const all = () => true;

/** The index of the phase that a start belongs to. */
export function phaseAt({ phases }: RecurrenceSet, wall: number): number {
  let low = 1;
  let high = phases.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((phases[middle]?.from ?? Number.POSITIVE_INFINITY) <= wall) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The instant at which an occurrence ends, given the reading of its start; equal to the start without a length. */
export function endOf(clock: OffsetAt, wall: number, length: Length | null): number {
  if (length === null) return instantIn(clock, wall);
  const { days, seconds, isElapsed } = length;
  return isElapsed
    ? instantIn(clock, wall + days * DAY) + seconds
    : instantIn(clock, wall + days * DAY + seconds);
}

/** Seconds after which an occurrence is certainly over, changes of the clock included. */
export function reachOf({ phases }: RecurrenceSet): number {
  let reach = 0;
  for (const { length, shift } of phases) {
    const lasts = length === null ? 0 : length.days * DAY + length.seconds;
    reach = Math.max(reach, Math.max(lasts, OPEN_ENDED) + Math.abs(shift));
  }
  return reach + DAY;
}

const lengthSchema = z.object({ days: z.int(), seconds: z.int(), isElapsed: z.boolean() });
const wall = z.int();
const length = lengthSchema.nullable();

/** A set as the records of a feed store it, with the values of its dates. Readings are of the zone's clock. */
export const seriesSchema = z.object({
  zone: zoneSchema,
  start: wall,
  length,
  /** A15: its starts are dates without times. */
  allDay: z.boolean().optional(),
  /** Listed starts. */
  starts: z.array(wall),
  /** The beginning of the first rule as the feed writes it, for findings. */
  rule: z.string(),
  rules: z.array(ruleSchema).readonly(),
  exceptRules: z.array(ruleSchema).readonly(),
  except: z.array(wall),
  /** Ascending: from that date of the series on, dates are moved by these seconds, and have these values. */
  changes: z.array(
    z.object({
      from: wall,
      shift: z.int(),
      length,
      allDay: z.boolean().optional(),
      own: z.object({ venue: z.string().optional(), eventCancelled: z.boolean().optional() }),
    }),
  ),
});

export type Series = z.output<typeof seriesSchema>;

/** The set with its clock, ready to be expanded. */
export function setOf(series: Series, clock: OffsetAt): RecurrenceSet {
  const { start, rules, exceptRules, starts, except, length, changes } = series;
  const phases = [{ from: start, shift: 0, length }, ...changes];
  return { clock, start, rules, exceptRules, dates: starts, except, phases };
}
