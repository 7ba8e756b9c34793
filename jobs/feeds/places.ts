/** Venues and organizers that feeds know as text only. The same text is the same place, under the same id. */
import { createHash } from 'node:crypto';
import { nameKey, slugOf } from '../../src/calendar/text.ts';
import type { FeedRecord } from './slice.ts';

export interface Places {
  /** The id under which the venue is kept. */
  readonly venue: (venue: FeedVenue, line: number | null) => string;
  readonly organizer: (organizer: FeedOrganizer, line: number | null) => string;
  /** In the order in which they were first named. */
  readonly records: () => readonly FeedRecord[];
}

/** `name` says something, and is what tells it from others, together with the address. */
interface FeedVenue {
  readonly name: string;
  readonly address?: string | null;
  readonly postalCode?: string | null;
  readonly municipality?: string | null;
  readonly latitude?: number | null;
  readonly longitude?: number | null;
}

interface FeedOrganizer {
  readonly name: string;
  readonly website?: string | null;
}

export function createPlaces(feed: string): Places {
  const venues = new Map<string, FeedRecord>();
  const organizers = new Map<string, FeedRecord>();

  function keep(map: Map<string, FeedRecord>, record: FeedRecord): string {
    const id = String(record.value.id);
    const known = map.get(id);
    // Programs give coordinates to some entries only; the first ones are taken.
    map.set(id, known === undefined ? record : { ...known, value: { ...record.value, ...known.value } });
    return id;
  }

  return {
    venue: (venue, line) => {
      const id = textId(feed, [venue.name, venue.address ?? '']);
      return keep(venues, { list: 'venues', line, value: { id, ...said(venue) } });
    },
    organizer: (organizer, line) => {
      const id = textId(feed, [organizer.name]);
      return keep(organizers, { list: 'organizers', line, value: { id, ...said(organizer) } });
    },
    records: () => [...venues.values(), ...organizers.values()],
  };
}

function said(fields: object): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== null && value !== undefined),
  );
}

const MOST_LETTERS = 60;

/** However texts are spelled (case, accents, spaces), their id is the same. */
export function textId(feed: string, texts: readonly string[]): string {
  const key = texts.map(nameKey).join('\n');
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 8);
  const slug = slugOf(texts.join(' ')).slice(0, MOST_LETTERS).replace(/-$/, '');
  return `${feed}:${slug === '' ? '' : `${slug}-`}${hash}`;
}
