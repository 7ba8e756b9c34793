/** D8, H5: snapshot files over HTTP, for replicas: which there are, who gets them, and how they may be cached. */
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDownloads } from '../../../../src/annexes/downloads/downloads.ts';
import { createGuard } from '../../../../src/annexes/guard/token.ts';
import { snapshotRoutes } from '../../../../src/annexes/snapshots/snapshots.ts';
import { OVERLOAD } from '../../../../src/serve/admission/semaphore.ts';
import type { Manifest } from '../../../../src/snapshot/manifest.ts';
import { publishCalendar, temporaryFolder } from '../../../helpers/folder.ts';
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

type Options = Partial<Parameters<typeof snapshotRoutes>[0]>;

async function serve({ stands }: { stands: Stand[] }, folder: string, options: Options = {}): Promise<Stand> {
  const routes = snapshotRoutes({ folder, downloads: createDownloads({ stallMs: 120_000 }), ...options });
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

offering('D14: should offer the manifest while there is no room for downloads', async (context) => {
  const send = () => {
    throw OVERLOAD;
  };
  const { stand, path } = await serveCalendar(context, { downloads: { send } });
  assert.is((await stand.send(path)).status, 503);
  assert.is((await stand.send('/snapshots/manifest.json')).status, 200);
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

offering.run();
