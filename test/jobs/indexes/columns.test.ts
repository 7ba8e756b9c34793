/** Columns and indexes of a snapshot: moments, days, tags, containers and rows. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { osloDay, osloMinute } from '../../../src/calendar/time.ts';
import {
  BUILD,
  category,
  columnSetOf,
  date,
  eventRecord,
  instant,
  organizerRecord,
  venueRecord,
} from '../../helpers/records.ts';

const test = suite('columns');

const SOURCE = {
  venues: ['v1', 'v2'].map((id) => venueRecord(id)),
  organizers: ['o1', 'o2'].map((id) => organizerRecord(id)),
  categories: [category('MUSIC'), category('JAZZ', 0), category('FOLK', 0), category('FOOD')],
};

/** Two dates of one evening and one of the next, at different places. */
const THREE = [
  date('2026-11-21 18:00', '2026-11-21 20:00', { venue: 'v2' }),
  date('2026-11-21 19:00', '2026-11-21 20:00', { venue: 'v1' }),
  date('2026-11-22 20:00', null, { venue: 'v2' }),
];
/** A long one, and a short one within. */
const TWO = [date('2026-11-20 10:00', '2026-11-21 20:00'), date('2026-11-20 13:00', '2026-11-20 14:00')];
const EVENTS = [
  eventRecord({ id: 'a', dates: THREE, organizers: ['o2', 'o1', 'o2'], categories: ['JAZZ', 'FOLK'] }),
  eventRecord({ id: 'b', dates: TWO, publishingDate: BUILD + 60 }),
  eventRecord({ id: 'c', dates: THREE.slice(1), organizers: ['o2'], categories: ['MUSIC', 'FOOD'] }),
];

test('D6: should list the build and every moment at which an answer can change, each once', async () => {
  const { moments } = (await columnSetOf(EVENTS, SOURCE)).set.columns;
  // Without an end it is over three hours after its start.
  const overs = ['2026-11-20 14:00', '2026-11-21 20:00', '2026-11-22 23:00'];
  assert.equal([...moments], [BUILD, BUILD + 60, ...overs.map(instant)]);
});

test('B5: should give the day and minute of an occurrence in Norway', async () => {
  const starts = ['2027-03-28 03:30', '2027-06-30 23:45', '2026-12-31 00:00'];
  const { set } = await columnSetOf([
    eventRecord({ id: 'a', dates: starts.map((start) => date(start, null, { startTime: '02:30' })) }),
  ]);
  const { start, day, minute, startTime } = set.columns;
  for (const [row, at] of [...starts].sort().entries()) {
    const expected = instant(at);
    assert.is(start[row], expected);
    assert.equal([day[row], minute[row], startTime[row]], [osloDay(expected), osloMinute(expected), 150]);
  }
  assert.equal([...minute], [0, 210, 1425]);
});

test('B6: should fold tags, each once, and list them and the containers in the order of their bytes', async () => {
  const dates = [date('2026-12-01 20:00')];
  const { set } = await columnSetOf([
    eventRecord({ id: 'a', dates, tags: ['Øl', 'jazz', 'ØL'], super_event: 'c' }),
    eventRecord({ id: 'b', dates, super_event: 'a' }),
    eventRecord({ id: 'c', dates, tags: ['Jazz', 'Blåbær'], publishingDate: BUILD + 60 }),
  ]);
  const { columns: found, lists } = set;
  assert.equal(lists.tags, ['blabaer', 'jazz', 'ol']);
  assert.equal([...found.tagsAt], [0, 2, 2, 4]);
  assert.equal([...found.tags], [2, 1, 1, 0]);
  assert.equal(lists.containers, ['a', 'c']);
  assert.equal([...found.container], [1, 0, -1]);
  assert.equal([...found.publishing], [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY, BUILD + 60]);
});

test('C1, C2: should index rows by event, organizer, category and venue, and the end of each event', async () => {
  const { columns: of } = (await columnSetOf(EVENTS, SOURCE)).set;
  // Sorted by start, then by event.
  assert.equal([...of.event], [1, 1, 0, 0, 2, 0, 2]);
  const lists = (at: Int32Array, values: Int32Array) =>
    Array.from(at.subarray(1), (end, place) => values.subarray(at[place], end).join(' '));
  assert.equal(lists(of.occurrencesAt, of.occurrences), ['2 3 5', '0 1', '4 6']);
  assert.equal(lists(of.organizersAt, of.organizers), ['1 0', '', '1']);
  assert.equal(lists(of.categoriesAt, of.categories), ['1 2 0', '', '0 3']);
  assert.equal(lists(of.venueRowsAt, of.venueRows), ['3 4', '2 5 6']);
  assert.equal(lists(of.organizerRowsAt, of.organizerRows), ['2 3 5', '2 3 4 5 6']);
  assert.equal(lists(of.categoryRowsAt, of.categoryRows), ['2 3 4 5 6', '2 3 5', '2 3 5', '4 6']);
  const ends = ['2026-11-22 23:00', '2026-11-21 20:00', '2026-11-22 23:00'];
  assert.equal([...of.eventOver], ends.map(instant));
});

test.run();
