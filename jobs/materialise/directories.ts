/** Venues and organizers in order, and the slugs and public addresses of all entities that have one (F6, slugs). */
import type { Category, Organizer, Venue } from '../../src/calendar/model.ts';
import { byNameThenId } from '../../src/calendar/text.ts';
import type { EventRecord, Link, OrganizerRecord, Records, SlugKind, VenueRecord } from '../records.ts';
import type { SlugRegister } from '../slug-ledger.ts';

/** Venues and organizers in their final order, with slugs, and every entity's ordinal by its id. */
export interface Directories {
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly venueOf: (id: string | null) => number;
  readonly organizersOf: (ids: readonly string[]) => readonly number[];
  readonly categoriesOf: (ids: readonly string[]) => readonly number[];
  /** C2, what a node carries: these categories, then the parents that are missing among them. */
  readonly withParents: (categories: readonly number[]) => readonly number[];
}

/** The slugs of each kind: A17's ledger of a build. */
export type Registers = Readonly<Record<SlugKind, SlugRegister>>;

export function orderDirectories(records: Records, registers: Registers): Directories {
  const venues = slugged(records.venues, registers.venue).sort(byNameThenId);
  const organizers = slugged(records.organizers, registers.organizer).sort(byNameThenId);
  const venuePlaces = placesOf(venues);
  const organizerPlaces = placesOf(organizers);
  const categoryPlaces = placesOf(records.categories);
  return {
    venues,
    organizers,
    venueOf: (id) => venuePlaces.get(id ?? '') ?? -1,
    organizersOf: (ids) => placesIn(organizerPlaces, ids),
    categoriesOf: (ids) => placesIn(categoryPlaces, ids),
    withParents: (carried) => withParents(carried, records.categories),
  };
}

function placesIn(places: ReadonlyMap<string, number>, ids: readonly string[]): readonly number[] {
  const found = ids.map((id) => places.get(id) ?? -1);
  // `filter` returns an array with spare capacity; there are hundreds of thousands.
  return found.includes(-1) ? found.filter((place) => place !== -1) : found;
}

/** Slugs are made in source order (F6), before the sorting. */
function slugged<Kind extends VenueRecord | OrganizerRecord>(
  records: readonly Kind[],
  slugs: SlugRegister,
): (Omit<Kind, 'origin' | 'slug'> & { readonly slug: string })[] {
  return records.map(({ origin, slug: own, ...entity }) => {
    const { id, name } = entity;
    return { ...entity, slug: slugs.take({ origin, id, own, names: [name] }) };
  });
}

function placesOf(entities: readonly { readonly id: string }[]): ReadonlyMap<string, number> {
  return new Map(entities.map(({ id }, place) => [id, place]));
}

function withParents(carried: readonly number[], categories: readonly Category[]): readonly number[] {
  const parents = carried.map((place) => categories[place]?.parent ?? -1).filter((parent) => parent !== -1);
  return [...new Set([...carried, ...parents])];
}

type Linked = Pick<EventRecord, 'origin' | 'id' | 'slug' | 'eventLink' | 'title_nb' | 'title_en'>;

interface Links {
  /** Called for every record in source order. */
  readonly take: (record: Linked) => Link;
}

export function createLinks(siteUrl: string, slugs: SlugRegister): Links {
  const [base, ending] = placeOfPages(siteUrl);
  return {
    take: ({ origin, id, slug: ownSlug, eventLink, title_nb, title_en }) => {
      const own = eventLink === null ? ownSlug : slugOfLink(eventLink, ownSlug);
      const slug = slugs.take({ origin, id, own, names: [title_nb ?? title_en] });
      return { slug, link: eventLink ?? base + slug + ending };
    },
  };
}

/** F6; I11, the calendar's own site: pages of events stand beside the list of this program's own site. */
function placeOfPages(siteUrl: string): readonly [base: string, ending: string] {
  return siteUrl.endsWith(OWN_LIST)
    ? [`${siteUrl.slice(0, -OWN_LIST.length)}/events/`, '.html']
    : [`${siteUrl.replace(/(?<!\/)\/+$/, '')}/event/`, ''];
}

const OWN_LIST = '/events.html';

/**
 * The last path segment of a link, or the slug as given if there is none, or if the link leads to its page of such a site as ours (I11).
 */
export function slugOfLink(link: string, given: string | null): string | null {
  const segment = decoded(lastSegment(link));
  return segment === null || (given !== null && segment === `${given}.html`) ? given : segment;
}

/** As written; null if it has none. */
function lastSegment(link: string): string | null {
  const [, path = ''] = /^(?:[^/?#]*:)?(?:\/\/[^/?#]*)?([^?#]*)/.exec(link) ?? [];
  return path.split('/').findLast((segment) => segment !== '') ?? null;
}

function decoded(segment: string | null): string | null {
  try {
    return segment === null ? null : decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
