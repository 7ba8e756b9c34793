/** A server under steady load while one snapshot after the other is published into its folder. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Built } from '../calendars.ts';
import type { Load } from '../load/driver.ts';
import { rawRequest } from '../load/http.ts';
import { onCore, SERVER_CORE } from '../machine.ts';
import type { Served } from '../processes.ts';
import { byVariables, type Directories, differentFilters, mixed, repeated } from '../questions.ts';
import { median } from '../rounds.ts';
import { ALMANAKK_PATH, startAlmanakk } from './stand.ts';

export interface Swaps {
  readonly nodes: number;
  readonly count: number;
  /** Milliseconds from the manifest's being there to answering from the new snapshot, by the time in the server's log. */
  readonly adoptMs: number;
  /** Milliseconds of that which hashing the file takes when nothing else is to be done. */
  readonly hashMs: number;
  readonly steady: Phase;
  readonly swapping: Phase;
}

/** Milliseconds. */
export interface Phase {
  readonly p50: number;
  readonly p99: number;
  /** Longest that the event loop kept others waiting. */
  readonly blocked: number;
}

export interface SwapOptions {
  readonly work: string;
  readonly dist: string;
  readonly between: readonly Built[];
  readonly seconds: number;
  readonly directories: Directories;
}

/** Requests a second: well below what the server can do, so that waiting is the swaps' doing. */
const PACE = 200;
const CONNECTIONS = 16;
/** Of ten requests, so many are one and the same. */
const REPEATED = 7;
const SEED = 11;
const HASH = fileURLToPath(new URL('../servers/hash.mjs', import.meta.url));
/** Between two swaps. */
const PAUSE_MS = 300;
/** Rarely: whoever looks takes time from the load. */
const LOOK_MS = 25;

export async function measureSwaps(options: SwapOptions, load: Load): Promise<Swaps> {
  const { work, dist, between, seconds } = options;
  const folder = join(work, 'swaps');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const { file } of between) linkSync(file, join(folder, basename(file)));
  // A snapshot that was built this minute is in the system's cache; these may have left it.
  for (const built of between) hashingTime(built);
  publish(between, 0, folder);
  const server = await startAlmanakk('almanakk', dist, folder, { allCores: true });
  const phase = phasesOf(server, load, options.directories);
  try {
    await phase(2);
    const steady = await phase(seconds);
    const before = adoptions(server).length;
    const took: number[] = [];
    let isOver = false;
    const during = phase(seconds).finally(() => {
      isOver = true;
    });
    for (let swap = 1; !isOver; swap++) {
      const published = Date.now();
      publish(between, swap, folder);
      while (!isOver && adoptions(server).length < before + swap) await sleep(LOOK_MS);
      const adopted = adoptions(server)[before + swap - 1];
      if (adopted !== undefined) took.push(adopted - published);
      await sleep(PAUSE_MS);
    }
    const swapping = await during;
    const nodes = between[0]?.events ?? 0;
    const hashMs = hashingTime(between[0]);
    return { nodes, count: took.length, adoptMs: median(took), hashMs, steady, swapping };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** The manifest is all that changes: both files are there already. */
function publish(between: readonly Built[], nth: number, folder: string): void {
  const built = between[nth % between.length];
  if (built === undefined) throw new Error('expected a snapshot to publish, found none');
  const beside = join(folder, 'manifest.next');
  copyFileSync(join(dirname(built.file), 'manifest.json'), beside);
  renameSync(beside, join(folder, 'manifest.json'));
}

function hashingTime(built: Built | undefined): number {
  const [command, ...args] = onCore(SERVER_CORE, [process.execPath, HASH, built?.file ?? '']);
  return Number(execFileSync(command, args, { encoding: 'utf8' }));
}

/** When each adoption was, in milliseconds since 1970. */
function adoptions(server: Served): readonly number[] {
  return server
    .output()
    .split('\n')
    .filter((line) => line.includes('snapshot adopted'))
    .map((line) => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? ''));
}

function phasesOf(server: Served, load: Load, directories: Directories): (seconds: number) => Promise<Phase> {
  const filters = differentFilters(mixed, directories, SEED);
  const post = (question: object) =>
    rawRequest({ method: 'POST', path: ALMANAKK_PATH, body: JSON.stringify(question) });
  const same = post(repeated(directories));
  return async (seconds) => {
    const count = Math.round(PACE * seconds);
    const requests = Array.from({ length: count }, (_, place) =>
      place % 10 < REPEATED ? same : post(byVariables(filters.next().value)),
    );
    await server.watchLoop();
    const job = { port: server.port, connections: CONNECTIONS, requests, count, pace: PACE };
    const { p50, p99 } = await load.run(job);
    const { max } = await server.loop();
    return { p50, p99, blocked: max };
  };
}
