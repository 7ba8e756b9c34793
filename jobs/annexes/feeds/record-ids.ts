/**
 * Ids of a feed's records in this calendar: the feed's own ids, and ids made of texts. All begin with the feed's id, except those of events
 * of a feed that keeps its own.
 */
import { createHash } from 'node:crypto';
import { nameKey, slugOf } from '../../../src/calendar/text.ts';
import { DAY } from '../../../src/calendar/time.ts';
import { id as idSchema } from '../../validate/schemas.ts';
import type { Feed } from './config.ts';

/** Characters. */
const LONGEST_SLUG = 60;

/** Days for which no other record gets the id of one that has gone. */
const REMEMBERED_DAYS = 400;
/** Ids of each kind that are gone, in a feed. */
export const MOST_REMEMBERED = 100_000;

/** Whether an id is that of a record in the feed, or of one that has not been gone for too long. `gone`: instant; null for one in the feed. */
export function isRemembered(gone: number | null, now: number): boolean {
  return gone === null || now - gone < REMEMBERED_DAYS * DAY;
}

/** The id of a record that the feed has no id for. However the texts are spelled (case, accents, spaces), it is the same. */
export function textId(feed: string, texts: readonly string[]): string {
  const key = texts.map(nameKey).join('\n');
  const hash = shortHash(key).slice(0, 8);
  const slug = slugOf(texts.join(' ')).slice(0, LONGEST_SLUG).replace(/-$/, '');
  return slug === '' ? `${feed}:${hash}` : `${feed}:${slug}-${hash}`;
}

/** The id of an event whose own id is valid. */
export function eventId({ id, keepIds }: Pick<Feed, 'id' | 'keepIds'>, written: string): string {
  return keepIds ? written : `${id}:${written}`;
}

/** The feed's own id; a hash of it if it is not a valid id (G8), because the feed's owner cannot change it. */
export function ownId(feed: string, written: string): string {
  const isValid = idSchema.safeParse(written).success;
  return `${feed}:${isValid ? written : shortHash(written)}`;
}

/** The first 64 bits of the text's SHA-256, in hexadecimal. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
