import { parse, specifiedRules, validate } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDocuments } from '../../src/serve/graphql/documents.ts';
import { createExecute, createExecuteRequest, isRefusal } from '../../src/serve/graphql/execute.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { times } from '../helpers/random-operations.ts';
import { costsAtMost } from '../helpers/usage.ts';

const mask = (thrown: unknown): string => {
  throw new Error('expected only errors that are foreseen', { cause: thrown });
};

const test = suite('documents');

/** `ok`, or the code and message of the refusal. */
function verdict(text: string): string {
  const found = createDocuments(schema).read(text);
  return 'refusal' in found ? `${found.refusal.code}: ${found.refusal.errors[0]?.message}` : 'ok';
}

test('should say where a variable of the wrong type is declared', async () => {
  const answer = createExecuteRequest({ schema, execute: createExecute(mask) });
  const query = 'query ($size: Int) { events(filter: {tag: "a"}, pageSize: $size) { totalCount } }';
  const refusal = await answer({ query, variables: { size: 'x' }, operationName: undefined }, () => {
    throw new Error('expected no execution');
  });
  assert.ok(isRefusal(refusal) && refusal.code === 'GRAPHQL_VALIDATION_FAILED');
  assert.equal(refusal.errors[0]?.locations, [{ line: 1, column: 8 }]);
});

test('D14: should cache a document that comes again, and forget all when memory is short', () => {
  const { read, clear } = createDocuments(schema);
  const texts = ['{ eventBySlug(eventSlug: "x") { id } }', '{ nothing }'];
  const once = texts.map(read);
  const known = texts.map(read);
  assert.ok(known.every((document, place) => document !== once[place]));
  assert.equal(
    texts.map((text, place) => read(text) === known[place]),
    [true, true],
  );
  clear();
  assert.equal(
    texts.map((text, place) => read(text) === known[place]),
    [false, false],
  );
});

test('D14: should forget documents rather than hold more bytes than allowed', () => {
  const { read } = createDocuments(schema, 20_000);
  const known = () => [read('{ venues { id } }'), read('{ venues { id } }')][1];
  const first = known();
  for (let at = 0; at < 50; at++) for (const text of [`{ a${at}: venues { id } }`]) read(text) && read(text);
  assert.is.not(known(), first);
});

test('D2: should look up the lines of errors once, however many lines and errors there are', async () => {
  const lines = '\n'.repeat(250_000);
  const texts: Readonly<Record<string, string>> = {
    'unknown fields': `${lines}{ ${'nothing '.repeat(30)}}`,
    'a variable that is declared 400 times': `${lines}query (${'$a: Int '.repeat(400)}) { venues { id } }`,
    'variables that nobody uses': `${lines}query (${Array.from({ length: 60 }, (_, at) => `$v${at}: Int`).join()}) { venues { id } }`,
  };
  for (const [name, text] of Object.entries(texts)) {
    const work = () => {
      const found = createDocuments(schema).read(text);
      assert.is('refusal' in found && found.refusal.errors[0]?.locations?.[0]?.line, 250_001);
    };
    await costsAtMost(10, work, { what: name });
  }
});

test('D2: should refuse a field that stands more than 100 times in a document', () => {
  const refused = (field: string) =>
    `QUERY_TOO_COMPLEX: The document selects ${field} 101 times; the limit is 100.`;
  const each = (count: number) => `{events{data{${times(count, () => 'venue{id}')}}}}`;
  assert.equal([each(100), each(101)].map(verdict), ['ok', refused('Event.venue')]);
  const aliased = (count: number) => `{events{data{${times(count, () => 'a:id')}}}}`;
  assert.equal([aliased(100), aliased(101)].map(verdict), ['ok', refused('Event.a')]);
  const spread = (count: number) =>
    `{events{data{${times(count, (at) => `...F${at}`)}}}} ${times(count, (at) => `fragment F${at} on Event{id}`)}`;
  assert.equal([spread(100), spread(101)].map(verdict), ['ok', refused('Event.id')]);
});

/** A document for each rule that is only run where the text can break it. */
const BROKEN: readonly string[] = [
  '{ venues @unknown { id } }',
  '{ venues { id @skip(if: true) @skip(if: true) } }',
  '{ venues { id @skip } }',
  'query Q @skip(if: true) { venues { id } }',
  `{ __schema { types { ${'fields { type { '.repeat(3)} name ${'} } '.repeat(3)} } } }`,
  'subscription { venues { id } }',
  'subscription S { a: venues { id } b: venues { id } }',
  '{ eventByID(eventID: $id) { id } }',
  'query ($id: String!) { venues { id } }',
  'query ($id: String!, $id: String!) { eventByID(eventID: $id) { id } }',
  'query ($id: Event) { venues { id } }',
  'query ($id: Unknown) { venues { id } }',
  'query ($id: Int!) { eventByID(eventID: $id) { id } }',
  '{ venues { ... on String { id } } }',
  '{ venues { ... on Unknown { id } } }',
  '{ venues { ... on Organizer { id } } }',
  '{ venues { ...Unknown } }',
  '{ venues { id } } fragment F on Venue { id }',
  '{ venues { ...F } } fragment F on Venue { id ...F }',
  '{ venues { ...F } } fragment F on Venue { id } fragment F on Venue { name }',
  '{ venues { ...F } } fragment F on String { id }',
];

test('D1: should find each fault that graphql-js finds by all of its rules', () => {
  for (const text of BROKEN) {
    const found = createDocuments(schema).read(text);
    const messages = 'refusal' in found ? found.refusal.errors.map(({ message }) => message) : [];
    const expected = validate(schema, parse(text), specifiedRules).map(({ message }) => message);
    const ownRule = text.startsWith('subscription') ? ['The schema has no subscription operations.'] : [];
    assert.equal([...messages].sort(), [...expected, ...ownRule].sort(), text);
  }
});

test('D1: should find a fault in a document that differs from a valid one by a value alone', () => {
  const { read } = createDocuments(schema);
  const isValid = (text: string) => !('refusal' in read(text));
  const page = (value: string, more = '') =>
    `{ events(filter: {tag: "a"}, page: ${value}) { totalCount } ${more} }`;
  assert.ok(isValid(page('1')) && isValid(page('2')) && isValid(page('123456789 # many\n')));
  const wrong = ['Int', '"1"', '1.5', 'true', '[1', '2147483648', '-2147483649', '99999999999', '1, page: 1'];
  assert.equal(
    wrong.filter((value) => isValid(page(value))),
    [],
  );
  assert.ok(isValid(page('2147483647')) && !isValid(page('2147483648')));
  const twice = (value: string) => page('1', `events(filter: {tag: "a"}, page: ${value}) { totalCount }`);
  assert.equal([isValid(twice('1')), isValid(twice('2')), isValid(twice('1'))], [true, false, true]);
  const period = (value: string) => `{ events(filter: {period: ${value}}) { totalCount } }`;
  assert.equal(
    [isValid(period('WEEK')), isValid(period('week')), isValid(period('"WEEK"'))],
    [true, false, false],
  );
});

test('D2: should count the same name in other types by itself', () => {
  const entities = 'venue{id name __typename} organizers{id name __typename} images{alt __typename}';
  const lists = times(20, (at) => `l${at}:events{data{id __typename ${entities}} __typename}`);
  assert.is(verdict(`{${lists}}`), 'ok');
});

test('D1: should say where the first fields stand that cannot be merged', () => {
  const found = createDocuments(schema).read(
    '{\n venues{id}\n venues{a:id}\n events{data{id}}\n venues{a:name}\n}',
  );
  const lines = 'refusal' in found && found.refusal.errors[0]?.locations?.map(({ line }) => line);
  assert.equal(lines, [3, 3, 5, 5]);
});

const LEAVES = 'id title_nb title_en mode startDate endDate startTime duration desc_nb desc_en views allDay';

/** Documents of up to 2,000 tokens that make the comparison of fields as long as it can be. */
const REPEATS: Readonly<Record<string, string>> = {
  'twelve fields': `{events{data{${times(100, () => LEAVES)}}}}`,
  'a field with many below': `{events{data{${times(100, () => 'venue{id name slug address postalCode municipality}')}}}}`,
  'a field with levels below': `{${times(100, () => 'events{data{repetitions{venue{location{latitude}}}}}')}}`,
  'a field with arguments': `{${times(90, () => 'events(filter:{tag:"a",mode:"b"},page:0){totalCount}')}}`,
  'fields in fragments': `{events{data{${times(90, (at) => `...A${at}`)}}}} ${times(90, (at) => `fragment A${at} on Event{venue{id name}}`)}`,
  'fragments within fields': `{events{data{${times(100, () => 'venue{...A ...B}')}}}} fragment A on Venue{${times(90, () => 'id name slug')}} fragment B on Venue{${times(9, () => 'id name slug')}}`,
  'fragments within one another': `{events{data{...A0}}} ${times(95, (at) => `fragment A${at} on Event{${at < 94 ? `...A${at + 1}` : ''} id venue{id name}}`)}`,
};

for (const [what, text] of Object.entries(REPEATS)) {
  test(`D2: should compare repeated fields at a bounded cost: ${what}`, async () => {
    await costsAtMost(8, () => assert.is(verdict(text), 'ok'), { what });
  });
}

test.run();
