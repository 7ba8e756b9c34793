/**
 * What a serving process may take of the machine's memory (D14), shared out. `ALMANAKK_MEMORY_MB` says how much that is; what the
 * program and the open snapshot take by themselves comes off first, and all that requests make the process hold is a share of the rest.
 */
interface Budget {
  /** Bytes that the process may take, resident. */
  readonly memory: number;
  /** Bytes that requests share: what the program and its snapshots leave. */
  readonly rest: () => number;
  /** Bytes of one share as it is now. */
  readonly share: (name: ShareName) => number;
  /** To be called when a snapshot was opened. Gives what is wrong with the budget, for the log; null when it suffices. */
  readonly measured: (resident: Resident) => string | null;
}

/** Bytes. */
interface Resident {
  /** Of the process without its snapshot. */
  readonly program: number;
  /** Of one open snapshot: while it is swapped there are two. */
  readonly snapshot: number;
}

/** Parts of the rest. Together with the caches of `shareOfMemory` they leave a quarter to what V8 and malloc hold on to. */
export const SHARES = {
  /** Answers that are made or wait for readers. */
  answers: 0.3,
  /** Bodies of requests, until they are answered. */
  bodies: 0.05,
  /** Files on their way out. */
  downloads: 0.02,
  /** Connections with their headers. */
  connections: 0.1,
} as const;

type ShareName = keyof typeof SHARES;

const MB = 1_024 * 1_024;
/** Bytes of the program before it is measured. */
const PROGRAM_BYTES = 120 * MB;
/** Of the budget, what is shared out however little is left: the process must answer something. */
const LEAST_REST = 1 / 8;

export function createBudget(memory: number): Budget {
  let base = PROGRAM_BYTES;
  const rest = () => Math.max(Math.floor(memory * LEAST_REST), memory - base);
  return {
    memory,
    rest,
    share: (name) => Math.floor(SHARES[name] * rest()),
    measured: ({ program, snapshot }) => {
      base = program + 2 * snapshot;
      if (memory - base >= memory * LEAST_REST) return null;
      const least = Math.ceil(base / (1 - LEAST_REST) / MB);
      return `ALMANAKK_MEMORY_MB: expected at least ${least} for this calendar, found ${Math.floor(memory / MB)}: the program takes ${megabytes(program)} MB, and each of two snapshots during a swap ${megabytes(snapshot)} MB`;
    },
  };
}

const megabytes = (bytes: number): number => Math.ceil(bytes / MB);

export const DEFAULT_MEMORY = 512 * MB;

let current = createBudget(DEFAULT_MEMORY);

/** The budget of this process. */
export const budget = (): Budget => current;

/** To be called before anything is loaded that takes a share. */
export function beginBudget(memory: number): Budget {
  current = createBudget(memory);
  return current;
}

/** Bytes that a cache may hold: its part of the rest, however small, and no more than `most` of a large one. */
export function shareOfMemory(part: number, most: number): number {
  return Math.min(most, Math.floor(part * current.rest()));
}
