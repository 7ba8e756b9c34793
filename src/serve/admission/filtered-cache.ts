/** A bounded cache for what clients send: most of it is sent once, and would only evict what is sent again. */
import { crc32 } from 'node:zlib';
import { LRUCache } from 'lru-cache';

interface FilteredCache<Value> {
  readonly get: (key: string) => Value | undefined;
  /** Stores the value, unless its key is new and the cache has enough of those. */
  readonly set: (key: string, value: Value) => void;
  readonly clear: () => void;
  readonly size: () => CacheSize;
}

export interface CacheSize {
  readonly entries: number;
  readonly bytes: number;
}

interface CacheOptions<Value> {
  /** Bytes that all entries may take together; the least recently used are evicted first. */
  readonly maxBytes: number;
  /** The share of these bytes that values with new keys may fill. */
  readonly unproven: number;
  readonly bytesOf: (value: Value, key: string) => number;
}

export function createFilteredCache<Value extends object>(
  options: CacheOptions<Value>,
): FilteredCache<Value> {
  const { maxBytes, unproven, bytesOf } = options;
  const cache = new LRUCache<string, Value>({ maxSize: Math.max(1, maxBytes), sizeCalculation: bytesOf });
  const wasSent = createFilter();
  return {
    get: (key) => cache.get(key),
    set: (key, value) => {
      if (wasSent(key) || cache.calculatedSize < unproven * maxBytes) cache.set(key, value);
    },
    clear: () => cache.clear(),
    size: () => ({ entries: cache.size, bytes: cache.calculatedSize }),
  };
}

/**
 * Returns whether the key was sent before, and not long ago. It remembers checksums of the latest keys: a key that shares its checksum with
 * another one is only cached early.
 */
function createFilter(): (key: string) => boolean {
  const latest = new Uint32Array(4_096);
  return (key) => {
    const checksum = crc32(key);
    const index = checksum % latest.length;
    const wasSent = latest[index] === checksum;
    latest[index] = checksum;
    return wasSent;
  };
}
