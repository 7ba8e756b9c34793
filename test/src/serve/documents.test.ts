/** D1, D2: how a document is read, validated and cached. */
import { getArgumentValues, Kind, parse, specifiedRules, validate } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDocuments, type Documents, type ReadDocument } from '../../../src/serve/graphql/documents.ts';
import { createOperationReader } from '../../../src/serve/graphql/operation.ts';
import { isRefusal, type Refusal, Refused } from '../../../src/serve/graphql/refusal.ts';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { randomTexts } from '../../helpers/random-documents.ts';
import { times } from '../../helpers/random-operations.ts';
import { IS_LONG } from '../../helpers/run-options.ts';
import { randomFrom } from '../../oracle/random.ts';

const test = suite('documents');

const DOCUMENTS = IS_LONG ? 50_000 : 3_000;

/** The document, or why there is none. */
function readBy(read: Documents['read'], text: string): ReadDocument | Refusal {
  try {
    const document = read(text);
    return document.faults[0]?.refusal ?? document;
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown.refusal;
    throw thrown;
  }
}

const errorsIn = (text: string, read = createDocuments(schema).read) => {
  const found = readBy(read, text);
  return isRefusal(found) ? found.errors : [];
};
const messageIn = (text: string) => errorsIn(text)[0]?.message ?? 'ok';

test('D14: should cache a document that comes again, and forget all when memory is short', () => {
  const { read, clear } = createDocuments(schema);
  const contentOf = (text: string) => readBy(read, text);
  for (const text of ['{ venues { id } }', '{ nothing }', '{ eventBySlug(eventSlug: "x") { id } }']) {
    const cached = contentOf(text);
    assert.is(contentOf(text), cached, text);
    clear();
    assert.is.not(contentOf(text), cached, text);
  }
});

/** The second and the third become one text where the block string of the first is taken for two strings. */
const ALIKE = [
  '{eventByID(eventID:""""){ id title_nb } # """) {id}\n}',
  '{eventByID(eventID:"evt-132"){ id title_nb } # """) {id}\n}',
  '{eventByID(eventID:"evt-133"){ id title_nb } # """) {id}\n}',
  '{eventByID(eventID:"""){ id title_nb } # """) {id}\n}',
];

test('D1: should read each document independently of similar ones', () => {
  for (const texts of [ALIKE, ALIKE.toReversed()]) {
    const { read } = createDocuments(schema);
    for (const text of texts) assert.equal(meaningOf(text, read), meaningOf(text), text);
  }
});

test('D1: should read a random document as a fresh parser does', () => {
  const { read } = createDocuments(schema, 1_000_000);
  const next = randomTexts(randomFrom(31));
  const alone = new Map<string, ReturnType<typeof meaningOf>>();
  let valid = 0;
  for (let nth = 0; nth < DOCUMENTS; nth++) {
    const text = next();
    const meaning = meaningOf(text, read);
    const expected = alone.get(text) ?? meaningOf(text);
    alone.set(text, expected);
    assert.equal(meaning, expected, `document ${nth}: ${JSON.stringify(text)}`);
    if ('operations' in meaning) valid++;
  }
  // A comparison of nothing but faults would prove little.
  assertAbove(valid, DOCUMENTS * 0.2, 'valid documents');
});

/** The verdict on a text; for a valid one, what each of its operations answers. */
function meaningOf(text: string, read = createDocuments(schema).read) {
  const document = readBy(read, text);
  if (isRefusal(document)) return { refusal: document };
  const operations = document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
    const { roots, values } = prepare(document, definition, { query: text, variables: {} });
    return roots.map(({ key, name, nodes, selections }) => {
      const field = schema.getQueryType()?.getFields()[name];
      return { key, name, selections, args: field && argumentsOf(field, nodes[0], values) };
    });
  });
  return { operations };
}

const prepare = createOperationReader(schema);

/** A fault of a value comes to light here. */
function argumentsOf(...given: Parameters<typeof getArgumentValues>) {
  try {
    return getArgumentValues(...given);
  } catch (thrown) {
    return `${thrown}`;
  }
}

test('D14: should forget documents rather than hold more bytes than allowed', () => {
  const { read } = createDocuments(schema, 20_000);
  const first = read('{ venues { id } }');
  for (let at = 0; at < 50; at++) {
    read(`{ a${at}: venues { id } }`);
    read(`{ a${at}: venues { id } }`);
  }
  assert.is.not(read('{ venues { id } }'), first);
});

test('D14: should keep a document that comes again, however many come once', () => {
  const { read } = createDocuments(schema, 100_000);
  for (let at = 0; at < 50; at++) read(`{ a${at}: venues { id } }`);
  read('{ venues { id } }');
  const again = read('{ venues { id } }');
  for (let at = 50; at < 100; at++) read(`{ a${at}: venues { id } }`);
  assert.is(read('{ venues { id } }'), again);
  const once = '{ once: venues { id } }';
  assert.is.not(read(once), read(once), 'a document that came once takes no room');
});

const LINES = '\n'.repeat(250_000);

for (const text of [
  `{ ${'nothing '.repeat(30)}}`,
  `query (${'$a: Int '.repeat(400)}) { venues { id } }`,
  `query (${times(60, (at) => `$v${at}: Int`)}) { venues { id } }`,
]) {
  test(`D2: should look up the lines of errors once, however many there are: ${text.slice(0, 30)}`, async () => {
    await costsAtMost(10, () => assert.is(errorsIn(LINES + text)[0]?.locations?.[0]?.line, 250_001));
  });
}

/** The same field so many times. */
const REPEATED: Readonly<Record<string, (count: number) => string>> = {
  'Event.venue': (count) => `{events{data{${times(count, () => 'venue{id}')}}}}`,
  'Event.a': (count) => `{events{data{${times(count, () => 'a:id')}}}}`,
  'Event.id': (count) =>
    `{events{data{${times(count, (at) => `...F${at}`)}}}} ${times(count, (at) => `fragment F${at} on Event{id}`)}`,
};

test('D2: should refuse a field that a document selects more than 100 times, by type', () => {
  for (const [field, write] of Object.entries(REPEATED)) {
    const refused = `The document selects 101 fields with the same name; the limit is 100: ${field}`;
    assert.equal([100, 101].map(write).map(messageIn), ['ok', refused]);
  }
  const entities = 'venue{id name __typename} organizers{id name __typename} images{alt __typename}';
  const lists = times(20, (at) => `l${at}:events{data{id __typename ${entities}} __typename}`);
  assert.is(messageIn(`{${lists}}`), 'ok');
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
    const messages = errorsIn(text).map(({ message }) => message);
    const expected = validate(schema, parse(text), specifiedRules).map(({ message }) => message);
    const ownRule = text.startsWith('subscription') ? ['The schema has no subscription operations.'] : [];
    assert.equal([...messages].sort(), [...expected, ...ownRule].sort(), text);
  }
});

const NEAR = ['', ' , latitude: 2', ', nothing: 1', ', area: {}'].map(
  (more) => `near: {latitude: 1, longitude: 1, km: 1${more}}`,
);

test('D1: should find a fault in a document that differs from a valid one by a value alone', () => {
  const { read } = createDocuments(schema);
  const areValid = (values: readonly string[], write: (value: string) => string) =>
    values.map((value) => errorsIn(write(value), read).length === 0);
  const events = (args: string) => `events(filter: {tag: "a"}, page: ${args}) { totalCount }`;
  const good = ['1', '2', '123456789 # many\n', '2147483647'];
  assert.equal([...new Set(areValid(good, (page) => `{ ${events(page)} }`))], [true]);
  const wrong = ['Int', '"1"', '1.5', 'true', '[1', '2147483648', '-2147483649', '99999999999', '1, page: 1'];
  assert.equal([...new Set(areValid(wrong, (page) => `{ ${events(page)} }`))], [false]);
  const merged = areValid(['1', '2', '1'], (page) => `{ ${events('1')} ${events(page)} }`);
  assert.equal(merged, [true, false, true]);
  const filters = areValid(
    ['period: WEEK', 'period: week', 'period: "WEEK"', 'tag: "a", tag: "b"', 'nothing: 1', ...NEAR],
    (filter) => `{ events(filter: {${filter}}) { hasMore } }`,
  );
  assert.equal(filters, [true, false, false, false, false, true, false, false, false]);
  const ids = ['eventID: "a"', 'eventID: null', 'id: "a"', 'eventID: "a", id: "a"', 'eventID: "b"'];
  assert.equal(
    areValid(ids, (id) => `{ eventByID(${id}) { id } }`),
    [true, false, false, false, true],
  );
});

test('D1: should say where the first fields stand that cannot be merged', () => {
  const [error] = errorsIn('{\n venues{id}\n venues{a:id}\n events{data{id}}\n venues{a:name}\n}');
  assert.equal(
    error?.locations?.map(({ line }) => line),
    [3, 3, 5, 5],
  );
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
    await costsAtMost(8, () => assert.is(messageIn(text), 'ok'));
  });
}

test.run();
