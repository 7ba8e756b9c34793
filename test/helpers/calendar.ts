/** Small materialised calendars for tests of writing, publishing and serving. */
import { columnsOf } from '../../jobs/indexes/columns.ts';
import type { EventRecord } from '../../jobs/records.ts';
import { category, date, eventRecord, materialised, organizerRecord, venueRecord } from './records.ts';

export const NOW = Date.UTC(2026, 0, 1, 12) / 1000;

export type MadeCalendar = Awaited<ReturnType<typeof makeCalendar>>;

/**
 * Makes a calendar of events with `dates` occurrences each, of two hours, one a day. Calendars with different names differ. `sentences`: of
 * each description.
 */
export async function makeCalendar({ events = 3, dates = 2, name = 'Prøve', sentences = 10 } = {}) {
  const records = Array.from({ length: events }, (_, number) =>
    makeEvent(number, { dates, name, sentences }),
  );
  const { calendar } = await materialised(records, {
    now: NOW,
    name,
    venues: [{ ...venueRecord('v1', 'Ås'), location: { latitude: 63.4305149, longitude: 10.3950528 } }],
    organizers: [organizerRecord('o1', 'Ørnulf')],
    categories: [
      {
        ...category('MUSIC'),
        name_nb: 'Musikk',
        name_en: 'Music',
        slug_nb: 'musikk',
        slug_en: 'music',
      },
    ],
  });
  return { calendar, columnSet: columnsOf(calendar, NOW) };
}

interface MadeEvent {
  readonly dates: number;
  readonly name: string;
  readonly sentences: number;
}

/** The first event also sells tickets: a shop for all of its dates, and prices of its first date's own. */
function makeEvent(number: number, { dates, name, sentences }: MadeEvent): EventRecord {
  const id = `event-${String(number).padStart(6, '0')}`;
  const isFirst = number === 0;
  const ticketsURL = isFirst ? 'https://billett.example/1' : null;
  return eventRecord({
    ...COMMON,
    id,
    slug: `slug-${id}`,
    title_nb: `${name} på ${id}`,
    desc_nb: SENTENCE.repeat(sentences),
    ticketsURL,
    dates: Array.from({ length: dates }, (_, day) => {
      const start = NOW + 3_600 + day * 86_400;
      const prices = isFirst && day === 0 ? PRICES_OF_DATE : null;
      return date(isoOf(start), isoOf(start + 7_200), { venue: 'v1', prices, ticketsURL });
    }),
  });
}

function isoOf(instant: number): string {
  return new Date(instant * 1_000).toISOString().replace('.000', '');
}

/** With quotation marks and letters that are several bytes. */
const SENTENCE = 'En kveld med musikk ved elva, "blåbær" og øl for alle som vil være med. ';

const PRICES_OF_DATE = [{ type: 'CHILD', price: null, name_nb: 'Barn', name_en: null }];

const IMAGE = {
  urlSmall: 'https://bilder.example/liten.jpg',
  urlLarge: 'https://bilder.example/stor.jpg',
  alt: null,
  caption: null,
  credits: null,
  focusX: 0.5,
  focusY: null,
  width: 1600,
  height: 900,
};

/** What all events have. */
const COMMON = {
  title_en: null,
  categories: ['MUSIC'],
  organizers: ['o1'],
  venue: 'v1',
  tags: ['Blåbær'],
  images: [IMAGE],
  ticketsInformation: 'ticketsInfo' as const,
  prices: [{ type: 'REGULAR', price: 150, name_nb: null, name_en: null }],
  created_at: NOW,
};
