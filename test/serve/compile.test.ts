/** The walk over an operation: what it names, what it costs to walk, and what nobody can make it cost. */
import {
  assertObjectType,
  buildSchema,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  Kind,
  parse,
} from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_VISITS } from '../../src/serve/graphql/compile.ts';
import { CompiledOperation, type SelectedOperation } from '../../src/serve/graphql/operation.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { costsAtMost } from '../helpers/usage.ts';

const compiling = suite('compile');

function outcomeOf(text: string, values: Readonly<Record<string, unknown>> = {}, of = schema) {
  const document = parse(text, { maxTokens: 2_000 });
  const operation = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('expected an operation');
  return new CompiledOperation(of, document, operation).select(values);
}

function compiled(text: string, values?: Readonly<Record<string, unknown>>): SelectedOperation {
  const outcome = outcomeOf(text, values);
  if ('code' in outcome) throw new Error(`expected it to compile, found ${outcome.code}`);
  return outcome;
}

const fieldsOf = ({ cost }: SelectedOperation) =>
  cost.terms.reduce((sum, { fixed, each, entries }) => sum + fixed + each * entries({}), 0);

const times = (count: number, text: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');

const NAMES: readonly (readonly [text: string, name: string])[] = [
  ['query Mine { events { totalCount } }', 'events'],
  ['{ mine: events { totalCount } }', 'events'],
  ['{ a: events { totalCount } b: events { totalCount } }', 'events'],
  ['{ events { totalCount } venues { id } }', 'several'],
  ['{ ...All } fragment All on Query { ... { venues { id } } }', 'venues'],
  ['{ ...Missing venues { id } }', 'venues'],
  ['{ __schema { queryType { name } } }', '__schema'],
];

for (const [text, name] of NAMES) {
  compiling(`should count ${text} as ${name}`, () => {
    assert.is(compiled(text).rootField, name);
  });
}

compiling('MUST NOT open a fragment twice, however often it is spread', () => {
  const deep = times(60, (at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);
  const text = `{ ...F0 } ${deep} fragment F60 on Query { venues { id } }`;
  const { rootField, roots } = compiled(text);
  assert.equal([rootField, roots.length], ['venues', 1]);
});

/** Sizes at each level of events, repetitions, venue, location and latitude under aliases. */
const bomb = ([a, b, c, d]: readonly number[], page: string) => `
  { events(pageSize: ${page}) { data { ...A } } }
  fragment A on Event { ${times(a ?? 0, (at) => `a${at}: repetitions { ...B }`)} }
  fragment B on Repetition { ${times(b ?? 0, (at) => `b${at}: venue { ...C }`)} }
  fragment C on Venue { ${times(c ?? 0, (at) => `c${at}: location { ...D }`)} }
  fragment D on Location { ${times(d ?? 0, (at) => `d${at}: latitude`)} }`;

compiling('D2: should count at least one entry of a list, whatever its length is said to be', () => {
  for (const page of ['0', '-1', '-2147483648', '1']) {
    assert.is(fieldsOf(compiled(bomb([2, 1, 1, 1], page))), 2 + 2 * (1 + 3 * (1 + 1 + 1)), page);
  }
  const slugs = '{ eventsBySlugs(eventsSlugs: []) { id title_nb } }';
  assert.is(fieldsOf(compiled(slugs)), 1 + 2);
});

compiling('C4, D2: should count of a list that many entries at most, by literal and by variable', () => {
  const text = (first: string) =>
    `query ($n: Int) { events(pageSize: 10) { venues(first: ${first}) { id hits } data { repetitions(first: ${first}) { id } } } }`;
  const cost = (venues: number, repetitions: number) => 1 + (1 + venues * 2) + 1 + 10 * (1 + repetitions);
  assert.is(fieldsOf(compiled(text('2'))), cost(2, 2));
  assert.is(fieldsOf(compiled(text('null'))), cost(100, 3));
  const document = parse(text('$n'));
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('expected an operation');
  const compiledOnce = new CompiledOperation(schema, document, operation);
  for (const [n, venues, repetitions] of [
    [1, 1, 1],
    [30, 30, 3],
    [1_000_000, 100, 3],
    [-5, 1, 1],
    [null, 100, 3],
    [undefined, 100, 3],
  ] as const) {
    const outcome = compiledOnce.select({ n });
    if ('code' in outcome) throw new Error('expected it to compile');
    assert.is(fieldsOf(outcome), cost(venues, repetitions), `${n}`);
  }
});

compiling('D2: should walk fragments in fragments no longer than they are written', async () => {
  for (const sizes of [
    [80, 80, 80, 90],
    [13, 14, 14, 15],
  ]) {
    compiled(bomb([1, 1, 1, 1], '1'));
    await costsAtMost(8, () => compiled(bomb(sizes, '0')), { what: `${sizes}` });
  }
  assert.is(fieldsOf(compiled(bomb([80, 80, 80, 90], '0'))), 2 + 80 * (1 + 3 * 80 * (1 + 80 * (1 + 90))));
});

compiling(
  'D2: should refuse what expands to more selections than a walk may visit, and find out quickly',
  async () => {
    const own = (at: number) => `x${at}: id ...G`;
    const wide = times(100, (at) => `a${at}: venue { ${own(at)} }`);
    const text = `{ events { data { ${wide} } } } fragment G on Venue { ${times(240, (at) => `y${at}: name`)} }`;
    assert.not('code' in outcomeOf(text));
    const long = text.replaceAll(/\by(\d+)/g, `${'y'.repeat(500)}$1`);
    await costsAtMost(10, () => {
      const outcome = outcomeOf(long);
      assert.is('code' in outcome && outcome.errors[0]?.message, MESSAGE);
    });
  },
);

const MESSAGE = `The operation has more than ${MAX_VISITS} selections once its fragments are expanded; the limit is ${MAX_VISITS}.`;

compiling('D2: should bound a walk whose selections are all different', async () => {
  // At each level every second fragment of a few is merged with another one, so that no two paths select the same.
  const nested = buildSchema('type Query { n: N } type N { id: ID n: N }');
  const pairs = times(12, (at) => `p${at}: n { ...F${at % 5} ...F${(at + 1 + (at % 3)) % 5} }`);
  const levels = Array.from({ length: 6 }, (_, level) =>
    times(
      5,
      (at) =>
        `fragment ${level === 0 ? 'F' : `L${level}F`}${at} on N { ${times(4, (to) => `q${to}: n { ...L${level + 1}F${(at + to) % 5} ...L${level + 1}F${(at * 2 + to) % 5} }`)} }`,
    ),
  ).join(' ');
  const ends = times(5, (at) => `fragment L6F${at} on N { e${at}: id }`);
  await costsAtMost(20, () => outcomeOf(`{ n { ${pairs} } } ${levels} ${ends}`, {}, nested));
});

compiling('D2: should count `__typename` for nothing', () => {
  const plain = '{ events(pageSize: 100) { data { id venue { id } } } }';
  const named = plain.replaceAll(/\{ (?=id|data)/g, '{ __typename ');
  assert.is(fieldsOf(compiled(named)), fieldsOf(compiled(plain)));
});

/** Every field there is, with `__typename` at each level, as clients with a cache of objects ask. */
function wholeOf(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map(({ name, type: to }) => {
    const below = getNamedType(to);
    return isObjectType(below) ? `${name} ${wholeOf(below)}` : name;
  });
  return `{ __typename ${fields.join(' ')} }`;
}

compiling('D2: should let pass 1,000 events with all fields and `__typename` everywhere', () => {
  const whole = wholeOf(assertObjectType(schema.getType('EventConnection')));
  const figure = fieldsOf(compiled(`{ events(pageSize: 1000) ${whole} calendar { id } categories { id } }`));
  assert.ok(figure < 200_000, `${figure} fields`);
});

compiling('should select in the order of what is included, and count what is not', () => {
  const text = `query ($yes: Boolean!, $no: Boolean!) {
    events { data { id @include(if: $no) title_nb id @skip(if: $no) ...T @include(if: $no) } totalCount @skip(if: $yes) }
  } fragment T on Event { title_en }`;
  const operation = compiled(text, { yes: true, no: false });
  const [data, ...more] = operation.roots[0]?.selections ?? [];
  assert.equal([data?.selections.map(({ key }) => key), more], [['title_nb', 'id'], []]);
  assert.is(fieldsOf(operation), 1 + 1 + 10 * 3 + 1);
});

compiling('should refuse null for a condition, naming the variable', () => {
  const outcome = outcomeOf('query ($on: Boolean = true) { venues { id @include(if: $on) } }', { on: null });
  assert.is(
    'code' in outcome && outcome.errors[0]?.message,
    'Variable "$on" must not be null: @skip or @include looks at it.',
  );
});

compiling.run();
