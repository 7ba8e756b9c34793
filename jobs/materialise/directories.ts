import type { Category, Organizer, Venue } from '../../src/calendar/model.ts';
import { byNameThenId } from '../../src/calendar/text.ts';
import type { OrganizerRecord, Records, Reporter, VenueRecord } from '../records.ts';
import { createSlugs } from './slugs.ts';

/** Venues and organizers in their final order, with slugs, and every entity's ordinal by its id. */
export interface Directories {
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly venueOf: (id: string | null) => number;
  readonly organizersOf: (ids: readonly string[]) => readonly number[];
  /** C2: those with the ids, then the parents that are not among them. */
  readonly categoriesOf: (ids: readonly string[]) => readonly number[];
}

export function orderDirectories(records: Records, report: Reporter): Directories {
  const venues = slugged(records.venues, 'venue', report).sort(byNameThenId);
  const organizers = slugged(records.organizers, 'organizer', report).sort(byNameThenId);
  const venuePlaces = placesOf(venues);
  const organizerPlaces = placesOf(organizers);
  const categoryPlaces = placesOf(records.categories);
  return {
    venues,
    organizers,
    venueOf: (id) => venuePlaces.get(id ?? '') ?? -1,
    organizersOf: (ids) => placesIn(organizerPlaces, ids),
    categoriesOf: (ids) => withParents(placesIn(categoryPlaces, ids), records.categories),
  };
}

function placesIn(places: ReadonlyMap<string, number>, ids: readonly string[]): readonly number[] {
  const found = ids.map((id) => places.get(id) ?? -1);
  // What filter gives has room for more; of that, too, there are hundreds of thousands.
  return found.includes(-1) ? found.filter((place) => place !== -1) : found;
}

/** Slugs are made in source order (F6), before the sorting. */
function slugged<Kind extends VenueRecord | OrganizerRecord>(
  records: readonly Kind[],
  fallback: string,
  report: Reporter,
): (Omit<Kind, 'origin' | 'slug'> & { readonly slug: string })[] {
  const slugs = createSlugs(report);
  return records.map(({ origin, slug: own, ...entity }) => {
    const { id, name } = entity;
    return { ...entity, slug: slugs.take({ origin, id, own, names: [name], fallback }) };
  });
}

function placesOf(entities: readonly { readonly id: string }[]): ReadonlyMap<string, number> {
  return new Map(entities.map(({ id }, place) => [id, place]));
}

function withParents(carried: readonly number[], categories: readonly Category[]): readonly number[] {
  const parents = carried.map((place) => categories[place]?.parent ?? -1).filter((parent) => parent !== -1);
  return [...new Set([...carried, ...parents])];
}
