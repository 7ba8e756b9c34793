/**
 * Finished answers of one epoch, by everything that they depend on. At a swap and at each moment of change all of them
 * go at once: nothing in here has to be told which answers changed.
 */
import { type Changing, type Epoch, epochAt, isIn } from './freshness.ts';
import { createKept } from './kept.ts';

/** `Kept` is what may be used again; `Dropped` goes to those who wait for it, and no further. */
export interface Reuse<Kept, Dropped> {
  /** The epoch of a request. Empties the store when it is not the one before. */
  readonly enter: (snapshot: Changing, now: number) => Epoch;
  readonly find: (key: string, epoch: Epoch) => Kept | undefined;
  /** Does the work, unless the same work is under way: then its outcome is shared, whatever it is. */
  readonly share: (key: string, epoch: Epoch, work: Work<Kept, Dropped>) => Promise<Kept | Dropped>;
  /** To be called when something that is kept has grown. */
  readonly weighAgain: (key: string, kept: Kept) => void;
  /** Lets go of everything, and of the snapshot. */
  readonly forget: () => void;
  readonly size: () => { readonly entries: number; readonly bytes: number };
}

export type Work<Kept, Dropped> = () => Promise<Kept | Dropped>;

export interface Weighed {
  readonly bytes: number;
}

export interface ReuseOptions<Kept, Dropped> {
  /** Bytes that all entries may take together; what was not used for longest goes first. */
  readonly maxBytes: number;
  readonly isKept: (result: Kept | Dropped) => result is Kept;
}

export function createReuse<Kept extends Weighed, Dropped>(
  options: ReuseOptions<Kept, Dropped>,
): Reuse<Kept, Dropped> {
  const store = createKept<Kept>({
    most: options.maxBytes,
    weigh: (kept, key) => kept.bytes + key.length + ENTRY_BYTES,
  });
  let running = new Map<string, Promise<Kept | Dropped>>();
  let current: Epoch | undefined;

  const forget = () => {
    store.clear();
    running = new Map();
    current = undefined;
  };

  return {
    enter: (snapshot, now) => {
      if (current === undefined || !isIn(current, snapshot, now)) {
        forget();
        current = epochAt(snapshot, now);
      }
      return current;
    },
    find: (key, epoch) => (epoch === current ? store.get(key) : undefined),
    share: (key, epoch, work) => {
      if (epoch !== current) return work();
      const underWay = running.get(key);
      if (underWay !== undefined) return underWay;
      const ofThisEpoch = running;
      const outcome = work()
        .then((result) => {
          if (epoch === current && options.isKept(result)) store.offer(key, result);
          return result;
        })
        .finally(() => ofThisEpoch.delete(key));
      running.set(key, outcome);
      return outcome;
    },
    weighAgain: store.weighAgain,
    forget,
    size: () => {
      const { entries, weight } = store.size();
      return { entries, bytes: weight };
    },
  };
}

/** What an entry takes besides its key and its bytes: headers, tags, the store's own bookkeeping. */
const ENTRY_BYTES = 1_500;
