/** The venues and organizers of a feed that has them only as texts: each text once, with an id made of it. */
import type { Values } from '../../../src/calendar/field.ts';
import type { VENUE } from '../../../src/calendar/fields.ts';
import { nameKey } from '../../../src/calendar/text.ts';
import type { Feed } from './config.ts';
import { withoutBlanks } from './event-fields.ts';
import type { FeedRecord } from './last-good.ts';
import { isNear, type Position, positionOf } from './positions.ts';
import { shortHash, textId } from './record-ids.ts';
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

export interface FeedDirectory {
  /** Adds a venue. Returns its id. `line`: 1-based; null for feeds without lines. */
  readonly venue: (venue: FeedVenue, line: number | null) => string;
  /** Adds an organizer. Returns its id. */
  readonly organizer: (organizer: FeedOrganizer, line: number | null) => string;
  /** Venues, then organizers, each in the order in which they were first named. */
  readonly records: () => readonly FeedRecord[];
}

/**
 * Equal texts name one venue or organizer. Of a feed that needs approval, each description of one is a record, because only those of approved
 * events count (F17). They are joined by `approvals.ts`.
 */
export function createFeedDirectory({
  id: feed,
  needsApproval,
}: Pick<Feed, 'id' | 'needsApproval'>): FeedDirectory {
  const venues = new Map<string, FeedRecord>();
  const organizers = new Map<string, FeedRecord>();
  const venueIdOf = createVenueIds(feed);
  const add = needsApproval ? addDescription : addJoined;

  function addVenue(venue: FeedVenue, line: number | null): string {
    const id = venueIdOf(venue);
    return add(venues, { list: 'venues', line, value: { id, ...withoutBlanks(venue) } });
  }

  function addOrganizer(organizer: FeedOrganizer, line: number | null): string {
    const id = textId(feed, [organizer.name]);
    return add(organizers, { list: 'organizers', line, value: { id, ...withoutBlanks(organizer) } });
  }

  return {
    venue: addVenue,
    organizer: addOrganizer,
    records: () => [...venues.values(), ...organizers.values()],
  };
}

/** Returns the record's id. */
type AddRecord = (records: Map<string, FeedRecord>, record: FeedRecord) => string;

/** Some programs give coordinates only with some entries: the first value of each field is used. */
export const addJoined: AddRecord = (records, record) => {
  const id = String(record.value.id);
  const first = records.get(id);
  const value = { ...record.value, ...first?.value };
  records.set(id, { ...(first ?? record), value });
  return id;
};

/** The id of a description also depends on its values. */
const addDescription: AddRecord = (records, record) => {
  const describes = String(record.value.id);
  const id = `${describes}-${shortHash(JSON.stringify(record.value))}`;
  if (!records.has(id)) records.set(id, { ...record, value: { ...record.value, id }, describes });
  return id;
};

/** F11: one text at positions that are far apart, or in several municipalities, is several places, unless it has an address with a number. */
function createVenueIds(feed: string): (venue: FeedVenue) => string {
  const placesByText = new Map<string, { readonly id: string; readonly position: Position }[]>();
  const textsOf = createTexts();
  return (venue) => {
    const { address = null, latitude, longitude } = venue;
    const texts = textsOf(venue);
    const id = textId(feed, texts);
    const position = positionOf({ latitude, longitude });
    if (position === null || /\d/.test(address ?? '')) return id;
    const places = placesByText.get(id) ?? [];
    placesByText.set(id, places);
    const samePlace = places.find((place) => isNear(place.position, position));
    if (samePlace !== undefined) return samePlace.id;
    const idAtPosition = places.length === 0 ? id : textId(feed, [...texts, roundedText(position)]);
    if (places.length < MOST_NAMESAKES) places.push({ id: idAtPosition, position });
    return idAtPosition;
  };
}

/** Creates the function that returns what identifies a venue: its name and address, and its municipality if it is not that of the first. */
function createTexts(): (venue: FeedVenue) => readonly string[] {
  const firstByText = new Map<string, string>();
  return ({ name, address = null, municipality = null }) => {
    const texts = [name, address ?? ''];
    const key = nameKey(municipality ?? '');
    if (key === '' || /\d/.test(address ?? '')) return texts;
    const text = JSON.stringify(texts.map(nameKey));
    const first = firstByText.get(text) ?? key;
    firstByText.set(text, first);
    return first === key ? texts : [...texts, key];
  };
}

/** To a thousandth of a degree: 111 metres from north to south. */
function roundedText({ latitude, longitude }: Position): string {
  return [latitude, longitude].map((degrees) => degrees.toFixed(3)).join(' ');
}
