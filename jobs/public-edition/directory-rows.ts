/** The rows of the public edition for the directories: what the interface's `venues`, `organizers` and `categories` list. */
import { ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import type { Lists } from '../../src/snapshot/lists.ts';
import { entryFields, plainCells, plainOf } from './cells.ts';
import type { Put } from './row.ts';

/** Adds the rows of all venues, organizers and categories. */
export function putDirectories({ venues, organizers, categories }: Lists, put: Put): void {
  for (const venue of venues) {
    put('venue', {
      id: venue.id,
      name: venue.name,
      slug: venue.slug,
      ...plainCells(PLAIN_VENUE, entryFields(venue)),
      latitude: venue.location?.latitude ?? null,
      longitude: venue.location?.longitude ?? null,
    });
  }
  for (const organizer of organizers) {
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
    });
  }
}

const PLAIN_VENUE = plainOf(VENUE);
const PLAIN_ORGANIZER = plainOf(ORGANIZER);
