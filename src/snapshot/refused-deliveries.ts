/**
 * H5: remembers the last refused delivery. A *delivery* is a manifest's text; its *stamp* changes whenever the file that it names is written
 * to. An invalid file is not hashed again at each check. A file that is still being copied is: its stamp has changed.
 */

/** Milliseconds. The same bytes may have failed for a temporary reason, such as too many open files. */
const LONGEST_WAIT_MS = 300_000;

interface RefusedDelivery {
  readonly delivery: string;
  readonly stamp: string;
  readonly reason: string;
  /** Milliseconds from its latest attempt to the next one. */
  readonly wait: number;
  readonly retryAt: number;
}

export interface RefusedDeliveries {
  /** Whether this very delivery was refused and its next attempt is not due. */
  readonly blocks: (delivery: string, stamp: string) => boolean;
  /**
   * Returns whether the log should say so: for another delivery, or another reason for the same bytes. A changed stamp is neither: the file is
   * still being copied, and its next attempt is after the first wait again.
   */
  readonly record: (delivery: string, stamp: string, reason: string) => boolean;
  readonly forgive: () => void;
}

/** `firstWait`: milliseconds to the second attempt; doubled each time. */
export function createRefusedDeliveries(firstWait: number, clock: () => number): RefusedDeliveries {
  let refused: RefusedDelivery | null = null;
  return {
    blocks: (delivery, stamp) => {
      if (refused?.delivery !== delivery || refused.stamp !== stamp) return false;
      return clock() < refused.retryAt;
    },
    record: (delivery, stamp, reason) => {
      const before = refused?.delivery === delivery ? refused : null;
      const isSameFile = before?.stamp === stamp;
      const wait = isSameFile ? Math.min(2 * before.wait, LONGEST_WAIT_MS) : firstWait;
      refused = { delivery, stamp, reason, wait, retryAt: clock() + wait };
      return before === null || (isSameFile && reason !== before.reason);
    },
    forgive: () => {
      refused = null;
    },
  };
}
