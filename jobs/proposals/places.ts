/** F8: places that are in no known municipality, and the feeds that could give them one. */
import { compareCodePoints } from '../../src/calendar/text.ts';
import { placesOf } from '../event-dates.ts';
import { type EventRecord, isInMunicipality, type VenueRecord } from '../records.ts';
import type { Proposals } from '../report/summary.ts';

/** Places, and feeds, that are proposed. */
const MOST_PROPOSED = 10;

interface PlaceProposals {
  readonly add: (record: EventRecord) => void;
  /** `venues`: with all corrections, which are known once all events are read. */
  readonly proposals: (
    venues: ReadonlyMap<string, VenueRecord>,
  ) => Omit<Proposals['withoutMunicipality'], 'hasRegister'>;
}

/** Counts the events whose places are in no known municipality, by place and by feed. */
export function createPlaceProposals(): PlaceProposals {
  /** By the ids of an event's venues, and its feed. */
  const groups = new Map<string, PlaceGroup>();

  function add(record: EventRecord): void {
    const { feed } = record;
    const ids = placesOf(record);
    const key = JSON.stringify([feed, ids]);
    const group = groups.get(key) ?? { feed, ids, events: 0 };
    group.events++;
    groups.set(key, group);
  }

  function proposals(venues: ReadonlyMap<string, VenueRecord>): ReturnType<PlaceProposals['proposals']> {
    const eventsByPlace = new Map<string, number>();
    const eventsByFeed = new Map<string, number>();
    let count = 0;
    for (const { feed, ids, events } of groups.values()) {
      const places = ids.flatMap((id) => venues.get(id) ?? []);
      if (places.length === 0 || places.some(isInMunicipality)) continue;
      count += events;
      if (feed !== null) addTo(eventsByFeed, feed, events);
      for (const { name } of places) addTo(eventsByPlace, name, events);
    }
    return {
      events: count,
      places: mostFrequent(eventsByPlace),
      feeds: mostFrequent(eventsByFeed),
    };
  }

  return { add, proposals };
}

/** Events of one feed at the same places. */
interface PlaceGroup {
  readonly feed: string | null;
  readonly ids: readonly string[];
  events: number;
}

function addTo(counts: Map<string, number>, name: string, more: number): void {
  counts.set(name, (counts.get(name) ?? 0) + more);
}

/** The names with most events, the most frequent first. */
function mostFrequent(eventsByName: ReadonlyMap<string, number>) {
  return [...eventsByName]
    .map(([name, events]) => ({ name, events }))
    .sort((left, right) => right.events - left.events || compareCodePoints(left.name, right.name))
    .slice(0, MOST_PROPOSED);
}
