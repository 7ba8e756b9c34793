/** Venues and organizers that feeds have only as text, and ids made of texts. */
import { createHash } from 'node:crypto';
import type { Values } from '../../../src/calendar/field.ts';
import type { VENUE } from '../../../src/calendar/fields.ts';
import { nameKey, slugOf } from '../../../src/calendar/text.ts';
import { id } from '../../validate/schemas.ts';
import { withoutBlanks } from './event-fields.ts';
import type { FeedRecord } from './last-good.ts';
import { isNear, type Point, pointOf } from './positions.ts';
import { MOST_NAMESAKES } from './same-place.ts';

/** `name` is not blank; together with the address it identifies the venue. */
export interface FeedVenue extends Partial<Values<typeof VENUE>> {
  readonly name: string;
  readonly latitude?: number | null;
  readonly longitude?: number | null;
}

interface FeedOrganizer {
  /** Not blank. */
  readonly name: string;
  readonly website?: string | null;
}

export interface Places {
  /** Returns the venue's id. */
  readonly venue: (venue: FeedVenue, line: number | null) => string;
  /** Returns the organizer's id. */
  readonly organizer: (organizer: FeedOrganizer, line: number | null) => string;
  /** In the order in which they were first named. */
  readonly records: () => readonly FeedRecord[];
}

/** Equal texts name the same place, which has one id. */
export function createPlaces(feed: string): Places {
  const venues = new Map<string, FeedRecord>();
  const organizers = new Map<string, FeedRecord>();

  function keep(map: Map<string, FeedRecord>, id: string, record: FeedRecord): string {
    const first = map.get(id);
    // Some programs give coordinates only with some entries; the first ones are used.
    map.set(id, first === undefined ? record : { ...first, value: { ...record.value, ...first.value } });
    return id;
  }

  const idOf = createVenueIds(feed);
  return {
    venue(venue: FeedVenue, line: number | null) {
      const id = idOf(venue);
      return keep(venues, id, { list: 'venues', line, value: { id, ...withoutBlanks(venue) } });
    },
    organizer(organizer: FeedOrganizer, line: number | null) {
      const id = textId(feed, [organizer.name]);
      return keep(organizers, id, { list: 'organizers', line, value: { id, ...withoutBlanks(organizer) } });
    },
    records: () => [...venues.values(), ...organizers.values()],
  };
}

/** F11: one text at positions that are far apart is several places, unless it has an address with a number. */
function createVenueIds(feed: string): (venue: FeedVenue) => string {
  const positionsById = new Map<string, { readonly id: string; readonly point: Point }[]>();
  return ({ name, address = null, latitude, longitude }) => {
    const id = textId(feed, [name, address ?? '']);
    const point = pointOf({ latitude, longitude });
    if (point === null || /\d/.test(address ?? '')) return id;
    const positions = positionsById.get(id) ?? [];
    positionsById.set(id, positions);
    const same = positions.find((position) => isNear(position.point, point));
    if (same !== undefined) return same.id;
    const rounded = point.map((degrees) => degrees.toFixed(3)).join(' ');
    const idAtPoint = positions.length === 0 ? id : textId(feed, [name, address ?? '', rounded]);
    if (positions.length < MOST_NAMESAKES) positions.push({ id: idAtPoint, point });
    return idAtPoint;
  };
}

/** The feed's own id; a hash of it if it is not a valid id (G8), because the feed's owner cannot change it. */
export function ownId(feed: string, written: string): string {
  return `${feed}:${id.safeParse(written).success ? written : shortHash(written)}`;
}

/** 64 bits, in hexadecimal. */
export function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

const LONGEST_SLUG = 60;

/** However texts are spelled (case, accents, spaces), their id is the same. */
export function textId(feed: string, texts: readonly string[]): string {
  const key = texts.map(nameKey).join('\n');
  const hash = shortHash(key).slice(0, 8);
  const slug = slugOf(texts.join(' ')).slice(0, LONGEST_SLUG).replace(/-$/, '');
  return `${feed}:${slug === '' ? '' : `${slug}-`}${hash}`;
}
