/**
 * Writes the public edition (J5): one SQLite file of what the interface shows an anonymous caller at an instant, for people and their
 * tools. It is made of a snapshot's file in one pass. Same snapshot and same instant, same bytes.
 */
import { isoSecond } from '../../src/calendar/time.ts';
import type { FormerState } from '../../src/snapshot/changes.ts';
import { readColumns } from '../../src/snapshot/column-blobs.ts';
import { FRAGMENT_SQL, readFragment } from '../../src/snapshot/fragments.ts';
import { type Batch, batchOf } from '../../src/snapshot/insert.ts';
import { type Lists, readLists } from '../../src/snapshot/lists.ts';
import { type Meta, readMeta } from '../../src/snapshot/meta.ts';
import { bytesOf, integerOf, type Reader, type Row, textOf } from '../../src/snapshot/reader.ts';
import { openReader, openWriter, setupOf, type Writer } from '../../src/snapshot/sqlite.ts';
import { visibleFromOf } from '../../src/snapshot/visibility.ts';
import { changeLog, type DatedBuild } from './change-log.ts';
import { putDirectories } from './directory-rows.ts';
import { putEvent } from './event-rows.ts';
import { isFinished, type Put, READ_COLUMNS, type ReadColumns } from './row.ts';
import {
  columnsOf,
  describedColumns,
  type FilledTable,
  PUBLIC_APPLICATION_ID,
  PUBLIC_INDEXES,
  PUBLIC_PAGE_SIZE,
  PUBLIC_SHAPE,
  publicSchema,
} from './shape.ts';

interface PublicEditionOptions {
  /** A finished snapshot. */
  readonly snapshot: string;
  /** The path must not exist. */
  readonly to: string;
  /** Instant, whole seconds. Events that become public later are left out. */
  readonly now: number;
  /** Where the calendar can be found, for `meta`. */
  readonly address: string | null;
}

/** Returns the snapshot's metadata. */
export async function writePublicEdition({
  snapshot,
  to,
  now,
  address,
}: PublicEditionOptions): Promise<Meta> {
  const reader = await openReader(snapshot, { connections: 1, timeout: 0 });
  try {
    const writer = await openWriter(to);
    try {
      return await writeAll(reader, writer, { now, address });
    } finally {
      await writer.close();
    }
  } finally {
    await reader.close();
  }
}

type Stated = Pick<PublicEditionOptions, 'now' | 'address'>;

async function writeAll(reader: Reader, writer: Writer, { now, address }: Stated): Promise<Meta> {
  const meta = await readMeta(reader);
  const lists = await readLists(reader);
  const columns = await readColumns(reader, READ_COLUMNS);
  await writer.exec(setupOf(PUBLIC_PAGE_SIZE));
  await writer.exec(`begin; ${publicSchema()}`);
  await writer.exec(MERGE_AT_THE_END);
  const rows = rowsInto(writer);
  putFacts(meta, lists, { now, address, put: rows.put });
  putDirectories({ lists, columns }, now, rows.put);
  await rows.flush();
  await writeEvents(reader, { columns, lists, now, rows });
  await rows.end();
  await writer.exec(`${OPTIMISE} ${PUBLIC_INDEXES} ${IDENTITY} commit`);
  return meta;
}

const IDENTITY = `pragma application_id = ${PUBLIC_APPLICATION_ID}; pragma user_version = ${PUBLIC_SHAPE};`;

/** Bytes of the index that are gathered in memory before they are written. */
const INDEX_BYTES = 64 * 1_024 * 1_024;

/** The index is merged once, when all is in it: less work, and a smaller file. */
const MERGE_AT_THE_END = `insert into search (search, rank) values ('automerge', 0), ('hashsize', ${INDEX_BYTES});`;
const OPTIMISE = `insert into search (search) values ('optimize');`;

interface Rows {
  readonly put: Put;
  /** Passes queued rows to their batches, which write when full. */
  readonly flush: () => Promise<void>;
  readonly end: () => Promise<void>;
}

function rowsInto(writer: Writer): Rows {
  const filled = new Map<FilledTable, FilledBatch>();
  const filledBy = (table: FilledTable): FilledBatch => {
    const existing = filled.get(table);
    if (existing !== undefined) return existing;
    const columns = columnsOf(table);
    const made = { columns, batch: batchOf(writer, { name: table, columns }) };
    filled.set(table, made);
    return made;
  };
  let queued: (readonly [batch: Batch, row: string])[] = [];
  const put: Put = (table, row) => {
    const { columns, batch } = filledBy(table);
    const text = isFinished(row)
      ? `[${row.join(',')}]`
      : JSON.stringify(columns.map((column) => row[column] ?? null));
    queued.push([batch, text]);
  };
  const flush = async () => {
    const taken = queued;
    queued = [];
    for (const [batch, row] of taken) await batch.add(row);
  };
  const end = async () => {
    await flush();
    for (const { batch } of filled.values()) await batch.end();
  };
  return { put, flush, end };
}

interface FilledBatch {
  readonly columns: readonly string[];
  readonly batch: Batch;
}

function putFacts(
  { builtAt, licence: id }: Meta,
  { licence }: Lists,
  { now, address, put }: Stated & Pick<Rows, 'put'>,
): void {
  const facts = {
    id,
    name: licence.name,
    shape: String(PUBLIC_SHAPE),
    built_at: builtAt,
    public_at: isoSecond(now),
    licence: licence.dataLicence?.name ?? null,
    licence_url: licence.dataLicence?.url ?? null,
    attribution: licence.attribution,
    contact: licence.contact?.email ?? licence.contact?.url ?? licence.contact?.name ?? null,
    source: address,
    time_zone: 'Europe/Oslo',
  };
  for (const [key, value] of Object.entries(facts)) if (value !== null) put('meta', { key, value });
  for (const { table, column, about } of describedColumns())
    put('meta_column', { table_name: table, column_name: column, about });
}

interface EventsOptions {
  readonly columns: ReadColumns;
  readonly lists: Lists;
  readonly now: number;
  readonly rows: Rows;
}

async function writeEvents(reader: Reader, { columns, lists, now, rows }: EventsOptions): Promise<void> {
  const ids = await reader.all(IDS, [], (row) => textOf(row, 'id'));
  const isSeen = (ordinal: number) => visibleFromOf(columns, ordinal) <= now;
  const ordinals = new Map(ids.map((id, ordinal) => [id, ordinal]));
  const builds = await reader.all(BUILDS, [], readBuild);
  const builtAt = new Map(builds.map(({ number, builtAt: instant }) => [number, isoSecond(instant)]));
  const events = {
    columns,
    lists,
    isPublic: (id: string) => {
      const ordinal = ordinals.get(id);
      return ordinal !== undefined && isSeen(ordinal);
    },
    changedAt: (ordinal: number) => builtAt.get(columns.changed[ordinal] ?? 0) ?? null,
  };
  for (let from = 0; from < ids.length; from += BATCH) {
    const found = await reader.all(FRAGMENTS, [from, BATCH], (row) => ({
      ordinal: integerOf(row, 'ordinal'),
      text: UTF_8.decode(bytesOf(row, 'fragment')),
    }));
    for (const { ordinal, text } of found) {
      if (!isSeen(ordinal)) continue;
      putEvent(events, { ordinal, fragment: readFragment(text) }, rows.put);
    }
    await rows.flush();
  }
  await writeChanges(reader, { ids, builds, columns, now, rows });
}

interface ChangesOptions extends Omit<EventsOptions, 'lists'> {
  /** Ids of events, by ordinal. */
  readonly ids: readonly string[];
  readonly builds: readonly DatedBuild[];
}

async function writeChanges(
  reader: Reader,
  { ids, builds, columns, now, rows }: ChangesOptions,
): Promise<void> {
  const events = ids.map((id, ordinal) => ({
    id,
    publicFrom: visibleFromOf(columns, ordinal),
    changed: columns.changed[ordinal] ?? 0,
  }));
  const history = await reader.all(HISTORY, [], readHistory);
  for (const { id, kind, at } of changeLog({ builds, history, events, now }))
    rows.put('change', { id, kind, at });
}

const UTF_8 = new TextDecoder();
/** Events that are read at a time. */
const BATCH = 250;
const IDS = 'select id from event order by ordinal';
const FRAGMENTS = `select ordinal, ${FRAGMENT_SQL} as fragment from event
  where ordinal >= ? order by ordinal limit ?`;
const BUILDS = 'select number, built_at from build order by number';
const HISTORY = 'select id, build, seen, changed from history order by id, build';

const readBuild = (row: Row): DatedBuild => ({
  number: integerOf(row, 'number'),
  builtAt: integerOf(row, 'built_at'),
});

const readHistory = (row: Row): FormerState => ({
  id: textOf(row, 'id'),
  build: integerOf(row, 'build'),
  seen: row.seen === null ? null : integerOf(row, 'seen'),
  changed: integerOf(row, 'changed'),
});
