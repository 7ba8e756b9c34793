/** `/events.ics`, `/events.rss` and `/events.jsonld` (I1); `/events.json`, `/events.geojson` and `/events.csv` (I6). */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createLists, type Format } from '../events/endpoint.ts';
import { writeJsonLd } from '../events/jsonld.ts';
import { oneOf } from '../events/query.ts';
import { type EntriesOf, occurrencesOf } from '../events/read.ts';
import { writeCsv } from './csv.ts';
import { writeICalendar } from './icalendar.ts';
import { writeGeoJson, writeJson } from './lists.ts';
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
  { path: '/events.json', type: 'application/json; charset=utf-8', write: writeJson, count: () => 1 },
  {
    path: '/events.geojson',
    type: 'application/geo+json; charset=utf-8',
    write: writeGeoJson,
    count: () => 1,
  },
  {
    path: '/events.csv',
    type: 'text/csv; charset=utf-8; header=present',
    write: writeCsv,
    count: countOccurrences,
    isSubscription: true,
    parameters: { delimiter: oneOf([',', ';']) },
  },
];

export function create(context: ServeContext): ServePart {
  return { ...createLists(FORMATS, context), offers: ['feeds'] };
}
