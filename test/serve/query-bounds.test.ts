/** What one request may ask of the calendar, at its worst: filters as long as a body, lists as long as the calendar. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../jobs/write.ts';
import { createAnswer } from '../../src/serve/graphql/answer.ts';
import { createExecute } from '../../src/serve/graphql/operation.ts';
import { schema } from '../../src/serve/graphql/schema.ts';
import { MAX_EVENTS, readFragments } from '../../src/serve/query/node.ts';
import { planEvents } from '../../src/serve/query/plan.ts';
import { selectNodes } from '../../src/serve/query/select.ts';
import { viewAt } from '../../src/serve/query/view.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { makeCalendar, NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { contentOf, temporaryFolder } from '../helpers/folder.ts';
import { textOf } from '../helpers/sample.ts';
import { costsAtMost } from '../helpers/usage.ts';

const BODY = 256 * 1_024;
const test = suite('bounds of queries');
let snapshot: Snapshot;

test.before(async () => {
  const path = join(temporaryFolder(), 'calendar-0123456789abcdef.sqlite');
  await writeSnapshot(path, contentOf(makeCalendar({ events: MAX_EVENTS + 1, dates: 2 })));
  snapshot = await openSnapshot(path);
  await answer('{ eventByID(eventID: "event-000001") { id } }');
});
test.after(() => snapshot.close());

const repeated = (text: string): readonly string[] =>
  Array.from({ length: Math.floor(BODY / (text.length + 3)) }, () => text);
const different = (length: number): readonly string[] =>
  Array.from({ length: Math.floor(BODY / (length + 3)) }, (_, at) => String(at).padStart(length, 'x'));

/** Each fills a body. */
const FILTERS: Readonly<Record<string, object>> = {
  'one category': { categories: repeated('MUSIC') },
  'one category to exclude': { notCategories: repeated('MUSIC') },
  'one venue': { venues: repeated('as') },
  'one organizer': { organizers: repeated('ornulf') },
  'one postal code': { postalCodes: repeated('7010') },
  'venues that are not there': { venues: different(5) },
  'postal codes that are not there': { postalCodes: different(4) },
  'a tag of ligatures': { tag: '\ufdfa'.repeat(BODY / 3) },
  'a tag of combining marks': { tag: `a${'\u0315\u0300'.repeat(BODY / 4)}` },
  'a municipality of ligatures': { municipality: '\ufdfa'.repeat(BODY / 3) },
  'a venue of blanks': { venueSlug: ' '.repeat(BODY) },
  'hours of hyphens': { hoursRange: '-'.repeat(BODY) },
  'hours of digits': { hoursRange: '1'.repeat(BODY) },
  'a moment of digits': { fromDate: '2'.repeat(BODY) },
  'a moment and blanks': { fromDate: `2026-01-01 10:00:00${' '.repeat(BODY)}x` },
  'a moment with a long fraction': { untilDate: `2026-01-01 10:00:00.${'1'.repeat(BODY)}x` },
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
    const set = await selectNodes(view, planEvents({ filter }).selection, NOW);
    set.counts();
  } catch (cause) {
    await rejects(Promise.reject(cause), 'BAD_USER_INPUT');
  }
}

test('B1: should take what a list holds several times for once', () => {
  const { selection } = planEvents({ filter: { categories: ['A', null, 'B', 'A'], postalCodes: [null] } });
  assert.equal(selection, { categories: ['A', 'B'] });
});

const AREA =
  'allUpcomingEventsInArea(minLatitude: -90, maxLatitude: 90, minLongitude: -180, maxLongitude: 180)';
const slugs = (first: number, count: number) =>
  JSON.stringify(
    Array.from({ length: count }, (_, at) => `slug-event-${String(first + at).padStart(6, '0')}`),
  );

async function answer(query: string): Promise<{ readonly body: string } | { readonly code: string }> {
  const execute = createExecute((thrown) => {
    throw new Error('expected only errors that are foreseen', { cause: thrown });
  });
  const parameters = { query, variables: {}, operationName: undefined };
  try {
    const given = await createAnswer({ schema, execute })(parameters, () => ({ snapshot, now: NOW }));
    return 'code' in given ? given : { body: textOf(given.body) };
  } catch (cause) {
    return rejects(Promise.reject(cause), 'QUERY_TOO_COMPLEX', /asks for more than 20000 events: ask for/);
  }
}

const REFUSED: Readonly<Record<string, string>> = {
  'an area with more events than one operation may read': `{ ${AREA} { id } }`,
  'slugs of so many': `{ eventsBySlugs(eventsSlugs: ${slugs(0, 10_001)}) { id }
    more: eventsBySlugs(eventsSlugs: ${slugs(10_000, 10_001)}) { id } }`,
  'pages of so many, and another event': `{ ${Array.from({ length: 19 }, (_, at) => `p${at}: events(pageSize: 1000, page: ${at}) { data { id } }`).join(' ')}
    last: eventsBySlugs(eventsSlugs: ${slugs(0, 1_001)}) { id } }`,
};

for (const [what, query] of Object.entries(REFUSED)) {
  test(`D2: should refuse ${what}, as a whole`, async () => {
    const given = await answer(query);
    assert.is('code' in given && given.code, 'QUERY_TOO_COMPLEX');
  });
}

test('D2: should answer as many events as all root fields can have on their pages', async () => {
  const pages = Array.from(
    { length: 20 },
    (_, at) => `p${at}: events(pageSize: 1000, page: ${at}) { data { id } }`,
  );
  const given = await answer(`{ ${pages.join(' ')} }`);
  if (!('body' in given)) throw new Error(`expected an answer, found ${given.code}`);
  const { data } = JSON.parse(given.body);
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
