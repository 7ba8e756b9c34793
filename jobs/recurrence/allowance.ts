/**
 * Limits on rules, as counts: no rule can block or fill a build, and the same source always gives the same snapshot. Each event has
 * enough of its own for any real programme; beyond that, all events of a build share a pool.
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
  readonly forEvent: () => EventAllowance;
}

/** One for all rules of an event. Each takes some, and returns the limit that it exceeds, in words; null if it was granted. */
export interface EventAllowance {
  readonly work: (steps: number) => string | null;
  readonly keep: (occurrences: number) => string | null;
}

export function createAllowance(): Allowance {
  const work = createPool(WORK_IN_COMMON);
  const occurrences = createPool(OCCURRENCES_IN_COMMON);
  const all = createPool(MOST_IN_ALL);
  return {
    forEvent: () => {
      const takeWork = createTaker({ most: MOST_WORK, freely: WORK_FREELY, pool: work });
      const take = createTaker({ most: MOST_OCCURRENCES, freely: OCCURRENCES_FREELY, pool: occurrences });
      return {
        work: (steps) => inWords(takeWork(steps), 'readings to look at'),
        keep: (count) => inWords(all(count) ? take(count) : MOST_IN_ALL, 'occurrences'),
      };
    },
  };
}

function inWords(limit: number | null, what: string): string | null {
  return limit === null ? null : `at most ${limit} ${what}`;
}

/** Takes an amount; returns whether it was left. */
type Pool = (amount: number) => boolean;

function createPool(size: number): Pool {
  let left = size;
  return (amount) => {
    if (amount > left) return false;
    left -= amount;
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
