/**
 * For how long an answer stays exact (D6), and the answers of one epoch, by everything that they depend on. At a swap and at
 * each moment of change all of them go at once: nothing in here has to be told which answers changed.
 */
import { countUpTo } from '../calendar/ascending.ts';
import { osloDay, startOfDay } from '../calendar/time.ts';
import type { Columns } from '../snapshot/columns.ts';
import { createBoundedCache } from './bounded-cache.ts';

/** `Cached` is what may be used again; `Uncached` goes to those who wait for it, and no further. */
interface ResponseCache<Cached, Uncached> {
  /** The epoch of a request. Empties the store when it is not the one before. */
  readonly epochFor: (snapshot: Changing, now: number) => Epoch;
  readonly find: (key: string, epoch: Epoch) => Cached | undefined;
  /** Does the work, unless the same work is under way: then its outcome is shared, whatever it is. */
  readonly share: (key: string, epoch: Epoch, work: Work<Cached, Uncached>) => Promise<Cached | Uncached>;
  /** To be called when something that is cached has grown. */
  readonly reweigh: (key: string, cached: Cached) => void;
  /** Lets go of everything, and of the snapshot. */
  readonly clear: () => void;
  readonly size: () => { readonly entries: number; readonly bytes: number };
}

type Work<Cached, Uncached> = () => Promise<Cached | Uncached>;

interface Weighed {
  readonly bytes: number;
}

export interface ResponseCacheOptions<Cached, Uncached> {
  /** Bytes that all entries may take together; what was not used for longest goes first. */
  readonly maxBytes: number;
  readonly isCacheable: (result: Cached | Uncached) => result is Cached;
}

export function createResponseCache<Cached extends Weighed, Uncached>(
  options: ResponseCacheOptions<Cached, Uncached>,
): ResponseCache<Cached, Uncached> {
  const store = createBoundedCache<Cached>({
    most: options.maxBytes,
    weigh: (cached, key) => cached.bytes + key.length + ENTRY_BYTES,
  });
  let running = new Map<string, Promise<Cached | Uncached>>();
  let current: Epoch | undefined;

  const clear = () => {
    store.clear();
    running = new Map();
    current = undefined;
  };

  return {
    epochFor: (snapshot, now) => {
      if (current === undefined || !isIn(current, snapshot, now)) {
        clear();
        current = epochAt(snapshot, now);
      }
      return current;
    },
    find: (key, epoch) => (epoch === current ? store.get(key) : undefined),
    share: (key, epoch, work) => {
      if (epoch !== current) return work();
      const underWay = running.get(key);
      if (underWay !== undefined) return underWay;
      const ofThisEpoch = running;
      const outcome = work()
        .then((result) => {
          if (epoch === current && options.isCacheable(result)) store.offer(key, result);
          return result;
        })
        .finally(() => ofThisEpoch.delete(key));
      running.set(key, outcome);
      return outcome;
    },
    reweigh: store.reweigh,
    clear,
    size: () => {
      const { entries, weight } = store.size();
      return { entries, bytes: weight };
    },
  };
}

/** What an entry takes besides its key and its bytes: headers, tags, the store's own bookkeeping. */
const ENTRY_BYTES = 1_500;

/** What freshness looks at; every Snapshot is one. */
interface Changing {
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
