/** Records become rows: their order, flags, lists, texts and limits. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { materialise } from '../../../jobs/materialise/materialise.ts';
import { openSpool } from '../../../jobs/materialise/spool.ts';
import { createAllowance } from '../../../jobs/recurrence/allowance.ts';
import { NO_SLUGS } from '../../../jobs/slugs/ledger.ts';
import { messageOf } from '../../../src/calendar/errors.ts';
import { ABSENT } from '../../../src/snapshot/columns.ts';
import { EVENT_FLAGS, OCCURRENCE_FLAGS } from '../../../src/snapshot/flags.ts';
import { assertMissing } from '../../helpers/assertions.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import {
  BUILD,
  category,
  date,
  event,
  materialised,
  organizerRecord,
  recordsOf,
} from '../../helpers/records.ts';

const test = suite('materialise');

const OVER = date('2026-11-01 20:00', '2026-11-01 22:00');

test('A8: should number events by id in code point order, and rows by start, event and A2', async () => {
  const same = (own = {}) => date('2026-11-21 20:00', null, own);
  const { calendar } = await materialised([
    event('\u{1f600}', { dates: [same()] }),
    event('\u{fffd}', {
      dates: [date('2026-11-21 20:00', '2026-11-21 21:00'), same({ eventSoldOut: true }), same()],
    }),
    event('b', { dates: [date('2026-11-22 08:00'), date('2026-11-21 08:00')] }),
    event('B'),
  ]);
  assert.equal(
    calendar.events.map(({ id }) => id),
    ['B', 'b', '\u{fffd}', '\u{1f600}'],
  );
  const { start, end, event: ordinals, occurrenceFlags } = calendar.occurrences;
  assert.equal([...ordinals], [1, 0, 2, 2, 2, 3, 1]);
  assert.equal(
    [...start],
    [...start].sort((one, other) => one - other),
  );
  // A2: a date without an end comes before one with an end; of two that are alike, the first in the source.
  const lengths = [...end.subarray(2, 5)].map((instant) => instant - (start[2] ?? 0));
  assert.equal(lengths, [0, 0, 3_600]);
  assert.equal([...occurrenceFlags.subarray(2, 5)], [OCCURRENCE_FLAGS.soldOut, 0, 0]);
});

test('C2: should store the container, organizers and categories of an event as row numbers', async () => {
  const { calendar } = await materialised(
    [
      event('a', {
        super_event: 'b',
        organizers: ['o2', 'o1'],
        categories: ['FOLK', 'FOOD', 'JAZZ'],
        tags: ['Jazz', 'jazz'],
        mode: 'online',
        isFeaturedEvent: true,
      }),
      event('b', { super_event: 'nobody' }),
    ],
    {
      organizers: [organizerRecord('o1', 'Øst'), organizerRecord('o2', 'Vest')],
      categories: [category('MUSIC'), category('JAZZ', 0), category('FOLK', 0), category('FOOD')],
    },
  );
  const [a, b] = calendar.events;
  assert.equal(a?.organizers, [0, 1]);
  // C2: the parent of both, once.
  assert.equal(a?.categories, [2, 3, 1, 0]);
  assert.equal(a?.tags, ['Jazz', 'jazz']);
  assert.is(a?.flags, EVENT_FLAGS.online | EVENT_FLAGS.featured);
  assert.equal([a?.superEvent, b?.superEvent], ['b', null]);
});

test('B11: should mark events of the special event only if the licence has one', async () => {
  const events = [event('a', { isFeaturedInSpecialEvent: true })];
  for (const [specialEvent, expected] of [
    ['a', true],
    ['nobody', false],
    [null, false],
  ] as const) {
    const { calendar } = await materialised(events, { specialEvent });
    const flags = expected ? EVENT_FLAGS.featuredInSpecialEvent : 0;
    assert.is(calendar.licence.specialEvent, expected ? 'a' : null, `${specialEvent}`);
    assert.is(calendar.events[0]?.flags, flags, `flags with the special event ${specialEvent}`);
  }
});

test('P8: should store each different ticket link and price list of an event once', async () => {
  const prices = [{ type: 'REGULAR', price: 100, name_nb: null, name_en: null }];
  const at = (day: number, own: object) => date(`2026-12-0${day} 20:00`, null, own);
  const { calendar } = await materialised([
    event('a', {
      dates: [
        OVER,
        at(1, { ticketsURL: 'https://a.example', prices }),
        at(2, { ticketsURL: 'https://b.example', prices: [] }),
        at(3, { ticketsURL: 'https://a.example', prices: [...prices] }),
        at(4, {}),
      ],
    }),
  ]);
  const { ticketsURL, prices: places } = calendar.occurrences;
  assert.equal([...ticketsURL], [0, 1, 0, ABSENT]);
  assert.equal([...places], [0, 1, 0, ABSENT]);
  const texts = calendar.read(0);
  assert.equal(texts.ticketsURLs, ['https://a.example', 'https://b.example']);
  assert.equal(texts.priceLists, [prices, []]);
});

test('G2: should report ticket links beyond the limit of an event', async () => {
  const dates = Array.from({ length: ABSENT + 2 }, (_, at) =>
    date('2026-12-01 20:00', null, { ticketsURL: `https://t.example/${at}` }),
  );
  const { calendar, findings } = await materialised([event('a', { dates })]);
  assert.is(calendar.read(0).ticketsURLs.length, ABSENT);
  const found = findings.map(({ action, field }) => `${action} ${field}`);
  assert.equal(found, Array(2).fill('changed value dates[].ticketsURL'));
  assert.equal([...calendar.occurrences.ticketsURL.subarray(-3)], [ABSENT - 1, ABSENT, ABSENT]);
});

test('P5: should return every field unchanged', async () => {
  const own = { title_en: 'Æøå – “fest” 😀', desc_nb: '<p>\u2028\0</p>' };
  const others = { views: 3, publishingDate: BUILD + 5, tags: ['å'] };
  const { calendar } = await materialised([event('b', { ...own, ...others }), event('a')]);
  const { fields, link } = calendar.read(1);
  assert.equal({ ...fields, ...own, ...others }, fields);
  assert.is(link.slug, 'b');
  assert.is(calendar.events[1]?.publishingDate, BUILD + 5);
  assert.throws(() => calendar.read(2), /expected an event ordinal below 2, found 2/);
});

test('G1: should have no visible file while it works, and leave none when it fails', async () => {
  const folder = temporaryFolder();
  const report = { addFinding: () => undefined, countIgnored: () => undefined, countFate: () => undefined };
  const options = {
    now: BUILD,
    horizonDay: 21_000,
    allowance: createAllowance(),
    slugs: NO_SLUGS,
    report,
    scratch: join(folder, 'texts'),
  };
  const calendar = await materialise(recordsOf([event('a')]), options);
  assert.equal(readdirSync(folder), []);
  await calendar.close();
  // A second call, as after a failure, does nothing.
  await calendar.close();
  assert.throws(() => calendar.read(0), /before the spool is closed/);
  const finish = () => {
    throw new Error('as a source would fail');
  };
  const failed = await materialise({ ...recordsOf([event('a')]), finish }, options).catch(messageOf);
  assert.is(failed, 'as a source would fail');
  assertMissing(options.scratch);
});

test('P5: should read back texts of any size, in any order', () => {
  const spool = openSpool(join(temporaryFolder(), 'texts'));
  const texts = ['a', '', 'å'.repeat(700_000), 'b'.repeat(1 << 20), '😀', 'c'.repeat(1_000_000), 'd'];
  const places = texts.map(spool.add);
  for (const [at, place] of [...places.entries()].reverse())
    assert.is(spool.read(place) === texts[at], true, `expected text ${at} as it was, found another`);
  const late = spool.add('written after the first reading');
  assert.is(spool.read(late), 'written after the first reading');
  assert.throws(() => spool.read(late + 1), /expected the number of a text below 8, found 8/);
  spool.close();
  assert.throws(() => spool.add('late'), /before the spool is closed/);
});

test.run();
