/** H4: a server that stops answers the requests that it has. */
import { once } from 'node:events';
import { request, type Server } from 'node:http';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDrain } from '../../../src/runtime/drain.ts';
import { createHttpServer } from '../../../src/serve/http/server.ts';
import { block } from '../../fixtures/block.ts';
import { portOf } from '../../helpers/port.ts';
import { until } from '../../helpers/until.ts';

const draining = suite<{ servers: Server[] }>('drain', { servers: [] });

draining.after.each(({ servers }) => {
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** `/slow` is answered when the test says so, everything else at once. */
async function startDrainable({ servers }: { servers: Server[] }) {
  const waiting: (() => void)[] = [];
  const server = createHttpServer((incoming, response) => {
    const answer = () => response.writeHead(200, ['Content-Length', '2']).end('ok');
    if (incoming.url === '/slow') waiting.push(answer);
    else answer();
  });
  const drain = createDrain(server);
  server.listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  /** Lets the requests that wait be answered. */
  const answer = () => {
    for (const one of waiting.splice(0)) one();
  };
  return { server, drain, port: portOf(server), answer, waiting: () => waiting.length };
}

async function client(port: number) {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined);
  let got = '';
  socket.setEncoding('utf8').on('data', (text) => {
    got += text;
  });
  await once(socket, 'connect');
  const send = (path: string) => socket.write(`GET ${path} HTTP/1.1\r\nHost: here\r\n\r\n`);
  return { socket, send, got: () => got, closed: () => socket.closed };
}

const QUICK = { acceptMs: 0, finishMs: 5_000 };

draining('H4: should answer connections that only the kernel has accepted', async (context) => {
  const { drain, port } = await startDrainable(context);
  const connecting = Array.from({ length: 20 }, () => client(port));
  // The loop stands still from the moment when they are connected until all timers are due.
  const stopping = new Promise<number>((resolve) => {
    process.nextTick(() => {
      resolve(drain.stop(QUICK));
      block(500);
    });
  });
  const clients = await Promise.all(connecting);
  for (const { send } of clients) send('/');
  await until('all are answered and closed', () => clients.every(({ closed }) => closed()));
  for (const { got } of clients) assert.match(got(), /^HTTP\/1\.1 200 /);
  assert.is(await stopping, 0);
});

draining('H4: should close idle connections and take no new ones', async (context) => {
  const { drain, port } = await startDrainable(context);
  const idle = await client(port);
  idle.send('/');
  await until('the answer', () => idle.got().endsWith('ok'));
  assert.is(await drain.stop(QUICK), 0);
  await until('the idle connection is closed', idle.closed);
  const late = connect(port, '127.0.0.1');
  const [cause] = await once(late, 'error');
  assert.is(cause.code, 'ECONNREFUSED');
});

draining('H4: should finish running requests, and send Connection: close', async (context) => {
  const { drain, port, answer, waiting } = await startDrainable(context);
  const busy = await client(port);
  busy.send('/slow');
  await until('the request has come', () => waiting() === 1);
  const stopped = drain.stop(QUICK);
  assert.is(drain.isStopping(), true);
  answer();
  assert.is(await stopped, 0);
  await until('the connection is closed', busy.closed);
  assert.match(busy.got(), /^HTTP\/1\.1 200 OK\r\n.*\r\nConnection: close\r\n.*ok$/s);
});

draining(
  'H4: should answer requests that arrive while it still accepts, and end their connections',
  async (context) => {
    const { drain, port } = await startDrainable(context);
    const old = await client(port);
    old.send('/');
    await until('the first answer', () => old.got().endsWith('ok'));
    const stopped = drain.stop({ acceptMs: 300, finishMs: 5_000 });
    old.send('/');
    const fresh = await client(port);
    fresh.send('/');
    await until('both are closed', () => old.closed() && fresh.closed());
    assert.match(old.got(), /keep-alive.*\r\nConnection: close\r\n/s);
    assert.match(fresh.got(), /\r\nConnection: close\r\n/);
    await stopped;
  },
);

draining('H4: should close a connection without any request', async (context) => {
  const { drain, port } = await startDrainable(context);
  const unused = await client(port);
  // A wait for it would be longer than this file may take.
  assert.is(await drain.stop({ acceptMs: 0, finishMs: 3_600_000 }), 0);
  await until('it is closed', unused.closed);
});

draining('D9: should cut stuck connections when the time is over, and count them', async (context) => {
  const { drain, port, waiting } = await startDrainable(context);
  const stuck = await client(port);
  stuck.send('/slow');
  const half = await client(port);
  half.socket.write('POST / HTTP/1.1\r\nHost: here\r\nContent-Le');
  await until('both have begun', () => waiting() === 1);
  assert.is(await drain.stop({ acceptMs: 0, finishMs: 300 }), 2);
  await until('both are closed', () => stuck.closed() && half.closed());
});

draining('H4: should lose no request of clients that keep their connections', async (context) => {
  const { drain, port, server } = await startDrainable(context);
  let [answered, sent, connected] = [0, 0, 0];
  server.on('connection', () => connected++);
  const ask = async () => {
    const outgoing = request({ port, host: '127.0.0.1', agent: false, path: '/' });
    outgoing.end(() => sent++);
    const [response] = await once(outgoing, 'response');
    await once(response.resume(), 'end');
    answered++;
  };
  const accepted = Array.from({ length: 50 }, ask);
  // However slow the machine is: nobody comes too late, and few are answered yet.
  await until('all have sent their requests', () => sent === 50 && connected === 50);
  const stopped = drain.stop({ acceptMs: 200, finishMs: 5_000 });
  await Promise.all(accepted);
  await stopped;
  assert.is(answered, 50);
});

draining.run();
