/** The most that one request may ask of the calendar: filters as long as a body, lists as long as the calendar. */
import { join } from 'node:path';
import { assertObjectType, getIntrospectionQuery } from 'graphql';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../../jobs/write.ts';
import { isCalendarError } from '../../../src/calendar/errors.ts';
import { createExecute } from '../../../src/serve/graphql/execute.ts';
import { createExecuteRequest } from '../../../src/serve/graphql/request.ts';
import { MAX_EVENTS } from '../../../src/serve/graphql/roots.ts';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { readFragments } from '../../../src/serve/query/nodes.ts';
import { planEvents } from '../../../src/serve/query/plan.ts';
import { selectNodes } from '../../../src/serve/query/select.ts';
import { viewAt } from '../../../src/serve/query/view.ts';
import { openSnapshotFile } from '../../../src/snapshot/folder.ts';
import type { Snapshot } from '../../../src/snapshot/open.ts';
import { assertAtMost } from '../../helpers/assertions.ts';
import { makeCalendar, NOW } from '../../helpers/calendar.ts';
import { costOf, costsAtMost } from '../../helpers/cost.ts';
import { rejects } from '../../helpers/errors.ts';
import { snapshotContentOf, temporaryFolder } from '../../helpers/folder.ts';
import { times } from '../../helpers/random-operations.ts';
import { bodyText } from '../../helpers/sample.ts';
import {
  AREA,
  aliases,
  BY_SLUGS,
  byLists,
  facets,
  full,
  nested,
  paged,
  pages,
  SLUGS,
  searching,
  sized,
  wholeOf,
} from './query-bounds/documents.ts';

const BODY = 256 * 1_024;
const test = suite('bounds of queries');
let snapshot: Snapshot;
/** The same, counting the events that are read. */
let counted: Snapshot;
let reads = 0;

test.before(async () => {
  const path = join(temporaryFolder(), 'calendar-0123456789abcdef.sqlite');
  const made = await makeCalendar({ events: MAX_EVENTS + 1, dates: 1, sentences: 1 });
  await writeSnapshot(path, snapshotContentOf(made));
  snapshot = await openSnapshotFile(path);
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

/** Filters that fill a body. Texts without a list are in `hostile.test.ts`. */
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

/** Reads and selects with a filter, as a request does. A refusal of arguments is an answer, too. */
async function asked(filter: object): Promise<void> {
  const work = async () => {
    const set = await selectNodes(viewAt(snapshot, NOW), planEvents({ filter }).conditions, { now: NOW });
    set.counts();
  };
  await work().catch((cause) => rejects(Promise.reject(cause), 'BAD_USER_INPUT'));
}

test('B1: should count repeated values of a list once', () => {
  const { conditions } = planEvents({ filter: { categories: ['A', null, 'B', 'A'], postalCodes: [null] } });
  assert.equal(conditions, { categories: ['A', 'B'] });
});

/** The answer, or the code and message of its refusal, and how many events were read. */
async function answer(query: string, variables: object = {}) {
  reads = 0;
  const execute = createExecute((thrown) => {
    throw new Error('expected only errors that are foreseen', { cause: thrown });
  });
  const parameters = { query, variables: { ...variables }, operationName: undefined };
  try {
    const basis = { snapshot: counted, now: NOW };
    const given = await createExecuteRequest({ schema, execute })(parameters, () => basis);
    if (!('code' in given)) return { reads, outcome: 'ok', body: bodyText(given.body) };
    return { reads, outcome: `${given.code}: ${given.errors[0]?.message}`, body: '' };
  } catch (cause) {
    if (!isCalendarError(cause)) throw cause;
    return { reads, outcome: `${cause.code}: ${cause.message}`, body: '' };
  }
}

/** The refusal of an answer with so many fields. */
const tooMany = (figure: number) =>
  `QUERY_TOO_COMPLEX: The response would have ${figure} fields; the limit is 250000. Ask for a smaller page (pageSize), or for fewer fields.`;
const tooManyEvents = (figure: number) =>
  `QUERY_TOO_COMPLEX: The operation asks for ${figure} events; the limit is 20000. Ask for a smaller area, for fewer slugs, or for pages of \`events\`.`;
const tooManySlugs = (figure: number) =>
  `QUERY_TOO_COMPLEX: The operation asks for ${figure} slugs; the limit is 20000. Ask for fewer at once.`;
const tooManyWords = (figure: number) =>
  `QUERY_TOO_COMPLEX: The operation searches for ${figure} different words; the limit is 128. Ask for fewer search terms at once.`;

const NO_SLUGS = SLUGS.map((slug) => `no-${slug}`);
const TYPES = Object.keys(schema.getTypeMap()).length;

interface CountedDocument {
  readonly title: string;
  readonly outcome: string;
  readonly query: string;
  readonly variables?: object;
}

const COUNTED: readonly CountedDocument[] = [
  // 1 for `events`, 1 for `data`, 250 for each of 1,000 rows.
  {
    title: 'D2: a field of the page for each of its rows',
    outcome: tooMany(250_002),
    query: full(aliases(250)),
  },
  {
    title: 'D2: no row that a filter leaves out',
    outcome: 'ok',
    query: paged('1000, filter: {venues: "none"}', aliases(300)),
  },
  {
    title: 'D2: no row that the last page has not',
    outcome: 'ok',
    query: paged('1000, page: 20', aliases(300)),
  },
  {
    title: 'D2: each slug that is found',
    outcome: tooMany(250_001),
    query: BY_SLUGS,
    variables: { slugs: SLUGS },
  },
  {
    title: 'D2: no slug that is not found',
    outcome: 'ok',
    query: BY_SLUGS,
    variables: { slugs: NO_SLUGS },
  },
  {
    title: 'B7, D2: a larger page as the 1,000 served',
    outcome: tooMany(250_002),
    query: sized('Int'),
    variables: { size: 2_000_000_000 },
  },
  {
    title: 'B7, D2: the usual page for null',
    outcome: 'ok',
    query: sized('Int'),
    variables: { size: null },
  },
  {
    title: 'B7, D2: a page by a variable',
    outcome: 'ok',
    query: sized('Int'),
    variables: { size: 100 },
  },
  {
    title: 'B7, D2: a page by default',
    outcome: tooMany(250_002),
    query: sized('Int = 1000'),
  },
  {
    title: 'D2: 1,000 events with 60 fields',
    outcome: 'ok',
    query: full(`id title_nb tags venue { id name } images { alt } ${aliases(50)} repetitions { startDate }`),
  },
  {
    title: 'D2: 1,000 events with all fields and `__typename`',
    outcome: 'ok',
    query: `{ events(pageSize: 1000) ${wholeOf(assertObjectType(schema.getType('EventConnection')))} }`,
  },
  {
    title: 'C4, D2: of an event’s list what is typical',
    outcome: tooMany(2 + 1000 * 10 * (1 + 3 * 42)),
    query: nested(''),
  },
  {
    title: 'C4, D2: `first` where it is less',
    outcome: tooMany(2 + 1000 * 10 * (1 + 2 * 42)),
    query: nested('(first: 2)'),
  },
  {
    title: 'C4, D2: of a facet what is typical',
    outcome: tooMany(1 + 50 * (1 + 100 * 50) + 2),
    query: facets(''),
  },
  {
    title: 'C4, D2: `first` of a facet',
    outcome: 'ok',
    query: facets('(first: 5)'),
  },
  {
    title: 'D2: more events than may be read',
    outcome: tooManyEvents(MAX_EVENTS + 1),
    query: `{ ${AREA} }`,
  },
  {
    title: 'D2: those of all root fields',
    outcome: tooManyEvents(19_000 + MAX_EVENTS + 1),
    query: `{ ${pages(19)} ${AREA} }`,
  },
  {
    title: 'D2: the events of each list of a page',
    outcome: tooManyEvents(21_000),
    query: `{ events(pageSize: 1000) { ${aliases(21, 'data { id }')} } }`,
  },
  {
    title: 'D2: 20,000 slugs',
    outcome: 'ok',
    ...byLists(10),
  },
  {
    title: 'D2: the slugs of all lists',
    outcome: tooManySlugs(22_000),
    ...byLists(11),
  },
  {
    title: 'D2: a list of slugs that many fields share',
    outcome: 'ok',
    query: `query ($slugs: [String]!) { ${aliases(20, 'eventsBySlugs(eventsSlugs: $slugs) { id }')} }`,
    variables: { slugs: NO_SLUGS },
  },
  {
    title: 'D2: once the selections that fields share',
    outcome: 'ok',
    // Each field spreads a fragment alone: without sharing there would be over 100,000 selections.
    query: `{ ${aliases(20, 'events(pageSize: 1) { data { ...E } }')} }
      fragment E on Event { ${aliases(40, 'venue { ...V }')} }
      fragment V on Venue { ${aliases(65, 'name')} ${times(65, (at) => `b${at}: slug`)} }`,
  },
  {
    title: 'D2: 128 different words',
    outcome: 'ok',
    query: `{ ${searching(128)} }`,
  },
  {
    title: 'D2: the words of all search terms',
    outcome: tooManyWords(129),
    query: `{ ${searching(129)} }`,
  },
  {
    title: 'D2: introspection',
    outcome: 'ok',
    query: getIntrospectionQuery({ schemaDescription: true, oneOf: true }),
  },
  {
    title: 'D2: each of different introspections',
    outcome: tooMany(20 * 5 * (2 + 98 * TYPES)),
    query: `{ ${times(
      20,
      (at) =>
        `s${at}: __schema { types { n${at}: name fields { name args { name } type { name ofType { name } } } } }`,
    )} }`,
  },
];

for (const { title, outcome: expected, query, variables } of COUNTED) {
  test(`${title}: should be counted before any event is read`, async () => {
    const { outcome, reads } = await answer(query, variables);
    assert.is(outcome, expected);
    if (expected !== 'ok') assert.is(reads, 0, 'events');
  });
}

test('D2: should read equal filters and select their nodes once, however many root fields have them', async () => {
  const venues = different(5).slice(0, 2_000);
  const view = viewAt(counted, NOW);
  const { shownRows } = view;
  let selected = 0;
  Object.assign(view, {
    shownRows: (window: Parameters<typeof shownRows>[0]) => {
      selected++;
      return shownRows(window);
    },
  });
  const same = aliases(20, 'events(filter: { venues: $venues, tag: "a" }) { totalCount }');
  assert.is((await answer(`query ($venues: [String]) { ${same} }`, { venues })).outcome, 'ok');
  assert.is(selected, 1);
  const own = times(20, (at) => `a${at}: events(filter: { tag: "${at}" }) { totalCount }`);
  assert.is((await answer(`{ ${own} }`)).outcome, 'ok');
  assert.is(selected, 21);
  Object.assign(view, { shownRows });
});

test('C4, D2: should work out a facet once for a set, however many fields ask for it', async () => {
  const { facets } = viewAt(counted, NOW);
  const { tags } = facets;
  let worked = 0;
  Object.assign(facets, {
    tags: (rows: Parameters<typeof tags>[0]) => {
      worked++;
      return tags(rows);
    },
  });
  const field = (first: string) =>
    `events(filter: { tag: "blåbær" }) { ${aliases(50, `tags${first} { tag hits }`)} }`;
  const { body } = await answer(`{ a: ${field('(first: 1)')} b: ${field('')} }`);
  Object.assign(facets, { tags });
  const { a, b } = JSON.parse(body).data;
  assert.equal(a.a0, b.a0);
  assert.equal(b.a49, a.a49);
  assert.is(worked, 1);
});

test('D2: should answer as many events as all root fields can have on their pages', async () => {
  const { outcome, body } = await answer(`{ ${pages(20)} }`);
  assert.is(outcome, 'ok');
  const parts: readonly { readonly data: readonly { readonly id: string }[] }[] = Object.values(
    JSON.parse(body).data,
  );
  assert.is(new Set(parts.flatMap(({ data }) => data.map(({ id }) => id))).size, MAX_EVENTS);
});

/** What a list of a site asks for; each number from 0 to 49 has an answer of its own. */
function ordinaryPage(nth: number): string {
  const fields =
    'id title_nb event_slug venue { id name } categories images { alt urlSmall } repetitions { startDate }';
  const filter = `hoursRange: "00:${10 + (nth % 50)}-23:59"`;
  return `{ events(pageSize: 10, filter: { ${filter} }) { totalCount data { ${fields} } venues { name hits } categories { id hits } days { day hits } } }`;
}

const LETTERS = [...'eventprøvåkldmsøgib0123456'];

/** 20 fields, each with as many words as a search term may have: pairs of letters, which differ from attempt to attempt. */
function longestSearches(attempt: number): string {
  const partnerOf = (at: number) => LETTERS[(at * 7 + attempt) % LETTERS.length] ?? '';
  const words = LETTERS.map((letter, at) => letter + partnerOf(at));
  const termFrom = (first: number) => {
    const term = [...words.slice(first), ...words.slice(0, first)].join(' ');
    return term.repeat(4).slice(0, 256);
  };
  const fields = times(
    20,
    (at) => `s${at}: events(filter: { searchTerm: "${termFrom(at)}" }) { totalCount }`,
  );
  return `{ ${fields} }`;
}

test('D14: 20 fields that search for the longest terms should cost at most 20 ordinary pages', async () => {
  const succeeds = async (query: string) => assert.is((await answer(query)).outcome, 'ok');
  const PAGES = 10;
  let nth = 0;
  const costOfPages = await costOf(async () => {
    for (let page = 0; page < PAGES; page++) await succeeds(ordinaryPage(nth++));
  });
  // Words are cached once they were searched for, so each attempt has others.
  let attempt = 0;
  const costOfSearches = await costOf(() => succeeds(longestSearches(++attempt)), { tries: 3 });
  assertAtMost(costOfSearches / (costOfPages / PAGES), 20, 'ordinary pages');
});

test('D2: should read the lists of builds once, however many fields ask for changes', async () => {
  const read: string[] = [];
  const basis = {
    snapshot: {
      ...snapshot,
      json: (name: Parameters<Snapshot['json']>[0]) => {
        read.push(name);
        return snapshot.json(name);
      },
    },
    now: NOW,
  };
  const execute = createExecute((thrown) => {
    throw thrown;
  });
  const query = `{ ${times(20, (at) => `c${at}: changes(since: "${at % 2 === 0 ? snapshot.id : at}") { to }`)} }`;
  const parameters = { query, variables: {}, operationName: undefined };
  await createExecuteRequest({ schema, execute })(parameters, () => basis);
  assert.equal(
    read.filter((name) => name === 'builds' || name === 'history'),
    ['builds', 'history'],
  );
});

test('D2: should answer introspection once for all fields that ask for the same', async () => {
  const { getTypeMap } = schema;
  let listed = 0;
  schema.getTypeMap = () => {
    listed++;
    return getTypeMap.call(schema);
  };
  const types = (fields: string) =>
    `__schema { types { name fields(includeDeprecated: ${fields}) { name } } }`;
  const others = `b: ${types('false')} c: __typename`;
  const listings = async (count: number) => {
    listed = 0;
    const { body } = await answer(`{ ${times(count, (at) => `a${at}: ${types('true')}`)} ${others} }`);
    return { data: JSON.parse(body).data, listed };
  };
  const [one, many] = [await listings(1), await listings(18)];
  schema.getTypeMap = getTypeMap;
  const { a0, a17, b, c } = many.data;
  assert.equal(a0, one.data.a0);
  assert.equal(a17, one.data.a0);
  assert.not.equal(a0, b);
  assert.is(c, 'Query');
  assert.is(many.listed, one.listed);
});

test('D14: should let other requests in while it reads many events', async () => {
  const batches: number[] = [];
  const counting = {
    ...snapshot,
    eventBodies: (ordinals: readonly number[]) => {
      batches.push(ordinals.length);
      return snapshot.eventBodies(ordinals);
    },
  };
  await readFragments(viewAt(counting, NOW), [...Array(1_000).keys()]);
  assert.equal(batches, [250, 250, 250, 250]);
});

test.run();
