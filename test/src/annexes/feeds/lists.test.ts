/** I6: the plain lists hold the nodes of the endpoint, whole. */
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'csv-parse/sync';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { feeds as annex } from '../../../../src/annexes/feeds/annex.ts';
import { startSample } from '../../serve/http/sample.ts';
import type { Stand } from '../../serve/http/stand.ts';
import {
  type Categories,
  eventOf,
  featureOf,
  type Language,
  type ListEvent,
  type ListNode,
  type PricesOfDates,
  type Row,
  readCategories,
  readPricesOfDates,
  rowsOf,
  selectionOf,
} from './expected-lists.ts';

interface Context {
  stand: Stand;
  categories: Categories;
  pricesOfDates: PricesOfDates;
}

const test = suite<Context>('plain lists');

test.before(async (context) => {
  context.stand = await startSample({ annexes: [annex] });
  context.categories = await readCategories(context.stand);
  context.pricesOfDates = await readPricesOfDates(context.stand);
});
test.after(({ stand }) => stand.close());

interface ListCase {
  readonly search: string;
  readonly language: Language;
  /** Arguments of `events` that mean the same. */
  readonly variables: object;
  readonly nodes: number;
}

/** Each property of a list once: language, page and size, days, no events. `contract.test.ts` has all filters. */
const LISTS: readonly ListCase[] = [
  {
    search: 'lang=nb',
    language: 'nb',
    variables: { pageSize: 250 },
    nodes: 195,
  },
  {
    search: 'lang=en&pageSize=1000&categories=MUSIC',
    language: 'en',
    variables: { filter: { categories: ['MUSIC'] }, pageSize: 1_000 },
    nodes: 58,
  },
  {
    search: 'lang=en&groupRepetitionsByDay=true&page=2&pageSize=40',
    language: 'en',
    variables: { filter: { groupRepetitionsByDay: true }, page: 2, pageSize: 40 },
    nodes: 40,
  },
  {
    search: 'lang=nb&tag=nei',
    language: 'nb',
    variables: { filter: { tag: 'nei' }, pageSize: 250 },
    nodes: 0,
  },
];

const QUERY = `query ($filter: Filter, $page: Int, $pageSize: Int) {
  events(filter: $filter, page: $page, pageSize: $pageSize) {
    totalCount hasMore pageInfo { currentPage pageSize } data ${selectionOf('Event')}
  }
}`;

interface Answer {
  readonly events: {
    readonly totalCount: number;
    readonly hasMore: boolean;
    readonly pageInfo: { readonly currentPage: number; readonly pageSize: number };
    readonly data: readonly ListNode[];
  };
}

interface ExpectedList {
  readonly page: object;
  readonly events: readonly ListEvent[];
}

/** The endpoint is asked once for each list: its answers are large. */
const expectedLists = new Map<ListCase, Promise<ExpectedList>>();

function expectedOf(list: ListCase, context: Context): Promise<ExpectedList> {
  const expected = expectedLists.get(list) ?? askEndpoint(list, context);
  expectedLists.set(list, expected);
  return expected;
}

async function askEndpoint(
  { search, language, variables, nodes: count }: ListCase,
  { stand, categories }: Context,
): Promise<ExpectedList> {
  const { events } = await stand.ask<Answer>(QUERY, variables);
  const { totalCount, hasMore, pageInfo, data: nodes } = events;
  assert.is(nodes.length, count, `nodes of the endpoint for ${search}`);
  return {
    page: { totalCount, hasMore, page: pageInfo.currentPage, pageSize: pageInfo.pageSize },
    events: nodes.map((node) => eventOf(node, language, categories)),
  };
}

for (const list of LISTS) {
  const { search, language } = list;

  test(`I6: /events.json?${search} should hold the nodes of events`, async (context) => {
    const expected = await expectedOf(list, context);
    const { text } = await context.stand.send(`/events.json?${search}`);
    const { events, hints: _, ...page } = JSON.parse(text);
    assert.equal(page, expected.page);
    assertSameItems(events, expected.events);
  });

  test(`I6: /events.geojson?${search} should hold the nodes of events with a position`, async (context) => {
    const expected = await expectedOf(list, context);
    const { text } = await context.stand.send(`/events.geojson?${search}`);
    const { features, ...collection } = JSON.parse(text);
    assert.equal(collection, { type: 'FeatureCollection', ...expected.page });
    const expectedFeatures = expected.events.map(featureOf).filter((feature) => feature !== undefined);
    assertSameItems(features, expectedFeatures);
  });

  test(`I6: /events.csv?${search} should hold a row for each date of the nodes`, async (context) => {
    const expected = await expectedOf(list, context);
    const { text } = await context.stand.send(`/events.csv?${search}&repetitions=all`);
    const rows: readonly Row[] = parse(text, { columns: true, record_delimiter: '\r\n' });
    const { pricesOfDates } = context;
    assertSameItems(
      rows,
      expected.events.flatMap((event) => rowsOf(event, language, pricesOfDates)),
    );
  });
}

/** Compares item by item: the difference of two lists of thousands takes minutes to print. */
function assertSameItems(found: readonly object[], expected: readonly object[]): void {
  for (const [place, item] of expected.entries()) {
    if (!isDeepStrictEqual(found[place], item)) assert.equal(found[place], item, `item ${place}`);
  }
  assert.is(found.length, expected.length, 'items');
}

for (const format of ['json', 'geojson', 'csv']) {
  test(`I6: /events.${format} should refuse the arguments that events refuses`, async ({ stand }) => {
    const variables = { filter: { hoursRange: 'kveld' }, page: -1 };
    const refused = await stand.post(QUERY, { variables });
    const { invalidArgs } = JSON.parse(refused.text).errors[0].extensions;
    assert.equal(invalidArgs, ['hoursRange', 'page']);
    const { status, text } = await stand.send(`/events.${format}?hoursRange=kveld&page=-1`);
    assert.is(status, 400);
    assert.equal(JSON.parse(text).errors[0].extensions.invalidArgs, invalidArgs);
  });
}

test('I6: should have more pages after one that ends before the last event', async ({ stand }) => {
  const count = await countOfEvents(stand);
  assert.is(await hasMore(stand, count - 1), true);
});

test('I6: should have no more pages after the one that ends with the last event', async ({ stand }) => {
  const count = await countOfEvents(stand);
  assert.is(await hasMore(stand, count), false);
});

async function countOfEvents({ ask }: Stand): Promise<number> {
  const { events } = await ask<{ events: { totalCount: number } }>('{ events { totalCount } }');
  return events.totalCount;
}

async function hasMore({ send }: Stand, pageSize: number): Promise<unknown> {
  return JSON.parse((await send(`/events.json?pageSize=${pageSize}`)).text).hasMore;
}

test.run();
