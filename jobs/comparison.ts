/**
 * G10: the changes of a build, as snapshots and reports store them. An annex compares a build with the previous snapshot; without it,
 * each build counts as the first of its folder, and callers of `changes` fetch all events again.
 */
import type { EventFields } from '../src/calendar/model.ts';
import type { Writer } from '../src/snapshot/sqlite.ts';
import type { Calendar, ColumnSet } from './records.ts';
import { insertRows, type Table, type WrittenEvent } from './write/tables.ts';

export interface ChangeCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  /** The number of changed events with another title. */
  readonly renamed: number;
}

export interface NamedChange {
  readonly id: string;
  readonly title: string;
  /** The changed fields, for a changed event. */
  readonly fields?: readonly string[];
  /** The former title, for a renamed event. */
  readonly from?: string;
}

type Kind = keyof ChangeCounts;

/** The first of each kind, by id. */
export type ChangeLists = Readonly<Record<Kind, readonly NamedChange[]>>;

export interface Changes {
  /** Whether there was no snapshot to compare with: then changes are only counted. */
  readonly isFirst: boolean;
  readonly counts: ChangeCounts;
  readonly lists: ChangeLists;
}

/** The part of the changes that is written. */
export interface ComparedBuild {
  /** For the report. */
  readonly changes: Changes;
  /** JSON: the changes of the latest builds, the latest first; null for those in the previous snapshot. */
  readonly recent: string | null;
  /** Ascending; this build is the last. */
  readonly builds: readonly BuildRow[];
  /** By ordinal. */
  readonly events: readonly EventChange[];
  /** By id in code point order, then by build. */
  readonly history: readonly HistoryRow[];
  /** I9: by row, the number of builds that have changed the occurrence. */
  readonly sequence: Uint8Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
  /** By ordinal, as the column of this name. */
  readonly nextSince: Float64Array<ArrayBuffer>;
  /** By occurrence in code point order. */
  readonly gone: readonly GoneSequence[];
}

export interface Comparison {
  /** Called with each event, in the order of the ordinals. */
  readonly take: (event: WrittenEvent) => Promise<void>;
  readonly finish: () => Promise<ComparedBuild>;
  readonly close: () => Promise<void>;
}

/** The facts about an event that `changes` needs. */
export interface EventChange {
  /** Instant from which it is public; 0 for always (A9). */
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

/** I9: an occurrence that was removed, because it may return. */
export interface GoneSequence {
  readonly occurrence: string;
  readonly count: number;
  /** Instant of the last snapshot that contained it. */
  readonly held: number;
}

export interface ComparisonOptions {
  readonly calendar: Pick<Calendar, 'events' | 'venues' | 'organizers'>;
  readonly columns: ColumnSet['columns'];
  /** Instant of the build. */
  readonly now: number;
  /** Day number. */
  readonly horizonDay: number;
}

export const NO_CHANGES: ChangeCounts = { added: 0, changed: 0, removed: 0, renamed: 0 };

const NONE: ChangeLists = { added: [], changed: [], removed: [], renamed: [] };

/** For a build without a previous snapshot: events are counted by their ids. `before`: those that were not over. */
export function firstComparison(
  { calendar, columns, now }: ComparisonOptions,
  before: ReadonlySet<string> = new Set(),
): Comparison {
  const build = { number: 1, id: null, builtAt: now };
  const ids = new Set(calendar.events.map(({ id }) => id));
  const added = [...ids].filter((id) => !before.has(id)).length;
  const removed = [...before].filter((id) => !ids.has(id)).length;
  const nextSince = new Float64Array(calendar.events.length);
  return {
    take: async ({ ordinal, fields }) => {
      nextSince[ordinal] = arrivalOf(fields, now);
    },
    finish: async () => ({
      changes: { isFirst: true, counts: { ...NO_CHANGES, added, removed }, lists: NONE },
      recent: null,
      builds: [build],
      events: calendar.events.map((_, ordinal) => changeOf({ calendar, columns }, ordinal, build.number)),
      history: [],
      sequence: new Uint8Array(columns.start.length),
      nextSince,
      gone: [],
    }),
    close: async () => undefined,
  };
}

/** I3: the build that brings an event dates it where its record does not. */
export function arrivalOf({ publishingDate, created_at }: EventFields, now: number): number {
  return publishingDate === null && created_at === null ? now : Number.NEGATIVE_INFINITY;
}

export function changeOf(
  { calendar, columns }: Pick<ComparisonOptions, 'calendar' | 'columns'>,
  ordinal: number,
  changed: number,
): EventChange {
  const { publishingDate } = calendar.events[ordinal] ?? {};
  return { seen: Math.max(0, publishingDate ?? 0), over: columns.eventOver[ordinal] ?? 0, changed };
}

export async function writeComparison(writer: Writer, compared: ComparedBuild): Promise<void> {
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
