import { buildSchema, getIntrospectionQuery, parse, validate } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createPrepare, isRefusal, type Parameters } from '../../src/serve/graphql/prepare.ts';
import { cpuOf } from '../helpers/usage.ts';

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
const prepare = createPrepare(schema);

/** `ok`, or `CODE: message` of the first error. */
function outcome(query: string, more: Partial<Parameters> = {}): string {
  const result = prepare({ query, variables: {}, operationName: undefined, ...more });
  if (!isRefusal(result)) return 'ok';
  const [error] = result.errors;
  assert.is(error?.extensions?.code, result.code);
  return `${result.code}: ${error?.message}`;
}

const fieldsRefused = (figure: number) =>
  `QUERY_TOO_COMPLEX: The answer could hold ${figure} fields; the limit is 200000.`;
const tokensRefused = (figure: string) =>
  `QUERY_TOO_COMPLEX: The document has ${figure} tokens; the limit is 2000.`;

const limits = suite('limits');

limits('D2: should accept 2,000 tokens and refuse 2,001, naming both figures', () => {
  const document = (tokens: number) =>
    `{ eventsBySlugs(eventsSlugs: [${'"a" '.repeat(tokens - 12)}]) { id } }`;
  assert.is(outcome(document(2_000)), 'ok');
  assert.is(outcome(document(2_001)), tokensRefused('2001'));
});

limits('D2: should stop counting tokens of a document that is far too long', () => {
  assert.is(outcome(`{ ${'id '.repeat(80_000)}}`), tokensRefused('more than 20000'));
});

limits('D2: should count neither commas nor comments as tokens', () => {
  assert.is(outcome(`# ${'a '.repeat(5_000)}\n{ ${','.repeat(5_000)} venues { id } }`), 'ok');
});

limits('D1: should tell a syntax error from a document that is too long', () => {
  assert.match(
    outcome('{ venues { id }'),
    /^GRAPHQL_PARSE_FAILED: Syntax Error: Expected Name, found <EOF>\.$/,
  );
});

limits('D2: should accept 20 root fields and refuse 21, aliases counted one by one', () => {
  const document = (count: number) =>
    `{ ${Array.from({ length: count }, (_, at) => `a${at}: venues { id }`).join(' ')} }`;
  assert.is(outcome(document(20)), 'ok');
  assert.is(outcome(document(21)), 'QUERY_TOO_COMPLEX: The operation has 21 root fields; the limit is 20.');
});

limits('D2: should find root fields inside fragments, and count a response key once', () => {
  const fields = Array.from({ length: 21 }, (_, at) => `a${at}: __typename`).join(' ');
  const refused = 'QUERY_TOO_COMPLEX: The operation has 21 root fields; the limit is 20.';
  assert.is(outcome(`{ ...F } fragment F on Query { ... { ${fields} } }`), refused);
  assert.is(outcome(`{ ${'__typename '.repeat(21)}}`), 'ok');
});

limits('D2: should count each field of the page once an entry, with the page size of a literal', () => {
  const aliases = (count: number) => Array.from({ length: count }, (_, at) => `a${at}: id`).join(' ');
  assert.is(outcome(`{ events(pageSize: 1000) { data { ${aliases(199)} } } }`), 'ok');
  // 1 for `events`, 1 for `data`, 200 for each of 1,000 entries.
  assert.is(outcome(`{ events(pageSize: 1000) { data { ${aliases(200)} } } }`), fieldsRefused(200_002));
  assert.is(outcome(`{ events { data { ${aliases(300)} } } }`), 'ok');
});

limits('D2: should take the page size from a variable, its default, or the schema', () => {
  const aliases = Array.from({ length: 250 }, (_, at) => `a${at}: id`).join(' ');
  const query = `query ($size: Int) { events(pageSize: $size) { data { ${aliases} } } }`;
  assert.is(outcome(query, { variables: { size: 1000 } }), fieldsRefused(250_002));
  assert.is(outcome(query, { variables: { size: 100 } }), 'ok');
  assert.is(outcome(query, { variables: { size: null } }), 'ok');
  assert.is(outcome(query), 'ok');
  assert.is(outcome(query.replace('Int', 'Int = 1000')), fieldsRefused(250_002));
});

limits('B7: should count a page size above 1000 as the 1000 that is served', () => {
  assert.is(outcome('{ events(pageSize: 2000000000) { data { id title_nb } } }'), 'ok');
  assert.is(outcome('{ events(pageSize: -2000000000) { data { id title_nb } } }'), 'ok');
});

limits('D2: should let one page of 1,000 events with 60 fields pass', () => {
  const sixty = `id title_nb tags venue { id name } images { alt } ${Array.from({ length: 50 }, (_, at) => `a${at}: id`).join(' ')} repetitions { startDate }`;
  assert.is(outcome(`{ events(pageSize: 1000) { totalCount data { ${sixty} } venues { id name } } }`), 'ok');
});

limits('D2: should multiply lists inside lists by their estimates', () => {
  // Each entry: repetitions 1 + 4 × (startDate 1 + venue 1 + 40 inside it) = 169, ten times through aliases.
  const venue = Array.from({ length: 40 }, (_, at) => `a${at}: name`).join(' ');
  const repetitions = (at: number) => `r${at}: repetitions { startDate venue { ...V } }`;
  const all = Array.from({ length: 10 }, (_, at) => repetitions(at)).join(' ');
  const query = `{ events(pageSize: 1000) { data { ${all} } } } fragment V on Venue { ${venue} }`;
  assert.is(outcome(query), fieldsRefused(2 + 1000 * 10 * 169));
});

limits('D2: should count the entries of eventsBySlugs by the slugs asked for', () => {
  const aliases = Array.from({ length: 300 }, (_, at) => `a${at}: id`).join(' ');
  const query = `query ($slugs: [String]!) { eventsBySlugs(eventsSlugs: $slugs) { ${aliases} } }`;
  assert.is(outcome(query, { variables: { slugs: Array(100).fill('a') } }), 'ok');
  assert.is(outcome(query, { variables: { slugs: Array(1_000).fill('a') } }), fieldsRefused(300_001));
});

limits('D2: should count fields behind @skip and @include as present', () => {
  const aliases = Array.from({ length: 250 }, (_, at) => `a${at}: id`).join(' ');
  const query = `query ($no: Boolean!) { events(pageSize: 1000) { data { ... @include(if: $no) { ${aliases} } } } }`;
  assert.is(outcome(query, { variables: { no: false } }), fieldsRefused(250_002));
});

limits('D2: should refuse fragments that double at every level, without walking what they stand for', () => {
  const nested = `type Query { n: N } type N { id: ID n: [N!]! }`;
  const deep = createPrepare(buildSchema(nested));
  const fragments = Array.from(
    { length: 120 },
    (_, at) => `fragment F${at} on N { a: n { ...F${at + 1} } b: n { ...F${at + 1} } }`,
  );
  const query = `{ n { ...F0 } } ${fragments.join(' ')} fragment F120 on N { id }`;
  const cpu = cpuOf(() => {
    const result = deep({ query, variables: {}, operationName: undefined });
    assert.ok(isRefusal(result));
    assert.is(result.code, 'QUERY_TOO_COMPLEX');
  });
  assert.ok(cpu < 2_000);
});

limits('D1: should refuse a fragment cycle as invalid before anything is counted', () => {
  const query = '{ venues { ...A } } fragment A on Venue { id ...B } fragment B on Venue { ...A }';
  assert.match(outcome(query), /^GRAPHQL_VALIDATION_FAILED: Cannot spread fragment "A" within itself/);
});

limits('D2: should let introspection as clients send it pass', () => {
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
  for (const variant of variants) assert.is(outcome(getIntrospectionQuery(variant)), 'ok');
});

limits("D2: should leave introspection nested too deep to graphql-js's own rule", () => {
  const query = `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`;
  assert.ok(validate(schema, parse(query)).length > 0);
  assert.match(outcome(query), /^GRAPHQL_VALIDATION_FAILED/);
});

limits('D2: should refuse introspection that many aliases blow up', () => {
  const aliases = (count: number, inner: string) =>
    Array.from({ length: count }, (_, at) => `a${at}: ${inner}`).join(' ');
  const query = `{ __schema { ${aliases(30, 'types { ...T }')} } } fragment T on __Type { ${aliases(30, 'fields { ...F }')} }
    fragment F on __Field { ${aliases(100, 'name')} }`;
  assert.match(outcome(query), /^QUERY_TOO_COMPLEX: The answer could hold \d+ fields/);
});

limits('D1: should refuse variables of the wrong type as invalid, naming the variable', () => {
  const query = 'query ($id: String!) { eventByID(eventID: $id) { id } }';
  assert.is(
    outcome(query, { variables: { id: 5 } }),
    'GRAPHQL_VALIDATION_FAILED: Variable "$id" got invalid value 5; String cannot represent a non string value: 5',
  );
  assert.match(outcome(query), /^GRAPHQL_VALIDATION_FAILED: Variable "\$id" of required type/);
});

limits('D1: should refuse an unknown or ambiguous operation name as a bad request', () => {
  const two = 'query A { venues { id } } query B { venues { name } }';
  assert.is(outcome(two, { operationName: 'A' }), 'ok');
  assert.match(outcome(two), /^BAD_REQUEST: .*"operationName"/);
  assert.match(outcome(two, { operationName: 'C' }), /^BAD_REQUEST/);
  assert.match(outcome('fragment F on Venue { id }'), /^GRAPHQL_VALIDATION_FAILED|^BAD_REQUEST/);
});

limits('D1: should refuse kinds of operation that the schema does not have as invalid', () => {
  assert.is(
    outcome('mutation { __typename }'),
    'GRAPHQL_VALIDATION_FAILED: The schema has no mutation operations.',
  );
  assert.is(
    outcome('subscription { __typename }'),
    'GRAPHQL_VALIDATION_FAILED: The schema has no subscription operations.',
  );
});

limits('D1: should cut short what it repeats of a long request', () => {
  const message = outcome(`{ ${'a'.repeat(100_000)} }`);
  assert.ok(message.length < 1_200);
});

limits('should give the same document object for the same text, and the same refusal', () => {
  const twice = (query: string) =>
    [0, 1].map(() => prepare({ query, variables: {}, operationName: undefined }));
  const [one, two] = twice('{ venues { id } }');
  assert.ok(one !== undefined && two !== undefined && !isRefusal(one) && !isRefusal(two));
  assert.is(one.operation.document, two.operation.document);
  const [refused, again] = twice('{ nothing }');
  assert.is(refused, again);
});

limits('should forget documents rather than hold more bytes than allowed', () => {
  const small = createPrepare(schema, { maxBytes: 20_000 });
  const read = (query: string) => {
    const result = small({ query, variables: {}, operationName: undefined });
    assert.not(isRefusal(result));
    return isRefusal(result) ? undefined : result.operation.document;
  };
  const first = read('{ venues { id } }');
  for (let at = 0; at < 50; at++) read(`{ a${at}: venues { id } }`);
  assert.is.not(read('{ venues { id } }'), first);
});

limits.run();
