/**
 * Caches values within a bound. Up to a part of it, every value is admitted. Beyond that, values requested once would evict those requested
 * all the time, and each eviction is work for the garbage collector: so an admission filter admits only keys that were requested before.
 */
import { LRUCache } from 'lru-cache';

export interface BoundedCache<Value extends object> {
  readonly get: (key: string) => Value | undefined;
  /** Caches the value, or does not. The least recently used is evicted first. */
  readonly offer: (key: string, value: Value) => void;
  /** Called when a cached value has grown. */
  readonly reweigh: (key: string, value: Value) => void;
  readonly clear: () => void;
  readonly size: () => { readonly entries: number; readonly weight: number };
}

interface BoundedCacheOptions<Value> {
  /** The most that all values may weigh together. */
  readonly most: number;
  /** Returns whole numbers above 0. */
  readonly weigh: (value: Value, key: string) => number;
  /** Part of the bound up to which values are admitted whose keys were not requested before; NEARLY_FULL unless given. */
  readonly open?: number;
}

export function createBoundedCache<Value extends object>({
  most,
  weigh,
  open = NEARLY_FULL,
}: BoundedCacheOptions<Value>): BoundedCache<Value> {
  const store = new LRUCache<string, Value>({ maxSize: Math.max(1, most), sizeCalculation: weigh });
  const wasRequested = createAdmissionFilter();
  return {
    get: (key) => store.get(key),
    offer: (key, value) => {
      if (wasRequested(key) || store.calculatedSize < open * most) store.set(key, value);
    },
    reweigh: (key, value) => {
      if (store.peek(key) !== value) return;
      // Without the deletion, `set` would keep the old size.
      store.delete(key);
      store.set(key, value);
    },
    clear: () => store.clear(),
    size: () => ({ entries: store.size, weight: store.calculatedSize }),
  };
}

/** The part of a cache's bound from which it counts as nearly full. */
export const NEARLY_FULL = 0.9;

/**
 * Whether a key was requested recently. It remembers hashes, not keys: a collision admits an entry that was not requested before, which
 * is harmless.
 */
export function createAdmissionFilter(): (key: string) => boolean {
  const lately = new Int32Array(KEYS_REMEMBERED);
  return (key) => {
    const mark = markOf(key);
    const place = mark & (KEYS_REMEMBERED - 1);
    const wasRequested = lately[place] === mark;
    lately[place] = mark;
    return wasRequested;
  };
}

/** Upper bound; a power of two. */
const KEYS_REMEMBERED = 4_096;

/** FNV-1a over the UTF-16 units, with its bits mixed once more; never 0. */
function markOf(key: string): number {
  let mark = 0x811c9dc5;
  for (let place = 0; place < key.length; place++) mark = Math.imul(mark ^ key.charCodeAt(place), 0x01000193);
  mark ^= mark >>> 15;
  return mark === 0 ? 1 : mark;
}
