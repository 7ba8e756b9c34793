import {
  assertObjectType,
  buildClientSchema,
  getIntrospectionQuery,
  isNonNullType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { SAMPLE_START, startSample } from './sample.ts';
import type { Stand } from './stand.ts';

/** The interface's error table (section 7), on the real schema. */
const table = suite<{ stand: Stand }>("the interface's error table");

table.before(async (context) => {
  context.stand = await startSample();
});

table.after(({ stand }) => stand.close());

const refused = (message: string, reasons: Readonly<Record<string, string>>) => ({
  data: null,
  errors: [
    {
      message,
      locations: [{ line: 1, column: 3 }],
      path: ['events'],
      extensions: {
        code: 'BAD_USER_INPUT',
        invalidArgs: Object.keys(reasons),
        reasons: Object.entries(reasons).map(([name, reason]) => `${name}: ${reason}`),
      },
    },
  ],
});

const invalid = (reasons: Readonly<Record<string, string>>) => refused('Query Arguments invalid', reasons);

const DATETIME =
  'expected a datetime in Norwegian time such as "2026-05-17 19:30" or "2026-05-17", or one with an offset such as "2026-05-17 19:30:00+02:00" or "2026-05-17T17:30:00Z"';

const failed = (message: string, column: number) => ({
  errors: [{ message, locations: [{ line: 1, column }], extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }],
});

const ROWS: readonly (readonly [string, number, object])[] = [
  [
    '{ events(page: -1) { totalCount } }',
    200,
    refused('page: expected a whole number of 0 or more, got -1', {
      page: 'expected a whole number of 0 or more, got -1',
    }),
  ],
  [
    '{ events(pageSize: 0) { totalCount } }',
    200,
    refused('pageSize: expected a whole number of 1 or more, got 0', {
      pageSize: 'expected a whole number of 1 or more, got 0',
    }),
  ],
  [
    '{ events(pageSize: -5) { totalCount } }',
    200,
    refused('pageSize: expected a whole number of 1 or more, got -5', {
      pageSize: 'expected a whole number of 1 or more, got -5',
    }),
  ],
  [
    '{ events { venues(first: 0) { id } data { repetitions(first: 5) { id } } } }',
    200,
    refused('first: expected a whole number of 1 or more, got 0', {
      first: 'expected a whole number of 1 or more, got 0',
    }),
  ],
  [
    '{ events { data { repetitions(first: -3) { id } } } }',
    200,
    refused('first: expected a whole number of 1 or more, got -3', {
      first: 'expected a whole number of 1 or more, got -3',
    }),
  ],
  [
    '{ events(filter: {period: SOON}) { totalCount } }',
    400,
    failed('Value "SOON" does not exist in "Period" enum.', 27),
  ],
  [
    '{ events(filter: {fromDate: "soon"}) { totalCount } }',
    200,
    invalid({ fromDate: `${DATETIME}, got "soon"` }),
  ],
  [
    '{ events(filter: {fromDate: "soon", untilDate: "2026-02-30 10:00:00+01:00"}) { totalCount } }',
    200,
    invalid({
      fromDate: `${DATETIME}, got "soon"`,
      untilDate: `${DATETIME}, got "2026-02-30 10:00:00+01:00"`,
    }),
  ],
  [
    '{ events(filter: {mode: "both"}) { totalCount } }',
    200,
    invalid({ mode: 'expected "online" or "offline", got "both"' }),
  ],
  [
    '{ evnts { totalCount } }',
    400,
    failed('Cannot query field "evnts" on type "Query". Did you mean "events" or "venues"?', 3),
  ],
  [
    '{ events(pagesize: 5) { totalCount } }',
    400,
    failed('Unknown argument "pagesize" on field "Query.events". Did you mean "pageSize" or "page"?', 10),
  ],
  ['{ venues(limit: 5) { id } }', 400, failed('Unknown argument "limit" on field "Query.venues".', 10)],
  [
    '{ venues @include(when: true, if: true) { id } }',
    400,
    failed('Unknown argument "when" on directive "@include".', 19),
  ],
  [
    '{ events(filter: {colour: "red"}) { totalCount } }',
    400,
    failed('Field "colour" is not defined by type "Filter".', 19),
  ],
  [
    '{ eventByID { id } }',
    400,
    failed('Field "eventByID" argument "eventID" of type "String!" is required, but it was not provided.', 3),
  ],
  ['{ events(page: "1") { totalCount } }', 400, failed('Int cannot represent non-integer value: "1"', 16)],
];

for (const [query, status, body] of ROWS) {
  table(`should answer ${status} to ${query}`, async ({ stand }) => {
    const got = await stand.post(query);
    assert.is(got.status, status);
    assert.equal(JSON.parse(got.text), body);
  });
}

table('should return an empty result for a retired category, with no error', async ({ stand }) => {
  const got = await stand.post('{ events(filter: {categories: ["NEVER_WAS"]}) { totalCount data { id } } }');
  const { data, errors } = JSON.parse(got.text);
  assert.is(errors, undefined);
  assert.equal(data, { events: { totalCount: 0, data: [] } });
});

/** What older public clients ask for, as their queries have it, and what is to be used in its place. */
const OLDER = {
  Event:
    'priceOption regularPrice reducedPrice type author_id editableBy contact_from contact_custom videosURL',
  Image: 'urlOriginal originalSize largeSize smallSize',
  Organizer: 'email telephoneNumber',
  Venue: 'mapImageURL',
  Repetition: 'mode streamingURL',
};

table(
  'E5: should answer the fields of older clients, null unless a record has them, and say what to use',
  async ({ stand }) => {
    const query = `{ events(pageSize: 100) { totalCount data {
    id title_nb ${OLDER.Event.replace('contact_custom', 'contact_custom { email phone }')}
    ticketsInformation prices { type price } images { urlSmall ${OLDER.Image} } organizers { id ${OLDER.Organizer} }
    venue { id ${OLDER.Venue} } repetitions { startDate ${OLDER.Repetition} } } } }`;
    const { data, errors } = JSON.parse((await stand.post(query)).text);
    assert.is(errors, undefined);
    const options = { ticketsInfo: 'non-gratis', free: 'gratis', noTicketsInfo: null };
    const amounts = new Set();
    for (const { ticketsInformation, priceOption, prices, regularPrice } of data.events.data) {
      assert.is(priceOption, options[ticketsInformation as keyof typeof options]);
      const price = prices.find(({ type }: { readonly type: string }) => type === 'REGULAR')?.price ?? null;
      assert.is(regularPrice, price === null ? null : String(price));
      amounts.add(regularPrice);
    }
    assert.ok(amounts.size > 5, 'some have prices');
    for (const [type, names] of Object.entries(OLDER)) {
      const fields = assertObjectType(schema.getType(type)).getFields();
      for (const name of names.split(' ')) {
        assert.match(fields[name]?.deprecationReason ?? '', /^Use `/, `${type}.${name}`);
        assert.ok(!isNonNullType(fields[name]?.type), `${type}.${name} is nullable`);
      }
    }
  },
);

table('D2: should answer introspection in full', async ({ stand }) => {
  const got = await stand.post(
    getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true }),
  );
  const seen = buildClientSchema(JSON.parse(got.text).data);
  assert.is(printSchema(lexicographicSortSchema(seen)), printSchema(lexicographicSortSchema(schema)));
});

table('D6: should answer from reuse what it would work out, around real moments of change', async () => {
  const reusing = await startSample();
  const working = await startSample({ cacheBytes: 0 });
  const moments = [...(reusing.snapshot()?.columns.moments ?? [])].filter((at) => at * 1_000 > SAMPLE_START);
  const queries = [
    '{ events(pageSize: 1000) { totalCount data { id startDate repetitions { startDate } } venues { id hits } } }',
    '{ events(filter: {groupRepetitionsByDay: true}) { totalCount } }',
  ];
  const texts = new Set<string>();
  for (const moment of moments.slice(0, 8)) {
    for (const ms of [-1_000, -1, 0, 999]) {
      for (const query of [...queries, ...queries]) {
        const answers = [];
        for (const stand of [reusing, working]) {
          stand.setClock(moment * 1_000 + ms);
          answers.push(await stand.post(query));
        }
        const [reused, worked] = answers;
        assert.is(reused?.text, worked?.text, `${ms} ms after ${moment}`);
        assert.is(reused?.headers['cache-control'], worked?.headers['cache-control']);
        texts.add(reused?.text ?? '');
      }
    }
  }
  assert.ok(texts.size > 8, 'the answers change');
  assert.ok(reusing.traffic.filter(({ reused }) => reused).length > 8 * 8, 'and are reused in between');
  for (const stand of [reusing, working]) await stand.close();
});

table.run();
