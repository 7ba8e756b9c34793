/** Random events for what is worked out of their dates, and the moments at which that may change. */
import fc from 'fast-check';
import { columnsOf } from '../../../jobs/columns.ts';
import type { DateRecord, EventRecord } from '../../../jobs/records.ts';
import type { Category } from '../../../src/calendar/model.ts';
import { HOUR } from '../../../src/calendar/time.ts';
import {
  BUILD,
  category,
  date,
  eventRecord,
  materialised,
  organizerRecord,
  venueRecord,
} from '../../helpers/records.ts';

const VENUES = ['v1', 'v2', 'v3'];
const ORGANIZERS = ['o1', 'o2'];
const CATEGORIES: readonly Category[] = [
  category('MUSIC'),
  category('JAZZ', 0),
  category('FOLK', 0),
  category('FOOD'),
];
const SOURCE = {
  venues: VENUES.map((id) => venueRecord(id)),
  organizers: ORGANIZERS.map((id) => organizerRecord(id)),
  categories: CATEGORIES,
};

/** Half hours around the build, so that ends, starts and publishings often fall on the same second. */
const moment = fc.integer({ min: -8, max: 60 }).map((halves) => BUILD + halves * HOUR * 0.5);
const length = fc.constantFrom(0, 0, HOUR, 2 * HOUR, 5 * HOUR, 30 * HOUR);
const randomDate = fc.record({
  start: moment,
  length,
  venue: fc.option(fc.constantFrom(...VENUES), { nil: null, freq: 3 }),
});

const dated = (one: { start: number; length: number; venue: string | null }): DateRecord => ({
  ...date('2026-11-20 12:00'),
  start: one.start,
  end: one.start + one.length,
  duration: one.length / 60,
  venue: one.venue,
});

export const randomEvents = fc
  .array(
    fc.record({
      dates: fc.array(randomDate.map(dated), { minLength: 1, maxLength: 6 }),
      publishingDate: fc.option(moment, { nil: null }),
      organizers: fc.subarray(ORGANIZERS),
      categories: fc.subarray(CATEGORIES.map(({ id }) => id)),
    }),
    { maxLength: 8 },
  )
  .map((events) => events.map((own, at) => eventRecord({ id: `e${at}`, ...own })));

export async function columnSetOf(events: readonly EventRecord[], source = SOURCE) {
  const { calendar } = await materialised(events, source);
  return { calendar, set: columnsOf(calendar, BUILD) };
}
