/** D14: what one connection, and all of them together, may keep a server at. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { connect, Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { TURNS } from '../../../src/serve/admission/turns.ts';
import { connectionOf } from '../../../src/serve/http/connections.ts';
import { assertAtMost, assertBelow, assertDefined } from '../../helpers/assertions.ts';
import { until } from '../../helpers/until.ts';
import { resultOf, type Stand, type StandOptions, startStand } from './http/stand.ts';

const test = suite('connections');
const stands: Stand[] = [];
const sockets: Socket[] = [];

test.after.each(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  for (const stand of stands.splice(0)) await stand.close();
});

async function start(options: StandOptions = {}): Promise<Stand> {
  const stand = await startStand(options);
  stands.push(stand);
  return stand;
}

async function open(stand: Stand): Promise<Socket> {
  const socket = connect(stand.port, '127.0.0.1').on('error', () => undefined);
  sockets.push(socket);
  await once(socket, 'connect');
  return socket;
}

const post = (query: string) => {
  const body = JSON.stringify({ query });
  return `POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

/** Counts the requests of this process from now on. */
function countRequests() {
  let count = 0;
  const listener = () => count++;
  subscribe('http.server.request.start', listener);
  return { count: () => count, end: () => unsubscribe('http.server.request.start', listener) };
}

let others = 0;
/** A turn for another address each time, which has used no time lately. */
const nextTurn = () =>
  new Promise<void>((resolve) => TURNS.inTurn(resolve, { address: `other ${others++}`, milliseconds: 0 }));

/** How many requests were answered, at most, from one turn for work to the next, until so many are. */
async function mostBetweenPieces({ traffic }: Stand, requests: number): Promise<number> {
  let most = 0;
  for (let before = traffic.length; before < requests; ) {
    await nextTurn();
    most = Math.max(most, traffic.length - before);
    before = traffic.length;
  }
  return most;
}

/** Counts the reads of a property that a prototype defines, until `end` returns their number. */
function countReads(prototype: object, name: string) {
  const property = Object.getOwnPropertyDescriptor(prototype, name) ?? {};
  let count = 0;
  const get = function (this: unknown) {
    count++;
    return property.get?.call(this);
  };
  Object.defineProperty(prototype, name, { ...property, get });
  return {
    end: () => {
      Object.defineProperty(prototype, name, property);
      return count;
    },
  };
}

const never = () => new Promise<never>(() => undefined);

/** Asks others, until a client can send no more. */
async function untilStuck(stand: Stand, socket: Socket): Promise<void> {
  const taken = () => socket.bytesWritten - socket.writableLength;
  for (let before = -1; before < taken(); ) {
    before = taken();
    for (let nth = 0; nth < 20; nth++) assert.is((await stand.send('/healthz')).status, 200);
  }
}

test('D14: should work on at most 8 requests of one connection at a time, and answer all of them in order', async () => {
  const gates: (() => void)[] = [];
  const stand = await start({
    // One address has half of them.
    admission: { small: { mostRunning: 16 } },
    execute: async ({ sent }) => {
      await new Promise<void>((release) => gates.push(release));
      return resultOf(`{"data":{"q":${JSON.stringify(sent.query)}}}`);
    },
  });
  const socket = await open(stand);
  let got = '';
  socket.setEncoding('utf8').on('data', (text) => {
    got += text;
  });
  const queries = Array.from({ length: 40 }, (_, at) => `{ a${at}: now }`);
  socket.write(queries.map(post).join(''));
  await until('the first ones are under way', () => gates.length === 8);
  assert.is((await stand.send('/healthz')).status, 200, 'others are answered meanwhile');
  assert.is(stand.executions(), 8);
  let most = 0;
  while (stand.traffic.length < queries.length + 1) {
    most = Math.max(most, gates.length);
    gates.shift()?.();
    await new Promise((turn) => setImmediate(turn));
  }
  assertAtMost(most, 8, 'at a time');
  await until('all are answered', () => got.split('HTTP/1.1 200').length - 1 === queries.length);
  assert.equal(
    [...got.matchAll(/\{ a(\d+): now \}/g)].map(([, at]) => Number(at)),
    queries.map((_, at) => at),
  );
});

for (const { connections, requests, bound } of [
  // A turn may begin with a chunk of requests and end with one of those that were held.
  { connections: 1, requests: 50, bound: 16 },
  // Requests that began in earlier turns end meanwhile, too.
  { connections: 5, requests: 20, bound: 20 },
] as const) {
  test(`D14: should answer few requests of ${connections} connections between two pieces of other work`, async () => {
    const stand = await start();
    const all = connections * requests;
    for (let nth = 0; nth < connections; nth++)
      (await open(stand)).resume().write(post('{ now }').repeat(requests));
    if (connections > 1) await until('requests are held', () => stand.traffic.length >= 8 * connections);
    const most = await mostBetweenPieces(stand, all);
    assert.is(stand.executions(), 1, 'all but the first are at hand');
    assertAtMost(most, bound, `of ${all} before a piece`);
  });
}

test('D14: should make no stack trace for each request that a closed connection leaves', async () => {
  const stand = await start({ execute: never });
  const socket = await open(stand);
  const traces: (string | undefined)[] = [];
  let requests = 0;
  const onRequest = (message: unknown) => {
    requests++;
    const { request } = message as { readonly request: IncomingMessage };
    request.on('error', ({ stack }) => traces.push(stack));
  };
  subscribe('http.server.request.start', onRequest);
  socket.write(post('{ now }').repeat(50));
  await until('all have come', () => requests === 50);
  unsubscribe('http.server.request.start', onRequest);
  const { stackTraceLimit } = Error;
  socket.destroy();
  // The requests at work have been read to their ends.
  await until('all that were held are aborted', () => traces.length >= 50 - 8);
  assert.equal([...new Set(traces)], ['Error: aborted']);
  assert.is(Error.stackTraceLimit, stackTraceLimit);
});

test('D14: should send a long answer to one client after the other, however many wait for it', async () => {
  let release: () => void = () => undefined;
  const stand = await start({
    execute: async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return resultOf(`{"data":"${'x'.repeat(200_000)}"}`);
    },
  });
  const clients = 20;
  const parsed = countRequests();
  for (let nth = 0; nth < clients; nth++) (await open(stand)).resume().write(post('{ now }'));
  await until('all have asked', () => parsed.count() === clients && stand.executions() === 1);
  parsed.end();
  release();
  await nextTurn();
  assertAtMost(stand.traffic.length, 1, `of ${clients} before another piece of work`);
  await until('all have their answers', () => stand.traffic.length === clients);
  assert.is(stand.executions(), 1);
});

test('D14: should read no more of a connection than it works on', async () => {
  const stand = await start({ execute: never });
  const socket = await open(stand);
  const request = post('{ now }').repeat(1_000);
  let sent = 0;
  const fill = () => {
    while (!socket.destroyed && socket.write(request)) sent++;
  };
  socket.on('drain', fill);
  fill();
  await untilStuck(stand, socket);
  assertBelow(sent * request.length, 16_000_000, 'bytes, which the kernel may take');
  assert.is(stand.executions(), 1, 'equal requests are one');
});

test('D14: should read no more of a connection whose client reads no answers', async () => {
  const parsed = countRequests();
  const stand = await start();
  const socket = await open(stand);
  socket.pause();
  const pad = '#'.repeat(1_000);
  for (let nth = 0; nth < 4_000; nth++)
    socket.write(post(`{ a${nth}: text(length: ${nth % 8 === 0 ? 200_000 : 10}) }${pad}`));
  await untilStuck(stand, socket);
  parsed.end();
  const health = stand.traffic.filter(({ route }) => route === '/healthz').length;
  const held = parsed.count() - health - stand.executions();
  // Requests in one chunk of 64 KiB are read together.
  assertAtMost(held, 65, 'requests that are held');
});

test('D14: should free waiting answers and bodies of a connection once it is gone', async () => {
  const stand = await start({
    bodyBytes: 500_000,
    // Work that never pauses keeps its place.
    admission: { small: { mostRunning: 16 } },
    execute: async ({ sent: { query } }) =>
      query.includes('first') ? never() : resultOf(Buffer.alloc(100_000, 'x')),
  });
  const padding = '#'.repeat(200_000);
  for (let nth = 0; nth < 3; nth++) {
    const socket = await open(stand);
    socket.write(
      post(`{ first${nth}: now }`) + post(`{ second${nth}: now }`) + post(`{ first${nth}: now }${padding}`),
    );
    await until('both wait', () => stand.outgoing() > 0 && stand.executions() === 3 * nth + 3);
    socket.destroy();
    await until('nothing waits', () => stand.outgoing() === 0);
  }
  assert.is((await stand.post(`{ last: now }${padding}`)).status, 200);
});

test('D14: should cut the connection with most waiting requests, once they are too many together', async () => {
  const stand = await start({ execute: never });
  const request = (nth: number) =>
    `GET /graphQL?query={a${nth}:now} HTTP/1.1\r\nHost: a\r\nGateway-Require-Preflight: true\r\n\r\n`;
  for (const requests of [450, 450, 650, 450, 450]) {
    const all = Array.from({ length: requests }, (_, nth) => request(nth));
    (await open(stand)).write(all.join(''));
  }
  await until('one is cut', () => sockets.some(({ destroyed }) => destroyed));
  assert.is((await stand.send('/healthz')).status, 200);
  const cut = sockets.map(({ destroyed }) => destroyed);
  assert.equal(cut, [false, false, true, false, false]);
  assert.equal(stand.cut, ['pipelined']);
});

test('D14: should not look at all connections for each request that waits', async () => {
  const stand = await start({ execute: never });
  const served: Socket[] = [];
  const onRequest = (message: unknown) => {
    served.push((message as { readonly socket: Socket }).socket);
  };
  subscribe('http.server.request.start', onRequest);
  const parsed = countRequests();
  (await open(stand)).write(post('{ now }'));
  await until('the first has come', () => parsed.count() === 1);
  unsubscribe('http.server.request.start', onRequest);
  const connection = connectionOf(served[0] ?? new Socket());
  assertDefined(connection, 'the connection of a request');
  const reads = countReads(Object.getPrototypeOf(connection), 'waiting');
  const connections = 60;
  for (let nth = 0; nth < connections; nth++) (await open(stand)).write(post('{ now }').repeat(2));
  await until('all have come', () => parsed.count() === 1 + 2 * connections);
  parsed.end();
  assertAtMost(reads.end(), 2 * connections, 'looks at the waiting requests of a connection');
});

test('D14: should keep connections that are answered, and refuse new ones when all are', async () => {
  const stand = await start({
    limits: { maxConnections: () => 4 },
    execute: never,
  });
  for (let nth = 0; nth < 4; nth++) (await open(stand)).write(post(`{ a${nth}: now }`));
  await until('all are under way', () => stand.executions() === 4);
  const late = await open(stand);
  await once(late, 'close');
  const cut = sockets.map(({ destroyed }) => destroyed);
  assert.equal(cut, [false, false, false, false, true]);
});

test('D14: should refuse the oldest of unfinished bodies once they are too many together, and answer others', async () => {
  const stand = await start({ bodyBytes: 1_000_000 });
  const head =
    'POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 200001\r\n\r\n';
  const heard: string[] = [];
  for (let nth = 0; nth < 20; nth++) {
    const socket = await open(stand);
    socket.setEncoding('utf8').on('data', (text: string) => {
      heard[nth] = `${heard[nth] ?? ''}${text}`;
    });
    socket.write(head + 'x'.repeat(200_000));
    assert.is((await stand.post('{ now }')).status, 200, `beside ${nth + 1} bodies`);
  }
  await until('all that are too many are refused', () => heard.filter(Boolean).length >= 15);
  for (let nth = 0; nth < 15; nth++) {
    assert.match(heard[nth] ?? '', /^HTTP\/1\.1 503 [\s\S]*Retry-After: 1\r\n[\s\S]*"code":"OVERLOADED"/);
  }
  assert.equal(heard.slice(15).filter(Boolean), [], 'the latest ones may go on');
});

test.run();
