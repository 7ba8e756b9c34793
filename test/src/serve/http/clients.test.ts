/** Apollo Client and urql, as public code and docs/clients.md use them. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ApolloClient, type DocumentNode, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import { assertAbove } from '../../../helpers/assertions.ts';
import { built } from '../../../helpers/build.ts';
import { clientOf } from '../../../helpers/client.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { runCommand } from '../../../helpers/program.ts';
import { startServer } from '../../../helpers/running.ts';
import { theBlock } from '../../../readme/blocks.ts';
import { ADDRESS } from '../../../readme/shell.ts';
import { startSample } from './sample.ts';
import type { Stand } from './stand.ts';

interface Context {
  stand: Stand;
  endpoint: string;
  asShown: ApolloClient;
}

const clients = suite<Context>('clients');
const closing = closedAfterEach(clients);

clients.before(async (context) => {
  context.stand = await startSample();
  context.endpoint = `${context.stand.url}/graphQL`;
  context.asShown = await apolloAsShown(context.endpoint);
});

clients.after(({ stand }) => stand.close());

/** Queries as public code sends them. */
const PUBLIC_QUERIES = [
  `query { events(filter: {}, page: 0, pageSize: 100) { data { id event_slug title_nb startDate endDate venue { name } } } }`,
  `query { events(filter: {sortBy:"date"}, page: 0, pageSize: 1000) { totalCount data { id title_nb title_en startDate images { urlLarge } } } }`,
  `query { events(filter: {fromDate:"2026-12-01 00:00:00+0100",untilDate:"2026-12-07 23:59:59+0100",groupRepetitionsByDay:true}, page: 0, pageSize: 250) {
    data { id title_nb startDate endDate startTime event_slug eventLink eventCancelled venue { name address } } totalCount } }`,
];

const QUERY = `query Soon($size: Int) { events(pageSize: $size) { totalCount data { id title_nb } } }`;

interface Soon {
  readonly events: { readonly totalCount: number; readonly data: readonly { readonly id: string }[] };
}

function checkSoon(data: Soon | undefined): void {
  assert.is(data?.events.data.length, 3);
  assertAbove(data?.events.totalCount ?? 0, 3, 'events');
}

for (const [at, query] of PUBLIC_QUERIES.entries()) {
  clients(`should answer query ${at + 1} of those that are seen in public code`, async ({ stand }) => {
    const { data, errors } = JSON.parse((await stand.post(query)).text);
    assert.is(errors, undefined);
    assertAbove(data.events.data.length, 0, 'events');
    for (const { id, startDate } of data.events.data) {
      assert.type(id, 'string');
      assert.match(startDate, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+0[12]:00$/);
    }
  });
}

const GET = { 'Gateway-Require-Preflight': 'true' };

// By POST, and with other libraries, they are run as docs/clients.md shows them (`test/readme/clients-rules.ts`).
clients('should serve Apollo Client by GET', async ({ endpoint }) => {
  const link = new HttpLink({ uri: endpoint, useGETForQueries: true, headers: GET });
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const { data } = await client.query<Soon>({ query: gql(QUERY), variables: { size: 3 } });
  checkSoon(data);
  const bad = client.query({ query: gql('{ nothing }') });
  assert.match(String(await bad.catch((error: unknown) => error)), 'Cannot query field');
  const query = gql('{ events(page: -1) { totalCount } }');
  const wrong = await client.query({ query, errorPolicy: 'all' });
  assert.match(String(wrong.error), 'page: expected a whole number of 0 or more, found -1');
});

clients('should serve urql by GET', async ({ endpoint }) => {
  const own = { preferGetMethod: 'force', fetchOptions: { headers: GET } } as const;
  const client = new Client({ url: endpoint, exchanges: [cacheExchange, fetchExchange], ...own });
  const { data, error } = await client.query<Soon>(QUERY, { size: 3 }).toPromise();
  assert.is(error, undefined);
  checkSoon(data);
  const bad = await client.query('{ nothing }', {}).toPromise();
  assert.match(String(bad.error), 'Cannot query field');
});

clients('should name the header and the client’s setting to a GET without it', async ({ endpoint }) => {
  const urql = new Client({ url: endpoint, exchanges: [fetchExchange] });
  const { error } = await urql.query<Soon>(QUERY, { size: 3 }).toPromise();
  assert.is(error?.response?.status, 400);
  assert.match(String(error), /Gateway-Require-Preflight: true.* in urql, set preferGetMethod: false/);
  const link = new HttpLink({ uri: endpoint, useGETForQueries: true });
  const apollo = new ApolloClient({ link, cache: new InMemoryCache() });
  const refusal = await apollo.query({ query: gql(QUERY) }).catch((thrown: unknown) => thrown);
  assert.match(String(refusal), /In Apollo Client, leave out useGETForQueries/);
});

const EVENTS = gql`query Events($filter: Filter) {
  events(filter: $filter, pageSize: 100) { data { id title_nb startDate endDate venue { id name } repetitions { startDate } } }
}`;

const FACETS = gql`query Facets($filter: Filter) {
  events(filter: $filter) {
    totalCount
    venues { id name hits }
    organizers { id name hits }
    categories { id name_nb hits }
    days { day hits }
    municipalities { number name hits }
    tags { tag hits }
  }
}`;

interface Case {
  readonly title: string;
  readonly query: DocumentNode;
  readonly first: object;
  readonly second: object;
}

/** Two questions about the same events, one after the other. */
const CASES: readonly Case[] = [
  {
    title: 'grouped days',
    query: EVENTS,
    first: { groupRepetitionsByDay: true },
    second: {},
  },
  {
    title: 'other windows',
    query: EVENTS,
    first: {},
    second: { fromStartDate: '2026-07-10 00:00:00+02:00' },
  },
  {
    title: 'facets',
    query: FACETS,
    first: {},
    second: { categories: ['MUSIC'] },
  },
];

for (const { title, query, first, second } of CASES) {
  clients(`should not mix up ${title} in Apollo's cache as docs/clients.md sets it up`, async (context) => {
    const { asShown, endpoint } = context;
    await asShown.clearStore();
    const [one, other] = await askBoth(asShown, query, [first, second]);
    assert.equal(one, await answerOf(endpoint, query, first));
    assert.equal(other, await answerOf(endpoint, query, second));
    assert.not.equal(one, other, 'two questions with different answers');
  });
}

clients("should merge in Apollo's cache what parts of a page ask of a list and an event", async (context) => {
  const { asShown } = context;
  await asShown.clearStore();
  const parts = [
    gql`{ events { totalCount } }`,
    gql`{ events { hasMore } }`,
    gql`{ eventByID(eventID: "evt-133") { title_nb } }`,
    gql`{ eventByID(eventID: "evt-133") { startDate } }`,
  ];
  for (const query of parts) await asShown.query({ query });
  for (const query of parts) assert.ok(asShown.readQuery({ query }), query.loc?.source.body);
});

interface Published {
  readonly id: string;
  readonly title: string;
  /** A day of June. */
  readonly day: number;
}

const published = (...events: readonly Published[]) =>
  sourceFolder({
    'events.json': events.map(({ id, title, day }) => ({
      id,
      title_nb: title,
      dates: [{ start: `2031-06-${day} 19:30` }],
    })),
  });

interface Update {
  readonly events: readonly Published[];
  /** Ids that the program of the page leaves as they were, and does not ask for again. */
  readonly untouched: readonly string[];
}

const A: Published = { id: 'a', title: 'Kor', day: 20 };
const B: Published = { id: 'b', title: 'Kino', day: 21 };
const B_MOVED: Published = { id: 'b', title: 'Kino, flyttet', day: 23 };
const C: Published = { id: 'c', title: 'Quiz', day: 22 };
const D: Published = { id: 'd', title: 'Revy', day: 24 };

/** One an hour. The third has no news: an empty list of ids would ask for all events. */
const UPDATES: readonly Update[] = [
  { events: [A, B, C], untouched: [] },
  { events: [A, B_MOVED, D], untouched: ['a'] },
  { events: [A, B_MOVED, D], untouched: ['a', 'b', 'd'] },
];

clients('E7, B15: should bring a copy up to date by the changes, as docs/clients.md shows it', async () => {
  const folder = temporaryFolder();
  const snapshots = temporaryFolder();
  for (const [hour, { events, untouched }] of UPDATES.entries()) {
    const { copied, served } = await updateCopy(folder, { snapshots, source: published(...events), hour });
    const of = `events in the copy of hour ${hour}`;
    assert.equal(copied.map(shownOf), served, of);
    assert.equal(idsOf(copied.filter(({ isMarked }) => isMarked)), untouched, `untouched ${of}`);
    const marked = copied.map((event) => [event.id, { ...event, isMarked: true }] as const);
    writeCopy(folder, { ...readCopy(folder), events: marked });
  }
});

clients('E7, B15: should fetch a copy of an unknown snapshot anew, as docs/clients.md shows it', async () => {
  const folder = temporaryFolder();
  writeCopy(folder, { snapshot: '0123456789abcdef', events: [['x', { id: 'x' }]] });
  const update = { snapshots: temporaryFolder(), source: published(A, D), hour: 0 };
  const { copied, served } = await updateCopy(folder, update);
  assert.equal(idsOf(copied), ['a', 'd']);
  assert.equal(copied.map(shownOf), served);
});

interface Shown {
  readonly id: string;
  readonly title_nb: string;
  readonly startDate: string;
}

interface Copied extends Shown {
  /** Set by the test: this event was in the copy before the update. */
  readonly isMarked?: boolean;
}

interface Copy {
  readonly snapshot: string;
  readonly events: readonly (readonly [id: string, event: object])[];
}

interface CopyUpdate {
  readonly snapshots: string;
  readonly source: string;
  /** Hours after the first build. */
  readonly hour: number;
}

const FIRST_BUILD = Date.parse('2031-06-01T08:00:00Z') / 1_000;

/** Builds and serves a source, and lets the program of the page update its copy. Events are by id. */
async function updateCopy(folder: string, { snapshots, source, hour }: CopyUpdate) {
  const now = FIRST_BUILD + hour * 3_600;
  await built(source, snapshots, { now });
  const running = closing(await startServer({ snapshots, clock: () => now * 1_000 }));
  const { code, stdout, stderr } = await runShown('copy.mjs', `${running.url}/graphQL`, folder);
  assert.is(code, 0, stderr);
  const asked = await running.post(
    '{ events(pageSize: 1000) { data { id title_nb startDate } } calendar { snapshot { id } } }',
  );
  const { events, calendar } = JSON.parse(asked.text).data;
  assert.is(stdout, `${events.data.length} events of ${calendar.snapshot.id}\n`);
  const copied: readonly Copied[] = readCopy(folder).events.map(([, event]) => event as Copied);
  return { copied: [...copied].sort(byId), served: [...events.data].sort(byId) };
}

const readCopy = (folder: string): Copy => JSON.parse(readFileSync(join(folder, 'copy.json'), 'utf8'));

const writeCopy = (folder: string, copy: Copy) =>
  writeFileSync(join(folder, 'copy.json'), JSON.stringify(copy));

const shownOf = ({ id, title_nb, startDate }: Shown): Shown => ({ id, title_nb, startDate });

const idsOf = (events: readonly Shown[]) => events.map(({ id }) => id);

const byId = (left: Shown, right: Shown) => (left.id < right.id ? -1 : 1);

/** Runs a program of docs/clients.md against this endpoint, in a folder. */
async function runShown(file: string, endpoint: string, folder: string) {
  const shown = theBlock({ file: new RegExp(`^${file}$`) }).text;
  if (!existsSync(join(folder, 'node_modules')))
    symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, file), shown.replaceAll(`${ADDRESS}/graphQL`, endpoint));
  return runCommand(process.execPath, [file], { cwd: folder });
}

/** The client that docs/clients.md shows, for this endpoint. */
async function apolloAsShown(endpoint: string): Promise<ApolloClient> {
  const shown = theBlock({ file: /^apollo\.mjs$/ }).text;
  const folder = temporaryFolder();
  symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'apollo.mjs');
  const text = shown.replaceAll(`${ADDRESS}/graphQL`, endpoint).replace(/^console.*$/m, '');
  writeFileSync(program, text);
  return (await import(pathToFileURL(program).href)).calendar;
}

/** Asks one after the other, and gives the answers of the cache to both. */
async function askBoth(
  client: ApolloClient,
  query: DocumentNode,
  filters: readonly object[],
): Promise<readonly unknown[]> {
  for (const filter of filters) await client.query({ query, variables: { filter } });
  return filters.map((filter) => withoutNames(client.readQuery({ query, variables: { filter } })));
}

const answerOf = (endpoint: string, query: DocumentNode, filter: object): Promise<unknown> =>
  clientOf(endpoint).ask(query.loc?.source.body ?? '', { filter });

function withoutNames(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => (name === '__typename' ? undefined : inner)));
}

clients.run();
