import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type SnapshotContent, writeSnapshot } from '../../jobs/write.ts';
import { openSnapshotFile } from '../../src/snapshot/folder.ts';
import { FORMAT } from '../../src/snapshot/format.ts';
import { integerOf, type Reader, type Row, textOf } from '../../src/snapshot/reader.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';
import { makeCalendar, NOW } from '../helpers/calendar.ts';
import { contentOf, temporaryFolder } from '../helpers/folder.ts';

const test = suite('write');
const folder = temporaryFolder();
const path = join(folder, 'written.sqlite');
let reader: Reader;

test.before(async () => {
  await writeSnapshot(path, contentOf(await makeCalendar()));
  reader = await openReader(path, { timeout: 0 });
});

test.after(() => reader.close());

const json = (sql: string) => reader.all(sql, [], (row: Row): unknown => JSON.parse(textOf(row, 'found')));

/** Each table for people, and what its first row holds. */
const FIRST_ROWS: Readonly<Record<string, readonly [sql: string, found: readonly unknown[]]>> = {
  venue: [
    `select json_array(ordinal, id, name, slug, address, latitude_e7, longitude_e7) as found from venue`,
    [0, 'v1', 'Ås', 'as', null, 634305149, 103950528],
  ],
  organizer: [
    'select json_array(ordinal, id, name, slug, website) as found from organizer',
    [0, 'o1', 'Ørnulf', 'ornulf', null],
  ],
  category: [
    'select json_array(ordinal, id, parent, name_nb, name_en, slug_nb, slug_en, visible) as found from category',
    [0, 'MUSIC', null, 'Musikk', 'Music', 'musikk', 'music', 1],
  ],
  event: [
    `select json_array(ordinal, id, slug, link, title_nb, title_en, mode, tickets_information, publishing_date,
       is_super_event, is_featured, tags, created_at) as found from event where ordinal = 1`,
    [
      ...[1, 'event-000001', 'slug-event-000001', 'https://kalender.example/event/slug-event-000001'],
      ...['Prøve på event-000001', null, 'offline', 'ticketsInfo', null, 0, 0, '["Blåbær"]', NOW],
    ],
  ],
  occurrence: [
    `select json_array("row", event, start, "end", over, start_text, end_text, start_time, duration, venue,
       tickets_url, cancelled, sold_out) as found from occurrence where "row" = 3`,
    [
      ...[3, 0, NOW + 90_000, NOW + 97_200, NOW + 97_200],
      ...['2026-01-02 14:00:00+01:00', '2026-01-02 16:00:00+01:00', '14:00', 120, 0],
      ...['https://billett.example/1', 0, 0],
    ],
  ],
  image: [
    'select json_array(event, position, url_large, alt, width, height) as found from image where event = 2',
    [2, 0, 'https://bilder.example/stor.jpg', null, 1600, 900],
  ],
};

test('should write tables that people can read', async () => {
  for (const [table, [sql, found]] of Object.entries(FIRST_ROWS))
    assert.equal((await json(sql))[0], found, table);
  const prices =
    'select json_array(event, occurrence, type, price, name_nb) as found from price where event = 0';
  assert.equal(await json(`${prices} order by occurrence`), [
    [0, null, 'REGULAR', 150, null],
    [0, 0, 'CHILD', null, 'Barn'],
  ]);
  for (const entity of ['category', 'organizer']) {
    const sql = `select json_array(event, ${entity}) as found from event_${entity} order by event`;
    assert.equal((await json(sql)).map(String), ['0,0', '1,0', '2,0']);
  }
});

test('G5: MUST hold integers, texts and blobs only', async () => {
  const namesIn = (from: string) => reader.all(`select name from ${from}`, [], (row) => textOf(row, 'name'));
  const tables = await namesIn(`sqlite_schema where type = 'table'`);
  assert.ok(tables.length >= 13);
  for (const table of tables)
    for (const column of await namesIn(`pragma_table_info('${table}')`)) {
      const sql = `select count(*) as reals from ${table} where typeof("${column}") = 'real'`;
      assert.equal(await reader.all(sql, [], (row) => integerOf(row, 'reals')), [0], `${table}.${column}`);
    }
});

test('H5: should mark the file as a snapshot of this format', async () => {
  const read = (name: string) => reader.all(`pragma ${name}`, [], (row) => integerOf(row, name));
  assert.equal(await read('application_id'), [0x616c6d61]);
  assert.equal(await read('user_version'), [FORMAT]);
});

async function hashOf(content: SnapshotContent): Promise<string> {
  const file = join(mkdtempSync(join(folder, 'hashed-')), 'calendar.sqlite');
  await writeSnapshot(file, content);
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

test('G5: should write the same bytes for the same content, and others for another moment or content', async () => {
  // More rows than a batch holds, so that batches are cut at the same places too.
  const large = async () => contentOf(await makeCalendar({ events: 700, dates: 2 }));
  assert.is(await hashOf(await large()), await hashOf(await large()));
  const others = [
    contentOf(await makeCalendar()),
    contentOf(await makeCalendar(), NOW + 1),
    contentOf(await makeCalendar({ name: 'En annen' })),
  ];
  assert.is(new Set(await Promise.all(others.map(hashOf))).size, 3);
});

test('should write a calendar without events', async () => {
  const file = join(folder, 'empty.sqlite');
  await writeSnapshot(file, contentOf(await makeCalendar({ events: 0 })));
  const { meta, close } = await openSnapshotFile(file);
  await close();
  assert.equal(meta.counts, { events: 0, occurrences: 0, venues: 1, organizers: 1, categories: 1 });
});

test('should keep quotes, line ends, NUL, emoji and both languages as they are', async () => {
  const name = `O'Hara "quoted" \\ \n\t\u0001 \u{1f3b6} Čaŋoš — «æøå»`;
  const file = join(folder, 'texts.sqlite');
  await writeSnapshot(file, contentOf(await makeCalendar({ name })));
  const texts = await openReader(file);
  const titles = await texts.all('select title_nb from event where ordinal = 0', [], (row) =>
    textOf(row, 'title_nb'),
  );
  await texts.close();
  assert.equal(titles, [`${name} på event-000000`]);
});

test.run();
