/** Rows of the licence's directories, for people with the shell. Ordinals are places in the calendar's lists. */
import type { Category, Organizer, Venue } from '../../src/calendar/model.ts';
import type { Writer } from '../../src/snapshot/sqlite.ts';
import type { Calendar } from '../records.ts';
import { insertRows, type Table } from './rows.ts';

export async function writeDirectories(writer: Writer, calendar: Calendar): Promise<void> {
  await insertRows(writer, VENUES, calendar.venues.entries());
  await insertRows(writer, ORGANIZERS, calendar.organizers.entries());
  await insertRows(writer, CATEGORIES, calendar.categories.entries());
}

type Placed<Entity> = readonly [ordinal: number, entity: Entity];

const VENUES: Table<Placed<Venue>> = {
  name: 'venue',
  columns: [
    'ordinal',
    'id',
    'name',
    'slug',
    'address',
    'postal_code',
    'municipality',
    'municipality_number',
    'latitude_e7',
    'longitude_e7',
  ],
  cells: ([ordinal, { id, name, slug, address, postalCode, municipality, municipalityNumber, location }]) => [
    ordinal,
    id,
    name,
    slug,
    address,
    postalCode,
    municipality,
    municipalityNumber,
    location === null ? null : scaled(location.latitude),
    location === null ? null : scaled(location.longitude),
  ],
};

const ORGANIZERS: Table<Placed<Organizer>> = {
  name: 'organizer',
  columns: ['ordinal', 'id', 'name', 'slug', 'website'],
  cells: ([ordinal, { id, name, slug, website }]) => [ordinal, id, name, slug, website],
};

const CATEGORIES: Table<Placed<Category>> = {
  name: 'category',
  columns: ['ordinal', 'id', 'parent', 'name_nb', 'name_en', 'slug_nb', 'slug_en', 'visible'],
  cells: ([ordinal, { id, parent, name_nb, name_en, slug_nb, slug_en, visible }]) => [
    ordinal,
    id,
    parent < 0 ? null : parent,
    name_nb,
    name_en,
    slug_nb,
    slug_en,
    Number(visible),
  ],
};

/** Degrees as ten-millionths, about a centimetre: integers only (G5). */
function scaled(degrees: number): number {
  return Math.round(degrees * 1e7);
}
