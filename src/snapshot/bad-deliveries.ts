/** Remembers what was refused, so that a bad delivery is not hashed again and again, and one still being copied is. */

export interface AdoptionProblem {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A *delivery* is a manifest's text; its *stamp* changes whenever the file that it names is written to. */
export interface BadDeliveries {
  readonly last: () => AdoptionProblem | null;
  /** Whether just this was refused and its next try is not due. */
  readonly blocks: (delivery: string, stamp: string) => boolean;
  /** True when it is news: another delivery, or another reason for the same bytes. */
  readonly record: (delivery: string, stamp: string, reason: string) => boolean;
  readonly forgive: () => void;
}

/** The same bytes may have failed for a reason that passes, such as too many open files. */
const LONGEST_WAIT = 300_000;

interface Options {
  /** Milliseconds to the second try; doubled each time. */
  readonly wait: number;
  readonly clock: () => number;
}

export function createBadDeliveries({ wait, clock }: Options): BadDeliveries {
  let last: AdoptionProblem | null = null;
  let refused: Refused | null = null;
  return {
    last: () => last,
    blocks: (delivery, stamp) =>
      refused?.delivery === delivery && refused.stamp === stamp && clock() < refused.retryAt,
    record(delivery, stamp, reason) {
      const sameBytes = refused?.delivery === delivery && refused.stamp === stamp;
      const news = refused?.delivery !== delivery || (sameBytes && reason !== last?.reason);
      const attempts = sameBytes ? (refused?.attempts ?? 0) + 1 : 0;
      const retryAt = clock() + Math.min(wait * 2 ** attempts, LONGEST_WAIT);
      refused = { delivery, stamp, attempts, retryAt };
      last = { reason, at: clock() };
      return news;
    },
    forgive() {
      refused = null;
    },
  };
}

interface Refused {
  readonly delivery: string;
  readonly stamp: string;
  /** Tries after the first. */
  readonly attempts: number;
  readonly retryAt: number;
}
