/** The projection is held against the ordinary executor: for any operation both give the same bytes. */
import {
  buildSchema,
  execute,
  type GraphQLObjectType,
  getNamedType,
  isObjectType,
  isRequiredArgument,
  parse,
} from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { UNBOUNDED } from '../../../src/serve/admission/admission.ts';
import type { AnswerBasis, Execute, Shared } from '../../../src/serve/graphql/answer.ts';
import { createExecute } from '../../../src/serve/graphql/execute.ts';
import type { Mask } from '../../../src/serve/graphql/mask.ts';
import { Output } from '../../../src/serve/graphql/output.ts';
import { isRefusal, presentErrors } from '../../../src/serve/graphql/refusal.ts';
import { createExecuteRequest } from '../../../src/serve/graphql/request.ts';
import { selectRoot } from '../../../src/serve/graphql/roots.ts';
import { schema, sdl } from '../../../src/serve/graphql/schema.ts';
import type { Operation, Selections } from '../../../src/serve/graphql/selection.ts';
import { viewAt } from '../../../src/serve/query/view.ts';
import { assertAbove, assertBelow, assertDefined } from '../../helpers/assertions.ts';
import { seeded } from '../../helpers/random.ts';
import { type RandomOperation, randomOperation } from '../../helpers/random-operations.ts';
import { IS_LONG } from '../../helpers/run-options.ts';
import { asSent, BUILT_AT, bodyText, openSample, type Sample } from '../../helpers/sample.ts';

const HOUR = 3_600;
/** When requests arrive: at the build, between two changes, after many. */
const MOMENTS = [BUILT_AT, BUILT_AT + 3 * HOUR + 1, BUILT_AT + 200 * 24 * HOUR];

const OPERATIONS = IS_LONG ? 30_000 : 200;
/** Each seed gives another run, so that a failure is found again quickly. */
const SEEDS = 20;

const mask = (thrown: unknown): string => {
  throw new Error('expected only errors that are foreseen', { cause: thrown });
};
const executors = {
  projection: createExecuteRequest({ schema, execute: createExecute(mask) }),
  executor: createExecuteRequest({ schema, execute: createOrdinaryExecute(mask) }),
};

/** Both answers; null for an operation that never reaches the executors. */
async function answers(
  { query, variables }: RandomOperation,
  basis: AnswerBasis,
  operationName?: string,
): Promise<Readonly<Record<keyof typeof executors, ReturnType<typeof asSent>>> | null> {
  const parameters = { query, variables, operationName };
  const projection = await executors.projection(parameters, () => basis);
  const executor = await executors.executor(parameters, () => basis);
  if (isRefusal(projection) || isRefusal(executor)) {
    assert.equal(projection, executor);
    return null;
  }
  return { projection: asSent(projection), executor: asSent(executor) };
}

const test = suite<Sample>('operations');

test.before(async (context) => {
  Object.assign(context, await openSample());
});
test.after(async ({ snapshot }) => snapshot.close());

test('should answer random operations with the bytes of the ordinary executor', async ({
  snapshot,
  values,
}) => {
  let answered = 0;
  let failed = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const random = seeded(seed);
    for (let nth = 0; nth < OPERATIONS / SEEDS; nth++) {
      const operation = randomOperation(schema, random, values);
      const now = MOMENTS[random(MOMENTS.length)] ?? BUILT_AT;
      const both = await answers(operation, { snapshot, now });
      if (both === null) continue;
      const { projection, executor } = both;
      assert.equal(
        projection,
        executor,
        `seed ${seed}, operation ${nth}, now ${now}: ${JSON.stringify(operation)}`,
      );
      answered++;
      if (executor.hasErrors) failed++;
    }
  }
  // A comparison of next to nothing would prove nothing.
  assertAbove(answered, OPERATIONS * 0.9, 'operations that were answered');
  assertAbove(failed, OPERATIONS * 0.02, 'operations with errors');
  assertBelow(failed, OPERATIONS * 0.6, 'operations with errors');
});

for (const [name, root] of Object.entries(schema.getQueryType()?.getFields() ?? {})) {
  test(`should agree on every field below ${name}`, async ({ snapshot }) => {
    const required = root.args
      .filter(isRequiredArgument)
      .map((arg) => `${arg.name}: ${literalOf(arg.name, snapshot)}`);
    const args = required.length === 0 ? '' : `(${required.join(', ')})`;
    const query = `{ ${name}${args} ${everyField(getNamedType(root.type))} }`;
    const both = await answers({ query, variables: {} }, { snapshot, now: BUILT_AT });
    assertDefined(both, 'answers');
    assert.equal(both.projection, both.executor);
    assert.is(both.projection.hasErrors, false);
    // Without a value, none of these fields would be asked for.
    assert.not.match(both.projection.body, new RegExp(`"${name}":(?:null|\\[\\])`));
  });
}

/** For required arguments, as literals: each finds something in the sample. */
function literalOf(name: string, { id }: Sample['snapshot']): string {
  const value = { ...FOUND, since: JSON.stringify(id) }[name];
  if (value === undefined) throw new Error(`expected a value for the required argument ${name}, found none`);
  return value;
}

const FOUND: Readonly<Record<string, string>> = {
  eventID: '"evt-001"',
  eventSlug: '"sprakkafe-pa-biblioteket"',
  eventsSlugs: '["sprakkafe-pa-biblioteket"]',
  title: '"Språkkafé på biblioteket"',
  lan: '"nb"',
  minLatitude: '-90',
  maxLatitude: '90',
  minLongitude: '-180',
  maxLongitude: '180',
};

/** A selection of every field of a type, and of every field below these. */
function everyField(type: unknown): string {
  if (!isObjectType(type)) return '';
  const fields = Object.values(type.getFields());
  return `{ ${fields.map((field) => `${field.name} ${everyField(getNamedType(field.type))}`).join(' ')} }`;
}

const DATA = '{ data { id } totalCount }';

interface Case {
  readonly title: string;
  readonly query: string;
  readonly variables?: object;
  readonly operationName?: string;
}

/** Cases that chance seldom makes. */
const CASES: readonly Case[] = [
  {
    title: 'fields that merge',
    query:
      '{ events(pageSize: 2) { data { id venue { id } } } events(pageSize: 2) { data { venue { name } id } totalCount } }',
  },
  {
    title: 'one response key, asked for through fragments of fragments',
    query: `query { ...A ...B } fragment A on Query { e: events { ...C } } fragment B on Query { e: events { totalCount ...C } }
      fragment C on EventConnection { data { ...D id } } fragment D on Event { t: title_nb id ... { t: title_nb } }`,
  },
  {
    title: 'facets that differ in their hits only, with these last, first, twice and alone',
    query: `{ all: events { venues { slug hits } organizers(first: 2) { n: name hits __typename } categories { hits } }
      some: events(filter: { free: true }) { venues { slug hits } v: venues { hits slug } w: venues { h: hits slug hits }
        organizers(first: 1) { n: name hits } categories { subcategories { id } h: hits } } }`,
  },
  {
    title: 'facets whose texts are too long to be cached',
    query: `{ events { venues { ${Array.from({ length: 90 }, (_, nth) => `a${nth}: slug`).join(' ')} hits } } }`,
  },
  {
    title: 'a fragment that is spread twice and skipped once',
    query:
      'query($no: Boolean!) { events { ...C @skip(if: true) ...C @include(if: $no) ...C } } fragment C on EventConnection { totalCount }',
    variables: { no: false },
  },
  {
    title: 'a set that merges with another one in one place only',
    query:
      '{ a: events { ...C } b: events { ...C data { title_nb } } } fragment C on EventConnection { data { id } }',
  },
  {
    title: 'every root field skipped',
    query: '{ events @skip(if: true) { totalCount } }',
  },
  {
    title: 'everything in a field skipped',
    query: '{ events { totalCount @include(if: false) } }',
  },
  {
    title: 'introspection beside data',
    query:
      '{ __typename __type(name: "Venue") { name kind } events(pageSize: 1) { __typename data { __typename id } } __schema { queryType { name } } }',
  },
  {
    title: 'one of several operations',
    query: 'query A { venues { id } } query B($n: Int = 3) { events(pageSize: $n) { data { id } } }',
    variables: {},
    operationName: 'B',
  },
  {
    title: 'null in place of a variable with a default',
    query: `query($n: Int = 3, $f: Filter = {categories: ["MUSIC"]}) { events(pageSize: $n, filter: $f) ${DATA} }`,
    variables: { n: null, f: null },
  },
  {
    title: 'variables inside of lists and objects',
    query: `query($c: String, $v: [String], $d: String) { events(filter: {categories: [$c, "ART"], venues: $v, fromDate: $d}) ${DATA} }`,
    variables: { c: 'MUSIC', v: [null] },
  },
  {
    title: 'one value in place of a list',
    query: `query($c: [String]) { a: events(filter: {categories: "MUSIC"}) ${DATA} b: events(filter: {categories: $c}) ${DATA} }`,
    variables: { c: 'MUSIC' },
  },
  {
    title: 'an error beside data',
    query: `{ a: events(filter: {fromDate: "yesterday"}) ${DATA} venues { id name } }`,
  },
  {
    title: 'errors of nullable and non-null fields',
    query:
      '{ eventByTitle(title: "x", lan: "de") { id } allUpcomingEventsInArea(minLatitude: 100, maxLatitude: 0, minLongitude: 0, maxLongitude: 0) { id } categories { id } }',
  },
  {
    title: 'keys that JSON writes in another order',
    query:
      '{ categories { _1: id } events { data { __proto__: id b: id } } constructor: venues { toString: id } }',
  },
  {
    title: 'look-ups that find nothing',
    query:
      '{ eventByID(eventID: "") { id } eventBySlug(eventSlug: "nix") { id } eventsBySlugs(eventsSlugs: [null, "nix"]) { id } }',
  },
];

for (const { title, query, variables = {}, operationName } of CASES) {
  test(`should agree on ${title}`, async ({ snapshot }) => {
    const both = await answers(
      { query, variables: { ...variables } },
      { snapshot, now: BUILT_AT },
      operationName,
    );
    assert.ok(both !== null, 'the operation was refused');
    assert.equal(both?.projection, both?.executor);
  });
}

test('D1: should answer a document that comes again by its own arguments and conditions', async ({
  snapshot,
}) => {
  const sizes: (string | undefined)[] = [];
  for (const { args, has } of [
    { args: '(pageSize: 1)', has: true },
    { args: '(pageSize: 2)', has: true },
    { args: '(pageSize: $size)', has: true },
    { args: '(pageSize: $size)', has: false },
  ] as const) {
    const isShared = !args.includes('$');
    const query = isShared
      ? `{ events${args} { pageInfo { pageSize } } }`
      : `query ($size: Int, $has: Boolean!) { events${args} { pageInfo @include(if: $has) { pageSize } } }`;
    const parameters = { query, variables: isShared ? {} : { size: 3, has }, operationName: undefined };
    const result = await executors.projection(parameters, () => ({ snapshot, now: BUILT_AT }));
    assert.is(isRefusal(result), false, query);
    if (!isRefusal(result)) sizes.push(/"pageSize":\d/.exec(bodyText(result.body))?.[0]);
  }
  assert.equal(sizes, ['"pageSize":1', '"pageSize":2', '"pageSize":3', undefined]);
});

// Answers by graphql-js alone, out of all that each root field has.

function createOrdinaryExecute(mask: Mask): Execute {
  return async (operation, basis) => {
    const { sent } = operation;
    const shared: Shared = {
      filters: new Map(),
      introspected: new Map(),
      dependsOnDay: false,
      hints: [],
    };
    const { data, errors } = await execute({
      schema: RESOLVING,
      document: parse(sent.query),
      operationName: sent.definition.name?.value ?? null,
      variableValues: sent.variables,
      contextValue: await wholeRoots(operation, basis, shared),
    });
    const given = { data: data ?? null, ...(errors && { errors: presentErrors(errors, mask) }) };
    return {
      body: [Buffer.from(JSON.stringify(given))],
      hasData: given.data !== null,
      hasErrors: errors !== undefined,
      dependsOnDay: shared.dependsOnDay,
    };
  };
}

/** Every field below each root field, by response key. Each throws the error of its root field. */
async function wholeRoots(operation: Operation, { snapshot, now }: AnswerBasis, shared: Shared) {
  const view = viewAt(snapshot, now);
  const fields = schema.getQueryType()?.getFields() ?? {};
  const roots = operation.roots.filter(({ name }) => name in fields);
  const selected = await Promise.allSettled(
    roots.map(async (root) => {
      const context = { view, now, work: UNBOUNDED, shared };
      // Arguments of the fields below it are checked with the root field.
      await selectRoot(root, operation, context);
      const selections = wholeSelection(getNamedType(fields[root.name]?.type));
      return selectRoot({ ...root, selections }, operation, context);
    }),
  );
  const outcomes = new Map<string, () => unknown>();
  for (const [place, { key }] of roots.entries()) {
    const outcome = selected[place];
    if (outcome?.status === 'rejected') {
      const { reason } = outcome;
      outcomes.set(key, () => {
        throw reason;
      });
      continue;
    }
    const out = new Output();
    await outcome?.value.write(out);
    const value = JSON.parse(Buffer.concat(out.end()).toString());
    outcomes.set(key, () => value);
  }
  return outcomes;
}

/** Throws for a field that cannot be answered once it is written. */
function wholeSelection(type: unknown): Selections {
  if (!isObjectType(type)) return [];
  const known = SELECTIONS.get(type);
  if (known !== undefined) return known;
  const selections = Object.values(type.getFields()).map(({ name, type: inner }) => ({
    key: name,
    name,
    selections: wholeSelection(getNamedType(inner)),
  }));
  SELECTIONS.set(type, selections);
  return selections;
}

const SELECTIONS = new Map<GraphQLObjectType, Selections>();

const RESOLVING = withResolvers();

function withResolvers() {
  const built = buildSchema(sdl);
  for (const type of Object.values(built.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    for (const field of Object.values(type.getFields())) {
      field.resolve =
        type.name === 'Query'
          ? (_source, _args, outcomes, { path }) => outcomes.get(path.key)?.()
          : (source, { first }) => {
              const value = source[field.name];
              return Array.isArray(value) && typeof first === 'number' ? value.slice(0, first) : value;
            };
    }
  }
  return built;
}

test.run();
