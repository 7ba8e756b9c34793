/** A10: containers: their span, their programme, and containers within containers. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventRecord } from '../../../jobs/records.ts';
import { ABSENT } from '../../../src/snapshot/columns.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS } from '../../../src/snapshot/flags.ts';
import {
  date,
  event,
  eventRecord,
  instant,
  materialised,
  repeat,
  TOMORROW,
  times,
  venueRecord,
} from '../../helpers/records.ts';

const test = suite('containers');

const OVER = date('2026-11-01 20:00', '2026-11-01 22:00');

const container = (id: string, own: Partial<EventRecord> = {}) =>
  eventRecord({ id, isSuperEvent: true, ...own });

const FESTIVAL = [
  event('early', { super_event: 'festival', dates: [date('2026-10-30 09:00', '2026-10-30 10:00')] }),
  container('festival', { venue: 'v', ticketsURL: 'https://t.example', eventSoldOut: true }),
  event('late', { super_event: 'festival', dates: [date('2026-12-01 20:00', '2026-12-01 23:30'), TOMORROW] }),
  event('weekly', {
    super_event: 'festival',
    dates: [],
    series: [repeat('FREQ=WEEKLY;COUNT=3', '2026-10-29 20:00')],
  }),
  event('other'),
];
const materialisedFestival = () => materialised(FESTIVAL, { venues: [venueRecord('v')] });

test('A10: should span a container from the earliest start to the latest end of its programme', async () => {
  const { calendar } = await materialisedFestival();
  assert.equal(times(calendar, 'festival'), ['2026-10-29 20:00:00+01:00 – 2026-12-01 23:30:00+01:00']);
});

test('A10: should report the parts of a programme that are over', async () => {
  const { findings } = await materialisedFestival();
  assert.equal(
    findings.map(({ action, id, found }) => ({ action, id, found })),
    [
      { action: 'over', id: 'early', found: 'the last one on 2026-10-30' },
      { action: 'over', id: 'weekly', found: 'the last one on 2026-11-12' },
    ],
  );
});

test('A10: should give a container’s occurrence the event’s own values', async () => {
  const { calendar } = await materialisedFestival();
  const ordinal = calendar.events.findIndex(({ id }) => id === 'festival');
  const { event: events, ...columns } = calendar.occurrences;
  const row = events.indexOf(ordinal);
  assert.equal(
    {
      venue: columns.venue[row],
      startTime: columns.startTime[row],
      duration: columns.duration[row],
      ticketsURL: columns.ticketsURL[row],
      prices: columns.prices[row],
      flags: columns.occurrenceFlags[row],
    },
    {
      venue: 0,
      startTime: 20 * 60,
      duration: 33 * 24 * 60 + 210,
      ticketsURL: 0,
      prices: ABSENT,
      flags: OCCURRENCE_FLAGS.soldOut,
    },
  );
  assert.equal(calendar.read(ordinal).ticketsURLs, ['https://t.example']);
  assert.is((calendar.events[ordinal]?.flags ?? 0) & EVENT_FLAGS.container, EVENT_FLAGS.container);
});

const MONTH = 'FREQ=DAILY;COUNT=30';

test('A10: should not move a container with the moment of the build', async () => {
  const events = [
    container('festival'),
    event('a', { super_event: 'festival', dates: [], series: [repeat(MONTH, '2026-11-01 20:00')] }),
  ];
  for (const now of ['2026-10-01 12:00', '2026-11-15 12:00', '2026-11-30 12:00']) {
    const { calendar } = await materialised(events, { now: instant(now) });
    assert.equal(times(calendar, 'festival'), ['2026-11-01 20:00:00+01:00 – 2026-11-30 20:00:00+01:00']);
  }
});

const SPAN_OF_TOMORROW = ['2026-11-21 20:00:00+01:00 – 2026-11-21 22:00:00+01:00'];

test('A10: should span programmes within programmes', async () => {
  const { calendar } = await materialised([
    container('city'),
    container('festival', { super_event: 'city' }),
    event('concert', { super_event: 'festival' }),
  ]);
  for (const id of ['city', 'festival']) assert.equal(times(calendar, id), SPAN_OF_TOMORROW, id);
});

test('A10: should end at containers that contain each other', async () => {
  const { calendar } = await materialised([
    container('hen', { super_event: 'egg' }),
    container('egg', { super_event: 'hen' }),
    event('chick', { super_event: 'egg' }),
    container('self', { super_event: 'self' }),
  ]);
  for (const id of ['hen', 'egg']) assert.equal(times(calendar, id), SPAN_OF_TOMORROW, id);
  assert.equal(times(calendar, 'self'), []);
});

test('A10: should read programmes to ten levels, and no deeper', async () => {
  const nest = Array.from({ length: 12 }, (_, at) => container(`c${at}`, { super_event: `c${at + 1}` }));
  const { calendar } = await materialised([...nest, event('concert', { super_event: 'c0' })]);
  const found = nest.filter(({ id }) => times(calendar, `${id}`).length > 0);
  assert.is(found.length, 11, 'its own programme, and ten below it');
});

test('A10: should keep the dates of a container that has dates of its own', async () => {
  const { calendar } = await materialised([
    container('dated', { dates: [TOMORROW] }),
    event('c', { super_event: 'dated', dates: [date('2026-12-01 20:00')] }),
  ]);
  assert.equal(times(calendar, 'dated'), SPAN_OF_TOMORROW);
});

test('A10: should leave out and report a container without a programme', async () => {
  const { calendar, findings } = await materialised([container('empty'), event('b')]);
  assert.equal(
    calendar.events.map(({ id }) => id),
    ['b'],
  );
  assert.equal(
    findings.map(({ action, id, found }) => ({ action, id, found })),
    [{ action: 'dropped record', id: 'empty', found: 'neither' }],
  );
});

test('A10: should leave out and report a container whose programme is over', async () => {
  const { calendar, findings } = await materialised([
    container('was'),
    event('a', { super_event: 'was', dates: [OVER] }),
    event('b'),
  ]);
  assert.equal(
    calendar.events.map(({ id }) => id),
    ['b'],
  );
  const found = 'the last one on 2026-11-01';
  assert.equal(
    findings.map(({ action, id, found }) => ({ action, id, found })),
    [
      { action: 'over', id: 'a', found },
      { action: 'over', id: 'was', found },
    ],
  );
});

test.run();
