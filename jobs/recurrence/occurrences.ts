/** The occurrence at a reading of a series' clock: when it starts and ends, and its values. */
import { lastUpTo } from '../../src/calendar/groups.ts';
import type { Occurrence } from '../../src/calendar/model.ts';
import {
  DAY,
  instantIn,
  type OffsetAt,
  OPEN_ENDED_SECONDS,
  osloOffset,
  timeOfDay,
  wallOf,
} from '../../src/calendar/time.ts';
import { retimed, type Times } from './retiming.ts';
import type { Length, Phase, Series } from './series.ts';

export interface ClockedSeries extends Series {
  readonly clock: OffsetAt;
}

/** Instants: from a first start to a last end. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The span of both. */
export function unite(left: Span | null, right: Span): Span {
  if (left === null) return { start: right.start, end: right.end };
  return { start: Math.min(left.start, right.start), end: Math.max(left.end, right.end) };
}

/** The occurrence that starts at a reading of the series' clock, with the values of its phase. */
export function occurrenceOf(series: ClockedSeries, wall: number): Occurrence {
  const phase = phaseAt(series, wall);
  if (phase === undefined) throw new RangeError('expected a series to have a phase, found none');
  return { ...allTimesOf(series, phase, wall), ...phase.own };
}

/** Start and end of the occurrence at a reading of the series' clock. */
export function spanAt(series: ClockedSeries, wall: number): Span {
  const phase = phaseAt(series, wall);
  return phase?.retimings === undefined ? plainSpanAt(series, phase, wall) : allTimesOf(series, phase, wall);
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
    // Each retiming moves a start within its day, and an end by less than two.
    const lasts = (length === null ? 0 : length.days * DAY + length.seconds) + 2 * retimings.length * DAY;
    reach = Math.max(reach, Math.max(lasts, OPEN_ENDED_SECONDS) + Math.abs(shift));
  }
  return reach + DAY;
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

function phaseAt({ phases }: Series, wall: number): Phase | undefined {
  return lastUpTo(phases, ({ from }) => from <= wall) ?? phases[0];
}
