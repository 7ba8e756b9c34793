/** Venues and organizers in order, and the slugs and public addresses of all that has one (F6). */
import type { Category, Organizer, Venue } from '../../src/calendar/model.ts';
import { byNameThenId, LONGEST_SLUG, readSlug, SLUG_FORM, slugOf } from '../../src/calendar/text.ts';
import {
  type EventRecord,
  excerpt,
  type OrganizerRecord,
  type Origin,
  type Records,
  type Reporter,
  type VenueRecord,
} from '../records.ts';

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

interface Slugged {
  readonly origin: Origin;
  readonly id: string;
  /** The record's own; what it is not, or what a collision changes, is reported. */
  readonly own: string | null;
  /** What a slug is made of when there is no own one: the first that gives letters or digits. */
  readonly names: readonly (string | null)[];
  /** When none does. */
  readonly fallback: string;
}

interface Slugs {
  readonly take: (slugged: Slugged) => string;
}

function createSlugs(report: Reporter): Slugs {
  const taken = new Set<string>();
  /** The next number to try behind a beginning: those before are taken, so that nothing is tried twice. */
  const next = new Map<string, number>();

  function unique(wanted: string): string {
    let slug = wanted;
    // A number of more digits leaves less of what it stands behind.
    for (let digits = 1; taken.has(slug); digits++) slug = numbered(wanted, digits) ?? slug;
    taken.add(slug);
    return slug;
  }

  /** Null when all numbers of so many digits are taken. */
  function numbered(wanted: string, digits: number): string | null {
    const beginning = wanted.slice(0, LONGEST_SLUG - 1 - digits).replace(/-+$/, '');
    const key = `${digits} ${beginning}`;
    const first = digits === 1 ? 2 : 10 ** (digits - 1);
    for (let number = next.get(key) ?? first; number < 10 ** digits; number++) {
      const slug = `${beginning}-${number}`;
      next.set(key, number + 1);
      if (!taken.has(slug)) return slug;
    }
    return null;
  }

  function take({ origin, id, own, names, fallback }: Slugged): string {
    const given = own === null ? '' : readSlug(own);
    const slug = unique(given || firstSlug([...names, id]) || fallback);
    if (own !== null && given !== own) {
      const found = excerpt(own);
      report.addFinding({ action: 'made safe', origin, id, field: 'slug', expected: SLUG_FORM, found });
    } else if (own !== null && slug !== own) {
      const expected = 'a slug that no record before it has';
      report.addFinding({ action: 'changed value', origin, id, field: 'slug', expected, found: own });
    }
    return slug;
  }

  return { take };
}

function firstSlug(names: readonly (string | null)[]): string | undefined {
  return names.map((name) => slugOf(name ?? '')).find((slug) => slug !== '');
}

export interface Link {
  readonly slug: string;
  readonly link: string;
}

type Linked = Pick<EventRecord, 'origin' | 'id' | 'slug' | 'eventLink' | 'title_nb' | 'title_en'>;

interface Links {
  /** To be called for every record in source order. */
  readonly take: (record: Linked) => Link;
}

export function createLinks(siteUrl: string, report: Reporter): Links {
  const slugs = createSlugs(report);
  const base = `${siteUrl.replace(/\/+$/, '')}/event/`;
  return {
    take: ({ origin, id, slug: ownSlug, eventLink, title_nb, title_en }) => {
      const own = eventLink === null ? ownSlug : (decoded(lastSegment(eventLink)) ?? ownSlug);
      const slug = slugs.take({ origin, id, own, names: [title_nb ?? title_en], fallback: 'event' });
      return { slug, link: eventLink ?? base + slug };
    },
  };
}

/** The last path segment of a link, as it is written; null when it has none. */
export function lastSegment(link: string): string | null {
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
