/**
 * Limits on rules, as counts: no rule can block or fill a build, and the same source always gives the same snapshot. Each event has
 * enough of its own for any real programme; beyond that, all events of a build share pools. G11, the number of dates: half of each pool is
 * divided evenly among the sources, so that no feed leaves the others without, and half is for whoever needs more.
 */

/** Occurrences of one event: three times an hour, nine hours a day, for a year, is more than any venue lists as one. */
export const MOST_OCCURRENCES = 10_000;
/** Those that each event may have without using the pool. A daily event has 548 up to the horizon. */
export const FREE_OCCURRENCES = 1_000;
/** The pool of a build for events with more. */
export const SHARED_OCCURRENCES = 2_000_000;
/** All occurrences by rules in a build. Each takes about 100 bytes in a server's memory. */
export const MOST_IN_BUILD = 10_000_000;

/** Steps of one event. A step is a period without candidates, an excluded date, or ten days or times that were tried. */
export const MOST_STEPS = 50_000;
/** Those that each event may use without the pool: thirteen years of days, one by one. */
export const FREE_STEPS = 5_000;
export const SHARED_STEPS = 400_000;

/** One for all rules of a build. */
export interface Allowance {
  /** `source`: the file or the feed that it is of; one build has as many as it was made for. */
  readonly forEvent: (source?: string) => EventAllowance;
}

/** One for all rules of an event. Each takes some, and returns the limit that it exceeds, in words; null if it was granted. */
export interface EventAllowance {
  readonly work: (steps: number) => string | null;
  readonly keep: (occurrences: number) => string | null;
}

export function createAllowance(sources = 1): Allowance {
  const work = createPool(SHARED_STEPS, sources);
  const occurrences = createPool(SHARED_OCCURRENCES, sources);
  const all = createPool(MOST_IN_BUILD, sources);
  return {
    forEvent: (source = '') => {
      const takeWork = createTaker({ most: MOST_STEPS, free: FREE_STEPS, pool: work(source) });
      const pool = occurrences(source);
      const take = createTaker({ most: MOST_OCCURRENCES, free: FREE_OCCURRENCES, pool });
      const ofAll = all(source);
      return {
        work: (steps) => inWords(takeWork(steps), 'readings to look at'),
        keep: (count) => inWords(ofAll(count) ? take(count) : MOST_IN_BUILD, 'occurrences'),
      };
    },
  };
}

function inWords(limit: number | null, what: string): string | null {
  return limit === null ? null : `at most ${limit} ${what}`;
}

/** Takes an amount; returns whether it was left. */
type Pool = (amount: number) => boolean;

/** By source: its own share is used first, then the common one. */
function createPool(size: number, sources: number): (source: string) => Pool {
  const share = Math.floor(size / 2 / sources);
  const left = new Map<string, number>();
  let shared = size - share * sources;
  return (source) => (amount) => {
    // A source beyond those that were counted has no share.
    const ownShare = left.get(source) ?? (left.size < sources ? share : 0);
    if (amount > ownShare + shared) return false;
    const fromOwn = Math.min(ownShare, amount);
    left.set(source, ownShare - fromOwn);
    shared -= amount - fromOwn;
    return true;
  };
}

interface TakerOptions {
  /** Limit for one event. */
  readonly most: number;
  /** The part of it that does not come from the pool. */
  readonly free: number;
  readonly pool: Pool;
}

/** Creates the function that takes an amount for one event. It returns the limit that would be exceeded; null if the amount was granted. */
function createTaker({ most, free, pool }: TakerOptions): (amount: number) => number | null {
  let taken = 0;
  return (amount) => {
    const next = taken + amount;
    if (next > most) return most;
    const fromPool = Math.max(0, next - free) - Math.max(0, taken - free);
    if (fromPool > 0 && !pool(fromPool)) return free;
    taken = next;
    return null;
  };
}
