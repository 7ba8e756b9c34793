import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, closeAsked, each, event, found, pick } from './oracle/cases.ts';

const test = suite('oracle: time');

const EVENING = '2026-06-10 20:00';
const VENUES = [
  { id: 'v1', name: 'Åsen' },
  { id: 'v2', name: 'Zebra' },
];

test('A1: should have it over at its end, or three hours after its start, and be half-open', async () => {
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
    assert.equal(each(await ask({ events }, '2026-06-01 10:00', now).events(), 'id'), [...expected], now);
  }
});

test('A2: should order occurrences by start, then end, then place in the source', async () => {
  const dates = [
    { start: EVENING, end: '2026-06-10 22:00', ticketsURL: 'https://x.example/long' },
    { start: EVENING, end: '2026-06-10 21:00', ticketsURL: 'https://x.example/first' },
    { start: EVENING, end: '2026-06-10 21:00', ticketsURL: 'https://x.example/second' },
    { start: '2026-06-09 20:00' },
  ];
  const answer = await ask({ events: [event('e', { dates })] }, '2026-06-10 12:00').eventByID('e');
  assert.is(pick(answer, 'ticketsURL'), 'https://x.example/first');
  assert.equal(each(pick(answer, 'repetitions'), 'ticketsURL'), [
    'https://x.example/second',
    'https://x.example/long',
  ]);
});

test('A3: should lift the next occurrence in the very second the first is over', async () => {
  const dates = [{ start: EVENING, end: '2026-06-10 21:00' }, { start: '2026-06-10 20:30' }];
  const events = [event('e', { dates })];
  const before = await ask({ events }, '2026-06-01 10:00', '2026-06-10 18:59:59').eventByID('e');
  assert.equal(
    [pick(before, 'startTime'), each(pick(before, 'repetitions'), 'startTime')],
    ['20:00', ['20:30']],
  );
  const after = await ask({ events }, '2026-06-01 10:00', '2026-06-10 19:00:00').eventByID('e');
  assert.equal([pick(after, 'startTime'), pick(after, 'repetitions')], ['20:30', []]);
});

test('A4: should let the window pick the occurrence, T being the later of now and fromDate', async () => {
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
    assert.is(pick(await events(filter), 'data', 0, 'startDate'), expected, JSON.stringify(filter));
  }
});

test('A4: should test every other condition on what is shown only', async () => {
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
    assert.is(pick(await events(filter as object), 'totalCount'), expected as number, JSON.stringify(filter));
  }
});

test('A5: should not shorten repetitions by untilDate, but leave out what is not valid at T', async () => {
  const dates = [
    { start: '2026-07-01 10:00', end: '2026-07-09 10:00' },
    { start: '2026-07-02 10:00', end: '2026-07-02 11:00' },
    { start: '2026-07-08 10:00', end: '2026-07-08 11:00' },
  ];
  const { events } = ask({ events: [event('e', { dates })] }, '2026-06-01 10:00');
  const answer = await events({ fromDate: '2026-07-05 00:00:00Z', untilDate: '2026-07-06 00:00:00Z' });
  assert.equal(each(pick(answer, 'data', 0, 'repetitions'), 'startDate'), ['2026-07-08 10:00:00+02:00']);
});

test('A6: should make a node of each Oslo day, with the rest of that day as its repetitions', async () => {
  // 23:30 and 00:30 in Oslo are the same day in UTC; 00:30 and 20:00 the same in Oslo.
  const dates = ['2026-06-10 23:30', '2026-06-11 00:30', '2026-06-11 20:00', '2026-06-12 20:00'].map(
    (start) => ({ start }),
  );
  const { events } = ask({ events: [event('e', { dates })] }, '2026-06-01 10:00');
  const days = await events({ groupRepetitionsByDay: true });
  assert.is(pick(days, 'totalCount'), 3);
  assert.equal(each(days, 'startTime'), ['23:30', '00:30', '20:00']);
  assert.equal(each(pick(days, 'data', 1, 'repetitions'), 'startTime'), ['20:00']);
  assert.equal([pick(days, 'data', 0, 'repetitions'), pick(days, 'data', 2, 'repetitions')], [[], []]);
  const until = await events({ groupRepetitionsByDay: true, untilDate: '2026-06-11 20:00:00+02:00' });
  assert.equal(each(until, 'startTime'), ['23:30', '00:30']);
  assert.equal(each(pick(until, 'data', 1, 'repetitions'), 'startTime'), ['20:00']);
});

test('A7, A8: should look up only what is upcoming, in order of start and of id by code point', async () => {
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
    each(await asked.eventsBySlugs(['note', 'nowhere', 'past', 'early', 'note', 'ligature', null]), 'id'),
    ['early', 'xﬀ', 'x𝄞'],
  );
  assert.is(pick(await asked.eventByTitle('Samme', 'nb'), 'id'), 'xﬀ');
  assert.is(pick(await asked.eventByTitle('Samme', 'en'), 'id'), 'early');
  assert.equal(found(await asked.eventByTitle('samme', 'nb')), null);
  assert.equal([found(await asked.eventByID('past')), found(await asked.eventBySlug('past'))], [null, null]);
  assert.is(pick(await asked.eventBySlug('ligature'), 'id'), 'xﬀ');
  assert.equal(found(await asked.eventByTitle('Samme', 'no')), { refused: ['lan'] });
});

test('A9: should let an event exist from the second it is published', async () => {
  const events = [
    event('e', { publishingDate: '2026-06-05 12:00', isSuperEvent: true, dates: [{ start: EVENING }] }),
  ];
  for (const [now, expected] of [
    ['2026-06-05 09:59:59', 0],
    ['2026-06-05 10:00:00', 1],
  ] as const) {
    const asked = ask({ events }, '2026-06-01 10:00', now);
    assert.is(pick(await asked.events(), 'totalCount'), expected, now);
    assert.is(each(await asked.eventsBySlugs(['tittel-e']), 'id').length, expected, now);
    assert.is(each(await asked.allUpcomingSuperEvents(), 'id').length, expected, now);
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
  const asked = ask({ events }, '2026-06-01 10:00');
  const fest = await asked.eventByID('fest');
  assert.equal(
    [pick(fest, 'startDate'), pick(fest, 'endDate'), pick(fest, 'startTime'), pick(fest, 'duration')],
    // 31 days and an hour: 44,700 minutes.
    ['2026-05-20 18:00:00+02:00', '2026-06-20 19:00:00+02:00', '18:00', 44_700],
  );
  assert.equal(each(await asked.allUpcomingSuperEvents(), 'id'), ['fest']);
  assert.equal(each(await asked.events(), 'id'), ['fest', 'two', 'lost']);
  assert.equal(each(await asked.events({ superEvent: 'fest' }), 'super_event'), ['fest']);
  assert.equal(each(await asked.events({ superEvent: 'gone' }), 'id'), []);
});

test('A13: should write Oslo’s offset of each date, and the bookkeeping dates in UTC', async () => {
  const own = {
    publishingDate: '2026-01-10 12:00',
    created_at: '2026-01-10 12:00',
    updated_at: '2026-06-01T12:00:00Z',
  };
  const answer = await ask(
    { events: [event('e', { ...own, dates: [{ start: EVENING }] })] },
    '2026-06-01 10:00',
  ).eventByID('e');
  assert.is(pick(answer, 'publishingDate'), '2026-01-10 12:00:00+01:00');
  assert.equal(
    [pick(answer, 'created_at'), pick(answer, 'updated_at')],
    ['2026-01-10 11:00:00+00:00', '2026-06-01 12:00:00+00:00'],
  );
});

test.after(closeAsked);

test.run();
