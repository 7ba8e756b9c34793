/**
 * The memory budget of a serving process (D14). `ALMANAKK_MEMORY_MB` sets it. The program and the open snapshots take their part first;
 * everything that requests make the process hold is a share of the rest.
 */

/** Shares of the rest. Together with the caches they leave a quarter as overhead of V8 and malloc. */
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

/** The bytes that a cache may take. */
export interface CacheLimit {
  /** A share of the rest. */
  readonly part: number;
  /** Bytes, however much memory there is. */
  readonly most: number;
}

/** Resident memory. */
interface Usage {
  /** Bytes of the process without a snapshot. */
  readonly program: number;
  /** Bytes of one snapshot. */
  readonly snapshot: number;
}

const MB = 1_024 * 1_024;
/** Bytes of the program, as assumed before it is measured. */
const PROGRAM_BYTES = 120 * MB;
/** The least part of the budget that requests share, however small the budget: the process must answer something. */
const LEAST_REST = 1 / 8;
/** During a swap two snapshots are open. */
const OPEN_SNAPSHOTS = 2;

export interface Budget {
  /** Bytes that the process may take, resident. */
  readonly memory: number;
  /** Bytes of one share at present. */
  readonly share: (name: keyof typeof SHARES) => number;
  /** Bytes that a cache may hold at present. */
  readonly cacheBytes: (limit: CacheLimit) => number;
  /** Called after a snapshot was opened. Returns a warning for the log if the budget is too small, else null. */
  readonly setUsage: (usage: Usage) => string | null;
}

/** `least`: bytes below which servers have exceeded their budget under load, whatever the calendar. */
export function createBudget(memory: number, least = 0): Budget {
  /** Bytes of the program and its snapshots. */
  let base = PROGRAM_BYTES;
  const rest = () => Math.max(Math.floor(memory * LEAST_REST), memory - base);
  return {
    memory,
    share: (name: keyof typeof SHARES): number => Math.floor(SHARES[name] * rest()),
    cacheBytes: ({ part, most }: CacheLimit): number => Math.min(most, Math.floor(part * rest())),
    setUsage: (usage: Usage): string | null => {
      base = usage.program + OPEN_SNAPSHOTS * usage.snapshot;
      const needed = base / (1 - LEAST_REST);
      if (memory < needed) return tooSmall(memory, `${megabytes(needed)} for this calendar`, useOf(usage));
      if (memory < least) return tooSmall(memory, `${megabytes(least)} with this version of Node`, EXCEEDED);
      return null;
    },
  };
}

const EXCEEDED = 'with less, servers have taken more than the setting under heavy load';

const useOf = ({ program, snapshot }: Usage): string =>
  `the program takes ${megabytes(program)} MB, and each of two snapshots during a swap ${megabytes(snapshot)} MB`;

function tooSmall(memory: number, expected: string, reason: string): string {
  return `ALMANAKK_MEMORY_MB: expected at least ${expected}, found ${Math.floor(memory / MB)}: ${reason}`;
}

const megabytes = (bytes: number): number => Math.ceil(bytes / MB);
