/**
 * The response cache: results in one representation each, for as long as they are exact (D6), and the work in progress that equal requests
 * wait for. Both belong to one epoch and are forgotten when it ends.
 */
import type { ServerResponse } from 'node:http';
import { type CacheSize, createFilteredCache } from '../admission/filtered-cache.ts';
import { Abandonment } from '../admission/semaphore.ts';
import { isRefusal, type Refusal } from '../graphql/refusal.ts';
import { type Changing, type Epoch, epochOf } from '../query/epoch.ts';
import type { EndpointResult } from './endpoint.ts';
import { isCacheable } from './freshness.ts';
import type { ReplyContent, Representation } from './representation.ts';

/** A result in one representation, without its body before coding. */
export interface RepresentedResult extends Omit<EndpointResult, keyof ReplyContent> {
  readonly representation: Representation;
}

type Made = RepresentedResult | Refusal;

export interface ResponseCache {
  /** Releases all entries, and the snapshot. */
  readonly clear: () => void;
  readonly size: () => CacheSize;
  /** The epoch of a request. Clears the cache when the epoch changes. */
  readonly epochFor: (snapshot: Changing, now: number) => Epoch;
  readonly find: (key: string, epoch: Epoch) => RepresentedResult | undefined;
  /** Finds equal work in progress, or begins it and caches its result if that is exact. */
  readonly share: (key: string, epoch: Epoch | undefined, make: Make) => Share;
}

/** A request's share of work. */
interface Share {
  readonly work: SharedWork;
  /** Whether this request has begun the work. */
  readonly isNew: boolean;
}

/** `maxBytes`: bytes that all entries may take together; the least recently used are evicted first. */
export function createResponseCache(maxBytes: number): ResponseCache {
  const cache = createFilteredCache<RepresentedResult>({ maxBytes, unproven: UNPROVEN_SHARE, bytesOf });
  let inProgress = new Map<string, SharedWork>();
  let current: Epoch | undefined;

  const clear = () => {
    cache.clear();
    inProgress = new Map();
    current = undefined;
  };
  const begin = (key: string, epoch: Epoch | undefined, make: Make): SharedWork => {
    // Later requests share only the work of the current epoch.
    const shared = epoch === current ? inProgress : undefined;
    const work = createSharedWork(make, (made) => {
      if (shared?.get(key) === work) shared.delete(key);
      // V8 links each table of a Map to the one that replaces it, and a dead table that has become old keeps all later ones, with their
      // answers, until the next full collection. Another Map has tables of its own.
      if (shared === inProgress && inProgress.size === 0) inProgress = new Map();
      const isExact = epoch !== undefined && epoch === current;
      if (isExact && !isRefusal(made) && isCacheable(made)) cache.set(key, made);
    });
    shared?.set(key, work);
    return work;
  };

  return {
    clear,
    size: cache.size,
    epochFor: (snapshot: Changing, now: number): Epoch => {
      const epoch = epochOf(snapshot, now);
      if (epoch !== current) clear();
      current = epoch;
      return epoch;
    },
    find: (key: string, epoch: Epoch) => (epoch === current ? cache.get(key) : undefined),
    share: (key: string, epoch: Epoch | undefined, make: Make): Share => {
      const begun = epoch === current ? inProgress.get(key) : undefined;
      if (begun !== undefined && !begun.isAbandoned()) return { work: begun, isNew: false };
      return { work: begin(key, epoch, make), isNew: true };
    },
  };
}

/** Keys are of one byte a character. */
function bytesOf({ representation, cacheHit }: RepresentedResult, key: string): number {
  const { heldBytes = 0 } = cacheHit ?? {};
  return representation.length + key.length + heldBytes + ENTRY_BYTES;
}

/** Bytes that an entry takes besides its key and its answer: headers, tags, the cache's bookkeeping. */
const ENTRY_BYTES = 1_500;

/**
 * The share of the cache that answers may fill that were requested once. Another answer evicts others only if it was requested before.
 * Collecting those that are never requested again as garbage costs a tenth of making them.
 */
const UNPROVEN_SHARE = 1 / 32;

/**
 * Work that equal requests share: the first of them begins it, and the others wait for its result. It is abandoned once the connections of
 * all of them are closed (D14).
 */
interface SharedWork {
  readonly result: Promise<Made>;
  readonly isAbandoned: () => boolean;
  /** Counts a response that waits for the result. */
  readonly join: (response: ServerResponse) => void;
}

/** Makes a result, unless no request waits for it. Must not reject. */
type Make = (abandonment: Abandonment) => Promise<Made>;

/** `onEnd`: called with the result, before the waiting requests get it. */
function createSharedWork(make: Make, onEnd: (made: Made) => void): SharedWork {
  const abandonment = new Abandonment();
  let waiting = 0;
  let isOver = false;
  const result = make(abandonment).then((made) => {
    isOver = true;
    onEnd(made);
    return made;
  });
  const leave = () => {
    waiting--;
    if (waiting === 0 && !isOver) abandonment.abandon();
  };
  return {
    result,
    isAbandoned: () => abandonment.isAbandoned,
    join: (response) => {
      waiting++;
      response.once('close', leave);
    },
  };
}
