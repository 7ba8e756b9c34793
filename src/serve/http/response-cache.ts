/**
 * The response cache (D6, exact freshness): answers of the current epoch, each in the representation that was asked for, and those that are
 * being made. A cached answer costs an eighth of a new one.
 */
import { LRUCache } from 'lru-cache';
import type { Refusal } from '../graphql/refusal.ts';
import { type Changing, type Epoch, epochOf } from '../query/epoch.ts';
import type { Representation } from './representation.ts';

interface ResponseCache {
  /** The epoch of a request. Clears the cache when the epoch changes. */
  readonly epochFor: (snapshot: Changing, now: number) => Epoch;
  readonly find: (key: string, epoch: Epoch) => CachedResult | undefined;
  /** Makes the answer and caches it while it is exact, or joins equal work in progress. `make` must not reject. */
  readonly share: (
    key: string,
    epoch: Epoch | undefined,
    make: () => Promise<CachedResult | Refusal>,
  ) => Promise<CachedResult | Refusal>;
  /** Releases all entries, and the snapshot. */
  readonly clear: () => void;
  readonly size: () => { readonly entries: number; readonly bytes: number };
}

/** `maxBytes`: bytes that all entries may take together; the least recently used are evicted first. */
export function createResponseCache(maxBytes: number): ResponseCache {
  const store = new LRUCache<string, CachedResult>({
    maxSize: Math.max(1, maxBytes),
    sizeCalculation: ({ bytes }, key) => bytes + KEYS_WEIGH * key.length + ENTRY_BYTES,
  });
  let running = new Map<string, Promise<CachedResult | Refusal>>();
  let current: Epoch | undefined;

  const clear = () => {
    store.clear();
    running = new Map();
    current = undefined;
  };

  return {
    epochFor: (snapshot, now) => {
      const epoch = epochOf(snapshot, now);
      if (epoch !== current) clear();
      current = epoch;
      return epoch;
    },
    find: (key, epoch) => (epoch === current ? store.get(key) : undefined),
    share: (key, epoch, make) => {
      const ofThisEpoch = epoch === current ? running : new Map<string, Promise<CachedResult | Refusal>>();
      const known = ofThisEpoch.get(key);
      if (known !== undefined) return known;
      const made = make().then((answer) => {
        ofThisEpoch.delete(key);
        // V8 links each table of a Map to the one that replaces it, and a dead table that has become old keeps all later ones, with their
        // answers, until the next full collection. Another Map has tables of its own.
        if (ofThisEpoch === running && running.size === 0) running = new Map();
        const isExact = epoch !== undefined && epoch === current && !('code' in answer) && answer.isCacheable;
        if (isExact) store.set(key, answer);
        return answer;
      });
      ofThisEpoch.set(key, made);
      return made;
    },
    clear,
    size: () => ({ entries: store.size, bytes: store.calculatedSize }),
  };
}

/** Bytes that an entry takes besides its key and its answer: headers, tags, the cache's bookkeeping. */
const ENTRY_BYTES = 1_500;
/** A key of one byte a character; the query in it may be held by `onReuse`, too, with two. */
const KEYS_WEIGH = 3;

/** What is known of an answer besides its body. */
export interface Described {
  readonly operationName: string | undefined;
  /** For metrics: the name of its root field, or `several`. */
  readonly rootField: string;
  /** Whether the answer has errors. */
  readonly failed: boolean;
  /** B12, free and period: whether the answer may change at midnight. */
  readonly dependsOnDay: boolean;
  /** The second at which the answer changes for a reason of its own. */
  readonly until?: number | undefined;
  /** Called with each request that finds the answer cached. */
  readonly onReuse?: (() => void) | undefined;
}

/**
 * An answer in one representation. A class, like others that are cached and hold large memory: V8 would allocate object literals as
 * long-lived once a cache is full of them, and each later one would hold its 30 KB until the next full collection.
 */
export class CachedResult {
  readonly representation: Representation;
  /** Exact for its whole epoch: status 200, no errors. */
  readonly isCacheable: boolean;
  readonly dependsOnDay: boolean;
  readonly until: number;
  readonly onReuse: (() => void) | undefined;
  readonly operationName: string | undefined;
  readonly rootField: string;

  constructor(representation: Representation, described: Described) {
    this.representation = representation;
    this.isCacheable = !described.failed;
    this.dependsOnDay = described.dependsOnDay;
    this.until = described.until ?? Number.POSITIVE_INFINITY;
    this.onReuse = described.onReuse;
    this.operationName = described.operationName;
    this.rootField = described.rootField;
  }

  get bytes(): number {
    return this.representation.length;
  }
}
