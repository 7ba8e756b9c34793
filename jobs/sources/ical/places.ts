/** Venues and organizers, which iCalendar knows as text only. The same text is the same place, under the same id. */
import { createHash } from 'node:crypto';
import { fold, slugOf } from '../../../src/calendar/text.ts';
import type { FeedRecord } from '../../feeds/slice.ts';

export interface Places {
  /** The id of the venue that a LOCATION names; null for a blank one. */
  readonly venue: (location: string, geo: Geo | null, line: number) => string | null;
  readonly organizer: (name: string, line: number) => string;
  /** In the order in which they were first named. */
  readonly records: () => readonly FeedRecord[];
}

export interface Geo {
  readonly latitude: number;
  readonly longitude: number;
}

export function createPlaces(feed: string): Places {
  const venues = new Map<string, FeedRecord>();
  const organizers = new Map<string, FeedRecord>();

  function venue(location: string, geo: Geo | null, line: number): string | null {
    const { name, address } = splitLocation(location);
    if (name === '') return null;
    const id = placeId(feed, [name, address ?? '']);
    const known = venues.get(id);
    // Programs give coordinates to some entries only; the first ones are taken.
    if (known === undefined) venues.set(id, { list: 'venues', line, value: { id, name, address, ...geo } });
    else if (geo !== null && !('latitude' in known.value)) {
      venues.set(id, { ...known, value: { ...known.value, ...geo } });
    }
    return id;
  }

  function organizer(name: string, line: number): string {
    const id = placeId(feed, [name]);
    if (!organizers.has(id)) organizers.set(id, { list: 'organizers', line, value: { id, name } });
    return id;
  }

  return { venue, organizer, records: () => [...venues.values(), ...organizers.values()] };
}

/** `Olavshallen, Kjøpmannsgata 44, 7010 Trondheim`: the name stands before the first comma or line end. */
export function splitLocation(location: string): { readonly name: string; readonly address: string | null } {
  const parts = location
    .split(/[,\n]/)
    .map((part) => part.replace(/\s+/g, ' ').trim())
    .filter((part) => part !== '');
  const [name = '', ...rest] = parts;
  return { name, address: rest.length === 0 ? null : rest.join(', ') };
}

const MOST_LETTERS = 60;

/** However a name is spelled (case, accents, spaces), its id is the same. */
function placeId(feed: string, texts: readonly string[]): string {
  const key = texts.map(placeKey).join('\n');
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  const slug = slugOf(texts.join(' ')).slice(0, MOST_LETTERS).replace(/-$/, '');
  return `${feed}:${slug === '' ? '' : `${slug}-`}${hash}`;
}

/** What names and addresses are compared by. */
export function placeKey(text: string): string {
  return fold(text).replace(/\s+/g, ' ').trim();
}
