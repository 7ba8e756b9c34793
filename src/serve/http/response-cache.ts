/** Cached answers of an epoch, and those that are in progress (D6). A cached answer costs an eighth of a new one: 23 µs of 190. */

import { createBoundedCache } from '../admission/budget.ts';
import type { Refusal } from '../graphql/refusal.ts';
import { type Changing, type Epoch, epochOf } from '../query/epoch.ts';
import type { AccessLogEntry } from './access-log.ts';
import type { Content } from './representation.ts';

/** `Cached` outcomes may be used again; `Uncached` ones go only to the requests that wait for them. */
interface ResponseCache<Cached, Uncached> {
  /** The epoch of a request. Clears the cache when the epoch changes. */
  readonly epochFor: (snapshot: Changing, now: number) => Epoch;
  readonly find: (key: string, epoch: Epoch) => Cached | undefined;
  /** Begins the work, or joins equal work in progress and shares its outcome. */
  readonly share: (
    key: string,
    epoch: Epoch | undefined,
    begin: () => UnderWay<Cached | Uncached>,
  ) => Shared<Cached | Uncached>;
  /** Called when a cached entry has grown. */
  readonly reweigh: (key: string, cached: Cached) => void;
  /** Releases all entries, and the snapshot. */
  readonly clear: () => void;
  readonly size: () => { readonly entries: number; readonly bytes: number };
}

/** Work that is running or waits for its turn. */
export interface UnderWay<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** Called once all requests that wait for the work have ended. */
  readonly abandon: () => void;
}

/** Work in progress as seen by one of the requests that wait for it. */
interface Shared<Outcome> {
  readonly outcome: Promise<Outcome>;
  /** Called when this request has ended. */
  readonly leave: () => void;
}

export interface ResponseCacheOptions<Cached, Uncached> {
  /** Bytes that all entries may take together; the least recently used are evicted first. */
  readonly maxBytes: number;
  readonly isCacheable: (result: Cached | Uncached) => result is Cached;
}

export function createResponseCache<Cached extends { readonly bytes: number }, Uncached>(
  options: ResponseCacheOptions<Cached, Uncached>,
): ResponseCache<Cached, Uncached> {
  const store = createBoundedCache<Cached>({
    most: options.maxBytes,
    weigh: (cached, key) => cached.bytes + key.length + ENTRY_BYTES,
    open: OPEN,
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
          .finally(() => {
            ofThisEpoch.delete(key);
            // V8 links each table of a Map to the one that replaces it, and a dead table that has become old keeps all later ones, with
            // their answers, until the next full collection. Another Map has tables of its own.
            if (ofThisEpoch === running && running.size === 0) running = new Map();
          });
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

/** Answers requested once fill no more of the cache than this: most of them are never requested again. */
const OPEN = 1 / 32;

interface Running<Outcome> extends UnderWay<Outcome> {
  askers: number;
}

/** Bytes that an entry takes besides its key and its answer: headers, tags, the cache's bookkeeping. */
const ENTRY_BYTES = 1_500;

export type Counted = Pick<AccessLogEntry, 'operationName' | 'rootField' | 'reused' | 'failed'>;

interface CachedAnswerOptions {
  readonly operationName: string | undefined;
  readonly rootField: string;
  /** Whether the answer has errors. */
  readonly failed: boolean;
  /** B12: whether the answer may change at midnight. */
  readonly dependsOnDay: boolean;
  /** The second at which the answer changes for a reason of its own. */
  readonly until?: number | undefined;
  /** Called with each request that finds the answer cached. */
  readonly onReuse?: () => void;
  /** Bytes that `onReuse` holds. */
  readonly heldBytes?: number;
}

/** An answer with its representations, for as long as it is exact. */
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

/** A refusal that every client gets for the same request throughout the epoch: finding it again may cost a second. */
export class CachedRefusal {
  readonly refusal: Refusal;
  readonly bytes = 500;

  constructor(refusal: Refusal) {
    this.refusal = refusal;
  }
}
