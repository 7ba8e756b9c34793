import { spawn } from 'node:child_process';
/** H7: what a stranger may have done to a file before it gave it the right name and the right SHA-256. */
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { verifyStranger } from '../../../jobs/annexes/pull/stranger.ts';
import { programPath } from '../../../src/package.ts';
import { type ColumnName, liftColumns, storeColumn } from '../../../src/snapshot/columns.ts';
import type { Manifest } from '../../../src/snapshot/folder.ts';
import { openReader, openWriter } from '../../../src/snapshot/sqlite.ts';
import { verifyApart } from '../../../src/snapshot/verify-apart.ts';
import { rejects } from '../../helpers/errors.ts';
import { makeEndless, publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { childrenOf, fixtureOf, isGone, scriptOf, startProgram } from '../../helpers/program.ts';
import { until } from '../../helpers/until.ts';
import { costsAtMost } from '../../helpers/usage.ts';

const hostile = suite('hostile files');
const folder = temporaryFolder();
let good: Manifest;
const STRANGER = programPath('jobs/annexes/pull/child');

hostile.before(async () => {
  good = await publishCalendar(folder, { events: 40 });
});

type Deed = (path: string) => void | Promise<void>;

const ENDLESS = 'with recursive n (i) as (select 1 union all select i + 1 from n)';

/** Puts something else in place of a table, of the same name. */
const inPlaceOf = (table: string, sql: string) => run(`drop table ${table}; ${sql}`);

/** Changes the text of the schema, which SQLite would refuse as it stands. */
const rewrite = (name: string, from: string, to: string) =>
  run(`pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, '${from}', '${to}') where name = '${name}'`);

const column = (name: ColumnName, at: number, value: number): Deed => {
  return async (path) => {
    const reader = await openReader(path);
    const values = (await liftColumns(reader, [name]))[name].slice();
    await reader.close();
    values[at] = value;
    const writer = await openWriter(path);
    await writer.run('update column_blob set bytes = ? where name = ?', [
      storeColumn(name, values).bytes,
      name,
    ]);
    await writer.close();
  };
};

const part = (name: string, hex: string) =>
  run(
    `update search_part set bytes = cast(x'${hex}' || substr(bytes, ${1 + hex.length / 2}) as blob) where name = '${name}'`,
  );

/** Puts other bytes in place of the list of a short needle. */
const shortest = (bytes: string) =>
  run(
    `update search_short set events = ${bytes}, encoding = 'list' where key = (select min(key) from search_short)`,
  );

const list = (name: string, json: string) =>
  run(`update list_json set body = '${json}' where name = '${name}'`);

/** Changes what an event's answer is put together from; a line is a field. */
const body = (sql: string) => run(`update event set body = ${sql} where ordinal = 7`);

const byte = (at: number, value: number): Deed => {
  return (path) => {
    const bytes = readFileSync(path);
    bytes[at] = value;
    writeFileSync(path, bytes);
  };
};

/** What is done to a copy of a good file, and what is said of it. */
const DEEDS: Readonly<Record<string, readonly [deed: Deed, finding: RegExp]>> = {
  'an endless view in place of meta': [
    inPlaceOf('meta', `create view meta as ${ENDLESS} select i as key, i as value from n`),
    /expected the format's tables and indexes, found view "meta" of "meta"$/,
  ],
  'an endless view in place of the texts': [
    inPlaceOf('event', `create view event as ${ENDLESS} select i as ordinal, 'x' as body from n`),
    /found view "event"/,
  ],
  'a view beside the tables': [run('create view more as select 1'), /found view "more"/],
  'a trigger': [
    run('create trigger t after insert on event begin delete from event; end'),
    /found trigger "t" of "event"/,
  ],
  'a virtual table': [run('create virtual table v using fts5 (x)'), /found table "v" of "v"/],
  'a virtual table in place of a table': [
    inPlaceOf('list_json', 'create virtual table list_json using fts5 (name, body)'),
    /found table "list_json" of "list_json"/,
  ],
  'a computed column': [
    inPlaceOf(
      'list_json',
      'create table list_json (name text primary key, body text as (hex(zeroblob(100000000)))) without rowid',
    ),
    /found table "list_json" of "list_json"/,
  ],
  'a column more': [run('alter table venue add column more text'), /found table "venue"/],
  'a check': [rewrite('meta', 'value text not null', 'value text check (1)'), /found table "meta"/],
  'an index on a computed value': [
    run('create index i on event (abs(ordinal))'),
    /found index "i" of "event"/,
  ],
  'a table less': [
    run('drop table search_part'),
    /expected table "search_part" of "search_part", found none/,
  ],
  'an index less': [run('drop index event_by_slug'), /expected index "event_by_slug" of "event", found none/],
  statistics: [run('analyze'), /found table "sqlite_stat1"/],
  'a schema that is no SQL': [rewrite('meta', 'CREATE TABLE', 'CREAT TABL'), /malformed database schema/i],
  'ten thousand tables': [
    // Created one by one, each reads the schema again.
    run(`pragma writable_schema = on; insert into sqlite_schema
      with recursive n (i) as (select 0 union all select i + 1 from n limit 10000)
      select 'table', 't' || i, 't' || i, (select rootpage from sqlite_schema where name = 'venue'), 'CREATE TABLE t' || i || ' (x)' from n`),
    /found table "t0"/,
  ],
  'a journal': [byte(18, 2), /expected journal 257, found 513/],
  'another encoding': [byte(59, 2), /expected encoding 1, found 2/],
  'another page size': [byte(16, 0x20), /expected page size 16384, found 8192/],
  'more pages than there are': [byte(28, 0x7f), /expected pages [\d.]+, found 21\d+/],
  'something behind its last page': [(path) => appendFileSync(path, 'x'), /expected pages [\d.]+, found \d+/],
  'a page in two places': [
    run(`pragma writable_schema = on; update sqlite_schema set rootpage =
      (select rootpage from sqlite_schema where name = 'venue') where name = 'organizer'`),
    /expected/,
  ],

  'counts beyond all numbers': [
    run(`update meta set value = replace(value, ':40', ':9007199254740991') where key = 'counts'`),
    /expected rows .*9007199254740991.*, found/,
  ],
  'counts that are no numbers': [
    run(`update meta set value = '{"events":"many"}' where key = 'counts'`),
    /meta\.counts: expected whole numbers/,
  ],
  'a moment of its build that is none': [
    run(`update meta set value = 'soon' where key = 'builtAt'`),
    /meta\.builtAt: expected an ISO 8601 moment/,
  ],
  'twenty thousand columns': [
    run(`insert into column_blob with recursive n (i) as (select 1 union all select i + 1 from n limit 20000)
      select 'n' || i, 'u8', 0, x'' from n`),
    /expected at most 10000 columns, lists and parts, found 20\d+/,
  ],
  'a blob in place of a text': [
    run(`update list_json set body = zeroblob(1000) where name = 'tags'`),
    /expected body to be text, found object/,
  ],
  'a text in place of a blob': [
    run(`update column_blob set bytes = 'many' where name = 'start'`),
    /expected bytes to be a blob, found string/,
  ],
  'a blob of zeros': [
    run(`update column_blob set bytes = zeroblob(length(bytes)) where name = 'end'`),
    /column_blob end: expected \d+ values, found \d+ bytes/,
  ],
  'distances wider than any': [
    run(`update column_blob set bytes = cast(x'08' || substr(bytes, 2) as blob) where name = 'end'`),
    /column_blob end: expected \d+ values, found \d+ bytes/,
  ],
  'distances that end too soon': [
    run(
      `update column_blob set bytes = cast(substr(bytes, 1, length(bytes) - 1) as blob) where name = 'end'`,
    ),
    /column_blob end: expected \d+ values, found \d+ bytes/,
  ],
  'a byte after the last distance': [
    run(`update column_blob set bytes = cast(bytes || x'00' as blob) where name = 'end'`),
    /column_blob end: expected \d+ values, found \d+ bytes/,
  ],
  'a few bytes that are said to be a billion values': [
    run(`update column_blob set length = 1000000000 where name = 'end'`),
    /expected at most \d+ bytes of columns and search, found 8\d+/,
  ],
  'a billion values beside fewer than none': [
    run(`update column_blob set length = case name when 'end' then 1000000000 else -1000000000 end
      where name in ('end', 'over')`),
    /expected at most \d+ bytes of columns and search, found 8\d+/,
  ],
  'a blob of 300 MB': [
    run(`update column_blob set bytes = zeroblob(300000000) where name = 'end'`),
    /too big/,
  ],
  'lists of 65 MB': [
    run(`update list_json set body = '["' || hex(zeroblob(34000000)) || '"]' where name = 'tags'`),
    /expected at most 67108864 bytes of lists, found 680\d+/,
  ],
  'a list a million levels deep': [
    run(`update list_json set body = replace(hex(zeroblob(500000)), '00', '[[') where name = 'tags'`),
    /expected at most 64 levels of a list, found 1000000/,
  ],
  'feeds a million levels deep': [
    run(`update meta set value = replace(hex(zeroblob(500000)), '00', '[[') where key = 'feeds'`),
    /expected at most 64 levels of a list, found 1000000/,
  ],
  'a list of ten million lists': [
    run(
      `update list_json set body = '[' || replace(hex(zeroblob(5000000)), '00', '[],') || '0]' where name = 'tags'`,
    ),
    /expected at most 4000000 values of a list, found 10000\d+/,
  ],
  'a list of other things': [list('venues', '[1]'), /list_json venues: expected venues only, found 1 at 0/],
  'a venue without a name': [
    run(`update list_json set body = replace(body, '"name"', '"nome"') where name = 'venues'`),
    /list_json venues: expected venues only, found /,
  ],
  'a category that is its own parent': [
    run(`update list_json set body = replace(body, '"parent":-1', '"parent":0') where name = 'categories'`),
    /list_json categories: expected a parent before each child/,
  ],

  'an event that is not there': [
    column('event', 3, 40),
    /column_blob event: expected 0 to 39, found 40 at 3/,
  ],
  'a venue that is not there': [column('venue', 0, 1), /column_blob venue: expected -1 to 0, found 1 at 0/],
  'a list that ends before it begins': [
    column('tagsAt', 5, 0),
    /column_blob tagsAt: expected numbers that ascend, found 0 at 5/,
  ],
  'a list that ends beyond everything': [
    column('organizersAt', 5, 2 ** 30),
    /column_blob organizersAt: expected numbers that ascend/,
  ],
  'occurrences that follow each other in a circle': [
    column('next', 43, 3),
    /column_blob next: expected a later row or -1, found 3 at 43/,
  ],
  'an occurrence that follows one of another event': [
    column('next', 3, 44),
    /row 43: expected columns that agree with each other/,
  ],
  'an occurrence that is over before it ends': [
    column('over', 43, 1),
    /row 43: expected columns that agree with each other/,
  ],
  'a moment that is none': [
    column('start', 2, Number.NEGATIVE_INFINITY),
    /column_blob start: expected numbers that ascend, found -Infinity at 2/,
  ],
  'an end that no date can be written of': [
    column('end', 2, 2 ** 38),
    /column_blob end: expected an instant, found 274877906944 at 2/,
  ],
  'a moment without an end': [
    column('over', 2, Number.NEGATIVE_INFINITY),
    /column_blob over: expected an instant, found -Infinity at 2/,
  ],
  'a moment out of order': [column('start', 2, 0), /column_blob start: expected numbers that ascend/],
  'a moment beyond all years': [
    column('moments', 0, 2 ** 52),
    /column_blob moments: expected numbers that ascend/,
  ],
  'a ticket address that is not there': [
    column('ticketsURL', 7, 1),
    /event 7: expected ticketsURL of an occurrence/,
  ],
  'prices that are not there': [column('prices', 7, 9), /event 7: expected prices of an occurrence/],

  'entries that end beyond the text': [
    part('words.ends', 'ffffffff'),
    /search_part words\.\S+: expected numbers that ascend to \d+, found/,
  ],
  'lists without an end': [
    part('words.events.ends', 'ffffffff'),
    /search_part words\.\S+: expected numbers that ascend to \d+, found/,
  ],
  'trigrams out of order': [
    part('words.trigrams', 'ffffff00'),
    /search_part words\.\S+: expected numbers that ascend to \d+, found/,
  ],
  'lengths beyond the entries': [
    part('parts.lengths', 'ffffff7f'),
    /search_part parts\.lengths: expected numbers that ascend to \d+, found/,
  ],
  'a part of search that is not there': [
    run(`delete from search_part where name = 'words.text'`),
    /search_part words\.text: expected to be there/,
  ],
  // 80: the first number that stands for no event of 40.
  'a posting list of an event that is not there': [
    shortest(`x'50'`),
    /search_part search_short \d+: expected numbers below 80, found 80/,
  ],
  'a posting list that ends in the middle of a number': [
    shortest(`x'0180'`),
    /search_short \d+: expected whole numbers, found half of one at 1/,
  ],
  'an entry that is in an event that is not there': [
    // The last list's first distance: further than all events.
    run(`update search_part set bytes = cast(substr(bytes, 1, length(bytes) - 1) || x'7f' as blob)
      where name = 'words.events.bytes'`),
    /words\.events: expected numbers below 80/,
  ],
  'a set of another encoding': [
    run(`update search_short set encoding = 'all' where key = (select min(key) from search_short)`),
    /expected rows .*"wrongSets":0.*, found .*"wrongSets":1/,
  ],
  'a set of half a word': [
    run(
      `update search_short set encoding = 'bits', events = x'00' where key = (select min(key) from search_short)`,
    ),
    /expected rows .*"wrongSets":0.*, found .*"wrongSets":1/,
  ],

  'a text that is no JSON': [
    body(`replace(body, '["MUSIC"]', '[MUSIC]')`),
    /event 7: expected categories as JSON of its kind, found \[MUSIC\]/,
  ],
  'a text that ends its answer': [
    body(`replace(body, '["MUSIC"]', '["MUSIC"]},"errors":[{"message":"x"}')`),
    /event 7: expected categories as JSON/,
  ],
  'two values in place of one': [
    body(`replace(body, '["MUSIC"]', '["MUSIC"],[]')`),
    /event 7: expected categories as JSON/,
  ],
  'an object in place of a text': [
    run(`update event set tags = '[{"a":1}]' where ordinal = 7`),
    /event 7: expected tags/,
  ],
  'a text five million levels deep': [
    body(`replace(body, '["MUSIC"]', replace(hex(zeroblob(2500000)), '00', '[['))`),
    /event 7: expected categories as JSON of its kind/,
  ],
  'a list where there is a number': [
    run(`update event set images = replace(images, '1600', '[1600]') where ordinal = 7`),
    /event 7: expected an image's width/,
  ],
  'a field more': [
    body(`body || char(10) || '1'`),
    /event 7: expected fields as JSON of its kind, found \d+ lines/,
  ],
  'a field less': [body(`replace(body, char(10) || 'false', '')`), /event 7: expected fields/],
  'a raw control character': [
    body(`replace(body, 'MUSIC', 'MUS' || char(1))`),
    /event 7: expected categories/,
  ],
  'a line break among tags': [
    run(`update event set tags = '[' || char(10) || ']' where ordinal = 7`),
    /event 7: expected fields/,
  ],
  'bytes in place of a title': [
    run(`update event set title_nb = x'41' where ordinal = 7`),
    /JSON cannot hold BLOB values/,
  ],
  'an event of 300 MB': [
    body(`'"' || hex(zeroblob(134217720)) || '"'`),
    /expected pages of 268435456 bytes at most, found|too big/,
  ],
  'an event less': [
    run('delete from event where ordinal = 7'),
    /expected rows .*"events":40.*, found .*"events":39/,
  ],
  'an event under a number that none has': [
    run('update event set ordinal = -7 where ordinal = 7'),
    /expected rows .*"events":40.*, found .*"events":39/,
  ],
  'a report that is no JSON': [
    run(`update meta set value = '{' where key = 'report'`),
    /meta\.report: expected JSON/,
  ],
};

/** References (`helpers/usage.ts`) for a file of some hundred KB, however it was spoiled. */
const MOST = 1_000;

for (const [what, [deed, finding]] of Object.entries(DEEDS)) {
  hostile(`H7: MUST NOT take a file with ${what}`, async () => {
    const path = join(temporaryFolder(), 'copy.sqlite');
    copyFileSync(join(folder, good.file), path);
    await deed(path);
    const work = () => rejects(verifyStranger(path, {}), 'SNAPSHOT_UNUSABLE', finding);
    await costsAtMost(MOST, work, { everyThread: true });
  });
}

hostile('H7: should take a good file', async () => {
  const { file, bytes, sha256, builtAt, counts, licence } = good;
  const { signal } = new AbortController();
  const found = await verifyApart(join(folder, file), good, { script: STRANGER, signal });
  assert.equal(found, { bytes, sha256, builtAt, counts, licence });
});

hostile('H7: should read texts that are not UTF-8 as something that is', async () => {
  const path = join(temporaryFolder(), 'copy.sqlite');
  copyFileSync(join(folder, good.file), path);
  await body(`cast(replace(body, 'title', 'title') as text)`)(path);
  await run(
    `update event set body = cast(cast(replace(body, 'Pr', 'XX') as blob) as text) where ordinal = 7`,
  )(path);
  const bytes = readFileSync(path);
  for (let at = bytes.indexOf('XX'); at !== -1; at = bytes.indexOf('XX', at + 1))
    bytes.fill(0xff, at, at + 2);
  writeFileSync(path, bytes);
  await verifyStranger(path, {});
});

hostile('H7: MUST end a check that does not end, and say so', async () => {
  const { signal } = new AbortController();
  const path = endlessFile();
  const endless = verifyApart(path, {}, { script: STRANGER, signal, timeoutMs: 1_500 });
  await rejects(endless, 'SNAPSHOT_UNUSABLE', /endless\.sqlite: .*found no end of it after 1\.5 s/);
});

hostile('H4: MUST end a check at once when the program stops', async () => {
  const stopping = new AbortController();
  const checking = verifyApart(endlessFile(), {}, { script: STRANGER, signal: stopping.signal });
  setTimeout(() => stopping.abort(), 500);
  await rejects(checking, 'SNAPSHOT_UNUSABLE', /found a program that stops/);
  const late = verifyApart(join(folder, good.file), good, { script: STRANGER, signal: stopping.signal });
  await rejects(late, 'SNAPSHOT_UNUSABLE', /found a program that stops/);
});

hostile('H4: MUST leave no check behind when the program is killed', async () => {
  const program = startProgram({ script: fixtureOf('verify'), args: [endlessFile()] });
  await until('the check has begun', () => childrenOf(program.pid, 'pull/child').length === 1);
  const [child] = childrenOf(program.pid, 'pull/child');
  program.kill('SIGKILL');
  await program.ended;
  await until('the check has ended', () => isGone(child ?? -1));
});

hostile('H4: MUST leave no check behind when the program is killed before the check has begun', async () => {
  const child = spawn(process.execPath, [scriptOf('jobs/annexes/pull/child')], {
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  child.disconnect();
  child.stdin?.end(JSON.stringify({ path: endlessFile(), expected: {} }));
  try {
    await until('the check has ended', () => child.signalCode !== null);
  } finally {
    child.kill('SIGKILL');
  }
});

function endlessFile(): string {
  const path = join(temporaryFolder(), 'endless.sqlite');
  makeEndless(path);
  return path;
}

function run(sql: string): Deed {
  return async (path) => {
    const writer = await openWriter(path);
    // Nobody needs these on the disk.
    await writer.exec(`pragma synchronous = off; pragma journal_mode = memory; begin; ${sql}; commit`);
    await writer.close();
  };
}

hostile.run();
