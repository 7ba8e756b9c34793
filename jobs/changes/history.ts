/**
 * The history that a snapshot stores of its comparison, for later builds and for `changes` (E7, I7): its rows, and those of the previous
 * snapshot, read again event by event.
 */
import * as z from 'zod';
import { isCalendarError, systemCodeOf } from '../../src/calendar/errors.ts';
import { parseSourceDay } from '../../src/calendar/input-datetime.ts';
import type { BuildRow, FormerState } from '../../src/snapshot/changes.ts';
import { readColumns } from '../../src/snapshot/column-blobs.ts';
import { insertRows } from '../../src/snapshot/insert.ts';
import { readLists } from '../../src/snapshot/lists.ts';
import { integerOf, type Reader, type ReadRow, textOf } from '../../src/snapshot/reader.ts';
import { openReader, type Writer } from '../../src/snapshot/sqlite.ts';
import { visibleFromOf } from '../../src/snapshot/visibility.ts';
import type { Previous } from '../previous.ts';
import { isOfTables, readOlderColumns } from './older.ts';
import { COMPARED_COLUMNS, type PublicEvent, publicEventsOf } from './public-events.ts';

export interface ComparedRows {
  /** Ascending; this build is the last. */
  readonly builds: readonly BuildRow[];
  /** By id in code point order, then by build. */
  readonly history: readonly FormerState[];
  /** By occurrence in code point order. */
  readonly gone: readonly GoneSequence[];
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

const buildRow: z.ZodType<BuildRow> = z.object({
  number: z.int(),
  id: z.string().nullable(),
  builtAt: z.int(),
});
const historyRow: z.ZodType<FormerState> = z.object({
  id: z.string(),
  build: z.int(),
  seen: z.int().nullable(),
  changed: z.int(),
});

/** I9: an occurrence that was removed, because it may return; `held` is the instant of the last snapshot with it. */
const sequenceRow = z.object({ occurrence: z.string(), count: z.int(), held: z.int() });
export type GoneSequence = Readonly<z.infer<typeof sequenceRow>>;

/** Writes the tables `build`, `history` and `sequence`. */
export async function writeRows(writer: Writer, { builds, history, gone }: ComparedRows): Promise<void> {
  const cells = ({ builtAt, ...row }: BuildRow) => ({ ...row, built_at: builtAt });
  await insertRows(writer, { name: 'build', cells }, builds);
  await insertRows(writer, { name: 'history', cells: (row) => ({ ...row }) }, history);
  await insertRows(writer, { name: 'sequence', cells: (row) => row }, gone);
}

export interface PreviousEvent {
  readonly event: PublicEvent;
  readonly change: EventChange;
}

/** The part of the previous snapshot that a build compares. */
export interface PreviousContent {
  /** False for a snapshot of another format (G15). */
  readonly isComparable: boolean;
  /** By row. */
  readonly sequence: Int32Array | Uint8Array;
  /** Day number. */
  readonly horizonDay: number;
  readonly builtAt: number;
  /** JSON: the changes of the latest builds. */
  readonly recentChanges: string;
  /** Ascending; its own build is the last one. */
  readonly builds: readonly IdentifiedBuild[];
  readonly history: readonly FormerState[];
  readonly sequences: readonly GoneSequence[];
  /** By id in code point order. */
  readonly events: () => AsyncIterable<PreviousEvent>;
  readonly close: () => Promise<void>;
}

interface IdentifiedBuild extends BuildRow {
  readonly id: string;
}

/** G15: a snapshot of another format is read by its tables; null if it has others. Throws if the machine cannot read the file. */
export async function openPreviousContent(previous: Previous): Promise<PreviousContent | null> {
  if (previous.isComparable) return openContent(previous);
  return openContent(previous).catch((thrown: unknown) => {
    if (OF_CONTENT.has(systemCodeWithin(thrown))) return null;
    throw thrown;
  });
}

/** The code of the first error of SQLite or of the system among the causes; empty without one. */
function systemCodeWithin(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  const code = isCalendarError(thrown) ? '' : systemCodeOf(thrown);
  return code === '' ? systemCodeWithin(thrown.cause) : code;
}

/** Codes of errors that say what is in the file; none for a value of another type. With any other, it may be good, and its history is needed. */
const OF_CONTENT: ReadonlySet<string> = new Set(['', 'SQLITE_ERROR', 'SQLITE_CORRUPT', 'SQLITE_NOTADB']);

type Opened = Pick<Previous, 'path' | 'id' | 'meta' | 'recentChanges' | 'isComparable'>;

/** Throws for a file that cannot be read. */
export async function openContent({
  path,
  id,
  meta,
  recentChanges,
  isComparable,
}: Opened): Promise<PreviousContent> {
  const reader = await openReader(path, { connections: 1, timeout: 0 });
  try {
    const { venues, organizers } = isComparable ? await readLists(reader) : await readOlderLists(reader);
    const builds = await reader.all(BUILDS, [], (row) => buildRow.parse(row));
    const columns = isOfTables(meta)
      ? await readOlderColumns(reader)
      : await readColumns(reader, COMPARED_COLUMNS);
    const eventOf = publicEventsOf({ columns, venues, organizers, isShared: !isComparable });
    return {
      isComparable,
      sequence: columns.sequence,
      horizonDay: parseSourceDay(meta.horizonDay) ?? 0,
      builtAt: Date.parse(meta.builtAt) / 1_000,
      recentChanges,
      builds: builds.map((build) => ({ ...build, id: build.id ?? id })),
      history: await reader.all(HISTORY, [], (row) => historyRow.parse(row)),
      sequences: await reader.all(SEQUENCES, [], (row) => sequenceRow.parse(row)),
      events: (): AsyncIterable<PreviousEvent> =>
        readEvents(reader, meta.counts.events, (row) => {
          const ordinal = integerOf(row, 'ordinal');
          return {
            event: eventOf({ ordinal, cells: row, body: textOf(row, 'body') }),
            change: {
              seen: visibleFromOf(columns, ordinal),
              over: columns.eventOver[ordinal] ?? 0,
              changed: columns.changed[ordinal] ?? 0,
            },
          };
        }),
      close: reader.close,
    };
  } catch (cause) {
    await reader.close();
    throw cause;
  }
}

/** G15: organizers are not compared. */
async function readOlderLists({ all }: Pick<Reader, 'all'>) {
  const sql =
    "select value ->> '$.id' as id from list_json, json_each(body) where name = 'venues' order by key";
  const venues = await all(sql, [], (row) => ({ id: textOf(row, 'id') }));
  return { venues, organizers: [] };
}

const BUILDS = 'select number, id, built_at as builtAt from build order by number';
const HISTORY = 'select id, build, seen, changed from history order by id, build';
const SEQUENCES = 'select occurrence, count, held from sequence order by occurrence';
const EVENTS = 'select * from event where ordinal >= ? order by ordinal limit ?';

/** Events that are read at a time. */
const BATCH = 250;

async function* readEvents(
  reader: Reader,
  count: number,
  read: ReadRow<PreviousEvent>,
): AsyncGenerator<PreviousEvent> {
  for (let from = 0; from < count; from += BATCH) yield* await reader.all(EVENTS, [from, BATCH], read);
}
