/**
 * H14: finds events by id, slug and title in columns, which are hashed at adoption. An index of SQLite in a file that was corrupted on disk
 * may lose an entry or lead elsewhere, unnoticed.
 */
import { hash } from 'node:crypto';
import { countUpTo } from './bitmaps.ts';
import type { Columns } from './columns.ts';

export type KeyKind =
  | 'id'
  /** G9: an id that was merged into the event. */
  | 'merged'
  /** A17: its slug, or a former one, its own or of a merged id. */
  | 'slug'
  /** The slug of an event that is no longer in the calendar, with -1 in place of its ordinal. */
  | 'gone'
  /** The title in Norwegian, as it is. */
  | 'nb'
  /** The title in English, as it is. */
  | 'en';

/** 85 bits of a SHA-256, in two numbers that columns can hold: two keys that share them are not to be expected. */
interface EventKey {
  /** 53 bits: as many as a number holds exactly. Keys are sorted by it. */
  readonly hash: number;
  /** The next 32 bits: with 53 alone, the chance that two of ten million keys are equal would be 1 in 180. */
  readonly check: number;
}

export function eventKey(kind: KeyKind, text: string): EventKey {
  // In one call, and as text: a third of the time that an object and a buffer take.
  const digest = hash('sha256', `${kind} ${text}`);
  const wordAt = (index: number) => Number.parseInt(digest.slice(8 * index, 8 * index + 8), 16);
  return { hash: wordAt(0) * 2 ** 21 + (wordAt(1) >>> 11), check: wordAt(2) };
}

/** Ordinals of the events with that key, ascending. */
export function eventsWith(
  { keyHash, keyCheck, keyEvent }: Pick<Columns, 'keyHash' | 'keyCheck' | 'keyEvent'>,
  key: EventKey,
): readonly number[] {
  // Hashes are whole numbers.
  const first = countUpTo(keyHash, key.hash - 1);
  const found: number[] = [];
  for (let at = first; keyHash[at] === key.hash; at++) {
    if (keyCheck[at] === key.check) found.push(keyEvent[at] as number);
  }
  return found;
}
