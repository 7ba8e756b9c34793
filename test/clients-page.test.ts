/** The Apollo set-up of docs/clients.md on real answers: what its policies are for, and that without them it goes wrong. */
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ApolloClient, type DocumentNode, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { type Running, startBuilt } from './helpers/running.ts';
import { blocksIn, readPage } from './readme/document.ts';
import { ADDRESS } from './readme/shell.ts';

const NOON = Date.parse('2026-11-20T12:00:00+01:00');

const BLOCK = blocksIn(readPage('docs/clients.md')).find(({ file }) => file === 'apollo.mjs')?.text ?? '';

interface Context {
  calendar: Running;
  asShown: ApolloClient;
}

const apollo = suite<Context>("Apollo's cache");

apollo.before(async (context) => {
  context.calendar = await startBuilt(packagePath('data/sample'), NOON / 1_000);
  const folder = temporaryFolder();
  symlinkSync(packagePath('node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'apollo.mjs');
  writeFileSync(program, BLOCK.replaceAll(ADDRESS, context.calendar.url).replace(/^console.*$/m, ''));
  context.asShown = (await import(pathToFileURL(program).href)).calendar;
});

apollo.before.each(async ({ asShown }) => {
  await asShown.clearStore();
});

apollo.after(({ calendar }) => calendar.close());

const EVENTS = gql`query Events($filter: Filter) {
  events(filter: $filter, pageSize: 100) { data { id title_nb startDate endDate venue { id name } repetitions { startDate } } }
}`;
const FACETS = gql`query Facets($filter: Filter) {
  events(filter: $filter) {
    totalCount
    venues { id name hits }
    organizers { id name hits }
    categories { id name_nb hits }
  }
}`;

/** Two questions about the same events, one after the other. */
const CASES: readonly (readonly [says: string, query: DocumentNode, first: object, second: object])[] = [
  ['grouped days', EVENTS, { groupRepetitionsByDay: true }, {}],
  ['other windows', EVENTS, {}, { fromStartDate: '2026-12-10 00:00:00+01:00' }],
  ['facets', FACETS, {}, { categories: ['MUSIC'] }],
];

for (const [says, query, first, second] of CASES) {
  apollo(`should not mix up ${says} when it is set up as shown`, async ({ asShown, calendar }) => {
    const [one, other] = await askBoth(asShown, query, [first, second]);
    assert.equal(one, await answerOf(calendar, query, first));
    assert.equal(other, await answerOf(calendar, query, second));
  });

  apollo(`should show why: as it comes, it mixes up ${says}`, async ({ calendar }) => {
    const link = new HttpLink({ uri: `${calendar.url}/graphQL` });
    const asItComes = new ApolloClient({ link, cache: new InMemoryCache() });
    const [one] = await askBoth(asItComes, query, [first, second]);
    assert.not.equal(one, await answerOf(calendar, query, first));
  });
}

apollo('should keep what two parts of a page ask of one list, and of one event', async ({ asShown }) => {
  const parts = [
    gql`{ events { totalCount } }`,
    gql`{ events { hasMore } }`,
    gql`{ eventByID(eventID: "evt-052") { title_nb } }`,
    gql`{ eventByID(eventID: "evt-052") { startDate } }`,
  ];
  for (const query of parts) await asShown.query({ query });
  for (const query of parts) assert.ok(asShown.readQuery({ query }));
});

apollo.run();

/** Asks one after the other, and gives what the cache then has of both. */
async function askBoth(
  client: ApolloClient,
  query: DocumentNode,
  filters: readonly object[],
): Promise<readonly unknown[]> {
  for (const filter of filters) await client.query({ query, variables: { filter } });
  return filters.map((filter) => withoutNames(client.readQuery({ query, variables: { filter } })));
}

async function answerOf(calendar: Running, query: DocumentNode, filter: object): Promise<unknown> {
  const response = await fetch(`${calendar.url}/graphQL`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: query.loc?.source.body, variables: { filter } }),
  });
  return ((await response.json()) as { readonly data: unknown }).data;
}

function withoutNames(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, inner) => (name === '__typename' ? undefined : inner)));
}
