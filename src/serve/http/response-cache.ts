/**
 * Answers of an epoch that are cached, and those that are being worked out (D6). A cached answer costs an eighth of one that is
 * worked out: 23 µs of 190.
 */
import type { Refusal } from '../graphql/refusal.ts';
import { createBoundedCache } from '../query/bounded-cache.ts';
import { type Changing, type Epoch, epochOf } from '../query/view.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { Content } from './representation.ts';

/** `Cached` is what may be used again; `Uncached` goes to those who wait for it, and no further. */
interface ResponseCache<Cached, Uncached> {
  /** The epoch of a request. Empties the store when it is not the one before. */
  readonly epochFor: (snapshot: Changing, now: number) => Epoch;
  readonly find: (key: string, epoch: Epoch) => Cached | undefined;
  /** Begins the work, unless the same work is under way: then its outcome is shared, whatever it is. */
  readonly share: (
    key: string,
    epoch: Epoch | undefined,
    begin: Begin<Cached, Uncached>,
  ) => Shared<Cached | Uncached>;
  /** To be called when something that is cached has grown. */
  readonly reweigh: (key: string, cached: Cached) => void;
  /** Lets go of everything, and of the snapshot. */
  readonly clear: () => void;
  readonly size: () => { readonly entries: number; readonly bytes: number };
}

type Begin<Cached, Uncached> = () => UnderWay<Cached | Uncached>;

/** Work that goes on, or waits for its turn. */
export interface UnderWay<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** To be called once all requests that wait for it have ended. */
  readonly abandon: () => void;
}

/** Work as one of the requests that wait for it sees it. */
interface Shared<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** To be called when this request has ended. */
  readonly leave: () => void;
}

interface Weighed {
  readonly bytes: number;
}

export interface ResponseCacheOptions<Cached, Uncached> {
  /** Bytes that all entries may take together; what was not used for longest goes first. */
  readonly maxBytes: number;
  readonly isCacheable: (result: Cached | Uncached) => result is Cached;
}

export function createResponseCache<Cached extends Weighed, Uncached>(
  options: ResponseCacheOptions<Cached, Uncached>,
): ResponseCache<Cached, Uncached> {
  const store = createBoundedCache<Cached>({
    most: options.maxBytes,
    weigh: (cached, key) => cached.bytes + key.length + ENTRY_BYTES,
  });
  let running = new Map<string, Running<Cached | Uncached>>();
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
    share: (key, epoch, begin) => {
      const ofThisEpoch = epoch === current ? running : new Map<string, Running<Cached | Uncached>>();
      let shared = ofThisEpoch.get(key);
      if (shared === undefined) {
        const { outcome, abandon } = begin();
        const kept = outcome
          .then((result) => {
            if (epoch !== undefined && epoch === current && options.isCacheable(result))
              store.offer(key, result);
            return result;
          })
          .finally(() => ofThisEpoch.delete(key));
        shared = { outcome: kept, abandon, askers: 0 };
        ofThisEpoch.set(key, shared);
      }
      const joined = shared;
      joined.askers++;
      const leave = () => {
        joined.askers--;
        if (joined.askers > 0) return;
        // Later requests begin anew.
        if (ofThisEpoch.get(key) === joined) ofThisEpoch.delete(key);
        joined.abandon();
      };
      return { outcome: joined.outcome, leave };
    },
    reweigh: store.reweigh,
    clear,
    size: () => {
      const { entries, weight } = store.size();
      return { entries, bytes: weight };
    },
  };
}

interface Running<Outcome> extends UnderWay<Outcome> {
  askers: number;
}

/** Bytes that an entry takes besides its key and its answer: headers, tags, the cache's bookkeeping. */
const ENTRY_BYTES = 1_500;

export type Counted = Pick<AccessLogEntry, 'operationName' | 'rootField' | 'reused' | 'failed'>;

interface CachedAnswerOptions {
  readonly operationName: string | undefined;
  readonly rootField: string;
  /** Whether it has errors. */
  readonly failed: boolean;
  /** B12: whether it may be another one at midnight. */
  readonly dependsOnDay: boolean;
  /** The first second at which it is another one for a reason of its own. */
  readonly until?: number | undefined;
  /** Called with each request that finds it cached. */
  readonly onReuse?: () => void;
  /** Bytes that `onReuse` holds. */
  readonly heldBytes?: number;
}

/** An answer with its representations, as long as it is exact. */
export class CachedAnswer {
  readonly content: Content;
  /** Exact for its whole epoch: status 200, no errors. */
  readonly isCacheable: boolean;
  readonly dependsOnDay: boolean;
  readonly until: number;
  readonly onReuse: (() => void) | undefined;
  readonly #heldBytes: number;
  readonly #operationName: string | undefined;
  readonly #rootField: string;

  constructor(content: Content, options: CachedAnswerOptions) {
    this.content = content;
    this.isCacheable = !options.failed;
    this.dependsOnDay = options.dependsOnDay;
    this.until = options.until ?? Number.POSITIVE_INFINITY;
    this.onReuse = options.onReuse;
    this.#heldBytes = options.heldBytes ?? 0;
    this.#operationName = options.operationName;
    this.#rootField = options.rootField;
  }

  get bytes(): number {
    return this.content.bytes + this.#heldBytes;
  }

  entry(reused: boolean): Counted {
    return {
      operationName: this.#operationName,
      rootField: this.#rootField,
      reused,
      failed: !this.isCacheable,
    };
  }
}

/** A refusal that anybody gets for the same request as long as the epoch lasts: finding it out again may cost a second. */
export class CachedRefusal {
  readonly refusal: Refusal;
  readonly bytes = 500;

  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}
