/** What one request may ask of the calendar, at its worst: filters as long as a body, lists as long as the calendar. */

import { join } from 'node:path';
import {
  assertObjectType,
  type GraphQLObjectType,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
} from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../jobs/write.ts';
import { isCalendarError } from '../../src/calendar/errors.ts';
import { createExecute, createExecuteRequest, MAX_EVENTS } from '../../src/serve/graphql/execute.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { planEvents } from '../../src/serve/query/plan.ts';
import { readFragments, selectNodes } from '../../src/serve/query/select.ts';
import { viewAt } from '../../src/serve/query/view.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { makeCalendar, NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { contentOf, temporaryFolder } from '../helpers/folder.ts';
import { times } from '../helpers/random-operations.ts';
import { textOf } from '../helpers/sample.ts';
import { costsAtMost } from '../helpers/usage.ts';

const BODY = 256 * 1_024;
const test = suite('bounds of queries');
let snapshot: Snapshot;
/** The same, counting the events that are read. */
let counted: Snapshot;
let reads = 0;

test.before(async () => {
  const path = join(temporaryFolder(), 'calendar-0123456789abcdef.sqlite');
  await writeSnapshot(path, contentOf(makeCalendar({ events: MAX_EVENTS + 1, dates: 2 })));
  snapshot = await openSnapshot(path);
  counted = {
    ...snapshot,
    eventBodies: (ordinals) => {
      reads += ordinals.length;
      return snapshot.eventBodies(ordinals);
    },
  };
  await answer('{ eventByID(eventID: "event-000001") { id } }');
});
test.after(() => snapshot.close());

const repeated = (text: string): readonly string[] =>
  Array.from({ length: Math.floor(BODY / (text.length + 3)) }, () => text);
const different = (length: number): readonly string[] =>
  Array.from({ length: Math.floor(BODY / (length + 3)) }, (_, at) => String(at).padStart(length, 'x'));

/** Each fills a body. What texts cost that no list is asked for is in `hostile-sizes.ts`. */
const FILTERS: Readonly<Record<string, object>> = {
  'one category': { categories: repeated('MUSIC') },
  'one category to exclude': { notCategories: repeated('MUSIC') },
  'one venue': { venues: repeated('as') },
  'one organizer': { organizers: repeated('ornulf') },
  'one postal code': { postalCodes: repeated('7010') },
  'venues that are not there': { venues: different(5) },
  'postal codes that are not there': { postalCodes: different(4) },
  'a word': { searchTerm: 'a'.repeat(BODY) },
  'words of a letter': { searchTerm: 'e m a k '.repeat(BODY / 8) },
  'words that are not there': { searchTerm: different(5).join(' ') },
  'words that nearly are': { searchTerm: 'kveldx musikq elvax blbær olle vil '.repeat(40) },
};

for (const [what, filter] of Object.entries(FILTERS)) {
  test(`D2: should work out a filter that is ${what}, a whole body of it, at a bounded cost`, async () => {
    await costsAtMost(8, () => asked(filter), { everyThread: true, tries: 5 });
  });
}

/** What a request does with a filter. Arguments that cannot be read are an answer, too. */
async function asked(filter: object): Promise<void> {
  try {
    const view = viewAt(snapshot, NOW);
    const set = await selectNodes(view, planEvents({ filter }).conditions, NOW);
    set.counts();
  } catch (cause) {
    await rejects(Promise.reject(cause), 'BAD_USER_INPUT');
  }
}

test('B1: should take what a list holds several times for once', () => {
  const { conditions } = planEvents({ filter: { categories: ['A', null, 'B', 'A'], postalCodes: [null] } });
  assert.equal(conditions, { categories: ['A', 'B'] });
});

/** The answer, or the code and message of its refusal, and how many events were read. */
async function answer(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  reads = 0;
  const execute = createExecute((thrown) => {
    throw new Error('expected only errors that are foreseen', { cause: thrown });
  });
  const parameters = { query, variables, operationName: undefined };
  try {
    const basis = { snapshot: counted, now: NOW };
    const given = await createExecuteRequest({ schema, execute })(parameters, () => basis);
    if (!('code' in given)) return { reads, outcome: 'ok', body: textOf(given.body) };
    return { reads, outcome: `${given.code}: ${given.errors[0]?.message}`, body: '' };
  } catch (cause) {
    if (!isCalendarError(cause)) throw cause;
    return { reads, outcome: `${cause.code}: ${cause.message}`, body: '' };
  }
}

const outcomeOf = async (...asked: Parameters<typeof answer>) => (await answer(...asked)).outcome;

const aliases = (count: number, of = 'id') => times(count, (at) => `a${at}: ${of}`);
const tooManyFields = (figure: number) =>
  `QUERY_TOO_COMPLEX: The answer would hold ${figure} fields; the limit is 200000. Ask for a smaller page (pageSize), or for fewer fields.`;
const tooManyEvents = (figure: number) =>
  `QUERY_TOO_COMPLEX: The operation asks for ${figure} events; the limit is 20000. Ask for a smaller area, for fewer slugs, or for pages of \`events\`.`;

test('D2: should count a field of the page once for each of its rows, before any is read', async () => {
  const page = (count: number) => `{ events(pageSize: 1000, page: 1) { data { ${aliases(count)} } } }`;
  // 1 for `events`, 1 for `data`, 200 for each of 1,000 rows.
  assert.equal(await answer(page(200)), { reads: 0, outcome: tooManyFields(200_002), body: '' });
  assert.equal((await answer(page(199))).reads, 1_000);
});

test('D2: should count the rows that there are, not those that were asked for', async () => {
  const one = `{ events(pageSize: 1000, filter: {venues: "none"}) { data { ${aliases(300)} } } }`;
  assert.is(await outcomeOf(one), 'ok');
  const last = `{ events(pageSize: 1000, page: 20) { data { ${aliases(300)} } } }`;
  assert.is(await outcomeOf(last), 'ok');
  const slugs = Array.from({ length: 2_000 }, (_, at) => `slug-event-${String(at).padStart(6, '0')}`);
  const query = `query ($slugs: [String]!) { eventsBySlugs(eventsSlugs: $slugs) { ${aliases(100)} } }`;
  assert.is(await outcomeOf(query, { slugs }), tooManyFields(200_001));
  assert.is(await outcomeOf(query, { slugs: slugs.map((slug) => `no-${slug}`) }), 'ok');
});

test('B7, D2: should count a page size above 1,000 as the 1,000 that is served, by literal and by variable', async () => {
  const query = `query ($size: Int) { events(pageSize: $size) { data { ${aliases(250)} } } }`;
  assert.is(await outcomeOf(query, { size: 2_000_000_000 }), tooManyFields(250_002));
  for (const size of [null, 100]) assert.is(await outcomeOf(query, { size }), 'ok');
  assert.is(await outcomeOf(query.replace('Int', 'Int = 1000')), tooManyFields(250_002));
});

test('D2: should let one page of 1,000 events with 60 fields pass', async () => {
  const sixty = `id title_nb tags venue { id name } images { alt } ${aliases(50)} repetitions { startDate }`;
  assert.is(
    await outcomeOf(`{ events(pageSize: 1000) { totalCount data { ${sixty} } venues { id name } } }`),
    'ok',
  );
});

/** Every field there is, with `__typename` at each level, as clients with a cache of objects ask. */
function wholeOf(type: GraphQLObjectType): string {
  const fields = Object.values(type.getFields()).map(({ name, type: to }) => {
    const below = getNamedType(to);
    return isObjectType(below) ? `${name} ${wholeOf(below)}` : name;
  });
  return `{ __typename ${fields.join(' ')} }`;
}

test('D2: should let pass 1,000 events with all fields and `__typename` everywhere', async () => {
  const whole = wholeOf(assertObjectType(schema.getType('EventConnection')));
  assert.is(await outcomeOf(`{ events(pageSize: 1000) ${whole} calendar { id } categories { id } }`), 'ok');
});

test('C4, D2: should count of a list within an event what is typical, or `first` where that is less', async () => {
  const page = (first: string) =>
    `{ events(pageSize: 1000) { data { ${aliases(10, `repetitions${first} { startDate venue { ${aliases(40)} __typename } }`)} } } }`;
  assert.is(await outcomeOf(page('')), tooManyFields(2 + 1000 * 10 * (1 + 3 * 42)));
  assert.is(await outcomeOf(page('(first: 2)')), tooManyFields(2 + 1000 * 10 * (1 + 2 * 42)));
  const facets = (first: string) =>
    `{ events(pageSize: 1) { ${aliases(50, `venues${first} { ...V }`)} data { id } } } fragment V on VenueFacet { ${aliases(50)} }`;
  assert.is(await outcomeOf(facets('')), tooManyFields(1 + 50 * (1 + 100 * 50) + 2));
  assert.is(await outcomeOf(facets('(first: 5)')), 'ok');
});

test('D2: should let introspection as clients send it pass', async () => {
  for (const variant of [
    {},
    { descriptions: false },
    {
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
    },
    { oneOf: true },
  ]) {
    assert.is(await outcomeOf(getIntrospectionQuery(variant)), 'ok');
  }
});

test('D2: should refuse more events than one operation may read, as a whole', async () => {
  const area =
    'allUpcomingEventsInArea(minLatitude: -90, maxLatitude: 90, minLongitude: -180, maxLongitude: 180)';
  assert.is(await outcomeOf(`{ ${area} { id } }`), tooManyEvents(MAX_EVENTS + 1));
  const pages = times(19, (at) => `p${at}: events(pageSize: 1000, page: ${at}) { data { id } }`);
  assert.is(await outcomeOf(`{ ${pages} ${area} { id } }`), tooManyEvents(19_000 + MAX_EVENTS + 1));
});

test('D2: should read equal filters and select their nodes once, however many root fields have them', async () => {
  const venues = different(5).slice(0, 2_000);
  const view = viewAt(counted, NOW);
  const { shown } = view;
  let selected = 0;
  Object.assign(view, {
    shown: (window: Parameters<typeof shown>[0]) => {
      selected++;
      return shown(window);
    },
  });
  const query = (filter: string) =>
    `query ($venues: [String]) { ${aliases(20, `events(filter: ${filter}) { totalCount }`)} }`;
  assert.is(await outcomeOf(query('{ venues: $venues, tag: "a" }'), { venues }), 'ok');
  assert.is(selected, 1);
  const own = times(20, (at) => `a${at}: events(filter: { tag: "${at}" }) { totalCount }`);
  assert.is(await outcomeOf(`{ ${own} }`), 'ok');
  assert.is(selected, 21);
  Object.assign(view, { shown });
});

test('D2: should answer as many events as all root fields can have on their pages', async () => {
  const pages = Array.from(
    { length: 20 },
    (_, at) => `p${at}: events(pageSize: 1000, page: ${at}) { data { id } }`,
  );
  const { outcome, body } = await answer(`{ ${pages.join(' ')} }`);
  assert.is(outcome, 'ok');
  const { data } = JSON.parse(body);
  const ids = pages.flatMap((_, at) => data[`p${at}`].data.map(({ id }: { id: string }) => id));
  assert.is(new Set(ids).size, MAX_EVENTS);
});

test('should let other requests in while it reads many events', async () => {
  let batches = 0;
  const read = snapshot.eventBodies;
  const counting = {
    ...snapshot,
    eventBodies: (ordinals: readonly number[]) => {
      batches += 1;
      assert.ok(ordinals.length <= 250);
      return read(ordinals);
    },
  };
  const ordinals = Array.from({ length: 1_000 }, (_, ordinal) => ordinal);
  assert.is((await readFragments(viewAt(counting, NOW), ordinals)).length, 1_000);
  assert.is(batches, 4);
});

test.run();
