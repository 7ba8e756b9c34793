/**
 * Keeps a process within its budget (D14). V8 collects garbage when its own heap is full, and knows no budget: buffers of finished requests
 * can exceed what a small process may take. With a budget of 256 MB, a server takes 0.65 times the memory that it takes without this file
 * (docs/benchmarks.md).
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface ReliefOptions {
  /** Bytes that the process may take. */
  readonly memory: () => number;
  /** Clears cached answers and documents. */
  readonly clearCaches: () => void;
  /** Cuts slow readers. */
  readonly cutReaders: () => void;
  /** Resident bytes. */
  readonly resident?: () => number;
  /** Collects garbage: see `tuneHeap`. */
  readonly collect: () => void;
  /** Milliseconds since any fixed time. */
  readonly clock?: () => number;
}

/** Milliseconds between two checks. */
export const CHECK_MS = 200;
/** Parts of the budget: above the first, garbage is collected; above the second, caches are cleared too. */
const HIGH = 0.8;
const TOO_HIGH = 0.9;
/** Growth in bytes since the last collection below which another one would find nothing. */
const LEAST_GROWTH = 4 * 1_024 * 1_024;
/** Milliseconds between two collections at least: each stops the thread. */
const COLLECT_EACH_MS = 1_000;

/** Returns the function to call every CHECK_MS. */
export function createRelief(options: ReliefOptions): () => void {
  const { memory, clearCaches, cutReaders, collect } = options;
  const { resident = process.memoryUsage.rss, clock = () => performance.now() } = options;
  let collectedAt = Number.NEGATIVE_INFINITY;
  /** Resident bytes after the last collection. */
  let bytesAfter = resident();

  return () => {
    const bytes = resident();
    const isHigh = bytes > HIGH * memory() && bytes > bytesAfter + LEAST_GROWTH;
    const isSoon = clock() < collectedAt + COLLECT_EACH_MS;
    if (!isHigh || isSoon) return;
    if (bytes > TOO_HIGH * memory()) {
      clearCaches();
      cutReaders();
    }
    collect();
    collectedAt = clock();
    bytesAfter = resident();
  };
}

const FLAGS = [
  // Gives contexts the function `gc`.
  '--expose-gc',
  // Between two collections the heap grows by half, instead of up to fourfold.
  '--heap-growing-percent=50',
  // Without it, V8 would allocate the kinds of objects that a cache once held as long-lived, and free them only with the next full collection.
  '--no-allocation-site-pretenuring',
];

/** From this major version on, V8 keeps freed pages for eight seconds after each collection, and so for as long as collections go on. */
const FIRST_V8_WITH_POOL = 13;
const HAS_POOL = Number.parseInt(process.versions.v8, 10) >= FIRST_V8_WITH_POOL;
/** Bytes of the least budget that servers have kept in load tests; with older versions, whatever the log asks for (docs/benchmarks.md). */
export const LEAST_BUDGET = HAS_POOL ? 384 * 1_024 * 1_024 : 0;
/** A collection that also gives the pages back to the operating system. Older versions read these options differently. */
const GIVE_BACK = { type: 'major', execution: 'sync', flavor: 'last-resort' };

/** Sets V8's flags of this process, and returns the function that collects its garbage: one of the flags exposes it. */
export function tuneHeap(): () => void {
  for (const flag of FLAGS) setFlagsFromString(flag);
  const collect: unknown = runInNewContext('gc');
  if (typeof collect !== 'function') return () => undefined;
  return HAS_POOL ? () => void collect(GIVE_BACK) : () => void collect();
}
