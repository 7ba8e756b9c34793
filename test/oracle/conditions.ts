/** The second reading of B: each filter field but the window's, as a test of a node's own fields (A4). */
import { hourMinute, wallOf } from './clock.ts';
import type { Category } from './directory.ts';
import type { Node } from './nodes.ts';
import { accessibilityOf } from './records.ts';
import { searchFor } from './search.ts';
import type { Calendar } from './source.ts';
import { foldsEqual } from './text.ts';

type Text = string | null;
type Texts = readonly (string | null)[] | null;
type Flag = boolean | null;

/** The interface's `Filter`. */
export interface Filter {
  readonly fromDate?: Text;
  readonly untilDate?: Text;
  readonly fromStartDate?: Text;
  readonly period?: Text;
  readonly categories?: Texts;
  readonly notCategories?: Texts;
  readonly venues?: Texts;
  readonly venueSlug?: Text;
  readonly organizers?: Texts;
  readonly organizerSlug?: Text;
  readonly searchTerm?: Text;
  readonly tag?: Text;
  readonly free?: Flag;
  readonly mode?: Text;
  readonly superEvent?: Text;
  readonly onlyFeatured?: Flag;
  readonly onlyFeaturedSpecialEvent?: Flag;
  readonly cancelledNotIncluded?: Flag;
  readonly soldOutNotIncluded?: Flag;
  readonly hoursRange?: Text;
  readonly groupRepetitionsByDay?: Flag;
  readonly municipality?: Text;
  readonly municipalities?: Texts;
  readonly postalCodes?: Texts;
  readonly near?: Near | null;
  readonly area?: Area | null;
  readonly accessibility?: readonly string[] | null;
  readonly sortBy?: Text;
}

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

type Test = (node: Node) => boolean;

/** All given conditions, each of which a node must meet. */
export function conditionsOf(filter: Filter, calendar: Calendar, now: number): readonly Test[] {
  const conditions: Test[] = [];
  const given = <T>(value: T | null, test: (value: T, node: Node) => boolean) => {
    if (value !== null) conditions.push((node) => test(value, node));
  };
  given(listOf(filter.categories), (ids, node) =>
    ids.some((id) => carriesCategory(node, id, calendar.categories)),
  );
  given(
    listOf(filter.notCategories),
    (ids, node) => !ids.some((id) => carriesCategory(node, id, calendar.categories)),
  );
  given(listOf(filter.venues), (slugs, { shown }) => slugs.some((slug) => slug === shown.venue?.slug));
  given(textOf(filter.venueSlug), (slug, { shown }) => slug === shown.venue?.slug);
  given(listOf(filter.organizers), (slugs, node) => slugs.some((slug) => hasOrganizer(node, slug)));
  given(textOf(filter.organizerSlug), (slug, node) => hasOrganizer(node, slug));
  given(searchOf(filter, calendar, now), ({ matches }, { event }) => matches(event));
  // B6: case- and accent-insensitive.
  given(textOf(filter.tag), (tag, { event }) =>
    (event.record.tags ?? []).some((own) => foldsEqual(own, tag)),
  );
  given(flagOf(filter.free), (_, { event }) => event.record.ticketsInformation === 'free');
  given(textOf(filter.mode), (mode, { event }) => mode === (event.record.mode ?? 'offline'));
  given(textOf(filter.superEvent), (id, { event }) => id === event.superEvent);
  given(flagOf(filter.onlyFeatured), (_, { event }) => event.record.isFeaturedEvent === true);
  given(
    flagOf(filter.onlyFeaturedSpecialEvent),
    (_, { event }) => calendar.hasSpecialEvent && event.record.isFeaturedInSpecialEvent === true,
  );
  given(flagOf(filter.cancelledNotIncluded), (_, { shown }) => !shown.eventCancelled);
  given(flagOf(filter.soldOutNotIncluded), (_, { shown }) => !shown.eventSoldOut);
  given(textOf(filter.hoursRange), (range, { shown }) => startsWithin(range, shown.start));
  given(textOf(filter.municipality), isInMunicipality);
  given(listOf(filter.municipalities), (names, node) => names.some((name) => isInMunicipality(name, node)));
  given(listOf(filter.postalCodes), (codes, { shown }) =>
    codes.some((code) => code === shown.venue?.postalCode),
  );
  given(filter.near ?? null, (near, { event, shown }) => {
    const place = shown.venue?.location ?? null;
    return place !== null && event.record.mode !== 'online' && isNear(near, place);
  });
  given(filter.area ?? null, (area, node) => isInArea(node, area));
  given(listOf(filter.accessibility), (words, node) => words.every((word) => offers(node, word)));
  return conditions;
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

/** B1: null and a blank string are as if not given. */
export function textOf(text: Text | undefined): string | null {
  return text === undefined || text === null || text.trim() === '' ? null : text;
}

/** B1: null inside a list is ignored; null and an empty list are as if not given. */
export function listOf(list: Texts | undefined): readonly string[] | null {
  const texts = (list ?? []).filter((text) => text !== null);
  return texts.length === 0 ? null : texts;
}

/** B3: it carries the id, or one of that category's subcategories. */
export function carriesCategory({ event }: Node, id: string, categories: readonly Category[]): boolean {
  const below = categories.find((category) => category.id === id)?.subcategories.map((sub) => sub.id) ?? [];
  return [id, ...below].some((one) => event.categories.includes(one));
}

export function hasOrganizer({ event }: Node, slug: string): boolean {
  return event.organizers.some((organizer) => organizer.slug === slug);
}

function flagOf(flag: Flag | undefined): true | null {
  return flag === true ? true : null;
}

export function searchOf({ searchTerm }: Filter, calendar: Calendar, now: number) {
  const term = textOf(searchTerm);
  return term === null ? null : searchFor(calendar, term, now);
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
