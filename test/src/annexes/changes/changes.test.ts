/** I7, E: changes over HTTP, by the root field and by `/changes.json`. */
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

test.before(async (context) => {
  const snapshots = temporaryFolder();
  const sources = [
    [event('a'), event('b'), event('c'), event('f', { publishingDate: PUBLISHED })],
    [event('a', { title_nb: 'Ny' }), event('c'), event('d'), event('e', { publishingDate: PUBLISHED })],
  ];
  context.ids = [];
  for (const [place, events] of sources.entries()) {
    const source = sourceFolder({ 'events.json': events });
    context.ids.push((await built(source, snapshots, { now: NOW + place * DAY, force: true })).id);
  }
  context.time = { now: NOW + DAY };
  const clock = () => context.time.now * 1_000;
  context.server = await startServer({ snapshots, clock, parts: [create({ clock })] });
});
test.after(({ server }) => server.close());

async function ask({ server }: Context, since: string): Promise<unknown> {
  const query = `{ changes(since: ${JSON.stringify(since)}) { from to builtAt added changed removed } }`;
  return JSON.parse((await server.get(query)).text).data.changes;
}

const get = ({ server }: Context, search: string, sent: Sent = {}) =>
  server.send(`/changes.json${search}`, sent);

test('E, I7: should say what came, changed and went, alike in both places', async (context) => {
  const [first = '', second = ''] = context.ids;
  const expected = {
    from: first,
    to: second,
    builtAt: '2026-01-02 13:00:00+01:00',
    added: ['d'],
    changed: ['a'],
    removed: ['b'],
  };
  assert.equal(await ask(context, first), expected);
  const response = await get(context, `?since=${first}`);
  assert.is(response.status, 200);
  assert.is(response.headers['content-type'], 'application/json; charset=utf-8');
  assert.is(response.headers['access-control-allow-origin'], '*');
  assert.equal(JSON.parse(response.text), expected);
  const none = { added: [], changed: [], removed: [] };
  assert.equal(await ask(context, second), { ...expected, from: second, ...none });
});

test('A9, E: should add an event at the second of its publishing, also for clients of this snapshot', async (context) => {
  const [first = '', second = ''] = context.ids;
  const { now } = context.time;
  const addedAt = async (moment: number, since: string) => {
    context.time.now = moment;
    const { added, removed } = JSON.parse((await get(context, `?since=${since}`)).text);
    // f was withdrawn before its time, and has never been there.
    assert.equal(removed, since === first ? ['b'] : []);
    return added;
  };
  assert.equal(await addedAt(now + 6 * HOUR - 1, first), ['d']);
  assert.equal(await addedAt(now + 6 * HOUR, first), ['d', 'e']);
  assert.equal(await addedAt(now + 6 * HOUR - 1, second), []);
  assert.equal(await addedAt(now + 6 * HOUR, second), ['e']);
  context.time.now = now;
});

test('E7, I7: should be cacheable, and answer 304 to a client that has the answer', async (context) => {
  const [first] = context.ids;
  const response = await get(context, `?since=${first}`);
  const tag = response.headers.etag ?? '';
  assert.match(tag, /^"/);
  assert.is(response.headers['cache-control'], 'public, max-age=60');
  const again = await get(context, `?since=${first}`, { headers: { 'if-none-match': tag } });
  assert.is(again.status, 304);
  context.time.now += 6 * HOUR - 10;
  const soon = await get(context, `?since=${first}`);
  assert.is(soon.headers['cache-control'], 'public, max-age=10');
  context.time.now -= 6 * HOUR - 10;
});

test('E, I7: should be null, and 410, for a snapshot that is not known or too old', async (context) => {
  assert.is(await ask(context, 'ffffffffffffffff'), null);
  const [first = ''] = context.ids;
  for (const [since, days] of [
    ['ffffffffffffffff', 0],
    [first, 91],
  ] as const) {
    context.time.now += days * DAY;
    const response = await get(context, `?since=${since}`);
    context.time.now -= days * DAY;
    assert.is(response.status, 410);
    const { errors } = JSON.parse(response.text);
    assert.is(errors[0].extensions.code, 'GONE');
    assert.match(errors[0].message, /^Unknown or expired "since": .*Fetch all events again/);
  }
});

test('E: a file should forget builds of more than 90 days ago, and what came and went before', async () => {
  const target = temporaryFolder();
  const found: unknown[] = [];
  const dates = [{ start: '2027-05-17 20:00' }];
  for (const [place, ids] of [['a'], ['a', 'b'], ['a', 'c'], ['a', 'c', 'd']].entries()) {
    const source = sourceFolder({ 'events.json': ids.map((id) => event(id, { dates })) });
    await built(source, target, { now: NOW + place * 50 * DAY, force: true });
    found.push([
      ...(await snapshotRows(target, "select '' || number as text from build order by number")),
      ...(await snapshotRows(target, 'select id || build as text from history order by build, id')),
    ]);
  }
  assert.equal(found, [['1'], ['1', '2', 'b2'], ['2', '3', 'b3', 'c3'], ['3', '4', 'd4']]);
});

test('I7: should refuse unknown parameters, as feeds do', async (context) => {
  for (const [search, invalidArgs] of [
    ['', ['since']],
    ['?since=', ['since']],
    ['?since=a&since=b', ['since']],
    ['?since=a&colour=red', ['colour']],
  ] as const) {
    const response = await get(context, search);
    assert.is(response.status, 400, search);
    const { errors } = JSON.parse(response.text);
    assert.equal(
      [errors[0].message, errors[0].extensions.invalidArgs],
      ['Query Arguments invalid', invalidArgs],
    );
  }
  assert.is((await get(context, '', { method: 'POST' })).status, 405);
  assert.is((await get(context, `?since=${context.ids[0]}&key=abc`)).status, 200);
});

test.run();
