/** The walk over an operation: what it selects, and what nobody can make it cost. */

import { Kind, parse } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Collected, collectFields, MAX_VISITS } from '../../src/serve/graphql/operation.ts';
import { type Refusal, Refused } from '../../src/serve/graphql/refusal.ts';
import { times } from '../helpers/random-operations.ts';
import { costsAtMost } from '../helpers/usage.ts';

const compiling = suite('compile');

function outcomeOf(text: string, values: Readonly<Record<string, unknown>> = {}): Collected | Refusal {
  const document = parse(text, { maxTokens: 2_000 });
  const definition = document.definitions.find((node) => node.kind === Kind.OPERATION_DEFINITION);
  if (definition?.kind !== Kind.OPERATION_DEFINITION) throw new Error('expected an operation');
  try {
    return collectFields(document, definition, values);
  } catch (thrown) {
    if (thrown instanceof Refused) return thrown.refusal;
    throw thrown;
  }
}

function compiled(text: string, values?: Readonly<Record<string, unknown>>): Collected {
  const outcome = outcomeOf(text, values);
  if ('code' in outcome) throw new Error(`expected it to compile, found ${outcome.code}`);
  return outcome;
}

const messageOf = (outcome: Collected | Refusal) => 'code' in outcome && outcome.errors[0]?.message;

compiling('MUST NOT open a fragment twice, however often it is spread', () => {
  const deep = times(60, (at) => `fragment F${at} on Query { ...F${at + 1} ...F${at + 1} }`);
  const text = `{ ...F0 } ${deep} fragment F60 on Query { venues { id } }`;
  assert.equal(
    compiled(text).roots.map(({ name }) => name),
    ['venues'],
  );
});

/** Sizes at each level of events, repetitions, venue, location and latitude under aliases. */
const bomb = ([a, b, c, d]: readonly number[], page: string) => `
  { events(pageSize: ${page}) { data { ...A } } }
  fragment A on Event { ${times(a ?? 0, (at) => `a${at}: repetitions { ...B }`)} }
  fragment B on Repetition { ${times(b ?? 0, (at) => `b${at}: venue { ...C }`)} }
  fragment C on Venue { ${times(c ?? 0, (at) => `c${at}: location { ...D }`)} }
  fragment D on Location { ${times(d ?? 0, (at) => `d${at}: latitude`)} }`;

compiling('D2: should walk fragments in fragments no longer than they are written', async () => {
  for (const sizes of [
    [80, 80, 80, 90],
    [13, 14, 14, 15],
  ]) {
    compiled(bomb([1, 1, 1, 1], '1'));
    await costsAtMost(8, () => compiled(bomb(sizes, '0')), { what: `${sizes}` });
  }
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
      assert.is(messageOf(outcomeOf(long)), MESSAGE);
    });
  },
);

const MESSAGE = `The operation has more than ${MAX_VISITS} selections once its fragments are expanded; the limit is ${MAX_VISITS}.`;

compiling('D2: should bound a walk whose selections are all different', async () => {
  // At each level every second fragment of a few is merged with another one, so that no two paths select the same.
  const pairs = times(12, (at) => `p${at}: n { ...F${at % 5} ...F${(at + 1 + (at % 3)) % 5} }`);
  const levels = Array.from({ length: 6 }, (_, level) =>
    times(
      5,
      (at) =>
        `fragment ${level === 0 ? 'F' : `L${level}F`}${at} on N { ${times(4, (to) => `q${to}: n { ...L${level + 1}F${(at + to) % 5} ...L${level + 1}F${(at * 2 + to) % 5} }`)} }`,
    ),
  ).join(' ');
  const ends = times(5, (at) => `fragment L6F${at} on N { e${at}: id }`);
  await costsAtMost(20, () => outcomeOf(`{ n { ${pairs} } } ${levels} ${ends}`));
});

compiling('should select what is included, in its order', () => {
  const text = `query ($yes: Boolean!, $no: Boolean!) {
    events { data { id @include(if: $no) title_nb id @skip(if: $yes) id ...T @include(if: $no) } totalCount @skip(if: $yes) }
  } fragment T on Event { title_en }`;
  const { roots, conditions } = compiled(text, { yes: true, no: false });
  const [data, ...more] = roots[0]?.selections ?? [];
  assert.equal([data?.selections.map(({ key }) => key), more], [['title_nb', 'id'], []]);
  assert.equal([...conditions].sort(), ['no', 'yes']);
});

compiling('C4: should take `first` from literals and variables, and find one that is too small', () => {
  const text = (first: string) =>
    `query ($n: Int) { events { venues(first: ${first}) { id } data { repetitions(first: 2) { id } } } }`;
  const foundIn = ({ roots: [root] }: Collected) => [root?.selections[0]?.first, root?.wrongFirst];
  assert.equal(foundIn(compiled(text('3'))), [3, null]);
  assert.equal(foundIn(compiled(text('null'))), [null, null]);
  assert.equal(foundIn(compiled(text('0'))), [0, 0]);
  for (const [n, found] of [
    [4, [4, null]],
    [-5, [-5, -5]],
    [null, [null, null]],
    [undefined, [null, null]],
  ] as const) {
    assert.equal(foundIn(compiled(text('$n'), { n })), found, `${n}`);
  }
});

compiling('should refuse null for a condition, naming the variable', () => {
  const outcome = outcomeOf('query ($on: Boolean = true) { venues { id @include(if: $on) } }', { on: null });
  assert.is(messageOf(outcome), 'Variable "$on" must not be null: @skip or @include looks at it.');
});

compiling.run();
