/**
 * Events' ready-made JSON, read by ordinal. Those in demand are cached as they stand in the file, one text an event: taken
 * apart, they would be fifty objects each, which the garbage collector would visit again and again.
 */
import { LRUCache } from 'lru-cache';
import { type EventFragment, readFragment } from '../../snapshot/fragments.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { NEARLY_FULL, shareOfHeap } from '../bounded-cache.ts';

export interface Fragments {
  /** In the order asked for. */
  readonly read: (ordinals: readonly number[]) => Promise<readonly EventFragment[]>;
  /** Has them in memory for whoever asks next; CACHE_UP_TO of them at most. */
  readonly keep: (ordinals: readonly number[]) => Promise<void>;
  /** Whether so many are cached that another one would soon evict one. */
  readonly isFull: () => boolean;
}

/** Bytes of the heap that all cached fragments take. */
const CACHE_BYTES = 48_000_000;
const HEAP_SHARE = 0.12;
/** One letter above U+00FF makes the whole text take two bytes a letter. */
const WIDE = /[^\0-\xff]/;

/** More than this many at once is an export that would only push out what other requests need. */
const CACHE_UP_TO = 200;

/** Bodies of one statement: handing them over and taking them apart keeps other requests waiting for some 5 ms. */
const READ_AT_ONCE = 250;

export function createFragments(snapshot: Snapshot): Fragments {
  const most = shareOfHeap(HEAP_SHARE, CACHE_BYTES);
  const cache = new LRUCache<number, string>({
    maxSize: most,
    sizeCalculation: (body) => (WIDE.test(body) ? 2 : 1) * body.length + 128,
  });

  /** Hands over each of them, read from the file. */
  async function fetch(ordinals: readonly number[], take: (ordinal: number, body: string) => void) {
    for (let first = 0; first < ordinals.length; first += READ_AT_ONCE) {
      const batch = ordinals.slice(first, first + READ_AT_ONCE);
      const bodies = await snapshot.eventBodies(batch);
      for (const [place, ordinal] of batch.entries()) {
        const body = bodies[place];
        if (body === undefined)
          throw new Error(`expected a body of event ${ordinal} in snapshot ${snapshot.id}, found none`);
        take(ordinal, body);
        if (ordinals.length <= CACHE_UP_TO) cache.set(ordinal, body);
      }
    }
  }

  async function read(ordinals: readonly number[]): Promise<readonly EventFragment[]> {
    const found = new Map<number, EventFragment>();
    const missing = new Set<number>();
    for (const ordinal of ordinals) {
      if (found.has(ordinal)) continue;
      const body = cache.get(ordinal);
      if (body === undefined) missing.add(ordinal);
      else found.set(ordinal, readFragment(body));
    }
    await fetch([...missing], (ordinal, body) => found.set(ordinal, readFragment(body)));
    return ordinals.map((ordinal) => found.get(ordinal) ?? absent(ordinal));
  }

  async function keep(ordinals: readonly number[]): Promise<void> {
    await fetch(
      ordinals.filter((ordinal) => !cache.has(ordinal)),
      () => undefined,
    );
  }

  return { read, keep, isFull: () => cache.calculatedSize > NEARLY_FULL * most };
}

function absent(ordinal: number): never {
  throw new Error(`expected a fragment of event ${ordinal}, found none`);
}
