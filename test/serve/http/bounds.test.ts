/** What one request may take of a server, at the edge of each bound. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createHttpServer } from '../../../src/serve/http/server.ts';
import { type Stand, startStand } from './stand.ts';

const bounds = suite<{ stand: Stand }>('bounds');

bounds.before(async (context) => {
  context.stand = await startStand();
});

bounds.after(({ stand }) => stand.close());

bounds('D9: should give headers, requests and connections the times of the contract', () => {
  const { headersTimeout, requestTimeout, keepAliveTimeout, timeout } = createHttpServer(() => undefined);
  assert.equal([headersTimeout, requestTimeout, keepAliveTimeout, timeout], [10_000, 15_000, 65_000, 30_000]);
});

bounds('should tell no more than 20 errors of a document, and that there are more', async ({ stand }) => {
  const fields = (count: number) => `{ ${Array.from({ length: count }, (_, at) => `wrong${at}`).join(' ')} }`;
  const told = async (count: number) => JSON.parse((await stand.post(fields(count))).text).errors;
  assert.is((await told(20)).length, 20);
  const errors = await told(21);
  assert.is(errors.length, 21);
  assert.match(errors.at(-1).message, /^Too many validation errors/);
  assert.is((await told(400)).length, 21);
});

bounds('should cut what is repeated of a request at 1,000 characters', async ({ stand }) => {
  const { text } = await stand.post(`{ ${'a'.repeat(100_000)} }`);
  const [{ message }] = JSON.parse(text).errors;
  assert.is(message.length, 1_001);
  assert.match(message, /a…$/);
});

bounds('should take the host of a page whose address has up to 2,048 characters', async ({ stand }) => {
  for (const [length, host] of [
    [2_048, 'by.example'],
    [2_049, undefined],
  ] as const) {
    const url = 'https://by.example/'.padEnd(length, 'x');
    await stand.post('{ snapshot }', {}, { 'x-page-url': url });
    assert.is(stand.traffic.at(-1)?.caller.pageHost, host, `${length}`);
  }
});

/** Declares a body that is too long, sends so much of it, and resolves when the connection is hung up. */
async function refusedAfter(
  port: number,
  bytes: number,
): Promise<{ said: string; took: number; patient: boolean }> {
  const socket = connect(port, '127.0.0.1');
  let said = '';
  let isOver = false;
  socket.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  socket.on('error', () => undefined);
  // Where it is reset, an error comes first.
  const over = new Promise((resolve) => socket.once('close', resolve)).then(() => {
    isOver = true;
  });
  let patient = false;
  // The server's own 2 s begin later than these, on the same loop.
  const lingered = setTimeout(() => {
    patient = true;
  }, 1_900);
  socket.write('POST /graphQL HTTP/1.1\r\nHost: here\r\nContent-Type: application/json\r\n');
  socket.write('Content-Length: 1000000000\r\n\r\n');
  let took = 0;
  while (!isOver && took < bytes) {
    took += CHUNK.length;
    if (!socket.write(CHUNK)) await Promise.race([once(socket, 'drain').catch(() => undefined), over]);
    await pause(0);
  }
  await over;
  clearTimeout(lingered);
  return { said, took, patient };
}

const CHUNK = Buffer.alloc(256 * 1_024, ' ');

bounds('D9: should read 8 MiB of what it has refused, and hang up then', async ({ stand }) => {
  const { said, took } = await refusedAfter(stand.port, 200 * 1_024 * 1_024);
  assert.match(said, /^HTTP\/1\.1 413 /);
  // What both kernels hold comes on top.
  assert.ok(took >= 8 * 1_024 * 1_024 && took < 40 * 1_024 * 1_024, `${took}`);
});

bounds('D9: should wait 2 s for the end of what it has refused, and hang up then', async ({ stand }) => {
  const { said, patient } = await refusedAfter(stand.port, 1);
  assert.match(said, /^HTTP\/1\.1 413 /);
  assert.ok(patient);
});

bounds.run();
