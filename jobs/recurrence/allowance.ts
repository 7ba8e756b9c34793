/**
 * What rules may cost, in counts: no rule can hang a build or fill it, and the same source always gives the same snapshot.
 * Each event has enough of its own for any real programme; what it takes beyond that, all events of a build share.
 */

/** An occurrence three times an hour, nine hours a day, for a year: more than any venue lists as one event. */
export const MOST_KEPT = 10_000;
/** A daily event is 548 to the horizon; hourly ones use the common pool. */
export const KEPT_FREELY = 1_000;
export const KEPT_IN_COMMON = 2_000_000;
/** What is taken freely included. Each is about 100 bytes in the memory of a server. */
export const MOST_IN_ALL = 10_000_000;

/**
 * A step is a period that gives nothing, a date that is taken out, or ten days or times that were looked at. It costs from 0.1
 * to 1 µs.
 */
export const MOST_WORK = 50_000;
/** Thirteen years of days, one by one. */
export const WORK_FREELY = 5_000;
export const WORK_IN_COMMON = 400_000;

/** One for all rules of a build. */
export interface Allowance {
  readonly forEvent: () => EventAllowance;
}

/** One for all rules of an event. */
export interface EventAllowance {
  readonly share: () => Share;
}

/** What is told about one rule. */
export interface Share {
  /** Takes some steps; false when there are not that many left. */
  readonly work: (steps: number) => boolean;
  /** Takes one occurrence; false when there is none left. */
  readonly keep: () => boolean;
  /** The limit that something was asked for beyond, in words; null when all was granted. */
  readonly refused: () => string | null;
}

export function createAllowance(): Allowance {
  const workPool = createPool(WORK_IN_COMMON);
  const keepPool = createPool(KEPT_IN_COMMON);
  const all = createPool(MOST_IN_ALL);
  return {
    forEvent: () => {
      const work = createTaker({ most: MOST_WORK, freely: WORK_FREELY, pool: workPool });
      const keep = createTaker({ most: MOST_KEPT, freely: KEPT_FREELY, pool: keepPool });
      const keepOne = () => (all.take(1) ? keep(1) : MOST_IN_ALL);
      return { share: () => createShare(work, keepOne) };
    },
  };
}

/** Null, or the limit that stands in the way. */
type Limit = number | null;

function createShare(work: (steps: number) => Limit, keep: () => Limit): Share {
  let refused: string | null = null;
  function granted(limit: Limit, what: string): boolean {
    if (limit !== null) refused = `at most ${limit} ${what}`;
    return limit === null;
  }
  return {
    work: (steps) => granted(work(steps), 'readings to look at'),
    keep: () => granted(keep(), 'occurrences'),
    refused: () => refused,
  };
}

interface Pool {
  readonly take: (amount: number) => boolean;
}

function createPool(size: number): Pool {
  let left = size;
  return {
    take: (amount) => {
      if (amount > left) return false;
      left -= amount;
      return true;
    },
  };
}

function createTaker({ most, freely, pool }: { most: number; freely: number; pool: Pool }) {
  let taken = 0;
  return (amount: number): Limit => {
    const next = taken + amount;
    if (next > most) return most;
    const beyond = Math.max(0, next - freely) - Math.max(0, taken - freely);
    if (beyond > 0 && !pool.take(beyond)) return freely;
    taken = next;
    return null;
  };
}
