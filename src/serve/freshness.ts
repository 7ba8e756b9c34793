/** For how long an answer stays exact (D6). */
import { countUpTo } from '../calendar/ascending.ts';
import type { Columns } from '../snapshot/columns.ts';

/** What freshness looks at; every Snapshot is one. */
export interface Changing {
  readonly columns: Pick<Columns, 'moments'>;
}

/**
 * A stretch of time in which no answer changes: one snapshot, between two neighbouring moments of change. Whole seconds,
 * half open. Two requests of one epoch get the same answers.
 */
export interface Epoch {
  readonly snapshot: Changing;
  /** -Infinity before the first moment. */
  readonly since: number;
  /** First second of the next epoch; Infinity behind the last moment. */
  readonly until: number;
}

export function epochAt(snapshot: Changing, now: number): Epoch {
  const { moments } = snapshot.columns;
  const next = countUpTo(moments, now);
  return {
    snapshot,
    since: moments[next - 1] ?? Number.NEGATIVE_INFINITY,
    until: moments[next] ?? Number.POSITIVE_INFINITY,
  };
}

/** Both ends are checked, because a clock can be set back. */
export function isIn(epoch: Epoch, snapshot: Changing, now: number): boolean {
  return epoch.snapshot === snapshot && now >= epoch.since && now < epoch.until;
}

/** Whole seconds from `at` (milliseconds) for which an answer of the epoch may be kept. */
export function secondsFresh({ until }: Epoch, at: number, cap: number): number {
  return Math.max(0, Math.min(cap, Math.floor((until * 1_000 - at) / 1_000)));
}
