/**
 * Limits on rules, as counts: no rule can block or fill a build, and the same source always gives the same snapshot. Each event has
 * enough of its own for any real programme; beyond that, all events of a build share pools. G11, the number of dates: half of each pool is
 * divided evenly among the sources, so that no feed leaves the others without, and half is for whoever needs more.
 */

/** An occurrence three times an hour, nine hours a day, for a year: more than any venue lists as one event. */
export const MOST_OCCURRENCES = 10_000;
/** A daily event has 548 up to the horizon; hourly ones use the common pool. */
export const OCCURRENCES_FREELY = 1_000;
export const OCCURRENCES_IN_COMMON = 2_000_000;
/** The free ones included. Each takes about 100 bytes in a server's memory. */
export const MOST_IN_ALL = 10_000_000;

/** A step is a period without candidates, an excluded date, or ten days or times that were tried. */
export const MOST_WORK = 50_000;
/** Thirteen years of days, one by one. */
export const WORK_FREELY = 5_000;
export const WORK_IN_COMMON = 400_000;

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
  const work = createPool(WORK_IN_COMMON, sources);
  const occurrences = createPool(OCCURRENCES_IN_COMMON, sources);
  const all = createPool(MOST_IN_ALL, sources);
  return {
    forEvent: (source = '') => {
      const takeWork = createTaker({ most: MOST_WORK, freely: WORK_FREELY, pool: work(source) });
      const pool = occurrences(source);
      const take = createTaker({ most: MOST_OCCURRENCES, freely: OCCURRENCES_FREELY, pool });
      const ofAll = all(source);
      return {
        work: (steps) => inWords(takeWork(steps), 'readings to look at'),
        keep: (count) => inWords(ofAll(count) ? take(count) : MOST_IN_ALL, 'occurrences'),
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

/** Takes an amount; returns null, or the limit that it exceeds. */
function createTaker({ most, freely, pool }: { most: number; freely: number; pool: Pool }) {
  let taken = 0;
  return (amount: number): number | null => {
    const next = taken + amount;
    if (next > most) return most;
    const beyond = Math.max(0, next - freely) - Math.max(0, taken - freely);
    if (beyond > 0 && !pool(beyond)) return freely;
    taken = next;
    return null;
  };
}
