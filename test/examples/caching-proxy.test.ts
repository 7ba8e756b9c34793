/**
 * docs/cdn.md: two machines behind a cache. nginx with docs/examples/caching-proxy.conf is in place of the CDN, and the machines are two more, as
 * docs/debian and docs/two-machines.md configure them, by http in place of https.
 */
import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import type { AccessLogEntry } from '../../src/serve/http/access-log.ts';
import { withAnnex } from '../helpers/annex.ts';
import { assertAbove, assertAtLeast } from '../helpers/assertions.ts';
import { built } from '../helpers/build.ts';
import { type Client, clientOf, type Got, PREFLIGHT } from '../helpers/client.ts';
import { debianFile } from '../helpers/debian-files.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { freePort, type Nginx, startNginx, withNginx } from '../helpers/nginx.ts';
import { type Running, startServer } from '../helpers/running.ts';
import { eventually } from '../helpers/until.ts';
import { theBlock } from '../readme/blocks.ts';
import { cellsOf } from '../readme/debian-run.ts';
import { readPage, tableIn } from '../readme/document.ts';

const PROXY = readFileSync(packagePath('docs/examples/caching-proxy.conf'), 'utf8');
/** The servers of two machines in docs/two-machines.md. */
const SERVERS = theBlock({ language: 'nginx', says: /^upstream almanakk \{$/m }).text;
/** The file of each machine for a CDN that sends the usual header. */
const BEHIND_CDN = theBlock({ language: 'nginx', says: /^set_real_ip_from / })
  .text.replace('192.0.2.0/24', '127.0.0.1')
  .replace(/^real_ip_header .*\n/m, '')
  .replaceAll('# real_ip', 'real_ip');

const ADMIN = 'a-token-of-the-operator';
const NOON = Date.parse('2026-11-20T12:00:00+01:00');
/** Nothing changes for a minute. */
const LONG_BEFORE = NOON - 100_000;
/** Until the first event is over, so responses are fresh for so many seconds. */
const SOON = 3;

const event = (id: string, end: string) => ({
  id,
  title_nb: `Konsert ${id}`,
  desc_nb: `<p>${'Lenge. '.repeat(300)}</p>`,
  categories: ['MUSIC'],
  dates: [{ start: '2026-11-20 11:00', end: `2026-11-20 ${end}` }],
});
/** `brief` ends first. */
const EVENTS = [event('brief', '12:00:00'), event('long', '14:00'), event('hidden', '14:00')];

const LIST = '/events.json';

interface Machine {
  readonly server: Running;
  readonly nginx: Nginx;
  /** Of its site. */
  readonly site: Client;
}

interface Context {
  machines: readonly [Machine, Machine];
  /** Publishes the events on both machines, without the hidden one. */
  publish: (hide?: string) => Promise<void>;
  proxy: Nginx;
  cdn: Client;
  /** The response before anything was published. */
  unpublished: Got;
  /** The folder of the proxy's cache. */
  stored: string;
  asked: AccessLogEntry[];
  clock: () => number;
}

const caching = withNginx(suite<Context>('two machines behind a cache'));

caching.before(async (context) => {
  context.asked = [];
  context.clock = () => LONG_BEFORE;
  const folders = [temporaryFolder(), temporaryFolder()] as const;
  const start = (snapshots: string) =>
    startServer({
      snapshots,
      clock: () => context.clock(),
      onAccess: (entry) => context.asked.push(entry),
      context: { settings: { adminToken: ADMIN, trustProxy: ['127.0.0.1'], publicFile: true } },
    });
  const [one, two] = [await start(folders[0]), await start(folders[1])];
  context.machines = [await startMachine(one, two), await startMachine(two, one)];
  context.publish = async (hide) => {
    const corrections = hide === undefined ? [] : [{ where: { id: hide }, hide: true }];
    const source = sourceFolder({ 'events.json': EVENTS, 'corrections.json': corrections });
    const made = temporaryFolder();
    const now = LONG_BEFORE / 1_000 + (hide === undefined ? 0 : 1);
    await built(source, made, { now, force: true, isPublic: true });
    for (const folder of folders) cpSync(made, folder, { recursive: true });
    for (const { keeper } of [one, two]) await keeper.check();
  };
  context.stored = join(temporaryFolder(), 'cache');
  const port = await freePort();
  const sites = context.machines.map(({ site }) => new URL(site.url).host);
  context.proxy = await startNginx({ http: proxyAt(port, sites, context.stored), server: 'return 204;' });
  context.cdn = clientOf(`http://127.0.0.1:${port}`);
  context.unpublished = await context.cdn.send(LIST);
  await context.publish();
});

caching.before.each(({ asked }) => {
  asked.length = 0;
});

caching.after(async ({ machines, proxy }) => {
  await proxy.stop();
  for (const { server, nginx } of machines) {
    await nginx.stop();
    await server.close();
  }
});

/** nginx of a machine with its own server, and the other one in case of need. */
async function startMachine(server: Running, other: Running): Promise<Machine> {
  const port = await freePort();
  const cache = debianFile('etc/nginx/conf.d/almanakk-cache.conf');
  const servers = SERVERS.replaceAll(/127\.0\.0\.1:\d+/g, new URL(server.url).host);
  const nginx = await startNginx({
    http: `${cache.replace('/var/lib/nginx/almanakk', join(temporaryFolder(), 'cache'))}
      ${servers.replaceAll(/10\.0\.0\.12:\d+/g, new URL(other.url).host)}
      server {
        listen 127.0.0.1:${port};
        set $calendar almanakk;
        include snippets/almanakk-site.conf;
      }`,
    server: 'return 204;',
    own: BEHIND_CDN,
  });
  return { server, nginx, site: clientOf(`http://127.0.0.1:${port}`) };
}

function proxyAt(port: number, sites: readonly string[], stored: string): string {
  const left = [...sites];
  return PROXY.replaceAll(/^ {2}(ssl_.*|proxy_ssl_.*|listen \[.*)\n/gm, '')
    .replace('/var/lib/nginx/almanakk', stored)
    .replace('listen 443 ssl http2 default_server', `listen 127.0.0.1:${port}`)
    .replaceAll(/10\.0\.0\.\d+:443/g, () => left.shift() ?? '')
    .replaceAll('https://almanakk_machines', 'http://almanakk_machines');
}

const cached = ({ headers }: Got) => headers['x-cache'];
const shows = ({ text }: Got, id: string) => text.includes(`Konsert ${id}`);

caching('should pass on a 503 with its Retry-After, and cache none', async ({ cdn, unpublished }) => {
  const { status, headers } = unpublished;
  assert.equal([status, headers['retry-after'], headers['cache-control']], [503, '5', 'no-store']);
  assert.is((await cdn.send(LIST)).status, 200);
});

caching(
  'should ask one machine once for all clients, and give each a coding that it accepts',
  async (context) => {
    const { cdn, asked, machines } = context;
    const path = `${LIST}?pageSize=20`;
    const first = await cdn.send(path);
    assert.is(first.headers['content-encoding'], undefined);
    const coded = await cdn.send(path, { headers: { 'accept-encoding': 'br, gzip', accept: '*/*' } });
    assert.is(coded.headers['content-encoding'], 'gzip');
    const { headers: given } = coded;
    const again = await cdn.send(path, {
      headers: { 'accept-encoding': 'gzip', 'if-none-match': `${given.etag}` },
    });
    assert.equal([again.status, cached(again), again.headers.etag], [304, 'HIT', given.etag]);
    assert.is(asked.length, 1);
    // A response that had been in the cache of a machine would begin its lifetime anew.
    const { headers: ofMachine } = await machines[0].site.send(path);
    assert.equal([ofMachine['x-cache'], ofMachine['x-accel-expires']], ['BYPASS', '59']);
    const graphQl = await cdn.get('{ events { totalCount } }');
    const repeated = await cdn.get('{ events { totalCount } }', {
      accept: 'application/graphql-response+json',
    });
    assert.equal([cached(graphQl), cached(repeated), repeated.text], ['MISS', 'HIT', graphQl.text]);
    assert.is(asked.length, 3);
  },
);

withAnnex('operator', caching)(
  'should refuse what is not public, and never cache /readyz',
  async (context) => {
    const { cdn, asked } = context;
    const headers = { authorization: `Bearer ${ADMIN}`, 'x-forwarded-for': '192.0.2.1' };
    for (const path of ['/status', '/status?format=json', '/metrics', '/snapshots/manifest.json'])
      assert.is((await cdn.send(path, { headers })).status, 403, path);
    assert.is(asked.length, 0);
    for (const path of ['/readyz', '/readyz']) assert.is(cached(await cdn.send(path)), undefined);
  },
);

/** The headers that docs/cdn.md promises: each path of the first column is requested. */
caching('should send the headers in the table of docs/cdn.md', async ({ machines }) => {
  const rows = tableIn(readPage('docs/cdn.md'), 'Decide what is cached').trim().split('\n').slice(2);
  assertAbove(rows.length, 5, 'rows');
  for (const row of rows) {
    const [paths = '', cacheControl = ''] = cellsOf(row);
    const expected = new RegExp(`^${cacheControl.replaceAll('`', '').replaceAll('N', '\\d+')}$`);
    for (const [, path = ''] of paths.matchAll(/`(\/[^`]*)`/g)) {
      const { headers } = await machines[0].server.send(path, { headers: PREFLIGHT });
      assert.match(`${headers['cache-control']}`, expected, path);
    }
  }
});

caching('D6: should never show an event that is over', async (context) => {
  const { cdn } = context;
  const begun = Date.now() - 400;
  const shift = NOON - SOON * 1_000 - begun;
  context.clock = () => Date.now() + shift;
  const path = `${LIST}?pageSize=30`;
  await eventually('it is over', async () => {
    const isOver = context.clock() >= NOON;
    const got = await cdn.send(path);
    if (isOver) assert.not.ok(shows(got, 'brief'), 'shown after its end');
    return isOver;
  });
});

caching(
  'should show a hidden event no longer than max-age, and not at all after a purge',
  async (context) => {
    const { cdn, publish, stored } = context;
    context.clock = () => LONG_BEFORE;
    const purged = `${LIST}?pageSize=40`;
    assert.ok(shows(await cdn.send(purged), 'hidden'));
    context.clock = () => NOON - SOON * 1_000;
    const expiring = `${LIST}?pageSize=50`;
    assert.ok(shows(await cdn.send(expiring), 'hidden'));
    // nginx has a real clock. `age` leaves out the time of both requests, so no slow machine makes it too long.
    const fetched = Date.now();
    await publish('hidden');
    await eventually('it is gone', async () => {
      const age = Date.now() - fetched;
      const isShown = shows(await cdn.send(expiring), 'hidden');
      if (isShown) assert.ok(age <= SOON * 1_000, `shown ${age} ms after it was fetched`);
      return !isShown;
    });
    assert.equal([cached(await cdn.send(purged)), shows(await cdn.send(purged), 'hidden')], ['HIT', true]);
    for (const name of readdirSync(stored)) rmSync(join(stored, name));
    assert.not.ok(shows(await cdn.send(purged), 'hidden'));
  },
);

caching('should lose no request when the nginx of a machine stops', async (context) => {
  const { cdn, machines, asked } = context;
  context.clock = () => LONG_BEFORE;
  const [one, two] = machines;
  const failed: string[] = [];
  let left = 60;
  const probe = async (at: number) => {
    while (left > 0) {
      left -= 1;
      const turn = left;
      // Each is for an address of its own, and every third one a POST, so nothing comes from the cache.
      const query = `{ events(page: ${turn}) { totalCount } }`;
      const { status, text } = at === 0 ? await cdn.post(query) : await cdn.get(query);
      if (status !== 200) failed.push(`${status} ${text}`);
      if (turn === 40) await one.nginx.stop();
      await pause(1);
    }
  };
  await Promise.all([0, 1, 2].map(probe));
  assert.equal(failed, []);
  assertAtLeast(asked.length, 60, 'requests');
  await two.nginx.stop();
  const { status } = await cdn.get('{ events(page: 61) { totalCount } }');
  assert.is(status, 502, 'and nothing stale without both');
});

caching.run();
