/** Venues, organizers and categories in their final order, with their slugs (F6), and the ordinals by which events name them. */
import { type Category, isTopLevel, type Organizer, type Venue } from '../../src/calendar/model.ts';
import { byNameThenId, slugOf } from '../../src/calendar/text.ts';
import type { OrganizerRecord, Records, VenueRecord } from '../records.ts';
import type { SlugRegister } from '../slugs/ledger.ts';
import type { SlugKind } from '../slugs/records.ts';

/** Sorts the venues and organizers, and assigns their slugs. */
export function orderDirectories(records: Records, registers: Registers): Directories {
  const { sources = [] } = records;
  const venues = slugged(records.venues, registers.venue).sort(byNameThenId);
  const organizers = slugged(records.organizers, registers.organizer).sort(byNameThenId);
  const venuesOf = ordinalsOf(venues);
  return {
    venues,
    organizers,
    sourceOf: (feed) => sources.findIndex(({ id }) => id === feed),
    categories: records.categories,
    venueOf: (id) => (id === null ? undefined : venuesOf([id])[0]) ?? -1,
    organizersOf: ordinalsOf(organizers),
    categoriesOf: ordinalsOf(records.categories),
  };
}

/** Venues and organizers in their final order, with slugs, and functions that find the ordinals of entities by their ids. */
export interface Directories {
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly categories: readonly Category[];
  /** The ordinal of a source by the id of its feed; -1 for none. */
  readonly sourceOf: (feed: string | null) => number;
  /** The ordinal of a venue; -1 for none. */
  readonly venueOf: (id: string | null) => number;
  readonly organizersOf: (ids: readonly string[]) => readonly number[];
  readonly categoriesOf: (ids: readonly string[]) => readonly number[];
}

/** The slugs of each kind: A17's ledger of a build. */
export type Registers = Readonly<Record<SlugKind, SlugRegister>>;

/** Creates the function that finds the ordinals of ids. An unknown id has none. */
function ordinalsOf(entities: readonly { readonly id: string }[]) {
  const ordinals = new Map(entities.map(({ id }, ordinal) => [id, ordinal]));
  return (ids: readonly string[]): readonly number[] => {
    const found = ids.map((id) => ordinals.get(id) ?? -1);
    // `filter` returns an array with spare capacity; there are hundreds of thousands.
    return found.includes(-1) ? found.filter((ordinal) => ordinal !== -1) : found;
  };
}

/** Assigns slugs in source order (F6), before the records are sorted. */
function slugged<Kind extends VenueRecord | OrganizerRecord>(
  records: readonly Kind[],
  slugs: SlugRegister,
): (Omit<Kind, 'origin' | 'slug'> & { readonly slug: string })[] {
  return records.map(({ origin, slug: written, ...entity }) => {
    const { id, name } = entity;
    return { ...entity, slug: slugs.assign({ origin, id, written, ofName: slugOf(name) }) };
  });
}

/** C2: these categories, then the parents that are missing among them, as ordinals. */
export function withParents(own: readonly number[], categories: readonly Category[]): readonly number[] {
  const parents = own.flatMap((ordinal) => {
    const category = categories[ordinal];
    return category === undefined || isTopLevel(category) ? [] : category.parent;
  });
  return [...new Set([...own, ...parents])];
}
