/** F6: the slug and the public address of each event. */

import { eventPagesOf } from '../src/calendar/date-address.ts';
import { slugOf } from '../src/calendar/text.ts';
import { decodedPart, parsedUrl } from '../src/calendar/urls.ts';
import type { Link } from './calendar.ts';
import type { EventRecord } from './records.ts';
import type { SlugRegister } from './slug-ledger.ts';

type Linked = Pick<EventRecord, 'origin' | 'id' | 'slug' | 'eventLink' | 'title_nb' | 'title_en'>;

/** Creates the function that links the records of a build, in source order. */
export function createLinks(siteUrl: string, slugs: SlugRegister): (record: Linked) => Link {
  const [base, ending] = placeOfPages(siteUrl);
  return ({ origin, id, slug: ownSlug, eventLink, title_nb, title_en }) => {
    const written = eventLink === null ? ownSlug : slugOfLink(eventLink, ownSlug);
    const slug = slugs.assign({ origin, id, written, ofName: slugOf(title_nb ?? title_en ?? '') });
    return { slug, link: eventLink ?? base + slug + ending };
  };
}

/** The texts before and after the slug in an event's address. F6, I11: on this program's own site, events have pages next to the list. */
export function placeOfPages(siteUrl: string): readonly [base: string, ending: string] {
  const pages = eventPagesOf(siteUrl);
  return pages === null ? [`${siteUrl.replace(TRAILING_SLASHES, '')}/event/`, ''] : [pages, '.html'];
}

const TRAILING_SLASHES = /(?<!\/)\/+$/;

/** The last path segment of a link. The slug as given if there is none, or if the link is that of its page on a site like ours (I11). */
export function slugOfLink(link: string, given: string | null): string | null {
  const path = parsedUrl(link)?.pathname ?? link;
  const segment = decodedPart(path.split('/').findLast((part) => part !== '') ?? '');
  return segment === '' || (given !== null && segment === `${given}.html`) ? given : segment;
}
