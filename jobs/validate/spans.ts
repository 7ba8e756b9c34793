import type * as z from 'zod';
import type { SourceDatetime } from '../../src/calendar/time.ts';
import { isWithinTime } from './parts.ts';

/** F4: from when to when; `end` wins over `duration` (elapsed minutes). Without either there is no end. */
export interface RawSpan {
  readonly start: SourceDatetime;
  readonly end?: SourceDatetime | null | undefined;
  readonly duration?: number | null | undefined;
}

export interface Span {
  readonly start: number;
  /** Equals `start` when there is none. */
  readonly end: number;
  /** Elapsed minutes; null when there is no end. */
  readonly minutes: number | null;
}

export function spanOf({ start, end, duration }: RawSpan): Span {
  if (end) return { start: start.instant, end: end.instant, minutes: minutesBetween(start, end) };
  return { start: start.instant, end: start.instant + (duration ?? 0) * 60, minutes: duration ?? null };
}

function minutesBetween(start: SourceDatetime, end: SourceDatetime): number {
  return Math.round((end.instant - start.instant) / 60);
}

/** Of a repeat the wall clock span counts: every occurrence gets the same, whichever nights the clock changes (F4). */
export function wallSpanOf({ start, end }: RawSpan): number | null {
  return end ? end.wall - start.wall : null;
}

const NOT_BEFORE = 'a moment that is not before the start';
const MOST_MINUTES = 2 ** 31 - 1;
const WITHIN_TIME = `an end before the year 9999 and at most ${MOST_MINUTES} minutes after the start`;

export function checkDateSpan(raw: RawSpan, context: z.RefinementCtx): void {
  const { start, end, minutes } = spanOf(raw);
  if (end < start) refuse(context, { field: 'end', expected: NOT_BEFORE });
  else if (!isWithinTime(end) || (minutes ?? 0) > MOST_MINUTES) {
    refuse(context, { field: raw.end ? 'end' : 'duration', expected: WITHIN_TIME });
  }
}

export function checkRepeatSpan(raw: RawSpan, context: z.RefinementCtx): void {
  const seconds = wallSpanOf(raw) ?? (raw.duration ?? 0) * 60;
  if (seconds < 0) refuse(context, { field: 'end', expected: NOT_BEFORE });
  else if (!isWithinTime(raw.start.instant + seconds) || seconds / 60 > MOST_MINUTES) {
    refuse(context, { field: raw.end ? 'end' : 'duration', expected: WITHIN_TIME });
  }
}

interface Refusal {
  readonly field: 'end' | 'duration';
  readonly expected: string;
}

function refuse(context: z.RefinementCtx, { field, expected }: Refusal): void {
  context.addIssue({ code: 'custom', path: [field], message: expected });
}
