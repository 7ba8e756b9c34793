/** Snapshot files: their tables, their sizes, and failures to write them. */
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
import { assertAtLeast } from '../helpers/assertions.ts';
import { makeCalendar, NOW } from '../helpers/calendar.ts';
import { snapshotContentOf, temporaryFolder } from '../helpers/folder.ts';
import { MORE_THAN_ARGUMENTS } from '../helpers/usage.ts';

const test = suite('write');
const folder = temporaryFolder();
const path = join(folder, 'written.sqlite');
let reader: Reader;

test.before(async () => {
  await writeSnapshot(path, snapshotContentOf(await makeCalendar()));
  reader = await openReader(path, { timeout: 0 });
});

test.after(() => reader.close());

const namesIn = (from: string) => reader.all(`select name from ${from}`, [], (row) => textOf(row, 'name'));

test('J5: should have the tables that servers and later builds read, and no others', async () => {
  assert.equal((await namesIn("sqlite_schema where name not like 'sqlite_%'")).toSorted(), [
    'build',
    'column_blob',
    'event',
    'history',
    'list_json',
    'merged',
    'meta',
    'sequence',
    'slug',
  ]);
  assert.equal(await namesIn("pragma_table_xinfo('event') where hidden <> 0"), []);
});

/** Columns of the second event, and what they hold. */
const EVENT = {
  ordinal: 1,
  id: 'event-000001',
  slug: 'slug-event-000001',
  link: 'https://kalender.example/event/slug-event-000001',
  title_nb: 'Prøve på event-000001',
  title_en: null,
  mode: 'offline',
  tickets_information: 'ticketsInfo',
  is_super_event: 0,
  is_featured: 0,
  tags: '["Blåbær"]',
  created_at: NOW,
  accessibility: '[]',
};

test('P5: should write the values of an event into its columns', async () => {
  const columns = Object.keys(EVENT).map((name) => `'${name}', ${name}`);
  const sql = `select json_object(${columns.join(', ')}) as found from event where ordinal = 1`;
  const [found] = await reader.all(sql, [], (row: Row): unknown => JSON.parse(textOf(row, 'found')));
  assert.equal(found, EVENT);
});

test('G5: should hold integers, texts and blobs only', async () => {
  const tables = await namesIn(`sqlite_schema where type = 'table'`);
  assertAtLeast(tables.length, 9, 'tables');
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
  const large = async () => snapshotContentOf(await makeCalendar({ events: 700, dates: 2 }));
  assert.is(await hashOf(await large()), await hashOf(await large()));
  const others = [
    snapshotContentOf(await makeCalendar()),
    snapshotContentOf(await makeCalendar(), NOW + 1),
    snapshotContentOf(await makeCalendar({ name: 'En annen' })),
  ];
  assert.is(new Set(await Promise.all(others.map(hashOf))).size, 3);
});

test('G3: should write a calendar without events', async () => {
  const file = join(folder, 'empty.sqlite');
  await writeSnapshot(file, snapshotContentOf(await makeCalendar({ events: 0 })));
  const { meta, close } = await openSnapshotFile(file);
  await close();
  assert.equal(meta.counts, { events: 0, occurrences: 0, venues: 1, organizers: 1, categories: 1 });
});

test('A17: should write more former slugs than a call takes arguments', async () => {
  const file = join(folder, 'former.sqlite');
  const { calendar, columnSet } = await makeCalendar();
  const owned = Array.from({ length: MORE_THAN_ARGUMENTS }, (_, at) => ({
    slug: `gone-${at}`,
    id: `gone-${at}`,
    isCurrent: true,
    given: null,
    held: NOW,
  }));
  const slugs = { ...calendar.slugs, event: { owned, merged: [] } };
  await writeSnapshot(file, snapshotContentOf({ calendar: { ...calendar, slugs }, columnSet }));
  const { isGoneSlug, close } = await openSnapshotFile(file);
  const areGone = ['gone-0', `gone-${MORE_THAN_ARGUMENTS - 1}`, `gone-${MORE_THAN_ARGUMENTS}`].map(
    isGoneSlug,
  );
  await close();
  assert.equal(areGone, [true, true, false]);
});

test('P5: should keep quotes, line ends, NUL, emoji and both languages', async () => {
  const name = `O'Hara "quoted" \\ \n\t\u0001 \u{1f3b6} Čaŋoš — «æøå»`;
  const file = join(folder, 'texts.sqlite');
  await writeSnapshot(file, snapshotContentOf(await makeCalendar({ name })));
  const texts = await openReader(file);
  const titles = await texts.all('select title_nb from event where ordinal = 0', [], (row) =>
    textOf(row, 'title_nb'),
  );
  await texts.close();
  assert.equal(titles, [`${name} på event-000000`]);
});

test.run();
