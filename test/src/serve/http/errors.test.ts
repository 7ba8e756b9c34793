/** D1, D9: errors, and the limits on one request, each tested at its edge. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { CalendarError } from '../../../../src/calendar/errors.ts';
import { createHttpServer } from '../../../../src/serve/http/server.ts';
import { assertAtLeast, assertBelow } from '../../../helpers/assertions.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { eventually, until } from '../../../helpers/until.ts';
import { NOTICE, type Stand, startStand } from './stand.ts';

const errors = suite<{ stand: Stand }>('errors');
const opened = closedAfterEach(errors);

errors.before(async (context) => {
  context.stand = await startStand();
});

errors.after(({ stand }) => stand.close());

const EVERYWHERE = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After',
  'x-content-type-options': 'nosniff',
};
const JSON_TYPE = { 'content-type': 'application/json; charset=utf-8' };
const VARY_ENDPOINT = { vary: 'Accept, Accept-Encoding, Gateway-Require-Preflight, X-Api-Key' };
const REFUSED = { ...EVERYWHERE, ...JSON_TYPE, 'cache-control': 'no-store' };
const FROM_ENDPOINT = { ...REFUSED, ...VARY_ENDPOINT };

const error = (code: string, message: string) => ({ errors: [{ message, extensions: { code } }] });
const at = (column: number) => ({ locations: [{ line: 1, column }] });

/** Documents of which a field fails: the data, the error, its code, and the line of the log. */
const FAILING = [
  {
    query: '{ broken { id } snapshot }',
    data: { broken: null, snapshot: 'first' },
    shown: { message: 'Internal server error', ...at(3), path: ['broken'] },
    code: 'INTERNAL_SERVER_ERROR',
    logged: 'no such table: event at /secret/place',
  },
  {
    query: '{ slow { id } }',
    data: null,
    shown: { message: 'The calendar took too long to answer.', ...at(3), path: ['slow'] },
    code: 'TIMEOUT',
    logged: '/secret/place/calendar-1.sqlite',
  },
] as const;

for (const { query, data, shown, code, logged } of FAILING) {
  errors(
    `P17, D1: should answer the fields of ${query} that did not fail, and log the failures`,
    async () => {
      const stand = opened(await startStand());
      const got = await stand.post(query);
      assert.is(got.status, 200);
      assert.equal(got.headers, { ...FROM_ENDPOINT, 'content-length': `${got.bytes.length}` });
      const extensions = data && { extensions: { notice: NOTICE } };
      const error = { ...shown, extensions: { code, id: 'failure-1' } };
      assert.equal(JSON.parse(got.text), { data, errors: [error], ...extensions });
      assert.match(String(stand.logged[0]?.err), logged);
    },
  );
}

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

errors('D1: should take the coding “identity” for none, in capitals or not', async ({ stand }) => {
  for (const { coding, status } of [
    { coding: 'identity', status: 200 },
    { coding: 'Identity', status: 200 },
    { coding: 'gzip', status: 415 },
  ] as const) {
    const got = await stand.post('{ snapshot }', {}, { 'content-encoding': coding });
    assert.is(got.status, status, coding);
  }
});

errors('D1: should overlook a byte order mark, and null for all but the query', async ({ stand }) => {
  const body = '\ufeff{"query":"{ snapshot }","operationName":null,"variables":null,"extensions":null}';
  const headers = { 'content-type': 'application/json' };
  const got = await stand.send('/graphQL', { method: 'POST', headers, body });
  assert.equal(JSON.parse(got.text).data, { snapshot: 'first' });
});

errors('D1: should answer 500 with an id when the execution as a whole fails', async () => {
  const stand = opened(
    await startStand({ execute: () => Promise.reject(new Error('cannot open /secret/place')) }),
  );
  const got = await stand.post('{ snapshot }');
  assert.is(got.status, 500);
  const extensions = { code: 'INTERNAL_SERVER_ERROR', id: 'failure-1' };
  assert.equal(JSON.parse(got.text), { errors: [{ message: 'Internal server error', extensions }] });
  assert.is(stand.pins(), 0, 'and the snapshot is let go');
});

errors('D1: should answer 503 without a snapshot, but still refuse wrong requests', async () => {
  const stand = opened(await startStand({ hasSnapshot: false }));
  const got = await stand.post('{ snapshot }');
  assert.is(got.status, 503);
  assert.is(got.headers['retry-after'], '5');
  const message = 'The calendar is not ready yet. Try again in a moment.';
  assert.equal(JSON.parse(got.text), error('SERVICE_UNAVAILABLE', message));
  assert.is((await stand.post('{ nothing }')).status, 400);
  assert.equal(stand.logged, [], 'not a failure');
});

errors('D1: should log no failure for a page that finds no snapshot, as on a server that stops', async () => {
  const GET = () => {
    throw new CalendarError('SERVICE_UNAVAILABLE', 'none at /secret/place');
  };
  const stand = opened(await startStand({ parts: [{ addRoutes: (router) => router.get('/page', GET) }] }));
  const { status, text } = await stand.send('/page');
  assert.is(status, 503);
  assert.not.match(text, 'secret');
  assert.equal(stand.logged, []);
});

const POST = 'POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

for (const { part, text } of [
  { part: 'headers', text: 'GET /graphQL HTTP/1.1\r\nHost:' },
  { part: 'body', text: `${POST}Content-Length: 50\r\n\r\n{"query":` },
] as const) {
  errors(`D9: should answer 408 in JSON when the ${part} do not come in time`, async () => {
    const limits = { headersTimeout: 60, requestTimeout: 120, connectionsCheckingInterval: 20 };
    const stand = opened(await startStand({ limits }));
    const [head = '', body = ''] = (await stand.raw(text)).split('\r\n\r\n');
    assert.match(head, /^HTTP\/1.1 408 /);
    assert.equal(JSON.parse(body), error('REQUEST_TIMEOUT', 'The request took too long to arrive.'));
    assert.is(stand.executions(), 0);
  });
}

errors('D9: should hang up on a client that does not read its answer', async () => {
  const stand = opened(await startStand({ limits: { idleTimeout: 1_000 } }));
  const body = JSON.stringify({ query: '{ text(length: 8000000) }' });
  const socket = connect(stand.port, '127.0.0.1')
    .on('error', () => undefined)
    .pause();
  socket.write(`${POST}Content-Length: ${body.length}\r\n\r\n${body}`);
  await until('it is answered', () => stand.traffic.length > 0);
  assert.is(await stand.connections(), 1);
  await eventually('it is let go', async () => (await stand.connections()) === 0);
  socket.destroy();
});

errors('D9: should hang up on a client that keeps its end open after a refusal', async () => {
  const stand = opened(await startStand({ limits: { idleTimeout: 0 } }));
  const socket = connect({ port: stand.port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined).resume();
  socket.write('hello\r\n\r\n');
  await once(socket, 'end');
  await eventually('it is gone', async () => (await stand.connections()) === 0);
  socket.destroy();
});

errors('D9: should execute nothing for an upload that is broken off', async () => {
  const stand = opened(await startStand());
  const socket = connect(stand.port, '127.0.0.1');
  await new Promise((done) => socket.write(`${POST}Content-Length: 50\r\n\r\n{"q`, done));
  socket.destroy();
  assert.is((await stand.post('{ snapshot }')).status, 200);
  assert.is(stand.executions(), 1);
  assert.is(stand.traffic.length, 1);
});

errors('D9: should give headers, requests and connections the times of the contract', () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = createHttpServer(() => undefined);
  assert.is(headersTimeout, 10_000);
  assert.is(requestTimeout, 15_000);
  assert.is(keepAliveTimeout, 65_000);
  assert.is(timeout, 30_000);
});

errors('should report 20 errors of a document, and 1,000 characters of each', async ({ stand }) => {
  const errorsFor = async (names: readonly string[]) =>
    JSON.parse((await stand.post(`{ ${names.join(' ')} }`)).text).errors;
  const wrong = (count: number) => Array.from({ length: count }, (_, at) => `wrong${at}`);
  for (const { count, errors } of [
    { count: 20, errors: 20 },
    { count: 21, errors: 21 },
    { count: 400, errors: 21 },
  ] as const)
    assert.is((await errorsFor(wrong(count))).length, errors);
  assert.match((await errorsFor(wrong(21))).at(-1).message, /^Too many validation errors/);
  const [{ message }] = await errorsFor(['a'.repeat(100_000)]);
  assert.is(message.length, 1_001);
  assert.match(message, /a…$/);
});

/** Declares a body that is too long, sends so much of it, and resolves when the connection is hung up. */
async function refusedAfter(port: number, bytes: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let reply = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    reply += text;
  });
  // A reset connection has an error first.
  const over = new Promise((resolve) => socket.once('close', resolve));
  let isPatient = false;
  // The server's own 2 s begin later than these, on the same loop.
  const lingered = setTimeout(() => {
    isPatient = true;
  }, 1_900);
  socket.write(`${POST}Content-Length: 1000000000\r\n\r\n`);
  let sent = 0;
  while (!socket.destroyed && sent < bytes) {
    sent += CHUNK.length;
    if (!socket.write(CHUNK)) await Promise.race([once(socket, 'drain').catch(() => undefined), over]);
    await nextTurn();
  }
  await over;
  clearTimeout(lingered);
  assert.match(reply, /^HTTP\/1\.1 413 /);
  return { sent, isPatient };
}

const CHUNK = Buffer.alloc(256 * 1_024, ' ');

errors('D9: should read 8 MiB of a refused body, and then hang up', async ({ stand }) => {
  const { sent } = await refusedAfter(stand.port, 200 * 1_024 * 1_024);
  // The buffers of both kernels come on top.
  assertAtLeast(sent, 8 * 1_024 * 1_024, 'bytes');
  assertBelow(sent, 40 * 1_024 * 1_024, 'bytes');
});

errors('D9: should wait 2 s for the end of a refused body, and then hang up', async ({ stand }) => {
  assert.is((await refusedAfter(stand.port, 1)).isPatient, true);
});

errors.run();
