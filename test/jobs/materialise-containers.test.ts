import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EventRecord } from '../../jobs/records.ts';
import { ABSENT } from '../../src/snapshot/columns.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS } from '../../src/snapshot/flags.ts';
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
} from '../helpers/records.ts';

const test = suite('containers');

const OVER = date('2026-11-01 20:00', '2026-11-01 22:00');

const container = (id: string, own: Partial<EventRecord> = {}) =>
  eventRecord({ id, isSuperEvent: true, ...own });

test('A10: should span a container from the earliest start to the latest end of its programme', async () => {
  const part = { super_event: 'festival' };
  const { calendar, findings } = await materialised(
    [
      event('early', { ...part, dates: [date('2026-10-30 09:00', '2026-10-30 10:00')] }),
      container('festival', { venue: 'v', ticketsURL: 'https://t.example', eventSoldOut: true }),
      event('late', { ...part, dates: [date('2026-12-01 20:00', '2026-12-01 23:30'), TOMORROW] }),
      event('weekly', { ...part, dates: [], series: [repeat('FREQ=WEEKLY;COUNT=3', '2026-10-29 20:00')] }),
      event('other'),
    ],
    { venues: [venueRecord('v')] },
  );
  assert.equal(times(calendar, 'festival'), ['2026-10-29 20:00:00+01:00 – 2026-12-01 23:30:00+01:00']);
  assert.equal(
    findings.map(({ action, id, found }) => [action, id, found]),
    [
      ['over', 'early', 'the last one on 2026-10-30'],
      ['over', 'weekly', 'the last one on 2026-11-12'],
    ],
  );
  const { event: of, venue, startTime, duration, ...others } = calendar.occurrences;
  const ordinal = calendar.events.findIndex(({ id }) => id === 'festival');
  const row = of.indexOf(ordinal);
  assert.equal([venue[row], startTime[row], duration[row]], [0, 1200, 33 * 24 * 60 + 210]);
  assert.equal([others.ticketsURL[row], others.prices[row]], [0, ABSENT]);
  assert.is(others.occurrenceFlags[row], OCCURRENCE_FLAGS.soldOut);
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

test('A10: should look into programmes within programmes, and not go round in circles', async () => {
  const { calendar } = await materialised([
    container('city'),
    container('festival', { super_event: 'city' }),
    event('concert', { super_event: 'festival' }),
    container('hen', { super_event: 'egg' }),
    container('egg', { super_event: 'hen' }),
    event('chick', { super_event: 'egg' }),
    container('self', { super_event: 'self' }),
  ]);
  const span = ['2026-11-21 20:00:00+01:00 – 2026-11-21 22:00:00+01:00'];
  for (const id of ['city', 'festival', 'hen', 'egg']) assert.equal(times(calendar, id), span, id);
  assert.equal(times(calendar, 'self'), []);
});

test('A10: should look ten programmes deep and no deeper', async () => {
  const nest = Array.from({ length: 12 }, (_, at) => container(`c${at}`, { super_event: `c${at + 1}` }));
  const { calendar } = await materialised([...nest, event('concert', { super_event: 'c0' })]);
  const found = nest.filter(({ id }) => times(calendar, `${id}`).length > 0);
  assert.is(found.length, 11, 'its own programme, and ten below it');
});

test('A10: should report a container without a programme, and leave out one that is over', async () => {
  const { calendar, findings } = await materialised([
    container('empty'),
    container('was'),
    // With dates of its own it is as they are.
    container('dated', { dates: [TOMORROW] }),
    event('c', { super_event: 'dated', dates: [date('2026-12-01 20:00')] }),
    event('a', { super_event: 'was', dates: [OVER] }),
    event('b'),
  ]);
  assert.equal(
    calendar.events.map(({ id }) => id),
    ['b', 'c', 'dated'],
  );
  assert.equal(times(calendar, 'dated'), ['2026-11-21 20:00:00+01:00 – 2026-11-21 22:00:00+01:00']);
  assert.equal(
    findings.map(({ action, id, found }) => [action, id, found]),
    [
      ['over', 'a', 'the last one on 2026-11-01'],
      ['dropped record', 'empty', 'neither'],
      ['over', 'was', 'the last one on 2026-11-01'],
    ],
  );
});

test.run();
