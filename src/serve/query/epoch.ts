/**
 * Stretches of time in which no answer changes (D6, exact freshness): answers and what they are made of are used again until the end of
 * one.
 */
import { osloDay, startOfDay } from '../../calendar/time.ts';
import { countUpTo } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';

/** The part of a snapshot that determines its epochs. */
export interface Changing {
  readonly columns: Pick<Columns, 'moments' | 'publishing'>;
}

/**
 * One snapshot, between two neighbouring moments of change, on one Norwegian day. Whole seconds, half open. Two requests of one epoch get
 * the same answers.
 */
export interface Epoch {
  readonly snapshot: Changing;
  /** The moments of change before and after it. -Infinity before the first. */
  readonly since: number;
  /** Infinity after the last. */
  readonly until: number;
  /** B12, free and period: the beginning and end of its day; some answers depend on the date. */
  readonly dayBegins: number;
  readonly dayEnds: number;
}

/** The epoch that contains a second: the same object until something changes. */
export function epochOf(snapshot: Changing, now: number): Epoch {
  const known = epochs.get(snapshot);
  if (known !== undefined && isIn(known, snapshot, now)) return known;
  const epoch = epochAt(snapshot, now);
  epochs.set(snapshot, epoch);
  return epoch;
}

/** The epoch of each snapshot that was asked for last. */
const epochs = new WeakMap<Changing, Epoch>();

export function epochAt(snapshot: Changing, now: number): Epoch {
  const { moments, publishing } = snapshot.columns;
  const next = countUpTo(moments, now);
  const before = moments[next - 1] ?? Number.NEGATIVE_INFINITY;
  const after = moments[next] ?? Number.POSITIVE_INFINITY;
  const [since, until] = next === 0 ? boundsBefore(publishing, now, after) : [before, after];
  const day = osloDay(now);
  return { snapshot, since, until, dayBegins: startOfDay(day), dayEnds: startOfDay(day + 1) };
}

/** Before the build, where a clock is behind the builder's, only publishing dates change answers, and no moments are listed. */
function boundsBefore(
  publishing: Float64Array,
  now: number,
  builtAt: number,
): readonly [since: number, until: number] {
  let [since, until] = [Number.NEGATIVE_INFINITY, builtAt];
  for (const moment of publishing) {
    if (moment <= now) since = Math.max(since, moment);
    else until = Math.min(until, moment);
  }
  return [since, until];
}

/** Checks both ends, because a clock can be set back. */
export function isIn(epoch: Epoch, snapshot: Changing, now: number): boolean {
  const { since, until, dayBegins, dayEnds } = epoch;
  return epoch.snapshot === snapshot && now >= since && now < until && now >= dayBegins && now < dayEnds;
}

/** The first second at which an answer of the epoch may change. */
export function changeOf({ until, dayEnds }: Epoch, dependsOnDay: boolean): number {
  return dependsOnDay ? Math.min(until, dayEnds) : until;
}
