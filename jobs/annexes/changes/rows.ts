/** The rows that a snapshot stores of its comparison: for later builds, and for `changes` (E, I7, changes.json). */
import { insertRows, type Table, type Writer } from '../../../src/snapshot/sqlite.ts';
import type { ComparisonOptions } from '../../comparison.ts';

export interface ComparedRows {
  /** Ascending; this build is the last. */
  readonly builds: readonly BuildRow[];
  /** By ordinal. */
  readonly events: readonly EventChange[];
  /** By id in code point order, then by build. */
  readonly history: readonly HistoryRow[];
  /** By occurrence in code point order. */
  readonly gone: readonly GoneSequence[];
}

/** The facts about an event that `changes` needs. */
export interface EventChange {
  /** Instant from which it is public; 0 for always (A9, scheduled events). */
  readonly seen: number;
  /** Instant at which its last occurrence is over. */
  readonly over: number;
  /** Number of the build that changed it last. */
  readonly changed: number;
}

/** A published build. Numbers ascend from build to build. */
export interface BuildRow {
  readonly number: number;
  /** Id of its snapshot. A file cannot contain its own: null. */
  readonly id: string | null;
  /** Instant. */
  readonly builtAt: number;
}

/** The state of an event before a build that changed it. */
export interface HistoryRow {
  readonly id: string;
  readonly build: number;
  /** When it was public before that build; null for never. */
  readonly seen: number | null;
  /** Number of the build that had changed it last. */
  readonly changed: number;
}

/** I9, small subscriptions: an occurrence that was removed, because it may return. */
export interface GoneSequence {
  readonly occurrence: string;
  readonly count: number;
  /** Instant of the last snapshot that contained it. */
  readonly held: number;
}

export function changeOf(
  { calendar, columns }: Pick<ComparisonOptions, 'calendar' | 'columns'>,
  ordinal: number,
  changed: number,
): EventChange {
  const { publishingDate } = calendar.events[ordinal] ?? {};
  return { seen: Math.max(0, publishingDate ?? 0), over: columns.eventOver[ordinal] ?? 0, changed };
}

export async function writeRows(writer: Writer, compared: ComparedRows): Promise<void> {
  await insertRows(writer, BUILDS, compared.builds);
  await insertRows(writer, EVENT_CHANGES, compared.events.entries());
  await insertRows(writer, HISTORY, compared.history);
  await insertRows(writer, SEQUENCES, compared.gone);
}

const BUILDS: Table<BuildRow> = {
  name: 'build',
  cells: ({ number, id, builtAt }) => ({ number, id, built_at: builtAt }),
};

const EVENT_CHANGES: Table<readonly [event: number, change: EventChange]> = {
  name: 'event_change',
  cells: ([event, { seen, over, changed }]) => ({ event, seen, over, changed }),
};

const HISTORY: Table<HistoryRow> = {
  name: 'history',
  cells: ({ id, build, seen, changed }) => ({ id, build, seen, changed }),
};

const SEQUENCES: Table<GoneSequence> = {
  name: 'sequence',
  cells: ({ occurrence, count, held }) => ({ occurrence, count, held }),
};
