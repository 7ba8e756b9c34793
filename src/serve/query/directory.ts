/** Venues, organizers and categories as finished JSON values, by ordinal: made once for each snapshot. */
import { namesOf } from '../../calendar/field.ts';
import { ORGANIZER, VENUE } from '../../calendar/fields.ts';
import { addToGroup, groupBy } from '../../calendar/groups.ts';
import { type Category, isTopLevel, type Venue } from '../../calendar/model.ts';
import { foldedNames, municipalityName } from '../../calendar/municipality.ts';
import { byNameThenId, compareCodePoints, compareNorwegian, fold } from '../../calendar/text.ts';
import type { Columns } from '../../snapshot/columns.ts';
import type { Lookups, Municipality } from '../../snapshot/filters/filter.ts';
import type { EarlierSlug, Lists } from '../../snapshot/lists.ts';

export interface Directory extends Lookups {
  readonly venues: readonly VenueJson[];
  readonly organizers: readonly OrganizerJson[];
  /** A9: those that may be listed now. */
  readonly listedVenues: readonly VenueJson[];
  readonly listedOrganizers: readonly OrganizerJson[];
  /** All categories and subcategories, in the licence's order. */
  readonly categories: readonly CategoryJson[];
  readonly topCategories: readonly CategoryJson[];
  /** Ordinals of the categories in C1's order (Norwegian name, then id); venues and organizers are ordered so already. */
  readonly categoryOrder: Int32Array;
}

/** The fields of each type that are plain values, by the interface's names. */
export const VENUE_FIELD_NAMES = ['id', 'name', 'slug', ...namesOf(VENUE)] as const;
export const LOCATION_FIELD_NAMES = ['latitude', 'longitude'] as const;
export const ORGANIZER_FIELD_NAMES = ['id', 'name', 'slug', ...namesOf(ORGANIZER)] as const;
export const CATEGORY_FIELD_NAMES = [
  'id',
  'name_nb',
  'name_en',
  'name_nn',
  'slug_nb',
  'slug_en',
  'visible',
] as const;

type JsonOf<Names extends readonly string[]> = { readonly [Name in Names[number]]: string };

export type LocationJson = JsonOf<typeof LOCATION_FIELD_NAMES>;
export type VenueJson = JsonOf<typeof VENUE_FIELD_NAMES> & { readonly location: LocationJson | null };
export type OrganizerJson = JsonOf<typeof ORGANIZER_FIELD_NAMES>;
export type CategoryJson = JsonOf<typeof CATEGORY_FIELD_NAMES> & {
  readonly subcategories: readonly CategoryJson[];
};

export function createDirectory(lists: Lists): Directory {
  const categories = renderCategories(lists.categories);
  const venues = lists.venues.map(renderVenue);
  const organizers = lists.organizers.map((organizer) => jsonOf(organizer, ORGANIZER_FIELD_NAMES));
  return {
    venues,
    organizers,
    listedVenues: venues,
    listedOrganizers: organizers,
    categories,
    topCategories: lists.categories.flatMap((category, ordinal) =>
      isTopLevel(category) ? (categories[ordinal] ?? []) : [],
    ),
    categoryOrder: categoryOrderOf(lists.categories),
    municipalities: municipalitiesOf(lists.venues),
    venuesByMunicipality: groupByKey(lists.venues.map(municipalityKeys)),
    venuesByPostalCode: groupByKey(
      lists.venues.map(({ postalCode }) => (postalCode === null ? [] : [postalCode])),
    ),
    venueBySlug: ordinalsBySlug('venue', lists.venues, lists),
    organizerBySlug: ordinalsBySlug('organizer', lists.organizers, lists),
    categoryById: indexesOf(lists.categories.map((category) => category.id)),
    containerById: indexesOf(lists.containers),
    tagByFold: indexesOf(lists.tags),
  };
}

/** A9: what only events name that are not public yet is in no list and found by no name. The same object if there is nothing to hide. */
export function listedAt(
  directory: Directory,
  { lists, columns, now }: { readonly lists: Lists; readonly columns: ListedFrom; readonly now: number },
): Directory {
  const { venueFrom, organizerFrom } = columns;
  const isPast = (from: number) => from <= now;
  if (venueFrom.every(isPast) && organizerFrom.every(isPast)) return directory;
  const { venues, organizers } = directory;
  const isVenueListed = (ordinal: number) => isPast(venueFrom[ordinal] as number);
  const isOrganizerListed = (ordinal: number) => isPast(organizerFrom[ordinal] as number);
  return {
    ...directory,
    listedVenues: venues.filter((_, ordinal) => isVenueListed(ordinal)),
    listedOrganizers: organizers.filter((_, ordinal) => isOrganizerListed(ordinal)),
    municipalities: municipalitiesOf(lists.venues.filter((_, ordinal) => isVenueListed(ordinal))),
    venuesByMunicipality: withoutUnlisted(directory.venuesByMunicipality, isVenueListed),
    venuesByPostalCode: withoutUnlisted(directory.venuesByPostalCode, isVenueListed),
    venueBySlug: new Map([...directory.venueBySlug].filter(([, ordinal]) => isVenueListed(ordinal))),
    organizerBySlug: new Map(
      [...directory.organizerBySlug].filter(([, ordinal]) => isOrganizerListed(ordinal)),
    ),
  };
}

type ListedFrom = Pick<Columns, 'venueFrom' | 'organizerFrom'>;

function withoutUnlisted(
  venuesBy: ReadonlyMap<string, readonly number[]>,
  isListed: (ordinal: number) => boolean,
): ReadonlyMap<string, readonly number[]> {
  const kept = Array.from(venuesBy, ([key, ordinals]) => [key, ordinals.filter(isListed)] as const);
  return new Map(kept.filter(([, ordinals]) => ordinals.length > 0));
}

function renderVenue(venue: Venue): VenueJson {
  const { location } = venue;
  return Object.assign(jsonOf(venue, VENUE_FIELD_NAMES), {
    location: location && jsonOf(location, LOCATION_FIELD_NAMES),
  });
}

function jsonOf<Name extends string>(
  record: { readonly [Field in Name]: unknown },
  names: readonly Name[],
): Record<Name, string> {
  const json: Partial<Record<Name, string>> = {};
  for (const name of names) json[name] = JSON.stringify(record[name]);
  return json as Record<Name, string>;
}

function renderCategories(categories: readonly Category[]): readonly CategoryJson[] {
  const children = categories.map((): CategoryJson[] => []);
  const rendered = categories.map((category, ordinal) =>
    Object.assign(jsonOf(category, CATEGORY_FIELD_NAMES), { subcategories: children[ordinal] ?? [] }),
  );
  for (const [ordinal, category] of categories.entries()) {
    const child = rendered[ordinal];
    if (!isTopLevel(category) && child !== undefined) children[category.parent]?.push(child);
  }
  return rendered;
}

function categoryOrderOf(categories: readonly Category[]): Int32Array {
  const named = categories.map(({ id, name_nb: name }, ordinal) => ({ id, name, ordinal }));
  return Int32Array.from(named.sort(byNameThenId), ({ ordinal }) => ordinal);
}

/** The index of each text; of equal texts the first. */
function indexesOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, text] of texts.entries()) if (!indexes.has(text)) indexes.set(text, index);
  return indexes;
}

/** A17: a former slug also finds its entity, unless it is another entity's slug today. */
function ordinalsBySlug(
  kind: EarlierSlug['kind'],
  entities: readonly { readonly slug: string }[],
  { earlierSlugs }: Lists,
): ReadonlyMap<string, number> {
  const former = earlierSlugs.filter((one) => one.kind === kind);
  // The last of several entries with the same slug counts.
  return new Map([
    ...former.map(({ slug, ordinal }) => [slug, ordinal] as const),
    ...indexesOf(entities.map(({ slug }) => slug)),
  ]);
}

function municipalityKeys({ municipality, municipalityNumber }: Venue): readonly string[] {
  const names = municipality === null ? [] : foldedNames(municipality);
  const numbers = municipalityNumber === null ? [] : [municipalityNumber];
  return [...new Set([...names, ...numbers])];
}

/** Of several spellings the most frequent is used. */
function municipalitiesOf(venues: readonly Venue[]): readonly Municipality[] {
  const named = venues.flatMap((venue): readonly Municipality[] => {
    const name = municipalityName(venue) ?? '';
    if (name.trim() === '') return [];
    return [{ number: venue.municipality === null ? null : venue.municipalityNumber, name }];
  });
  const municipalities = Array.from(groupBy(named, municipalityKey).values(), (same) => ({
    number: same[0]?.number ?? null,
    name: mostFrequent(same.map(({ name }) => name)),
  }));
  return municipalities.sort(
    (left, right) =>
      compareNorwegian(left.name, right.name) || compareCodePoints(left.number ?? '', right.number ?? ''),
  );
}

/** A key that all spellings of a municipality share. The prefix keeps a name of digits apart from a number. */
function municipalityKey({ number, name }: Municipality): string {
  return number ?? `name ${fold(name)}`;
}

/** The first by code point, if several are equally frequent. */
function mostFrequent(texts: readonly string[]): string {
  const same = [...groupBy(texts, (text) => text)];
  const [[most] = ['']] = same.sort(
    ([left, lefts], [right, rights]) => rights.length - lefts.length || compareCodePoints(left, right),
  );
  return most;
}

/** The indexes at which each key is found. */
function groupByKey(keysOfEach: readonly (readonly string[])[]): ReadonlyMap<string, readonly number[]> {
  const groups = new Map<string, number[]>();
  for (const [index, keys] of keysOfEach.entries()) {
    for (const key of keys) addToGroup(groups, key, index);
  }
  return groups;
}
