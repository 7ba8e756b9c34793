/**
 * The one model of dates that recur (RFC 5545, 3.8.5): rules, listed starts and exceptions, all as readings of one clock, on which times
 * stay constant when clocks change; and these clocks. Native repeats (F4, dates in records) and series of feeds are both read as a `Series`.
 */
import * as z from 'zod';
import type { Occurrence } from '../../src/calendar/model.ts';
import {
  DAY,
  instantIn,
  type OffsetAt,
  OPEN_ENDED,
  osloOffset,
  timeOfDay,
  wallOf,
  zoneNamed,
} from '../../src/calendar/time.ts';
import type { Allowance, EventAllowance } from './allowance.ts';
import { type Expansion, expand } from './expand.ts';
import { isFlaw, type Rule, readRule, ruleSchema } from './rule.ts';

/** Values that dates may have in place of the event's (F5, what dates inherit). */
export type OwnValues = Pick<
  Occurrence,
  'venue' | 'ticketsURL' | 'eventCancelled' | 'eventSoldOut' | 'prices' | 'older'
>;

const observance = z.object({
  /** Reading of the clock before the change. */
  start: z.int(),
  /** Seconds ahead of UTC, before and after. */
  from: z.int(),
  to: z.int(),
  rule: z.string().nullable(),
  dates: z.array(z.int()).readonly(),
});

/** A STANDARD or DAYLIGHT part of a time zone definition (RFC 5545, 3.6.5): from its onsets on, the clock is that far ahead of UTC. */
export type Observance = Readonly<z.output<typeof observance>>;

/** A name of the time zone database, or a definition of a clock, as the records of a feed store it. */
const zoneSchema = z.union([z.string(), z.object({ observances: z.array(observance).readonly() })]);

export type ZoneName = z.output<typeof zoneSchema>;

const lengthSchema = z.object({ days: z.int(), seconds: z.int(), isElapsed: z.boolean() });
const wall = z.int();
const length = lengthSchema.nullable();

/** A series as the records of a feed store it. */
export const feedSeriesSchema = z.object({
  zone: zoneSchema,
  start: wall,
  length,
  /** A15: its starts are dates without times. */
  allDay: z.boolean().optional(),
  starts: z.array(wall).readonly(),
  rule: z.string(),
  rules: z.array(ruleSchema).readonly(),
  exceptRules: z.array(ruleSchema).readonly(),
  except: z.array(wall).readonly(),
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

export type FeedSeries = z.output<typeof feedSeriesSchema>;

/** From start to end: on the wall clock, or calendar days followed by elapsed seconds. */
export type Length = Readonly<z.output<typeof lengthSchema>>;

/**
 * Before its expansion: plain data. `start` (DTSTART) is a date of the series if a rule yields it, or if it is listed; `rule` is the first
 * rule as written.
 */
export interface Series extends Omit<FeedSeries, 'length' | 'allDay' | 'changes'> {
  /** Ascending; the first applies from the beginning, each other one from its reading on. */
  readonly phases: readonly Phase[];
  /** What findings name. */
  readonly fields: { readonly rule: string; readonly end: string };
  /**
   * F4: whether a listed date of the event replaces one with the same start. RFC 5545, 3.8.4.4: in feeds it replaces the date that it
   * names.
   */
  readonly isReplaceable: boolean;
}

/** What dates of a series have in common. */
interface Phase extends Omit<FeedSeries['changes'][number], 'own' | 'allDay'> {
  readonly allDay: boolean;
  /** `HH:mm` as entered; null: the start's wall clock. */
  readonly startTime: string | null;
  readonly own: OwnValues;
}

/** The parts of a series that are expanded, on their clock. */
export interface RecurrenceSet extends Pick<Series, 'start' | 'rules' | 'exceptRules' | 'starts' | 'except'> {
  readonly clock: OffsetAt;
}

export type ClockedSeries = Series & RecurrenceSet;

interface Window {
  /** Instant: earlier starts are not computed. Null: from the beginning on. */
  readonly from: number | null;
  /** The last instant at which an occurrence of a rule may start. Listed starts are kept at any distance (A11, horizon). */
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

function phaseAt({ phases }: Series, wall: number): Phase | undefined {
  return lastUpTo(phases, ({ from }) => from <= wall) ?? phases[0];
}

/** The last item that is so: of an ascending list the first ones are, and no later ones. */
function lastUpTo<Item>(items: readonly Item[], isSo: (item: Item) => boolean): Item | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && isSo(item)) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
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
export function reachOf({ phases }: Series): number {
  let reach = 0;
  for (const { length, shift } of phases) {
    const lasts = length === null ? 0 : length.days * DAY + length.seconds;
    reach = Math.max(reach, Math.max(lasts, OPEN_ENDED) + Math.abs(shift));
  }
  return reach + DAY;
}

/** Start and end of the occurrence at a reading of the series' clock. */
export function timesOf(series: ClockedSeries, wall: number): Pick<Occurrence, 'start' | 'end'> {
  const { clock } = series;
  const { shift = 0, length = null } = phaseAt(series, wall) ?? {};
  const moved = wall + shift;
  return { start: instantIn(clock, moved), end: endOf(clock, moved, length) };
}

export function occurrenceOf(series: ClockedSeries, wall: number): Occurrence {
  const phase = phaseAt(series, wall);
  if (phase === undefined) throw new RangeError('expected a series to have a phase, found none');
  const { start, end } = timesOf(series, wall);
  return {
    start,
    end,
    duration: phase.length === null ? null : Math.round((end - start) / 60),
    // As entered, if that was on Norway's clock.
    startTime: phase.startTime ?? timeOfDay(series.clock === osloOffset ? wall + phase.shift : wallOf(start)),
    allDay: phase.allDay,
    ...phase.own,
  };
}

/** Clocks by name; each is created once. Throws for a name that the database does not have. */
type Clocks = (name: ZoneName) => OffsetAt;

export function createClocks(allowance: Allowance): Clocks {
  const known = new Map<string, OffsetAt>();
  return (name) => {
    const key = typeof name === 'string' ? name : JSON.stringify(name);
    const clock = known.get(key) ?? clockOf(name, allowance);
    known.set(key, clock);
    return clock;
  };
}

function clockOf(name: ZoneName, allowance: Allowance): OffsetAt {
  const clock = typeof name === 'string' ? namedClock(name) : definedClock(name.observances, allowance);
  if (clock === null) throw new RangeError(`expected the name of a time zone, got ${String(name)}`);
  return clock;
}

/** Null if the time zone database does not have the name. */
export function namedClock(name: string): OffsetAt | null {
  if (name === 'UTC') return utc;
  if (name === 'Europe/Oslo') return osloOffset;
  const offsetAt = zoneNamed(name);
  return offsetAt === null ? null : remembering(offsetAt);
}

export const utc: OffsetAt = () => 0;

/** Seconds. Clocks change only at quarters of an hour; each call of the zone library takes 20 µs. */
const QUARTER = 900;
const MOST_QUARTERS = 50_000;

function remembering(offsetAt: OffsetAt): OffsetAt {
  const known = new Map<number, number>();
  return (instant) => {
    const quarter = Math.floor(instant / QUARTER);
    let offset = known.get(quarter);
    if (offset === undefined) {
      offset = offsetAt(quarter * QUARTER);
      if (known.size < MOST_QUARTERS) known.set(quarter, offset);
    }
    return offset;
  };
}

interface Onset {
  readonly instant: number;
  readonly offset: number;
}

/** Rules of zones are followed up to here, in seconds since 1970; the last offset applies from then on. */
const LAST = Date.UTC(2100, 0) / 1000;

export function definedClock(observances: readonly Observance[], allowance: Allowance): OffsetAt {
  let onsets: readonly Onset[] | null = null;
  const initial = observances.toSorted((left, right) => left.start - right.start)[0]?.from ?? 0;
  return (instant) => {
    onsets ??= onsetsOf(observances, allowance.forEvent());
    return lastUpTo(onsets, (onset) => onset.instant <= instant)?.offset ?? initial;
  };
}

function onsetsOf(observances: readonly Observance[], allowance: EventAllowance): readonly Onset[] {
  return observances
    .flatMap((observance) => {
      const rule = yearlyRule(observance);
      const wanted = { start: observance.start, from: observance.start, until: LAST, keep: () => true };
      const walls = rule === null ? [] : expand(rule, wanted, allowance).walls;
      return [observance.start, ...observance.dates, ...walls].map((wall) => ({
        instant: wall - observance.from,
        offset: observance.to,
      }));
    })
    .sort((left, right) => left.instant - right.instant);
}

/** Clock changes are yearly, even where a rule is written by the hour (Lotus): any other rule is ignored. */
function yearlyRule({ rule, from }: Observance): Rule | null {
  const read = rule === null ? null : readRule(rule, { clock: () => from, isOfFeed: true });
  return read === null || isFlaw(read) || read.frequency !== 'YEARLY' ? null : read;
}

/** Whether a clock shows what Norway's shows, for two years from an instant on. */
export function hasNorwaysClock(offsetAt: OffsetAt, from: number): boolean {
  // Steps of a week find every difference in summer time.
  for (let week = 0; week < 104; week++) {
    const at = from + week * 7 * DAY;
    if (offsetAt(at) !== osloOffset(at)) return false;
  }
  return true;
}

/** The reading of a place's clock at an instant. */
export function wallIn(offsetAt: OffsetAt, instant: number): number {
  return instant + offsetAt(instant);
}
