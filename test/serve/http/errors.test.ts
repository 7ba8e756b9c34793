import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CalendarError } from '../../../src/calendar/errors.ts';
import { eventually } from '../../helpers/until.ts';
import { NOTICE, type Stand, startStand } from './stand.ts';

const errors = suite<{ stand: Stand }>('errors');

errors.before(async (context) => {
  context.stand = await startStand();
});

errors.after(({ stand }) => stand.close());

const EVERYWHERE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, RateLimit, RateLimit-Policy, Retry-After',
  'x-content-type-options': 'nosniff',
};
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const VARY_ENDPOINT = { vary: 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key' };
const REFUSED = { ...EVERYWHERE, ...JSON_TYPE, 'cache-control': 'no-store' };
const FROM_ENDPOINT = { ...REFUSED, ...VARY_ENDPOINT };

const error = (code: string, message: string) => ({ errors: [{ message, extensions: { code } }] });
const at = (column: number) => ({ locations: [{ line: 1, column }] });
errors('D1: should answer what did not fail, and log what did under the id it shows', async ({ stand }) => {
  const got = await stand.post('{ broken { id } snapshot }');
  assert.is(got.status, 200);
  assert.equal(got.headers, { ...FROM_ENDPOINT, 'content-length': `${got.bytes.length}` });
  assert.equal(JSON.parse(got.text), {
    data: { broken: null, snapshot: 'first' },
    errors: [
      {
        message: 'Internal server error',
        ...at(3),
        path: ['broken'],
        extensions: { code: 'INTERNAL_SERVER_ERROR', id: 'failure-1' },
      },
    ],
    extensions: { notice: NOTICE },
  });
  assert.match(String(stand.logged[0]?.err), 'no such table: event at /secret/place');
});

for (const type of [
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'application/graphql+json',
  'application/vnd.api+json; v=1',
]) {
  errors(`D1: should take ${type} for JSON`, async ({ stand }) => {
    const got = await stand.post('{ snapshot }', {}, { 'content-type': type });
    assert.equal(JSON.parse(got.text).data, { snapshot: 'first' });
  });
}

errors(
  'D1: should overlook a byte order mark, a null name, null variables and null extensions',
  async ({ stand }) => {
    const body = '\ufeff{"query":"{ snapshot }","operationName":null,"variables":null,"extensions":null}';
    const headers = { 'content-type': 'application/json' };
    const got = await stand.send('/graphQL', { method: 'POST', headers, body });
    assert.equal(JSON.parse(got.text).data, { snapshot: 'first' });
  },
);

errors('D1: should answer 500 with an id when the execution as a whole fails', async () => {
  const stand = await startStand({ execute: () => Promise.reject(new Error('cannot open /secret/place')) });
  const got = await stand.post('{ snapshot }');
  assert.is(got.status, 500);
  assert.equal(JSON.parse(got.text), {
    errors: [
      { message: 'Internal server error', extensions: { code: 'INTERNAL_SERVER_ERROR', id: 'failure-1' } },
    ],
  });
  assert.is(stand.pins(), 0, 'and the snapshot is let go');
  await stand.close();
});

errors('D1: should say of a statement that took too long only that it did', async () => {
  const stand = await startStand();
  const got = await stand.post('{ slow { id } }');
  assert.is(got.status, 200);
  assert.equal(got.headers, { ...FROM_ENDPOINT, 'content-length': `${got.bytes.length}` });
  assert.equal(JSON.parse(got.text), {
    data: null,
    errors: [
      {
        message: 'The calendar took too long to answer.',
        ...at(3),
        path: ['slow'],
        extensions: { code: 'TIMEOUT', id: 'failure-1' },
      },
    ],
  });
  assert.match(String(stand.logged[0]?.err), '/secret/place/calendar-1.sqlite');
  await stand.close();
});

errors('D1: should answer 503 without a snapshot, but refuse what is wrong anyway', async () => {
  const stand = await startStand({ hasSnapshot: false });
  const got = await stand.post('{ snapshot }');
  assert.is(got.status, 503);
  assert.is(got.headers['retry-after'], '5');
  assert.equal(
    JSON.parse(got.text),
    error('SERVICE_UNAVAILABLE', 'The calendar is not open yet. Try again in a moment.'),
  );
  assert.is((await stand.post('{ nothing }')).status, 400);
  assert.equal(stand.logged, [], 'not a failure');
  await stand.close();
});

errors('D1: should log no failure for a page that finds no snapshot, as on a server that stops', async () => {
  const GET = () => {
    throw new CalendarError('SERVICE_UNAVAILABLE', 'none at /secret/place');
  };
  const stand = await startStand({ parts: [{ addRoutes: (router) => router.get('/page', GET) }] });
  const { status, text } = await stand.send('/page');
  assert.is(status, 503);
  assert.not.match(text, 'secret');
  assert.equal(stand.logged, []);
  await stand.close();
});

const SLOW = { headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 20 };

for (const [says, text] of [
  ['headers', 'GET /graphQL HTTP/1.1\r\nHost:'],
  [
    'body',
    'POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"query":',
  ],
] as const) {
  errors(`D9: should answer 408 in JSON when the ${says} do not come in time`, async () => {
    const stand = await startStand({ limits: SLOW });
    const [head = '', said = ''] = (await stand.raw(text)).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1.1 408 /);
    assert.equal(JSON.parse(said), error('REQUEST_TIMEOUT', 'The request took too long to arrive.'));
    assert.is(stand.executions(), 0);
    await stand.close();
  });
}

errors('D9: should let go of a client that does not read its answer', async () => {
  const stand = await startStand({ limits: { idleTimeout: 1_000 } });
  const body = JSON.stringify({ query: '{ text(length: 8000000) }' });
  const socket = connect(stand.port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(
    `POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  while (stand.traffic.length === 0) await new Promise((turn) => setImmediate(turn));
  assert.is(await stand.connections(), 1);
  while ((await stand.connections()) > 0) await new Promise((turn) => setImmediate(turn));
  socket.destroy();
  await stand.close();
});

errors('D9: should hang up on a client that keeps its end open after a refusal', async () => {
  const stand = await startStand({ limits: { idleTimeout: 0 } });
  const socket = connect({ port: stand.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).resume();
  socket.write('hello\r\n\r\n');
  await once(socket, 'end');
  await eventually('it is gone', async () => (await stand.connections()) === 0);
  socket.destroy();
  await stand.close();
});

errors('D9: should execute nothing for an upload that is broken off', async () => {
  const stand = await startStand();
  const socket = connect(stand.port, '127.0.0.1');
  await new Promise((done) => {
    socket.write(
      'POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{"q',
      done,
    );
  });
  socket.destroy();
  assert.is((await stand.post('{ snapshot }')).status, 200);
  assert.is(stand.executions(), 1);
  assert.is(stand.traffic.length, 1);
  await stand.close();
});

errors.run();
