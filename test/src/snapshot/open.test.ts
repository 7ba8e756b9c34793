/** H5, H14: columns, lists and bodies of an open snapshot, and damaged files. */
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { writeSnapshot } from '../../../jobs/write.ts';
import { readIntegers, storedParts } from '../../../src/snapshot/column-blobs.ts';
import { COLUMN_NAMES, type Columns } from '../../../src/snapshot/columns.ts';
import { openSnapshotFile } from '../../../src/snapshot/folder.ts';
import type { Snapshot } from '../../../src/snapshot/open.ts';
import type { ReadRow, Value } from '../../../src/snapshot/reader.ts';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { makeCalendar } from '../../helpers/calendar.ts';
import { closedAfterEach } from '../../helpers/closing.ts';
import { rejects } from '../../helpers/errors.ts';
import { snapshotContentOf, temporaryFolder } from '../../helpers/folder.ts';

const opening = suite('open');
const opened = closedAfterEach(opening);
const folder = temporaryFolder();
const made = await makeCalendar({ events: 1_200, dates: 3 });
const path = join(folder, 'calendar-0123456789abcdef.sqlite');
let snapshot: Snapshot;

opening.before(async () => {
  await writeSnapshot(path, snapshotContentOf(made));
  snapshot = await openSnapshotFile(path);
});

opening.after(() => snapshot.close());

opening('H5: should read every column and list as it was written', () => {
  const columns: Partial<Columns> = made.columnSet.columns;
  for (const name of COLUMN_NAMES)
    if (!/Check$|^key|^changed$/.test(name)) assert.equal(snapshot.columns[name], columns[name], name);
  const { licence, venues, organizers, sources, categories } = made.calendar;
  const directories = { licence, venues, organizers, sources, categories };
  assert.equal(snapshot.lists, { ...made.columnSet.lists, ...directories });
});

opening('H5: should read a column wherever its bytes begin in memory', async () => {
  const values = Int32Array.of(1, -2, 3);
  for (const start of [0, 1, 4]) {
    const bytes = Buffer.from(new ArrayBuffer(start + values.byteLength), start);
    bytes.set(new Uint8Array(values.buffer));
    const row = { name: 'places', kind: 'i32', length: values.length, bytes };
    const all = async <T>(_sql: string, _values: readonly Value[], read: ReadRow<T>) => [read(row)];
    assert.equal(await readIntegers({ all }, ['places']), { places: values }, `from byte ${start}`);
  }
});

opening('H5: should store a long column in parts, and read it whole or not at all', async () => {
  const values = Int32Array.from({ length: 300_000 }, (_, at) => at * 7_919);
  const parts = storedParts('places', values);
  assert.equal(
    parts.map(({ part, length, bytes }) => [part, length, bytes.byteLength]),
    [
      [0, 262_144, 1_048_576],
      [1, 37_856, 151_424],
    ],
  );
  const file = await openWriter(await changedFile('parts', ''));
  const sql = 'insert into column_blob (name, part, kind, length, bytes) values (?, ?, ?, ?, ?)';
  for (const { part, kind, length, bytes } of parts)
    await file.run(sql, ['places', part, kind, length, bytes]);
  assert.equal(await readIntegers(file, ['places']), { places: values });
  await file.exec("delete from column_blob where name = 'places' and part = 0");
  const finding = /column_blob places: expected part 0, found none/;
  await rejects(readIntegers(file, ['places']), 'SNAPSHOT_UNUSABLE', finding);
  await file.close();
});

opening('H5: should know its id, the moment of its build and its counts', () => {
  const { id, meta } = snapshot;
  assert.is(id, '0123456789abcdef');
  assert.is(meta.builtAt, '2026-01-01T12:00:00Z');
  assert.is(meta.horizonDay, '2027-07-01');
  assert.equal(meta.counts, { events: 1_200, occurrences: 3_600, venues: 1, organizers: 1, categories: 1 });
});

for (const wanted of [[], [5], [5, 3, 5], Array.from({ length: 1_000 }, (_, at) => (at * 7_919) % 1_200)]) {
  opening(`should give ${wanted.length} bodies in the order of the request, also repeated ones`, async () => {
    const bodies = await snapshot.eventBodies(wanted);
    const ids = bodies.map((body) => body.slice(0, body.indexOf('\n')));
    assert.equal(
      ids,
      wanted.map((ordinal) => `"event-${String(ordinal).padStart(6, '0')}"`),
    );
  });
}

opening('H14: should refuse an event that does not exist', async () => {
  await rejects(snapshot.eventBodies([0, 1_200]), 'SNAPSHOT_UNUSABLE', /event: expected 2 events, found 1/);
});

interface DamagedRow {
  readonly ordinal: number;
  /** What a statement sets in the row. */
  readonly change: string;
}

const DAMAGED: readonly DamagedRow[] = [
  { ordinal: 1, change: "body = replace(body, 'REGULAR', 'REGULER')" },
  { ordinal: 2, change: "title_nb = 'En annen'" },
  { ordinal: 3, change: 'ordinal = 9999' },
  { ordinal: 4, change: "desc_nb = cast(x'66ff66' as text)" },
];

for (const { ordinal, change } of DAMAGED) {
  opening(`H14: should refuse a row after ${change}, report it, and give the others`, async () => {
    const sql = `update event set ${change} where ordinal = ${ordinal}`;
    const damaged = await changedFile(`damaged-${ordinal}`, sql, 6);
    const reasons: string[] = [];
    const file = opened(await openSnapshotFile(damaged, { onDamage: (reason) => reasons.push(reason) }));
    assert.is((await file.eventBodies([0, 5])).length, 2);
    assert.equal(reasons, []);
    await rejects(file.eventBodies([0, ordinal]), 'SNAPSHOT_UNUSABLE', /expected (the checksum|2 events)/);
    assert.is(reasons.length, 1, 'reports');
  });
}

opening('D14: should free the memory of its columns when it is closed', async () => {
  const file = await openSnapshotFile(path);
  const { start } = file.columns;
  assert.is(start.length, 3_600);
  await file.close();
  assert.is(start.length, 0);
});

opening('A7: should find events by id, slug and title, and none for other texts', async () => {
  assert.is(snapshot.ordinalById('event-000007'), 7);
  assert.is(snapshot.ordinalById('event-7'), null);
  assert.is(snapshot.ordinalBySlug('slug-event-000009'), 9);
  assert.is(snapshot.ordinalBySlug('slug-event-9'), null);
  assert.equal(snapshot.ordinalsByTitle('Prøve på event-000004', 'nb'), [4]);
  assert.equal(snapshot.ordinalsByTitle('prøve på event-000004', 'nb'), []);
  assert.equal(snapshot.ordinalsByTitle('Prøve på event-000004', 'en'), []);
});

opening('A8: should find each slug once, in the order of the events', async () => {
  const slugs = ['3', '1', '3'].map((end) => `slug-event-00000${end}`);
  assert.equal(snapshot.ordinalsBySlugs(['none', ...slugs, `'; drop table event --`]), [1, 3]);
  assert.equal(snapshot.ordinalsBySlugs([]), []);
});

interface SpoiledFile {
  readonly sql: string;
  readonly finding: RegExp;
}

const SPOILED: readonly SpoiledFile[] = [
  {
    sql: "update column_blob set kind = 'u8' where name = 'start'",
    finding: /column_blob start: expected kind f64, found u8/,
  },
  {
    sql: "update column_blob set bytes = cast(substr(bytes, 1, length(bytes) - 1) as blob) where name = 'over'",
    finding: /column_blob over: expected 6 values, found 47 bytes/,
  },
  {
    sql: "delete from column_blob where name = 'day'",
    finding: /column_blob day: expected to be there/,
  },
  {
    sql: "delete from list_json where name = 'venues'",
    finding: /list_json venues: expected JSON, found nothing/,
  },
  {
    sql: "update list_json set body = '[{' where name = 'venues'",
    finding: /list_json venues: expected JSON, found \[\{/,
  },
  {
    sql: `update meta set value = '{"events":1}' where key = 'counts'`,
    finding: /meta\.counts: expected whole numbers/,
  },
  {
    sql: "update meta set value = 'today' where key = 'builtAt'",
    finding: /meta\.builtAt: expected an ISO 8601/,
  },
  { sql: 'drop table event', finding: /no such table: event/ },
];

for (const [at, { sql, finding }] of SPOILED.entries()) {
  opening(`H5: should refuse a file after ${sql}`, async () => {
    const bodies = openSnapshotFile(await changedFile(`spoiled-${at}`, sql)).then((file) =>
      file.eventBodies([0]),
    );
    await rejects(bodies, 'SNAPSHOT_UNUSABLE', finding);
  });
}

/** A small calendar's file in which a statement was run. */
async function changedFile(name: string, sql: string, events = 3): Promise<string> {
  const changed = join(folder, `${name}.sqlite`);
  await writeSnapshot(changed, snapshotContentOf(await makeCalendar({ events })));
  const writer = await openWriter(changed);
  await writer.exec(sql);
  await writer.close();
  return changed;
}

opening.run();
