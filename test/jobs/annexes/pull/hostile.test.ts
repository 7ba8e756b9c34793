/** H7: snapshot files that a stranger has changed, with the right name and SHA-256. */
import { spawn } from 'node:child_process';
import { appendFileSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Manifest } from '../../../../src/snapshot/manifest.ts';
import { openWriter } from '../../../../src/snapshot/sqlite.ts';
import { verifyFile } from '../../../../src/snapshot/verify.ts';
import { verifyApart } from '../../../../src/snapshot/verify-apart.ts';
import { costsAtMost } from '../../../helpers/cost.ts';
import { makeEndless } from '../../../helpers/damaged-snapshots.ts';
import { rejects } from '../../../helpers/errors.ts';
import { publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { childrenOf, fixtureOf, isGone, scriptOf, startProgram } from '../../../helpers/program.ts';
import { until } from '../../../helpers/until.ts';

const hostile = suite('hostile files');
const folder = temporaryFolder();
let good: Manifest;

hostile.before(async () => {
  good = await publishCalendar(folder, { events: 40 });
});

type Change = (path: string) => void | Promise<void>;

const ENDLESS = 'with recursive n (i) as (select 1 union all select i + 1 from n)';

/** Puts something else in place of a table, of the same name. */
const inPlaceOf = (table: string, sql: string) => run(`drop table ${table}; ${sql}`);

/** Changes the text of the schema, which SQLite would refuse as it stands. */
const rewrite = (name: string, from: string, to: string) =>
  run(`pragma writable_schema = on;
    update sqlite_schema set sql = replace(sql, '${from}', '${to}') where name = '${name}'`);

const byte = (at: number, value: number): Change => {
  return (path) => {
    const bytes = readFileSync(path);
    bytes[at] = value;
    writeFileSync(path, bytes);
  };
};

interface HostileChange {
  readonly change: Change;
  readonly finding: RegExp;
}

/** Changes to a copy of a good file, each with the message that it must cause. */
const CHANGES: Readonly<Record<string, HostileChange>> = {
  'an endless view in place of meta': {
    change: inPlaceOf('meta', `create view meta as ${ENDLESS} select i as key, i as value from n`),
    finding: /expected the format's tables and indexes, found view "meta" of "meta"$/,
  },
  'a trigger': {
    change: run('create trigger t after insert on event begin delete from event; end'),
    finding: /found trigger "t" of "event"/,
  },
  'a virtual table': {
    change: run('create virtual table v using fts5 (x)'),
    finding: /found table "v" of "v"/,
  },
  'a virtual table in place of a table': {
    change: inPlaceOf('list_json', 'create virtual table list_json using fts5 (name, body)'),
    finding: /found table "list_json" of "list_json"/,
  },
  'a computed column': {
    change: inPlaceOf(
      'list_json',
      'create table list_json (name text primary key, body text as (hex(zeroblob(100000000)))) without rowid',
    ),
    finding: /found table "list_json" of "list_json"/,
  },
  'an additional column': {
    change: run('alter table build add column more text'),
    finding: /found table "build"/,
  },
  'a check': {
    change: rewrite('meta', 'value text not null', 'value text check (1)'),
    finding: /found table "meta"/,
  },
  'an index on a computed value': {
    change: run('create index i on event (abs(ordinal))'),
    finding: /found index "i" of "event"/,
  },
  'a missing table': {
    change: run('drop table history'),
    finding: /expected table "history" of "history", found none/,
  },
  'a missing index': {
    change: rewrite('sequence', 'text primary key', 'text not null'),
    finding: /malformed database schema|found table "sequence"/,
  },
  statistics: { change: run('analyze'), finding: /found table "sqlite_stat1"/ },
  'a schema that is not SQL': {
    change: rewrite('meta', 'CREATE TABLE', 'CREAT TABL'),
    finding: /malformed database schema/i,
  },
  'ten thousand tables': {
    change: run(`pragma writable_schema = on; insert into sqlite_schema
      with recursive n (i) as (select 0 union all select i + 1 from n limit 10000)
      select 'table', 't' || i, 't' || i, (select rootpage from sqlite_schema where name = 'build'), 'CREATE TABLE t' || i || ' (x)' from n`),
    finding: /found table "t0"/,
  },
  'a table that is listed twice': {
    change: run(`pragma writable_schema = on; insert into sqlite_schema
      select * from sqlite_schema where name = 'build'`),
    finding: /malformed database schema/i,
  },
  'a journal': { change: byte(18, 2), finding: /expected journal 257, found 513/ },
  'another encoding': { change: byte(59, 2), finding: /expected encoding 1, found 2/ },
  'another page size': { change: byte(16, 0x20), finding: /expected page size 16384, found 8192/ },
  'more pages than there are': { change: byte(28, 0x7f), finding: /expected bytes \d{13,}, found \d+/ },
  'a byte after its last page': {
    change: (path) => appendFileSync(path, 'x'),
    finding: /expected bytes \d+, found \d+/,
  },
  'a page in two places': {
    change: run(`pragma writable_schema = on; update sqlite_schema set rootpage =
      (select rootpage from sqlite_schema where name = 'merged') where name = 'slug'`),
    finding: /expected/,
  },

  'counts beyond all numbers': {
    change: run(`update meta set value = replace(value, ':40', ':9007199254740991') where key = 'counts'`),
    finding: /expected events 9007199254740991, found 40/,
  },
  'counts that are not numbers': {
    change: run(`update meta set value = '{"events":"many"}' where key = 'counts'`),
    finding: /meta\.counts: expected whole numbers/,
  },
  'an unreadable moment of its build': {
    change: run(`update meta set value = 'soon' where key = 'builtAt'`),
    finding: /meta\.builtAt: expected an ISO 8601 moment/,
  },
  'feeds a million levels deep': {
    change: run(`update meta set value = replace(hex(zeroblob(500000)), '00', '[[') where key = 'feeds'`),
    finding: /meta\.feeds: expected JSON/,
  },
};

/** References (`helpers/usage.ts`) for a file of some hundred KB. */
const MOST = 1_000;

for (const [what, { change, finding }] of Object.entries(CHANGES)) {
  hostile(`H7: should refuse a file with ${what}`, async () => {
    const path = join(temporaryFolder(), 'copy.sqlite');
    copyFileSync(join(folder, good.file), path);
    await change(path);
    const work = () => rejects(verifyFile(path, {}, { isThorough: true }), 'SNAPSHOT_UNUSABLE', finding);
    await costsAtMost(MOST, work, { everyThread: true });
  });
}

hostile('H7: should accept a good file', async () => {
  const { file, bytes, sha256, builtAt, counts, licence } = good;
  const { signal } = new AbortController();
  const found = await verifyApart(join(folder, file), good, { isThorough: true, signal });
  assert.equal(found, { bytes, sha256, builtAt, counts, licence });
});

hostile('H7: should stop a check after its time limit, and report it', async () => {
  const { signal } = new AbortController();
  const path = endlessFile();
  const endless = verifyApart(path, {}, { signal, timeoutMs: 500 });
  // Its clock is still there when garbage is collected.
  setFlagsFromString('--expose-gc');
  const collecting = setInterval(runInNewContext('gc'), 100);
  await rejects(
    endless,
    'SNAPSHOT_UNUSABLE',
    /endless\.sqlite: .*found its process still running after 0\.5 s/,
  );
  clearInterval(collecting);
});

hostile('H4: should stop a check at once when the program stops', async () => {
  const stopping = new AbortController();
  const checking = verifyApart(endlessFile(), {}, { signal: stopping.signal });
  setTimeout(() => stopping.abort(), 500);
  await rejects(checking, 'SNAPSHOT_UNUSABLE', /found this program stopping/);
  const late = verifyApart(join(folder, good.file), good, { signal: stopping.signal });
  await rejects(late, 'SNAPSHOT_UNUSABLE', /found this program stopping/);
});

hostile('H4: should end a check when the program is killed', async () => {
  const program = startProgram({ script: fixtureOf('verify'), args: [endlessFile()] });
  await until('the check has begun', () => childrenOf(program.pid, 'snapshot/verify-child').length === 1);
  const [child] = childrenOf(program.pid, 'snapshot/verify-child');
  program.kill('SIGKILL');
  await program.ended;
  await until('the check has ended', () => isGone(child ?? -1));
});

hostile('H4: should end a check when the program is killed before the check has begun', async () => {
  const child = spawn(process.execPath, [scriptOf('src/snapshot/verify-child')], {
    stdio: ['pipe', 'ignore', 'ignore', 'ipc'],
  });
  child.disconnect();
  child.stdin?.end(JSON.stringify([endlessFile(), {}, {}]));
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

function run(sql: string): Change {
  return async (path) => {
    const writer = await openWriter(path);
    // Nobody needs these on the disk.
    await writer.exec(`pragma synchronous = off; pragma journal_mode = memory; begin; ${sql}; commit`);
    await writer.close();
  };
}

hostile.run();
