/** Small finished calendars for tests of what comes after materialising: no source, no validation, plain columns. */

import { type ColumnSet, columnsOf } from '../../jobs/columns.ts';
import type { Calendar, EventTexts } from '../../jobs/records.ts';
import { createSearchIndexer } from '../../jobs/search.ts';
import { type EventRow, rowOf } from '../../jobs/write.ts';
import { blank, EVENT, ORGANIZER, VENUE } from '../../src/calendar/fields.ts';
import { osloMinute, overAt } from '../../src/calendar/time.ts';
import { ABSENT } from '../../src/snapshot/columns.ts';

export const NOW = Date.UTC(2026, 0, 1, 12) / 1000;

export interface MadeCalendar {
  readonly calendar: Calendar;
  readonly columnSet: ColumnSet;
}

/** That many events of two-hour occurrences, one a day each; `name` makes one calendar's content differ from another's. */
export function makeCalendar({ events = 3, dates = 2, name = 'Prøve' } = {}): MadeCalendar {
  const ids = Array.from({ length: events }, (_, event) => `event-${String(event).padStart(6, '0')}`);
  const rows = Array.from({ length: dates * events }, (_, row) => ({
    event: row % events,
    start: NOW + 3600 + Math.floor(row / events) * 86_400,
  }));
  const calendar: Calendar = {
    licence: {
      id: 'test',
      name,
      siteUrl: 'https://kalender.example',
      portalUrl: null,
      specialEvent: null,
      registration: false,
      dataLicence: null,
      attribution: null,
      contact: null,
    },
    venues: [PLACE],
    organizers: [ORGANIZER_OF_ALL],
    categories: [MUSIC],
    horizonDay: '2027-07-01',
    events: ids.map((id) => ({
      id,
      slug: `slug-${id}`,
      publishingDate: null,
      flags: 0,
      superEvent: null,
      organizers: [0],
      categories: [0],
      ownCategories: 1,
      tags: TAGS,
      accessibility: 0,
      nextSince: null,
    })),
    occurrences: occurrencesOf(rows),
    slugs: { event: NONE, venue: NONE, organizer: NONE },
    read: (event) => textsOf(event, ids[event] ?? '', name),
    searchIndex: indexOf(ids, name),
    close: () => undefined,
  };
  return { calendar, columnSet: columnsOf(calendar, NOW) };
}

function indexOf(ids: readonly string[], name: string): Calendar['searchIndex'] {
  const categories = [MUSIC];
  const indexer = createSearchIndexer({ venues: [PLACE], organizers: [ORGANIZER_OF_ALL], categories });
  for (const [event, id] of ids.entries()) {
    const row: EventRow = JSON.parse(textsOf(event, id, name).row.toString());
    const places = { organizers: [0], categories: [0], ownCategories: 1 };
    indexer.take({ ...row, tags: TAGS }, places, [0]);
  }
  return indexer.finish(Int32Array.from(ids.keys()));
}

const NONE = { owned: [], merged: [] };

const PLACE = {
  id: 'v1',
  name: 'Ås',
  slug: 'as',
  ...blank(VENUE),
  municipalityNumber: null,
  location: { latitude: 63.4305149, longitude: 10.3950528 },
};

const ORGANIZER_OF_ALL = { id: 'o1', name: 'Ørnulf', slug: 'ornulf', ...blank(ORGANIZER) };

const MUSIC = {
  id: 'MUSIC',
  name_nb: 'Musikk',
  name_en: 'Music',
  slug_nb: 'musikk',
  slug_en: 'music',
  visible: true,
  parent: -1,
};

const TAGS = ['Blåbær'];

interface Row {
  readonly event: number;
  readonly start: number;
}

function occurrencesOf(rows: readonly Row[]): Calendar['occurrences'] {
  const ends = rows.map(({ start }) => start + 7200);
  return {
    start: Float64Array.from(rows, ({ start }) => start),
    end: Float64Array.from(ends),
    over: Float64Array.from(rows, ({ start }, row) => overAt(start, ends[row] ?? start)),
    event: Int32Array.from(rows, ({ event }) => event),
    venue: new Int32Array(rows.length),
    startTime: Uint16Array.from(rows, ({ start }) => osloMinute(start)),
    duration: new Int32Array(rows.length).fill(120),
    occurrenceFlags: new Uint8Array(rows.length),
    nth: new Int32Array(rows.length).fill(1),
    ticketsURL: Uint16Array.from(rows, ({ event }) => (event === 0 ? 0 : ABSENT)),
    prices: Uint16Array.from(rows, (_, row) => (row === 0 ? 0 : ABSENT)),
    olderTexts: new Uint16Array(rows.length).fill(ABSENT),
  };
}

const TEXT = 'En kveld med musikk ved elva, "blåbær" og øl for alle som vil være med. ';

function textsOf(ordinal: number, id: string, name: string): EventTexts {
  const prices = [{ type: 'REGULAR', price: 150, name_nb: null, name_en: null }];
  const fields = {
    id,
    title_nb: `${name} på ${id}`,
    title_en: null,
    desc_nb: TEXT.repeat(10),
    desc_en: null,
    mode: 'offline' as const,
    categories: ['MUSIC'],
    tags: TAGS,
    images: [
      {
        urlSmall: 'https://bilder.example/liten.jpg',
        urlLarge: 'https://bilder.example/stor.jpg',
        alt: null,
        caption: null,
        credits: null,
        focusX: 0.5,
        focusY: null,
        width: 1600,
        height: 900,
      },
    ],
    ticketsInformation: 'ticketsInfo' as const,
    prices,
    ...blank(EVENT),
    created_at: NOW,
  };
  const slug = `slug-${id}`;
  const lists = {
    ticketsURLs: ['https://billett.example/1'],
    olderTexts: [],
    priceLists: [[{ type: 'CHILD', price: null, name_nb: 'Barn', name_en: null }]],
  };
  const row = rowOf(fields, { slug, link: `https://kalender.example/event/${slug}` }, lists);
  return { row: JSON.stringify({ ordinal, super_event: null, ...row }), prices, ...lists };
}
