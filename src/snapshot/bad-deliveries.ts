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
  #refused: Refused | null = null;
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
    const isSame = this.#refused?.delivery === delivery;
    const before = isSame && this.#refused?.stamp === stamp ? this.#refused : null;
    const isNews = !isSame || (before !== null && reason !== this.last?.reason);
    const attempts = before === null ? 0 : before.attempts + 1;
    const retryAt = this.#clock() + Math.min(this.#wait * 2 ** attempts, LONGEST_WAIT);
    this.#refused = { delivery, stamp, attempts, retryAt };
    this.last = { reason, at: this.#clock() };
    return isNews;
  }

  forgive(): void {
    this.#refused = null;
  }
}

interface Refused {
  readonly delivery: string;
  readonly stamp: string;
  /** Attempts after the first. */
  readonly attempts: number;
  readonly retryAt: number;
}
