/** H5, the snapshot folder: deliveries that were refused. */

export interface AdoptionProblem {
  readonly reason: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Milliseconds. The same bytes may have failed for a temporary reason, such as too many open files. */
const LONGEST_WAIT = 300_000;

/**
 * Remembers refused deliveries, so that an invalid delivery is not hashed again and again, but one still being copied is. A *delivery* is
 * a manifest's text; its *stamp* changes whenever the file that it names is written to.
 */
export class BadDeliveries {
  last: AdoptionProblem | null = null;
  /** `wait`: milliseconds to the next attempt. */
  #refused: { delivery: string; stamp: string; wait: number; retryAt: number } | null = null;
  readonly #wait: number;
  readonly #clock: () => number;

  /** `wait`: milliseconds to the second attempt; doubled each time. */
  constructor(wait: number, clock: () => number) {
    this.#wait = wait;
    this.#clock = clock;
  }

  /** Whether this very delivery was refused and its next attempt is not due. */
  blocks(delivery: string, stamp: string): boolean {
    const refused = this.#refused;
    return refused?.delivery === delivery && refused.stamp === stamp && this.#clock() < refused.retryAt;
  }

  /** Returns whether this is new: another delivery, or another reason for the same bytes. */
  record(delivery: string, stamp: string, reason: string): boolean {
    const before = this.#refused?.delivery === delivery ? this.#refused : null;
    const isSame = before?.stamp === stamp;
    const isNews = before === null || (isSame && reason !== this.last?.reason);
    const wait = isSame ? Math.min(2 * before.wait, LONGEST_WAIT) : this.#wait;
    const now = this.#clock();
    this.#refused = { delivery, stamp, wait, retryAt: now + wait };
    this.last = { reason, at: now };
    return isNews;
  }

  forgive(): void {
    this.#refused = null;
  }
}
