/**
 * H12: the requests of callers without the address that is refused most (OVERLOADED). From them, an alert tells a server that is overloaded for
 * everyone from one address that sends too much. Addresses are compared within a minute, and then forgotten: no metric holds one.
 *
 * An address is counted from its first refusal in a minute on, so that requests cost nothing more while none is refused.
 */
import type { AddressedMessage, CallerAddressOf } from '../../serve/http/caller.ts';

interface Others {
  readonly count: (message: AddressedMessage, isRefused: boolean) => void;
  /** The counts of all minutes that are over: they never fall. */
  readonly read: () => Readonly<Counts>;
}

interface Counts {
  requests: number;
  refused: number;
}

const PERIOD_MS = 60_000;
/** Addresses that are counted in a minute. If more are refused, no single one of them is the reason. */
const MOST_REFUSED = 1_000;

/** `clock`: milliseconds since any fixed time. */
export function createOthers(addressOf: CallerAddressOf, clock: () => number): Others {
  const ended: Counts = { requests: 0, refused: 0 };
  let current: Counts = { requests: 0, refused: 0 };
  let begun = clock();
  const byAddress = new Map<string, Counts>();

  const endPeriod = () => {
    const now = clock();
    if (now - begun < PERIOD_MS) return;
    begun = now;
    const left = mostRefused(byAddress.values());
    ended.requests += current.requests - (left?.requests ?? 0);
    ended.refused += current.refused - (left?.refused ?? 0);
    current = { requests: 0, refused: 0 };
    byAddress.clear();
  };

  const countsOf = (message: AddressedMessage, isRefused: boolean): Counts | undefined => {
    if (byAddress.size === 0 && !isRefused) return undefined;
    const address = addressOf(message);
    const known = byAddress.get(address);
    if (known !== undefined || !isRefused || byAddress.size === MOST_REFUSED) return known;
    const counts = { requests: 0, refused: 0 };
    byAddress.set(address, counts);
    return counts;
  };

  return {
    count: (message, isRefused) => {
      endPeriod();
      add(current, isRefused);
      const counts = countsOf(message, isRefused);
      if (counts !== undefined) add(counts, isRefused);
    },
    read: () => {
      endPeriod();
      return ended;
    },
  };
}

function add(counts: Counts, isRefused: boolean): void {
  counts.requests++;
  if (isRefused) counts.refused++;
}

function mostRefused(all: Iterable<Counts>): Counts | undefined {
  let most: Counts | undefined;
  for (const counts of all) if (counts.refused > (most?.refused ?? 0)) most = counts;
  return most;
}
