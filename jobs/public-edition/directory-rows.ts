/** The rows of the public edition for the directories: what the interface's `venues`, `organizers` and `categories` list. */
import { ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import { entryFields, plainCells, plainOf } from './cells.ts';
import type { Put, SnapshotParts } from './row.ts';

/** Adds the rows of all categories, and of the venues and organizers that are listed at this instant (A9). */
export function putDirectories({ lists, columns }: SnapshotParts, now: number, put: Put): void {
  const { categories } = lists;
  const isListed = (from: Float64Array) => (_: unknown, ordinal: number) => (from[ordinal] as number) <= now;
  for (const venue of lists.venues.filter(isListed(columns.venueFrom))) {
    put('venue', {
      id: venue.id,
      name: venue.name,
      slug: venue.slug,
      ...plainCells(PLAIN_VENUE, entryFields(venue)),
      latitude: venue.location?.latitude ?? null,
      longitude: venue.location?.longitude ?? null,
    });
  }
  for (const organizer of lists.organizers.filter(isListed(columns.organizerFrom))) {
    const { id, name, slug } = organizer;
    put('organizer', { id, name, slug, ...plainCells(PLAIN_ORGANIZER, entryFields(organizer)) });
  }
  for (const { parent, ...category } of categories) {
    put('category', {
      id: category.id,
      parent_id: categories[parent]?.id ?? null,
      name_nb: category.name_nb,
      name_en: category.name_en,
      slug_nb: category.slug_nb,
      slug_en: category.slug_en,
      visible: category.visible,
      name_nn: category.name_nn,
    });
  }
}

const PLAIN_VENUE = plainOf(VENUE);
const PLAIN_ORGANIZER = plainOf(ORGANIZER);
