/**
 * `/events.ics`, `/events.rss` and `/events.jsonld` (I1); `/events.json`, `/events.geojson` and `/events.csv` (I6).
 */
import type { ServeContext, ServePart } from '../../serve/annex.ts';
import { createLists } from '../events/endpoint.ts';
import type { Format } from '../events/format.ts';
import { JSON_LD, writeJsonLd } from '../events/jsonld.ts';
import { oneOf } from '../events/parameters.ts';
import { writeCsv } from './csv.ts';
import { writeICalendar } from './icalendar.ts';
import { GEO_JSON, JSON_LIST, writeGeoJson, writeJson } from './json.ts';
import { writeRss } from './rss.ts';

const FORMATS: readonly Format[] = [
  {
    path: '/events.ics',
    about: 'The calendar as iCalendar, to subscribe to.',
    answer: { about: 'A calendar with one entry per occurrence.' },
    type: 'text/calendar; charset=utf-8',
    write: writeICalendar,
    dates: 'near',
  },
  {
    path: '/events.rss',
    about: 'Events as RSS 2.0.',
    answer: { about: 'A feed with one item per event.' },
    type: 'application/rss+xml; charset=utf-8',
    write: writeRss,
  },
  {
    path: '/events.jsonld',
    about: 'Events as JSON-LD, for search engines.',
    answer: { about: 'One schema.org Event per occurrence.', schema: JSON_LD },
    type: 'application/ld+json; charset=utf-8',
    write: writeJsonLd,
    dates: 'near',
  },
  {
    path: '/events.json',
    about: 'Events as plain JSON.',
    answer: { about: 'A page of events.', schema: JSON_LIST },
    type: 'application/json; charset=utf-8',
    write: writeJson,
  },
  {
    path: '/events.geojson',
    about: 'Events with a position as GeoJSON, for maps.',
    answer: { about: 'One feature per event.', schema: GEO_JSON },
    type: 'application/geo+json; charset=utf-8',
    write: writeGeoJson,
  },
  {
    path: '/events.csv',
    about: 'Events as a table, for spreadsheets.',
    answer: { about: 'A header row, and then one row per occurrence.' },
    type: 'text/csv; charset=utf-8; header=present',
    write: writeCsv,
    dates: 'near',
    parameters: {
      delimiter: {
        ...oneOf([',', ';']),
        about:
          'The separator of columns. The semicolon is for Norwegian spreadsheets: it adds a byte order mark and decimal commas.',
      },
    },
  },
];

export function create(context: ServeContext): ServePart {
  return { ...createLists(FORMATS, context), offers: ['feeds'] };
}
