/**
 * `npm run bench -- --peers`: the same questions asked of almanakk and of servers that answer them by SQL: Mercurius, Apollo Server, GraphQL Yoga,
 * and node:http without GraphQL. All of them read the same calendar; the peers read its public edition, which has an index for each look-up.
 */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Built, buildCalendar } from '../calendars.ts';
import type { Load } from '../load.ts';
import {
  ALMANAKK_PATH,
  describeMachine,
  ROOT,
  type Served,
  startAlmanakk,
  startServer,
} from '../processes.ts';
import {
  byVariables,
  differentFilters,
  type Filter,
  type MakeFilter,
  mixed,
  type Question,
  readDirectories,
  repeated,
} from '../questions.ts';
import { differentRow, post } from '../requests.ts';
import { type Effort, type Measured, measureRows, type Row } from '../rounds.ts';
import { figure, markdownTable, thousands } from '../tables.ts';

export interface PeersOptions {
  readonly work: string;
  readonly dist: string;
  readonly effort: Effort;
  /** Events of each calendar. */
  readonly sizes: readonly number[];
  /** Calendars of more events are asked of almanakk alone: a peer takes seconds for each answer. */
  readonly mostOfPeers: number;
  readonly command: string;
  readonly say: (what: string) => void;
}

/** Installed for the measurement only. graphql 16 is what almanakk runs with. */
const PACKAGES = [
  'fastify@5.12.8',
  'mercurius@16.10.1',
  '@apollo/server@5.5.1',
  'graphql-yoga@5.24.1',
  'graphql@16.15.0',
];

const PEERS = [
  ['mercurius', 'Mercurius'],
  ['apollo', 'Apollo Server'],
  ['yoga', 'GraphQL Yoga'],
  ['sql', 'node:http and SQL'],
] as const;

/** Gives the tables. */
export async function measurePeers(options: PeersOptions, load: Load): Promise<string> {
  const { work, sizes, mostOfPeers, command, say } = options;
  const folder = installPeers(work, say);
  const sections: string[] = [];
  for (const events of sizes) {
    say(`building a calendar of ${thousands(events)} events`);
    const wanted = { work, name: `peers-${events}`, events, now: Date.now(), publicEdition: true };
    const built = await buildCalendar(wanted, options.dist);
    say('asking');
    const peers = events <= mostOfPeers ? PEERS : [];
    sections.push(await measureSize({ ...options, built, folder, peers }, load));
  }
  return `# Compared with other servers

\`${command}\`, ${new Date().toISOString()}. ${describeMachine()}; servers on one core, the load on another.
A page of ten events with the total and three facets. Medians of ${options.effort.rounds} rounds; each round goes through all servers. Each of 16 connections
sends the next request as soon as it has a response.

${sections.join('\n\n')}
`;
}

interface Sized extends PeersOptions {
  readonly built: Built;
  readonly folder: string;
  readonly peers: readonly (readonly [kind: string, label: string])[];
}

async function measureSize({ dist, built, folder, peers, effort }: Sized, load: Load): Promise<string> {
  const almanakk = await startAlmanakk({ dist, folder: built.folder });
  const servers: Served[] = [almanakk];
  try {
    for (const [kind, name] of peers) servers.push(await startPeer(kind, name, folder, built));
    return await measureServers(servers, { built, effort, load });
  } finally {
    for (const server of servers) await server.stop();
  }
}

interface Measurement {
  readonly built: Built;
  readonly effort: Effort;
  readonly load: Load;
}

/** Asks all servers the same, and writes the table of one size. The first server is almanakk. */
async function measureServers(
  servers: readonly Served[],
  { built, effort, load }: Measurement,
): Promise<string> {
  const [almanakk] = servers;
  if (almanakk === undefined) throw new Error('expected a server');
  const directories = await readDirectories(almanakk.port);
  const question = post(repeated(directories));
  const different = differentRow(directories);
  const rows = servers.flatMap((server): readonly Row[] => [
    {
      id: `${server.name}-repeated`,
      label: server.name,
      server,
      requests: () => [question],
      floor: '',
    },
    different(`${server.name}-different`, server, { label: '', ask: byVariables, make: makePeerFilter }),
  ]);
  await checkAnswers(servers, differentFilters(makePeerFilter, directories, CHECK_SEED));
  const measured = await measureRows(rows, load, effort);
  const memory = new Map<string, number>();
  for (const server of servers) memory.set(server.name, (await server.usage()).rss);
  return tableOf(built, servers, measured, memory);
}

const CHECK_SEED = 11;
const CHECKED = 20;

/** Throws if a peer answers otherwise than almanakk: its figures would not be comparable. */
async function checkAnswers(servers: readonly Served[], filters: Iterator<Filter>): Promise<void> {
  for (let nth = 0; nth < CHECKED; nth++) {
    const question = byVariables(filters.next().value);
    const [ours, ...theirs] = await Promise.all(servers.map(({ port }) => factsOf(port, question)));
    for (const [index, facts] of theirs.entries()) {
      if (facts === ours) continue;
      const asked = JSON.stringify(question.variables);
      throw new Error(`expected ${servers[index + 1]?.name} to answer ${asked} with ${ours}, found ${facts}`);
    }
  }
}

interface Facet {
  readonly hits: number;
}

interface PageAnswer {
  readonly data: {
    readonly events: {
      readonly totalCount: number;
      readonly data: readonly { readonly startDate: string }[];
      readonly venues: readonly Facet[];
      readonly organizers: readonly Facet[];
      readonly categories: readonly Facet[];
    };
  };
}

/** Answers have to agree in the total, the dates of the page and the counts of the facets. */
async function factsOf(port: number, question: Question): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${ALMANAKK_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  const { events }: PageAnswer['data'] = ((await response.json()) as PageAnswer).data;
  const hits = (facet: readonly Facet[]) => facet.map((one) => one.hits);
  return JSON.stringify([
    events.totalCount,
    events.data.map(({ startDate }) => startDate.slice(0, 16)),
    hits(events.venues),
    hits(events.organizers),
    hits(events.categories),
  ]);
}

function tableOf(
  built: Built,
  servers: readonly Served[],
  measured: readonly Measured[],
  memory: ReadonlyMap<string, number>,
): string {
  const of = (name: string, kind: string) => measured.find(({ id }) => id === `${name}-${kind}`);
  const cells = (one: Measured | undefined) =>
    one === undefined ? ['–', '–'] : [figure(one.perSecond), figure(one.p99)];
  const rows = servers.map(({ name }) => [
    name,
    ...cells(of(name, 'repeated')),
    ...cells(of(name, 'different')),
    figure((memory.get(name) ?? 0) / 1e6),
  ]);
  const head = ['', 'repeated, requests/s', 'p99 ms', 'different, requests/s', 'p99 ms', 'memory MB'];
  return `## ${thousands(built.events)} events

Built in ${figure(built.seconds)} s (${figure(built.cpuSeconds)} s of CPU, ${figure(built.peakBytes / 1e6)} MB at most), public edition included; the snapshot has ${figure(built.bytes / 1e6)} MB.

${markdownTable(head, rows)}`;
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

function startPeer(kind: string, name: string, folder: string, built: Built): Promise<Served> {
  const manifest = JSON.parse(readFileSync(join(built.folder, 'manifest.json'), 'utf8'));
  return startServer({
    name,
    file: join(folder, 'server.mjs'),
    args: [kind, join(built.folder, manifest.public.file)],
    ready: { path: '/' },
  });
}

/** The servers and their packages in a folder of their own, and the project's sqlite3. */
function installPeers(work: string, say: (what: string) => void): string {
  const folder = join(work, 'peers');
  say('installing the peers');
  // An earlier run may have left links there.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(join(folder, 'node_modules'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
  const { status, stderr } = spawnSync(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', ...PACKAGES],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`expected npm to install ${PACKAGES.join(', ')}, found:\n${stderr}`);
  symlinkSync(join(ROOT, 'node_modules/sqlite3'), join(folder, 'node_modules/sqlite3'));
  for (const name of ['server.mjs', 'calendar.mjs']) {
    copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(folder, name));
  }
  return folder;
}
