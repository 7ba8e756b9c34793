import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAnswer } from '../../src/serve/graphql/answer.ts';
import { createDocuments } from '../../src/serve/graphql/documents.ts';
import type { Parameters } from '../../src/serve/graphql/executor.ts';
import type { Execute } from '../../src/serve/graphql/operation.ts';
import { costsAtMost } from '../helpers/usage.ts';

const schema = buildSchema(`
  type Query {
    events(page: Int = 0, pageSize: Int = 10): EventConnection!
    eventByID(eventID: String!): Event
    eventsBySlugs(eventsSlugs: [String]!): [Event!]
    categories: [Category!]
    venues: [Venue!]
  }
  type EventConnection { totalCount: Int! data: [Event!]! venues: [Venue!]! }
  type Event { id: String! title_nb: String tags: [String!]! venue: Venue images: [Image!]! repetitions: [Repetition!]! }
  type Repetition { startDate: String! venue: Venue }
  type Image { alt: String }
  type Venue { id: String! name: String! }
  type Category { id: String! subcategories: [Category!]! }
`);
const answer = createAnswer({ schema, execute: neverExecuted() });

function neverExecuted(): Execute {
  return async () => {
    throw new Error('expected no operation to run');
  };
}

/** Of a request for which there is no snapshot: a refusal in any case. */
async function refusalOf(query: string, more: Partial<Parameters> = {}, of = answer) {
  const refused = await of({ query, variables: {}, operationName: undefined, ...more }, () => undefined);
  assert.ok('code' in refused);
  return refused;
}

/** `ok`, or `CODE: message` of the first error. */
async function outcome(query: string, more: Partial<Parameters> = {}): Promise<string> {
  const { code, errors } = await refusalOf(query, more);
  if (code === 'SERVICE_UNAVAILABLE') return 'ok';
  const [error] = errors;
  assert.is(error?.extensions?.code, code);
  return `${code}: ${error?.message}`;
}

const WAY_OUT = 'Ask for a smaller page (pageSize), or for fewer fields.';
const fieldsRefused = (figure: number) =>
  `QUERY_TOO_COMPLEX: The answer could hold ${figure} fields; the limit is 200000. ${WAY_OUT}`;
const tokensRefused = (figure: string) =>
  `QUERY_TOO_COMPLEX: The document has ${figure} tokens; the limit is 2000.`;

const limits = suite('limits');

limits('D2: should accept 2,000 tokens and refuse 2,001, naming both figures', async () => {
  const document = (tokens: number) =>
    `{ eventsBySlugs(eventsSlugs: [${'"a" '.repeat(tokens - 12)}]) { id } }`;
  assert.is(await outcome(document(2_000)), 'ok');
  assert.is(await outcome(document(2_001)), tokensRefused('2001'));
});

limits('D2: should stop counting tokens of a document that is far too long', async () => {
  assert.is(await outcome(`{ ${'id '.repeat(80_000)}}`), tokensRefused('more than 20000'));
});

limits('D2: should count neither commas nor comments as tokens', async () => {
  assert.is(await outcome(`# ${'a '.repeat(5_000)}\n{ ${','.repeat(5_000)} venues { id } }`), 'ok');
});

limits('D1: should tell a syntax error from a document that is too long', async () => {
  assert.match(
    await outcome('{ venues { id }'),
    /^GRAPHQL_PARSE_FAILED: Syntax Error: Expected Name, found <EOF>\.$/,
  );
});

limits('D2: should accept 20 root fields and refuse 21, aliases counted one by one', async () => {
  const document = (count: number) =>
    `{ ${Array.from({ length: count }, (_, at) => `a${at}: venues { id }`).join(' ')} }`;
  assert.is(await outcome(document(20)), 'ok');
  assert.is(
    await outcome(document(21)),
    'QUERY_TOO_COMPLEX: The operation has 21 root fields; the limit is 20.',
  );
});

limits('D2: should find root fields inside fragments, and count a response key once', async () => {
  const fields = Array.from({ length: 21 }, (_, at) => `a${at}: __typename`).join(' ');
  const refused = 'QUERY_TOO_COMPLEX: The operation has 21 root fields; the limit is 20.';
  assert.is(await outcome(`{ ...F } fragment F on Query { ... { ${fields} } }`), refused);
  assert.is(await outcome(`{ ${'__typename '.repeat(21)}}`), 'ok');
});

limits('D2: should count each field of the page once an entry, with the page size of a literal', async () => {
  const aliases = (count: number) => Array.from({ length: count }, (_, at) => `a${at}: id`).join(' ');
  assert.is(await outcome(`{ events(pageSize: 1000) { data { ${aliases(199)} } } }`), 'ok');
  // 1 for `events`, 1 for `data`, 200 for each of 1,000 entries.
  assert.is(await outcome(`{ events(pageSize: 1000) { data { ${aliases(200)} } } }`), fieldsRefused(200_002));
  assert.is(await outcome(`{ events { data { ${aliases(300)} } } }`), 'ok');
});

limits('D2: should take the page size from a variable, its default, or the schema', async () => {
  const aliases = Array.from({ length: 250 }, (_, at) => `a${at}: id`).join(' ');
  const query = `query ($size: Int) { events(pageSize: $size) { data { ${aliases} } } }`;
  assert.is(await outcome(query, { variables: { size: 1000 } }), fieldsRefused(250_002));
  assert.is(await outcome(query, { variables: { size: 100 } }), 'ok');
  assert.is(await outcome(query, { variables: { size: null } }), 'ok');
  assert.is(await outcome(query), 'ok');
  assert.is(await outcome(query.replace('Int', 'Int = 1000')), fieldsRefused(250_002));
});

limits('B7: should count a page size above 1000 as the 1000 that is served', async () => {
  assert.is(await outcome('{ events(pageSize: 2000000000) { data { id title_nb } } }'), 'ok');
  assert.is(await outcome('{ events(pageSize: -2000000000) { data { id title_nb } } }'), 'ok');
});

limits('D2: should let one page of 1,000 events with 60 fields pass', async () => {
  const sixty = `id title_nb tags venue { id name } images { alt } ${Array.from({ length: 50 }, (_, at) => `a${at}: id`).join(' ')} repetitions { startDate }`;
  assert.is(
    await outcome(`{ events(pageSize: 1000) { totalCount data { ${sixty} } venues { id name } } }`),
    'ok',
  );
});

limits('D2: should multiply lists inside lists by their estimates', async () => {
  // Each entry: repetitions 1 + 3 × (startDate 1 + venue 1 + 40 inside it) = 127, ten times through aliases.
  const venue = Array.from({ length: 40 }, (_, at) => `a${at}: name`).join(' ');
  const repetitions = (at: number) => `r${at}: repetitions { startDate venue { ...V } }`;
  const all = Array.from({ length: 10 }, (_, at) => repetitions(at)).join(' ');
  const query = `{ events(pageSize: 1000) { data { ${all} } } } fragment V on Venue { ${venue} }`;
  assert.is(await outcome(query), fieldsRefused(2 + 1000 * 10 * 127));
});

limits('D2: should count the entries of eventsBySlugs by the slugs asked for', async () => {
  const aliases = Array.from({ length: 300 }, (_, at) => `a${at}: id`).join(' ');
  const query = `query ($slugs: [String]!) { eventsBySlugs(eventsSlugs: $slugs) { ${aliases} } }`;
  assert.is(await outcome(query, { variables: { slugs: Array(100).fill('a') } }), 'ok');
  assert.is(await outcome(query, { variables: { slugs: Array(1_000).fill('a') } }), fieldsRefused(300_001));
});

limits('D2: should count fields behind @skip and @include as present', async () => {
  const aliases = Array.from({ length: 250 }, (_, at) => `a${at}: id`).join(' ');
  const query = `query ($no: Boolean!) { events(pageSize: 1000) { data { ... @include(if: $no) { ${aliases} } } } }`;
  assert.is(await outcome(query, { variables: { no: false } }), fieldsRefused(250_002));
});

limits(
  'D2: should refuse fragments that double at every level, without walking what they stand for',
  async () => {
    const nested = `type Query { n: N } type N { id: ID n: [N!]! }`;
    const deep = createAnswer({ schema: buildSchema(nested), execute: neverExecuted() });
    const fragments = Array.from(
      { length: 120 },
      (_, at) => `fragment F${at} on N { a: n { ...F${at + 1} } b: n { ...F${at + 1} } }`,
    );
    const query = `{ n { ...F0 } } ${fragments.join(' ')} fragment F120 on N { id }`;
    await costsAtMost(100, async () => {
      assert.is((await refusalOf(query, {}, deep)).code, 'QUERY_TOO_COMPLEX');
    });
  },
);

limits('D1: should refuse a fragment cycle as invalid before anything is counted', async () => {
  const query = '{ venues { ...A } } fragment A on Venue { id ...B } fragment B on Venue { ...A }';
  assert.match(await outcome(query), /^GRAPHQL_VALIDATION_FAILED: Cannot spread fragment "A" within itself/);
});

limits('D2: should let introspection as clients send it pass', async () => {
  const variants = [
    {},
    { descriptions: false },
    {
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
    },
    { oneOf: true },
  ];
  for (const variant of variants) assert.is(await outcome(getIntrospectionQuery(variant)), 'ok');
});

limits("D2: should leave introspection nested too deep to graphql-js's own rule", async () => {
  const query = `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`;
  assert.ok(validate(schema, parse(query)).length > 0);
  assert.match(await outcome(query), /^GRAPHQL_VALIDATION_FAILED/);
});

limits('D2: should refuse introspection that many aliases blow up', async () => {
  const aliases = (count: number, inner: string) =>
    Array.from({ length: count }, (_, at) => `a${at}: ${inner}`).join(' ');
  const query = `{ __schema { ${aliases(30, 'types { ...T }')} } } fragment T on __Type { ${aliases(30, 'fields { ...F }')} }
    fragment F on __Field { ${aliases(100, 'name')} }`;
  assert.match(await outcome(query), /^QUERY_TOO_COMPLEX: The answer could hold \d+ fields/);
});

limits('D1: should refuse variables of the wrong type as invalid, naming the variable', async () => {
  const query = 'query ($id: String!) { eventByID(eventID: $id) { id } }';
  assert.is(
    await outcome(query, { variables: { id: 5 } }),
    'GRAPHQL_VALIDATION_FAILED: Variable "$id" got invalid value 5; String cannot represent a non string value: 5',
  );
  assert.match(await outcome(query), /^GRAPHQL_VALIDATION_FAILED: Variable "\$id" of required type/);
});

limits('D1: should refuse an unknown or ambiguous operation name as a bad request', async () => {
  const two = 'query A { venues { id } } query B { venues { name } }';
  assert.is(await outcome(two, { operationName: 'A' }), 'ok');
  assert.match(await outcome(two), /^BAD_REQUEST: .*"operationName"/);
  assert.match(await outcome(two, { operationName: 'C' }), /^BAD_REQUEST/);
  assert.match(await outcome('fragment F on Venue { id }'), /^GRAPHQL_VALIDATION_FAILED|^BAD_REQUEST/);
});

limits('D1: should refuse kinds of operation that the schema does not have as invalid', async () => {
  assert.is(
    await outcome('mutation { __typename }'),
    'GRAPHQL_VALIDATION_FAILED: The schema has no mutation operations.',
  );
  assert.is(
    await outcome('subscription { __typename }'),
    'GRAPHQL_VALIDATION_FAILED: The schema has no subscription operations.',
  );
});

limits('D1: should cut short what it repeats of a long request', async () => {
  const message = await outcome(`{ ${'a'.repeat(100_000)} }`);
  assert.ok(message.length < 1_200);
});

limits('should give the same document object for the same text, and the same refusal', async () => {
  const documents = createDocuments(schema);
  for (const text of ['{ venues { id } }', '{ nothing }']) {
    assert.is(documents.read(text), documents.read(text));
  }
});

limits('should forget documents rather than hold more bytes than allowed', async () => {
  const { read } = createDocuments(schema, 20_000);
  const first = read('{ venues { id } }');
  for (let at = 0; at < 50; at++) read(`{ a${at}: venues { id } }`);
  assert.is.not(read('{ venues { id } }'), first);
});

limits.run();
