/**
 * Limits on rules, as counts: no rule can block or fill a build, and the same source always gives the same snapshot. Each event has
 * enough of its own for any real programme; beyond that, all events of a build share pools. G11: half of each pool is
 * divided evenly among the sources, so that no feed leaves the others without, and half is for whoever needs more.
 */

/** Occurrences of one event: three times an hour, nine hours a day, for a year, is more than any venue lists as one. */
export const MOST_OCCURRENCES = 10_000;
/** Occurrences that each event may have without using the pool. A daily event has 548 up to the horizon. */
export const FREE_OCCURRENCES = 1_000;
/** The pool of a build for events with more occurrences. */
export const SHARED_OCCURRENCES = 2_000_000;
/** All occurrences by rules in a build. Each takes about 100 bytes in a server's memory. */
export const MOST_IN_BUILD = 10_000_000;

/** Steps of one event. A step is a period without candidates, an excluded date, or ten days or times that were tried. */
export const MOST_STEPS = 50_000;
/** Steps that each event may use without the pool: thirteen years of days, one by one. */
export const FREE_STEPS = 5_000;
/** The pool of a build for events with more steps: enough for eight that use all that one event may. */
export const SHARED_STEPS = 400_000;

/** One for all rules of a build. */
export interface Allowance {
  /** `source`: the file or the feed that it is of; one build has as many as it was made for. */
  readonly forEvent: (source?: string) => EventAllowance;
}

/** One for all rules of an event. */
export interface EventAllowance {
  readonly takeSteps: Take;
  readonly takeOccurrences: Take;
}

/** Takes an amount. Returns null if it was granted, or else the limit that it exceeds, in words. */
type Take = (amount: number) => string | null;

export function createAllowance(sources = 1): Allowance {
  const steps = createPool(SHARED_STEPS, sources);
  const occurrences = createPool(SHARED_OCCURRENCES, sources);
  const allOccurrences = createPool(MOST_IN_BUILD, sources);
  return {
    forEvent: (source = '') => ({
      takeSteps: createTake({
        what: 'steps',
        most: MOST_STEPS,
        free: FREE_STEPS,
        takeShared: (amount) => steps.take(source, amount),
      }),
      takeOccurrences: createTake({
        what: 'occurrences',
        most: MOST_OCCURRENCES,
        free: FREE_OCCURRENCES,
        takeShared: (amount) => occurrences.take(source, amount),
        takeAny: (amount) => allOccurrences.take(source, amount),
      }),
    }),
  };
}

interface Pool {
  /** Takes an amount for an event of that source. Returns whether so much was left. */
  readonly take: (source: string, amount: number) => boolean;
}

/** A source uses its own share first, then the common half. */
function createPool(size: number, sources: number): Pool {
  const share = Math.floor(size / 2 / sources);
  const sharesLeft = new Map<string, number>();
  let commonLeft = size - share * sources;
  return {
    take: (source, amount) => {
      // A source beyond those that were counted has no share.
      const shareLeft = sharesLeft.get(source) ?? (sharesLeft.size < sources ? share : 0);
      if (amount > shareLeft + commonLeft) return false;
      const fromShare = Math.min(shareLeft, amount);
      sharesLeft.set(source, shareLeft - fromShare);
      commonLeft -= amount - fromShare;
      return true;
    },
  };
}

interface TakeOptions {
  /** What is taken, for the reader of a finding. */
  readonly what: string;
  /** Limit for one event. */
  readonly most: number;
  /** The part of it that does not come from the pool. */
  readonly free: number;
  /** Takes from the pool what exceeds `free`. */
  readonly takeShared: (amount: number) => boolean;
  /** Takes any amount from a limit of the whole build, where there is one. */
  readonly takeAny?: (amount: number) => boolean;
}

/** A pool may be empty before the event has reached its own limit. The limit is then what the event has. */
function createTake({ what, most, free, takeShared, takeAny = () => true }: TakeOptions): Take {
  let taken = 0;
  return (amount) => {
    const next = taken + amount;
    if (next > most) return `at most ${most} ${what}`;
    const beyondFree = Math.max(0, next - free) - Math.max(0, taken - free);
    // The build's own limit comes last. Once it refuses, no event gets any more, so what the pool has just given is no loss.
    const isGranted = (beyondFree === 0 || takeShared(beyondFree)) && takeAny(amount);
    if (!isGranted) return `at most ${taken} ${what}, because all events share a limit`;
    taken = next;
    return null;
  };
}
