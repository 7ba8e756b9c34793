/**
 * Frees memory (D14). V8 collects garbage when its own heap is full, and knows no budget: buffers of finished requests can exceed what a
 * small process may take. So a process near its budget collects at once and clears caches; one that has become idle after a load peak
 * collects, too.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

interface ReliefOptions {
  /** Bytes that the process may take. */
  readonly memory: () => number;
  /** Pieces of work since the start. */
  readonly admitted: () => number;
  /** Clears cached answers and documents. */
  readonly clearCaches: () => void;
  /** Cuts slow readers. */
  readonly cutReaders: () => void;
  /** Resident bytes. */
  readonly resident?: () => number;
  readonly collect?: () => void;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

/** Milliseconds between two checks, each some 15 µs. */
export const LOOK_MS = 200;
/** Parts of the budget: above the first, garbage is collected; above the second, caches are cleared too. */
const HIGH = 0.8;
const TOO_HIGH = 0.9;
/** Growth in bytes since the last collection below which another one would find nothing. */
const LITTLE = 4 * 1_024 * 1_024;
/** Milliseconds between two collections at least: each takes some 50. */
const COLLECT_EACH_MS = 1_000;
/** Milliseconds with little work after which a process counts as idle, and the pieces of work allowed in them. */
const QUIET_MS = 10_000;
const QUIET_WORK = 50;
/** Growth in bytes since an idle process collected last, at which it collects again. */
const MUCH = 32 * 1_024 * 1_024;

/** Returns the function to call every LOOK_MS. */
export function createRelief(options: ReliefOptions): () => void {
  const {
    memory,
    admitted,
    clearCaches,
    cutReaders,
    resident = process.memoryUsage.rss,
    clock = () => performance.now(),
  } = options;
  const collect = options.collect ?? collector();
  let collectedAt = Number.NEGATIVE_INFINITY;
  /** Bytes after the last collection, and after the last one of an idle process. */
  let settled = resident();
  let calm = settled;
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
    const isAfterStorm = isQuiet && held > calm + MUCH;
    if (now - collectedAt < COLLECT_EACH_MS || !(isHigh || isAfterStorm || isSecondDue)) return;
    // The first collection leaves the pages that it emptied to the next one.
    const isCalm = isAfterStorm || isSecondDue;
    isSecondDue = isAfterStorm;
    const isTooHigh = held > TOO_HIGH * memory();
    // After a storm, answers and documents of strangers are of no more use.
    if (isTooHigh || isAfterStorm) clearCaches();
    if (isTooHigh) cutReaders();
    collect();
    collectedAt = clock();
    settled = resident();
    if (isCalm) calm = settled;
    quietSince = collectedAt;
  };
}

/** V8's own collection; a flag enables it. Another one lets the heap grow by half between two collections instead of up to fourfold. */
function collector(): () => void {
  setFlagsFromString('--heap-growing-percent=50');
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  return typeof collect === 'function' ? () => void collect() : () => undefined;
}
