/** H7: requests to hostile servers: the limits of `fetchBounded`, redirects and credentials. */
import { once } from 'node:events';
import { Agent } from 'node:http';
import { createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type FetchRequest, fetchBounded, fetchWhole } from '../../../jobs/kit/fetch.ts';
import { FetchProblem } from '../../../jobs/kit/fetch-problem.ts';
import { assertIncludes } from '../../helpers/assertions.ts';
import { always, type FeedServer, type Handler, startFeedServer } from '../../helpers/feed-server.ts';
import { portOf } from '../../helpers/port.ts';

const test = suite<{ server: FeedServer }>('fetching from strangers');

test.before(async (context) => {
  context.server = await startFeedServer(always(200, ''));
});
test.before.each(({ server }) => {
  server.requests.length = 0;
});
test.after(async ({ server }) => server.close());

const LIMITS = { bytes: 100_000, seconds: 20, stallSeconds: 10, redirects: 3 };

/** A small limit, and what the message says if a request exceeds it. */
interface TimeLimit {
  readonly limits: typeof LIMITS;
  readonly message: string;
}

const WITHOUT_BYTE: TimeLimit = {
  limits: { ...LIMITS, stallSeconds: 0.3 },
  message: 'expected a byte within 0.3 s',
};
const IN_ALL: TimeLimit = {
  limits: { ...LIMITS, seconds: 0.6 },
  message: 'expected all of it within 0.6 s',
};

function requestFor(url: string, more: Partial<FetchRequest> = {}): FetchRequest {
  return { url: new URL(url), limits: LIMITS, mayBePrivate: () => true, ...more };
}

async function problemOf(request: FetchRequest): Promise<string> {
  const { reason } = await fetchProblem(request);
  return reason;
}

async function fetchProblem(request: FetchRequest): Promise<FetchProblem> {
  try {
    const { status } = await fetchWhole(request);
    throw new Error(`expected a problem, found status ${status}`);
  } catch (thrown) {
    if (thrown instanceof FetchProblem) return thrown;
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
/** Brotli's best takes seconds. */
const QUICKLY = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

const hints: Handler = (_, response) => {
  const timer = setInterval(() => response.writeEarlyHints({ link: '</x>; rel=preload' }), 20);
  response.once('close', () => clearInterval(timer));
};

const hangUp: Handler = (_, response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('half', () => response.destroy());
};

interface HostileServer {
  readonly does: string;
  readonly handler: Handler;
  readonly reason: string;
  readonly timeLimit?: TimeLimit;
}

const HOSTILE: readonly HostileServer[] = [
  { does: 'never answers', handler: () => {}, reason: 'time limit', timeLimit: WITHOUT_BYTE },
  { does: 'sends its body a byte at a time', handler: drip('x'), reason: 'time limit', timeLimit: IN_ALL },
  {
    does: 'stops half way',
    handler: (_, response) => response.writeHead(200).write('half'),
    reason: 'time limit',
    timeLimit: WITHOUT_BYTE,
  },
  { does: 'sends early hints for ever', handler: hints, reason: 'time limit', timeLimit: WITHOUT_BYTE },
  {
    does: 'announces too much',
    handler: always(200, '', { 'content-length': '100001' }),
    reason: 'size limit',
  },
  {
    does: 'sends too much',
    handler: always(200, Buffer.alloc(100_001), { 'transfer-encoding': 'chunked' }),
    reason: 'size limit',
  },
  { does: 'sends a gzip bomb', handler: coded('gzip', gzipSync(ZEROS)), reason: 'size limit' },
  {
    does: 'sends a brotli bomb',
    handler: coded('br', brotliCompressSync(ZEROS, QUICKLY)),
    reason: 'size limit',
  },
  { does: 'sends a compressed body without bytes', handler: coded('gzip', NOTHING), reason: 'size limit' },
  {
    does: 'truncates a compressed body',
    handler: coded('gzip', gzipSync('text '.repeat(1000)).subarray(0, 30)),
    reason: 'truncated',
  },
  { does: 'hangs up half way', handler: hangUp, reason: 'truncated' },
  {
    does: 'redirects in a circle',
    handler: always(302, '', { location: '/again' }),
    reason: 'redirect limit',
  },
  { does: 'redirects to no URL', handler: always(302, '', { location: 'http://[' }), reason: 'unreachable' },
  {
    does: 'redirects to a file',
    handler: always(302, '', { location: 'file:///etc/passwd' }),
    reason: 'unreachable',
  },
  {
    does: 'sends 20 KB of headers',
    handler: always(200, '', { x: 'x'.repeat(20_000) }),
    reason: 'unreachable',
  },
];

for (const { does, handler, reason, timeLimit } of HOSTILE) {
  test(`H7: should give up with "${reason}" on a server that ${does}`, async ({ server }) => {
    server.answer = handler;
    const { limits = LIMITS, message = '' } = timeLimit ?? {};
    const problem = await fetchProblem(requestFor(server.url, { limits }));
    assert.is(problem.reason, reason);
    assertIncludes(problem.message, message);
  });
}

test('H7: should give up on a server that sends endless headers', async () => {
  const server = await floodServer();
  const port = portOf(server);
  try {
    assert.match(await problemOf(requestFor(`http://127.0.0.1:${port}/`)), /unreachable|truncated/);
  } finally {
    server.close();
  }
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

test('H7, L5: should not follow a redirect to an address that is not public', async ({ server }) => {
  const inside = await startFeedServer(always(200, 'secret'));
  const { port } = new URL(inside.url);
  const mayBePrivate = ({ host }: URL) => host === new URL(server.url).host;
  const hosts = ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001'];
  const locations = [
    ...hosts.map((host) => `http://${host}:${port}/`),
    'http://169.254.169.254/latest/meta-data/',
  ];
  try {
    for (const location of locations) {
      server.answer = always(302, '', { location });
      assert.is(await problemOf(requestFor(server.url, { mayBePrivate })), 'address refused', location);
    }
    assert.is(inside.requests.length, 0, 'requests at the private address');
  } finally {
    await inside.close();
  }
});

test('H8: should send credentials only to their own host', async ({ server }) => {
  const other = await startFeedServer(always(200, ''));
  server.answer = (request, response) =>
    always(302, '', { location: request.url === '/' ? '/moved' : other.url })(request, response);
  const { host } = new URL(server.url);
  const headers = { 'x-api-key': 'key', cookie: 'a=b', accept: 'text/plain' };
  const { status } = await fetchWhole(requestFor(`http://me:pass%20word@${host}/`, { headers })).finally(
    other.close,
  );
  assert.is(status, 200);
  const seen = [...server.requests, ...other.requests].map(({ headers: sent }) => [
    sent.authorization,
    sent['x-api-key'],
    sent.cookie,
    sent.accept,
  ]);
  const basic = `Basic ${Buffer.from('me:pass word').toString('base64')}`;
  const full = [basic, 'key', 'a=b', 'text/plain'];
  assert.equal(seen, [full, full, [undefined, undefined, undefined, 'text/plain']]);
});

interface Redirected {
  readonly status: number;
  readonly method: NonNullable<FetchRequest['method']>;
  /** Of the second request. */
  readonly next: string;
  readonly body: string;
}

/** The method and body of the request after a redirect. */
const REDIRECTED: readonly Redirected[] = [
  { status: 303, method: 'POST', next: 'GET', body: '' },
  { status: 303, method: 'PUT', next: 'GET', body: '' },
  { status: 303, method: 'HEAD', next: 'HEAD', body: '' },
  { status: 302, method: 'POST', next: 'GET', body: '' },
  { status: 301, method: 'POST', next: 'GET', body: '' },
  { status: 302, method: 'PUT', next: 'PUT', body: '{}' },
  { status: 307, method: 'POST', next: 'POST', body: '{}' },
  { status: 308, method: 'POST', next: 'POST', body: '{}' },
];

test('H7: should return the cookies of a redirect to the origin that set them, and to no other', async ({
  server,
}) => {
  const other = await startFeedServer(always(200, 'other'));
  const cookies = ['FedAuth=abc==; path=/; secure; HttpOnly', 'old=1', 'bad'];
  const sent: Record<string, string | undefined> = {};
  server.answer = ({ url = '', headers }, response) => {
    sent[url] = headers.cookie;
    const location = { '/share?download=1': '/mid', '/mid': '/file' }[url] ?? `${other.url}/`;
    const setCookie = url === '/mid' ? ['old=; expires=Thu, 01 Jan 1970 00:00:00 GMT'] : cookies;
    response.writeHead(302, { location, 'set-cookie': setCookie }).end();
  };
  await fetchWhole(requestFor(`${server.url}/share?download=1`)).finally(other.close);
  assert.equal(sent, {
    '/share?download=1': undefined,
    '/mid': 'FedAuth=abc==; old=1',
    '/file': 'FedAuth=abc==',
  });
  assert.equal(
    other.requests.map(({ headers }) => headers.cookie),
    [undefined],
  );
});

test('should send a redirected request as browsers do, without its body where it becomes a GET', async ({
  server,
}) => {
  const headers = { 'content-type': 'application/json', 'X-Api-Key': 'key' };
  for (const { status, method, next, body } of REDIRECTED) {
    const bodies: string[] = [];
    server.requests.length = 0;
    server.answer = async (request, response) => {
      bodies.push(await text(request));
      const isFirst = request.url === '/';
      always(isFirst ? status : 200, '', isFirst ? { location: '/moved' } : {})(request, response);
    };
    const sent = method === 'HEAD' ? { method, headers } : { method, headers, body: '{}' };
    await fetchWhole(requestFor(server.url, sent));
    const [, second] = server.requests;
    const type = body === '' && method !== 'HEAD' ? undefined : 'application/json';
    assert.equal(
      [second?.method, bodies[1], second?.headers['content-type'], second?.headers['x-api-key']],
      [next, body, type, 'key'],
      `${status} ${method}`,
    );
  }
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
    assert.is(await problemOf(requestFor(`http://name:${password}@127.0.0.1:9/`)), 'unreachable', password);
});

test.run();
