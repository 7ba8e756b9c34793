/** The cache of the site of docs/debian, by http in place of https: nginx as it is, and the real server. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../../../src/package.ts';
import type { AccessLogEntry } from '../../../../src/serve/http/access-log.ts';
import { withAnnex } from '../../../helpers/annex.ts';
import { assertAtMost } from '../../../helpers/assertions.ts';
import { JSON_BODY } from '../../../helpers/client.ts';
import { debianFile } from '../../../helpers/debian-files.ts';
import { always, type FeedServer, startFeedServer } from '../../../helpers/feed-server.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { freePort, type Nginx, startNginx, withNginx } from '../../../helpers/nginx.ts';
import { type Running, startBuilt } from '../../../helpers/running.ts';
import { eventually } from '../../../helpers/until.ts';
import { hasPart } from '../../../helpers/when.ts';
import { theBlock } from '../../../readme/blocks.ts';

const CACHE = debianFile('etc/nginx/conf.d/almanakk-cache.conf');
const SITE = debianFile('etc/nginx/conf.d/almanakk.conf');

const PROXYING = debianFile('etc/nginx/snippets/almanakk.conf');

/** The servers of two machines in docs/two-machines.md. */
const BOTH = theBlock({ language: 'nginx', says: /^upstream almanakk \{$/m }).text;

const ADMIN = 'a-token-of-the-operator';
/** Files in almanakk.d are included in the same block. These may be taken away, with the pages for operators. */
const METRICS = ['metrics', 'status']
  .map((name) => `docs/examples/${name}.conf`)
  .filter(hasPart)
  .map((path) => readFileSync(packagePath(path), 'utf8'))
  .join('')
  .replaceAll(/192\.0\.2\.(?:10|0\/24)(?=;)/g, '127.0.0.1');

/** The machine of a CDN, whose network is in the file below, and some callers. */
const EDGE = '127.0.0.2';
const ANNE = '127.0.0.3';
const BERIT = '127.0.0.4';
const BLOCKED = '127.0.0.5';
const STRANGER = '127.0.0.6';
const QUOTA = 10_000;
/** The file of docs/cdn.md for Cloudflare, and for a CDN with the usual header. */
const PRINTED = theBlock({ language: 'nginx', says: /^set_real_ip_from / }).text;
const CALLERS = `${PRINTED.replace('192.0.2.0/24', EDGE)}deny ${BLOCKED};\n`;
const FORWARDED = CALLERS.replace(/^real_ip_header .*\n/m, '').replaceAll('# real_ip', 'real_ip');

const NOON = Date.parse('2026-11-20T12:00:00+01:00');
/** Seconds after noon at which an event is over. */
const ENDS = [4, 5];

interface Cdn {
  readonly edge: number;
  readonly origin: number;
}

interface Context {
  server: Running;
  nginx: Nginx;
  url: string;
  /** The ports of two CDNs, and of the sites that they lead to. */
  cdns: readonly Cdn[];
  /** Two servers of this machine and two of another one, which nginx has as backups. */
  four: readonly FeedServer[];
  /** Of the site in front of them, whose limits in seconds are hundredths here. */
  busy: number;
  asked: AccessLogEntry[];
  clock: () => number;
}

const caching = withNginx(suite<Context>('a cache in front'));

caching.before(async (context) => {
  context.asked = [];
  // Long before anything is over: what a cache has is good for a minute of nginx's own clock.
  context.clock = () => NOON - 58_000;
  const source = sourceFolder({
    'events.json': ENDS.map((second) => ({
      id: `e${second}`,
      title_nb: `Over etter ${second} sekunder`,
      desc_nb: `<p>${'Lenge. '.repeat(300)}</p>`,
      categories: ['MUSIC'],
      dates: [{ start: '2026-11-20 11:00', end: `2026-11-20 12:00:0${second}` }],
    })),
  });
  context.server = await startBuilt(source, NOON / 1_000 - 100, {
    clock: () => context.clock(),
    onAccess: (entry) => context.asked.push(entry),
    context: { settings: { adminToken: ADMIN, trustProxy: ['127.0.0.1'], quota: QUOTA } },
  });
  const [origin, forwarded] = [await freePort(), await freePort()];
  const [ownEdge, usualEdge] = [await freePort(), await freePort()];
  context.busy = await freePort();
  context.four = await Promise.all(Array.from({ length: 4 }, () => startFeedServer(OVERLOADED)));
  const hosts = context.four.map(({ url }) => new URL(url).host);
  const cache = CACHE.replace('/var/lib/nginx/almanakk', join(temporaryFolder(), 'cache'));
  const site = SITE.replace('  set $calendar', `${METRICS}${CALLERS}  set $calendar`)
    .replaceAll(/^ {2}(ssl_.*|listen \[.*|listen 80;)\n/gm, '')
    .replaceAll(/127\.0\.0\.1:400[01]/g, new URL(context.server.url).host)
    .replace('server {', `server {\n  listen 127.0.0.1:${await freePort()};`)
    .replace('listen 443 ssl http2 default_server;', `listen 127.0.0.1:${origin};`);
  context.nginx = await startNginx({
    http: [
      cache,
      site,
      `server {
        listen 127.0.0.1:${forwarded};
        ${FORWARDED}
        set $calendar almanakk;
        include snippets/almanakk-site.conf;
      }`,
      BOTH.replace('almanakk', 'four').replaceAll(/(?<=^ *server )[\d.:]+/gm, () => hosts.shift() ?? ''),
      `server {
        listen 127.0.0.1:${context.busy};
        location / {
          proxy_pass http://four;
          ${PROXYING.replaceAll(/(?<=_timeout )(\d+)s;/g, '$10ms;')}
        }
      }`,
      edgeServer(ownEdge, origin, 'CF-Connecting-IP $remote_addr'),
      edgeServer(usualEdge, forwarded, 'X-Forwarded-For $proxy_add_x_forwarded_for'),
    ].join('\n'),
    server: 'return 204;',
  });
  context.url = `http://127.0.0.1:${origin}`;
  context.cdns = [
    { edge: ownEdge, origin },
    { edge: usualEdge, origin: forwarded },
  ];
});

const WELL = always(200, '{}');
const SILENT = () => undefined;
const OVERLOADED = always(503, '{"errors":[]}', { 'retry-after': '1' });

/** A machine of a CDN, which names the caller in this header. */
function edgeServer(port: number, origin: number, header: string): string {
  return `server {
    listen 127.0.0.1:${port};
    location / {
      proxy_bind ${EDGE};
      proxy_set_header ${header};
      proxy_pass http://127.0.0.1:${origin};
    }
  }`;
}

caching.before.each(({ asked }) => {
  asked.length = 0;
});

caching.after(async ({ nginx, server, four }) => {
  await nginx.stop();
  for (const { close } of four) await close();
  await server.close();
});

withAnnex('operator', caching)(
  'H12: should lead Prometheus alone to the metrics of each server, and known networks to /status',
  async ({ url }) => {
    const headers = { Authorization: `Bearer ${ADMIN}` };
    for (const path of ['metrics', 'metrics/4000', 'metrics/4001']) {
      const response = await fetch(`${url}/${path}`, { headers });
      assert.match(await response.text(), /^almanakk_snapshot_open 1$/m);
    }
    assert.is((await fetch(`${url}/status?format=json`, { headers })).status, 200);
    assert.is((await fetch(`${url}/status`)).status, 401);
    assert.is((await fetch(`${url}/metrics/4002`)).status, 404);
    for (const path of ['/metrics', '/metrics/4000', '/status', '/status?format=json']) {
      const { port } = new URL(url);
      const stranger = { host: '127.0.0.1', port, localAddress: STRANGER, path, headers };
      const [response] = await once(request(stranger).end(), 'response');
      response.resume();
      assert.is(response.statusCode, 403, path);
    }
  },
);

/** How often each of the four servers gets a request that is sent once. */
const REPEATED = [
  {
    what: 'refuse it',
    answers: [OVERLOADED, OVERLOADED, OVERLOADED, OVERLOADED],
    counts: [1, 1, 1, 0],
    status: 503,
  },
  { what: 'do not answer', answers: [SILENT, SILENT, SILENT, SILENT], counts: [1, 1, 0, 0], status: 504 },
  {
    what: 'refuse it, but for the other machine',
    answers: [OVERLOADED, OVERLOADED, WELL, WELL],
    counts: [1, 1, 1, 0],
    status: 200,
  },
];

for (const { what, answers, counts, status } of REPEATED)
  caching(`D14: should repeat a request on few servers, if they ${what}`, async ({ four, busy }) => {
    for (const [at, server] of four.entries()) {
      server.requests.length = 0;
      server.answer = answers[at] ?? SILENT;
    }
    const { statusCode, headers } = await askFrom(ANNE, busy);
    assert.is(statusCode, status);
    if (status === 503) assert.is(headers['retry-after'], '1');
    const [one, two, ...backups] = four.map(({ requests }) => requests.length);
    assert.equal([one, two, ...backups.sort().reverse()], counts);
  });

const PREFLIGHT = { 'Gateway-Require-Preflight': 'true' };

const addressOf = ({ url }: Context, query: string) => `${url}/graphQL?query=${encodeURIComponent(query)}`;

/** Headers that clients send of their own accord. */
const CLIENTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'fetch of Node': { accept: '*/*', 'accept-encoding': 'gzip, deflate' },
  'a browser': { accept: '*/*', 'accept-encoding': 'gzip, deflate, br, zstd' },
  'Apollo Client': { accept: 'application/graphql-response+json,application/json;q=0.9' },
  urql: {
    accept:
      'application/graphql-response+json, application/graphql+json, application/json, text/event-stream, multipart/mixed',
    'accept-encoding': 'br',
  },
  'a reader of plain text': { 'accept-encoding': 'identity' },
};

async function askAs(headers: Readonly<Record<string, string>>, address: string) {
  const response = await fetch(address, { headers });
  assert.is(response.status, 200, address);
  assert.ok(response.headers.get('etag')?.includes('"'), address);
  return response.text();
}

caching(
  'D7: should ask the server once for all clients, and give each a coding that it accepts',
  async (context) => {
    const address = addressOf(context, '{ events { data { id desc_nb } } }');
    const first = await askAs(PREFLIGHT, address);
    assert.is(JSON.parse(first).data.events.data.length, ENDS.length);
    for (const [client, headers] of Object.entries(CLIENTS))
      assert.is(await askAs({ ...PREFLIGHT, ...headers }, address), first, client);
    assert.is(context.asked.length, 1);
  },
);

caching('D6: should answer a conditional GET from the cache', async (context) => {
  const address = addressOf(context, '{ events { totalCount data { desc_nb } } }');
  for (const encoding of ['gzip', 'identity']) {
    const headers = { ...PREFLIGHT, 'accept-encoding': encoding };
    const { headers: got } = await fetch(address, { headers });
    const again = await fetch(address, { headers: { ...headers, 'if-none-match': got.get('etag') ?? '' } });
    assert.is(again.status, 304, encoding);
  }
  assert.is(context.asked.length, 1);
});

withAnnex('feeds', caching)('I1: should cache feeds for all readers', async (context) => {
  for (const path of ['/events.ics', '/events.rss?lang=en', '/events.jsonld']) {
    const first = await askAs({}, context.url + path);
    for (const [client, headers] of Object.entries(CLIENTS))
      assert.is(await askAs(headers, context.url + path), first, `${path} for ${client}`);
  }
  assert.is(context.asked.length, 3);
});

withAnnex('embed', caching)(
  'I5: should ask the server once for an embed on several sites',
  async (context) => {
    const address = `${context.url}/embed.json?categories=MUSIC&pageSize=5`;
    const first = await askAs({ origin: 'https://avisen.example' }, address);
    assert.is(JSON.parse(first).events.length, ENDS.length);
    assert.is(JSON.parse(first).showsMunicipality, false);
    for (const [client, headers] of Object.entries(CLIENTS))
      assert.is(
        await askAs({ ...headers, origin: `https://${client.length}.example` }, address),
        first,
        client,
      );
    assert.is(context.asked.length, 1);
  },
);

withAnnex('persisted', caching)(
  'D11: should keep answers by hash, and not that a hash is unknown',
  async (context) => {
    const query = '{ events { pageInfo { totalPages } } }';
    const sha256Hash = createHash('sha256').update(query).digest('hex');
    const extensions = { persistedQuery: { version: 1, sha256Hash } };
    const address = `${context.url}/graphQL?extensions=${encodeURIComponent(JSON.stringify(extensions))}`;
    const ask = async () => {
      const response = await fetch(address, { headers: PREFLIGHT });
      return [response.headers.get('x-cache'), (await response.text()).includes('totalPages')];
    };
    const seenOnce = async () => (await ask()).join();
    assert.is(await seenOnce(), 'MISS,false');
    assert.is(await seenOnce(), 'MISS,false');
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ query, extensions });
    await fetch(`${context.url}/graphQL`, { method: 'POST', headers, body });
    assert.is(await seenOnce(), 'MISS,true');
    assert.is(await seenOnce(), 'HIT,true');
  },
);

caching('D6: should pass requests with a key through, in the header and in the address', async (context) => {
  const address = addressOf(context, '{ events { totalCount } }');
  const ask = async (url: string, headers = {}) =>
    (await fetch(url, { headers: { ...PREFLIGHT, ...headers } })).headers.get('x-cache');
  assert.is(await ask(address), 'MISS');
  assert.is(await ask(address), 'HIT');
  assert.is(await ask(address, { 'X-Api-Key': 'alk_some' }), 'BYPASS');
  for (const key of ['key', 'k%65y']) {
    const first = await ask(`${address}&${key}=alk_some`);
    assert.is.not(first, 'HIT');
    assert.is(await ask(`${address}&${key}=alk_some`), first);
  }
  assert.is(context.asked.length, 6);
});

withAnnex('quota', caching)(
  'K4: should count and deny the callers of a CDN, and believe its header from nobody else',
  async ({ cdns }) => {
    const forged = { 'cf-connecting-ip': ANNE, 'x-forwarded-for': ANNE };
    const used: number[] = [];
    for (const { edge, origin } of cdns) {
      used.push(
        await usedBy(ANNE, edge),
        await usedBy(BERIT, edge, forged),
        await usedBy(STRANGER, origin, forged),
        await usedBy(ANNE, edge),
      );
      assert.is((await askFrom(BLOCKED, edge)).statusCode, 403);
    }
    assert.equal(used, [1, 1, 1, 2, 3, 2, 2, 4]);
  },
);

/** In nginx, for one caller. */
const MOST_OF_ONE = 100;

caching('should refuse a caller who leaves too many requests open, and no other', async ({ cdns }) => {
  const [{ origin } = { origin: 0 }] = cdns;
  const ofNetwork = (at: number) => ({ 'cf-connecting-ip': `2001:db8:0:${at % 2}::${at.toString(16)}` });
  const open = Array.from({ length: MOST_OF_ONE }, (_, at) => {
    const headers = { ...JSON_BODY, ...ofNetwork(2 * at), 'content-length': 1_000 };
    const options = { host: '127.0.0.1', port: origin, localAddress: EDGE, path: '/graphQL', method: 'POST' };
    const outgoing = request({ ...options, headers, agent: false }).on('error', () => undefined);
    outgoing.flushHeaders();
    return outgoing;
  });
  const statusFor = async (headers: Readonly<Record<string, string>>) =>
    (await askFrom(EDGE, origin, headers)).statusCode;
  await eventually('the network is refused', async () => (await statusFor(ofNetwork(1_000))) === 503);
  assert.is(await statusFor(ofNetwork(1_001)), 200, 'another network');
  assert.is(await statusFor({ 'cf-connecting-ip': BERIT }), 200);
  for (const outgoing of open) outgoing.destroy();
  await eventually('the network is served again', async () => (await statusFor(ofNetwork(1_000))) === 200);
});

/** The part of the quota that this address has used after another request. */
async function usedBy(address: string, port: number, headers = {}): Promise<number> {
  const { statusCode, headers: got } = await askFrom(address, port, headers);
  assert.is(statusCode, 200);
  const [, left] = /r=(\d+)/.exec(`${got.ratelimit}`) ?? [];
  return QUOTA - Number(left);
}

async function askFrom(localAddress: string, port: number, headers = {}): Promise<IncomingMessage> {
  const outgoing = request({
    host: '127.0.0.1',
    port,
    localAddress,
    path: '/graphQL',
    method: 'POST',
    headers: { ...JSON_BODY, ...headers },
  });
  outgoing.end(JSON.stringify({ query: '{ events { totalCount } }' }));
  const [response] = await once(outgoing, 'response');
  return response.resume();
}

withAnnex('sandbox', caching)(
  'D3: should give browsers their page at an address whose answer is kept',
  async (context) => {
    const address = addressOf(context, '{ events { hasMore } }');
    await fetch(address, { headers: PREFLIGHT });
    // nginx, which reads the value as it is written, would keep an answer to this as the page.
    const padded = await fetch(address, { headers: { 'Gateway-Require-Preflight': 'true\u00a0' } });
    assert.is(padded.status, 400);
    const page = await fetch(address, { headers: { accept: 'text/html' } });
    assert.match(await page.text(), /^<!doctype html>/);
    const blocked = await fetch(address);
    assert.is(blocked.status, 400);
    assert.match(await blocked.text(), 'CSRF');
    const again = await fetch(address, { headers: PREFLIGHT });
    assert.is(again.headers.get('x-cache'), 'HIT');
  },
);

caching(
  'D6: should never serve an event that is over, and ask once for an answer that can be stored',
  async (context) => {
    // nginx has the machine's clock, so the server's clock must run like it.
    const begun = Date.now() - 400;
    const shift = NOON - begun;
    context.clock = () => Date.now() + shift;
    const address = addressOf(context, '{ events { data { id } } }');
    const wrong: string[] = [];
    let stored = 0;
    await eventually('all is over', async () => {
      const second = Math.floor((Date.now() - begun) / 1_000);
      const response = await fetch(address, { headers: PREFLIGHT });
      const { data } = JSON.parse(await response.text());
      const ids: readonly string[] = data.events.data.map(({ id }: { readonly id: string }) => id);
      wrong.push(...ids.filter((id) => Number(id.slice(1)) <= second));
      if (ids.length > 0 && isStored(response)) stored++;
      return ids.length === 0;
    });
    assert.equal(wrong, []);
    // Each later answer is too close to the next change. A machine that comes late sees none.
    assertAtMost(stored, 1, 'requests that the server answered for the cache');
  },
);

/** Whether the server sent this response, and nginx stores it: it does so for a second less than `max-age`. */
function isStored({ headers }: Response): boolean {
  const [, maxAge] = /max-age=(\d+)/.exec(headers.get('cache-control') ?? '') ?? [];
  return headers.get('x-cache') !== 'HIT' && Number(maxAge) >= 2;
}

caching.run();
