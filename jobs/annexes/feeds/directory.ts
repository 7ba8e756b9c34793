/** The venues and organizers of a feed that has them only as texts: each text once, with an id made of it. */
import type { Feed } from './config.ts';
import { withoutBlanks } from './event-fields.ts';
import type { FeedPlace, FeedRecord } from './last-good.ts';
import type { ReadTask } from './reading.ts';
import { shortHash, textId } from './record-ids.ts';
import { createVenueIds, type FeedVenue } from './venue-ids.ts';

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
  /** The venues that are no longer in the feed, whose ids the next reading has to know. */
  readonly gonePlaces: () => readonly FeedPlace[];
}

/**
 * Equal texts name one venue or organizer. Of a feed that needs approval, each description of one is a record, because only those of approved
 * events count (F17). They are joined by `approvals.ts`.
 */
export function createFeedDirectory(
  { id: feed, needsApproval }: Pick<Feed, 'id' | 'needsApproval'>,
  { places: lastPlaces = [], now }: Pick<ReadTask, 'places' | 'now'>,
): FeedDirectory {
  const venues = new Map<string, FeedRecord>();
  const organizers = new Map<string, FeedRecord>();
  const venueIds = createVenueIds({ feed, lastPlaces, now });
  const add = needsApproval ? addDescription : addJoined;

  function addVenue(venue: FeedVenue, line: number | null): string {
    const id = venueIds.idOf(venue);
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
    gonePlaces: venueIds.gone,
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
