/**
 * What rules may cost, in counts: no rule can hang a build or fill it, and the same source always gives the same snapshot.
 * Each rule has enough of its own for any real programme; what a rule takes beyond that, all rules of a build share.
 */

/** An occurrence three times an hour, nine hours a day, for a year: more than any venue lists as one event. */
export const MOST_KEPT = 10_000;
/** A daily event is 548 to the horizon; hourly ones use the common pool. */
export const KEPT_FREELY = 1_000;
export const KEPT_IN_COMMON = 2_000_000;

/** Candidates are readings that a library may have to look at. One costs from 1 to 60 µs. */
export const MOST_WORK = 50_000;
/** Thirteen years of days, one by one. */
export const WORK_FREELY = 5_000;
export const WORK_IN_COMMON = 400_000;

export interface Allowance {
  /** What one rule may take. */
  readonly share: () => Share;
}

export interface Share {
  /** Takes some candidates; false when there are not that many left. */
  readonly work: (candidates: number) => boolean;
  /** Takes one occurrence; false when there is none left. */
  readonly keep: () => boolean;
  /** The limit that something was asked for beyond, in words; null when all was granted. */
  readonly refused: () => string | null;
}

/** One for all rules of a build. */
export function createAllowance(): Allowance {
  const workPool = createPool(WORK_IN_COMMON);
  const keepPool = createPool(KEPT_IN_COMMON);
  return {
    share: () => {
      let refused: string | null = null;
      const work = createTaker({ most: MOST_WORK, freely: WORK_FREELY, pool: workPool });
      const keep = createTaker({ most: MOST_KEPT, freely: KEPT_FREELY, pool: keepPool });
      return {
        work: (candidates) => {
          const limit = work(candidates);
          if (limit !== null) refused = `at most ${limit} readings to look at`;
          return limit === null;
        },
        keep: () => {
          const limit = keep(1);
          if (limit !== null) refused = `at most ${limit} occurrences`;
          return limit === null;
        },
        refused: () => refused,
      };
    },
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

/** Hands out amounts and gives null, or the limit that stood in the way. */
function createTaker({ most, freely, pool }: { most: number; freely: number; pool: Pool }) {
  let taken = 0;
  return (amount: number): number | null => {
    const next = taken + amount;
    if (next > most) return most;
    const beyond = Math.max(0, next - freely) - Math.max(0, taken - freely);
    if (beyond > 0 && !pool.take(beyond)) return freely;
    taken = next;
    return null;
  };
}
