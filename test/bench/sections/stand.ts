/** All servers that requests are sent to, each a process of its own. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Built } from '../calendars.ts';
import { SERVER_ENV, SERVER_FLAGS, type Served, type ServerOptions, startServer } from '../processes.ts';
import {
  byVariables,
  type Directories,
  differentFilters,
  mixed,
  type Question,
  repeated,
} from '../questions.ts';
import { readSlugs, saveRecords } from '../records.ts';
import type { Startable } from './starts.ts';

export interface Stand {
  readonly small: Served;
  /** Four occurrences an event. */
  readonly series: Served;
  /** Null in a quick run, which asks fewer questions altogether. */
  readonly large: Served | null;
  /** The same calendar served by another commit. */
  readonly beside: Served | null;
  readonly peers: readonly Served[];
  readonly sql: Served;
  /** node:http with almanakk's answers, by FLOORS. */
  readonly bare: Served;
  readonly directories: Directories;
  readonly stop: () => Promise<void>;
}

/** Paths of the bare server: the repeated answer, and one as long as the answers to random filters are on average. */
export const FLOORS = { plain: '/plain', brotli: '/brotli', read: '/read', random: '/random' } as const;

export const ALMANAKK_PATH = '/graphQL';
export const PEER_PATH = '/graphql';

const SERVERS = fileURLToPath(new URL('../servers/', import.meta.url));
const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const PEERS: readonly (readonly [name: string, file: string, ...args: string[]])[] = [
  ['Mercurius with JIT', 'mercurius.mjs', 'jit'],
  ['Mercurius', 'mercurius.mjs'],
  ['Apollo Server', 'apollo.mjs'],
  ['GraphQL Yoga', 'yoga.mjs'],
];

export interface StandOptions {
  readonly work: string;
  readonly dist: string;
  readonly small: Built;
  readonly series: Built;
  readonly large: Built | null;
  readonly beside: Startable | null;
  readonly now: number;
}

export async function startStand({ work, dist, now, ...built }: StandOptions): Promise<Stand> {
  const small = await startAlmanakk('almanakk', dist, built.small.folder);
  const series = await startAlmanakk('almanakk, series', dist, built.series.folder);
  const large =
    built.large === null ? null : await startAlmanakk('almanakk, large', dist, built.large.folder);
  const other = built.beside;
  const beside = other === null ? null : await startAlmanakk('beside', other.dist, other.built.folder);
  const url = `http://127.0.0.1:${small.port}${ALMANAKK_PATH}`;
  const records = join(work, 'records');
  await saveRecords(url, records);
  const directories = await readSlugs(url, now);
  const peers: Served[] = [];
  for (const [name, file, ...args] of PEERS) peers.push(await startPeer(name, file, [records, ...args]));
  const sql = await startPeer('Plain SQL', 'sql.mjs', [built.small.file]);
  const bare = await startPeer('node:http', 'bare.mjs', [await writeFloors(work, url, directories)]);
  const stop = async () => {
    for (const server of [small, series, large, beside, ...peers, sql, bare]) await server?.stop();
  };
  return { small, series, large, beside, peers, sql, bare, directories, stop };
}

export function startAlmanakk(
  name: string,
  dist: string,
  folder: string,
  more: Pick<ServerOptions, 'allCores'> = {},
): Promise<Served> {
  return startServer({
    ...more,
    name,
    file: resolve(ROOT, dist, 'src/main.js'),
    args: ['serve'],
    flags: SERVER_FLAGS,
    env: {
      ...SERVER_ENV,
      ALMANAKK_SNAPSHOTS: folder,
      ALMANAKK_KEYS: join(folder, 'no-keys.json'),
      ALMANAKK_LOG_FORMAT: 'json',
      ALMANAKK_POLL_SECONDS: '3600',
    },
    ready: { path: '/readyz', status: 200 },
  });
}

function startPeer(name: string, file: string, args: readonly string[]): Promise<Served> {
  return startServer({ name, file: join(SERVERS, file), args, ready: { path: '/' } });
}

/** The configuration of the bare server, with the bytes beside it. */
async function writeFloors(work: string, url: string, directories: Directories): Promise<string> {
  const question = repeated(directories);
  const file = (name: string, bytes: string | Buffer): string => {
    const path = join(work, name);
    writeFileSync(path, bytes);
    return path;
  };
  const plain = file('repeated.json', await answerBytes(url, question, 'identity'));
  const config = {
    [FLOORS.plain]: { file: plain },
    [FLOORS.read]: { file: plain, read: true },
    [FLOORS.brotli]: { file: file('repeated.br', await answerBytes(url, question, 'br')), coding: 'br' },
    [FLOORS.random]: { file: file('random.json', 'x'.repeat(await meanBytes(url, directories))) },
  };
  return file('floors.json', JSON.stringify(config));
}

const SAMPLED = 200;
const SAMPLE_SEED = 7;

async function meanBytes(url: string, directories: Directories): Promise<number> {
  const filters = differentFilters(mixed, directories, SAMPLE_SEED);
  let bytes = 0;
  for (let count = 0; count < SAMPLED; count++) {
    const { value } = filters.next();
    bytes += (await answerBytes(url, byVariables(value), 'identity')).length;
  }
  return Math.round(bytes / SAMPLED);
}

/** As they come over the wire: fetch would decode them. */
function answerBytes(url: string, question: Question, coding: string): Promise<Buffer> {
  return new Promise((done, fail) => {
    const headers = { 'content-type': 'application/json', 'accept-encoding': coding };
    const asking = request(url, { method: 'POST', headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(Buffer.concat(chunks)));
    });
    asking.on('error', fail);
    asking.end(JSON.stringify(question));
  });
}
