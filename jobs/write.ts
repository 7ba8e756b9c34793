/** Writes a finished calendar as one snapshot file. Same content, same bytes (G5). */
import { summaryOf } from '../src/calendar/summary.ts';
import { isoSecond } from '../src/calendar/time.ts';
import { computeChecks, computeTextChecks } from '../src/snapshot/checksums.ts';
import { storedParts } from '../src/snapshot/column-blobs.ts';
import { COLUMN_NAMES, type Columns } from '../src/snapshot/columns.ts';
import { FINGERPRINT } from '../src/snapshot/fingerprint.ts';
import { APPLICATION_ID, type EventColumn, FORMAT, PAGE_SIZE, TABLES } from '../src/snapshot/format.ts';
import { renderBody } from '../src/snapshot/fragments.ts';
import { type Batch, batchOf, insertRows, type Table } from '../src/snapshot/insert.ts';
import { LIST_NAMES, type Lists } from '../src/snapshot/lists.ts';
import type { SnapshotCounts } from '../src/snapshot/meta.ts';
import type { Value } from '../src/snapshot/reader.ts';
import { openWriter, setupOf, type Writer } from '../src/snapshot/sqlite.ts';
import type { Calendar, EventTexts } from './calendar.ts';
import type { ComparedBuild, Comparison } from './changes/comparison.ts';
import type { Checks, ColumnSet } from './indexes/columns.ts';
import { addFormerKeys, createKeyColumns } from './indexes/key-columns.ts';
import { writeSlugLedger } from './slugs/ledger-tables.ts';

export interface SnapshotContent {
  readonly calendar: Calendar;
  readonly columnSet: ColumnSet;
  /** G10: receives what is written. */
  readonly comparison: Pick<Comparison, 'take' | 'finish'>;
  /** Called after all events have been compared. */
  readonly meta: (compared: ComparedBuild) => ContentMeta;
}

interface ContentMeta {
  /** Instant, whole seconds. */
  readonly builtAt: number;
  readonly sourceHash: string;
  /** JSON, which may not contain a duration (G5). */
  readonly report: string;
  /** JSON: ids of categories so far (G4). */
  readonly ledger: string;
  /** JSON: the latest builds that changed something (G10). */
  readonly changes: string;
  /** JSON: the planned changes of the calendar (K2). */
  readonly notices: string;
  /** JSON (I15). */
  readonly brand: string;
  /** JSON: the state of each feed. */
  readonly feeds: string;
}

/** The path must not exist. The caller removes an unfinished file. */
export async function writeSnapshot(path: string, content: SnapshotContent): Promise<ComparedBuild> {
  const { calendar, columnSet, comparison } = content;
  const { columns, filterColumns, lists } = columnSet;
  let compared: ComparedBuild;
  const writer = await openWriter(path);
  try {
    await writer.exec(setupOf(PAGE_SIZE));
    await writer.exec(`begin; ${TABLES}`);
    await writeEvents(writer, calendar, comparison);
    compared = await comparison.finish();
    await writeSlugLedger(writer, calendar.slugs);
    await compared.write(writer);
    await insertRows(writer, META, metaRows(calendar, content.meta(compared)));
    const finished = { ...columns, ...compared.columns, ...(await checksOf(writer, calendar)) };
    const { licence, venues, organizers, sources, categories } = calendar;
    await writeColumns(writer, finished, filterColumns);
    await writeLists(writer, { ...lists, licence, venues, organizers, sources, categories });
    await writer.exec(`${IDENTITY} commit`);
  } finally {
    await writer.close();
  }
  return compared;
}

const IDENTITY = `pragma application_id = ${APPLICATION_ID}; pragma user_version = ${FORMAT};`;

const META: Table<readonly [key: string, value: string]> = {
  name: 'meta',
  cells: ([key, value]) => ({ key, value }),
};

function metaRows(calendar: Calendar, meta: ContentMeta): readonly (readonly [string, string])[] {
  return [
    ['brand', meta.brand],
    ['builtAt', isoSecond(meta.builtAt)],
    ['changes', meta.changes],
    ['counts', JSON.stringify(countsOf(calendar))],
    ['feeds', meta.feeds],
    ['format', String(FORMAT)],
    ['horizonDay', calendar.horizonDay],
    ['ledger', meta.ledger],
    ['licence', JSON.stringify(calendar.licence)],
    ['notices', meta.notices],
    ['report', meta.report],
    ['shape', FINGERPRINT],
    ['sourceHash', meta.sourceHash],
  ];
}

function countsOf({ events, occurrences, venues, organizers, categories }: Calendar): SnapshotCounts {
  return {
    events: events.length,
    occurrences: occurrences.start.length,
    venues: venues.length,
    organizers: organizers.length,
    categories: categories.length,
  };
}

/** H14: checksums of the texts that a server reads, and the keys for finding events. */
async function checksOf(writer: Writer, calendar: Calendar): Promise<Checks> {
  const { events } = calendar;
  const bodyCheck = new Uint32Array(events.length);
  const nameCheck = new Uint32Array(events.length);
  const keys = createKeyColumns();
  await computeChecks(writer.all, {
    count: events.length,
    further: ['id', 'slug', 'title_nb as nb', 'title_en as en'],
    visit: ({ ordinal, body, name }, row) => {
      bodyCheck[ordinal] = body;
      nameCheck[ordinal] = name;
      for (const kind of ['id', 'slug', 'nb', 'en'] as const) {
        const text = row[kind];
        if (typeof text === 'string') keys.add(kind, text, ordinal);
      }
    },
  });
  addFormerKeys(calendar, keys.add);
  return { bodyCheck, nameCheck, textCheck: await computeTextChecks(writer.all), ...keys.finish() };
}

async function writeColumns(
  writer: Writer,
  columns: Columns,
  filterColumns: ColumnSet['filterColumns'],
): Promise<void> {
  const named = [
    ...COLUMN_NAMES.map((name) => [name, columns[name]] as const),
    ...Object.entries(filterColumns),
  ];
  let batch: (readonly Value[])[] = [];
  let batchBytes = 0;
  const insert = async () => {
    const rows = batch.map(() => '(?, ?, ?, ?, ?)').join(', ');
    await writer.run(
      `insert into column_blob (name, part, kind, length, bytes) values ${rows}`,
      batch.flat(),
    );
    batch = [];
    batchBytes = 0;
  };
  for (const [name, values] of named) {
    for (const { part, kind, length, bytes } of storedParts(name, values)) {
      batch.push([name, part, kind, length, bytes]);
      batchBytes += bytes.byteLength;
      if (batchBytes > LONGEST_BATCH) await insert();
    }
  }
  if (batch.length > 0) await insert();
}

/** Bytes of columns that are inserted together. The driver copies them. */
const LONGEST_BATCH = 1_000_000;

async function writeLists(writer: Writer, lists: Lists): Promise<void> {
  for (const name of LIST_NAMES) {
    const sql = 'insert into list_json (name, body) values (?, ?)';
    await writer.run(sql, [name, JSON.stringify(lists[name])]);
  }
}

async function writeEvents(
  writer: Writer,
  calendar: Calendar,
  comparison: SnapshotContent['comparison'],
): Promise<void> {
  let batch: Batch | undefined;
  for (const [ordinal, { superEvent }] of calendar.events.entries()) {
    const row = rowOf(calendar.read(ordinal), ordinal, superEvent);
    batch ??= batchOf(writer, { name: 'event', columns: Object.keys(row) });
    await batch.add(JSON.stringify(Object.values(row)));
    await comparison.take({ ordinal, cells: row });
  }
  await batch?.end();
}

/** The row of `event`. */
function rowOf({ fields, link, ...texts }: EventTexts, ordinal: number, superEvent: string | null) {
  return {
    ordinal,
    super_event: superEvent,
    title_nb: fields.title_nb,
    title_en: fields.title_en,
    desc_nb: fields.desc_nb,
    desc_en: fields.desc_en,
    tags: JSON.stringify(fields.tags),
    id: fields.id,
    slug: link.slug,
    link: link.link,
    mode: fields.mode,
    tickets_information: fields.ticketsInformation,
    is_super_event: Number(fields.isSuperEvent),
    is_featured: Number(fields.isFeaturedEvent),
    created_at: fields.created_at,
    updated_at: fields.updated_at,
    minimum_age: fields.minimumAge,
    maximum_age: fields.maximumAge,
    accessibility: JSON.stringify(fields.accessibility),
    body: renderBody({ ...fields, ...summariesOf(fields) }, texts),
  } satisfies Readonly<Record<EventColumn, Value>>;
}

/** E2: the record's own, else one of its description. */
function summariesOf({ summary_nb, summary_en, desc_nb, desc_en }: EventTexts['fields']) {
  return {
    summary_nb: summary_nb ?? (desc_nb && summaryOf(desc_nb)),
    summary_en: summary_en ?? (desc_en && summaryOf(desc_en)),
  };
}
