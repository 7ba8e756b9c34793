/** F4: the time from the start of a date or repeat to its end, and the limits that it has to keep. */
import type * as z from 'zod';
import { DAY, startOfDay } from '../../src/calendar/time.ts';
import { isWithinTime, type SourceMoment } from './moments.ts';
import { paramsOfAll } from './salvage.ts';

/** Start and end; `end` takes precedence over `duration` (elapsed minutes). Without either there is no end. */
interface RawSpan {
  readonly start: SourceMoment;
  readonly end?: SourceMoment | null | undefined;
  readonly duration?: number | null | undefined;
}

interface Span {
  readonly start: number;
  /** Equal to `start` if there is none. */
  readonly end: number;
  /** Elapsed minutes; null if there is no end. */
  readonly minutes: number | null;
}

export function spanOf(raw: RawSpan): Span {
  const { start, duration } = raw;
  const endWall = endWallOf(raw);
  if (endWall === null) {
    return { start: start.instant, end: start.instant + (duration ?? 0) * 60, minutes: duration ?? null };
  }
  const end = start.isDay ? startOfDay(endWall / DAY) : (raw.end ?? start).instant;
  return { start: start.instant, end, minutes: Math.round((end - start.instant) / 60) };
}

/** For a repeat the wall clock span counts: it is the same for every occurrence, whichever nights the clock changes (F4). */
export function wallSpanOf(raw: RawSpan): number | null {
  const endWall = endWallOf(raw);
  return endWall === null ? null : endWall - raw.start.wall;
}

/** A15: an end without a time includes the whole day. Null without an end. */
function endWallOf({ start, end }: RawSpan): number | null {
  if (start.isDay) return (end ?? start).wall + DAY;
  return end ? end.wall : null;
}

const NOT_BEFORE = 'a moment that is not before the start';
const MOST_MINUTES = 2 ** 31 - 1;
const WITHIN_TIME = `an end before the year 9999 and at most ${MOST_MINUTES} minutes after the start`;

/** Refuses an end that is not of the start's kind, or a last day before the first. Returns whether it has done so. */
function refuseBadEnd({ start, end }: RawSpan, context: z.RefinementCtx): boolean {
  if (!end) return false;
  if (end.isDay !== start.isDay) {
    refuse('end', `a ${start.isDay ? 'date alone' : 'datetime'}, because the start is one`, context);
    return true;
  }
  // For two datetimes the instants count; they are checked later.
  const isBefore = start.isDay && end.wall < start.wall;
  if (isBefore) refuse('end', NOT_BEFORE, context);
  return isBefore;
}

/** A date remains valid without its `duration`; a date whose end contradicts its start is invalid. */
export function spanCheck(secondsOf: (raw: RawSpan) => number) {
  return (raw: RawSpan, context: z.RefinementCtx): void => {
    if (refuseBadEnd(raw, context)) return;
    const seconds = secondsOf(raw);
    if (seconds < 0) refuse('end', NOT_BEFORE, context);
    else if (!isWithinTime(raw.start.instant + seconds) || seconds / 60 > MOST_MINUTES)
      refuse(raw.end ? 'end' : 'duration', WITHIN_TIME, context);
  };
}

function refuse(field: 'end' | 'duration', message: string, context: z.RefinementCtx): void {
  const params = paramsOfAll(field === 'end');
  context.addIssue({ code: 'custom', path: [field], message, params });
}
