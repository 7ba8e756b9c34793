/** H14, damage while it is served: what a server answers whose file a disk spoils. */
import { closeSync, copyFileSync, futimesSync, openSync, statSync, utimesSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Manifest } from '../../src/snapshot/folder.ts';
import { NOW } from '../helpers/calendar.ts';
import type { Got } from '../helpers/client.ts';
import { publishCalendar, temporaryFolder } from '../helpers/folder.ts';
import { seeded } from '../helpers/random-operations.ts';
import { type Running, startServer } from '../helpers/running.ts';

const test = suite<{ running: Running[] }>('damage', { running: [] });

test.after.each(async ({ running }) => {
  for (const server of running.splice(0)) await server.close();
});

/** More than SQLite caches of a file. */
const EVENTS = 4_000;
/** As many of them are asked for. */
const ASKED = 200;
/** Overwritten bytes. */
const PLACES = 6_000;

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

async function published(folder: string, name: string, builtAt: number): Promise<Manifest> {
  const manifest = await publishCalendar(folder, { name, builtAt, events: EVENTS });
  utimesSync(join(folder, manifest.file), 0, 0);
  return manifest;
}

async function serve({ running }: { running: Running[] }, snapshots: string): Promise<Running> {
  const mask = () => 'an-id';
  const server = await startServer({ snapshots, clock: () => NOW * 1_000, bodyCacheBytes: 1, mask });
  running.push(server);
  return server;
}

const FIELDS =
  '{ id event_slug eventLink title_nb desc_nb images { urlLarge } prices { type price } created_at }';

/** Pages of five, and single events in each way that finds one. */
const QUESTIONS = [
  ...Array.from(
    { length: ASKED / 5 },
    (_, page) => `{ events(page: ${page}, pageSize: 5) { data ${FIELDS} } }`,
  ),
  ...Array.from({ length: ASKED / 4 }, (_, event) => `event-${String(4 * event).padStart(6, '0')}`).flatMap(
    (id) => [
      `{ eventByID(eventID: "${id}") ${FIELDS} }`,
      `{ eventBySlug(eventSlug: "slug-${id}") ${FIELDS} }`,
      `{ eventByTitle(title: "Prøve på ${id}", lan: "nb") ${FIELDS} }`,
      `{ eventsBySlugs(eventsSlugs: ["none", "slug-${id}"]) ${FIELDS} }`,
    ],
  ),
];

/** The answers that are not like those of the good server; counts by status. */
async function compare(server: Running, right: ReadonlyMap<string, string>) {
  const statuses = new Map<number, number>();
  const wrong: string[] = [];
  for (const [question, answer] of right) {
    const { status, text } = await server.post(question);
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status === 200 ? text !== answer : !isRefusal({ status, text })) wrong.push(`${question}: ${text}`);
  }
  return { statuses, wrong: wrong.slice(0, 3) };
}

/** D1, statuses. */
function isRefusal({ status, text }: Pick<Got, 'status' | 'text'>): boolean {
  const { data, errors } = JSON.parse(text);
  return status === 503 && data === undefined && errors[0].extensions.code === 'SERVICE_UNAVAILABLE';
}

async function concernsOf(server: Running): Promise<readonly string[]> {
  const { concerns } = JSON.parse((await server.send('/status?format=json')).text);
  return concerns.map(({ name }: { readonly name: string }) => name);
}

async function answersOf(server: Running): Promise<ReadonlyMap<string, string>> {
  const right = new Map<string, string>();
  for (const question of QUESTIONS) right.set(question, (await server.post(question)).text);
  return right;
}

test('H14: should answer nothing wrong out of a file that is spoilt, and go over to a good one', async (context) => {
  const [folder, copy] = [temporaryFolder(), temporaryFolder()];
  const older = await published(folder, 'Prøve', NOW - 60);
  const { file } = await published(folder, 'Prøve', NOW);
  for (const name of ['manifest.json', file]) copyFileSync(join(folder, name), join(copy, name));
  const right = await answersOf(await serve(context, copy));
  const server = await serve(context, folder);
  spoil(join(folder, file), PLACES);
  const { statuses, wrong } = await compare(server, right);
  assert.equal(wrong, []);
  assert.ok((statuses.get(503) ?? 0) > 0);
  await server.keeper.check();
  assert.is(server.keeper.state().current?.id, older.id);
  assert.equal(await compare(server, right), { statuses: new Map([[200, QUESTIONS.length]]), wrong: [] });
  assert.is((await server.send('/readyz')).status, 200);
  assert.equal(await concernsOf(server), ['snapshot damaged']);

  spoil(join(folder, older.file), PLACES);
  // Those that are cached are right, and go on.
  assert.equal((await compare(server, right)).wrong, []);
  assert.is((await server.post('{ events(page: 30, pageSize: 100) { data { desc_nb } } }')).status, 503);
  await server.keeper.check();
  assert.is((await server.send('/readyz')).status, 503);
  assert.match((await server.send('/readyz')).text, 'found damaged while it was served');
  assert.equal(await concernsOf(server), ['no snapshot', 'snapshot damaged']);
  assert.equal((await compare(server, right)).statuses, new Map([[503, QUESTIONS.length]]));
});

test.run();
