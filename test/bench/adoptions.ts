/** How long a server takes to adopt a snapshot: at its start, and under steady load while one after the other is published. */
import { copyFileSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Built } from './builds.ts';
import type { Load } from './load.ts';
import { type Served, startAlmanakk } from './processes.ts';
import { byVariables, differentFilters, mixed, readDirectories, repeated } from './questions.ts';
import { post } from './requests.ts';
import { median } from './rounds.ts';
import type { Startable } from './stand.ts';
import { figure, markdownTable, type Range, rangeOf, rangeText, thousands } from './tables.ts';

export interface Starts {
  readonly events: number;
  readonly fileBytes: number;
  /** Milliseconds from the start of the process until `/readyz` answers 200. */
  readonly readyMs: number;
  readonly readyRange: Range;
  /** Resident bytes at that moment, before the first request. */
  readonly bytes: number;
}

/** Starts of each server, of which the median counts. */
export const STARTS = 5;

/** Starts each server in turn, several times. */
export async function measureStarts(all: readonly Startable[]): Promise<readonly Starts[]> {
  const measured = all.map((one) => ({ ...one, ready: [] as number[], memory: [] as number[] }));
  for (let start = 0; start < STARTS; start++) {
    for (const { dist, built, ready, memory } of measured) {
      const server = await startAlmanakk({ dist, folder: built.folder, allCores: true });
      ready.push(server.readyAfter);
      memory.push((await server.usage()).rss);
      await server.stop();
    }
  }
  return measured.map(({ built, ready, memory }) => ({
    events: built.events,
    fileBytes: built.bytes,
    readyMs: median(ready),
    readyRange: rangeOf(ready),
    bytes: median(memory),
  }));
}

export function startsTable(starts: readonly Starts[]): string {
  return markdownTable(
    ['events', 'start to ready, ms', 'lowest–highest', 'memory then, MB', 'snapshot, MB'],
    starts.map(({ events, readyMs, readyRange, bytes, fileBytes }) => [
      thousands(events),
      figure(readyMs),
      rangeText(readyRange),
      figure(bytes / 1e6),
      figure(fileBytes / 1e6),
    ]),
  );
}

export interface Adoptions {
  readonly events: number;
  readonly count: number;
  /** Milliseconds from the new manifest to the line of the log that says that its snapshot is adopted. */
  readonly adoptMs: number;
  readonly adoptRange: Range;
  readonly steady: Phase;
  readonly adopting: Phase;
}

/** Waits of requests, in milliseconds. */
interface Phase {
  readonly p50: number;
  readonly p99: number;
  /** The longest time for which the event loop was blocked. */
  readonly blocked: number;
}

export interface AdoptionOptions {
  readonly work: string;
  readonly dist: string;
  readonly between: readonly [Built, Built];
  /** The length of each phase. */
  readonly seconds: number;
}

/** Requests a second: far fewer than the server can answer, so that only adoptions cause long waits. */
const PACE = 200;
const CONNECTIONS = 16;
/** Of ten requests, so many are the same. */
const REPEATED = 7;
const SEED = 11;
/** The pause between two adoptions. */
const PAUSE_MS = 300;
/** The pause between two checks of the log: each takes CPU from the load. */
const LOOK_MS = 25;

export async function measureAdoptions(options: AdoptionOptions, load: Load): Promise<Adoptions> {
  const { work, dist, between, seconds } = options;
  const folder = join(work, 'adoptions');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  for (const { file } of between) linkSync(file, join(folder, basename(file)));
  publish(between[0], folder);
  const server = await startAlmanakk({ dist, folder, allCores: true, env: { ALMANAKK_POLL_SECONDS: '1' } });
  try {
    const phase = await phasesOf(server, load);
    await phase(2);
    const steady = await phase(seconds);
    const before = adoptions(server).length;
    const took: number[] = [];
    let isOver = false;
    const during = phase(seconds).finally(() => {
      isOver = true;
    });
    for (let nth = 1; !isOver; nth++) {
      const published = Date.now();
      publish(between[nth % 2 === 0 ? 0 : 1], folder);
      while (!isOver && adoptions(server).length < before + nth) await pause(LOOK_MS);
      const adopted = adoptions(server)[before + nth - 1];
      if (adopted !== undefined) took.push(adopted - published);
      await pause(PAUSE_MS);
    }
    const adopting = await during;
    return {
      events: between[0].events,
      count: took.length,
      adoptMs: median(took),
      adoptRange: rangeOf(took),
      steady,
      adopting,
    };
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true });
  }
}

/** Changes the manifest alone: both files are in the folder already. */
function publish({ file }: Built, folder: string): void {
  const beside = join(folder, 'manifest.next');
  copyFileSync(join(dirname(file), 'manifest.json'), beside);
  renameSync(beside, join(folder, 'manifest.json'));
}

/** When each adoption was, in milliseconds since 1970. */
function adoptions(server: Served): readonly number[] {
  const lines = server.output().split('\n');
  return lines
    .filter((line) => line.includes('snapshot adopted'))
    .map((line) => Date.parse(/"time":"([^"]+)"/.exec(line)?.[1] ?? ''));
}

async function phasesOf(server: Served, load: Load): Promise<(seconds: number) => Promise<Phase>> {
  const directories = await readDirectories(server.port);
  const filters = differentFilters(mixed, directories, SEED);
  const same = post(repeated(directories));
  return async (seconds) => {
    const count = Math.round(PACE * seconds);
    const requests = Array.from({ length: count }, (_, place) =>
      place % 10 < REPEATED ? same : post(byVariables(filters.next().value)),
    );
    await server.watchLoop();
    const job = { port: server.port, connections: CONNECTIONS, requests, count, pace: PACE };
    const { p50, p99 } = await load.run(job);
    return { p50, p99, blocked: await server.longestStall() };
  };
}

export function adoptionsTable({ events, count, adoptMs, adoptRange, ...phases }: Adoptions): string {
  const row = (name: string, { p50, p99, blocked }: Phase) => [name, ...[p50, p99, blocked].map(figure)];
  return `${count} snapshots of ${thousands(events)} events, one after the other, at ${PACE} requests a second, of which three in ten are new. The \
median time from publishing a snapshot to answering from it was ${figure(adoptMs)} ms (${rangeText(adoptRange)}).

${markdownTable(['', 'p50 ms', 'p99 ms', 'loop blocked, ms'], [row('steady', phases.steady), row('adopting', phases.adopting)])}`;
}
