/** The projection is held against the ordinary executor: for any operation both give the same bytes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { build } from '../../jobs/build.ts';
import { createReport } from '../../jobs/report.ts';
import { packagePath } from '../../src/package.ts';
import type { Answer, Moment } from '../../src/serve/graphql/answer.ts';
import { createExecute, createOrdinaryExecute } from '../../src/serve/graphql/operations.ts';
import { createPrepare, isRefusal } from '../../src/serve/graphql/prepare.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import {
  type Random,
  type RandomOperation,
  randomOperation,
  seeded,
  type Values,
} from '../helpers/random-operations.ts';

const BUILT_AT = Date.UTC(2026, 5, 15, 8) / 1000;
const HOUR = 3_600;
/** When requests arrive: at the build, between two changes, after many. */
const MOMENTS = [BUILT_AT, BUILT_AT + 3 * HOUR + 1, BUILT_AT + 200 * 24 * HOUR];

const LONG = process.env.ALMANAKK_TEST_LONG === '1';
const OPERATIONS = LONG ? 30_000 : 3_000;
/** Each gives a run of its own, so that a failure is found again quickly. */
const SEEDS = 20;

const conceal = (thrown: unknown): string => {
  throw new Error('expected only errors that are foreseen', { cause: thrown });
};
const prepare = createPrepare(schema);
const executors = { projection: createExecute(conceal), executor: createOrdinaryExecute(conceal) };

interface Ready {
  readonly snapshot: Snapshot;
  readonly values: Values;
}

async function ready(): Promise<Ready> {
  const target = temporaryFolder();
  const source = packagePath('data/sample');
  const options = { source, target, now: BUILT_AT, horizonMonths: 18, report: createReport() };
  const { file } = await build(options);
  const snapshot = await openSnapshot(`${target}/${file}`);
  return { snapshot, values: valuesFor(snapshot) };
}

/** Both answers; null for an operation that never reaches the executors. */
async function answers(
  { query, variables }: RandomOperation,
  moment: Moment,
  operationName?: string,
): Promise<{ readonly projection: Answer; readonly executor: Answer } | null> {
  const prepared = prepare({ query, variables, operationName });
  if (isRefusal(prepared)) return null;
  return {
    projection: await executors.projection(prepared.operation, moment),
    executor: await executors.executor(prepared.operation, moment),
  };
}

const test = suite<Partial<Ready>>('operations');

test.before(async (context) => {
  Object.assign(context, await ready());
});
test.after(async ({ snapshot }) => snapshot?.close());

test('should answer random operations with the bytes of the ordinary executor', async (context) => {
  const { snapshot, values } = whole(context);
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
      if (executor.failed) failed++;
    }
  }
  // A comparison of next to nothing would prove nothing.
  assert.ok(answered > OPERATIONS * 0.9, `only ${answered} of ${OPERATIONS} were answered`);
  assert.ok(failed > OPERATIONS * 0.02, `only ${failed} had errors`);
  assert.ok(failed < OPERATIONS * 0.6, `as many as ${failed} had errors`);
});

const DATA = '{ data { id } totalCount }';

/** What chance seldom comes to. */
const CASES: Readonly<Record<string, RandomOperation & { readonly operationName?: string }>> = {
  'fields that merge': {
    query:
      '{ events(pageSize: 2) { data { id venue { id } } } events(pageSize: 2) { data { venue { name } id } totalCount } }',
    variables: {},
  },
  'one response key, asked for through fragments of fragments': {
    query: `query { ...A ...B } fragment A on Query { e: events { ...C } } fragment B on Query { e: events { totalCount ...C } }
      fragment C on EventConnection { data { ...D id } } fragment D on Event { t: title_nb id ... { t: title_nb } }`,
    variables: {},
  },
  'a fragment that is spread twice and skipped once': {
    query:
      'query($no: Boolean!) { events { ...C @skip(if: true) ...C @include(if: $no) ...C } } fragment C on EventConnection { totalCount }',
    variables: { no: false },
  },
  'every root field skipped': { query: '{ events @skip(if: true) { totalCount } }', variables: {} },
  'everything in a field skipped': { query: '{ events { totalCount @include(if: false) } }', variables: {} },
  'introspection beside data': {
    query:
      '{ __typename __type(name: "Venue") { name kind } events(pageSize: 1) { __typename data { __typename id } } __schema { queryType { name } } }',
    variables: {},
  },
  'one of several operations': {
    query: 'query A { venues { id } } query B($n: Int = 3) { events(pageSize: $n) { data { id } } }',
    variables: {},
    operationName: 'B',
  },
  'null in place of a variable with a default': {
    query: `query($n: Int = 3, $f: Filter = {categories: ["MUSIC"]}) { events(pageSize: $n, filter: $f) ${DATA} }`,
    variables: { n: null, f: null },
  },
  'variables inside of lists and objects': {
    query: `query($c: String, $v: [String], $d: String) { events(filter: {categories: [$c, "ART"], venues: $v, fromDate: $d}) ${DATA} }`,
    variables: { c: 'MUSIC', v: [null] },
  },
  'one value in place of a list': {
    query: `query($c: [String]) { a: events(filter: {categories: "MUSIC"}) ${DATA} b: events(filter: {categories: $c}) ${DATA} }`,
    variables: { c: 'MUSIC' },
  },
  'an error beside data': {
    query: `{ a: events(filter: {fromDate: "yesterday"}) ${DATA} venues { id name } }`,
    variables: {},
  },
  'errors of nullable and non-null fields': {
    query:
      '{ eventByTitle(title: "x", lan: "de") { id } allUpcomingEventsInArea(minLatitude: 100, maxLatitude: 0, minLongitude: 0, maxLongitude: 0) { id } categories { id } }',
    variables: {},
  },
  'keys that JSON writes in another order': {
    query:
      '{ categories { _1: id } events { data { __proto__: id b: id } } constructor: venues { toString: id } }',
    variables: {},
  },
  'look-ups that find nothing': {
    query:
      '{ eventByID(eventID: "") { id } eventBySlug(eventSlug: "nix") { id } eventsBySlugs(eventsSlugs: [null, "nix"]) { id } }',
    variables: {},
  },
};

for (const [name, { operationName, ...operation }] of Object.entries(CASES)) {
  test(`should agree on ${name}`, async (context) => {
    const { snapshot } = whole(context);
    const both = await answers(operation, { snapshot, now: BUILT_AT }, operationName);
    assert.ok(both !== null, 'the operation was refused');
    assert.equal(both?.projection, both?.executor);
  });
}

test.run();

function whole({ snapshot, values }: Partial<Ready>): Ready {
  if (snapshot === undefined || values === undefined) throw new Error('expected a snapshot, found none');
  return { snapshot, values };
}

/** Values that mean something in the sample, and some that mean nothing or are wrong. */
function valuesFor({ lists }: Snapshot): Values {
  const venues = lists.venues.map(({ slug }) => slug);
  const organizers = lists.organizers.map(({ slug }) => slug);
  const categories = lists.categories.map(({ id }) => id);
  const pick = <T>(random: Random, from: readonly T[]): T | undefined => from[random(from.length)];
  const several = <T>(random: Random, from: readonly T[]) =>
    random(8) === 0
      ? pick(random, from)
      : Array.from({ length: random(4) }, () => (random(9) === 0 ? null : pick(random, from)));
  const date = (random: Random) => {
    if (random(12) === 0)
      return pick(random, ['', 'yesterday', '2026-06-15', '2026-02-30 10:00:00Z', '2026-06-15 25:00:00Z']);
    const instant = new Date((BUILT_AT + (random(500) - 50) * 24 * HOUR) * 1000);
    return instant.toISOString().replace(/\.\d+Z$/, random(2) === 0 ? 'Z' : '+02:00');
  };
  const ids = Array.from({ length: 220 }, (_, place) => `evt-${String(place).padStart(3, '0')}`);
  const flag = (random: Random) => pick(random, [true, true, false, null]);
  const table: Readonly<Record<string, (random: Random) => unknown>> = {
    page: (random) => pick(random, [0, 0, 0, 1, 2, 50, -1, null]),
    pageSize: (random) => pick(random, [1, 3, 10, 10, 40, 0, 2_000, null]),
    fromDate: date,
    untilDate: date,
    fromStartDate: date,
    categories: (random) => several(random, [...categories, 'NO_SUCH']),
    notCategories: (random) => several(random, categories),
    venues: (random) => several(random, [...venues, 'no-such']),
    venueSlug: (random) => pick(random, venues),
    organizers: (random) => several(random, [...organizers, 'no-such']),
    organizerSlug: (random) => pick(random, organizers),
    searchTerm: (random) =>
      pick(random, ['konsert', 'konsrt', 'ærlig', 'BARN', 'a', '"', '  ', 'kor og', '😀']),
    tag: (random) => pick(random, [...lists.tags, 'Øl', 'nix']),
    mode: (random) => pick(random, ['online', 'offline', 'offline', 'both']),
    superEvent: (random) => pick(random, [...lists.containers, 'nix']),
    hoursRange: (random) => pick(random, ['10:00-14:00', '18:00-24:00', '22:00-02:00', '25:00-26:00', '']),
    municipality: (random) => pick(random, ['Trondheim', 'TRONDHEIM', '5001', 'Atlantis']),
    postalCodes: (random) => several(random, ['7010', '7030', '7491', '0000']),
    onlyFeatured: flag,
    onlyFeaturedSpecialEvent: flag,
    cancelledNotIncluded: flag,
    soldOutNotIncluded: flag,
    groupRepetitionsByDay: flag,
    sortBy: () => 'startDate',
    eventID: (random) => pick(random, ids) ?? '',
    eventSlug: () => 'sprakkafe-pa-biblioteket',
    eventsSlugs: (random) => several(random, ['sprakkafe-pa-biblioteket', 'orgelmeditasjon', 'nix']) ?? [],
    title: () => 'Orgelmeditasjon',
    lan: (random) => pick(random, ['nb', 'en', 'de']),
    minLatitude: (random) => pick(random, [60, 63.4, 91]),
    maxLatitude: (random) => pick(random, [63.5, 70]),
    minLongitude: (random) => pick(random, [10.3, -180, 170]),
    maxLongitude: (random) => pick(random, [10.5, 180, -170]),
  };
  return (name, random) => {
    const make = table[name];
    if (make === undefined) throw new Error(`expected values for every argument, found none for ${name}`);
    return make(random);
  };
}
