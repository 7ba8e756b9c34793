/** J5: the public edition over HTTP. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withAnnex } from '../../../helpers/annex.ts';
import { assertSameBytes } from '../../../helpers/assertions.ts';
import { built, sourceOfEvents } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { publicPath } from '../../../helpers/public-file.ts';
import { type Running, startServer } from '../../../helpers/running.ts';
import { withPart } from '../../../helpers/when.ts';

const offering = suite<{ server: Running; folder: string }>('public edition over HTTP');
const opened = closedAfterEach(offering);

const PATH = '/calendar.sqlite';
const clock = () => NOW * 1_000;

offering.before(async (context) => {
  context.folder = temporaryFolder();
  await built(sourceOfEvents(3), context.folder, { isPublic: true });
  const settings = { publicFile: true, serveSnapshots: true, snapshotsToken: 'a-token-of-enough-length' };
  context.server = await startServer({ snapshots: context.folder, clock, context: { settings } });
});
offering.after(({ server }) => server.close());

offering('J5: should be served to everybody, under the name of the calendar', async ({ server, folder }) => {
  const path = await publicPath(folder);
  const { status, headers, bytes } = await server.send(PATH);
  assert.is(status, 200);
  assertSameBytes(bytes, readFileSync(path));
  assert.is(headers['content-disposition'], 'attachment; filename="trondheim.sqlite"');
  assert.is(headers['content-type'], 'application/vnd.sqlite3');
  assert.is(headers['access-control-allow-origin'], '*');
  assert.match(headers['access-control-expose-headers'] ?? '', /^Accept-Ranges, Content-Range, ETag/);
  assert.is(headers.etag, `"${basename(path)}"`);
});

offering('J5: should answer 304 to a copy that is still valid', async ({ server, folder }) => {
  const etag = `"${basename(await publicPath(folder))}"`;
  const { status, bytes } = await server.send(PATH, { headers: { 'if-none-match': etag } });
  assert.equal({ status, bytes: bytes.length }, { status: 304, bytes: 0 });
});

offering('J5: should be sent by br as a whole', async ({ server, folder }) => {
  const whole = readFileSync(await publicPath(folder));
  const coded = await server.send(PATH, { headers: { 'accept-encoding': 'br' } });
  assert.is(coded.headers['content-encoding'], 'br');
  assertSameBytes(brotliDecompressSync(coded.bytes), whole);
  assert.is(coded.headers.vary, 'Accept-Encoding');
});

offering('J5: should be sent plain by ranges', async ({ server, folder }) => {
  const whole = readFileSync(await publicPath(folder));
  const range = { 'accept-encoding': 'br', range: 'bytes=100-199' };
  const part = await server.send(PATH, { headers: range });
  assert.is(part.status, 206);
  assert.is(part.headers['content-encoding'], undefined);
  assert.is(part.headers['content-range'], `bytes 100-199/${whole.length}`);
  assertSameBytes(part.bytes, whole.subarray(100, 200));
});

offering('J5: should say its length to HEAD', async ({ server, folder }) => {
  const whole = readFileSync(await publicPath(folder));
  const head = await server.send(PATH, { method: 'HEAD' });
  assert.is(head.status, 200);
  assert.is(head.headers['content-length'], `${whole.length}`);
});

withPart('src/annexes/catalog/dcat.ts', offering)('J5: should be in the catalogue', async ({ server }) => {
  assert.match((await server.send('/catalog.jsonld')).text, /calendar\.sqlite/);
});

offering('J5: should be on the developers’ page', async ({ server }) => {
  assert.match((await server.send('/', { headers: { accept: 'text/html' } })).text, /calendar\.sqlite/);
});

offering('J5, H9: should answer 404 and name /snapshots/ where it is off', async ({ folder }) => {
  for (const serveSnapshots of [true, false]) {
    const context = { settings: { publicFile: false, serveSnapshots } };
    const server = opened(await startServer({ snapshots: folder, clock, context }));
    const { status, text } = await server.send(PATH);
    assert.is(status, 404, `with serveSnapshots ${serveSnapshots}`);
    assert.match(text, /\/snapshots\//);
  }
});

withAnnex('snapshots', offering)(
  'J5: should be served to replicas under /snapshots/, with the token',
  async ({ server, folder }) => {
    const name = basename(await publicPath(folder));
    assert.is((await server.send(`/snapshots/${name}`)).status, 401);
    const headers = { authorization: 'Bearer a-token-of-enough-length' };
    const { status, bytes } = await server.send(`/snapshots/${name}`, { headers });
    assert.is(status, 200);
    assertSameBytes(bytes, readFileSync(await publicPath(folder)));
  },
);

offering.run();
