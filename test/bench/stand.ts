/** All servers that requests are sent to, each a process of its own. */
import { writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Built } from './builds.ts';
import { ALMANAKK_PATH, type Served, startAlmanakk, startServer } from './processes.ts';
import {
  byVariables,
  type Directories,
  differentFilters,
  mixed,
  type Question,
  readDirectories,
  repeated,
} from './questions.ts';

export interface Stand {
  readonly small: Served;
  /** Four occurrences an event. */
  readonly series: Served;
  /** Undefined in a quick run, which asks fewer questions altogether. */
  readonly large: Served | undefined;
  /** The same calendar, built and served by another commit. */
  readonly other: Served | undefined;
  /** node:http with almanakk's answers, by FLOORS. */
  readonly floor: Served;
  readonly directories: Directories;
  readonly stop: () => Promise<void>;
}

/** Paths of the floor: the repeated answer, and one as long as the answers to random filters are on average. */
export const FLOORS = { plain: '/plain', brotli: '/brotli', random: '/random' } as const;

export interface Startable {
  readonly dist: string;
  readonly built: Built;
}

export interface StandOptions {
  readonly work: string;
  readonly small: Startable;
  readonly series: Startable;
  readonly large: Startable | undefined;
  readonly other: Startable | undefined;
}

export async function startStand({ work, ...built }: StandOptions): Promise<Stand> {
  const start = ({ dist, built: { folder } }: Startable, name: string) =>
    startAlmanakk({ name, dist, folder });
  const small = await start(built.small, 'almanakk');
  const series = await start(built.series, 'almanakk, series');
  const large = built.large && (await start(built.large, 'almanakk, large'));
  const other = built.other && (await start(built.other, 'almanakk of the other commit'));
  const directories = await readDirectories(small.port);
  const floor = await startServer({
    name: 'node:http',
    file: fileURLToPath(new URL('floor.mjs', import.meta.url)),
    args: [await writeFloors(work, small.port, directories)],
    ready: { path: '/' },
  });
  const stop = async () => {
    for (const server of [small, series, large, other, floor]) await server?.stop();
  };
  return { small, series, large, other, floor, directories, stop };
}

/** The configuration of the floor, with the bytes beside it. */
async function writeFloors(work: string, port: number, directories: Directories): Promise<string> {
  const question = repeated(directories);
  const file = (name: string, bytes: string | Buffer): string => {
    const path = join(work, name);
    writeFileSync(path, bytes);
    return path;
  };
  const brotli = await answerBytes(port, question, 'br');
  const config = {
    [FLOORS.plain]: { file: file('repeated.json', await answerBytes(port, question, 'identity')) },
    [FLOORS.brotli]: { file: file('repeated.br', brotli), coding: 'br' },
    [FLOORS.random]: { file: file('random.json', 'x'.repeat(await meanBytes(port, directories))) },
  };
  return file('floors.json', JSON.stringify(config));
}

const SAMPLED = 200;
const SAMPLE_SEED = 7;

async function meanBytes(port: number, directories: Directories): Promise<number> {
  const filters = differentFilters(mixed, directories, SAMPLE_SEED);
  let bytes = 0;
  for (let count = 0; count < SAMPLED; count++) {
    bytes += (await answerBytes(port, byVariables(filters.next().value), 'identity')).length;
  }
  return Math.round(bytes / SAMPLED);
}

/** Bytes as they come over the wire: fetch would decode them. */
function answerBytes(port: number, question: Question, coding: string): Promise<Buffer> {
  return new Promise((done, fail) => {
    const headers = { 'content-type': 'application/json', 'accept-encoding': coding };
    const place = { host: '127.0.0.1', port, path: ALMANAKK_PATH, method: 'POST', headers };
    const asking = request(place, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => done(Buffer.concat(chunks)));
    });
    asking.on('error', fail);
    asking.end(JSON.stringify(question));
  });
}
