/** Decides what a cache stores: most answers are requested once, and would only evict those that are requested again. */
import { crc32 } from 'node:zlib';

/** Whether the key was requested before, and not long ago. */
type CacheFilter = (key: string) => boolean;

/**
 * Remembers checksums of the latest keys. A key that shares its checksum with another one is only cached early.
 */
export function createCacheFilter(): CacheFilter {
  const latest = new Uint32Array(4_096);
  return (key) => {
    const checksum = crc32(key);
    const index = checksum % latest.length;
    const wasRequested = latest[index] === checksum;
    latest[index] = checksum;
    return wasRequested;
  };
}
