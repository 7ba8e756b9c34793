/** Documents that differ in the values of literals share what was worked out of one of them: nobody may see that. */
import { GraphQLError, isScalarType, isSpecifiedScalarType, parse, print } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createAnswer, isRefusal } from '../../src/serve/graphql/answer.ts';
import { createDocuments } from '../../src/serve/graphql/documents.ts';
import { normaliseText, tokensOf } from '../../src/serve/graphql/normalise.ts';
import { createExecute } from '../../src/serve/graphql/operation.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { createOrdinaryExecute } from '../helpers/ordinary-execute.ts';
import { type Random, randomOperation, seeded } from '../helpers/random-operations.ts';
import { asSent, BUILT_AT, openSample, type Sample, wholeSample } from '../helpers/sample.ts';
import { costsAtMost } from '../helpers/usage.ts';

const OPERATIONS = process.env.ALMANAKK_TEST_LONG === '1' ? 3_000 : 150;
const VARIANTS = 5;

const mask = (thrown: unknown): string => {
  throw new Error('expected only errors that are foreseen', { cause: thrown });
};

const test = suite<Partial<Sample>>('documents');

test.before(async (context) => {
  Object.assign(context, await openSample());
});
test.after(async ({ snapshot }) => snapshot?.close());

test('should judge and answer each of many like documents as if it were the first', async (context) => {
  const { snapshot, values } = wholeSample(context);
  const execute = createExecute(mask);
  const executeAnew = createOrdinaryExecute(mask);
  const moment = () => ({ snapshot, now: BUILT_AT });
  let compiled: object | undefined;
  const answer = createAnswer({
    schema,
    execute: (operation, at) => {
      ({ compiled } = operation);
      return execute(operation, at);
    },
  });
  const known = new Set<object>();
  let shared = 0;
  for (let seed = 1; seed <= OPERATIONS; seed++) {
    const random = seeded(seed);
    const { query, variables } = randomOperation(schema, random, values);
    for (let variant = 0; variant < VARIANTS; variant++) {
      const like = {
        query: variant === 0 ? query : vary(query, random),
        variables,
        operationName: undefined,
      };
      compiled = undefined;
      const again = await answer(like, moment);
      const anew = await createAnswer({ schema, execute: executeAnew })(like, moment);
      const about = `seed ${seed}, variant ${variant}: ${JSON.stringify(like)}`;
      if (isRefusal(again) || isRefusal(anew)) assert.equal(again, anew, about);
      else assert.equal(asSent(again), asSent(anew), about);
      if (compiled === undefined) continue;
      if (variant > 0 && known.has(compiled)) shared++;
      known.add(compiled);
    }
  }
  assert.ok(shared > OPERATIONS * 0.4, `only ${shared} documents were like others`);
});

/** Pairs of which the second is not what the first is, though only values differ. */
const UNLIKE: Readonly<Record<string, readonly [good: string, bad: string]>> = {
  'a number within 32 bits and one beyond': [
    '{ events(page: 1) { totalCount } }',
    '{ events(page: 12345678901) { totalCount } }',
  ],
  'a whole number and a fraction': [
    '{ events(page: 1) { totalCount } }',
    '{ events(page: 1.5) { totalCount } }',
  ],
  'a string and a number': ['{ eventBySlug(eventSlug: "1") { id } }', '{ eventBySlug(eventSlug: 1) { id } }'],
  'equal and different arguments of one field': [
    '{ events(page: 1) { totalCount } events(page: 1) { hasMore } }',
    '{ events(page: 1) { totalCount } events(page: 2) { hasMore } }',
  ],
  'equal and different lists of one field': [
    '{ eventsBySlugs(eventsSlugs: ["a", "b"]) { id } eventsBySlugs(eventsSlugs: ["a", "b"]) { id } }',
    '{ eventsBySlugs(eventsSlugs: ["a", "b"]) { id } eventsBySlugs(eventsSlugs: ["a b"]) { id } }',
  ],
  'objects with fields that their type has and has not': [
    '{ events(filter: {tag: "a", mode: "online"}) { totalCount } }',
    '{ events(filter: {tag: "a", mod: "online"}) { totalCount } }',
  ],
  'a field that stands once and one that stands twice': [
    '{ events(filter: {tag: "a", mode: "online"}) { totalCount } }',
    '{ events(filter: {tag: "a", tag: "a"}) { totalCount } }',
  ],
  'objects with values that fit and that do not': [
    '{ events(filter: {onlyFeatured: true, tag: "a"}) { totalCount } }',
    '{ events(filter: {onlyFeatured: "a", tag: true}) { totalCount } }',
  ],
  'equal and different objects of one field': [
    '{ events(filter: {tag: "a", mode: "b"}) { totalCount } events(filter: {mode: "b", tag: "a"}) { hasMore } }',
    '{ events(filter: {tag: "a", mode: "b"}) { totalCount } events(filter: {mode: "a", tag: "b"}) { hasMore } }',
  ],
  'an object and a selection of aliases': [
    '{ events(filter: {tag: "a"}) { totalCount } }',
    '{ events(filter: {tag: null}) { tag: "a" } }',
  ],
  'a list of strings and one with a number': [
    '{ eventsBySlugs(eventsSlugs: ["a", "b"]) { id } }',
    '{ eventsBySlugs(eventsSlugs: ["a", 2]) { id } }',
  ],
};

for (const [name, [good, bad]] of Object.entries(UNLIKE)) {
  test(`should tell ${name} apart`, () => {
    const documents = createDocuments(schema);
    assert.not('refusal' in documents.read(good));
    assert.ok('refusal' in documents.read(bad), bad);
  });
}

test('should share across lists of any length', () => {
  const documents = createDocuments(schema);
  const patternOf = (query: string) => {
    const read = documents.read(query);
    return 'document' in read ? read.document : null;
  };
  const first = patternOf('{ events(filter: {categories: ["A"], tag: "x"}) { totalCount } }');
  assert.is(patternOf('{ events(filter: {categories: ["B", "C"], tag: "y"}) { totalCount } }'), first);
  assert.is.not(patternOf('{ events(filter: {categories: ["x"], tag: "x"}) { hasMore } }'), first);
});

test('should share across objects with any fields, in any order', () => {
  const documents = createDocuments(schema);
  const read = (filter: string) => documents.read(`{ events(filter: ${filter}, page: 1) { totalCount } }`);
  const patternOf = (filter: string) => {
    const found = read(filter);
    return 'document' in found ? found.document : null;
  };
  const first = patternOf('{categories: ["A"], tag: "x"}');
  for (const filter of ['{}', '{ ,tag:"y" mode : null}', '{onlyFeatured: false, categories: ["a", "b",]}']) {
    assert.is(patternOf(filter), first, filter);
  }
  const found = read('{onlyFeatured: true, venues: "a", tag: null}');
  const values = 'values' in found ? Object.values(found.values) : [];
  assert.is(JSON.stringify(values), '[{"venues":["a"],"tag":null,"onlyFeatured":true},1]');
  // With a variable in it, an object is taken apart into its values.
  assert.is.not(patternOf('{tag: "x", mode: $mode}'), first);
});

test('should take texts apart in time that grows with their length only', async () => {
  const long = 200_000;
  for (const unit of [
    ':{',
    ':{a:1 ',
    ':{a:"b" ',
    ':{a:[',
    ': { a : ["x" ',
    ':{a:true',
    ':{aaaa',
    '[""',
    '{ , ',
    ':',
  ]) {
    const text = `{ ${unit.repeat(long / unit.length)}`;
    await costsAtMost(50, () => readToEnd(text), { what: unit });
  }
  const names = `{ a(b: {${'c'.repeat(long)}`;
  await costsAtMost(50, () => readToEnd(names));
});

/** Normalised, or as far as the language can be read. */
function readToEnd(text: string): void {
  try {
    normaliseText(tokensOf(text, text.length));
  } catch (thrown) {
    assert.instance(thrown, GraphQLError);
  }
}

/** Texts with a literal where no variable can stand, and texts that cannot be read. */
const WHOLE: Readonly<Record<string, string>> = {
  'half a character': '{ eventBySlug(eventSlug: "\ud83d") { id } }',
  'a default of a variable': 'query ($slug: String! = "x") { eventBySlug(eventSlug: $slug) { id } }',
};

for (const [name, query] of Object.entries(WHOLE)) {
  test(`should read a document with ${name} as a whole`, () => {
    const read = createDocuments(schema).read(query);
    if ('refusal' in read) assert.match(read.refusal.errors[0]?.message ?? '', /Syntax Error/);
    else assert.equal([read.values, read.document], [{}, read.asSent()]);
  });
}

test('should say where a variable of the wrong type is declared, whatever else the document holds', async () => {
  const answer = createAnswer({ schema, execute: createExecute(mask) });
  for (const value of ['"a"', '"abc"']) {
    const query = `query ($size: Int) { events(filter: {tag: ${value}}, pageSize: $size) { totalCount } }`;
    const parameters = { query, variables: { size: 'x' }, operationName: undefined };
    const refusal = await answer(parameters, () => undefined);
    assert.ok(isRefusal(refusal) && refusal.code === 'GRAPHQL_VALIDATION_FAILED');
    assert.equal(refusal.errors[0]?.locations, [{ line: 1, column: 8 }]);
  }
});

test('should share across comments, blanks and ways to write a string', () => {
  const { read } = createDocuments(schema);
  const documentOf = (text: string) => {
    const found = read(text);
    return 'document' in found ? found.document : null;
  };
  const first = documentOf('{ eventBySlug(eventSlug: "x") { id } }');
  assert.is(
    print(first ?? parse('{ a }')),
    print(parse('{ eventBySlug(eventSlug: $slug) { id } }')).replace('slug', '#0'),
  );
  for (const text of [
    '{ eventBySlug(eventSlug: "y") { id } # "y"\n}',
    '{ eventBySlug ( eventSlug : "\\"" ) { , id } }',
    '\n{ eventBySlug(eventSlug: "\\u00e6") {\tid } }',
  ]) {
    assert.is(documentOf(text), first, text);
  }
  const block = read('{ eventBySlug(eventSlug: """x\n  y""") { id } }');
  assert.equal('values' in block && block.values, { '#0': 'x\ny' });
});

test('D14: should forget all documents when memory is short', () => {
  const { read, clear } = createDocuments(schema);
  const documentOf = (text: string) => {
    const found = read(text);
    return 'document' in found ? found.document : null;
  };
  const texts = ['{ eventBySlug(eventSlug: "x") { id } }', '{ venues { id } }'];
  const known = texts.map(documentOf);
  assert.equal(
    texts.map((text, place) => documentOf(text) === known[place]),
    [true, true],
  );
  clear();
  assert.equal(
    texts.map((text, place) => documentOf(text) === known[place]),
    [false, false],
  );
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

test('should count the tokens of a list that a pattern leaves out', () => {
  const documents = createDocuments(schema);
  const read = (count: number) =>
    documents.read(`{ eventsBySlugs(eventsSlugs: [${'"x" '.repeat(count)}]) { id } }`);
  for (const count of [1, 1_988]) assert.not('refusal' in read(count), String(count));
  const tooLong = read(1_989);
  assert.is('refusal' in tooLong && tooLong.refusal.code, 'QUERY_TOO_COMPLEX');
});

test('should count the tokens of an object that a pattern leaves out', () => {
  const documents = createDocuments(schema);
  const read = (count: number) =>
    documents.read(`{ events(filter: {tag: "a", venues: [${'"x" '.repeat(count)}]}) { totalCount } }`);
  assert.not('refusal' in documents.read('{ events(filter: {}) { totalCount } }'));
  for (const count of [1, 1_981]) assert.not('refusal' in read(count), String(count));
  const tooLong = read(1_982);
  assert.is('refusal' in tooLong && tooLong.refusal.code, 'QUERY_TOO_COMPLEX');
});

test('should have no scalars that may look into their values', () => {
  const scalars = Object.values(schema.getTypeMap()).filter(isScalarType);
  assert.ok(scalars.every(isSpecifiedScalarType));
});

test.run();

/** Other values in the places of some literals, and other fields of some objects, right and wrong ones. */
function vary(query: string, random: Random): string {
  const values = [
    '"konsert"',
    '"MUSIC"',
    '"2026-07-01 00:00:00Z"',
    '""',
    '1',
    '3',
    '0',
    '-1',
    '99999999999',
    '2.5',
    'true',
  ];
  const names = ['tag', 'categories', 'onlyFeatured', 'nothing'];
  const renamed = query.replaceAll(
    /\b(?:categories|venues|tag|mode|onlyFeatured|fromDate)(?=: ?["[tf])/g,
    (name) => (random(10) > 0 ? name : (names[random(names.length)] ?? name)),
  );
  return renamed.replaceAll(/"(?:[^"\\]|\\.)*"|(?<=[:[,] ?)-?\d+(?:\.\d+)?/g, (literal) => {
    if (random(3) > 0) return literal;
    const isText = literal.startsWith('"');
    const from = random(8) === 0 ? values : values.filter((value) => value.startsWith('"') === isText);
    return from[random(from.length)] ?? literal;
  });
}
