/**
 * F15, F17: where events take place, for sheets that may only approve, or hide in all their sources, those of some municipalities. The venues
 * of the folder and of sheets count, and what the event's own feed says; nothing of other feeds, which anyone may have written.
 */
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { municipalityName } from '../../../src/calendar/municipality.ts';
import { isInMunicipality, type Municipality, NO_MUNICIPALITY } from '../../records.ts';
import { createReport } from '../../report/report.ts';
import type { Source } from '../../source/source.ts';
import { isSameMunicipality, type PostalCodes, readPostalCodes } from '../../validate/postal-codes.ts';
import { venueHoldersIn } from './event-venues.ts';
import type { UsableFeed } from './feed-entries.ts';
import { hasDirectory } from './kinds.ts';
import { createPlaceMerger, type PlaceMerger } from './same-place.ts';

/** Whether all dates of an event are in one of the municipalities; else where they are, for a finding. */
export interface AreaVerdict {
  readonly isInside: boolean;
  /** Names of other municipalities, each once; none if they are not known. */
  readonly others: readonly string[];
}

export type JudgeArea = (event: JsonObject, names: readonly string[]) => AreaVerdict;

/** The municipality of each place of an event. */
export type FindPlaces = (event: unknown) => readonly Municipality[];

interface Areas {
  /** For the events of a feed. */
  readonly ofFeed: (feed: UsableFeed) => Promise<JudgeArea>;
  readonly placesOfFeed: (feed: UsableFeed) => Promise<FindPlaces>;
  /** For the events of the folder. */
  readonly placesOfFolder: FindPlaces;
}

export async function createApprovalAreas(
  native: Pick<Source, 'venues' | 'postalCodes'>,
  all: readonly UsableFeed[],
): Promise<Areas> {
  // What is wrong with the register and with names of municipalities is reported when venues and corrections are read.
  const silent = createReport();
  const postalCodes = await readPostalCodes(native.postalCodes(), silent);
  const known = await knownVenues(native, all);
  const municipalityNamed = (written: string): Municipality | null =>
    postalCodes.municipalityNamed(
      written,
      { origin: { file: 'sources.json' }, id: null, reporter: silent },
      [],
    );

  const ofFolder = new Map<unknown, Municipality>();
  for (const [id, venue] of known.venues) ofFolder.set(id, municipalityOf(venue, postalCodes));

  async function placesOfFeed({ feed, lastGood }: UsableFeed): Promise<FindPlaces> {
    const { id, kind, defaultMunicipality } = feed;
    const byDefault = defaultMunicipality === null ? null : municipalityNamed(defaultMunicipality);
    const placed = (venue: JsonObject): Municipality => {
      const own = municipalityOf(venue, postalCodes);
      return isInMunicipality(own) ? own : (byDefault ?? NO_MUNICIPALITY);
    };
    const municipalities = new Map<unknown, Municipality>();
    for (const [venueId, venue] of known.venues) municipalities.set(venueId, placed(venue));
    const source = { id, hasVenueIds: hasDirectory(kind), defaultMunicipality };
    for await (const { value, describes } of lastGood.records('venues')) {
      const venue = { ...value, id: describes ?? value.id };
      const joined = known.merger.find(source, venue);
      municipalities.set(value.id, placed(known.venues.get(joined) ?? venue));
    }
    return placeFinder(municipalities);
  }

  async function ofFeed(feed: UsableFeed): Promise<JudgeArea> {
    const placesOf = await placesOfFeed(feed);
    return (event, names) => {
      const named = names.flatMap((name) => municipalityNamed(name) ?? []);
      const places = placesOf(event);
      const outside = places.filter((place) => !named.some((one) => isSameMunicipality(place, one)));
      const others = outside.flatMap((place) => municipalityName(place) ?? []);
      return { isInside: outside.length === 0, others: [...new Set(others)] };
    };
  }

  return { ofFeed, placesOfFeed, placesOfFolder: placeFinder(ofFolder) };
}

function placeFinder(municipalities: ReadonlyMap<unknown, Municipality>): FindPlaces {
  const placeOf = (venue: unknown) => municipalities.get(venue) ?? NO_MUNICIPALITY;
  return (event) => (isObject(event) ? venuesIn(event).map(placeOf) : [NO_MUNICIPALITY]);
}

interface KnownVenues {
  readonly merger: PlaceMerger;
  readonly venues: ReadonlyMap<unknown, JsonObject>;
}

/** The venues of the folder and of sheets, which feeds' venues may be one with. */
async function knownVenues(native: Pick<Source, 'venues'>, all: readonly UsableFeed[]): Promise<KnownVenues> {
  const merger = createPlaceMerger();
  const venues = new Map<unknown, JsonObject>();
  for await (const { value } of native.venues()) {
    merger.addOfFolder(value);
    if (isObject(value)) venues.set(value.id, value);
  }
  for (const { feed, lastGood } of all) {
    if (feed.kind !== 'venues') continue;
    for await (const { value } of lastGood.records('venues'))
      if (merger.addOfSheet(value) === null) venues.set(value.id, value);
  }
  return { merger, venues };
}

function municipalityOf(venue: JsonObject, { municipalityOf: find, codeIn }: PostalCodes): Municipality {
  const { municipality, postalCode, address } = venue;
  return find(nonBlank(municipality), nonBlank(postalCode) ?? codeIn(nonBlank(address) ?? ''));
}

/** Null for a blank text. */
const nonBlank = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** The venues of an event, its dates, repeats and series. Null is among them for a date that has none. */
function venuesIn(event: JsonObject): readonly unknown[] {
  const named = venueHoldersIn(event).map(({ venue }) => venue);
  const venues = new Set(named.filter((venue) => venue != null));
  const dates = Array.isArray(event.dates) ? event.dates : [];
  const lacksVenue = event.venue == null && dates.some((date) => isObject(date) && date.venue == null);
  return venues.size === 0 || lacksVenue ? [...venues, null] : [...venues];
}
