import { buildSchema, parse, validate } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CalendarError } from '../../src/calendar/errors.ts';
import { createDocuments } from '../../src/serve/graphql/documents.ts';
import type { Execute } from '../../src/serve/graphql/execute.ts';
import { createExecuteRequest } from '../../src/serve/graphql/execute.ts';
import type { Parameters } from '../../src/serve/graphql/operation.ts';
import { refusalFor } from '../../src/serve/graphql/refusal.ts';

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
const answer = createExecuteRequest({ schema, execute: neverExecuted() });

function neverExecuted(): Execute {
  return async () => {
    throw new Error('expected no operation to run');
  };
}

/** Of a request for which there is no snapshot: a refusal in any case. */
async function refusalOf(query: string, more: Partial<Parameters> = {}, of = answer) {
  const basis = () => {
    throw new CalendarError('SERVICE_UNAVAILABLE', 'none');
  };
  const refused = await of({ query, variables: {}, operationName: undefined, ...more }, basis).catch(
    (thrown) => refusalFor(thrown, String),
  );
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

limits('D1: should refuse a fragment cycle as invalid before anything is counted', async () => {
  const query = '{ venues { ...A } } fragment A on Venue { id ...B } fragment B on Venue { ...A }';
  assert.match(await outcome(query), /^GRAPHQL_VALIDATION_FAILED: Cannot spread fragment "A" within itself/);
});

limits("D2: should leave introspection nested too deep to graphql-js's own rule", async () => {
  const query = `{ __schema { types { fields { type { fields { type { fields { name } } } } } } } }`;
  assert.ok(validate(schema, parse(query)).length > 0);
  assert.match(await outcome(query), /^GRAPHQL_VALIDATION_FAILED/);
});

limits(
  'D2: should accept 2,000 entries of a list in the variables and refuse 2,001, before they are read',
  async () => {
    const query = 'query ($slugs: [String]!) { eventsBySlugs(eventsSlugs: $slugs) { id } }';
    const variables = (entries: number) => ({ variables: { slugs: Array(entries).fill('a') } });
    assert.is(await outcome(query, variables(2_000)), 'ok');
    assert.is(
      await outcome(query, variables(2_001)),
      'QUERY_TOO_COMPLEX: A list in the variables has 2001 entries; the limit is 2000.',
    );
    assert.is(await outcome('{ venues { id } }', variables(2_001)), 'ok');
  },
);

limits('should give the same document object for the same text, and the same refusal', async () => {
  const documents = createDocuments(schema);
  for (const text of ['{ venues { id } }', '{ nothing }']) {
    documents.read(text);
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
