/** I7, E: changes since a snapshot, by the root field `changes` and by `/changes.json`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { create } from '../../../../src/annexes/changes/changes.ts';
import { built } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import type { Sent } from '../../../helpers/client.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type Running, startServer } from '../../../helpers/running.ts';
import { snapshotRows } from '../../../helpers/snapshot-rows.ts';

const DAY = 86_400;
const HOUR = 3_600;

interface Context {
  server: Running;
  ids: string[];
  time: { now: number };
}

const test = suite<Context>('changes over HTTP');

const event = (id: string, more: object = {}) => ({
  id,
  title_nb: `Tittel ${id}`,
  dates: [{ start: '2026-06-01 20:00' }],
  ...more,
});
const PUBLISHED = new Date((NOW + DAY + 6 * HOUR) * 1_000).toISOString();

const FIRST_BUILD = [event('a'), event('b'), event('c'), event('f', { publishingDate: PUBLISHED })];
/** b is gone, a has another title, d is new. e is published in six hours; f was withdrawn before its time. */
const SECOND_BUILD = [
  event('a', { title_nb: 'Ny' }),
  event('c'),
  event('d'),
  event('e', { publishingDate: PUBLISHED }),
];

test.before(async (context) => {
  const snapshots = temporaryFolder();
  context.ids = [];
  for (const [place, events] of [FIRST_BUILD, SECOND_BUILD].entries()) {
    const source = sourceFolder({ 'events.json': events });
    context.ids.push((await built(source, snapshots, { now: NOW + place * DAY, force: true })).id);
  }
  context.time = { now: NOW + DAY };
  const clock = () => context.time.now * 1_000;
  context.server = await startServer({ snapshots, clock, parts: [create({ clock })] });
});
test.before.each(({ time }) => {
  time.now = NOW + DAY;
});
test.after(({ server }) => server.close());

async function ask({ server }: Context, since: string): Promise<unknown> {
  const query = `{ changes(since: ${JSON.stringify(since)}) { from to builtAt added changed removed } }`;
  return JSON.parse((await server.get(query)).text).data.changes;
}

const get = ({ server }: Context, search: string, sent: Sent = {}) =>
  server.send(`/changes.json${search}`, sent);

/** The changes from the first build to the second one. */
const changesOf = ([from, to]: readonly string[]) => ({
  from,
  to,
  builtAt: '2026-01-02 13:00:00+01:00',
  added: ['d'],
  changed: ['a'],
  removed: ['b'],
});

test('E7: should name added, changed and removed events by the root field', async (context) => {
  const [first = ''] = context.ids;
  assert.equal(await ask(context, first), changesOf(context.ids));
});

test('E7, I7: should name added, changed and removed events by /changes.json', async (context) => {
  const { status, headers, text } = await get(context, `?since=${context.ids[0]}`);
  assert.is(status, 200);
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.is(headers['access-control-allow-origin'], '*');
  assert.equal(JSON.parse(text), changesOf(context.ids));
});

test('E7, I7: should name no event since the newest snapshot', async (context) => {
  const [, newest = ''] = context.ids;
  const none = { added: [], changed: [], removed: [] };
  assert.equal(await ask(context, newest), { ...changesOf([newest, newest]), ...none });
});

/** Events that were added since the build at this place. */
async function addedSince(context: Context, place: number): Promise<readonly string[]> {
  return JSON.parse((await get(context, `?since=${context.ids[place]}`)).text).added;
}

test('A9, E: should add an event at the second of its publication', async (context) => {
  context.time.now += 6 * HOUR - 1;
  assert.equal(await addedSince(context, 0), ['d'], 'a second before');
  context.time.now += 1;
  assert.equal(await addedSince(context, 0), ['d', 'e']);
});

test('A9, E: should add a published event for clients of the same snapshot', async (context) => {
  context.time.now += 6 * HOUR - 1;
  assert.equal(await addedSince(context, 1), [], 'a second before');
  context.time.now += 1;
  assert.equal(await addedSince(context, 1), ['e']);
});

test('A9, E: should not remove an event that was withdrawn before its publication', async (context) => {
  context.time.now += 6 * HOUR;
  const { removed } = JSON.parse((await get(context, `?since=${context.ids[0]}`)).text);
  assert.equal(removed, ['b']);
});

test('E7, I7: should answer 304 to a client that has the answer', async (context) => {
  const path = `?since=${context.ids[0]}`;
  const { headers } = await get(context, path);
  assert.match(headers.etag ?? '', /^"/);
  const again = await get(context, path, { headers: { 'if-none-match': headers.etag ?? '' } });
  assert.is(again.status, 304);
});

test('E7, I7: should be fresh for a minute, and not beyond the next publication', async (context) => {
  const path = `?since=${context.ids[0]}`;
  assert.is((await get(context, path)).headers['cache-control'], 'public, max-age=60');
  context.time.now += 6 * HOUR - 10;
  assert.is((await get(context, path)).headers['cache-control'], 'public, max-age=10');
});

const UNKNOWN = 'ffffffffffffffff';

async function assertGone(context: Context, since: string): Promise<void> {
  const { status, text } = await get(context, `?since=${since}`);
  assert.is(status, 410);
  const [{ message, extensions }] = JSON.parse(text).errors;
  assert.is(extensions.code, 'GONE');
  assert.match(message, /^Unknown or expired "since": .*Fetch all events again/);
}

test('E7, I7: should be null for an unknown snapshot, by the root field', async (context) => {
  assert.is(await ask(context, UNKNOWN), null);
});

test('E7, I7: should be 410 for an unknown snapshot, by /changes.json', async (context) => {
  await assertGone(context, UNKNOWN);
});

test('E7, I7: should be 410 for a snapshot that is older than 90 days', async (context) => {
  context.time.now += 91 * DAY;
  await assertGone(context, `${context.ids[0]}`);
});

/** Four builds, each 50 days after the one before: their events, and what the snapshot then holds. */
const HISTORY = [
  { events: ['a'], builds: ['1'], changes: [] },
  { events: ['a', 'b'], builds: ['1', '2'], changes: ['b2'] },
  { events: ['a', 'c'], builds: ['2', '3'], changes: ['b3', 'c3'] },
  { events: ['a', 'c', 'd'], builds: ['3', '4'], changes: ['d4'] },
];

test('E7: a snapshot should hold the builds and changes of the last 90 days', async () => {
  const target = temporaryFolder();
  const dates = [{ start: '2027-05-17 20:00' }];
  for (const [place, { events, builds, changes }] of HISTORY.entries()) {
    const source = sourceFolder({ 'events.json': events.map((id) => event(id, { dates })) });
    await built(source, target, { now: NOW + place * 50 * DAY, force: true });
    const numbers = await snapshotRows(target, "select '' || number as text from build order by number");
    assert.equal(numbers, builds, `builds after build ${place + 1}`);
    const found = await snapshotRows(target, 'select id || build as text from history order by build, id');
    assert.equal(found, changes, `changes after build ${place + 1}`);
  }
});

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  '': ['since'],
  '?since=': ['since'],
  '?since=a&since=b': ['since'],
  '?since=a&colour=red': ['colour'],
};

for (const [search, invalidArgs] of Object.entries(REFUSED)) {
  test(`I7: should refuse ${invalidArgs} of /changes.json${search}`, async (context) => {
    const { status, text } = await get(context, search);
    assert.is(status, 400);
    const [{ message, extensions }] = JSON.parse(text).errors;
    assert.is(message, 'Query Arguments invalid');
    assert.equal(extensions.invalidArgs, invalidArgs);
  });
}

test('I7: should refuse a POST', async (context) => {
  assert.is((await get(context, '', { method: 'POST' })).status, 405);
});

test('I7: should accept a key', async (context) => {
  assert.is((await get(context, `?since=${context.ids[0]}&key=abc`)).status, 200);
});

test.run();
