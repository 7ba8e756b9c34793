/** F6: the slug and the public address of each event. */
import { eventPagesOf } from '../../src/calendar/date-address.ts';
import { slugOf } from '../../src/calendar/text.ts';
import { decodedPart, parsedUrl } from '../../src/calendar/urls.ts';
import type { EventRecord, Municipality, PlacedPages, Records } from '../records.ts';
import { pageWriter } from '../validate/page-template.ts';
import { isSameMunicipality } from '../validate/postal-codes.ts';
import type { SlugRegister } from './ledger.ts';

type Named = Pick<EventRecord, 'origin' | 'id' | 'slug' | 'eventLink' | 'title_nb' | 'title_en'>;

/** Creates the function that assigns the slugs of a build's records, in source order. */
export function createSlugs(slugs: SlugRegister): (record: Named) => string {
  return ({ origin, id, slug: ownSlug, eventLink, title_nb, title_en }) => {
    const written = eventLink === null ? ownSlug : slugOfLink(eventLink, ownSlug);
    return slugs.assign({ origin, id, written, ofName: slugOf(title_nb ?? title_en ?? '') });
  };
}

/** What gives an event its address. */
export interface Linked extends Pick<EventRecord, 'eventLink'> {
  readonly slug: string;
  /** The ids of the venues of its dates; null for a date without one. */
  readonly venues: readonly (string | null)[];
}

/**
 * Creates the function that gives an event its address: its own, else that of its municipality. If its venues' municipalities have different
 * pages, the fallback is used. `venues`: with their final municipalities.
 */
export function createEventLinks(
  { licence, eventPages = NO_PAGES }: Pick<Records, 'licence' | 'eventPages'>,
  venues: readonly (Municipality & { readonly id: string })[],
): (event: Linked) => string {
  const [base, ending] = placeOfPages(licence.siteUrl);
  const { fallback, towns } = eventPages;
  const writeOther = pageWriter(fallback ?? '') ?? ((slug: string) => base + slug + ending);
  const writers = new Map(towns.map(({ template }) => [template, pageWriter(template)]));
  const templates = new Map<string | null, string | undefined>();
  for (const venue of venues) {
    const town = towns.find(({ municipality }) => isSameMunicipality(venue, municipality));
    templates.set(venue.id, town?.template);
  }
  return ({ eventLink, slug, venues: places }) => {
    if (eventLink !== null) return eventLink;
    const ofPlaces = new Set(places.map((place) => templates.get(place)));
    const [template = ''] = ofPlaces;
    const write = ofPlaces.size === 1 ? writers.get(template) : null;
    return (write ?? writeOther)(slug);
  };
}

const NO_PAGES: PlacedPages = { fallback: null, towns: [] };

/** The texts before and after the slug in an event's address. F6, I11: on this program's own site, events have pages next to the list. */
export function placeOfPages(siteUrl: string): readonly [base: string, ending: string] {
  const pages = eventPagesOf(siteUrl);
  return pages === null ? [`${siteUrl.replace(TRAILING_SLASHES, '')}/event/`, ''] : [pages, '.html'];
}

/** The lookbehind keeps the search linear: it begins only at the first of several slashes. */
const TRAILING_SLASHES = /(?<!\/)\/+$/;

/** The last path segment of a link. The slug as given if there is none, or if the link is that of its page on a site like ours (I11). */
export function slugOfLink(link: string, given: string | null): string | null {
  const path = parsedUrl(link)?.pathname ?? link;
  const segment = decodedPart(path.split('/').findLast((part) => part !== '') ?? '');
  return segment === '' || (given !== null && segment === `${given}.html`) ? given : segment;
}
