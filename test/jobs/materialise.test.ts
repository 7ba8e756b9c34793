import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSpool } from '../../jobs/materialise/spool.ts';
import { materialise } from '../../jobs/materialise.ts';
import type { Calendar, EventRecord } from '../../jobs/records.ts';
import { messageOf } from '../../src/calendar/errors.ts';
import { formatMinute, formatOslo } from '../../src/calendar/time.ts';
import { ABSENT, EVENT_FLAGS, OCCURRENCE_FLAGS } from '../../src/snapshot/columns.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import {
  BUILD,
  category,
  date,
  eventRecord,
  instant,
  materialised,
  organizerRecord,
  recordsOf,
  repeat,
  venueRecord,
} from '../helpers/records.ts';

const TOMORROW = date('2026-11-21 20:00', '2026-11-21 22:00');
const OVER = date('2026-11-01 20:00', '2026-11-01 22:00');

const materialising = suite('materialise');

const event = (id: string, own: Partial<EventRecord> = {}) => eventRecord({ id, dates: [TOMORROW], ...own });

/** Start and end of an event's rows, in order. */
function times({ events, occurrences }: Calendar, id: string): readonly string[] {
  const ordinal = events.findIndex((one) => one.id === id);
  return [...occurrences.event.keys()]
    .filter((row) => occurrences.event[row] === ordinal)
    .map((row) => {
      const [start, end] = [occurrences.start[row] ?? 0, occurrences.end[row] ?? 0];
      return start === end ? formatOslo(start) : `${formatOslo(start)} – ${formatOslo(end)}`;
    });
}

const slugs = ({ events }: Calendar) => Object.fromEntries(events.map(({ id, slug }) => [id, slug]));
const links = ({ events, read }: Calendar) =>
  Object.fromEntries(events.map(({ id }, ordinal) => [id, read(ordinal).fields.eventLink]));

materialising('F6: should make slugs of titles, else of ids, else of nothing', async () => {
  const { calendar } = await materialised([
    event('a', { title_nb: 'Sommerfest på Øya' }),
    event('b', { title_nb: null, title_en: 'Summer Party' }),
    event('c', { title_nb: '日本' }),
    event('日', { title_nb: '日本' }),
  ]);
  assert.equal(slugs(calendar), { a: 'sommerfest-pa-oya', b: 'summer-party', c: 'c', 日: 'event' });
});

materialising('F6: should number slugs in source order, also behind events that are over', async () => {
  const title_nb = 'Konsert';
  const { calendar, complaints } = await materialised([
    event('z', { title_nb: 'Konsert 2' }),
    event('y', { title_nb, dates: [OVER] }),
    event('x', { title_nb }),
    event('w', { title_nb }),
  ]);
  assert.equal(slugs(calendar), { z: 'konsert-2', x: 'konsert-3', w: 'konsert-4' });
  assert.equal(complaints, []);
});

materialising('F6: should number a thousand events of one title', async () => {
  const { calendar } = await materialised(
    Array.from({ length: 1000 }, (_, at) => event(`e${String(at).padStart(3, '0')}`, { title_nb: 'Jazz' })),
  );
  assert.equal(
    calendar.events.map(({ slug }) => slug),
    ['jazz', ...Array.from({ length: 999 }, (_, at) => `jazz-${at + 2}`)],
  );
});

materialising('F6: should keep own slugs and own links, and report what a collision changes', async () => {
  const { calendar, complaints } = await materialised([
    event('a', { slug: 'Egen Slug' }),
    event('b', { eventLink: 'https://andre.example/arrangement/fest/?x=/y#z' }),
    event('c', { slug: 'fest' }),
    event('d', { eventLink: 'https://andre.example/', title_nb: 'Tittel' }),
    event('e', { title_nb: 'Vanlig' }),
  ]);
  assert.equal(slugs(calendar), { a: 'Egen Slug', b: 'fest', c: 'fest-2', d: 'tittel', e: 'vanlig' });
  assert.equal(links(calendar), {
    a: 'https://kalender.example/event/Egen Slug',
    b: 'https://andre.example/arrangement/fest/?x=/y#z',
    c: 'https://kalender.example/event/fest-2',
    d: 'https://andre.example/',
    e: 'https://kalender.example/event/vanlig',
  });
  assert.equal(
    complaints.map(({ action, id, field, found }) => [action, id, field, found]),
    [['changed value', 'c', 'slug', 'fest']],
  );
});

materialising('F6: should put one slash between the site and the path', async () => {
  const { calendar } = await materialised([event('a')], { siteUrl: 'https://kalender.example/by/' });
  assert.equal(links(calendar), { a: 'https://kalender.example/by/event/a' });
});

materialising(
  'E: should list venues and organizers in Norwegian order, with slugs made in source order',
  async () => {
    const { calendar } = await materialised([event('a')], {
      venues: [
        venueRecord('v1', 'Åsen'),
        venueRecord('v2', 'Byen'),
        venueRecord('v3', 'Asen'),
        venueRecord('v4', 'Byen'),
      ],
      organizers: [organizerRecord('o1', 'Øst'), organizerRecord('o2', 'Vest')],
    });
    assert.equal(
      calendar.venues.map(({ id, slug }) => [id, slug]),
      [
        ['v3', 'asen-2'],
        ['v2', 'byen'],
        ['v4', 'byen-2'],
        ['v1', 'asen'],
      ],
    );
    assert.equal(calendar.organizers, [
      { id: 'o2', name: 'Vest', slug: 'vest', website: null },
      { id: 'o1', name: 'Øst', slug: 'ost', website: null },
    ]);
  },
);

materialising(
  'A8: should number events by id in code point order, and rows by start, event and A2',
  async () => {
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
    const { start, end, event: of, occurrenceFlags } = calendar.occurrences;
    assert.equal([...of], [1, 0, 2, 2, 2, 3, 1]);
    assert.equal([...start], [...start].sort());
    // A2: no end before an end; of two that are alike the first in the source.
    assert.equal(
      [...end.subarray(2, 5)].map((one) => one - (start[2] ?? 0)),
      [0, 0, 3600],
    );
    assert.equal([...occurrenceFlags.subarray(2, 5)], [OCCURRENCE_FLAGS.soldOut, 0, 0]);
  },
);

materialising('A11: should leave out what is over at the build, to the second', async () => {
  const { calendar } = await materialised([
    event('ends now', { dates: [date('2026-11-20 10:00', '2026-11-20 12:00')] }),
    event('ends later', { dates: [date('2026-11-20 10:00', '2026-11-20 12:00:01')] }),
    event('open, three hours ago', { dates: [date('2026-11-20 09:00')] }),
    event('open, not yet', { dates: [date('2026-11-20 09:00:01')] }),
    event('rule ends now', {
      dates: [],
      repeats: [repeat('FREQ=DAILY;COUNT=2', '2026-11-19 10:00', { duration: 120 })],
    }),
    event('rule ends later', {
      dates: [],
      repeats: [repeat('FREQ=DAILY;COUNT=2', '2026-11-19 10:00', { duration: 121 })],
    }),
    event('long over', { repeats: [repeat('FREQ=DAILY;COUNT=3', '2026-10-01 20:00')], dates: [] }),
  ]);
  assert.equal(
    calendar.events.map(({ id }) => id),
    ['ends later', 'open, not yet', 'rule ends later'],
  );
});

materialising(
  'A11: should expand rules to the last day of the horizon, and keep dates beyond it',
  async () => {
    const { calendar } = await materialised(
      [
        event('a', {
          dates: [date('2031-01-01 20:00')],
          repeats: [repeat('FREQ=DAILY', '2026-11-18 23:59', { duration: 60 })],
        }),
      ],
      { horizonMonths: 1 },
    );
    const found = times(calendar, 'a');
    assert.is(calendar.horizonDay, '2026-12-20');
    assert.is(found[0], '2026-11-20 23:59:00+01:00 – 2026-11-21 00:59:00+01:00');
    assert.is(found.at(-2), '2026-12-20 23:59:00+01:00 – 2026-12-21 00:59:00+01:00');
    assert.is(found.at(-1), '2031-01-01 20:00:00+01:00');
  },
);

materialising('A11: should keep a repeat that began long ago and still goes on', async () => {
  const { calendar } = await materialised([
    event('a', {
      dates: [],
      repeats: [repeat('FREQ=MONTHLY;COUNT=2', '2026-10-01 10:00', { wallSpan: 30 * 86_400 })],
    }),
    event('b', {
      dates: [],
      repeats: [repeat('FREQ=YEARLY;COUNT=1', '2020-01-01 10:00', { duration: 5_000_000 })],
    }),
  ]);
  assert.equal(times(calendar, 'a'), ['2026-11-01 10:00:00+01:00 – 2026-12-01 10:00:00+01:00']);
  assert.is(times(calendar, 'b').length, 1);
});

materialising('A11: should keep a repeat that goes on over a clock change at the build', async () => {
  // 01:30 and four hours by a stopwatch are 06:30 in the night that skips an hour.
  const events = [
    event('a', { dates: [], repeats: [repeat('FREQ=DAILY;COUNT=1', '2027-03-28 01:30', { duration: 240 })] }),
  ];
  const found = async (now: string) =>
    times((await materialised(events, { now: instant(now) })).calendar, 'a').length;
  assert.equal([await found('2027-03-28 06:29:59'), await found('2027-03-28 06:30')], [1, 0]);
});

materialising('F4: should keep a repeat on the wall clock over a clock change', async () => {
  const { calendar } = await materialised([
    event('a', {
      dates: [],
      repeats: [
        repeat('FREQ=WEEKLY;COUNT=3', '2027-03-21 20:00', { wallSpan: 5 * 3600, startTime: '19:30' }),
      ],
    }),
  ]);
  assert.equal(times(calendar, 'a'), [
    '2027-03-21 20:00:00+01:00 – 2027-03-22 01:00:00+01:00',
    '2027-03-28 20:00:00+02:00 – 2027-03-29 01:00:00+02:00',
    '2027-04-04 20:00:00+02:00 – 2027-04-05 01:00:00+02:00',
  ]);
  assert.equal([...calendar.occurrences.startTime], [1170, 1170, 1170]);
});

materialising('F4: should measure an end on the wall clock and a duration by a stopwatch', async () => {
  const night = (own: object) => [repeat('FREQ=DAILY;COUNT=2', '2027-03-26 22:00', own)];
  const { calendar } = await materialised([
    event('end', { dates: [], repeats: night({ wallSpan: 8 * 3600, field: 'repeats[0]' }) }),
    event('minutes', { dates: [], repeats: night({ duration: 480 }) }),
  ]);
  assert.is(times(calendar, 'end')[1], '2027-03-27 22:00:00+01:00 – 2027-03-28 06:00:00+02:00');
  assert.is(times(calendar, 'minutes')[1], '2027-03-27 22:00:00+01:00 – 2027-03-28 07:00:00+02:00');
  const { event: of, duration } = calendar.occurrences;
  assert.equal(
    [...duration].filter((_, row) => of[row] === 0),
    [480, 420],
  );
  assert.equal(
    [...duration].filter((_, row) => of[row] === 1),
    [480, 480],
  );
});

materialising(
  'A12: should move a start that a clock change skips, and keep its time as entered',
  async () => {
    const { calendar } = await materialised([
      event('spring', {
        dates: [],
        repeats: [repeat('FREQ=DAILY;COUNT=3', '2027-03-27 02:30', { duration: 60 })],
      }),
      event('autumn', {
        dates: [],
        repeats: [repeat('FREQ=DAILY;COUNT=2', '2027-10-31 02:30', { duration: 60 })],
      }),
    ]);
    assert.equal(times(calendar, 'spring'), [
      '2027-03-27 02:30:00+01:00 – 2027-03-27 03:30:00+01:00',
      '2027-03-28 03:30:00+02:00 – 2027-03-28 04:30:00+02:00',
      '2027-03-29 02:30:00+02:00 – 2027-03-29 03:30:00+02:00',
    ]);
    assert.is(times(calendar, 'autumn')[0], '2027-10-31 02:30:00+02:00 – 2027-10-31 02:30:00+01:00');
    assert.equal([...calendar.occurrences.startTime].map(formatMinute), [
      '02:30',
      '02:30',
      '02:30',
      '02:30',
      '02:30',
    ]);
  },
);

materialising('G2: should drop the night on which a clock change puts the end before the start', async () => {
  const nightly = repeat('FREQ=DAILY;COUNT=2', '2027-03-27 02:30', { wallSpan: 1800 });
  const { calendar, complaints } = await materialised([event('a', { dates: [], repeats: [nightly] })]);
  assert.equal(times(calendar, 'a'), ['2027-03-27 02:30:00+01:00 – 2027-03-27 03:00:00+01:00']);
  assert.equal(
    complaints.map(({ action, field, found }) => [action, field, found]),
    [['dropped date', 'repeats[0].end', '2027-03-28 03:30:00+02:00 to 2027-03-28 03:00:00+02:00']],
  );
});

materialising(
  'F4: should leave out exceptions by their start, and put a listed date in place of an expanded one',
  async () => {
    const wall = (text: string) => Date.parse(`${text}:00Z`) / 1000;
    const weekly = repeat('FREQ=WEEKLY;COUNT=4', '2026-11-24 20:00', {
      duration: 60,
      except: [wall('2026-12-01T20:00'), wall('2026-12-02T20:00')],
    });
    const listed = date('2026-12-08 20:00', '2026-12-08 23:00', { eventCancelled: true });
    const { calendar } = await materialised([
      event('a', {
        dates: [listed],
        repeats: [weekly, { ...weekly, field: 'repeats[1]', rule: 'FREQ=WEEKLY;COUNT=1' }],
      }),
    ]);
    assert.equal(times(calendar, 'a'), [
      '2026-11-24 20:00:00+01:00 – 2026-11-24 21:00:00+01:00',
      '2026-11-24 20:00:00+01:00 – 2026-11-24 21:00:00+01:00',
      '2026-12-08 20:00:00+01:00 – 2026-12-08 23:00:00+01:00',
      '2026-12-15 20:00:00+01:00 – 2026-12-15 21:00:00+01:00',
    ]);
    assert.equal([...calendar.occurrences.occurrenceFlags], [0, 0, OCCURRENCE_FLAGS.cancelled, 0]);
  },
);

materialising('G2: should drop a bad rule, and an event that has nothing else', async () => {
  const bad = repeat('FREQ=DAILY;BYDAY=1XX', '2026-11-24 20:00');
  const { calendar, complaints } = await materialised([
    event('kept', { repeats: [bad] }),
    event('gone', { title_nb: 'Tittel', dates: [], repeats: [bad] }),
    event('next', { title_nb: 'Tittel' }),
  ]);
  assert.equal(slugs(calendar), { kept: 'kept', next: 'tittel' });
  assert.equal(
    complaints.map(({ action, id, field, found }) => [action, id, field, found]),
    [
      ['dropped date', 'kept', 'repeats[0].rule', 'BYDAY: 1XX'],
      ['dropped date', 'gone', 'repeats[0].rule', 'BYDAY: 1XX'],
      ['dropped record', 'gone', 'dates', 'none'],
    ],
  );
});

materialising('G2: should report a rule that is cut, and one that gives nothing', async () => {
  const { calendar, complaints } = await materialised([
    event('busy', { dates: [], repeats: [repeat('FREQ=MINUTELY', '2026-11-24 20:00')] }),
    event('never', {
      dates: [],
      repeats: [repeat('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2026-11-24 20:00')],
    }),
    event('later', { dates: [], repeats: [repeat('FREQ=YEARLY', '2031-11-24 20:00')] }),
    event('was', { dates: [], repeats: [repeat('FREQ=DAILY;COUNT=2', '2020-11-24 20:00')] }),
  ]);
  assert.equal(
    calendar.events.map(({ id }) => id),
    ['busy'],
  );
  assert.is(calendar.occurrences.start.length, 10_000);
  assert.equal(
    complaints.map(({ action, id, expected }) => [action, id, expected]),
    [
      ['cut rule', 'busy', 'at most 10000 occurrences'],
      ['cut rule', 'never', 'an occurrence on or before the horizon, 2028-05-20'],
      ['cut rule', 'later', 'an occurrence on or before the horizon, 2028-05-20'],
    ],
  );
});

const container = (id: string, own: Partial<EventRecord> = {}) =>
  eventRecord({ id, isSuperEvent: true, ...own });

materialising(
  'A10: should span a container from the earliest start to the latest end of its programme',
  async () => {
    const part = { super_event: 'festival' };
    const { calendar, complaints } = await materialised(
      [
        event('early', { ...part, dates: [date('2026-10-30 09:00', '2026-10-30 10:00')] }),
        container('festival', { venue: 'v', ticketsURL: 'https://t.example', eventSoldOut: true }),
        event('late', { ...part, dates: [date('2026-12-01 20:00', '2026-12-01 23:30'), TOMORROW] }),
        event('weekly', { ...part, dates: [], repeats: [repeat('FREQ=WEEKLY;COUNT=3', '2026-10-29 20:00')] }),
        event('other'),
      ],
      { venues: [venueRecord('v')] },
    );
    assert.equal(times(calendar, 'festival'), ['2026-10-29 20:00:00+01:00 – 2026-12-01 23:30:00+01:00']);
    assert.equal(complaints, []);
    const {
      event: of,
      venue,
      startTime,
      duration,
      ticketsURL,
      prices,
      occurrenceFlags,
    } = calendar.occurrences;
    const ordinal = calendar.events.findIndex(({ id }) => id === 'festival');
    const row = of.indexOf(ordinal);
    assert.equal([venue[row], startTime[row], duration[row]], [0, 1200, 33 * 24 * 60 + 210]);
    assert.equal([ticketsURL[row], prices[row], occurrenceFlags[row]], [0, ABSENT, OCCURRENCE_FLAGS.soldOut]);
    assert.equal(calendar.read(ordinal).ticketsURLs, ['https://t.example']);
    assert.is((calendar.events[ordinal]?.flags ?? 0) & EVENT_FLAGS.container, EVENT_FLAGS.container);
  },
);

materialising('A10: should not move a container with the moment of the build', async () => {
  const events = [
    container('festival'),
    event('a', {
      super_event: 'festival',
      dates: [],
      repeats: [repeat('FREQ=DAILY;COUNT=30', '2026-11-01 20:00')],
    }),
  ];
  const spans = await Promise.all(
    ['2026-10-01 12:00', '2026-11-15 12:00', '2026-11-30 12:00'].map(async (now) =>
      times((await materialised(events, { now: instant(now) })).calendar, 'festival'),
    ),
  );
  const span = '2026-11-01 20:00:00+01:00 – 2026-11-30 20:00:00+01:00';
  assert.equal(spans, [[span], [span], [span]]);
});

materialising('A10: should leave a container with dates of its own alone', async () => {
  const { calendar } = await materialised([
    container('a', { dates: [TOMORROW] }),
    event('b', { super_event: 'a', dates: [date('2026-12-01 20:00')] }),
  ]);
  assert.equal(times(calendar, 'a'), ['2026-11-21 20:00:00+01:00 – 2026-11-21 22:00:00+01:00']);
});

materialising('A10: should look into programmes within programmes, and not go round in circles', async () => {
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

materialising(
  'A10: should report a container without a programme, and leave out one that is over',
  async () => {
    const { calendar, complaints } = await materialised([
      container('empty'),
      container('was'),
      event('a', { super_event: 'was', dates: [OVER] }),
      event('b'),
    ]);
    assert.equal(
      calendar.events.map(({ id }) => id),
      ['b'],
    );
    assert.equal(
      complaints.map(({ action, id, found }) => [action, id, found]),
      [['dropped record', 'empty', 'neither']],
    );
  },
);

materialising(
  'should know the container, organizers and categories of an event by their places',
  async () => {
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
    assert.equal([calendar.read(0).fields.super_event, calendar.read(1).fields.super_event], ['b', null]);
  },
);

materialising('B11: should count the special event only where the licence has one', async () => {
  const events = [event('a', { isFeaturedInSpecialEvent: true })];
  for (const [specialEvent, expected] of [
    ['a', true],
    ['nobody', false],
    [null, false],
  ] as const) {
    const { calendar } = await materialised(events, { specialEvent });
    assert.is(calendar.licence.specialEvent, expected ? 'a' : null);
    assert.is(calendar.events[0]?.flags, expected ? EVENT_FLAGS.featuredInSpecialEvent : 0);
    assert.is(calendar.read(0).fields.isFeaturedInSpecialEvent, expected);
  }
});

materialising('should keep each different ticket link and price list of an event once', async () => {
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

materialising('G2: MUST report what an event has too many of, instead of counting wrong', async () => {
  const dates = Array.from({ length: ABSENT + 2 }, (_, at) =>
    date('2026-12-01 20:00', null, { ticketsURL: `https://t.example/${at}` }),
  );
  const { calendar, complaints } = await materialised([event('a', { dates })]);
  assert.is(calendar.read(0).ticketsURLs.length, ABSENT);
  assert.equal(
    complaints.map(({ action, field }) => [action, field]),
    [
      ['changed value', 'dates[].ticketsURL'],
      ['changed value', 'dates[].ticketsURL'],
    ],
  );
  assert.equal([...calendar.occurrences.ticketsURL.subarray(-3)], [ABSENT - 1, ABSENT, ABSENT]);
});

materialising('should give back every field as it came', async () => {
  const own = {
    title_en: 'Æøå – “fest” 😀',
    desc_nb: '<p>\u2028\0</p>',
    views: 3,
    publishingDate: BUILD + 5,
    tags: ['å'],
  };
  const { calendar } = await materialised([event('b', own), event('a')]);
  const { fields } = calendar.read(1);
  assert.equal({ ...fields, ...own }, fields);
  assert.is(fields.event_slug, 'b');
  assert.is(calendar.events[1]?.publishingDate, BUILD + 5);
  assert.throws(() => calendar.read(2), /expected an event ordinal below 2, found 2/);
});

materialising('G1: should leave no file behind while it works, nor when it fails', async () => {
  const folder = temporaryFolder();
  const report = { complain: () => undefined, ignored: () => undefined };
  const options = { now: BUILD, horizonMonths: 18, report, scratch: join(folder, 'texts') };
  const calendar = await materialise(recordsOf([event('a')]), options);
  assert.equal(readdirSync(folder), []);
  calendar.close();
  calendar.close();
  assert.throws(() => calendar.read(0), /before they are closed/);
  const references = () => {
    throw new Error('as a source would fail');
  };
  const failed = await materialise({ ...recordsOf([event('a')]), references }, options).catch(messageOf);
  assert.is(failed, 'as a source would fail');
  assert.not.ok(existsSync(options.scratch));
});

materialising('should read texts back whatever their size, in any order', () => {
  const spool = openSpool(join(temporaryFolder(), 'texts'));
  const texts = ['a', '', 'å'.repeat(700_000), 'b'.repeat(1 << 20), '😀', 'c'.repeat(1_000_000), 'd'];
  const places = texts.map(spool.add);
  for (const [at, place] of [...places.entries()].reverse())
    assert.ok(spool.read(place) === texts[at], `text ${at}`);
  const late = spool.add('written after the first reading');
  assert.is(spool.read(late), 'written after the first reading');
  spool.close();
});

materialising.run();
