/**
 * The memory budget of a serving process (D14). `ALMANAKK_MEMORY_MB` sets it. The program and the open snapshots take
 * their part first; everything that requests make the process hold is a share of the rest.
 */

export interface CacheSize {
  /** Of the rest. */
  readonly part: number;
  /** Bytes, however much memory there is. */
  readonly most: number;
}

/** Parts of the rest. Together with the caches they leave a quarter as overhead of V8 and malloc. */
export const SHARES = {
  /** Large answers that are being made. */
  answers: 0.2,
  /** Answers that wait for their readers. */
  outgoing: 0.12,
  /** Bodies of requests that are not answered yet. */
  bodies: 0.05,
  /** Files that are being sent. */
  downloads: 0.02,
  /** Connections with their headers. */
  connections: 0.1,
} as const;

const MB = 1_024 * 1_024;
/** Bytes of the program, as assumed before it is measured. */
const PROGRAM_BYTES = 120 * MB;
/** The least part of the budget that is shared out, however small the budget: the process must answer something. */
const LEAST_REST = 1 / 8;

export function createBudget(memory: number) {
  let base = PROGRAM_BYTES;
  /** Bytes left for requests after the program and its snapshots. */
  const rest = () => Math.max(Math.floor(memory * LEAST_REST), memory - base);
  return {
    /** Bytes that the process may take, resident. */
    memory,
    /** Bytes of one share at present. */
    share: (name: keyof typeof SHARES): number => Math.floor(SHARES[name] * rest()),
    /** Bytes that a cache may hold at present. */
    cacheBytes: ({ part, most }: CacheSize): number => Math.min(most, Math.floor(part * rest())),
    /**
     * Called after a snapshot was opened, with the resident bytes of the process without it, and its own: during a swap there are two.
     * Returns a warning for the log if the budget is too small, else null.
     */
    measured: (program: number, snapshot: number): string | null => {
      base = program + 2 * snapshot;
      if (memory - base >= memory * LEAST_REST) return null;
      const least = Math.ceil(base / (1 - LEAST_REST) / MB);
      return `ALMANAKK_MEMORY_MB: expected at least ${least} for this calendar, found ${Math.floor(memory / MB)}: the program takes ${megabytes(program)} MB, and each of two snapshots during a swap ${megabytes(snapshot)} MB`;
    },
  };
}

export type Budget = ReturnType<typeof createBudget>;

const megabytes = (bytes: number): number => Math.ceil(bytes / MB);
