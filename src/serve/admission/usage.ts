/**
 * The time that the work of each address has taken lately (D14). Whoever has used least comes first: in the queue for admission, and in the
 * turns of the event loop.
 */
import { LRUCache } from 'lru-cache';

export interface Usage {
  /** Whole milliseconds at work, of which half are forgotten after each half-life: less than one makes no difference. */
  readonly of: (address: string) => number;
  readonly add: (address: string, milliseconds: number) => void;
}

/** Milliseconds after which work counts half. */
const HALF_LIFE_MS = 5_000;
/** Addresses that are remembered; beyond that, the least recently seen one starts again at zero. */
const MOST_ADDRESSES = 10_000;

interface Used {
  /** How much of the work still counted at the time `at`. */
  readonly milliseconds: number;
  readonly at: number;
}

/** `clock`: milliseconds since any fixed time. */
export function createUsage(clock: () => number): Usage {
  const byAddress = new LRUCache<string, Used>({ max: MOST_ADDRESSES });
  const leftOf = (used: Used | undefined, now: number) =>
    used === undefined ? 0 : used.milliseconds * 2 ** ((used.at - now) / HALF_LIFE_MS);
  return {
    of: (address) => Math.floor(leftOf(byAddress.peek(address), clock())),
    add: (address, milliseconds) => {
      const now = clock();
      const left = leftOf(byAddress.get(address), now);
      byAddress.set(address, { milliseconds: left + milliseconds, at: now });
    },
  };
}
