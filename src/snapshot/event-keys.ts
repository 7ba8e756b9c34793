/**
 * H14: finds events by id, slug and title in columns, which are hashed at adoption. An index of SQLite in a file that was corrupted on disk
 * may lose an entry or lead elsewhere, unnoticed.
 */
import { hash } from 'node:crypto';
import { countUpTo } from './bitmaps.ts';
import type { Columns } from './columns.ts';

/**
 * `merged`: an id that was merged into the event (G9); `slug`: also former ones, its own or of such ids (A17); `gone`: the slug
 * of an event that is no longer in the calendar, with -1 in place of its ordinal; titles as they are.
 */
export type KeyKind = 'id' | 'merged' | 'slug' | 'gone' | 'nb' | 'en';

/** 85 bits of a SHA-256: two keys that share them are not to be expected. */
export interface EventKey {
  /** 53 bits. */
  readonly hash: number;
  /** 32 bits. */
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
