/** H14: a server whose file is damaged by the disk while it is served. */
import {
  closeSync,
  copyFileSync,
  cpSync,
  futimesSync,
  openSync,
  statSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MANIFEST } from '../../../src/snapshot/files.ts';
import type { Manifest } from '../../../src/snapshot/manifest.ts';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { hasAnnex } from '../../helpers/annex.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { built, events, invalidEvents } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { LICENCE, sourceFolder } from '../../helpers/native-source.ts';
import { seeded } from '../../helpers/random.ts';
import { type Running, startServer } from '../../helpers/running.ts';

interface Context {
  readonly running: Running[];
  /** Two builds of one calendar, for copies. */
  readonly built: { readonly folder: string; readonly older: Manifest; readonly newest: Manifest };
}

const test = suite<Context>('damage');

test.before(async (context) => {
  const folder = temporaryFolder();
  const older = await publishCalendar(folder, { builtAt: NOW - 60, events: EVENTS });
  const newest = await publishCalendar(folder, { builtAt: NOW, events: EVENTS });
  Object.assign(context, { running: [], built: { folder, older, newest } });
});
test.after.each(async ({ running }) => {
  for (const server of running.splice(0)) await server.close();
});

/** More than SQLite caches of a file. */
const EVENTS = 2_500;
/** So many questions are asked. */
const ASKED = 120;
/** Overwritten bytes. */
const PLACES = 6_000;
const SITE = 'http://localhost:4000';

/** Overwrites bytes here and there, in place, and leaves the file's times as they were. */
function spoil(path: string, places: number): void {
  const random = seeded(46);
  const file = openSync(path, 'r+');
  const { size } = statSync(path);
  for (let place = 0; place < places; place++)
    writeSync(file, Buffer.from([97 + random(26)]), 0, 1, 100 + random(size - 100));
  futimesSync(file, 0, 0);
  closeSync(file);
}

/** A copy of a snapshot folder with these files alone, whose times `spoil` leaves as they are. */
function copyOf(folder: string, files: readonly string[]): string {
  const copy = temporaryFolder();
  for (const name of [MANIFEST, ...files]) {
    copyFileSync(join(folder, name), join(copy, name));
    utimesSync(join(copy, name), 0, 0);
  }
  return copy;
}

async function serve({ running }: Pick<Context, 'running'>, snapshots: string): Promise<Running> {
  const mask = () => 'an-id';
  const context = { settings: { publicUrl: new URL(SITE) } };
  const server = await startServer({ snapshots, clock: () => NOW * 1_000, bodyCacheBytes: 1, mask, context });
  running.push(server);
  return server;
}

const FIELDS =
  '{ id event_slug eventLink title_nb desc_nb images { urlLarge } prices { type price } created_at }';

/** Pages of four, and single events in each way that finds one. */
const QUESTIONS = Array.from({ length: ASKED / 4 }, (_, nth) => {
  const id = `event-${String(4 * nth).padStart(6, '0')}`;
  return [
    `{ events(page: ${nth}, pageSize: 4) { data ${FIELDS} } }`,
    `{ eventByID(eventID: "${id}") ${FIELDS} }`,
    `{ eventBySlug(eventSlug: "slug-${id}") ${FIELDS} }`,
    `{ eventByTitle(title: "Prøve på ${id}", lan: "nb") ${FIELDS} }`,
    `{ eventsBySlugs(eventsSlugs: ["none", "slug-${id}"]) ${FIELDS} }`,
  ];
}).flat();

/** The answers that are not like those of the good server; counts by status. */
async function compare(server: Running, right: ReadonlyMap<string, string>) {
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  for (const [question, answer] of right) {
    const { status, text } = await server.post(question);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    const isRight = status === 503 ? /^\{"errors":.*"SERVICE_UNAVAILABLE"/.test(text) : text === answer;
    if (!isRight) wrong.push(`${question}: ${text}`);
  }
  return { statuses, wrong: wrong.slice(0, 3) };
}

/** The concerns on `/status`, if the server has it. */
async function assertConcerns(server: Running, expected: readonly string[]): Promise<void> {
  if (!hasAnnex('operator')) return;
  const { concerns } = JSON.parse((await server.send('/status?format=json')).text);
  assert.equal(
    concerns.map(({ name }: { readonly name: string }) => name),
    expected,
  );
}

async function answersOf(server: Running): Promise<ReadonlyMap<string, string>> {
  const right = new Map<string, string>();
  for (const question of QUESTIONS) right.set(question, (await server.post(question)).text);
  return right;
}

test('H14: should answer nothing wrong out of a file that is spoilt, and go over to a good one', async (context) => {
  const { older, newest } = context.built;
  const { file } = newest;
  const folder = copyOf(context.built.folder, [older.file, file]);
  const right = await answersOf(await serve(context, copyOf(folder, [file])));
  const server = await serve(context, folder);
  spoil(join(folder, file), PLACES);
  const { statuses, wrong } = await compare(server, right);
  assert.equal(wrong, []);
  assertAbove(statuses.get(503) ?? 0, 0, 'replies with 503');
  await server.keeper.check();
  assert.is(server.keeper.state().current?.id, older.id);
  assert.equal(await compare(server, right), { statuses: new Map([[200, QUESTIONS.length]]), wrong: [] });
  assert.is((await server.send('/readyz')).status, 200);
  await assertConcerns(server, ['snapshot damaged']);
});

test('H14: should serve nothing but cached answers once its only snapshot is spoilt', async (context) => {
  const { file } = context.built.newest;
  const folder = copyOf(context.built.folder, [file]);
  const server = await serve(context, folder);
  const right = await answersOf(server);
  spoil(join(folder, file), PLACES);
  // Cached answers are right, and go on.
  assert.equal((await compare(server, right)).wrong, []);
  assert.is((await server.post('{ events(page: 20, pageSize: 100) { data { desc_nb } } }')).status, 503);
  await server.keeper.check();
  assert.is((await server.send('/readyz')).status, 503);
  assert.match((await server.send('/readyz')).text, 'found damaged while it was served');
  await assertConcerns(server, ['no snapshot', 'snapshot damaged']);
  assert.equal((await compare(server, right)).statuses, new Map([[503, QUESTIONS.length]]));
  // What was refused later is the first reason, and hides none.
  writeFileSync(join(folder, MANIFEST), 'half of it');
  await server.keeper.check();
  const { lastRefusal } = JSON.parse((await server.send('/readyz')).text);
  assert.match(
    lastRefusal.reason,
    /^manifest\.json: expected JSON.*; calendar-\w+\.sqlite: found damaged while/,
  );
  await assertConcerns(server, ['no snapshot', 'snapshot damaged', 'delivery refused']);
});

const HOUR = 3_600;

interface RareCase {
  readonly address: string;
  readonly statement: string;
}

/**
 * What is asked of rows that no list and no event shows, and SQL that spoils them: those on the pages of `meta` at their full length, because
 * SQLite has the first page of a text in memory.
 */
const RARE: readonly RareCase[] = [
  { address: '/changes.json?since=ID', statement: 'update build set built_at = 0' },
  { address: '/changes.json?since=ID', statement: 'update build set id = null' },
  { address: '/changes.json?since=ID', statement: 'update history set changed = 0' },
  {
    address: '/changes.json?since=ID',
    statement: "update event set id = 'f' || ordinal",
  },
  { address: '/sitemap.xml', statement: "update event set link = 'x' || link" },
  {
    address: '/sitemap.xml',
    statement: 'update event set ordinal = ordinal + 1000 where ordinal = 1',
  },
  {
    address: '/events/hendelse-1.html',
    statement: "update event set id = 'f' || ordinal",
  },
  {
    address: '/status?format=json',
    statement: "update meta set value = replace(value, '\"', '!') where key = 'report'",
  },
  {
    address: '/status?format=json',
    statement: "update meta set value = replace(value, 'e1', 'e2') where key = 'changes'",
  },
];

/** Two builds of a calendar of this site, of which the second lost an event and has other titles. */
async function builtTwice(): Promise<{ folder: string; first: string; file: string }> {
  const folder = temporaryFolder();
  const licence = { ...LICENCE, siteUrl: `${SITE}/events.html` };
  const sourceOfEvents = (some: readonly object[]) =>
    sourceFolder({ 'licence.json': licence, 'events.json': [...some, ...invalidEvents(100)] });
  const { id } = await built(sourceOfEvents(events(100)), folder, { now: NOW - HOUR, force: true });
  const later = events(100).map((event) => ({ ...event, title_nb: `Ny ${event.title_nb}` }));
  const { file } = await built(sourceOfEvents(later.slice(1)), folder, { force: true });
  return { folder, first: id, file };
}

test('H14: should answer nothing wrong out of rows that are rarely asked for', async (context) => {
  const { folder, first, file } = await builtTwice();
  const ask = (server: Running, address: string) => server.send(address.replace('ID', first));
  const good = await serve(context, folder);
  const addresses = RARE.filter(({ address }) => hasAnnex('operator') || !address.startsWith('/status'));
  for (const { address, statement } of addresses) {
    const copy = temporaryFolder();
    cpSync(folder, copy, { recursive: true });
    const server = await serve(context, copy);
    await spoilBy(statement, join(copy, file));
    assert.is((await ask(good, address)).status, 200, address);
    const { status, text } = await ask(server, address);
    if (address.startsWith('/status')) assert.is(JSON.parse(text).report, null, statement);
    else assert.is(status, 503, `${statement}: ${text}`);
    await server.keeper.check();
    assert.is(server.keeper.state().current?.id, first, statement);
  }
});

test('H14, A17: should tell an event that is over from one that never existed, also with a damaged table', async (context) => {
  const { folder, file } = await builtTwice();
  const server = await serve(context, folder);
  await spoilBy('delete from slug', join(folder, file));
  assert.is((await server.send('/events/hendelse-0.html')).status, 410);
  assert.is((await server.send('/events/hendelse-1000.html')).status, 404);
});

async function spoilBy(statement: string, path: string): Promise<void> {
  const writer = await openWriter(path);
  await writer.exec(statement);
  await writer.close();
}

test.run();
