/** D8, D14, H5: snapshot files over HTTP, for replicas: caching, ranges, downloads at a time. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createGuard } from '../../../../src/annexes/guard/token.ts';
import { createCallerAddressOf } from '../../../../src/annexes/proxies/proxies.ts';
import { createDownloads, type DownloadsOptions } from '../../../../src/annexes/snapshots/downloads.ts';
import { snapshotRoutes } from '../../../../src/annexes/snapshots/snapshots.ts';
import type { Manifest } from '../../../../src/snapshot/manifest.ts';
import { assertSameBytes } from '../../../helpers/assertions.ts';
import { publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
import { eventually, until } from '../../../helpers/until.ts';
import { type Stand, startStand } from '../../serve/http/stand.ts';

const offering = suite<{ stands: Stand[] }>('snapshots over HTTP', { stands: [] });

offering.after.each(async ({ stands }) => {
  for (const stand of stands.splice(0)) await stand.close();
});

interface Scene {
  readonly folder: string;
  readonly manifest: Manifest;
  readonly bytes: Buffer;
  readonly stand: Stand;
  /** Path of the current file. */
  readonly path: string;
}

type Options = Partial<Parameters<typeof snapshotRoutes>[0]> & DownloadsOptions;

async function serve({ stands }: { stands: Stand[] }, folder: string, options: Options = {}): Promise<Stand> {
  const downloads = createDownloads({ stallMs: 120_000, ...options });
  const routes = snapshotRoutes({ folder, downloads, ...options });
  const stand = await startStand({ parts: [routes] });
  stands.push(stand);
  return stand;
}

async function serveCalendar(context: { stands: Stand[] }, options: Options = {}): Promise<Scene> {
  const folder = temporaryFolder();
  const manifest = await publishCalendar(folder);
  const stand = await serve(context, folder, options);
  const bytes = readFileSync(join(folder, manifest.file));
  return { folder, manifest, bytes, stand, path: `/snapshots/${manifest.file}` };
}

offering('H14: should offer no file that is known to be damaged', async (context) => {
  let damaged = '';
  const { stand, path, manifest } = await serveCalendar(context, {
    isDamaged: async (file) => file === damaged,
  });
  assert.is((await stand.send(path)).status, 200);
  damaged = manifest.file;
  assert.is((await stand.send(path)).status, 404);
});

offering('D8: should offer the manifest as it stands, to be asked for each time', async (context) => {
  const { folder, stand } = await serveCalendar(context);
  const { status, headers, text } = await stand.send('/snapshots/manifest.json');
  assert.is(status, 200);
  assert.is(text, readFileSync(join(folder, 'manifest.json'), 'utf8'));
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.is(headers['cache-control'], 'no-cache');
  const again = { headers: { 'if-none-match': headers.etag ?? '' } };
  assert.is((await stand.send('/snapshots/manifest.json', again)).status, 304);
  // Within the same second, too.
  await publishCalendar(folder, { name: 'Ny' });
  assert.is((await stand.send('/snapshots/manifest.json', again)).status, 200);
  // H5: for replicas of another version.
  assert.is((await stand.send('/snapshots/manifest-3.json')).status, 404);
  writeFileSync(join(folder, 'manifest-3.json'), text);
  const other = await stand.send('/snapshots/manifest-3.json');
  assert.equal([other.status, other.text, other.headers['cache-control']], [200, text, 'no-cache']);
});

offering('D14: should bound the downloads at a time, by address and in all', async (context) => {
  const { folder, manifest, stand, path } = await serveCalendar(context, { mostDownloads: () => 6 });
  // More than what the kernel takes for a client that does not read.
  writeFileSync(join(folder, manifest.file), randomBytes(16_000_000));
  const unread = await Promise.all(Array.from({ length: 8 }, () => begun(stand, path)));
  const count = (wanted: number) => unread.filter(({ statusCode }) => statusCode === wanted).length;
  assert.is(count(200), 3);
  assert.is(count(503), 5);
  const refused = await stand.send(path);
  assert.is(refused.status, 503);
  assert.is(refused.headers['retry-after'], '1');
  assert.is(JSON.parse(refused.text).errors[0].extensions.code, 'OVERLOADED');
  assert.is((await stand.send('/snapshots/manifest.json')).status, 200);
  for (const incoming of unread) incoming.destroy();
  await eventually('there is room', async () => (await stand.send(path)).status === 200);
});

offering('D14: should count downloads by the address before trusted proxies', async (context) => {
  const addressOf = createCallerAddressOf(['127.0.0.1']);
  const { folder, manifest, stand, path } = await serveCalendar(context, {
    mostDownloads: () => 4,
    addressOf,
  });
  writeFileSync(join(folder, manifest.file), randomBytes(16_000_000));
  const of = (address: string) => ({ 'x-forwarded-for': address });
  const unread = await Promise.all([1, 2, 3].map(() => begun(stand, path, of('192.0.2.1'))));
  assert.equal(unread.map(({ statusCode }) => statusCode).sort(), [200, 200, 503]);
  const other = await begun(stand, path, of('192.0.2.2'));
  assert.is(other.statusCode, 200);
  for (const incoming of [...unread, other]) incoming.destroy();
});

offering('D8: should offer a file as immutable under its id', async (context) => {
  const { manifest, bytes, stand, path } = await serveCalendar(context);
  const got = await stand.send(path);
  assert.is(got.status, 200);
  assert.equal(got.bytes, bytes);
  const { headers } = got;
  assert.is(headers.etag, `"${manifest.id}"`);
  assert.is(headers['content-type'], 'application/vnd.sqlite3');
  assert.is(headers['content-length'], `${manifest.bytes}`);
  assert.is(headers['accept-ranges'], 'bytes');
  assert.is(headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.is(headers['access-control-allow-origin'], '*');
  const head = await stand.send(path, { method: 'HEAD' });
  assert.is(head.status, 200);
  assert.equal(head.headers, headers);
  assert.is(head.bytes.length, 0);
  const same = await stand.send(path, { headers: { 'if-none-match': `"x", W/"${manifest.id}"` } });
  assert.is(same.status, 304);
  assert.is(same.bytes.length, 0);
});

offering('J4: should offer a compressed copy as a file of its own', async (context) => {
  const { folder, manifest, stand, path } = await serveCalendar(context);
  const copy = randomBytes(3_000);
  writeFileSync(join(folder, `${manifest.file}.br`), copy);
  const { status, bytes, headers } = await stand.send(`${path}.br`, { headers: { 'accept-encoding': 'br' } });
  assert.is(status, 200);
  assert.equal(bytes, copy);
  assert.is(headers['content-encoding'], undefined);
  assert.is(headers.etag, `"${manifest.id}-br"`);
  assert.is(headers['cache-control'], 'public, max-age=31536000, immutable');
  assert.is((await stand.send(`${path}.br.br`)).status, 404);
  assert.is((await stand.send('/snapshots/manifest.json.br')).status, 404);
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

offering('H5: should answer ranges', async (context) => {
  const { bytes, manifest, stand, path } = await serveCalendar(context);
  const tag = `"${manifest.id}"`;
  for (const {
    headers,
    status,
    slice: [from, to],
  } of RANGES) {
    const what = JSON.stringify(headers);
    const sent = Object.fromEntries(
      Object.entries(headers).map(([name, text]) => [name, text.replace('TAG', tag)]),
    );
    const got = await stand.send(path, { headers: sent });
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

const ODD = ['notes.txt', '.lock', '.unfinished-calendar.sqlite', 'calendar-0000000000000000.sqlite'];
const OUTSIDE = ['..%2f..%2fetc%2fpasswd', '%2e%2e/manifest.json', 'calendar-.sqlite', 'a%00b'];

offering('H5: should offer only files with the name of a snapshot', async (context) => {
  const { folder, stand } = await serveCalendar(context);
  for (const name of ['notes.txt', '.unfinished-calendar.sqlite'])
    writeFileSync(join(folder, name), 'secret');
  for (const name of [...ODD, ...OUTSIDE]) {
    const { status, text } = await stand.send(`/snapshots/${name}`);
    assert.is(status, 404, name);
    assert.is(JSON.parse(text).errors[0].extensions.code, 'NOT_FOUND', name);
    assert.not.match(text, /secret|root/);
  }
});

offering('D8: should have no manifest where there is no snapshot', async (context) => {
  const empty = await serve(context, temporaryFolder());
  assert.is((await empty.send('/snapshots/manifest.json')).status, 404);
});

const TOKEN = 'a-token-of-enough-length';

offering('H9: should refuse all without the token, where one is set', async (context) => {
  const log = { warn: () => undefined };
  const guard = createGuard({ tokens: [TOKEN], owner: 'a replica’s', log, pause: async () => null });
  const { stand, path } = await serveCalendar(context, { guard });
  for (const { at, status, cacheControl } of [
    { at: '/snapshots/manifest.json', status: 200, cacheControl: 'private, no-cache' },
    { at: path, status: 200, cacheControl: 'private, max-age=31536000, immutable' },
    { at: '/snapshots/other', status: 404, cacheControl: 'no-store' },
  ] as const) {
    for (const method of ['GET', 'HEAD']) {
      for (const headers of [{}, { authorization: `Bearer ${TOKEN}x` }]) {
        const refused = await stand.send(at, { method, headers });
        assert.equal([refused.status, refused.headers.etag, refused.headers.location], [401, ...NOTHING]);
      }
    }
    const got = await stand.send(at, { headers: { authorization: `Bearer ${TOKEN}` } });
    assert.equal(got.status, status);
    assert.equal(got.headers['cache-control'], cacheControl);
  }
});

const NOTHING = [undefined, undefined];

offering('H5: should offer neither a pipe nor a link under the name of a snapshot', async (context) => {
  const { folder, stand } = await serveCalendar(context);
  const [pipe, link] = ['calendar-00000000000000aa.sqlite', 'calendar-00000000000000bb.sqlite'];
  execFileSync('mkfifo', [join(folder, pipe)]);
  symlinkSync('/etc/hostname', join(folder, link));
  // More than there are threads that open files.
  const got = await Promise.all(Array.from({ length: 8 }, () => stand.send(`/snapshots/${pipe}`)));
  assert.equal([...new Set(got.map(({ status }) => status))], [404]);
  assert.is((await stand.send(`/snapshots/${link}`)).status, 404);
});

/** An answer that has begun and waits to be read. */
async function begun(
  { port }: Stand,
  path: string,
  more: Readonly<Record<string, string>> = {},
): Promise<IncomingMessage> {
  // A connection that goes on: else each answer would end with it.
  const headers = { connection: 'keep-alive', ...more };
  const outgoing = request({ host: '127.0.0.1', port, path, headers, agent: false });
  outgoing.on('error', () => undefined).end();
  const [incoming]: IncomingMessage[] = await once(outgoing, 'response');
  if (incoming === undefined) throw new Error('expected an answer');
  return incoming.on('error', () => undefined);
}

/** More than the buffers of two sockets hold. */
const BIG = 32 * 1_024 * 1_024;

async function download({ stand, folder }: Scene) {
  const name = 'calendar-00000000000000ff.sqlite';
  const file = join(folder, name);
  const bytes = randomBytes(BIG);
  writeFileSync(file, bytes);
  return { file, bytes, incoming: await begun(stand, `/snapshots/${name}`) };
}

const isOpen = (file: string) =>
  readdirSync('/proc/self/fd').some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(file);
    } catch {
      return false;
    }
  });

offering('H5: should send a file to its end although it is removed meanwhile', async (context) => {
  const { file, bytes, incoming } = await download(await serveCalendar(context));
  rmSync(file);
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk);
  assertSameBytes(Buffer.concat(chunks), bytes);
  await until('the file is closed', () => !isOpen(file));
});

offering('D9: should hold no file open for a client that has gone away, and log nothing', async (context) => {
  const here = await serveCalendar(context);
  const { file, incoming } = await download(here);
  assert.is(isOpen(file), true);
  incoming.destroy();
  await until('the file is closed', () => !isOpen(file));
  assert.equal(here.stand.logged, []);
});

offering('D9, D14: should cut a client that reads nothing for too long, and count it', async (context) => {
  const cut: string[] = [];
  const { file, incoming } = await download(
    await serveCalendar(context, { stallMs: 500, onCut: (why) => cut.push(why) }),
  );
  await until('the file is closed', () => !isOpen(file));
  assert.is(incoming.complete, false);
  assert.equal(cut, ['unread']);
});

offering('H5: should hang up when a file turns out shorter than it was', async (context) => {
  const { file, incoming } = await download(await serveCalendar(context));
  truncateSync(file, 1_000);
  const reading = (async () => {
    for await (const _ of incoming);
  })();
  const thrown = await reading.catch((cause: Error) => cause);
  assert.instance(thrown, Error);
  assert.is(incoming.complete, false);
});

offering('H5: should answer with no bytes where a file has become empty', async (context) => {
  const { folder, manifest, stand, path } = await serveCalendar(context);
  truncateSync(join(folder, manifest.file), 0);
  const { status, headers, bytes } = await stand.send(path);
  assert.is(status, 200);
  assert.is(headers['content-length'], '0');
  assert.is(bytes.length, 0);
  const part = await stand.send(path, { headers: { range: 'bytes=0-' } });
  assert.is(part.status, 416);
  assert.is(part.headers['content-range'], 'bytes */0');
});

offering.run();
