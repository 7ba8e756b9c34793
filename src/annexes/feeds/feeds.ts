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
import { GEO_JSON, JSON_LIST, writeGeoJson, writeJson } from './lists.ts';
import { writeRss } from './rss.ts';

const FORMATS: readonly Format[] = [
  {
    path: '/events.ics',
    about: 'The calendar to subscribe to, as iCalendar.',
    answer: { about: 'An entry an occurrence.' },
    type: 'text/calendar; charset=utf-8',
    write: writeICalendar,
    dates: 'near',
  },
  {
    path: '/events.rss',
    about: 'Events as RSS 2.0.',
    answer: { about: 'An item an event.' },
    type: 'application/rss+xml; charset=utf-8',
    write: writeRss,
  },
  {
    path: '/events.jsonld',
    about: 'Events as JSON-LD, for search engines.',
    answer: { about: 'A schema.org Event an occurrence.', schema: JSON_LD },
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
    answer: { about: 'A feature an event.', schema: GEO_JSON },
    type: 'application/geo+json; charset=utf-8',
    write: writeGeoJson,
  },
  {
    path: '/events.csv',
    about: 'Events as a table, for spreadsheets.',
    answer: { about: 'A row an occurrence, after the names of the columns.' },
    type: 'text/csv; charset=utf-8; header=present',
    write: writeCsv,
    dates: 'near',
    parameters: {
      delimiter: {
        ...oneOf([',', ';']),
        about:
          'The semicolon is for Norwegian spreadsheets: it comes with a byte order mark and decimal commas.',
      },
    },
  },
];

export function create(context: ServeContext): ServePart {
  return { ...createLists(FORMATS, context), offers: ['feeds'] };
}
