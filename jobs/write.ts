/** Writes a finished calendar as one snapshot file. Same content, same bytes (G5). */
import type { EventFields } from '../src/calendar/model.ts';
import { isoSecond } from '../src/calendar/time.ts';
import { APPLICATION_ID, FORMAT, INDEXES, PAGE_SIZE, TABLES } from '../src/snapshot/format.ts';
import type { Counts } from '../src/snapshot/meta.ts';
import { checkShape } from '../src/snapshot/shape.ts';
import { openWriter, type Writer } from '../src/snapshot/sqlite.ts';
import type { Calendar, ColumnSet } from './records.ts';
import { writeColumns, writeLists } from './write/columns.ts';
import { writeDirectories } from './write/directories.ts';
import { writeEvents } from './write/events.ts';
import { writeFacetCounts, writeOccurrences } from './write/occurrences.ts';
import { insertRows, type Table } from './write/rows.ts';

export interface SnapshotContent {
  readonly calendar: Calendar;
  readonly columnSet: ColumnSet;
  readonly meta: ContentMeta;
  /** Tables of other steps, such as search. */
  readonly extensions?: readonly Extension[];
}

export interface Extension {
  /** Sees each event's texts while they are read anyway, in the order of the ordinals. */
  readonly take: (event: number, fields: EventFields) => void;
  /** Once, inside the transaction, after the last event. Makes its own tables and indexes. */
  readonly write: (writer: Writer) => Promise<void>;
}

export interface ContentMeta {
  /** Instant, whole seconds. */
  readonly builtAt: number;
  readonly sourceHash: string;
  /** JSON, like the report: neither may say how long anything took (G5). */
  readonly ledger: string;
  readonly report: string;
  /** JSON: how the source's feeds are. */
  readonly feeds?: string;
}

/** The path must not exist. A file that was not finished is the caller's to remove. */
export async function writeSnapshot(path: string, content: SnapshotContent): Promise<Counts> {
  const { calendar, columnSet, extensions = [] } = content;
  const { columns, lists, facetCounts } = columnSet;
  const counts = countsOf(calendar);
  checkShape(columns, lists, counts);
  const writer = await openWriter(path);
  try {
    await writer.exec(SETUP);
    await writer.exec(`begin; ${TABLES}`);
    await insertRows(writer, META, metaRows(content, counts));
    await writeDirectories(writer, calendar);
    const ticketsURLs = await writeEvents(writer, { calendar, columns, extensions });
    await writeOccurrences(writer, columns, ticketsURLs);
    await writeFacetCounts(writer, facetCounts);
    await writeColumns(writer, columns);
    await writeLists(writer, lists);
    for (const extension of extensions) await extension.write(writer);
    await writer.exec(`${INDEXES} ${IDENTITY} commit`);
  } finally {
    await writer.close();
  }
  return counts;
}

/** The file is no one's until it is published, so it needs neither a journal nor a sync of its own. */
const SETUP = `
  pragma page_size = ${PAGE_SIZE};
  pragma encoding = 'UTF-8';
  pragma auto_vacuum = none;
  pragma journal_mode = off;
  pragma synchronous = off;
  pragma locking_mode = exclusive;
  pragma temp_store = memory;
`;

const IDENTITY = `pragma application_id = ${APPLICATION_ID}; pragma user_version = ${FORMAT};`;

const META: Table<readonly [key: string, value: string]> = {
  name: 'meta',
  columns: ['key', 'value'],
  cells: (row) => row,
};

function metaRows(
  { calendar, meta }: SnapshotContent,
  counts: Counts,
): readonly (readonly [string, string])[] {
  return [
    ['builtAt', isoSecond(meta.builtAt)],
    ['counts', JSON.stringify(counts)],
    ['feeds', meta.feeds ?? '[]'],
    ['format', String(FORMAT)],
    ['horizonDay', calendar.horizonDay],
    ['ledger', meta.ledger],
    ['licence', JSON.stringify(calendar.licence)],
    ['report', meta.report],
    ['sourceHash', meta.sourceHash],
  ];
}

function countsOf({ events, occurrences, venues, organizers, categories }: Calendar): Counts {
  return {
    events: events.length,
    occurrences: occurrences.start.length,
    venues: venues.length,
    organizers: organizers.length,
    categories: categories.length,
  };
}
