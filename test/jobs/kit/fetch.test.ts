/** H7: requests to hostile servers: the limits of `fetchBounded`, redirects and credentials. */

import { once } from 'node:events';
import { Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FetchRequest, fetchBounded, fetchWhole } from '../../../jobs/kit/fetch.ts';
import { FetchProblem } from '../../../jobs/kit/fetch-problem.ts';
import { always, type FeedServer, type Handler, startFeedServer } from '../../helpers/feed-server.ts';

const test = suite<{ server: FeedServer }>('fetching from strangers');

test.before(async (context) => {
  context.server = await startFeedServer(always(200, ''));
});
test.before.each(({ server }) => {
  server.requests.length = 0;
});
test.after(async ({ server }) => server.close());

const LIMITS = { bytes: 100_000, seconds: 20, stallSeconds: 10, redirects: 3 };
/** Small limits, for requests that shall exceed them. */
const SHORT = { ...LIMITS, seconds: 0.6, stallSeconds: 0.3 };

function requestFor(url: string, more: Partial<FetchRequest> = {}): FetchRequest {
  return { url: new URL(url), limits: LIMITS, mayBePrivate: () => true, ...more };
}

async function problemOf(request: FetchRequest): Promise<string> {
  try {
    const { status } = await fetchWhole(request);
    return `status ${status}`;
  } catch (thrown) {
    if (thrown instanceof FetchProblem) return thrown.reason;
    throw thrown;
  }
}

const drip =
  (text: string): Handler =>
  (_, response) => {
    const timer = setInterval(() => response.write(text), 20);
    response.once('close', () => clearInterval(timer));
  };

/** A compressed body. */
const coded = (coding: 'gzip' | 'br', body: Buffer) => always(200, body, { 'content-encoding': coding });
const NOTHING = Buffer.concat(Array.from({ length: 6_000 }, () => gzipSync('')));
const ZEROS = Buffer.alloc(50_000_000);

const hints: Handler = (_, response) => {
  const timer = setInterval(() => response.writeEarlyHints({ link: '</x>; rel=preload' }), 20);
  response.once('close', () => clearInterval(timer));
};

const hangUp: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('half', () => response.destroy());
};

const HOSTILE: readonly (readonly [does: string, handler: Handler, reason: string])[] = [
  ['never answers', () => {}, 'time limit'],
  ['sends its body a byte at a time', drip('x'), 'time limit'],
  ['stops half way', (_, response) => response.writeHead(200).write('half'), 'time limit'],
  ['sends early hints for ever', hints, 'time limit'],
  ['announces too much', always(200, '', { 'content-length': '100001' }), 'size limit'],
  ['sends too much', always(200, Buffer.alloc(100_001), { 'transfer-encoding': 'chunked' }), 'size limit'],
  ['sends a gzip bomb', coded('gzip', gzipSync(ZEROS)), 'size limit'],
  ['sends a brotli bomb', coded('br', brotliCompressSync(ZEROS)), 'size limit'],
  ['sends a compressed body without bytes', coded('gzip', NOTHING), 'size limit'],
  ['truncates a compressed body', coded('gzip', gzipSync('text '.repeat(1000)).subarray(0, 30)), 'truncated'],
  ['hangs up half way', hangUp, 'truncated'],
  ['redirects in a circle', always(302, '', { location: '/again' }), 'redirect limit'],
  ['redirects to no URL', always(302, '', { location: 'http://[' }), 'unreachable'],
  ['redirects to a file', always(302, '', { location: 'file:///etc/passwd' }), 'unreachable'],
  ['sends 20 KB of headers', always(200, '', { x: 'x'.repeat(20_000) }), 'unreachable'],
];

for (const [does, handler, reason] of HOSTILE) {
  test(`H7: should give up with "${reason}" on a server that ${does}`, async ({ server }) => {
    server.answer = handler;
    const limits = reason === 'time limit' ? SHORT : LIMITS;
    assert.is(await problemOf(requestFor(server.url, { limits })), reason);
  });
}

test('H7: should give up on a server that sends endless headers', async () => {
  const server = await floodServer();
  const { port } = server.address() as AddressInfo;
  assert.match(await problemOf(requestFor(`http://127.0.0.1:${port}/`)), /unreachable|truncated/);
  server.close();
});

async function floodServer(): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('HTTP/1.1 200 OK\r\n');
    const flood = () => {
      while (!socket.destroyed && socket.write(`x${'-y'.repeat(20)}: 1\r\n`));
    };
    socket.on('drain', flood);
    flood();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  return server;
}

test('H7: MUST NOT follow a redirect to an address that is not public', async ({ server }) => {
  const inside = await startFeedServer(always(200, 'secret'));
  const { port } = new URL(inside.url);
  const mayBePrivate = ({ host }: URL) => host === new URL(server.url).host;
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001']) {
    server.answer = always(302, '', { location: `http://${host}:${port}/` });
    assert.is(await problemOf(requestFor(server.url, { mayBePrivate })), 'address refused', host);
  }
  server.answer = always(302, '', { location: 'http://169.254.169.254/latest/meta-data/' });
  assert.is(await problemOf(requestFor(server.url, { mayBePrivate })), 'address refused');
  assert.is(inside.requests.length, 0);
  await inside.close();
});

test('H8: MUST send credentials only to their own host', async ({ server }) => {
  const other = await startFeedServer(always(200, ''));
  server.answer = (request, response) =>
    always(302, '', { location: request.url === '/' ? '/moved' : other.url })(request, response);
  const { host } = new URL(server.url);
  const headers = { 'x-api-key': 'key', cookie: 'a=b', accept: 'text/plain' };
  assert.is(await problemOf(requestFor(`http://me:pass%20word@${host}/`, { headers })), 'status 200');
  const seen = [...server.requests, ...other.requests].map(({ headers: sent }) => [
    sent.authorization,
    sent['x-api-key'],
    sent.cookie,
    sent.accept,
  ]);
  const basic = `Basic ${Buffer.from('me:pass word').toString('base64')}`;
  const full = [basic, 'key', 'a=b', 'text/plain'];
  assert.equal(seen, [full, full, [undefined, undefined, undefined, 'text/plain']]);
  await other.close();
});

test('should stream a body, and throw the error of its reader', async ({ server }) => {
  server.answer = always(200, gzipSync('x'.repeat(50_000)), { 'content-encoding': 'gzip' });
  let length = 0;
  await fetchBounded(requestFor(server.url), async ({ body }) => {
    for await (const chunk of body) length += chunk.length;
  });
  assert.is(length, 50_000);
  const full = new Error('disk full');
  const failing = fetchBounded(requestFor(server.url), async ({ body }) => {
    for await (const _ of body) throw full;
  });
  assert.is(await failing.catch((thrown: unknown) => thrown), full);
});

test('L3: should send a request again on a new connection if the server has closed the idle one', async ({
  server,
}) => {
  const agent = new Agent({ keepAlive: true });
  const used = new Set<unknown>();
  server.answer = (request, response) => {
    if (used.has(request.socket)) return void request.socket.destroy();
    used.add(request.socket);
    response.writeHead(200).end('answer');
  };
  try {
    for (const request of ['first', 'second']) {
      const { body } = await fetchWhole(requestFor(server.url, { agentFor: () => agent }));
      assert.is(body.toString(), 'answer', request);
    }
    assert.equal([server.requests.length, used.size], [3, 2], 'requests and connections');
  } finally {
    agent.destroy();
  }
});

test('L3: should not send a request again if the server closes a new connection', async ({ server }) => {
  const agent = new Agent({ keepAlive: true });
  server.answer = ({ socket }) => void socket.destroy();
  try {
    assert.is(await problemOf(requestFor(server.url, { agentFor: () => agent })), 'unreachable');
    assert.is(server.requests.length, 1);
  } finally {
    agent.destroy();
  }
});

test('H4: should give up at once when it is aborted', async ({ server }) => {
  server.answer = () => {};
  const controller = new AbortController();
  const asked = problemOf(requestFor(server.url, { signal: controller.signal }));
  setTimeout(() => controller.abort(), 50);
  assert.is(await asked, 'unreachable');
});

test('H8: should report an address whose password cannot be decoded', async () => {
  for (const password of ['50%', 'a%ff'])
    assert.is(await problemOf(requestFor(`http://name:${password}@127.0.0.1:9/`)), 'unreachable');
});

test.run();
