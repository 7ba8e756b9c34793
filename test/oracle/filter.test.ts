import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, closeAsked, each, event, found, pick } from './cases.ts';

const test = suite('oracle: filter, facets');

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

test('A14, B4: should refuse every unparseable argument at once, and take the allowed forms', async () => {
  const later = event('e', { dates: [{ start: '2030-01-01 10:00' }] });
  const { events, allUpcomingEventsInArea } = ask({ events: [later] }, '2026-06-01 10:00');
  for (const good of [
    '2026-06-01 00:00:00+02:00',
    '2026-06-01T00:00:00+0200',
    '2026-06-01 00:00:00-14',
    '2026-06-01 00:00:00Z',
    '2026-06-01T00:00:00.000Z',
    '2026-06-01T00:00:00',
    '2026-06-01 00:00',
    '2026-06-01 00:00Z',
    ' 2026-06-01 00:00:00 Z ',
    '2026-06-01',
    ' ',
  ]) {
    assert.is(pick(await events({ fromDate: good }), 'totalCount'), 1, good);
  }
  for (const bad of [
    '2026-02-30',
    '2026-02-30 00:00:00Z',
    '2026-06-01 25:00:00Z',
    '2026-06-01 25:00',
    '2026-06-01 00:00:00+14:01',
    '2026-06-01 Z',
    'now',
  ]) {
    assert.equal(found(await events({ untilDate: bad })), { refused: ['untilDate'] }, bad);
  }
  const many = { fromDate: 'x', fromStartDate: 'y', mode: 'hybrid', hoursRange: '24:00-10:00' };
  assert.equal(found(await events(many)), { refused: ['fromDate', 'fromStartDate', 'mode', 'hoursRange'] });
  assert.equal(found(await events({}, -1)), { refused: ['page'] });
  assert.equal(found(await events({}, 0, 0)), { refused: ['pageSize'] });
  const area = { minLatitude: -91, maxLatitude: 90, minLongitude: -180, maxLongitude: 180.5 };
  assert.equal(found(await allUpcomingEventsInArea(area)), { refused: ['minLatitude', 'maxLongitude'] });
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

test('B7: should page with true totals and serve at most 1000', async () => {
  const { events } = ask(CALENDAR, '2026-06-01 10:00');
  const answers = [
    await events({}, 0, 3),
    await events({}, 1, 3),
    await events({}, 2, 3),
    await events({}, 0, 5000),
    await events({ tag: 'x' }),
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

test('C1, C2: should count what each node carries, by hits, then Norwegian name, then id', async () => {
  const { events } = ask(CALENDAR, '2026-06-01 10:00');
  const hits = async (field: string, filter = {}) => {
    const facet = pick(await events(filter, 0, 1), field);
    const counts = each(facet, 'hits');
    return each(facet, 'id').map((id, index) => `${id}:${counts[index]}`);
  };
  assert.equal(await hits('venues'), ['v1:2', 'v2:1', 'v3:1']);
  assert.equal(await hits('organizers'), ['o2:2', 'o1:1']);
  assert.equal(await hits('categories'), ['MUSIC:2', 'JAZZ:1', 'CHOIR:1', 'ART:1']);
  assert.equal(await hits('venues', { notCategories: ['ART'] }), ['v2:1', 'v3:1', 'v1:1']);
  assert.equal(await hits('organizers', { venueSlug: 'asen' }), ['o1:1', 'o2:1']);
});

test('C1: should give as hits the total of the same filter with the entity demanded', async () => {
  const { events } = ask(CALENDAR, '2026-06-01 10:00');
  for (const filter of [{}, { soldOutNotIncluded: true }, { mode: 'offline' }]) {
    for (const id of ['MUSIC', 'JAZZ', 'CHOIR', 'ART']) {
      const facet = pick(await events(filter), 'categories');
      const hits = each(facet, 'hits')[each(facet, 'id').indexOf(id)] ?? 0;
      assert.is(hits, pick(await events({ ...filter, categories: [id] }), 'totalCount'), id);
    }
  }
});

const MUNICIPALITY_HITS = [
  { number: '5001', name: 'Trondheim', hits: 2 },
  { number: null, name: 'Atlantis', hits: 1 },
  { number: '5031', name: 'Málvik', hits: 1 },
] as const;

test('C1, C4: should count days in order, municipalities as they are demanded, and tags as most write them', async () => {
  const dates = (day: number) => [{ start: `2026-06-${day} 20:00` }];
  const events = [
    event('a', { venue: 'v1', tags: ['Øl', 'ute'], dates: dates(11) }),
    event('b', { venue: 'v1', tags: ['øl', 'ØL', ' '], dates: dates(10) }),
    event('c', { venue: 'v2', tags: ['øl'], dates: dates(10) }),
    event('d', { venue: 'v4', tags: ['Ute'], dates: dates(10) }),
  ];
  const venues = [...VENUES, { id: 'v4', name: 'Hjemme', municipality: 'Atlantis' }];
  const asked = ask({ venues, events, postalCodes: REGISTER }, '2026-06-01 10:00');
  const page = await asked.events();
  assert.equal(pick(page, 'days'), [
    { day: '2026-06-10', hits: 3 },
    { day: '2026-06-11', hits: 1 },
  ]);
  assert.equal(pick(page, 'municipalities'), [...MUNICIPALITY_HITS]);
  assert.equal(pick(page, 'tags'), [
    { tag: 'øl', hits: 3 },
    { tag: 'Ute', hits: 2 },
  ]);
  for (const { number, name, hits } of MUNICIPALITY_HITS) {
    assert.is(pick(await asked.events({ municipality: number ?? name }), 'totalCount'), hits, name);
  }
  const top = await asked.events({}, 0, 10, { days: 1, municipalities: 1, tags: 1, repetitions: null });
  for (const list of ['days', 'municipalities', 'tags']) {
    assert.equal(pick(top, list), [pick(page, list, 0)], list);
  }
  assert.equal(found(await asked.events({}, 0, 10, { days: 0 })), { refused: ['first'] });
});

test.after(closeAsked);

test.run();
