/**
 * Every filter field, facet, argument and root field, asked of the product with a value that matches, one that matches although it is
 * written otherwise, and one that does not. A field of the schema without a row fails.
 */
import { isInputObjectType, isObjectType } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../src/serve/graphql/schema.ts';
import type { Arguments } from '../../oracle/answer.ts';
import { ask, closeAsked, each, event, LICENCE, pick } from '../../oracle/cases.ts';
import type { Filter } from '../../oracle/conditions.ts';
import type { Question } from '../../oracle/questions.ts';

const test = suite('every filter, facet, argument and root field');

const NOW = '2026-06-10 06:00';
/** A Wednesday. */
const TODAY = '2026-06-10';

const VENUES = [
  { id: 'v1', name: 'Åsen scene', address: 'Gata 1, 8006 Bodø', latitude: 67.28, longitude: 14.4 },
  {
    id: 'v2',
    name: 'Zebra',
    postalCode: '7013',
    latitude: 63.43,
    longitude: 10.4,
    accessibility: ['wheelchair', 'hearing_loop'],
  },
];
const ORGANIZERS = [
  { id: 'o1', name: 'Ørnes Kor' },
  { id: 'o2', name: 'Laget' },
];
const POSTAL_CODES = [
  { code: '8006', place: 'BODØ', number: '1804', municipality: 'BODØ' },
  { code: '7013', place: 'TRONDHEIM', number: '5001', municipality: 'TRONDHEIM' },
];
const EVENTS = [
  event('a', {
    title_nb: 'Blåkveld på Røst',
    title_en: 'Blue Night',
    categories: ['JAZZ'],
    venue: 'v1',
    organizers: ['o1'],
    tags: ['Øl & Ål'],
    isFeaturedEvent: true,
    superEvent: 'fest',
    ticketsInformation: 'free',
    dates: [{ start: `${TODAY} 20:00`, end: `${TODAY} 22:00` }],
  }),
  event('b', {
    categories: ['ART'],
    venue: 'v2',
    organizers: ['o2'],
    eventCancelled: true,
    isFeaturedInSpecialEvent: true,
    minimumAge: 18,
    dates: [{ start: '2026-06-13 11:00' }, { start: '2026-06-13 13:00' }, { start: '2026-06-14 11:00' }],
  }),
  event('c', { mode: 'online', eventSoldOut: true, dates: [{ start: '2026-06-11 09:00' }] }),
  event('fest', { isSuperEvent: true, dates: [{ start: '2026-08-01 10:00', end: '2026-08-02 10:00' }] }),
];
const ALL = 'a c b fest';

const calendar = () =>
  ask(
    {
      licence: { ...LICENCE, specialEvent: 'fest' },
      venues: VENUES,
      organizers: ORGANIZERS,
      events: EVENTS,
      postalCodes: POSTAL_CODES,
    },
    NOW,
  );

interface Expected {
  /** The ids that each of the values finds. */
  readonly ids: string;
  readonly values: readonly unknown[];
}

interface Row {
  /** Values that are written in different ways and mean the same. */
  readonly found: Expected;
  /** Values that find something else. */
  readonly other: Expected;
}

const FILTERS: { readonly [name in keyof Required<Filter>]: Row } = {
  fromDate: {
    found: {
      ids: 'fest',
      // The last one is the last second of the calendar.
      values: ['2026-06-20 00:00:00+02:00', '2026-06-19T22:00:00.000Z', '2026-06-20', '2026-08-02 09:59:59'],
    },
    other: { ids: 'b fest', values: ['2026-06-12 00:00:00+02'] },
  },
  untilDate: {
    found: { ids: 'a', values: ['2026-06-11 09:00:00+0200', '2026-06-11T07:00:00Z', '2026-06-11 09:00'] },
    other: { ids: 'a c', values: ['2026-06-11 09:00:01+02:00'] },
  },
  fromStartDate: {
    found: {
      ids: 'b fest',
      values: ['2026-06-13 11:00:00+02:00', '2026-06-13T09:00:00Z', '2026-06-13 11:00'],
    },
    other: { ids: 'fest', values: ['2026-06-15'] },
  },
  period: { found: { ids: 'a', values: ['TODAY'] }, other: { ids: 'b', values: ['WEEKEND'] } },
  ids: {
    found: {
      ids: 'a c',
      values: [
        ['c', 'a'],
        ['a', 'nobody', 'c', 'c'],
      ],
    },
    other: { ids: '', values: [['A']] },
  },
  categories: {
    found: { ids: 'a', values: [['JAZZ'], ['MUSIC'], [null, 'JAZZ', 'JAZZ']] },
    other: { ids: '', values: [['jazz']] },
  },
  notCategories: {
    found: { ids: 'c b fest', values: [['JAZZ'], ['MUSIC', null]] },
    other: { ids: ALL, values: [['jazz']] },
  },
  venues: {
    found: { ids: 'a', values: [['asen-scene'], [null, 'asen-scene', 'nowhere']] },
    other: { ids: '', values: [['Åsen scene']] },
  },
  venueSlug: { found: { ids: 'b', values: ['zebra'] }, other: { ids: '', values: ['Zebra'] } },
  organizers: {
    found: { ids: 'a', values: [['ornes-kor'], ['nobody', 'ornes-kor']] },
    other: { ids: 'b', values: [['laget']] },
  },
  organizerSlug: { found: { ids: 'b', values: ['laget'] }, other: { ids: '', values: ['Laget'] } },
  searchTerm: {
    found: { ids: 'a', values: ['blåkveld', 'BLAKVELD', '  røst  blå ', 'blåkvedl'] },
    other: { ids: '', values: ['blåkveld zebra'] },
  },
  tag: { found: { ids: 'a', values: ['Øl & Ål', 'ol & AL', 'ØL & ål'] }, other: { ids: '', values: ['øl'] } },
  free: { found: { ids: 'a', values: [true] }, other: { ids: ALL, values: [false, null] } },
  mode: { found: { ids: 'c', values: ['online'] }, other: { ids: 'a b fest', values: ['offline'] } },
  superEvent: { found: { ids: 'a', values: ['fest'] }, other: { ids: '', values: ['Fest'] } },
  onlyFeatured: { found: { ids: 'a', values: [true] }, other: { ids: ALL, values: [false] } },
  onlyFeaturedSpecialEvent: { found: { ids: 'b', values: [true] }, other: { ids: ALL, values: [false] } },
  cancelledNotIncluded: { found: { ids: 'a c fest', values: [true] }, other: { ids: ALL, values: [false] } },
  soldOutNotIncluded: { found: { ids: 'a b fest', values: [true] }, other: { ids: ALL, values: [false] } },
  hoursRange: {
    found: { ids: 'a', values: ['20:00-20:00', '19:30-24:00', '19:00-02:00'] },
    other: { ids: 'c fest', values: ['09:00-10:59'] },
  },
  groupRepetitionsByDay: {
    found: { ids: 'a c b b fest', values: [true] },
    other: { ids: ALL, values: [false] },
  },
  municipalities: {
    found: { ids: 'a', values: [['Bodø'], ['BODO', 'Atlantis', '1804']] },
    other: { ids: 'a b', values: [['bodø', '5001']] },
  },
  municipality: {
    found: { ids: 'a', values: ['Bodø', 'bodo', 'BODØ', '1804'] },
    other: { ids: 'b', values: ['trondheim', '5001'] },
  },
  postalCodes: {
    found: { ids: 'a', values: [['8006'], ['0000', '8006']] },
    other: { ids: '', values: [['800']] },
  },
  near: {
    found: {
      ids: 'a',
      values: [
        { latitude: 67.28, longitude: 14.4, km: 1 },
        { latitude: 67.3, longitude: 14.4, km: 3 },
      ],
    },
    other: { ids: '', values: [{ latitude: 67.3, longitude: 14.4, km: 2 }] },
  },
  area: {
    found: {
      ids: 'a',
      values: [
        { minLatitude: 67.28, maxLatitude: 68, minLongitude: 14, maxLongitude: 14.4 },
        { minLatitude: 67, maxLatitude: 68, minLongitude: 14, maxLongitude: 15 },
      ],
    },
    other: { ids: 'b', values: [{ minLatitude: 63, maxLatitude: 64, minLongitude: 10, maxLongitude: 11 }] },
  },
  age: { found: { ids: ALL, values: [18, 130, null] }, other: { ids: 'a c fest', values: [17, 0] } },
  accessibility: {
    found: { ids: 'b', values: [['WHEELCHAIR'], ['HEARING_LOOP', 'WHEELCHAIR']] },
    other: { ids: '', values: [['RELAXED']] },
  },
  sortBy: { found: { ids: ALL, values: ['title', 'anything'] }, other: { ids: ALL, values: [null] } },
};

test('B9, B13: should find no online event by the place of its venue', async () => {
  const dates = [{ start: '2026-06-13 11:00' }];
  const events = [event('n', { mode: 'online', venue: 'v2', dates })];
  const online = ask({ licence: LICENCE, venues: VENUES, events }, NOW);
  assert.equal(each(await online.events(), 'id'), ['n']);
  const near = { latitude: 63.43, longitude: 10.4, km: 5 };
  const area = { minLatitude: 63, maxLatitude: 64, minLongitude: 10, maxLongitude: 11 };
  for (const filter of [{ near }, { area }]) assert.equal(each(await online.events(filter), 'id'), []);
});

/** Events in June: each lasts half an hour, that of 15:59 a minute. */
const AROUND = [
  '10 23:30',
  '11 00:00',
  '11 23:30',
  '12 00:00',
  '12 15:59',
  '12 16:00',
  '14 23:59',
  '15 00:00',
];

/** UTC, and what begins in each period or runs then. */
const PERIODS = [
  { now: NOW, period: 'TODAY', ids: '10 23:30' },
  { now: NOW, period: 'TOMORROW', ids: '11 00:00, 11 23:30' },
  { now: NOW, period: 'WEEKEND', ids: '12 16:00, 14 23:59' },
  {
    now: NOW,
    period: 'WEEK',
    ids: '10 23:30, 11 00:00, 11 23:30, 12 00:00, 12 15:59, 12 16:00, 14 23:59',
  },
  { now: '2026-06-14 21:59', period: 'WEEKEND', ids: '14 23:59' },
  { now: '2026-06-14 22:00', period: 'WEEK', ids: '14 23:59, 15 00:00' },
] as const;

for (const { now, period, ids } of PERIODS) {
  test(`B12: should find in ${period}, at ${now} UTC, what runs from its first second to its last`, async () => {
    const events = AROUND.map((id) => {
      const duration = id === '12 15:59' ? 1 : 30;
      return event(id, { dates: [{ start: `2026-06-${id}`, duration }] });
    });
    const answer = await ask({ licence: LICENCE, events }, NOW, now).events({ period });
    assert.is(each(answer, 'id').join(', '), ids);
  });
}

for (const [name, { found, other }] of Object.entries(FILTERS)) {
  test(`P10, P15, P16, B1, B2, B3, B5, B6, B8: filter ${name} should find the same events for each way of writing a value`, async () => {
    const { events } = calendar();
    for (const { ids, values } of [found, other]) {
      for (const value of values) {
        const filter = { [name]: value, untilDate: name === 'untilDate' ? value : '2026-12-31' } as Filter;
        const answer = await events(filter);
        assert.is(each(answer, 'id').join(' '), ids, JSON.stringify(value));
        assert.is(pick(answer, 'totalCount'), ids.split(' ').filter(Boolean).length, JSON.stringify(value));
      }
    }
    assert.is.not(found.ids, '', 'a value that finds nothing proves nothing');
  });
}

interface FacetRow {
  /** Values with their hits, in the whole calendar and among online events. */
  readonly all: string;
  readonly ofOnline: string;
  /** The field with the value. */
  readonly key: string;
}

const FACETS: Readonly<Record<string, FacetRow>> = {
  venues: {
    all: 'v2:1 v1:1',
    ofOnline: '',
    key: 'id',
  },
  organizers: {
    all: 'o2:1 o1:1',
    ofOnline: '',
    key: 'id',
  },
  categories: {
    all: 'JAZZ:1 ART:1 MUSIC:1',
    ofOnline: '',
    key: 'id',
  },
  days: {
    all: '2026-06-10:1 2026-06-11:1 2026-06-13:1 2026-08-01:1',
    ofOnline: '2026-06-11:1',
    key: 'day',
  },
  municipalities: {
    all: 'Bodø:1 Trondheim:1',
    ofOnline: '',
    key: 'name',
  },
  tags: {
    all: 'Øl & Ål:1',
    ofOnline: '',
    key: 'tag',
  },
  accessibilities: {
    all: 'WHEELCHAIR:1 HEARING_LOOP:1',
    ofOnline: '',
    key: 'value',
  },
};

for (const [name, { all, ofOnline, key }] of Object.entries(FACETS)) {
  test(`C1, C4: facet ${name} should count the filtered set, and take first from the top`, async () => {
    const { events } = calendar();
    const counted = async (filter: Filter, first?: number) => {
      const answer = await events(filter, 0, 10, first === undefined ? {} : { [name]: first });
      const facet = pick(answer, name);
      const hits = each(facet, 'hits');
      return each(facet, key).map((value, at) => `${value}:${hits[at]}`);
    };
    assert.is((await counted({})).join(' '), all);
    assert.equal(await counted({}, 1), (await counted({})).slice(0, 1));
    assert.is((await counted({ mode: 'online' })).join(' '), ofOnline);
  });
}

interface RootRow {
  readonly field: keyof Arguments;
  readonly args: object;
  /** The ids that the field finds. */
  readonly ids: string;
}

const ROOTS: readonly RootRow[] = [
  { ids: 'a c', field: 'events', args: { page: 0, pageSize: 2 } },
  { ids: 'b fest', field: 'events', args: { page: 1, pageSize: 2 } },
  { ids: '', field: 'events', args: { page: 2, pageSize: 2 } },
  { ids: 'a', field: 'eventByID', args: { eventID: 'a' } },
  { ids: '', field: 'eventByID', args: { eventID: 'A' } },
  { ids: 'a', field: 'eventBySlug', args: { eventSlug: 'blakveld-pa-rost' } },
  { ids: '', field: 'eventBySlug', args: { eventSlug: 'Blåkveld på Røst' } },
  {
    ids: 'a b',
    field: 'eventsBySlugs',
    args: { eventsSlugs: ['tittel-b', null, 'blakveld-pa-rost', 'tittel-b', 'nothing'] },
  },
  { ids: '', field: 'eventsBySlugs', args: { eventsSlugs: ['nothing'] } },
  { ids: 'a', field: 'eventByTitle', args: { title: 'Blåkveld på Røst', lan: 'nb' } },
  { ids: 'a', field: 'eventByTitle', args: { title: 'Blue Night', lan: 'en' } },
  { ids: '', field: 'eventByTitle', args: { title: 'Blue Night', lan: 'nb' } },
  { ids: '', field: 'eventByTitle', args: { title: 'blue night', lan: 'en' } },
  { ids: 'fest', field: 'allUpcomingSuperEvents', args: {} },
  {
    ids: 'a',
    field: 'allUpcomingEventsInArea',
    args: { minLatitude: 67, maxLatitude: 68, minLongitude: 14, maxLongitude: 15 },
  },
  {
    ids: '',
    field: 'allUpcomingEventsInArea',
    args: { minLatitude: 1, maxLatitude: 2, minLongitude: 14, maxLongitude: 15 },
  },
  { ids: 'MUSIC ART', field: 'categories', args: {} },
  { ids: 'v2 v1', field: 'venues', args: {} },
  { ids: 'o2 o1', field: 'organizers', args: {} },
  { ids: 'test', field: 'calendar', args: {} },
];

for (const { field, args, ids } of ROOTS) {
  test(`A7, A8: root field ${field} should find "${ids}" by ${JSON.stringify(args)}`, async () => {
    const value = await calendar().answer({ field, args } as Question);
    const list = each(value, 'id');
    assert.is(list.length > 0 ? list.join(' ') : (pick(value, 'id') ?? ''), ids);
  });
}

test('each filter field, facet and root field of the schema should have a row here', () => {
  const filter = schema.getType('Filter');
  const connection = schema.getType('EventConnection');
  const query = schema.getQueryType();
  if (!isInputObjectType(filter) || !isObjectType(connection) || !query) throw new Error('no such types');
  assert.equal(Object.keys(FILTERS).toSorted(), Object.keys(filter.getFields()).toSorted());
  const facets = Object.values(connection.getFields()).filter(({ name, args }) => {
    return name !== 'data' && args.some((argument) => argument.name === 'first');
  });
  assert.equal(Object.keys(FACETS).toSorted(), facets.map(({ name }) => name).toSorted());
  // `changes` compares two snapshots: test/src/annexes/changes asks it.
  const roots = Object.keys(query.getFields()).filter((name) => name !== 'changes');
  assert.equal([...new Set(ROOTS.map(({ field }) => field))].toSorted(), roots.toSorted());
});

test.after(closeAsked);

test.run();
