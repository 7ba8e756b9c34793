/** All that a run has found, as it is written to `latest.json`. */
import type { Built } from './calendars.ts';
import type { Machine } from './machine.ts';
import type { Measured } from './rounds.ts';
import type { Beside } from './sections/beside.ts';
import type { Held } from './sections/memory.ts';
import type { Starts } from './sections/starts.ts';
import type { Swaps } from './sections/swaps.ts';

export interface Results {
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly command: string;
  readonly quick: boolean;
  readonly machine: Machine;
  /** Of the peers' packages. */
  readonly versions: Readonly<Record<string, string>>;
  /** Nodes of the calendars that requests are asked of. */
  readonly nodes: {
    readonly small: number;
    /** Occurrences of the calendar with four for each event. */
    readonly series: number;
    readonly large: number;
  };
  readonly rounds: number;
  readonly rows: readonly RatedRow[];
  readonly builds: readonly BuildRow[];
  readonly starts: readonly Starts[];
  readonly memory: readonly MemoryRow[];
  /** By one more server of almanakk, with the small calendar. */
  readonly held: readonly Held[];
  /** Null where no other commit was measured in the same run. */
  readonly beside: Beside | null;
  readonly swaps: Swaps;
  /** Microseconds of CPU that a request within a quota costs more than one without. */
  readonly quotaCpu: number;
  readonly goals: readonly Goal[];
}

export interface RatedRow extends Measured {
  /** CPU as a multiple of the row's floor. */
  readonly ratio: number;
}

export interface BuildRow extends Omit<Built, 'folder' | 'file'> {
  /** Seconds of the sqlite3 shell for the same rows; null where that was not measured. */
  readonly shellSeconds: number | null;
  readonly ratio: number | null;
}

/** After all requests. */
export interface MemoryRow {
  readonly server: string;
  readonly bytes: number;
}

export interface Goal {
  readonly what: string;
  /** As text, such as `at most 1.5`. */
  readonly wanted: string;
  readonly found: string;
  /** Null: not measured in this run. */
  readonly met: boolean | null;
}

export function rate(rows: readonly Measured[]): readonly RatedRow[] {
  const floors = new Map(rows.map(({ id, cpu }) => [id, cpu]));
  return rows.map((row) => ({ ...row, ratio: row.cpu / (floors.get(row.floor) ?? Number.NaN) }));
}
