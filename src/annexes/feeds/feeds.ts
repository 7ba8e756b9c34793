/** `/events.ics`, `/events.rss` and `/events.jsonld` (I1). */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createLists, type Format } from '../events/endpoint.ts';
import { type EntriesOf, occurrencesOf } from '../events/read.ts';
import { writeICalendar } from './icalendar.ts';
import { writeJsonLd } from './jsonld.ts';
import { writeRss } from './rss.ts';

const countOccurrences: EntriesOf = (node, reach) => occurrencesOf(node, reach).length;

const FORMATS: readonly Format[] = [
  {
    path: '/events.ics',
    type: 'text/calendar; charset=utf-8',
    write: writeICalendar,
    count: countOccurrences,
    isSubscription: true,
  },
  { path: '/events.rss', type: 'application/rss+xml; charset=utf-8', write: writeRss, count: () => 1 },
  {
    path: '/events.jsonld',
    type: 'application/ld+json; charset=utf-8',
    write: writeJsonLd,
    count: countOccurrences,
  },
];

export function create(context: ServeContext): ServePart {
  return createLists(FORMATS, context);
}
