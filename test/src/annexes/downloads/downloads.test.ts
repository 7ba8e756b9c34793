/** D9, D14, H5: large files over HTTP: ranges, downloads at a time, and clients that stop reading. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readlinkSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createDownloads,
  type DownloadsOptions,
  downloadsOf,
  openIfThere,
} from '../../../../src/annexes/downloads/downloads.ts';
import { createCallerAddressOf } from '../../../../src/annexes/proxies/proxies.ts';
import { createBudget } from '../../../../src/serve/admission/budget.ts';
import { peerAddressOf } from '../../../../src/serve/http/caller.ts';
import type { AddRoutes } from '../../../../src/serve/http/koa.ts';
import { assertSameBytes } from '../../../helpers/assertions.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { eventually, until } from '../../../helpers/until.ts';
import { type Stand, startStand } from '../../serve/http/stand.ts';

const sending = suite<{ stands: Stand[] }>('downloads', { stands: [] });

sending.after.each(async ({ stands }) => {
  for (const stand of stands.splice(0)) await stand.close();
});

const PATH = '/file';
const TAG = '"1f2e"';

interface Scene {
  readonly stand: Stand;
  readonly file: string;
  readonly bytes: Buffer;
}

/** A server of one file. */
async function serve(
  { stands }: { stands: Stand[] },
  options: DownloadsOptions = {},
  size = 3_000,
): Promise<Scene> {
  const file = join(temporaryFolder(), 'file');
  const bytes = randomBytes(size);
  writeFileSync(file, bytes);
  const downloads = createDownloads({ stallMs: 120_000, ...options });
  const addRoutes: AddRoutes = (router) =>
    router.get(PATH, async (context) => {
      const opened = await openIfThere(file);
      if (opened === null) throw new Error(`expected ${file}, found none`);
      await downloads.send(context, { file: opened, tag: TAG, type: 'text/plain', headers: [] });
    });
  const stand = await startStand({ parts: [{ addRoutes }] });
  stands.push(stand);
  return { stand, file, bytes };
}

/** More than what the kernel takes for a client that does not read. */
const UNREAD = 16_000_000;

sending('D14: should bound the downloads at a time, by address and in all', async (context) => {
  const { stand } = await serve(context, { mostDownloads: () => 6 }, UNREAD);
  const unread = await Promise.all(Array.from({ length: 8 }, () => begun(stand)));
  const count = (wanted: number) => unread.filter(({ statusCode }) => statusCode === wanted).length;
  assert.is(count(200), 3);
  assert.is(count(503), 5);
  const refused = await stand.send(PATH);
  assert.is(refused.status, 503);
  assert.is(refused.headers['retry-after'], '1');
  assert.is(JSON.parse(refused.text).errors[0].extensions.code, 'OVERLOADED');
  for (const incoming of unread) incoming.destroy();
  await eventually('there is room', async () => (await stand.send(PATH)).status === 200);
});

sending('D14: should count downloads by the address before trusted proxies', async (context) => {
  const addressOf = createCallerAddressOf(['127.0.0.1']);
  const { stand } = await serve(context, { mostDownloads: () => 4, addressOf }, UNREAD);
  const of = (address: string) => ({ 'x-forwarded-for': address });
  const unread = await Promise.all([1, 2, 3].map(() => begun(stand, of('192.0.2.1'))));
  assert.equal(unread.map(({ statusCode }) => statusCode).sort(), [200, 200, 503]);
  const other = await begun(stand, of('192.0.2.2'));
  assert.is(other.statusCode, 200);
  for (const incoming of [...unread, other]) incoming.destroy();
});

sending('D14: should bound the downloads of all annexes of a process together', () => {
  const ignore = () => undefined;
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const one = { budget: createBudget(64_000_000), log, addressOf: peerAddressOf };
  const other = { ...one, budget: createBudget(64_000_000) };
  assert.is(downloadsOf(one), downloadsOf({ ...one }));
  assert.is.not(downloadsOf(one), downloadsOf(other));
});

interface RangeCase {
  readonly headers: Record<string, string>;
  readonly status: number;
  readonly slice: [number, number?];
}

/** Headers of a request, and the status and bytes of the answer. */
const RANGES: readonly RangeCase[] = [
  { headers: { range: 'bytes=0-15' }, status: 206, slice: [0, 16] },
  { headers: { range: 'bytes=100-' }, status: 206, slice: [100] },
  { headers: { range: 'bytes=-100' }, status: 206, slice: [-100] },
  { headers: { range: 'bytes=0-99999999' }, status: 206, slice: [0] },
  { headers: { range: 'bytes=7-7', 'if-range': 'TAG' }, status: 206, slice: [7, 8] },
  {
    headers: { range: 'bytes=7-7', 'if-range': '"another"' },
    status: 200,
    slice: [0],
  },
  {
    headers: { range: 'bytes=7-7', 'if-range': 'Fri, 20 Nov 2026 11:35:58 GMT' },
    status: 200,
    slice: [0],
  },
  // Several ranges get the whole file, as RFC 9110 allows.
  { headers: { range: 'bytes=0-1,5-6' }, status: 200, slice: [0] },
  { headers: { range: 'lines=1-2' }, status: 200, slice: [0] },
  { headers: { range: 'bytes=5-2' }, status: 200, slice: [0] },
  { headers: { range: 'bytes=99999999-' }, status: 416, slice: [0, 0] },
  { headers: { range: 'bytes=-0' }, status: 416, slice: [0, 0] },
  { headers: { range: 'bytes=-99999999' }, status: 206, slice: [0] },
  { headers: { range: 'bytes=-' }, status: 200, slice: [0] },
  { headers: { range: 'BYTES=0-1' }, status: 200, slice: [0] },
];

sending('H5: should answer ranges', async (context) => {
  const { bytes, stand } = await serve(context);
  for (const {
    headers,
    status,
    slice: [from, to],
  } of RANGES) {
    const what = JSON.stringify(headers);
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, text.replace('TAG', TAG)]),
    );
    const got = await stand.send(PATH, { headers: sent });
    const expected = bytes.subarray(from, to);
    assert.is(got.status, status, what);
    assert.equal(got.bytes, expected, what);
    assert.is(got.headers['content-length'], `${expected.length}`, what);
    const first = from < 0 ? bytes.length + from : from;
    const places: Readonly<Record<number, string>> = {
      206: `bytes ${first}-${first + expected.length - 1}/${bytes.length}`,
      416: `bytes */${bytes.length}`,
    };
    assert.is(got.headers['content-range'], places[status], what);
  }
});

/** An answer that has begun and waits to be read. */
async function begun({ port }: Stand, more: Readonly<Record<string, string>> = {}): Promise<IncomingMessage> {
  // A connection that goes on: else each answer would end with it.
  const headers = { connection: 'keep-alive', ...more };
  const outgoing = request({ host: '127.0.0.1', port, path: PATH, headers, agent: false });
  outgoing.on('error', () => undefined).end();
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  if (incoming === undefined) throw new Error('expected an answer');
  return incoming.on('error', () => undefined);
}

/** More than the buffers of two sockets hold. */
const BIG = 32 * 1_024 * 1_024;

const isOpen = (file: string) =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(file);
    } catch {
      return false;
    }
  });

sending('H5: should send a file to its end although it is removed meanwhile', async (context) => {
  const { stand, file, bytes } = await serve(context, {}, BIG);
  const incoming = await begun(stand);
  rmSync(file);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  assertSameBytes(Buffer.concat(chunks), bytes);
  await until('the file is closed', () => !isOpen(file));
});

sending('D9: should hold no file open for a client that has gone away, and log nothing', async (context) => {
  const { stand, file } = await serve(context, {}, BIG);
  const incoming = await begun(stand);
  assert.is(isOpen(file), true);
  incoming.destroy();
  await until('the file is closed', () => !isOpen(file));
  assert.equal(stand.logged, []);
});

sending('D9, D14: should cut a client that reads nothing for too long, and count it', async (context) => {
  const cut: string[] = [];
  const { stand, file } = await serve(context, { stallMs: 500, onCut: (why) => cut.push(why) }, BIG);
  const incoming = await begun(stand);
  await until('the file is closed', () => !isOpen(file));
  assert.is(incoming.complete, false);
  assert.equal(cut, ['unread']);
});

sending('H5: should hang up when a file turns out shorter than it was', async (context) => {
  const { stand, file } = await serve(context, {}, BIG);
  const incoming = await begun(stand);
  truncateSync(file, 1_000);
  const reading = (async () => {
    for await (const _ of incoming);
  })();
  const thrown = await reading.catch((cause: Error) => cause);
  assert.instance(thrown, Error);
  assert.is(incoming.complete, false);
});

sending('H5: should answer with no bytes where a file has become empty', async (context) => {
  const { stand, file } = await serve(context);
  truncateSync(file, 0);
  const { status, headers, bytes } = await stand.send(PATH);
  assert.is(status, 200);
  assert.is(headers['content-length'], '0');
  assert.is(bytes.length, 0);
  const part = await stand.send(PATH, { headers: { range: 'bytes=0-' } });
  assert.is(part.status, 416);
  assert.is(part.headers['content-range'], 'bytes */0');
});

sending.run();
