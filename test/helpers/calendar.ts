/** Small materialised calendars for tests of writing, publishing and serving. */
import { columnsOf } from '../../jobs/columns.ts';
import { category, date, eventRecord, materialised, organizerRecord, venueRecord } from './records.ts';

export const NOW = Date.UTC(2026, 0, 1, 12) / 1000;

export type MadeCalendar = Awaited<ReturnType<typeof makeCalendar>>;

/**
 * Makes a calendar of events with `dates` occurrences each, of two hours, one a day. Calendars with different names differ. `sentences`: of
 * each description.
 */
export async function makeCalendar({ events = 3, dates = 2, name = 'Prøve', sentences = 10 } = {}) {
  const location = { latitude: 63.4305149, longitude: 10.3950528 };
  const records = Array.from({ length: events }, (_, event) => {
    const id = `event-${String(event).padStart(6, '0')}`;
    return eventRecord({
      ...COMMON,
      desc_nb: TEXT.repeat(sentences),
      id,
      slug: `slug-${id}`,
      title_nb: `${name} på ${id}`,
      ticketsURL: event === 0 ? 'https://billett.example/1' : null,
      dates: Array.from({ length: dates }, (_, at) => {
        const start = NOW + 3_600 + at * 86_400;
        const prices = event === 0 && at === 0 ? CHILDREN : null;
        const ticketsURL = event === 0 ? 'https://billett.example/1' : null;
        return date(isoOf(start), isoOf(start + 7_200), { venue: 'v1', prices, ticketsURL });
      }),
    });
  });
  const { calendar } = await materialised(records, {
    now: NOW,
    name,
    venues: [{ ...venueRecord('v1', 'Ås'), location }],
    organizers: [organizerRecord('o1', 'Ørnulf')],
    categories: [{ ...category('MUSIC'), ...LABELS }],
  });
  return { calendar, columnSet: columnsOf(calendar, NOW) };
}

const isoOf = (instant: number) => new Date(instant * 1_000).toISOString().replace('.000', '');

const LABELS = { name_nb: 'Musikk', name_en: 'Music', slug_nb: 'musikk', slug_en: 'music' };
const CHILDREN = [{ type: 'CHILD', price: null, name_nb: 'Barn', name_en: null }];
const TEXT = 'En kveld med musikk ved elva, "blåbær" og øl for alle som vil være med. ';
const NOTHING = { alt: null, caption: null, credits: null, focusY: null };
const COVER = { urlSmall: 'https://bilder.example/liten.jpg', urlLarge: 'https://bilder.example/stor.jpg' };

const COMMON = {
  title_en: null,
  categories: ['MUSIC'],
  organizers: ['o1'],
  venue: 'v1',
  tags: ['Blåbær'],
  images: [{ ...COVER, ...NOTHING, focusX: 0.5, width: 1600, height: 900 }],
  ticketsInformation: 'ticketsInfo' as const,
  prices: [{ type: 'REGULAR', price: 150, name_nb: null, name_en: null }],
  created_at: NOW,
};
