/** D2 (cost before work), D10 (size of answers): documents that stand for much, answers that are larger than anybody needs, and clients that do not read theirs. */
import { connect, type Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CalendarError } from '../../../src/calendar/errors.ts';
import { UNBOUNDED } from '../../../src/serve/admission/admission.ts';
import { createExecute } from '../../../src/serve/graphql/execute.ts';
import { MAX_ANSWER_BYTES } from '../../../src/serve/graphql/output.ts';
import { createExecuteRequest } from '../../../src/serve/graphql/request.ts';
import { schema } from '../../../src/serve/graphql/schema.ts';
import { openSnapshotFile } from '../../../src/snapshot/folder.ts';
import type { Snapshot } from '../../../src/snapshot/open.ts';
import { assertAtMost, assertBelow } from '../../helpers/assertions.ts';
import { built } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { times } from '../../helpers/random-operations.ts';
import { eventually, until } from '../../helpers/until.ts';
import { GOOD_KEY, type Stand, type StandOptions, startStand } from './http/stand.ts';
import { aliases, bomb } from './requests.ts';

const EVENTS = 1_000;
/** Characters of each description. */
const LONG = 5_000;

const SOURCE = {
  'events.ndjson': Array.from({ length: EVENTS }, (_, at) => ({
    id: `e${at}`,
    title_nb: `Hendelse ${at}`,
    title_en: 'æ'.repeat(100),
    desc_nb: 'x'.repeat(LONG),
    categories: ['MUSIC'],
    dates: [{ start: `2026-02-${String(1 + (at % 28)).padStart(2, '0')} 19:00`, duration: 90 }],
  })),
};

const page = (pageSize: number, fields: string) => `{events(pageSize:${pageSize}){data{${fields}}}}`;

interface Context {
  readonly stands: Stand[];
  readonly sockets: Socket[];
  readonly snapshot: Snapshot;
}

const test = suite<Context>('hostile answers');

test.before(async (context) => {
  const target = temporaryFolder();
  const { file } = await built(sourceFolder(SOURCE), target);
  Object.assign(context, { stands: [], sockets: [], snapshot: await openSnapshotFile(`${target}/${file}`) });
});
test.after.each(async ({ stands, sockets }) => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const stand of stands.splice(0)) await stand.close();
});
test.after(({ snapshot }) => snapshot.close());

async function standOf({ snapshot, stands }: Context, options: StandOptions = {}): Promise<Stand> {
  const stand = await startStand({ snapshot, startAt: NOW * 1_000, cacheBytes: 0, ...options });
  stands.push(stand);
  return stand;
}

const REFUSED = {
  errors: [
    {
      message: 'The response would be larger than 32 MiB: ask for fewer fields, or for a smaller page.',
      extensions: { code: 'QUERY_TOO_COMPLEX' },
    },
  ],
};

const TOO_LARGE = {
  'a page of long texts': [page(EVENTS, aliases(60, 'desc_nb')), {}],
  'by fragments': [
    `{events(pageSize:1000){data{...A}}} fragment A on Event{${aliases(60, 'desc_nb')}}`,
    { 'x-api-key': GOOD_KEY },
  ],
  'letters of two bytes, compressed': [page(1_000, aliases(190, 'title_en')), { 'accept-encoding': 'br' }],
} as const;

for (const [name, [query, headers]] of Object.entries(TOO_LARGE)) {
  test(`D10: should refuse an answer that is too large, and answer as before afterwards: ${name}`, async (context) => {
    const stand = await standOf(context);
    const { status, text } = await stand.post(query, {}, headers);
    assert.equal([status, JSON.parse(text), stand.logged], [400, REFUSED, []]);
    assert.is((await stand.post(page(3, 'id title_en'))).status, 200);
  });
}

test('D10: should refuse with the same words if there are other fields', async (context) => {
  const query = page(EVENTS, aliases(60, 'desc_nb')).slice(1);
  const stand = await standOf(context);
  for (const other of ['categories{id}', 'bad:eventByTitle(title:"x",lan:"zz"){id}'])
    assert.equal(JSON.parse((await stand.post(`{${other} ${query}`)).text), REFUSED, other);
  // One failed `events` leaves no data: the other fields are not written, and cannot be too large.
  const { text } = await stand.post(`{bad:events(page:-1){totalCount} venues{id} ${query}`);
  const { data, errors } = JSON.parse(text);
  assert.equal([data, errors[0].extensions.code], [null, 'BAD_USER_INPUT']);
});

test('C1: should write a facet’s entity that takes more than a slice', async (context) => {
  const key = (at: number) => `a${at}${'x'.repeat(110)}`;
  const stand = await standOf(context);
  const { text } = await stand.post(
    `{events{categories{id hits ${times(600, (at) => `${key(at)}:name_nb`)}}}}`,
  );
  const { id, hits, ...names } = JSON.parse(text).data.events.categories[0];
  assert.equal([id, hits, Object.keys(names).length, names[key(599)]], ['MUSIC', EVENTS, 600, names[key(0)]]);
});

test('D10: should send an answer just below the limit, and refuse one that the notice makes too large', async (context) => {
  const stand = await standOf(context);
  // 1,000 events: the length of an alias fills the rest up to the limit.
  const base = page(EVENTS, aliases(6, 'desc_nb'));
  const { bytes } = await stand.post(base);
  const missing = MAX_ANSWER_BYTES - bytes.length;
  const filler = (each: number) => page(EVENTS, `${aliases(6, 'desc_nb')} ${'b'.repeat(each - 8)}:mode`);
  const each = Math.floor(missing / EVENTS) - '"offline"'.length + 3;
  const sizes = [];
  for (const length of [each, each + 2, each + 4]) {
    const { status, headers, text, bytes } = await stand.post(filler(length));
    const keyed = await stand.post(filler(length), {}, { 'x-api-key': GOOD_KEY });
    assert.is(status, keyed.status);
    sizes.push(status);
    if (status === 400) assert.equal(JSON.parse(text), REFUSED);
    else {
      const { data, extensions } = JSON.parse(text);
      assert.is(Number(headers['content-length']), bytes.length);
      assert.equal([data.events.data.length, typeof extensions.notice], [EVENTS, 'string']);
      assertAtMost(bytes.length, MAX_ANSWER_BYTES, 'bytes');
    }
  }
  assert.equal([sizes[0], sizes.at(-1)], [200, 400]);
});

test('D10: should free the memory of refused answers', async (context) => {
  const stand = await standOf(context);
  const [query] = TOO_LARGE['a page of long texts'];
  await stand.post(query);
  const before = process.memoryUsage().arrayBuffers;
  // Each is refused at 32 MiB. Some may still wait for the next collection of garbage.
  for (let nth = 0; nth < 6; nth++) await stand.post(query);
  const more = process.memoryUsage().arrayBuffers - before;
  assertBelow(more, 3 * MAX_ANSWER_BYTES, 'bytes more');
});

/** A preparer of so many different documents, up to the moment at which data would be read. It gives the heap's growth in MB. */
function createPreparer({ snapshot }: Context) {
  const ready = new CalendarError('OVERLOADED', 'ready');
  const basis = { snapshot, now: NOW, work: { ...UNBOUNDED, reserve: () => Promise.reject(ready) } };
  const executeRequest = createExecuteRequest({ schema, execute: createExecute(String) });
  return async (count: number, query: (nth: number) => string): Promise<number> => {
    const before = heapUsed();
    for (let nth = 0; nth < count; nth++) {
      const parameters = { query: query(nth), variables: {}, operationName: undefined };
      // A document is cached when it comes again.
      for (const _time of ['new', 'known']) {
        const thrown = await executeRequest(parameters, () => basis).catch((cause: unknown) => cause);
        assert.is(thrown, ready);
      }
    }
    const megabytes = (heapUsed() - before) / 1_048_576;
    assert.ok(executeRequest, 'which holds what is kept, until here');
    return megabytes;
  };
}

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

test('D2: should bound the memory of documents and of their plans', async (context) => {
  // Each stands for 150,000 fields.
  const bombs = (nth: number) => bomb([13, 14, 14, 15], page(1, '...A')).replaceAll('d0', `n${nth}`);
  const stood = await createPreparer(context)(40, bombs);
  assertBelow(stood, 80, 'MB');
  const query = (nth: number) =>
    page(1, `${aliases(30, 'id').replaceAll('a', `f${nth}x`)} venue{v${nth}:id}`);
  const prepare = createPreparer(context);
  // So many fill the cache of 16 MB; each takes about 60 KB.
  await prepare(300, query);
  // As many more would take as much again.
  assertBelow(await prepare(300, (nth) => query(300 + nth)), 5, 'MB more than a full cache');
});

/** Sends a request and reads nothing. */
async function reader(context: Context, stand: Stand, query: string): Promise<Socket> {
  const socket = connect(stand.port, '127.0.0.1');
  context.sockets.push(socket);
  socket.on('error', () => undefined).pause();
  const body = JSON.stringify({ query });
  socket.write(
    `POST /graphQL HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
  const answered = stand.traffic.length;
  await until('it is answered', () => stand.traffic.length > answered);
  return socket;
}

/** About 15 MB. */
const big = (nth: number) => page(EVENTS, `n${nth}:id ${aliases(3, 'desc_nb')}`);

test('D10: should bound the bytes of all unread answers together, and cut the oldest first', async (context) => {
  const stand = await standOf(context, { outflowBytes: 50_000_000 });
  for (let nth = 0; nth < 6; nth++) await reader(context, stand, big(nth));
  // Each is cut in the turn in which the next one has its answer, and gone in the one after.
  await setImmediate();
  await setImmediate();
  assert.is(await stand.connections(), 3);
  assert.equal(stand.cut, ['slow', 'slow', 'slow']);
  // Somebody who reads gets all of it.
  const { status, headers, bytes } = await stand.post(big(7));
  assert.is(status, 200);
  assert.is(bytes.length, Number(headers['content-length']));
});

test('D10: should send an answer that is larger than what may wait, if nothing else does', async (context) => {
  const stand = await standOf(context, { outflowBytes: 1_000_000 });
  await reader(context, stand, big(0));
  const { headers, bytes } = await stand.post(big(1));
  assert.is(bytes.length, Number(headers['content-length']));
  await eventually('the one that nobody reads is cut', async () => (await stand.connections()) <= 1);
});

test('D10: should count an answer once that many wait for', async (context) => {
  const stand = await standOf(context, { outflowBytes: 50_000_000, cacheBytes: 100_000_000 });
  for (let nth = 0; nth < 8; nth++) await reader(context, stand, big(1));
  assert.is(await stand.connections(), 8);
  assert.equal(stand.cut, []);
});

for (const [code, status, shown] of [
  ['SNAPSHOT_UNUSABLE', 503, 'SERVICE_UNAVAILABLE'],
  ['BUILD_LOCKED', 200, 'INTERNAL_SERVER_ERROR'],
] as const) {
  // H14, damage while it is served: never half an answer.
  test(`D1, H14: should show clients no paths and statements: ${code}`, async (context) => {
    const words = '/secret/place/calendar-1.sqlite: select body from event';
    const thrown = new CalendarError(code, words);
    const ordinalById = () => {
      throw thrown;
    };
    const stand = await standOf(context, { snapshot: { ...context.snapshot, ordinalById } });
    const got = await stand.post('{eventByID(eventID:"e1"){id} venues{id}}');
    const { errors } = JSON.parse(got.text);
    assert.not.match(got.text, /secret|select|sqlite|\.ts/);
    assert.equal([got.status, errors.length, errors[0].extensions.code], [status, 1, shown]);
    assert.equal(stand.logged, [{ id: errors[0].extensions.id, err: thrown }]);
  });
}

test.run();
