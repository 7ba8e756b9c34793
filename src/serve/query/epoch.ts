/**
 * Epochs (D6): a snapshot between two neighbouring moments of change, on one Norwegian day. Within an epoch equal requests have equal answers.
 */
import { osloDay, startOfDay } from '../../calendar/time.ts';
import { countUpTo } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';

/** The part of a snapshot that determines its epochs. */
export interface Changing {
  readonly columns: Pick<Columns, 'moments' | 'publishing'>;
}

/** Whole seconds, half open. */
export interface Epoch {
  readonly snapshot: Changing;
  /** The moments of change before and after it: -Infinity before the first, Infinity after the last. */
  readonly begins: number;
  readonly ends: number;
  /** B12: the beginning and end of its day; some answers depend on the date. */
  readonly dayBegins: number;
  readonly dayEnds: number;
}

/** The epoch that contains a second: the same object until something changes. */
export function epochOf(snapshot: Changing, now: number): Epoch {
  const latest = epochs.get(snapshot);
  if (latest !== undefined && isIn(latest, snapshot, now)) return latest;
  const epoch = epochAt(snapshot, now);
  epochs.set(snapshot, epoch);
  return epoch;
}

/** The latest epoch of each snapshot. */
const epochs = new WeakMap<Changing, Epoch>();

export function epochAt(snapshot: Changing, now: number): Epoch {
  const day = osloDay(now);
  return {
    snapshot,
    ...momentsAround(snapshot.columns, now),
    dayBegins: startOfDay(day),
    dayEnds: startOfDay(day + 1),
  };
}

type Moments = Pick<Epoch, 'begins' | 'ends'>;

function momentsAround({ moments, publishing }: Changing['columns'], now: number): Moments {
  const next = countUpTo(moments, now);
  const ends = moments[next] ?? Number.POSITIVE_INFINITY;
  const begins = moments[next - 1];
  return begins === undefined ? momentsBeforeBuild(publishing, now, ends) : { begins, ends };
}

/** Before the build, where a clock is behind the builder's, only publishing dates change answers, and no moments are listed. */
function momentsBeforeBuild(publishing: Float64Array, now: number, builtAt: number): Moments {
  let begins = Number.NEGATIVE_INFINITY;
  let ends = builtAt;
  for (const moment of publishing) {
    if (moment <= now) begins = Math.max(begins, moment);
    else ends = Math.min(ends, moment);
  }
  return { begins, ends };
}

/** Checks both ends, because a clock can be set back. */
export function isIn(epoch: Epoch, snapshot: Changing, now: number): boolean {
  const { begins, ends, dayBegins, dayEnds } = epoch;
  return epoch.snapshot === snapshot && now >= begins && now < ends && now >= dayBegins && now < dayEnds;
}

/** The first second at which an answer of the epoch may change. */
export function nextChangeIn({ ends, dayEnds }: Epoch, dependsOnDay: boolean): number {
  return dependsOnDay ? Math.min(ends, dayEnds) : ends;
}
