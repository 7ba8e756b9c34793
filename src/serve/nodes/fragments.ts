/** Events' ready-made JSON, read by ordinal; the ones in demand are kept taken apart. */
import { LRUCache } from 'lru-cache';
import { type EventFragment, readFragment } from '../../snapshot/fragments.ts';
import type { Snapshot } from '../../snapshot/open.ts';

export interface Fragments {
  /** In the order asked for. */
  readonly read: (ordinals: readonly number[]) => Promise<readonly EventFragment[]>;
}

/** Characters of all kept fragments: most take a byte each in memory, so about 32 MB. */
const KEPT_CHARACTERS = 32_000_000;

/** More than this many at once is an export that would only push out what other requests need. */
const KEEP_UP_TO = 200;

export function createFragments(snapshot: Snapshot): Fragments {
  const kept = new LRUCache<number, { readonly fragment: EventFragment; readonly size: number }>({
    maxSize: KEPT_CHARACTERS,
    sizeCalculation: (entry) => entry.size + 256,
  });

  async function read(ordinals: readonly number[]): Promise<readonly EventFragment[]> {
    const found = new Map<number, EventFragment>();
    const missing: number[] = [];
    for (const ordinal of ordinals) {
      if (found.has(ordinal)) continue;
      const entry = kept.get(ordinal);
      if (entry === undefined) missing.push(ordinal);
      else found.set(ordinal, entry.fragment);
    }
    if (missing.length > 0) {
      const unique = [...new Set(missing)];
      const bodies = await snapshot.eventBodies(unique);
      for (const [place, ordinal] of unique.entries()) {
        const body = bodies[place];
        if (body === undefined)
          throw new Error(`expected a body of event ${ordinal} in snapshot ${snapshot.id}, found none`);
        const fragment = readFragment(body);
        found.set(ordinal, fragment);
        if (unique.length <= KEEP_UP_TO) kept.set(ordinal, { fragment, size: body.length });
      }
    }
    return ordinals.map((ordinal) => found.get(ordinal) ?? absent(ordinal));
  }

  return { read };
}

function absent(ordinal: number): never {
  throw new Error(`expected a fragment of event ${ordinal}, found none`);
}
