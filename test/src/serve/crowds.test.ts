/** D14: who makes room where more connect than a server has room for: strangers hold all its connections, polite clients come one by one. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCutLog } from '../../../src/serve/http/access-log.ts';
import { assertAtLeast, assertAtMost } from '../../helpers/assertions.ts';
import { until } from '../../helpers/until.ts';
import { type Stand, startStand } from './http/stand.ts';

const MOST = 30;
const STRANGERS = 90;
const POLITE = 40;

interface Context {
  stand: Stand;
  /** The server's clock, in milliseconds. */
  now: number;
  readonly sockets: Set<Socket>;
}

const test = suite<Context>('crowds of connections');

test.before.each(async (context) => {
  context.now = 0;
  const limits = { maxConnections: () => MOST };
  const connectionClock = () => context.now;
  Object.assign(context, { sockets: new Set(), stand: await startStand({ limits, connectionClock }) });
});

test.after.each(async ({ stand, sockets }) => {
  for (const socket of sockets) socket.destroy();
  await stand.close();
});

const HEAD = 'POST /graphQL HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n';

interface Strangers {
  /** The bytes that the n-th connection sends. */
  readonly sent: (nth: number) => string;
  readonly address?: (nth: number) => string;
  /** Sent again and again. */
  readonly drip?: string;
  /** Whether they read nothing. */
  readonly isDeaf?: boolean;
}

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n';
const half = () => `${HEAD}Content-Length: 1000\r\n\r\n{"query":"`;
/** More than the kernel takes for a client that does not read. */
const LONG = JSON.stringify({ query: '{ text(length: 4000000) }' });
const long = () => `${HEAD}Content-Length: ${LONG.length}\r\n\r\n${LONG}`;
const chunk = () => `${HEAD}Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n`;
const address = (nth: number) => `127.0.1.${1 + (nth % 250)}`;

const STRANGE: Readonly<Record<string, Strangers>> = {
  'half a body': { sent: half },
  'half a body, from many addresses': { sent: half, address },
  'half a body, and most nothing more than a request': { sent: (nth) => (nth % 6 === 0 ? half() : HEALTH) },
  'half the headers': { sent: () => 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ' },
  'half the headers of a second request': { sent: () => `${HEALTH}GET /heal` },
  'half a request in HTTP/1.0': { sent: () => 'GET /healthz HTTP/1.0\r\nX-Slow: ' },
  nothing: { sent: () => '' },
  'chunks that drip': { sent: chunk, drip: '1\r\n \r\n' },
  'requests for long answers that they do not read': { sent: long, isDeaf: true },
  'requests for long answers that they do not read, from many addresses': {
    sent: long,
    address,
    isDeaf: true,
  },
};

for (const [what, { sent, address = () => '127.0.0.1', drip, isDeaf = false }] of Object.entries(STRANGE)) {
  test(`D14: should answer new clients while others hold all connections and send ${what}`, async (context) => {
    const { stand, sockets } = context;
    let opened = 0;
    const open = async () => {
      const nth = opened++;
      const socket = connect({ port: stand.port, host: '127.0.0.1', localAddress: address(nth) });
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      if (!isDeaf) socket.resume();
      await once(socket, 'connect');
      socket.write(sent(nth));
    };
    for (let nth = 0; nth < STRANGERS; nth++) await open();
    let answered = 0;
    context.now += 2_000;
    for (let nth = 0; nth < POLITE; nth++) {
      for (let more = 0; more < 3; more++) await open();
      context.now += 200;
      if (drip !== undefined) for (const socket of sockets) socket.write(drip);
      // Their bytes are read by then.
      for (let turn = 0; turn < 10; turn++) await new Promise((next) => setImmediate(next));
      const sending = stand.send('/healthz', { headers: { Connection: 'close' } });
      const { status } = await sending.catch(() => ({ status: 0 }));
      if (status === 200) answered++;
    }
    assertAtLeast(answered, 0.95 * POLITE, 'polite clients that were answered');
    assertAtMost(await stand.connections(), MOST, 'connections');
  });
}

test('D14: should keep an idle connection of an address that has few, while another one opens more and more', async (context) => {
  const { stand, sockets } = context;
  const polite = connect({ port: stand.port, host: '127.0.0.1', localAddress: '127.0.0.2' }).resume();
  sockets.add(polite);
  await until('it is answered', () => {
    polite.write(HEALTH);
    return polite.bytesRead > 0;
  });
  for (let nth = 0; nth < STRANGERS; nth++) {
    context.now += 100;
    const socket = connect(stand.port, '127.0.0.1').resume();
    sockets.add(socket);
    socket.on('error', () => undefined).write(HEALTH);
    await until('it is answered or cut', () => socket.bytesRead > 0 || socket.destroyed);
  }
  assert.is(polite.destroyed, false, 'expected the polite client to keep its connection');
  assert.equal(new Set(stand.cut), new Set(['idle']));
});

test('D14: should log cut connections in one line a minute', () => {
  const lines: object[] = [];
  const waiting: { readonly act: () => void; readonly ms: number }[] = [];
  const cut = createCutLog({ warn: (fields) => lines.push(fields) }, (act, ms) => waiting.push({ act, ms }));
  const pass = () => waiting.shift()?.act();
  for (const reason of ['incomplete', 'idle', 'incomplete'] as const) cut(reason);
  assert.equal(lines, []);
  assert.equal(
    waiting.map(({ ms }) => ms),
    [1_000],
  );
  pass();
  for (let nth = 0; nth < 5; nth++) cut('unread');
  assert.equal(lines, [{ incomplete: 2, idle: 1 }]);
  assert.equal(
    waiting.map(({ ms }) => ms),
    [60_000],
  );
  pass();
  assert.equal(lines.slice(1), [{ unread: 5 }]);
  pass();
  assert.is(lines.length, 2);
  assert.is(waiting.length, 0);
  cut('refused');
  assert.is(waiting.length, 1);
});

test.run();
