/** For how long an answer stays exact (D6). */
import { countUpTo } from '../calendar/ascending.ts';
import { osloDay, startOfDay } from '../calendar/time.ts';
import type { Columns } from '../snapshot/columns.ts';

/** What freshness looks at; every Snapshot is one. */
export interface Changing {
  readonly columns: Pick<Columns, 'moments'>;
}

/**
 * A stretch of time in which no answer changes: one snapshot, between two neighbouring moments of change, on one Norwegian
 * day. Whole seconds, half open. Two requests of one epoch get the same answers.
 */
export interface Epoch {
  readonly snapshot: Changing;
  /** The moments of change around it. -Infinity before the first. */
  readonly since: number;
  /** Infinity behind the last. */
  readonly until: number;
  /** B12: its day, on which some answers depend. */
  readonly dayBegins: number;
  readonly dayEnds: number;
}

export function epochAt(snapshot: Changing, now: number): Epoch {
  const { moments } = snapshot.columns;
  const next = countUpTo(moments, now);
  const day = osloDay(now);
  return {
    snapshot,
    since: moments[next - 1] ?? Number.NEGATIVE_INFINITY,
    until: moments[next] ?? Number.POSITIVE_INFINITY,
    dayBegins: startOfDay(day),
    dayEnds: startOfDay(day + 1),
  };
}

/** Both ends are checked, because a clock can be set back. */
export function isIn(epoch: Epoch, snapshot: Changing, now: number): boolean {
  const { since, until, dayBegins, dayEnds } = epoch;
  return epoch.snapshot === snapshot && now >= since && now < until && now >= dayBegins && now < dayEnds;
}

/** The first second at which an answer of the epoch may be another one. */
export function changeOf({ until, dayEnds }: Epoch, dependsOnDay: boolean): number {
  return dependsOnDay ? Math.min(until, dayEnds) : until;
}

/** Whole seconds from `at` (milliseconds) for which an answer that changes at a second may be kept. */
export function secondsFresh(change: number, at: number, cap: number): number {
  return Math.max(0, Math.min(cap, Math.floor((change * 1_000 - at) / 1_000)));
}
