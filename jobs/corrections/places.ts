/**
 * F13: the municipalities that corrections give to places. A place is in one municipality, so the correction of one event changes it for all
 * events at the place.
 */
import { placesOf } from '../event-dates.ts';
import type { Area } from '../naming/areas.ts';
import type { EventRecord, EventsEnd, Municipality } from '../records.ts';
import { addFinding } from '../validate/entry-findings.ts';
import { allowsFeed } from './limits.ts';
import type { Correction } from './read.ts';
import type { Match } from './where.ts';

export interface PlaceCorrections {
  /** Notes an event, as its source has it. */
  readonly addEvent: (event: EventRecord) => void;
  /** Notes the places of an event, or of some of its dates, that a correction matches. */
  readonly addMatch: (event: EventRecord, match: Match) => void;
  /** Called once all events are noted. Reports the municipalities that are not used. */
  readonly end: () => void;
  /** The corrected municipalities, by the ids of venues; complete after `end`. */
  readonly municipalities: ReadonlyMap<string, Municipality>;
}

export function createPlaceCorrections(corrections: readonly Correction[]): PlaceCorrections {
  const correcting = corrections.filter(({ municipality }) => municipality !== undefined);
  const isLimited = correcting.some(({ onlyFeeds }) => onlyFeeds !== null);
  /** The places of the events that each correction matches. */
  const matched = new Map<Correction, Set<string>>();
  /** F15: the feeds that have events at a place, for sheets that may correct only some of them. Null for the folder. */
  const feedsByPlace = new Map<string, Set<string | null>>();
  const municipalities = new Map<string, Municipality>();

  function addEvent(event: EventRecord): void {
    if (!isLimited) return;
    for (const place of placesOf(event)) {
      const feeds = feedsByPlace.get(place) ?? new Set();
      feedsByPlace.set(place, feeds.add(event.feed));
    }
  }

  function addMatch(event: EventRecord, match: Match): void {
    const { correction, matchesDate, dates } = match;
    const isOfOtherDates = matchesDate !== null && dates.size === 0;
    if (correction.municipality === undefined || isOfOtherDates) return;
    const places = matched.get(correction) ?? new Set();
    for (const place of placesIn(event, match)) places.add(place);
    matched.set(correction, places);
  }

  function end(): void {
    // In their order: a later correction takes precedence.
    for (const correction of correcting) {
      const places = matched.get(correction);
      if (places !== undefined) correctPlaces(correction, places);
    }
  }

  function correctPlaces(correction: Correction, places: ReadonlySet<string>): void {
    const { municipality, onlyFeeds, area } = correction;
    if (municipality === undefined) return;
    const isOfTheseFeeds = (place: string) =>
      [...(feedsByPlace.get(place) ?? [])].every((feed) => allowsFeed(onlyFeeds, feed));
    const inArea = [...places].filter((place) => area === null || area.includesVenue(place));
    const allowed = inArea.filter(isOfTheseFeeds);
    for (const place of allowed) municipalities.set(place, municipality);
    if (places.size === 0) report(correction, 'an event with a place', 'none');
    if (area !== null) reportOutside(correction, area, places);
    if (allowed.length < inArea.length)
      report(correction, 'a place where only feeds of this sheet have events', 'events of others');
  }

  return { addEvent, addMatch, end, municipalities };
}

function report({ subject }: Correction, expected: string, foundText: string): void {
  addFinding(subject, 'dropped value', { at: ['set', 'municipality'], expected, foundText });
}

function reportOutside(correction: Correction, area: Area, places: ReadonlySet<string>): void {
  const outside = area.findingFor([...places].filter((place) => !area.includesVenue(place)));
  if (outside !== null) report(correction, `a place in ${area.name}`, outside.foundText);
}

/** The places that a correction is about: the one to which it moves the event, or those that the source gives. */
function placesIn(event: EventRecord, { correction, matchesDate, matchesVenue, dates }: Match) {
  const { venue } = correction.dateValues;
  if (venue !== undefined) return venue === null ? [] : [venue];
  if (matchesDate !== null) return [...dates].flatMap((date) => date.venue ?? []);
  return placesOf(event).filter(matchesVenue);
}

/** Venues with their corrected municipalities. */
export function correctedVenues<Venue extends Municipality & { readonly id: string }>(
  venues: readonly Venue[],
  { municipalities }: Pick<EventsEnd, 'municipalities'>,
): readonly Venue[] {
  if (municipalities.size === 0) return venues;
  return venues.map((venue) => ({ ...venue, ...municipalities.get(venue.id) }));
}
