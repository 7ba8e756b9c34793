/** Writes a finished calendar as one snapshot file. Same content, same bytes (G5, same in, same out). */
import { crc32 } from 'node:zlib';
import { isoSecond } from '../src/calendar/time.ts';
import { COLUMN_NAMES, type Columns, storeColumn } from '../src/snapshot/columns.ts';
import { APPLICATION_ID, FORMAT, INDEXES, PAGE_SIZE, TABLES } from '../src/snapshot/format.ts';
import { FRAGMENT_SQL } from '../src/snapshot/fragments.ts';
import { type Counts, LISTS, type Lists } from '../src/snapshot/meta.ts';
import { bytesOf, openWriter, type Writer } from '../src/snapshot/sqlite.ts';
import { SHAPE } from '../src/snapshot/verify.ts';
import { type ColumnSet, countsOf } from './columns.ts';
import type { ComparedBuild, Comparison } from './comparison.ts';
import type { Calendar } from './records.ts';
import { writeSlugLedger } from './slug-ledger.ts';
import { insertRows, type Table, writeDirectories, writeEvents, writeOccurrences } from './write/tables.ts';

export interface SnapshotContent {
  readonly calendar: Calendar;
  readonly columnSet: ColumnSet;
  /** G10, what came, went and changed: receives what is written. */
  readonly comparison: Pick<Comparison, 'take' | 'finish'>;
  /** Called after all events have been compared. */
  readonly meta: (compared: ComparedBuild) => ContentMeta;
}

export interface ContentMeta {
  /** Instant, whole seconds. */
  readonly builtAt: number;
  readonly sourceHash: string;
  /** JSON, which may not contain a duration (G5). */
  readonly report: string;
  /** JSON: ids of categories so far (G4, taxonomy). */
  readonly ledger?: string;
  /** JSON: the changes of the latest builds (G10). */
  readonly changes?: string;
  /** JSON: the notices for callers. */
  readonly notices?: string;
  /** JSON: the state of the source's feeds. */
  readonly feeds?: string;
}

/** The path must not exist. The caller removes an unfinished file. */
export async function writeSnapshot(path: string, content: SnapshotContent): Promise<ComparedBuild> {
  const { calendar, columnSet, comparison } = content;
  const { columns, lists } = columnSet;
  const counts = countsOf(calendar);
  let compared: ComparedBuild;
  const writer = await openWriter(path);
  try {
    await writer.exec(SETUP);
    await writer.exec(`begin; ${TABLES}`);
    await writeDirectories(writer, calendar);
    const ticketsURLs = await writeEvents(writer, {
      calendar,
      columns,
      onEvent: (event) => comparison.take(event),
    });
    compared = await comparison.finish();
    await writeOccurrences(writer, columns, ticketsURLs);
    await writeSlugLedger(writer, calendar.slugs);
    await compared.write(writer);
    await insertRows(writer, META, metaRows(calendar, content.meta(compared), counts));
    const bodyCheck = await checksumsIn(writer, counts.events);
    await writeColumns(writer, { ...columns, ...compared.columns, bodyCheck });
    await writeLists(writer, lists);
    await writer.exec(`${INDEXES} ${IDENTITY} commit`);
  } finally {
    await writer.close();
  }
  return compared;
}

/** The file is unused until it is published, so it needs neither a journal nor a sync of its own. */
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
  cells: ([key, value]) => ({ key, value }),
};

function metaRows(
  calendar: Calendar,
  meta: ContentMeta,
  counts: Counts,
): readonly (readonly [string, string])[] {
  return [
    ['builtAt', isoSecond(meta.builtAt)],
    ['changes', meta.changes ?? '[]'],
    ['counts', JSON.stringify(counts)],
    ['feeds', meta.feeds ?? '[]'],
    ['format', String(FORMAT)],
    ['horizonDay', calendar.horizonDay],
    ['ledger', meta.ledger ?? '{"used":[],"retired":[]}'],
    ['licence', JSON.stringify(calendar.licence)],
    ['notices', meta.notices ?? '[]'],
    ['report', meta.report],
    ['shape', SHAPE],
    ['sourceHash', meta.sourceHash],
  ];
}

/** H14, damage while it is served: the checksum of each event as a server reads it. */
async function checksumsIn(writer: Writer, events: number): Promise<Uint32Array<ArrayBuffer>> {
  const checks = new Uint32Array(events);
  const sql = `select ${FRAGMENT_SQL} as body from event where ordinal >= ?1 and ordinal < ?1 + ${READ_AT_ONCE} order by ordinal`;
  for (let first = 0; first < events; first += READ_AT_ONCE)
    checks.set(await writer.all(sql, [first], (row) => crc32(bytesOf(row, 'body'))), first);
  return checks;
}

const READ_AT_ONCE = 500;

async function writeColumns(writer: Writer, columns: Columns): Promise<void> {
  for (const name of COLUMN_NAMES) {
    const { kind, length, bytes } = storeColumn(name, columns[name]);
    const sql = 'insert into column_blob (name, kind, length, bytes) values (?, ?, ?, ?)';
    await writer.run(sql, [name, kind, length, bytes]);
  }
}

async function writeLists(writer: Writer, lists: Lists): Promise<void> {
  for (const name of LISTS) {
    const sql = 'insert into list_json (name, body) values (?, ?)';
    await writer.run(sql, [name, JSON.stringify(lists[name])]);
  }
}
