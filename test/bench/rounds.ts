/**
 * Measures many rows in rounds. Each round goes through all rows, so that other work of the machine affects all of them, and the median of the
 * rounds counts. The cost of a request is the CPU time of the server's process.
 */
import type { Load, Outcome } from './load.ts';
import type { Served } from './processes.ts';
import { type Range, rangeOf } from './tables.ts';

export interface Row {
  readonly id: string;
  readonly label: string;
  readonly server: Served;
  /** Raw requests for so many answers. They may be others each time. */
  readonly requests: (count: number) => readonly string[];
  /** Id of the row with the floor that this one is compared with. */
  readonly floor: string;
}

export interface Measured {
  readonly id: string;
  readonly label: string;
  readonly floor: string;
  /** Microseconds of the server's CPU per request, user and system, all threads. */
  readonly cpu: number;
  /** Lowest and highest of the rounds. */
  readonly cpuRange: Range;
  readonly perSecond: number;
  readonly perSecondRange: Range;
  /** Milliseconds, with all connections at the same time. */
  readonly p99: number;
  readonly bytes: number;
}

export interface Effort {
  readonly rounds: number;
  readonly roundSeconds: number;
  readonly warmUpSeconds: number;
}

const CONNECTIONS = 16;
/** The share of a round's requests that are sent before it and not measured. */
const LEAD = 0.4;
const FEWEST = 24;
const MOST = 40_000;

export async function measureRows(
  rows: readonly Row[],
  load: Load,
  effort: Effort,
): Promise<readonly Measured[]> {
  const running = [];
  for (const row of rows) running.push(await warmUp(row, load, effort));
  for (let round = 0; round < effort.rounds; round++) {
    for (const each of running) each.rounds.push(await measureOnce(each, load));
  }
  return running.map(summarise);
}

interface Running {
  readonly row: Row;
  readonly count: number;
  readonly rounds: Round[];
}

interface Round extends Outcome {
  /** Microseconds a request. */
  readonly cpu: number;
}

/** Sends requests until V8 has compiled what is hot. The rate then gives the number of requests for a round. */
async function warmUp(row: Row, load: Load, { roundSeconds, warmUpSeconds }: Effort): Promise<Running> {
  let spent = 0;
  let count = FEWEST;
  let perSecond = 0;
  while (spent < warmUpSeconds) {
    const outcome = await ask(row, load, count);
    spent += outcome.seconds;
    perSecond = count / outcome.seconds;
    count = bounded(perSecond * Math.min(0.3, warmUpSeconds / 3));
  }
  return { row, count: bounded(perSecond * roundSeconds), rounds: [] };
}

async function measureOnce(running: Running, load: Load): Promise<Round> {
  const { row, count } = running;
  // The server may have dropped compiled code and memory while others were measured.
  await ask(row, load, Math.ceil(count * LEAD));
  const before = await row.server.usage();
  const outcome = await ask(row, load, count);
  const after = await row.server.usage();
  return { ...outcome, cpu: (after.cpu - before.cpu) / count };
}

function ask({ label, server, requests }: Row, load: Load, count: number): Promise<Outcome> {
  const job = { port: server.port, connections: CONNECTIONS, requests: requests(count), count };
  return load.run(job).catch((cause) => {
    throw new Error(`${label}: ${cause.message}\n${server.output().slice(-2_000)}`, { cause });
  });
}

function bounded(count: number): number {
  return Math.round(Math.min(MOST, Math.max(FEWEST, count)));
}

function summarise({ row: { id, label, floor }, rounds }: Running): Measured {
  const of = (name: 'cpu' | 'p99' | 'bytes') => median(rounds.map((round) => round[name]));
  const rates = rounds.map(({ count, seconds }) => count / seconds);
  return {
    id,
    label,
    floor,
    cpu: of('cpu'),
    cpuRange: rangeOf(rounds.map(({ cpu }) => cpu)),
    perSecond: median(rates),
    perSecondRange: rangeOf(rates),
    p99: of('p99'),
    bytes: of('bytes'),
  };
}

/** The percentile of ascending values; undefined for an empty list. */
export function percentile(sorted: ArrayLike<number>, share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export function median(values: readonly number[]): number {
  return values.length === 0 ? Number.NaN : medianBy(values, (value) => value);
}

/** Throws for an empty list. */
export function medianBy<T>(list: readonly T[], read: (one: T) => number): T {
  const ordered = [...list].sort((left, right) => read(left) - read(right));
  const middle = ordered[Math.floor(ordered.length / 2)];
  if (middle === undefined) throw new Error('expected something to take the median of, found nothing');
  return middle;
}
