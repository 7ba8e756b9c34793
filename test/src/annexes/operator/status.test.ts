import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createGuard } from '../../../../src/annexes/guard/token.ts';
import { concernsIn } from '../../../../src/annexes/operator/concerns.ts';
import { healthOf } from '../../../../src/annexes/operator/health.ts';
import { createOperatorApp, statusUrlOf } from '../../../../src/annexes/operator/operator.ts';
import { asBuiltOf } from '../../../../src/annexes/operator/reports.ts';
import type { Status } from '../../../../src/annexes/operator/status.ts';
import { createHttpServer } from '../../../../src/serve/http/server.ts';
import { type BuildRecord, NO_UPKEEP } from '../../../../src/upkeep.ts';
import { assertBelow } from '../../../helpers/assertions.ts';
import { clientOf } from '../../../helpers/client.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { type PagesSetup, startPages } from '../../../helpers/pages.ts';
import type { Running } from '../../../helpers/running.ts';

const NOW = Date.parse('2026-11-20T10:17:00Z');
const iso = (milliseconds: number) => new Date(milliseconds).toISOString();

const view = suite<{ running: Running }>('status');

const event = (id: string, more: object = {}) => ({
  id,
  title_nb: id,
  categories: ['MUSIC'],
  dates: [{ start: '2026-11-21 19:00' }],
  ...more,
});
const HALF = { dates: [{ start: 'i morgen' }, { start: '2026-11-22 19:00' }], venue: 'nowhere' };

/** A source of which something is dropped. */
const SOURCE = sourceFolder({
  'events.json': [event('good'), event('half', HALF), event('more'), event('most'), { id: 'bad' }],
});

const FAILED: BuildRecord = {
  kind: 'rebuild',
  outcome: 'failed',
  startedAt: NOW - 60_000,
  ms: 1_234,
  id: null,
  counts: null,
  reason: 'expected JSON in /srv/secret/place/events.json, found "<b>"',
  dropped: 0,
};

view.before(async (context) => {
  context.running = await startPages({ clock: () => NOW, source: SOURCE });
});

view.after(({ running }) => running.close());

async function statusOf({ send }: Pick<Running, 'send'>): Promise<Status> {
  const { headers, text } = await send('/status');
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.is(headers['cache-control'], 'no-store');
  return JSON.parse(text);
}

const namesOf = ({ concerns }: Pick<Status, 'concerns'>) => concerns.map(({ name }) => name);

const pageOf = async ({ send }: Pick<Running, 'send'>, lang = 'en') =>
  (await send(`/status?format=html&lang=${lang}`)).text;

/** The status of a server with this setup, as JSON and as its pages. */
async function statusWith(setup: PagesSetup) {
  const running = await startPages({ clock: () => NOW, source: SOURCE, ...setup });
  const [status, nb, en] = [await statusOf(running), await pageOf(running, 'nb'), await pageOf(running)];
  await running.close();
  return { status, nb, en };
}

const HTML = 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8';

for (const [path, accept, type] of [
  ['/status', '*/*', 'application/json'],
  ['/status', HTML, 'text/html'],
  ['/status?format=json', HTML, 'application/json'],
  ['/status?format=html', '*/*', 'text/html'],
] as const) {
  view(`D8: should give ${type} at ${path} to those who accept ${accept}`, async ({ running }) => {
    const { status, headers } = await running.send(path, { headers: { accept } });
    assert.equal([status, headers['content-type']], [200, `${type}; charset=utf-8`]);
    if (type === 'text/html') assert.match(headers.vary ?? '', /^Accept, Accept-Language/);
  });
}

/** The text of a page, without tags and attributes. */
const textOf = (page: string) => page.replaceAll(/<[^>]+>/g, '');

view('G2: should show the snapshot, and what its build left out', async ({ running }) => {
  const { snapshot, report, ...status } = await statusOf(running);
  assert.equal([status.state, status.at, namesOf(status)], ['serving', iso(NOW), ['records dropped']]);
  assert.equal(
    [snapshot?.id, snapshot?.ageSeconds, snapshot?.upcoming],
    [running.keeper.state().current?.id, 0, 4],
  );
  const events = report?.lists.find(({ list }) => list === 'events');
  assert.equal(events, { list: 'events', read: 5, kept: 4, dropped: 1 });
  assert.equal(
    report?.findings.map(({ action, place, id, field }) => [action, place, id, field]),
    [
      ['dropped record', 'events.json:1', null, 'title_nb'],
      ['dropped date', 'events.json:1', 'half', 'dates[0].start'],
      ['dropped reference', 'events.json:1', 'half', 'venue'],
    ],
  );
  const metrics = (await running.send('/metrics')).text;
  const dropped = [...metrics.matchAll(/^almanakk_build_dropped\{kind="(\w+)"\} (\d)$/gm)];
  assert.is(dropped.map(([, ...found]) => found.join()).join(' '), 'record,1 series,0 date,1 reference,1');
});

view('G2: should show findings in the language of the page, the most harmful first', async ({ running }) => {
  const dates = '&quot;2026-05-17 19:30&quot; or a date such as &quot;2026-05-17&quot;';
  const own = `(first on 2026-11-20). Expected a datetime such as ${dates}, found &quot;i morgen&quot;.`;
  const page = await pageOf(running);
  assert.match(page, /<a href="#findings">More about this[\s\S]*<ol class="findings" id="findings">/);
  const english = textOf(page);
  assert.match(english, `events.json:1 half dates[0].start date dropped ${own}`);
  assert.match(english, 'Record dropped: 1Date dropped: 1Reference dropped: 1');
  assert.match(textOf(await pageOf(running, 'nb')), `dato utelatt ${own.replace('first on', 'først')}`);
});

const STORE = { name: 's3://kalender/by', id: 'a'.repeat(16), failing: null, rival: null };
const FULL = { ...FAILED, reason: '/srv/x/snapshots: SQLITE_FULL: database or disk is full' };
const DROPPED = [
  'records dropped: events.json:1 title_nb: oppføring utelatt',
  'events.json:1 half dates[0].start: dato utelatt',
  'events.json:1 half venue: referanse utelatt',
].join('; ');

/** A setup of a server, its concerns with their Norwegian details, and a text of its English page. */
const CONCERNS: readonly (readonly [setup: PagesSetup, concerns: readonly string[], page: RegExp])[] = [
  [{ source: sourceFolder({ 'events.json': [event('good')] }) }, [], /Serving\. All OK\./],
  [{ source: null }, ['no snapshot: '], /There is no calendar to serve yet\./],
  [
    { builds: [FAILED] },
    ['build failed: expected JSON in events.json, found "<b>"', DROPPED],
    /The last build or copy failed\..*Since .*Fix the error in the message.*events\.json, found &quot;&lt;b&gt;/s,
  ],
  [
    {
      builds: [FULL, { ...FULL, startedAt: NOW - 600_000 }],
      store: { ...STORE, failing: { since: NOW, why: 'other', reason: 'connect ECONNREFUSED 127.0.0.1:1' } },
    },
    ['build failed: disken med snapshots er full', DROPPED, 'store failing: ingen server svarer på adressen'],
    /Since 20 November 2026 at 11:07\. .*the disk with snapshots is full.*no server answers at the address/s,
  ],
  [
    {
      builds: [
        {
          ...FAILED,
          reason: `/srv/x: expected room for 900 bytes, found 90, 810 too few: free some space on this disk`,
        },
      ],
    },
    ['build failed: disken med x er full; det mangler 810 byte', DROPPED],
    /the disk with x is full; 810 more bytes are needed/,
  ],
  [
    {
      builds: [{ ...FAILED, kind: 'pull' }],
      origin: { outOfReach: 'http://x/: connect ECONNREFUSED', since: NOW },
    },
    [
      'build failed: expected JSON in events.json, found "<b>"',
      DROPPED,
      'origin out of reach: ingen server svarer på adressen',
    ],
    /The origin cannot be reached\./,
  ],
  [
    {
      store: {
        ...STORE,
        failing: {
          since: NOW,
          why: 'status 503',
          reason: 's3://kalender/by/manifest.json: found status 503',
        },
        rival: { id: 'b'.repeat(16), builtAt: '2026-11-20T10:00:00Z', seenAt: NOW },
      },
    },
    [DROPPED, 'store failing: intern feil på serveren', `another builder: ${'b'.repeat(16)}`],
    /The object store does not have the latest calendar\..*the server there has failed.*s3:\/\/kalender\/by a{16}/s,
  ],
];

for (const [setup, concerns, page] of CONCERNS)
  view(`H12: should name its concerns: ${concerns.join().slice(0, 60) || 'all is well'}`, async () => {
    const { status, nb, en } = await statusWith(setup);
    const found = status.concerns.map(
      ({ name, details }) => `${name}: ${details.map((detail) => detail.nb).join('; ')}`,
    );
    assert.equal(found, concerns);
    assert.match(textOf(en), page);
    assert.not.match(`${nb}${en}`, /secret|ECONNREFUSED|SQLITE_FULL/);
    for (const { what } of status.concerns) assert.match(nb, what.nb);
  });

view('should name the applications that ask', async () => {
  const applicationOf = (key: string) => (key === 'good' ? 'App' : undefined);
  const running = await startPages({ clock: () => NOW, source: SOURCE, applicationOf });
  const { post } = running;
  for (const field of ['venues { id }', 'venues { id }', 'venues { id }', 'organizers { id }'])
    await post(`{ ${field} }`, {}, { 'X-Api-Key': 'good' });
  await post('{ nothing }', {}, { 'X-Page-Url': 'https://avis.example/kultur' });
  await post('{ events(page: -1) { totalCount } }', {}, { 'X-Client-Id': 'web/1.0' });
  const { traffic } = await statusOf(running);
  const page = await pageOf(running);
  await running.close();
  assert.equal(
    traffic.callers.map((caller) => Object.values(caller).join()),
    ['application,App,4,0,0,0', 'anonymous,,1,0,1,0', 'operator,,1,1,0,0'],
  );
  assert.match(page, '<span>Application</span> <code>App</code>');
});

view('H5: should be concerned about a delivery that was refused, until a good one comes', async () => {
  const running = await startPages({ clock: () => NOW, source: SOURCE });
  const path = running.keeper.path ?? '';
  writeFileSync(join(dirname(path), 'manifest.json'), '{"half": ');
  await running.keeper.check();
  const status = await statusOf(running);
  await running.close();
  assert.equal([status.state, ...namesOf(status)], ['serving', 'delivery refused', 'records dropped']);
  assert.match(status.refusal?.reason ?? '', /^manifest\.json: expected JSON/);
});

/** All that a text may hold, under one word that must not leave: the findings about it quote its values. */
const SECRET = {
  id: 'hemmelig-1',
  title_nb: '<b>Hemmelig\u0007 festival</b>',
  title_en: '<i>Hemmelig</i>',
  slug_nb: 'Hemmelig Festival!',
  desc_nb: '<script>hemmelig()</script><p>Hemmelig</p>',
  categories: ['HEMMELIG'],
  tags: ['<b>hemmelig</b>'],
  venue: 'hemmelig-sted',
  contact: { email: 'hemmelig@', phone: '<hemmelig>' },
  ticketsURL: 'javascript:hemmelig()',
  images: [{ url: 'ftp://hemmelig' }],
  dates: [{ start: '2026-12-21 19:00' }, { start: 'hemmelig' }],
};
const OPEN_EVENT = event('open', { dates: [{ start: '2026-12-21 19:00' }, { start: 'senere' }] });
const LATER = { ...SECRET, publishingDate: '2026-12-01 10:00' };
const ODD_VENUE = { 'venues.json': [{ id: 'open', name: 'Hall', accessibility: ['hemmelig'] }] };

for (const [what, secret, more = {}] of [
  ['of an event that is to be published later', LATER],
  ['of an event that says in no way when it is', { ...SECRET, publishingDate: 'hemmelig' }],
  ['of an event that has no date that can be read', { ...LATER, dates: [{ start: 'hemmelig' }] }],
  ['of an event that has the id of one that is public', { ...LATER, id: 'open' }],
  ['of a place that has the id of an event that is public', LATER, ODD_VENUE],
] as const) {
  view(`H9: MUST show no value ${what}`, async () => {
    let clock = NOW;
    const source = sourceFolder({ 'events.json': [OPEN_EVENT, secret], ...more });
    const reason = 'events.json:3: expected JSON, but a comma is missing after "hemmelig"; look at it';
    const publicReason = 'events.json:3: expected JSON; look at it';
    const failed = { ...FAILED, reason, publicReason };
    const running = await startPages({ clock: () => clock, source, builds: [failed] });
    for (const path of ['/status?format=json', '/status?format=html', '/metrics', '/readyz'])
      assert.not.match((await running.send(path)).text, /hemmelig/i, path);
    const { report, builds } = await statusOf(running);
    const isTold = report?.findings.some(({ id, found }) => id === 'open' && found === '"senere"');
    assert.is(isTold, secret.id !== 'open');
    assert.is(builds[0]?.reason, publicReason);
    // Once the event is public, the operator sees its faults.
    clock = Date.parse('2026-12-01T09:00:00Z');
    assert.is(/hemmelig/i.test((await running.send('/status')).text), secret === LATER);
    await running.close();
  });
}

const storing = (texts: Readonly<Record<string, unknown>>) => ({
  json: async (name: string) => texts[name] ?? null,
});

view('should show nothing of a report or of changes in another form than its own', async () => {
  const origin = { file: 'events.ndjson', line: 3 };
  const finding = { action: 'dropped date', origin, id: null, field: null, expected: 'x', found: 'y' };
  const report = {
    lists: {},
    over: 0,
    actions: {},
    findingsLeftOut: 5,
    findings: new Array(70).fill(finding),
  };
  for (const other of [null, 'text', {}, { ...report, lists: { events: { read: 'many' } } }])
    assert.equal(await asBuiltOf(storing({ report: other, feeds: other, changes: [other] })), {
      report: null,
      feeds: [],
      changes: [],
    });
  const { report: read } = await asBuiltOf(storing({ report }));
  assert.equal([read?.findings.length, read?.findingsLeftOut], [50, 25]);
  assert.is(read?.findings[0]?.place, 'events.ndjson:3');
});

view(
  'should be concerned about failing feeds, the first of them by name',
  async ({ running: { keeper } }) => {
    const feed = { kind: 'ical', readAt: '2026-11-18T10:00:00Z' };
    const failing = Array.from({ length: 7 }, (_, at) => ({
      ...feed,
      id: `f${at}`,
      state: 'failed',
      since: `2026-11-1${at}T10:00:00Z`,
      why: 'gone',
    }));
    const feeds = [{ ...feed, id: 'huset', state: 'ok', since: null, why: null }, ...failing];
    const stored = await asBuiltOf(storing({ feeds }));
    const options = { keeper, clock: () => NOW, upkeep: async () => NO_UPKEEP, isStopping: () => false };
    const health = await healthOf(options, null);
    const [concern] = concernsIn({ ...health, ...stored });
    assert.equal([concern?.name, concern?.since], ['feed failing', '2026-11-10T10:00:00Z']);
    assert.equal(
      concern?.details.map(({ en }) => en),
      ['f0: gone', 'f1: gone', 'f2: gone', 'f3: gone', 'f4: gone', 'and 2 more'],
    );
  },
);

view('should show at most 200 letters of any value', async () => {
  const long = 'x'.repeat(1_000_000);
  const source = sourceFolder({
    'events.json': [event('a', { dates: [{ start: '2026-11-21 19:00' }, { start: long }] }), event('b')],
  });
  const { status, nb } = await statusWith({
    source,
    builds: [{ ...FAILED, reason: `events.json:3: ${long}` }],
  });
  assert.match(JSON.stringify(status), 'dropped date');
  assert.not.match(JSON.stringify(status), 'x'.repeat(201));
  assertBelow(nb.length, 50_000, 'letters');
});

const TOKEN = 'a-token-of-enough-length';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

const CREDENTIALS: readonly (readonly [authorization: string | undefined, status: number])[] = [
  [undefined, 401],
  ['Bearer', 401],
  [`Bearer ${TOKEN}x`, 401],
  [`Bearer ${TOKEN.slice(1)}`, 401],
  [TOKEN, 401],
  [basic(TOKEN), 401],
  [basic(`operator:${TOKEN}x`), 401],
  [`bearer  ${TOKEN}`, 200],
  [basic(`operator:${TOKEN}`), 200],
  [basic(`:${TOKEN}`), 200],
];

view('should be closed to everybody without the token, where one is set', async () => {
  const log = { warn: () => undefined };
  const guard = createGuard({ token: TOKEN, owner: 'the operator’s', log, pause: async () => null });
  const running = await startPages({ clock: () => NOW, source: null, guard });
  for (const [authorization, expected] of CREDENTIALS) {
    const sent = { headers: { accept: 'text/html', ...(authorization !== undefined && { authorization }) } };
    const { status, headers, text } = await running.send('/status', sent);
    assert.is(status, expected, authorization);
    assert.is((await running.send('/metrics', sent)).status, expected, authorization);
    if (expected === 200) continue;
    assert.match(headers['www-authenticate'] ?? '', /^Basic realm="almanakk"/);
    assert.equal(Object.keys(JSON.parse(text)), ['errors']);
  }
  assert.is((await running.send('/healthz')).status, 200);
  await running.close();
});

/** Names of the operator's port at `[::1]` or `127.0.0.1`, called `kalender.by` and with `drift.example` as public URL. */
const HOSTS: readonly (readonly [status: number, hosts: readonly string[]])[] = [
  [200, ['localhost', 'localhost:4001', 'LOCALHOST', '127.0.0.1:80', '[::1]:4001']],
  [200, ['kalender.by', 'Drift.Example:443']],
  [421, ['127.0.0.2', '10.0.0.1', '[::2]', '::1', 'null', 'evil.example']],
  [421, ['localhost.evil.example', 'evil.example:127.0.0.1', 'localhost@evil.example']],
];

view(
  'H8: should answer on a port of its own to its own names alone, and to no page of another origin',
  async () => {
    const headers = ['Content-Type', 'text/plain', 'Access-Control-Allow-Origin', '*'];
    const listener = createOperatorApp({
      routes: {
        '/status': { GET: () => ({ status: 200, headers, body: [Buffer.from('well')] }) },
        '/broken': { GET: () => Promise.reject(new Error('at /srv/secret')) },
      },
      names: ['kalender.by', 'drift.example', null],
      mask: () => 'id-1',
      clock: () => NOW,
    });
    const server = createHttpServer(listener).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { send } = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    for (const [expected, hosts] of HOSTS)
      for (const host of hosts)
        assert.is((await send('/status', { headers: { host } })).status, expected, host);
    for (const [method, path, status, beginning] of [
      ['GET', '/status?x=1', 200, 'well'],
      ['HEAD', '/status', 200, ''],
      ['POST', '/status', 405, '{'],
      ['GET', '/graphQL', 404, '{'],
      ['GET', '/toString', 404, '{'],
      ['GET', '/broken', 500, '{'],
    ] as const) {
      const { headers, text, ...got } = await send(path, { method });
      assert.equal([got.status, headers['access-control-allow-origin']], [status, undefined], path);
      assert.ok(text.startsWith(beginning) && !text.includes('secret'), text);
    }
    server.closeAllConnections();
    server.close();
  },
);

const STATUS_URLS: readonly (readonly [host: string, url: string])[] = [
  ['127.0.0.1', 'http://127.0.0.1:4001/status'],
  ['drift.by', 'http://drift.by:4001/status'],
  ['::1', 'http://[::1]:4001/status'],
  ['fe80::1%eth0', `http://${hostname()}:4001/status`],
  ['0.0.0.0', `http://${hostname()}:4001/status`],
  ['::', `http://${hostname()}:4001/status`],
];

view('H12: should name the address of its port in mails, also if that is one of IPv6', () => {
  for (const [adminHost, url] of STATUS_URLS)
    assert.is(statusUrlOf({ adminPort: 4_001, adminHost, publicUrl: null }), url, adminHost);
  const publicUrl = new URL('https://by.example/kalender/');
  const beside = { adminPort: null, adminHost: '127.0.0.1' };
  assert.is(statusUrlOf({ ...beside, publicUrl }), 'https://by.example/kalender/status');
  assert.is(statusUrlOf({ ...beside, publicUrl: null }), null);
});

view.run();
