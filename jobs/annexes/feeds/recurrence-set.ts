/**
 * Recurrence sets (RFC 5545, 3.8.5): the dates of rules and lists, without exclusions. All readings of a set are of one clock, on which
 * its times stay constant when clocks change.
 */

import * as z from 'zod';
import type { Occurrence } from '../../../src/calendar/model.ts';
import {
  DAY,
  instantIn,
  type OffsetAt,
  OPEN_ENDED,
  osloOffset,
  timeOfDay,
  wallOf,
} from '../../../src/calendar/time.ts';
import type { OwnValues, Recurring, RecurringWindow, SeriesKind } from '../../records.ts';
import { type EventAllowance, type Expansion, expand } from '../../recurrence/expand.ts';
import { type Rule, ruleSchema } from '../../recurrence/rule.ts';
import { createClocks, wallIn, zoneSchema } from './clocks.ts';

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

/** The starts of a set on its clock, before they are moved. Listed starts are included at any distance (A11). */
export function expandSet(set: RecurrenceSet, window: RecurringWindow, allowance: EventAllowance): Expansion {
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
  const gone = new Set(window.isWhole === true ? [] : set.except.map(instantAt));
  const exceptRules = window.isWhole === true ? [] : set.exceptRules;
  for (const rule of exceptRules) for (const wall of wallsOf(rule, all)) gone.add(instantAt(wall));
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
function phaseAt({ phases }: RecurrenceSet, wall: number): number {
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
function reachOf({ phases }: RecurrenceSet): number {
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
const seriesSchema = z.object({
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
      own: z.object({
        venue: z.string().optional(),
        eventCancelled: z.boolean().optional(),
        eventSoldOut: z.boolean().optional(),
      }),
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

/** G9: sets of feeds' records, for a build. */
export const SERIES: SeriesKind = {
  schema: seriesSchema,
  createReader: (allowance) => {
    const clocks = createClocks(allowance);
    return ({ series: validated, own }) => {
      const series = validated as Series;
      return recurringOf(series, setOf(series, clocks(series.zone)), own);
    };
  },
};

function recurringOf(series: Series, set: RecurrenceSet, own: readonly OwnValues[]): Recurring {
  const allDay = [series, ...series.changes].map((phase) => phase.allDay === true);
  return {
    rule: series.rule,
    fields: { rule: 'repeat (RRULE)', end: 'end (DTEND)' },
    // RFC 5545, 3.8.4.4: a moved date replaces the date that it names, not one at its new time.
    replaced: new Set(),
    reach: reachOf(set),
    expand: (window, allowance) => expandSet(set, window, allowance),
    timesOf: (wall) => timesOf(set, wall),
    occurrenceOf: (wall) => occurrenceOf(set, wall, { own, allDay }),
  };
}

/** Start and end of the occurrence at a reading of the set's clock. */
function timesOf(set: RecurrenceSet, wall: number): Pick<Occurrence, 'start' | 'end'> {
  const { clock, phases } = set;
  const phase = phases[phaseAt(set, wall)];
  const moved = wall + (phase?.shift ?? 0);
  const start = instantIn(clock, moved);
  return {
    start,
    end: phase === undefined || phase.length === null ? start : endOf(clock, moved, phase.length),
  };
}

interface Phased {
  readonly own: readonly OwnValues[];
  readonly allDay: readonly boolean[];
}

function occurrenceOf(set: RecurrenceSet, wall: number, { own, allDay }: Phased): Occurrence {
  const place = phaseAt(set, wall);
  const { start, end } = timesOf(set, wall);
  const { shift = 0, length = null } = set.phases[place] ?? {};
  return {
    start,
    end,
    duration: length === null ? null : Math.round((end - start) / 60),
    // As entered, if that was on Norway's clock.
    startTime: timeOfDay(set.clock === osloOffset ? wall + shift : wallOf(start)),
    allDay: allDay[place] === true,
    ...(own[place] ?? NO_VALUES),
  };
}

const NO_VALUES: OwnValues = {
  venue: null,
  ticketsURL: null,
  eventCancelled: false,
  eventSoldOut: false,
  prices: null,
};
