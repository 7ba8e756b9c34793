/**
 * `npm run bench -- --peers`: the same questions asked of almanakk and of servers that answer them by SQL: Mercurius, Apollo Server, GraphQL Yoga,
 * and node:http without GraphQL. All of them read the same calendar; the peers read its public edition, which has an index for each look-up.
 * Each peer runs twice: as a resolver for each field would have it, and with one selection and a cache. The last one also runs with a
 * synchronous driver, and with an array of all dates in place of SQL.
 */
import type { Built } from '../builds.ts';
import { buildCalendar } from '../calendars.ts';
import type { Load } from '../load.ts';
import { type Served, startAlmanakk } from '../processes.ts';
import { provenanceTable } from '../provenance.ts';
import {
  type Ask,
  byVariables,
  type Filter,
  type MakeFilter,
  mixed,
  readDirectories,
  repeated,
  withoutFacets,
} from '../questions.ts';
import { differentRow, post } from '../requests.ts';
import { type Effort, type Measured, measureRows, type Row } from '../rounds.ts';
import { figure, markdownTable, rangeText, thousands } from '../tables.ts';
import { checkAnswers } from './answers.ts';
import { IN_MEMORY, installPeers, PEERS, type Peer, startPeer } from './install.ts';

export interface PeersOptions {
  readonly work: string;
  readonly dist: string;
  readonly effort: Effort;
  /** Events of each calendar. */
  readonly sizes: readonly number[];
  /** In larger calendars, SQL takes seconds for each answer: only almanakk and the array are asked. */
  readonly mostOfSql: number;
  readonly command: string;
  readonly say: (what: string) => void;
}

/** Gives the tables. */
export async function measurePeers(options: PeersOptions, load: Load): Promise<string> {
  const { work, dist, effort, sizes, mostOfSql, command, say } = options;
  const folder = installPeers(work, say);
  const sections: string[] = [];
  for (const events of sizes) {
    say(`building a calendar of ${thousands(events)} events`);
    const wanted = { work, name: `peers-${events}`, events, now: Date.now(), publicEdition: true };
    const built = await buildCalendar(wanted, dist);
    say('asking');
    const peers = PEERS.filter(({ name }) => name === IN_MEMORY || events <= mostOfSql);
    sections.push(await measureSize({ ...options, built, folder, peers }, load));
  }
  const runs = `medians of ${effort.rounds} rounds, with the lowest and highest; each round goes through all rows`;
  return `# Compared with other servers

${provenanceTable({ command, dist, runs })}

A page of ten events with the total. The servers run on one core, the load on another. Each of 16 connections sends the next request as soon
as it has a response. CPU is the CPU time of the server's process for a request.

Each of the other servers runs in two versions. "Selected once, cached": it selects the matching events into a temporary table, reads the total,
the page and the facets from that, and reuses its data for a minute if a request is repeated. The other version selects the events in each
statement, and caches nothing. The first version has four connections to SQLite, and the other has one. Both use sqlite3, which runs statements
on other threads. With better-sqlite3, a server has one connection, and runs statements on its own thread.

"An array in memory" has no SQL after its start: it passes once through an array of all dates for each request, and reuses the last 1,000
responses for a minute.

The versions of these servers are fixed. Those of the packages that they depend on are not: npm installed the newest that matched on the day of
the measurement.

${sections.join('\n\n')}
`;
}

interface Sized extends PeersOptions {
  readonly built: Built;
  readonly folder: string;
  readonly peers: readonly Peer[];
}

async function measureSize({ dist, built, folder, peers, effort }: Sized, load: Load): Promise<string> {
  const almanakk = await startAlmanakk({ dist, folder: built.folder });
  const servers: Served[] = [almanakk];
  try {
    for (const peer of peers) servers.push(await startPeer(peer, folder, built));
    return await measureServers(servers, { built, effort, load });
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** The questions in the order of the tables: those that differ compare the servers themselves. */
const QUESTIONS = [
  { id: 'facets', heading: 'Every request different, with three facets', ask: byVariables },
  { id: 'page', heading: 'Every request different, without facets', ask: withoutFacets },
  { id: 'repeated', heading: 'The same request repeated, with three facets', ask: undefined },
] as const satisfies readonly { id: string; heading: string; ask: Ask | undefined }[];

const rowId = (server: Served, question: string): string => `${server.name}-${question}`;

interface Measurement {
  readonly built: Built;
  readonly effort: Effort;
  readonly load: Load;
}

/** Asks all servers the same, and writes the tables of one size. The first server is almanakk. */
async function measureServers(
  servers: readonly Served[],
  { built, effort, load }: Measurement,
): Promise<string> {
  const [almanakk] = servers;
  if (almanakk === undefined) throw new Error('expected a server');
  const directories = await readDirectories(almanakk.port);
  const same = post(repeated(directories));
  const different = differentRow(directories);
  const rows = servers.flatMap((server) =>
    QUESTIONS.map(({ id, ask }): Row => {
      const label = server.name;
      if (ask === undefined) {
        return { id: rowId(server, id), label, server, requests: () => [same], floor: '' };
      }
      // With the same seed, all servers get the same filters: some of these cost much more than others.
      return different(rowId(server, id), server, { label: '', ask, make: makePeerFilter, seedText: id });
    }),
  );
  await checkAnswers(servers, makePeerFilter, directories);
  const measured = await measureRows(rows, load, effort);
  const memory = new Map<string, number>();
  for (const server of servers) memory.set(server.name, (await server.usage()).rss);
  return sectionOf(built, servers, { measured, memory });
}

interface Found {
  readonly measured: readonly Measured[];
  /** Resident bytes after the requests, by the server's name. */
  readonly memory: ReadonlyMap<string, number>;
}

function sectionOf(built: Built, servers: readonly Served[], { measured, memory }: Found): string {
  const tables = QUESTIONS.map(
    ({ id, heading }) =>
      `### ${heading} (${thousands(built.events)} events)\n\n${tableOf(id, servers, measured)}`,
  );
  const rows = servers.map(({ name }) => [name, figure((memory.get(name) ?? 0) / 1e6)]);
  return `## ${thousands(built.events)} events

Built in ${figure(built.seconds)} s (${figure(built.cpuSeconds)} s of CPU, ${figure(built.peakBytes / 1e6)} MB at most), public edition included; the snapshot has ${figure(built.bytes / 1e6)} MB.

${tables.join('\n\n')}

### Memory after these requests (${thousands(built.events)} events)

${markdownTable(['', 'MB'], rows)}`;
}

function tableOf(question: string, servers: readonly Served[], measured: readonly Measured[]): string {
  const found = servers.flatMap((server) => measured.find(({ id }) => id === rowId(server, question)) ?? []);
  const ours = found[0]?.perSecond ?? Number.NaN;
  const rows = found.map(({ perSecond, perSecondRange, p99, cpu }, place) => [
    servers[place]?.name ?? '',
    figure(perSecond),
    rangeText(perSecondRange),
    figure(p99),
    figure(cpu / 1_000),
    place === 0 ? '' : figure(ours / perSecond),
  ]);
  return markdownTable(
    ['', 'requests/s', 'lowest–highest', 'p99 ms', 'CPU ms', 'requests/s of almanakk as a multiple'],
    rows,
  );
}

/** Random filters with the conditions that peers have, too. */
const makePeerFilter: MakeFilter = (random, directories) => {
  const { fromDate, untilDate, categories, venues, organizers, municipality, notCategories }: Filter = mixed(
    random,
    directories,
  );
  const given = { fromDate, untilDate, categories, venues, organizers, municipality, notCategories };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
};
