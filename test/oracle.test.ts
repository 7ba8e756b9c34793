import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, each, event, found, LICENCE, pick } from './oracle/cases.ts';

const test = suite('oracle: time, filter, facets');

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

test('A1: should have it over at its end, or three hours after its start, and be half-open', () => {
  const events = [
    event('ended', { dates: [{ start: EVENING, end: '2026-06-10 20:30' }] }),
    event('endless', { dates: [{ start: EVENING }] }),
    event('instant', { dates: [{ start: EVENING, end: EVENING }] }),
  ];
  // 20:30 summer time is 18:30 in UTC; 23:00 is 21:00.
  for (const [now, expected] of [
    ['2026-06-10 18:29:59', ['ended', 'endless', 'instant']],
    ['2026-06-10 18:30:00', ['endless', 'instant']],
    ['2026-06-10 20:59:59', ['endless', 'instant']],
    ['2026-06-10 21:00:00', []],
  ] as const) {
    assert.equal(each(ask({ events }, '2026-06-01 10:00', now).events(), 'id'), [...expected], now);
  }
});

test('A2: should order occurrences by start, then end, then place in the source', () => {
  const dates = [
    { start: EVENING, end: '2026-06-10 22:00', ticketsURL: 'https://x.example/long' },
    { start: EVENING, end: '2026-06-10 21:00', ticketsURL: 'https://x.example/first' },
    { start: EVENING, end: '2026-06-10 21:00', ticketsURL: 'https://x.example/second' },
    { start: '2026-06-09 20:00' },
  ];
  const answer = ask({ events: [event('e', { dates })] }, '2026-06-10 12:00').eventByID('e');
  assert.is(pick(answer, 'ticketsURL'), 'https://x.example/first');
  assert.equal(each(pick(answer, 'repetitions'), 'ticketsURL'), [
    'https://x.example/second',
    'https://x.example/long',
  ]);
});

test('A3: should lift the next occurrence in the very second the first is over', () => {
  const dates = [{ start: EVENING, end: '2026-06-10 21:00' }, { start: '2026-06-10 20:30' }];
  const events = [event('e', { dates })];
  const before = ask({ events }, '2026-06-01 10:00', '2026-06-10 18:59:59').eventByID('e');
  assert.equal(
    [pick(before, 'startTime'), each(pick(before, 'repetitions'), 'startTime')],
    ['20:00', ['20:30']],
  );
  const after = ask({ events }, '2026-06-01 10:00', '2026-06-10 19:00:00').eventByID('e');
  assert.equal([pick(after, 'startTime'), pick(after, 'repetitions')], ['20:30', []]);
});

test('A4: should let the window pick the occurrence, T being the later of now and fromDate', () => {
  const dates = [1, 2, 3].map((day) => ({ start: `2026-07-0${day} 20:00`, end: `2026-07-0${day} 22:00` }));
  const { events } = ask({ events: [event('e', { dates })] }, '2026-06-01 10:00', '2026-07-01 19:00');
  for (const [filter, expected] of [
    [{}, '2026-07-01 20:00:00+02:00'],
    [{ fromDate: '2026-06-01 00:00:00Z' }, '2026-07-01 20:00:00+02:00'],
    // 22:00 in Oslo, the first one's end.
    [{ fromDate: '2026-07-01 20:00:00Z' }, '2026-07-02 20:00:00+02:00'],
    [{ fromStartDate: '2026-07-01 20:00:00+02:00' }, '2026-07-01 20:00:00+02:00'],
    [{ fromStartDate: '2026-07-01 20:00:01+0200' }, '2026-07-02 20:00:00+02:00'],
    [{ fromDate: '2026-07-03 00:00:00+02', untilDate: '2026-07-03 20:00:00+02:00' }, null],
    [
      { fromDate: '2026-07-03 00:00:00+02', untilDate: '2026-07-03T20:00:01+02:00' },
      '2026-07-03 20:00:00+02:00',
    ],
    [{ untilDate: '2026-07-01 20:00:00+02:00' }, null],
  ] as const) {
    assert.is(pick(events(filter), 'data', 0, 'startDate'), expected, JSON.stringify(filter));
  }
});

test('A4: should test every other condition on what is shown only', () => {
  const dates = [
    { start: EVENING, eventCancelled: true, venue: 'v1' },
    { start: '2026-06-11 12:00', venue: 'v2' },
  ];
  const { events } = ask({ venues: VENUES, events: [event('e', { dates })] }, '2026-06-01 10:00');
  for (const [filter, expected] of [
    [{ cancelledNotIncluded: true }, 0],
    [{ venueSlug: 'zebra' }, 0],
    [{ venueSlug: 'asen' }, 1],
    [{ hoursRange: '12:00-12:00' }, 0],
    [
      {
        hoursRange: '12:00-12:00',
        cancelledNotIncluded: true,
        venues: ['zebra'],
        fromStartDate: '2026-06-11 00:00:00Z',
      },
      1,
    ],
  ]) {
    assert.is(pick(events(filter as object), 'totalCount'), expected as number, JSON.stringify(filter));
  }
});

test('A5: should not shorten repetitions by untilDate, but leave out what is not valid at T', () => {
  const dates = [
    { start: '2026-07-01 10:00', end: '2026-07-09 10:00' },
    { start: '2026-07-02 10:00', end: '2026-07-02 11:00' },
    { start: '2026-07-08 10:00', end: '2026-07-08 11:00' },
  ];
  const { events } = ask({ events: [event('e', { dates })] }, '2026-06-01 10:00');
  const answer = events({ fromDate: '2026-07-05 00:00:00Z', untilDate: '2026-07-06 00:00:00Z' });
  assert.equal(each(pick(answer, 'data', 0, 'repetitions'), 'startDate'), ['2026-07-08 10:00:00+02:00']);
});

test('A6: should make a node of each Oslo day, with the rest of that day as its repetitions', () => {
  // 23:30 and 00:30 in Oslo are the same day in UTC; 00:30 and 20:00 the same in Oslo.
  const dates = ['2026-06-10 23:30', '2026-06-11 00:30', '2026-06-11 20:00', '2026-06-12 20:00'].map(
    (start) => ({ start }),
  );
  const { events } = ask({ events: [event('e', { dates })] }, '2026-06-01 10:00');
  const days = events({ groupRepetitionsByDay: true });
  assert.is(pick(days, 'totalCount'), 3);
  assert.equal(each(days, 'startTime'), ['23:30', '00:30', '20:00']);
  assert.equal(each(pick(days, 'data', 1, 'repetitions'), 'startTime'), ['20:00']);
  assert.equal([pick(days, 'data', 0, 'repetitions'), pick(days, 'data', 2, 'repetitions')], [[], []]);
  const until = events({ groupRepetitionsByDay: true, untilDate: '2026-06-11 20:00:00+02:00' });
  assert.equal(each(until, 'startTime'), ['23:30', '00:30']);
  assert.equal(each(pick(until, 'data', 1, 'repetitions'), 'startTime'), ['20:00']);
});

test('A7, A8: should look up only what is upcoming, in order of start and of id by code point', () => {
  const events = [
    // U+FB00 comes before U+1D11E as a code point, but after its first UTF-16 unit.
    event('x𝄞', { title_nb: 'Samme', slug: 'note', dates: [{ start: EVENING }] }),
    event('xﬀ', { title_nb: 'Samme', slug: 'ligature', dates: [{ start: EVENING }] }),
    event('early', {
      title_nb: 'Tidlig',
      title_en: 'Samme',
      slug: 'early',
      dates: [{ start: '2026-06-09 20:00' }],
    }),
    event('past', { title_nb: 'Samme', slug: 'past', dates: [{ start: '2026-06-01 20:00' }] }),
  ];
  const asked = ask({ events }, '2026-06-01 10:00', '2026-06-05 10:00');
  assert.equal(
    each(asked.eventsBySlugs(['note', 'nowhere', 'past', 'early', 'note', 'ligature', null]), 'id'),
    ['early', 'xﬀ', 'x𝄞'],
  );
  assert.is(pick(asked.eventByTitle('Samme', 'nb'), 'id'), 'xﬀ');
  assert.is(pick(asked.eventByTitle('Samme', 'en'), 'id'), 'early');
  assert.equal(found(asked.eventByTitle('samme', 'nb')), null);
  assert.equal([found(asked.eventByID('past')), found(asked.eventBySlug('past'))], [null, null]);
  assert.is(pick(asked.eventBySlug('ligature'), 'id'), 'xﬀ');
  assert.equal(found(asked.eventByTitle('Samme', 'no')), { refused: ['lan'] });
});

test('A9: should let an event exist from the second it is published', () => {
  const events = [
    event('e', { publishingDate: '2026-06-05 12:00', isSuperEvent: true, dates: [{ start: EVENING }] }),
  ];
  for (const [now, expected] of [
    ['2026-06-05 09:59:59', 0],
    ['2026-06-05 10:00:00', 1],
  ] as const) {
    const asked = ask({ events }, '2026-06-01 10:00', now);
    assert.is(pick(asked.events(), 'totalCount'), expected, now);
    assert.is(each(asked.eventsBySlugs(['tittel-e']), 'id').length, expected, now);
    assert.is(each(asked.allUpcomingSuperEvents(), 'id').length, expected, now);
  }
});

test('A10: should span a container without dates over its programme, past parts too', () => {
  const events = [
    event('fest', { isSuperEvent: true }),
    event('one', { superEvent: 'fest', dates: [{ start: '2026-05-20 18:00', end: '2026-05-20 20:00' }] }),
    event('two', { superEvent: 'fest', dates: [{ start: '2026-06-20 18:00', duration: 60 }] }),
    event('empty', { isSuperEvent: true }),
    event('lost', { superEvent: 'gone', dates: [{ start: '2026-07-20 18:00' }] }),
  ];
  const asked = ask({ events }, '2026-06-01 10:00');
  const fest = asked.eventByID('fest');
  assert.equal(
    [pick(fest, 'startDate'), pick(fest, 'endDate'), pick(fest, 'startTime'), pick(fest, 'duration')],
    // 31 days and an hour: 44,700 minutes.
    ['2026-05-20 18:00:00+02:00', '2026-06-20 19:00:00+02:00', '18:00', 44_700],
  );
  assert.equal(each(asked.allUpcomingSuperEvents(), 'id'), ['fest']);
  assert.equal(each(asked.events(), 'id'), ['fest', 'two', 'lost']);
  assert.equal(each(asked.events({ superEvent: 'fest' }), 'super_event'), ['fest']);
  assert.equal(each(asked.events({ superEvent: 'gone' }), 'id'), []);
});

test('A13: should write Oslo’s offset of each date, and the bookkeeping dates in UTC', () => {
  const own = {
    publishingDate: '2026-01-10 12:00',
    created_at: '2026-01-10 12:00',
    updated_at: '2026-06-01T12:00:00Z',
  };
  const answer = ask(
    { events: [event('e', { ...own, dates: [{ start: EVENING }] })] },
    '2026-06-01 10:00',
  ).eventByID('e');
  assert.is(pick(answer, 'publishingDate'), '2026-01-10 12:00:00+01:00');
  assert.equal(
    [pick(answer, 'created_at'), pick(answer, 'updated_at')],
    ['2026-01-10 11:00:00+00:00', '2026-06-01 12:00:00+00:00'],
  );
});

test('A14, B4: should refuse every unparseable argument at once, and take the allowed forms', () => {
  const { events, allUpcomingEventsInArea } = ask({}, '2026-06-01 10:00');
  for (const good of [
    '2026-06-01 00:00:00+02:00',
    '2026-06-01T00:00:00+0200',
    '2026-06-01 00:00:00-14',
    '2026-06-01 00:00:00Z',
    ' ',
  ]) {
    assert.is(pick(events({ fromDate: good }), 'totalCount'), 0, good);
  }
  for (const bad of [
    '2026-06-01 00:00:00',
    '2026-06-01',
    '2026-02-30 00:00:00Z',
    '2026-06-01 25:00:00Z',
    '2026-06-01 00:00:00+14:01',
    '2026-06-01 00:00Z',
    '2026-06-01 00:00:00 Z',
    'now',
  ]) {
    assert.equal(found(events({ untilDate: bad })), { refused: ['untilDate'] }, bad);
  }
  const many = { fromDate: 'x', fromStartDate: 'y', mode: 'hybrid', hoursRange: '24:00-10:00' };
  assert.equal(found(events(many)), { refused: ['fromDate', 'fromStartDate', 'mode', 'hoursRange'] });
  assert.equal(found(events({}, -1)), { refused: ['page'] });
  assert.equal(found(events({}, 0, 0)), { refused: ['pageSize'] });
  const area = { minLatitude: -91, maxLatitude: 90, minLongitude: -180, maxLongitude: 180.5 };
  assert.equal(found(allUpcomingEventsInArea(area)), { refused: ['minLatitude', 'maxLongitude'] });
});

const DATES = { dates: [{ start: EVENING }] };
const MANY = [
  event('a', {
    ...DATES,
    categories: ['JAZZ'],
    venue: 'v1',
    organizers: ['o1', 'o2'],
    tags: ['Øl & Ål'],
    isFeaturedEvent: true,
  }),
  event('b', {
    ...DATES,
    categories: ['MUSIC', 'CHOIR'],
    venue: 'v2',
    organizers: ['o2'],
    eventSoldOut: true,
  }),
  event('c', { ...DATES, categories: ['ART'], mode: 'online', venue: 'v1', isFeaturedInSpecialEvent: true }),
  event('d', { dates: [{ start: '2026-06-11 01:30' }], venue: 'v3' }),
];
const ORGANIZERS = [
  { id: 'o1', name: 'Østen' },
  { id: 'o2', name: 'Åsta' },
];
const CALENDAR = { venues: VENUES, organizers: ORGANIZERS, events: MANY, postalCodes: REGISTER };

const FILTERS: readonly (readonly [object, string])[] = [
  // B1
  [
    {
      categories: null,
      venues: [],
      venueSlug: ' ',
      mode: '',
      tag: null,
      organizers: [null],
      onlyFeatured: false,
    },
    'abcd',
  ],
  [{ categories: [null, 'ART'] }, 'c'],
  // B2
  [{ venues: ['Zebra'] }, ''],
  [{ organizers: ['asta', 'unknown'] }, 'ab'],
  [{ organizers: ['asta'], organizerSlug: 'osten' }, 'a'],
  // B3
  [{ categories: ['MUSIC'] }, 'ab'],
  [{ categories: ['CHOIR'] }, 'b'],
  [{ notCategories: ['MUSIC'] }, 'cd'],
  [{ notCategories: ['JAZZ', 'ART'] }, 'bd'],
  [{ categories: ['GIGS'] }, ''],
  // B5
  [{ hoursRange: '20:00-20:00' }, 'abc'],
  [{ hoursRange: '20:01-01:30' }, 'd'],
  [{ hoursRange: '20:01-24:00' }, ''],
  [{ hoursRange: '00:00-24:00' }, 'abcd'],
  // B6
  [{ tag: 'ol & AL' }, 'a'],
  [{ tag: 'ol' }, ''],
  [{ municipality: 'TRÖNDHEIM' }, 'ac'],
  [{ municipality: '5031' }, 'b'],
  [{ municipality: 'malvik' }, 'b'],
  [{ postalCodes: ['7550', '0000'] }, 'b'],
  [{ mode: 'online' }, 'c'],
  [{ mode: 'offline' }, 'abd'],
  [{ onlyFeatured: true }, 'a'],
  [{ soldOutNotIncluded: true, sortBy: 'title' }, 'acd'],
  // B11
  [{ onlyFeaturedSpecialEvent: true }, ''],
];

test('B1–B6: should keep the nodes that meet every given condition', () => {
  const { events } = ask(CALENDAR, '2026-06-01 10:00');
  for (const [filter, expected] of FILTERS) {
    assert.is(each(events(filter), 'id').join(''), expected, JSON.stringify(filter));
  }
  const special = ask({ ...CALENDAR, licence: { ...LICENCE, specialEvent: 'a' } }, '2026-06-01 10:00');
  assert.equal(each(special.events({ onlyFeaturedSpecialEvent: true }), 'id'), ['c']);
});

test('B7: should page with true totals and serve at most 1000', () => {
  const { events } = ask(CALENDAR, '2026-06-01 10:00');
  const answers = [
    events({}, 0, 3),
    events({}, 1, 3),
    events({}, 2, 3),
    events({}, 0, 5000),
    events({ tag: 'x' }),
  ];
  assert.equal(
    answers.map((answer) => each(answer, 'id').join('')),
    ['abc', 'd', '', 'abcd', ''],
  );
  assert.equal(
    answers.map((answer) => pick(answer, 'hasMore')),
    [true, false, false, false, false],
  );
  assert.equal(
    answers.map((answer) => pick(answer, 'totalCount')),
    [4, 4, 4, 4, 0],
  );
  assert.equal(
    answers.map((answer) => pick(answer, 'pageInfo', 'totalPages')),
    [2, 2, 2, 1, 0],
  );
  assert.equal(pick(answers[3] ?? null, 'pageInfo'), { currentPage: 0, pageSize: 1000, totalPages: 1 });
});

test('B9: should take edges in, cross the antimeridian, and leave out online events and venues without a place', () => {
  const asked = ask(CALENDAR, '2026-06-01 10:00');
  const inside = (minLongitude: number, maxLongitude: number, minLatitude = 60) =>
    each(
      asked.allUpcomingEventsInArea({ minLatitude, maxLatitude: 63.43, minLongitude, maxLongitude }),
      'id',
    ).join('');
  assert.equal(
    [
      inside(10.4, 179.5),
      inside(10.41, 179.4),
      inside(179.5, -170),
      inside(170, 10.4),
      inside(-180, 180, 63.42),
    ],
    ['ab', '', 'b', 'ab', 'a'],
  );
});

test('C1, C2: should count what each node carries, by hits, then Norwegian name, then id', () => {
  const { events } = ask(CALENDAR, '2026-06-01 10:00');
  const hits = (field: string, filter = {}) => {
    const facet = pick(events(filter, 0, 1), field);
    const counts = each(facet, 'hits');
    return each(facet, 'id').map((id, index) => `${id}:${counts[index]}`);
  };
  assert.equal(hits('venues'), ['v1:2', 'v2:1', 'v3:1']);
  assert.equal(hits('organizers'), ['o2:2', 'o1:1']);
  assert.equal(hits('categories'), ['MUSIC:2', 'JAZZ:1', 'CHOIR:1', 'ART:1']);
  assert.equal(hits('venues', { notCategories: ['ART'] }), ['v2:1', 'v3:1', 'v1:1']);
  assert.equal(hits('organizers', { venueSlug: 'asen' }), ['o1:1', 'o2:1']);
});

test('C1: should give as hits the total of the same filter with the entity demanded', () => {
  const { events } = ask(CALENDAR, '2026-06-01 10:00');
  for (const filter of [{}, { soldOutNotIncluded: true }, { mode: 'offline' }]) {
    for (const id of ['MUSIC', 'JAZZ', 'CHOIR', 'ART']) {
      const facet = pick(events(filter), 'categories');
      const hits = each(facet, 'hits')[each(facet, 'id').indexOf(id)] ?? 0;
      assert.is(hits, pick(events({ ...filter, categories: [id] }), 'totalCount'), id);
    }
  }
});

test('E: should list the taxonomy in its own order and the directories in Norwegian order', () => {
  const asked = ask(CALENDAR, '2026-06-01 10:00');
  assert.equal(each(asked.categories(), 'id'), ['MUSIC', 'ART']);
  assert.equal(each(pick(asked.categories(), 0, 'subcategories'), 'slug_en'), ['jazz', 'choir']);
  assert.equal(each(asked.categories(), 'visible'), [true, false]);
  assert.equal(each(asked.venues(), 'id'), ['v2', 'v3', 'v1']);
  assert.equal(each(asked.organizers(), 'id'), ['o1', 'o2']);
  assert.equal(pick(asked.venues(), 1, 'location'), null);
});

test.run();
