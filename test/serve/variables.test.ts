/** Variables are coerced by a short way of our own where they are plainly right: nobody may see a difference. */
import { buildSchema, getVariableValues, Kind, parse } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCoerceVariables } from '../../src/serve/graphql/variables.ts';
import { type Random, seeded } from '../helpers/random-operations.ts';

const ROUNDS = process.env.ALMANAKK_TEST_LONG === '1' ? 100_000 : 6_000;

const schema = buildSchema(`
  enum Day { MON TUE }
  scalar Any
  input Inner { text: String!, days: [Day!], more: Inner }
  input Choice @oneOf { text: String, number: Int }
  input Filter {
    text: String = "given", id: ID, flag: Boolean! = false, count: Int, ratio: Float, texts: [String], lists: [[Int!]]!
    inner: Inner, any: Any, choice: Choice
  }
  type Query { find(filter: Filter): Int }
`);

const OPERATIONS = [
  'query ($a: Filter, $b: [String]!, $c: Int) { find }',
  'query ($a: Filter! = {lists: []}, $b: Boolean = true, $c: [Filter!] = []) { find }',
  'query ($a: String! = "x", $b: Float!, $c: ID, $d: Day) { find }',
  'query ($a: Inner, $b: [[Int!]]!, $c: Any) { find }',
  'query ($a: Int, $__proto__: [Int]) { find }',
  'query { find }',
].map((text) => {
  const [operation] = parse(text).definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error(`expected an operation: ${text}`);
  return operation.variableDefinitions ?? [];
});

const test = suite('variables');

test('should coerce whatever is sent as graphql-js does, in values and in words', () => {
  const coerce = createCoerceVariables(schema);
  const random = seeded(1);
  let right = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const definitions = OPERATIONS[random(OPERATIONS.length)] ?? [];
    const sent = Object.fromEntries(
      ['a', 'b', 'c', 'd', '__proto__'].flatMap((name) =>
        random(5) === 0 ? [] : [[name, anyValue(random, 0)]],
      ),
    );
    const expected = getVariableValues(schema, definitions, sent, { maxErrors: 20 });
    const found = coerce(definitions, sent);
    assert.equal(plain(found), plain(expected), JSON.stringify(sent));
    if (expected.errors === undefined) right++;
  }
  assert.ok(right > ROUNDS / 20 && right < ROUNDS / 2, `${right} were right`);
});

test.run();

/** Without prototypes, which graphql-js gives none. */
function plain({ coerced, errors }: ReturnType<typeof getVariableValues>): unknown {
  return errors === undefined ? JSON.parse(JSON.stringify(coerced)) : errors.map(({ message }) => message);
}

const LEAVES = [null, 'x', '', 'MON', 1, -1, 0, 1.5, 2 ** 31, -(2 ** 31), true, false];
const NAMES = [
  'text',
  'id',
  'flag',
  'count',
  'ratio',
  'texts',
  'lists',
  'inner',
  'any',
  'choice',
  'days',
  'more',
  '__proto__',
  'other',
];

function anyValue(random: Random, depth: number): unknown {
  const kind = random(depth > 3 ? 2 : 4);
  if (kind < 2) return LEAVES[random(LEAVES.length)];
  if (kind === 2) return Array.from({ length: random(3) }, () => anyValue(random, depth + 1));
  return random(3) === 0 ? anyObject(random, depth) : rightFilter(random);
}

function anyObject(random: Random, depth: number): unknown {
  const names = NAMES.filter(() => random(NAMES.length) < 2);
  const entries = names.map(
    (name) => `${JSON.stringify(name)}:${JSON.stringify(anyValue(random, depth + 1))}`,
  );
  return JSON.parse(`{${entries.join(',')}}`);
}

/** Mostly. */
function rightFilter(random: Random): unknown {
  const some = (value: unknown) => (random(2) === 0 ? {} : value);
  return {
    lists: random(2) === 0 ? [] : [[1, 2], 3],
    ...Object(some({ text: 'word', texts: ['a', null] })),
    ...Object(some({ flag: true, count: 7, ratio: 0.5 })),
    ...Object(some({ inner: { text: 'b', days: 'MON' } })),
    ...Object(random(8) === 0 ? { id: 5 } : {}),
    ...Object(random(8) === 0 ? { choice: { text: 'c' } } : {}),
  };
}
