/**
 * What finds an event: its id, slugs and titles, as hashes in columns. An index of SQLite in a file that a disk has spoilt may lose an entry or
 * lead elsewhere, and nobody would notice (H14, damage while it is served); the columns were hashed at adoption.
 */
import { createHash } from 'node:crypto';
import { type Columns, countUpTo } from './columns.ts';

/**
 * `merged`: an id that was merged into the event (G9, one event once); `slug`: also former ones, its own or of such ids (A17, a published
 * slug stays with its id); `gone`: one of an event that is not there, with -1 in place of its ordinal; titles as they are.
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
  const digest = createHash('sha256').update(`${kind} ${text}`).digest();
  return {
    hash: digest.readUInt32BE(0) * 2 ** 21 + (digest.readUInt32BE(4) >>> 11),
    check: digest.readUInt32BE(8),
  };
}

type KeyColumns = Pick<Columns, 'keyHash' | 'keyCheck' | 'keyEvent'>;

/** Ordinals of the events with that key, ascending. */
export function eventsWith(
  { keyHash, keyCheck, keyEvent }: KeyColumns,
  { hash, check }: EventKey,
): readonly number[] {
  // Hashes are whole numbers.
  const first = countUpTo(keyHash, hash - 1);
  const found: number[] = [];
  for (let at = first; keyHash[at] === hash; at++) if (keyCheck[at] === check) found.push(keyEvent[at] ?? -1);
  return found;
}
