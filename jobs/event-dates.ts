/** When and where the dates of an event record are, as corrections and duplicates compare them. */
import type { EventRecord } from './records.ts';

/** The minute of a start, doubled. Odd for starts without a time, so that the two kinds are never equal. */
export function momentOf(start: number, allDay: boolean): number {
  return 2 * Math.floor(start / 60) + (allDay ? 1 : 0);
}

/** A venue's id, or null for a date without a venue. */
export type VenueId = string | null;

/** The venues of an event's dates, or its own if it is a container without dates. */
export function venuesOf(event: EventRecord): ReadonlySet<VenueId> {
  const venues = new Set(venuesOfDates(event));
  return venues.size === 0 ? new Set([event.venue]) : venues;
}

/** The ids of the venues of an event and of all its dates. */
export function placesOf(event: EventRecord): readonly string[] {
  const venues = new Set([event.venue, ...venuesOfDates(event)]);
  return [...venues].filter((venue) => venue !== null);
}

function venuesOfDates({ dates, series }: EventRecord): readonly VenueId[] {
  const ofDates = dates.map((date) => date.venue);
  const ofSeries = series.flatMap(({ phases }) => phases.map(({ own }) => own.venue));
  return [...ofDates, ...ofSeries];
}
