/** H14: the keys by which a server finds events, as columns (`src/snapshot/event-keys.ts`). */
import type { Columns } from '../../src/snapshot/columns.ts';
import { eventKey, type KeyKind } from '../../src/snapshot/event-keys.ts';
import type { Calendar } from '../calendar.ts';

/** `event`: the ordinal of the event that the key finds. */
type AddKey = (kind: KeyKind, text: string, event: number) => void;

interface KeyColumns {
  readonly add: AddKey;
  /** Sorts the keys. */
  readonly finish: () => Pick<Columns, 'keyHash' | 'keyCheck' | 'keyEvent'>;
}

/** Collects keys in lists of numbers: as objects, 760,000 keys (200,000 events) take 220 MB. */
export function createKeyColumns(): KeyColumns {
  const hashes: number[] = [];
  const checks: number[] = [];
  const events: number[] = [];

  function add(kind: KeyKind, text: string, event: number): void {
    const { hash, check } = eventKey(kind, text);
    hashes.push(hash);
    checks.push(check);
    events.push(event);
  }

  function finish(): ReturnType<KeyColumns['finish']> {
    const difference = (values: readonly number[], left: number, right: number) =>
      (values[left] as number) - (values[right] as number);
    const order = Uint32Array.from(hashes.keys()).sort(
      (left, right) =>
        difference(hashes, left, right) || difference(checks, left, right) || difference(events, left, right),
    );
    const ordered = (values: readonly number[]) => (index: number) => values[index] as number;
    return {
      keyHash: Float64Array.from(order, ordered(hashes)),
      keyCheck: Uint32Array.from(order, ordered(checks)),
      keyEvent: Int32Array.from(order, ordered(events)),
    };
  }

  return { add, finish };
}

/** The event of a key that finds none: an event that is gone. */
const GONE = -1;

/** A17, G9: the keys of merged ids, and of slugs that events had before. */
export function addFormerKeys({ events, slugs }: Calendar, add: AddKey): void {
  const ordinals = new Map(events.map(({ id }, ordinal) => [id, ordinal]));
  const survivors = new Map(slugs.event.merged.map(({ id, survivor }) => [id, survivor]));
  for (const [id, survivor] of survivors) {
    const ordinal = ordinals.get(survivor);
    if (ordinal !== undefined && !ordinals.has(id)) add('merged', id, ordinal);
  }
  for (const { slug, id } of slugs.event.owned) {
    const ordinal = ordinals.get(survivors.get(id) ?? id);
    if (ordinal === undefined) add('gone', slug, GONE);
    else if (events[ordinal]?.slug !== slug) add('slug', slug, ordinal);
  }
}
