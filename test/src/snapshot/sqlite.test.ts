/** The only importer of sqlite3: reading without locks, time limits, and bounds on files (H5, H7, D2). */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { integerOf, textOf } from '../../../src/snapshot/reader.ts';
import { openReader, openWriter } from '../../../src/snapshot/sqlite.ts';
import { closedAfterEach } from '../../helpers/closing.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';

const sqlite = suite('sqlite');
const opened = closedAfterEach(sqlite);
const folder = temporaryFolder();
const small = join(folder, 'small.sqlite');

sqlite.before(async () => {
  const writer = await openWriter(small);
  await writer.exec('create table word (number integer primary key, text text)');
  await writer.run('insert into word values (?, ?), (?, ?)', [1, 'én', 2, 'to']);
  await writer.close();
});

/** Asks one question of a reader of its own. */
async function ask<T>(
  sql: string,
  read: (row: Row) => T,
  options: ReaderOptions = {},
): Promise<readonly T[]> {
  const reader = await openReader(small, { connections: 1, ...options });
  return reader.all(sql, [], read).finally(() => reader.close());
}
type ReaderOptions = Parameters<typeof openReader>[1];
type Row = Parameters<typeof textOf>[0];

const nothing = () => null;

sqlite('should give rows as the caller reads them', async () => {
  const texts = await ask('select text from word order by number', (row) => textOf(row, 'text'));
  assert.equal(texts, ['én', 'to']);
});

/** Values that are no integers, with the message of their refusal. */
const NOT_INTEGERS = {
  'a text': {
    sql: 'select text from word',
    name: 'text',
    message: /expected text to be an integer, found string/,
  },
  'a fraction': {
    sql: 'select 1.5 as number',
    name: 'number',
    message: /expected number to be an integer, found 1\.5$/,
  },
  'a missing column': {
    sql: 'select text from word',
    name: 'tekst',
    message: /expected tekst to be an integer, found no such column/,
  },
};

for (const [value, { sql, name, message }] of Object.entries(NOT_INTEGERS)) {
  sqlite(`should say what it expected and found when ${value} is read as an integer`, async () => {
    const wrong = ask(sql, (row) => integerOf(row, name));
    await rejects(wrong, 'SNAPSHOT_UNUSABLE', message);
  });
}

for (const name of ['a?b.sqlite', 'a#b.sqlite', '50%20 æøå.sqlite', 'a b&mode=rw.sqlite', "it's.sqlite"]) {
  sqlite(`should open the file named ${name} and no other`, async () => {
    const path = join(folder, name);
    const writer = await openWriter(path);
    await writer.exec(`create table self as select 'here' as place`);
    await writer.close();
    const reader = opened(await openReader(path));
    assert.equal(await reader.all('select place from self', [], (row) => textOf(row, 'place')), ['here']);
  });
}

sqlite('H5: should neither write to a file that it reads nor map it into memory', async () => {
  await rejects(ask('delete from word', nothing), 'SNAPSHOT_UNUSABLE', /readonly/);
  assert.equal(await ask('pragma mmap_size', (row) => integerOf(row, 'mmap_size')), [0]);
});

sqlite('H5: should read without locks while another process holds one', async () => {
  const path = join(folder, 'locked.sqlite');
  const writer = opened(await openWriter(path));
  await writer.exec('create table word (number integer); begin exclusive');
  const reader = opened(await openReader(path));
  assert.equal(await reader.all('select number from word', [], nothing), []);
});

const ENDLESS =
  'with recursive n (i) as (select 1 union all select i + 1 from n) select max(i) as most from n';

sqlite('D2: should interrupt a statement that takes too long, and go on', async () => {
  const reader = opened(await openReader(small, { connections: 1, timeout: 500 }));
  const endless = reader.all(ENDLESS, [], nothing);
  const next = reader.all('select number from word where number = ?', [2], (row) => integerOf(row, 'number'));
  await rejects(endless, 'TIMEOUT', /within 500 ms/);
  assert.equal(await next, [2]);
});

sqlite(
  'D1: should tell the file and the statement that took too long to the log, not to clients',
  async () => {
    const { message, cause } = await rejects(ask(ENDLESS, nothing, { timeout: 20 }), 'TIMEOUT');
    assert.not.match(message, /small|sqlite|recursive|select|\//);
    assert.match(String(cause), /small\.sqlite: .*with recursive n/);
  },
);

sqlite('H14: should report another failure as what it is, even after the time is up', async () => {
  const reader = opened(await openReader(small, { connections: 1, timeout: 1 }));
  const refused = reader.all('select tekst from word', [], nothing);
  // The statement begins here. The timer fires before its result is read, because this thread is busy until both are due.
  await null;
  const start = performance.now();
  while (performance.now() - start < 20);
  await rejects(refused, 'SNAPSHOT_UNUSABLE', /no such column: tekst$/);
});

sqlite('D1: should tell what SQLite refused, and the statement to the log alone', async () => {
  const finding = /small\.sqlite: SQLITE_ERROR: no such column: tekst$/;
  const { message, cause } = await rejects(
    ask('select tekst from word', nothing),
    'SNAPSHOT_UNUSABLE',
    finding,
  );
  assert.not.match(message, /select/);
  assert.match(String(cause), /\(select tekst from word\)/);
});

sqlite('H7: should run no function or table that the schema of a file names', async () => {
  const path = join(folder, 'trusting.sqlite');
  const writer = await openWriter(path);
  await writer.exec(`create table word (number integer);
    create view leak as select * from pragma_database_list`);
  await writer.close();
  const reader = opened(await openReader(path));
  const trusted = await reader.all('pragma trusted_schema', [], (row) => integerOf(row, 'trusted_schema'));
  assert.equal(trusted, [0]);
  const leak = reader.all('select * from leak', [], nothing);
  await rejects(leak, 'SNAPSHOT_UNUSABLE', /unsafe use of virtual table/);
});

sqlite('H7: should refuse values and statements longer than any that a build writes', async () => {
  await rejects(ask('select zeroblob(268435457) as bytes', nothing), 'SNAPSHOT_UNUSABLE', /too big/);
  const padded = (length: number) => `select 1 as one /*${' '.repeat(length - 20)}*/`;
  assert.equal(await ask(padded(64 * 1_024), (row) => integerOf(row, 'one')), [1]);
  await rejects(ask(padded(64 * 1_024 + 1), nothing), 'SNAPSHOT_UNUSABLE');
});

sqlite('should answer on the other connection while one is busy', async () => {
  const reader = opened(await openReader(small, { connections: 2, timeout: 300 }));
  const order: string[] = [];
  const endless = rejects(reader.all(ENDLESS, [], nothing), 'TIMEOUT').then(() => order.push('slow'));
  await reader.all('select number from word', [], nothing);
  order.push('fast');
  await endless;
  assert.equal(order, ['fast', 'slow']);
});

sqlite('should close after the statements that wait, and refuse later ones', async () => {
  const reader = await openReader(small, { connections: 1 });
  const number = () => reader.all('select number from word', [], nothing);
  const asked = Array.from({ length: 20 }, number);
  const closed = reader.close();
  assert.is((await Promise.all(asked)).length, 20);
  await closed;
  assert.is(await number().catch(() => 'refused'), 'refused');
});

sqlite('should say which file is no database', async () => {
  const path = join(folder, 'text.sqlite');
  writeFileSync(path, 'no database at all, but long enough to look at '.repeat(20));
  await rejects(openReader(path), 'SNAPSHOT_UNUSABLE', /text\.sqlite: SQLITE_NOTADB/);
  const none = openReader(join(folder, 'none.sqlite'));
  await rejects(none, 'SNAPSHOT_UNUSABLE', /none\.sqlite: SQLITE_CANTOPEN/);
});

sqlite.run();
