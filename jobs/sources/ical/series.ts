/**
 * Recurrences that the native form has no words for: on another place's clock, with rules of exception, or with a change
 * from one date on. A feed's records keep them as they are; when the source is read they become dates up to the horizon.
 */
import { DAY, formatWall, instantOf } from '../../../src/calendar/time.ts';
import type { EventAllowance } from '../../recurrence/allowance.ts';
import { expand } from '../../recurrence/expand.ts';
import { isFlaw, readRule } from '../../recurrence/rule.ts';
import { endInstant, type Length, reachOf } from './length.ts';
import type { Moment } from './moments.ts';
import { type Clocks, instantOfMoment, OSLO, wallIn, type Zone, type ZoneName } from './zones.ts';

/** Moments are readings of the zone's clock. */
export interface Series {
  readonly zone: ZoneName;
  readonly start: number;
  readonly length: Length | null;
  /** Starts that are listed, the first one among them. */
  readonly starts: readonly number[];
  readonly rules: readonly string[];
  readonly exceptRules: readonly string[];
  readonly except: readonly number[];
  /** Ascending; each holds until the next. */
  readonly changes: readonly Change[];
}

/** From that date of the series on, dates are so many seconds later, and have these values. */
export interface Change {
  readonly from: number;
  readonly shift: number;
  readonly length: Length | null;
  readonly own: DateFields;
}

export type DateFields = Readonly<Record<string, unknown>>;

export interface SeriesWindow {
  /** Instant from which dates matter; those that are not over by then are kept too. */
  readonly from: number;
  /** The last Norwegian calendar day on which a date of a rule may start (A11). */
  readonly horizonDay: number;
  readonly clocks: Clocks;
  /** For the rules of this event. */
  readonly allowance: EventAllowance;
}

export interface ExpandedSeries {
  readonly dates: readonly DateFields[];
  /** What stood in the way of more dates; null when these are all. */
  readonly cut: string | null;
}

export function expandSeries(
  series: Series,
  { from, horizonDay, clocks, allowance }: SeriesWindow,
): ExpandedSeries {
  const zone: Zone = { name: series.zone, offsetAt: clocks(series.zone) };
  const reach = series.changes.reduce(
    (most, { length, shift }) => Math.max(most, reachOf(length) + Math.abs(shift)),
    reachOf(series.length),
  );
  const window = {
    start: series.start,
    from: Math.max(series.start, wallIn(zone, from) - reach),
    until: wallIn(zone, instantOf((horizonDay + 1) * DAY) - 1),
  };
  const except = new Set(series.except);
  const cuts: string[] = [];
  const wallsOf = (written: string, keep: (wall: number) => boolean): readonly number[] => {
    const rule = readRule(written);
    if (isFlaw(rule)) return [];
    const { walls, cut } = expand(rule, { ...window, keep }, allowance);
    if (cut !== null) cuts.push(cut);
    return walls;
  };
  for (const rule of series.exceptRules) for (const wall of wallsOf(rule, () => true)) except.add(wall);
  const walls = new Set(series.starts.filter((wall) => !except.has(wall)));
  for (const rule of series.rules) {
    for (const wall of wallsOf(rule, (candidate) => !except.has(candidate))) walls.add(wall);
  }
  return { dates: datesAt([...walls].sort(ascending), series, zone), cut: cuts[0] ?? null };
}

const ascending = (left: number, right: number) => left - right;

/** Both are ascending, so that each is passed once. */
function datesAt(walls: readonly number[], { length, changes }: Series, zone: Zone): readonly DateFields[] {
  let passed = 0;
  return walls.map((wall) => {
    while ((changes[passed]?.from ?? Number.POSITIVE_INFINITY) <= wall) passed++;
    const change = changes[passed - 1];
    const start = { wall: wall + (change?.shift ?? 0), zone, isDate: false };
    return dateOf(start, change === undefined ? length : change.length, change?.own);
  });
}

/** A date as a native event lists it (F3, F4). */
export function dateOf(start: Moment, length: Length | null, own: DateFields = {}): DateFields {
  const end = length === null ? {} : { end: utcText(endInstant(start, length)) };
  return { start: momentText(start), ...end, ...own };
}

/** Norwegian times as they stand in the feed, so that `startTime` is what was entered; any other as the instant that it is. */
export function momentText(moment: Moment): string {
  return moment.zone.name === OSLO.name ? formatWall(moment.wall) : utcText(instantOfMoment(moment));
}

function utcText(instant: number): string {
  return `${formatWall(instant)}Z`;
}
