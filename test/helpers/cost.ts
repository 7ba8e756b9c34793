/** The cost of work in CPU, as a multiple of a reference that is measured beside it: so it is the same on a slow or a busy machine. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { parse, print } from 'graphql';
import * as assert from 'uvu/assert';
import { median } from './usage.ts';

/**
 * What some work costs in CPU, as a multiple of a reference in the same process: so it is the same on a slow or a busy machine. The work is
 * tried up to three times, and the least counts. The first try is compared with the cheapest reference so far, and is the only one if that
 * shows it to be cheap enough; each further one is compared with a reference measured beside it.
 */
export async function costOf(work: () => unknown, limit: CostLimit = {}): Promise<number> {
  const { most = 0, tries = 3, everyThread = false } = limit;
  const clock = everyThread ? processCpu : threadCpu;
  let least = Number.POSITIVE_INFINITY;
  for (let nth = 0; nth < tries && least > most; nth++) {
    const isFirst = nth === 0;
    if (!isFirst || references.length === 0) references.push(referenceCpu());
    const reference = isFirst ? Math.min(...references) : (references.at(-1) ?? Number.NaN);
    const before = clock();
    await work();
    least = Math.min(least, (clock() - before) / reference);
  }
  return least;
}

interface CostLimit {
  /** References that are few enough: then it is not tried again. */
  readonly most?: number;
  readonly tries?: number;
  /** Counts what other threads of this process do, too: sqlite's, workers. */
  readonly everyThread?: boolean;
}

/**
 * Fails if some work costs more than so many references, as `costOf` measures it: eight are the 50 ms of D2 on a core that
 * takes 6 ms for one.
 */
export async function costsAtMost(
  most: number,
  work: () => unknown,
  { what = '', ...limit }: Omit<CostLimit, 'most'> & { readonly what?: string } = {},
): Promise<void> {
  const cost = await costOf(work, { ...limit, most });
  assert.ok(cost <= most, `${what}: expected ${most} references of CPU at most, found ${cost.toFixed(1)}`);
}

/** CPU of each reference that this process has measured, in milliseconds. */
const references: number[] = [];

const RECORDS = JSON.stringify(
  Array.from({ length: 6_000 }, (_, at) => ({
    id: `e${at}`,
    days: [at, at + 1],
    text: 'konsert '.repeat(8),
  })),
);
const DOCUMENT = `{${Array.from({ length: 800 }, (_, at) => `a${at}:events(page:${at}){data{id venue{id}}}`).join(' ')}}`;
/** Rounds of the reference before V8 has optimised its code: each of them costs several times as much. */
const WARMING_ROUNDS = 9;

/**
 * Milliseconds of CPU for reading and writing JSON, hashing it, and parsing GraphQL, each of a fixed size: median of three rounds. The
 * process's own account is exact to the microsecond, where that of a thread has ticks of 4 ms.
 */
function referenceCpu(): number {
  if (references.length === 0) for (let round = 0; round < WARMING_ROUNDS; round++) workOfReference();
  const rounds = Array.from({ length: 3 }, () => {
    const before = processCpu();
    workOfReference();
    return processCpu() - before;
  });
  return median(rounds);
}

function workOfReference(): void {
  createHash('sha256')
    .update(JSON.stringify(JSON.parse(RECORDS)))
    .digest();
  print(parse(DOCUMENT));
}

/** Milliseconds of CPU that the thread which asks has taken: on Linux nothing of others, such as the garbage collector's. */
function threadCpu(): number {
  if (!existsSync(SCHEDULED)) return processCpu();
  return Number(readFileSync(SCHEDULED, 'latin1').split(' ')[0]) / 1e6;
}

const SCHEDULED = '/proc/thread-self/schedstat';

function processCpu(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
