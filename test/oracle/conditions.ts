/** The oracle for B: each filter field but the window's, as a test of a node's own fields (A4). */
import { hourMinute, wallOf } from './clock.ts';
import type { Category } from './directory.ts';
import type { Node } from './nodes.ts';
import { accessibilityOf, type Fields, type Words } from './records.ts';
import type { Calendar } from './source.ts';
import { foldsEqual } from './text.ts';

type Text = string | null;
type Texts = readonly (string | null)[] | null;
type Flag = boolean | null;

/** The interface's `Filter`. */
export type Filter = Fields<Text, 'fromDate untilDate fromStartDate period hoursRange sortBy searchTerm'> &
  Fields<Text, 'venueSlug organizerSlug tag mode superEvent municipality'> &
  Fields<Texts, 'ids categories notCategories venues organizers municipalities postalCodes accessibility'> &
  Fields<Flag, 'free onlyFeatured onlyFeaturedSpecialEvent cancelledNotIncluded soldOutNotIncluded'> &
  Fields<Flag, 'groupRepetitionsByDay'> &
  Fields<number | null, 'age'> & { readonly near?: Near | null; readonly area?: Area | null };

export interface Area {
  readonly minLatitude: number;
  readonly maxLatitude: number;
  readonly minLongitude: number;
  readonly maxLongitude: number;
}

export interface Near {
  readonly latitude: number;
  readonly longitude: number;
  readonly km: number;
}

export const HOURS_RANGE = /^((?:[01]\d|2[0-3]):[0-5]\d)-((?:[01]\d|2[0-3]):[0-5]\d|24:00)$/;

/** Fields that make the window, and those that are no conditions on a node. */
type Elsewhere = Words<'fromDate untilDate fromStartDate period groupRepetitionsByDay searchTerm sortBy'>;
type Name = Exclude<keyof Filter, Elsewhere>;
export type Given<Value> =
  NonNullable<Value> extends readonly unknown[] ? readonly string[] : NonNullable<Value>;

const CONDITIONS: {
  readonly [Field in Name]: (value: Given<Filter[Field]>, node: Node, calendar: Calendar) => boolean;
} = {
  ids: (ids, { event }) => ids.includes(event.record.id),
  categories: (ids, node, { categories }) => ids.some((id) => carriesCategory(node, id, categories)),
  notCategories: (ids, node, { categories }) => !ids.some((id) => carriesCategory(node, id, categories)),
  venues: (slugs, { shown }) => slugs.some((slug) => slug === shown.venue?.slug),
  venueSlug: (slug, { shown }) => slug === shown.venue?.slug,
  organizers: (slugs, node) => slugs.some((slug) => hasOrganizer(node, slug)),
  organizerSlug: (slug, node) => hasOrganizer(node, slug),
  // B6: case- and accent-insensitive.
  tag: (tag, { event }) => (event.record.tags ?? []).some((own) => foldsEqual(own, tag)),
  free: (_, { event }) => event.record.ticketsInformation === 'free',
  mode: (mode, { event }) => mode === (event.record.mode ?? 'offline'),
  superEvent: (id, { event }) => id === event.superEvent,
  onlyFeatured: (_, { event }) => event.record.isFeaturedEvent === true,
  onlyFeaturedSpecialEvent: (_, { event }, { hasSpecialEvent }) =>
    hasSpecialEvent && event.record.isFeaturedInSpecialEvent === true,
  cancelledNotIncluded: (_, { shown }) => !shown.eventCancelled,
  soldOutNotIncluded: (_, { shown }) => !shown.eventSoldOut,
  hoursRange: (range, { shown }) => startsWithin(range, shown.start),
  municipality: isInMunicipality,
  municipalities: (names, node) => names.some((name) => isInMunicipality(name, node)),
  postalCodes: (codes, { shown }) => codes.some((code) => code === shown.venue?.postalCode),
  near: (near, { event, shown }) => {
    const place = shown.venue?.location ?? null;
    return place !== null && event.record.mode !== 'online' && isNear(near, place);
  },
  area: (area, node) => isInArea(node, area),
  // B15: nobody is too young or too old for what states no age.
  age: (age, { event }) => {
    const { minimumAge, maximumAge } = event.record;
    return (minimumAge ?? age) <= age && age <= (maximumAge ?? age);
  },
  accessibility: (words, node) => words.every((word) => offers(node, word)),
};

/** Whether a node meets all conditions that are given. */
export function meets(node: Node, filter: Filter, calendar: Calendar): boolean {
  const holds = <Field extends Name>(name: Field) => {
    const value = given(filter[name]);
    return value === null || CONDITIONS[name](value, node, calendar);
  };
  return (Object.keys(CONDITIONS) as Name[]).every(holds);
}

/** B1: null, false, a blank string and an empty list are as if not given; null inside a list is ignored. */
export function given<Value>(value: Value): Given<Value> | null {
  const meant: unknown = Array.isArray(value) ? value.filter((item) => item !== null) : value;
  const isBlank = typeof meant === 'string' && meant.trim() === '';
  if (meant === undefined || meant === false || isBlank || (Array.isArray(meant) && meant.length === 0))
    return null;
  return meant as Given<Value> | null;
}

/** E6: of its own, or by its shown venue. */
export function offers({ event, shown }: Node, word: string): boolean {
  return accessibilityOf(event.record.accessibility, shown.venue?.accessibility).includes(word);
}

type Place = Pick<Near, 'latitude' | 'longitude'>;

/** Edge included, which no rounding of numbers decides: it is a micrometre wide. */
export function isNear(near: Near, place: Place): boolean {
  return kilometres(near, place) <= near.km + 1e-9;
}

/** B13: along a great circle of the sphere, by the haversine formula. */
export function kilometres(one: Place, other: Place): number {
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const square = (degrees: number) => Math.sin(radians(degrees) / 2) ** 2;
  const haversine =
    square(other.latitude - one.latitude) +
    Math.cos(radians(one.latitude)) *
      Math.cos(radians(other.latitude)) *
      square(other.longitude - one.longitude);
  return 2 * 6371.0088 * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** B9: edges are inside; a box from east to west crosses the antimeridian. */
export function isInArea({ event, shown }: Node, area: Area): boolean {
  const place = shown.venue?.location ?? null;
  if (place === null || event.record.mode === 'online') return false;
  const { minLatitude, maxLatitude, minLongitude, maxLongitude } = area;
  const east = place.longitude >= minLongitude;
  const west = place.longitude <= maxLongitude;
  return (
    place.latitude >= minLatitude &&
    place.latitude <= maxLatitude &&
    (minLongitude > maxLongitude ? east || west : east && west)
  );
}

/** B3: it carries the id, or one of that category's subcategories. */
export function carriesCategory({ event }: Node, id: string, categories: readonly Category[]): boolean {
  const below = categories.find((category) => category.id === id)?.subcategories.map((sub) => sub.id) ?? [];
  return [id, ...below].some((one) => event.categories.includes(one));
}

export function hasOrganizer({ event }: Node, slug: string): boolean {
  return event.organizers.some((organizer) => organizer.slug === slug);
}

/** B5: both ends are inside; a range that ends before it begins goes over midnight. */
function startsWithin(range: string, start: number): boolean {
  const [, from = '', to = ''] = HOURS_RANGE.exec(range) ?? [];
  const time = hourMinute(wallOf(start));
  return from <= to ? from <= time && time <= to : from <= time || time <= to;
}

/** B6: a four-digit number, or a name without regard to case and accents. */
export function isInMunicipality(wanted: string, { shown }: Node): boolean {
  if (shown.venue === null) return false;
  if (/^\d{4}$/.test(wanted)) return shown.venue.municipalityNumber === wanted;
  return shown.venue.municipality !== null && foldsEqual(shown.venue.municipality, wanted);
}
