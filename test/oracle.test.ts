/** Rules worked out by hand: the product and the oracle must both give each answer. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, closeAsked, each, event, pick } from './oracle/cases.ts';
import type { Filter } from './oracle/conditions.ts';
import type { Json } from './oracle/records.ts';

const test = suite('oracle');

const BUILT = '2026-06-01 10:00';
const EVENING = '2026-06-10 20:00';
const VENUES = [
  { id: 'v1', name: 'Åsen', address: 'Gata 1, 7013 Trondheim', latitude: 63.43, longitude: 10.4 },
  { id: 'v2', name: 'Zebra', postalCode: '7550', latitude: 63.41, longitude: 179.5 },
  { id: 'v3', name: 'Ærfugl', latitude: 63.41 },
];
const REGISTER = [
  { code: '7013', place: 'TRONDHEIM', number: '5001', municipality: 'Trondheim' },
  { code: '7550', place: 'HOMMELVIK', number: '5031', municipality: 'Málvik' },
];

/** A field of every entry, in one text. */
const all = (answer: Json, field = 'id') => each(answer, field).join(' ');
const repetitions = (answer: Json, field = 'startTime') => all(pick(answer, 'repetitions'), field);
/** An event of these dates alone. */
const dated = (...dates: NonNullable<Parameters<typeof event>[1]['dates']>) => ({
  venues: VENUES,
  events: [event('e', { dates })],
});

test('A1: should end an occurrence at its end, or three hours after its start, half-open', async () => {
  const events = [
    event('ended', { dates: [{ start: EVENING, end: '2026-06-10 20:30' }] }),
    event('endless', { dates: [{ start: EVENING }] }),
    event('instant', { dates: [{ start: EVENING, end: EVENING }] }),
  ];
  // 20:30 summer time is 18:30 in UTC; 23:00 is 21:00.
  for (const [now, expected] of [
    ['2026-06-10 18:29:59', 'ended endless instant'],
    ['2026-06-10 18:30:00', 'endless instant'],
    ['2026-06-10 20:59:59', 'endless instant'],
    ['2026-06-10 21:00:00', ''],
  ] as const)
    assert.is(all(await ask({ events }, BUILT, now).events()), expected, now);
});

test('A2: should order occurrences by start, then end, then place in the source', async () => {
  const calendar = dated(
    { start: EVENING, end: '2026-06-10 22:00', ticketsURL: 'https://x.example/long' },
    { start: EVENING, end: '2026-06-10 21:00', ticketsURL: 'https://x.example/first' },
    { start: EVENING, end: '2026-06-10 21:00', ticketsURL: 'https://x.example/second' },
    { start: '2026-06-09 20:00' },
  );
  const answer = await ask(calendar, '2026-06-10 12:00').eventByID('e');
  assert.is(pick(answer, 'ticketsURL'), 'https://x.example/first');
  assert.is(repetitions(answer, 'ticketsURL'), 'https://x.example/second https://x.example/long');
});

test('P12, A3: should lift the next occurrence in the very second the first is over', async () => {
  const calendar = dated({ start: EVENING, end: '2026-06-10 21:00' }, { start: '2026-06-10 20:30' });
  for (const [now, first, later] of [
    ['2026-06-10 18:59:59', '20:00', '20:30'],
    ['2026-06-10 19:00:00', '20:30', ''],
  ] as const) {
    const answer = await ask(calendar, BUILT, now).eventByID('e');
    assert.equal([pick(answer, 'startTime'), repetitions(answer)], [first, later], now);
  }
});

test('A4: should let the window pick the occurrence, T being the later of now and fromDate', async () => {
  const dates = [1, 2, 3].map((day) => ({ start: `2026-07-0${day} 20:00`, end: `2026-07-0${day} 22:00` }));
  const { events } = ask(dated(...dates), BUILT, '2026-07-01 19:00');
  const cases: readonly (readonly [filter: Filter, day: string])[] = [
    [{}, '01'],
    [{ fromDate: '2026-06-01 00:00:00Z' }, '01'],
    // 22:00 in Oslo, the first one's end.
    [{ fromDate: '2026-07-01 20:00:00Z' }, '02'],
    [{ fromStartDate: '2026-07-01 20:00:00+02:00' }, '01'],
    [{ fromStartDate: '2026-07-01 20:00:01+0200' }, '02'],
    [{ fromDate: '2026-07-03 00:00:00+02', untilDate: '2026-07-03 20:00:00+02:00' }, ''],
    [{ fromDate: '2026-07-03 00:00:00+02', untilDate: '2026-07-03T20:00:01+02:00' }, '03'],
    [{ untilDate: '2026-07-01 20:00:00+02:00' }, ''],
  ];
  for (const [filter, day] of cases) {
    const expected = day === '' ? '' : `2026-07-${day} 20:00:00+02:00`;
    assert.is(all(await events(filter), 'startDate'), expected, JSON.stringify(filter));
  }
});

test('A4: should test every other condition on the shown occurrence only', async () => {
  const { events } = ask(
    dated({ start: EVENING, eventCancelled: true, venue: 'v1' }, { start: '2026-06-11 12:00', venue: 'v2' }),
    BUILT,
  );
  const noon = { hoursRange: '12:00-12:00', cancelledNotIncluded: true, venues: ['zebra'] };
  const cases: readonly (readonly [filter: Filter, count: number])[] = [
    [{ cancelledNotIncluded: true }, 0],
    [{ venueSlug: 'zebra' }, 0],
    [{ venueSlug: 'asen' }, 1],
    [{ hoursRange: '12:00-12:00' }, 0],
    [{ ...noon, fromStartDate: '2026-06-11 00:00:00Z' }, 1],
  ];
  for (const [filter, count] of cases)
    assert.is(pick(await events(filter), 'totalCount'), count, JSON.stringify(filter));
});

test('A5: should not shorten repetitions by untilDate, but leave out dates that are over at T', async () => {
  const calendar = dated(
    { start: '2026-07-01 10:00', end: '2026-07-09 10:00' },
    { start: '2026-07-02 10:00', end: '2026-07-02 11:00' },
    { start: '2026-07-08 10:00', end: '2026-07-08 11:00' },
  );
  const window = { fromDate: '2026-07-05 00:00:00Z', untilDate: '2026-07-06 00:00:00Z' };
  const answer = await ask(calendar, BUILT).events(window);
  assert.is(repetitions(pick(answer, 'data', 0), 'startDate'), '2026-07-08 10:00:00+02:00');
});

test('A6: should make a node of each Oslo day, with the rest of that day as its repetitions', async () => {
  // 23:30 and 00:30 in Oslo are the same day in UTC; 00:30 and 20:00 the same in Oslo.
  const starts = ['2026-06-10 23:30', '2026-06-11 00:30', '2026-06-11 20:00', '2026-06-12 20:00'];
  const { events } = ask(dated(...starts.map((start) => ({ start }))), BUILT);
  for (const [filter, nodes, later] of [
    [{}, '23:30 00:30 20:00', ['', '20:00', '']],
    [{ untilDate: '2026-06-11 20:00:00+02:00' }, '23:30 00:30', ['', '20:00']],
  ] as const) {
    const days = await events({ groupRepetitionsByDay: true, ...filter });
    assert.is(all(days, 'startTime'), nodes);
    assert.equal(
      later.map((_, day) => repetitions(pick(days, 'data', day))),
      [...later],
    );
  }
});

test('A7, A8: should look up upcoming events only, in order of start and of id by code point', async () => {
  const titled = { title_nb: 'Samme', dates: [{ start: EVENING }] };
  const events = [
    // U+FB00 comes before U+1D11E as a code point, but after its first UTF-16 unit.
    event('x𝄞', { ...titled, slug: 'note' }),
    event('xﬀ', { ...titled, slug: 'ligature' }),
    event('early', { title_en: 'Samme', slug: 'early', dates: [{ start: '2026-06-09 20:00' }] }),
    event('past', { ...titled, slug: 'past', dates: [{ start: '2026-06-01 20:00' }] }),
  ];
  const asked = ask({ events }, BUILT, '2026-06-05 10:00');
  const slugs = ['note', 'nowhere', 'past', 'early', 'note', 'ligature', null];
  assert.is(all(await asked.eventsBySlugs(slugs)), 'early xﬀ x𝄞');
  assert.is(pick(await asked.eventByTitle('Samme', 'nb'), 'id'), 'xﬀ');
  assert.is(pick(await asked.eventByTitle('Samme', 'en'), 'id'), 'early');
  assert.equal(await asked.eventByTitle('samme', 'nb'), null);
  assert.equal([await asked.eventByID('past'), await asked.eventBySlug('past')], [null, null]);
  assert.is(pick(await asked.eventBySlug('ligature'), 'id'), 'xﬀ');
  assert.equal(await asked.eventByTitle('Samme', 'no'), { refused: ['lan'] });
});

const SUPER = { field: 'allUpcomingSuperEvents', args: {} } as const;

test('A9: should let an event exist from the second it is published', async () => {
  const own = { publishingDate: '2026-06-05 12:00', isSuperEvent: true, dates: [{ start: EVENING }] };
  for (const [now, ids] of [
    ['2026-06-05 09:59:59', ''],
    ['2026-06-05 10:00:00', 'e'],
  ] as const) {
    const asked = ask({ events: [event('e', own)] }, BUILT, now);
    const answers = [asked.events(), asked.eventsBySlugs(['tittel-e']), asked.answer(SUPER)];
    for (const answer of answers) assert.is(all(await answer), ids, now);
  }
});

test('A10: should span a container without dates over its programme, past parts too', async () => {
  const events = [
    event('fest', { isSuperEvent: true }),
    event('one', { superEvent: 'fest', dates: [{ start: '2026-05-20 18:00', end: '2026-05-20 20:00' }] }),
    event('two', { superEvent: 'fest', dates: [{ start: '2026-06-20 18:00', duration: 60 }] }),
    event('empty', { isSuperEvent: true }),
    event('lost', { superEvent: 'gone', dates: [{ start: '2026-07-20 18:00' }] }),
  ];
  const asked = ask({ events }, BUILT);
  const fest = await asked.eventByID('fest');
  assert.equal(
    ['startDate', 'endDate', 'startTime', 'duration'].map((field) => pick(fest, field)),
    // 31 days and an hour: 44,700 minutes.
    ['2026-05-20 18:00:00+02:00', '2026-06-20 19:00:00+02:00', '18:00', 44_700],
  );
  assert.is(all(await asked.answer(SUPER)), 'fest');
  assert.is(all(await asked.events()), 'fest two lost');
  assert.is(all(await asked.events({ superEvent: 'fest' }), 'super_event'), 'fest');
  assert.is(all(await asked.events({ superEvent: 'gone' })), '');
});

test('P11, A13: should write Oslo’s offset of each date, and the bookkeeping dates in UTC', async () => {
  const [winter, summer] = ['2026-01-10 12:00', '2026-06-01T12:00:00Z'];
  const own = { publishingDate: winter, created_at: winter, updated_at: summer, dates: [{ start: EVENING }] };
  const answer = await ask({ events: [event('e', own)] }, BUILT).eventByID('e');
  assert.equal(
    ['publishingDate', 'created_at', 'updated_at'].map((field) => pick(answer, field)),
    ['2026-01-10 12:00:00+01:00', '2026-01-10 11:00:00+00:00', '2026-06-01 12:00:00+00:00'],
  );
});

const BEYOND = { minLatitude: -91, maxLatitude: 90, minLongitude: -180, maxLongitude: 180.5 };
test('A14, B4: should refuse every unparseable argument at once', async () => {
  const { events, answer } = ask(dated({ start: '2030-01-01 10:00' }), BUILT);
  const refusals = [
    [events({ untilDate: '2026-02-30' }), 'untilDate'],
    [
      events({ fromDate: 'x', fromStartDate: 'y', mode: 'hybrid', hoursRange: '24:00-10:00' }),
      'fromDate fromStartDate mode hoursRange',
    ],
    [events({}, -1), 'page'],
    [events({}, 0, 0), 'pageSize'],
    [events({}, 0, 10, { days: 0 }), 'first'],
    [answer({ field: 'allUpcomingEventsInArea', args: BEYOND }), 'minLatitude maxLongitude'],
  ] as const;
  for (const [refusal, names] of refusals) assert.equal(await refusal, { refused: names.split(' ') }, names);
});

const DATES = { dates: [{ start: EVENING }] };
const CALENDAR = {
  venues: VENUES,
  organizers: [
    { id: 'o1', name: 'Østen' },
    { id: 'o2', name: 'Åsta' },
  ],
  events: [
    event('a', { ...DATES, categories: ['JAZZ'], venue: 'v1', organizers: ['o1', 'o2'] }),
    event('b', { ...DATES, categories: ['MUSIC', 'CHOIR'], venue: 'v2', organizers: ['o2'] }),
    event('c', { ...DATES, categories: ['ART'], mode: 'online', venue: 'v1' }),
    event('d', { dates: [{ start: '2026-06-11 01:30' }], venue: 'v3' }),
  ],
};

test('P14, P15, E4, B7: should page with true totals and serve at most 1000', async () => {
  const { events } = ask(CALENDAR, BUILT);
  const pageOf = async (page: number, pageSize: number) => {
    const answer = await events({}, page, pageSize);
    assert.is(pick(answer, 'totalCount'), 4, `totalCount of page ${page}`);
    return { ids: all(answer), hasMore: pick(answer, 'hasMore'), pageInfo: pick(answer, 'pageInfo') };
  };
  assert.equal(await pageOf(0, 3), {
    ids: 'a b c',
    hasMore: true,
    pageInfo: { currentPage: 0, pageSize: 3, totalPages: 2 },
  });
  assert.equal(await pageOf(1, 3), {
    ids: 'd',
    hasMore: false,
    pageInfo: { currentPage: 1, pageSize: 3, totalPages: 2 },
  });
  assert.equal(await pageOf(2, 3), {
    ids: '',
    hasMore: false,
    pageInfo: { currentPage: 2, pageSize: 3, totalPages: 2 },
  });
  assert.equal(await pageOf(0, 5000), {
    ids: 'a b c d',
    hasMore: false,
    pageInfo: { currentPage: 0, pageSize: 1000, totalPages: 1 },
  });
});

test('P14, C1, C2: should count what each node carries, by hits, then Norwegian name, then id', async () => {
  const { events } = ask(CALENDAR, BUILT);
  const cases: readonly (readonly [facet: string, filter: Filter, counts: string])[] = [
    ['venues', {}, 'v1:2 v2:1 v3:1'],
    ['organizers', {}, 'o2:2 o1:1'],
    ['categories', {}, 'MUSIC:2 JAZZ:1 CHOIR:1 ART:1'],
    ['venues', { notCategories: ['ART'] }, 'v2:1 v3:1 v1:1'],
    ['organizers', { venueSlug: 'asen' }, 'o1:1 o2:1'],
  ];
  for (const [facet, filter, counts] of cases) {
    const entries = pick(await events(filter, 0, 1), facet);
    const hits = each(entries, 'hits');
    assert.is(
      each(entries, 'id')
        .map((id, at) => `${id}:${hits[at]}`)
        .join(' '),
      counts,
      facet,
    );
  }
});

test('C1, C4: should count municipalities as they are demanded, and tags as most write them', async () => {
  const on = (day: number) => [{ start: `2026-06-${day} 20:00` }];
  const events = [
    event('a', { venue: 'v1', tags: ['Øl', 'ute'], dates: on(11) }),
    event('b', { venue: 'v1', tags: ['øl', 'ØL', ' '], dates: on(10) }),
    event('c', { venue: 'v2', tags: ['øl'], dates: on(10) }),
    event('d', { venue: 'v4', tags: ['Ute'], dates: on(10) }),
  ];
  const venues = [...VENUES, { id: 'v4', name: 'Hjemme', municipality: 'Atlantis' }];
  const asked = ask({ venues, events, postalCodes: REGISTER }, BUILT);
  const page = await asked.events();
  const facets: Readonly<Record<string, readonly object[]>> = {
    days: [
      { day: '2026-06-10', hits: 3 },
      { day: '2026-06-11', hits: 1 },
    ],
    municipalities: [
      { number: '5001', name: 'Trondheim', hits: 2 },
      { number: null, name: 'Atlantis', hits: 1 },
      { number: '5031', name: 'Málvik', hits: 1 },
    ],
    tags: [
      { tag: 'øl', hits: 3 },
      { tag: 'Ute', hits: 2 },
    ],
  };
  const top = await asked.events({}, 0, 10, { days: 1, municipalities: 1, tags: 1, repetitions: null });
  for (const [name, entries] of Object.entries(facets)) {
    assert.equal(pick(page, name), entries, name);
    assert.equal(pick(top, name), entries.slice(0, 1), `the first of ${name}`);
  }
  for (const municipality of ['5001', 'atlantis'])
    assert.is(
      pick(await asked.events({ municipality }), 'totalCount'),
      municipality === '5001' ? 2 : 1,
      municipality,
    );
});

test.after(closeAsked);

test.run();
