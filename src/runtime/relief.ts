/**
 * Gives memory back (D14). V8 collects what is garbage when its own heap is full, and knows nothing of a budget: buffers of requests that
 * are long over add up to more than a small process may take. So a process that has nearly used up its budget collects at once, and
 * lets go of what it can do without; one that has fallen quiet after a storm collects, too.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface ReliefOptions {
  /** Bytes that the process may take. */
  readonly memory: () => number;
  /** Pieces of work since the start. */
  readonly admitted: () => number;
  /** Clears caches and cuts slow readers. */
  readonly shed: () => void;
  /** Bytes. */
  readonly resident?: () => number;
  readonly collect?: () => void;
  /** Milliseconds, of any beginning. */
  readonly clock?: () => number;
}

/** Milliseconds between two looks, each some 15 µs. */
export const LOOK_MS = 200;
/** Parts of the budget: from the first on garbage is collected, from the second on caches are cleared too. */
const HIGH = 0.8;
const TOO_HIGH = 0.9;
/** Bytes more than after the collection before, below which another one would find nothing. */
const LITTLE = 4 * 1_024 * 1_024;
/** Milliseconds between two collections at most: each takes some 50. */
const COLLECT_EACH_MS = 1_000;
/** Milliseconds without much work after which a process is quiet, and pieces of work in it. */
const QUIET_MS = 10_000;
const QUIET_WORK = 50;
/** Bytes that it then holds more than after the collection before. */
const MUCH = 32 * 1_024 * 1_024;

/** Returns the function to be called every LOOK_MS. */
export function createRelief(options: ReliefOptions): () => void {
  const {
    memory,
    admitted,
    shed,
    resident = process.memoryUsage.rss,
    clock = () => performance.now(),
  } = options;
  const collect = options.collect ?? collector();
  let collectedAt = Number.NEGATIVE_INFINITY;
  let settled = resident();
  let quietSince = clock();
  let work = admitted();
  let isSecondDue = false;

  return () => {
    const now = clock();
    const held = resident();
    if (admitted() - work > QUIET_WORK) {
      work = admitted();
      quietSince = now;
    }
    const isQuiet = now - quietSince >= QUIET_MS;
    const isHigh = held > HIGH * memory() && held > settled + LITTLE;
    const isAfterStorm = isQuiet && held > settled + MUCH;
    if (now - collectedAt < COLLECT_EACH_MS || !(isHigh || isAfterStorm || isSecondDue)) return;
    // The first collection leaves the pages that it has emptied to the next one.
    isSecondDue = isAfterStorm;
    if (held > TOO_HIGH * memory()) shed();
    collect();
    collectedAt = clock();
    settled = resident();
    quietSince = collectedAt;
  };
}

/** V8's own collection, which has to be enabled by a flag. */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? () => void collect() : () => undefined;
}
