/** F11, F16: the venues of the source folder and of all feeds, each place once; and events with the ids that their venues have here. */
import { isObject } from '../../../src/calendar/json.ts';
import { roomOf } from '../../duplicates/place-parts.ts';
import { excerpt, type Reporter } from '../../findings.ts';
import type { MergedId } from '../../slugs/records.ts';
import type { DefaultMunicipality, RawEntry, Source } from '../../source/source.ts';
import { createStreamEnd } from '../../source/stream-end.ts';
import type { Feed } from './config.ts';
import { withVenues } from './event-venues.ts';
import { entryOf, originOf, type RawEntries, type UsableFeed } from './feed-entries.ts';
import { hasDirectory } from './kinds.ts';
import { createPlaceMerger, type PlaceMerger } from './same-place.ts';

interface MergedVenues {
  /** The folder's venues, then those of sheets, then those of each feed that are new. Can be read once. */
  readonly entries: () => RawEntries;
  /** An event of a feed, with the ids that its venues have here. Throws until `entries` has ended. */
  readonly withVenueIds: (event: RawEntry) => RawEntry;
  /** Throws until `entries` has ended. */
  readonly found: () => FoundVenues;
}

interface FoundVenues {
  /** By the ids of feeds, and of their venues there: those that have another id here. */
  readonly renamedByFeed: ReadonlyMap<string, ReadonlyMap<string, RenamedVenue>>;
  /** The ids of venues that are one with another. */
  readonly merged: readonly (MergedId & { readonly kind: 'venue' })[];
  /** F8: the default municipalities of feeds, by the ids of their venues here. */
  readonly municipalities: ReadonlyMap<string, DefaultMunicipality>;
  /** A9: the ids of venues here that only events of feeds name. */
  readonly ofEvents: ReadonlySet<string>;
}

/** `native`: the folder. Nothing is read before `entries` is. */
export function createMergedVenues(
  native: Source,
  usable: readonly UsableFeed[],
  reporter: Pick<Reporter, 'addFinding'>,
): MergedVenues {
  const sheets = usable.filter(({ feed }) => feed.kind === 'venues');
  const feeds = usable.filter(({ feed }) => feed.kind !== 'venues');
  const renamedByFeed = new Map<string, Map<string, RenamedVenue>>();
  const merged: FoundVenues['merged'][number][] = [];
  const municipalities = new Map<string, DefaultMunicipality>();
  const ofEvents = new Set<string>();
  const end = createStreamEnd<FoundVenues>('venues');

  async function* entries(): RawEntries {
    const merger = createPlaceMerger();
    for await (const entry of native.venues()) {
      merger.addOfFolder(entry.value);
      yield entry;
    }
    yield* venuesOfSheets(sheets, merger, reporter);
    for (const feed of feeds) yield* venuesOfFeed(feed, merger);
    end.reach({ renamedByFeed, merged, municipalities, ofEvents });
  }

  /** The feed's venues that are new. */
  async function* venuesOfFeed({ feed, lastGood }: UsableFeed, merger: PlaceMerger): RawEntries {
    const renamed = new Map<string, RenamedVenue>();
    renamedByFeed.set(feed.id, renamed);
    const { defaultMunicipality } = feed;
    const source = { id: feed.id, hasVenueIds: hasDirectory(feed.kind), defaultMunicipality };
    const noteMunicipality = municipalityNoter(feed, municipalities);
    for await (const record of lastGood.records('venues')) {
      const { id, isNew } = merger.add(source, record.value);
      noteMunicipality(id);
      const idInFeed = String(record.value.id);
      if (idInFeed !== id) {
        renamed.set(idInFeed, { id, room: roomOf(record.value) });
        merged.push({ kind: 'venue', id: idInFeed, survivor: id });
      }
      if (!isNew) continue;
      if (!hasDirectory(feed.kind)) ofEvents.add(id);
      yield entryOf(feed.id, record);
    }
  }

  function withVenueIds(event: RawEntry): RawEntry {
    const renamed = end.value().renamedByFeed.get(event.feed ?? '');
    return renamed === undefined || renamed.size === 0 ? event : withRenamedVenues(event, renamed);
  }

  return { entries, withVenueIds, found: end.value };
}

/** Creates the function that notes the feed's default municipality for one of its venues, unless an earlier feed has one for it. */
function municipalityNoter(
  { id: feed, defaultMunicipality: written, defaults }: Feed,
  municipalities: Map<string, DefaultMunicipality>,
): (venue: string) => void {
  if (written === null) return () => undefined;
  const municipality = { written, origin: originOf(feed, null) };
  const note = (venue: string) => {
    if (!municipalities.has(venue)) municipalities.set(venue, municipality);
  };
  if (typeof defaults.venue === 'string') note(defaults.venue);
  return note;
}

/** The venues of sheets, except for those that an earlier list has. */
async function* venuesOfSheets(
  sheets: readonly UsableFeed[],
  merger: PlaceMerger,
  { addFinding }: Pick<Reporter, 'addFinding'>,
): RawEntries {
  for (const { feed, lastGood } of sheets) {
    for await (const record of lastGood.records('venues')) {
      const earlier = merger.addOfSheet(record.value);
      if (earlier === null) yield entryOf(feed.id, record);
      else
        addFinding({
          action: 'left out',
          origin: originOf(feed.id, record.line),
          id: String(record.value.id),
          field: null,
          expected: 'a place that neither venues.json nor an earlier row has',
          found: excerpt(earlier),
        });
    }
  }
}

/** A venue of a feed that has the id of another venue here. */
interface RenamedVenue {
  readonly id: string;
  /** The room that the venue's text names besides the house; empty for none. */
  readonly room: string;
}

/** Replaces each venue of the event, its dates, repeats and series, and adds the rooms in these venues. */
function withRenamedVenues(event: RawEntry, renamed: ReadonlyMap<string, RenamedVenue>): RawEntry {
  if (!isObject(event.value)) return event;
  const rooms: Record<string, string> = {};
  const rename = (named: string): string => {
    const venue = renamed.get(named);
    if (venue === undefined) return named;
    const earlierRoom = rooms[venue.id] ?? venue.room;
    // An event in several rooms of one house is in none of them in particular.
    rooms[venue.id] = earlierRoom === venue.room ? venue.room : '';
    return venue.id;
  };
  const { series, ...value } = withVenues({ ...event.value, series: event.series }, rename);
  const renamedEvent: RawEntry = { ...event, value, rooms };
  return series === undefined ? renamedEvent : { ...renamedEvent, series };
}
