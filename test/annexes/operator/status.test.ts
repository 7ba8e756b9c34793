import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createGuard } from '../../../src/annexes/guard/token.ts';
import { createOperatorApp } from '../../../src/annexes/operator/app.ts';
import { concernsIn } from '../../../src/annexes/operator/concerns.ts';
import { disclosedReason } from '../../../src/annexes/operator/disclosure.ts';
import { createHours } from '../../../src/annexes/operator/hours.ts';
import { readReport } from '../../../src/annexes/operator/reports.ts';
import { type Status, statusOf } from '../../../src/annexes/operator/status.ts';
import { createHttpServer } from '../../../src/serve/http/server.ts';
import type { Snapshot } from '../../../src/snapshot/open.ts';
import { type BuildRecord, NO_UPKEEP } from '../../../src/upkeep.ts';
import { clientOf } from '../../helpers/client.ts';
import { sourceFolder } from '../../helpers/native-source.ts';
import { startPages } from '../../helpers/pages.ts';
import type { Running } from '../../helpers/running.ts';
import { costsAtMost } from '../../helpers/usage.ts';

const NOW = Date.parse('2026-11-20T10:17:00Z');

interface Context {
  running: Running;
}

const view = suite<Context>('status');

/** A source with something to addFinding of. */
const SOURCE = sourceFolder({
  'events.json': [
    {
      id: 'good',
      title_nb: 'God',
      categories: ['MUSIC'],
      dates: [{ start: '2026-11-21 19:00', duration: 60 }],
    },
    {
      id: 'half',
      title_nb: 'Halv',
      categories: ['MUSIC'],
      dates: [{ start: 'i morgen' }, { start: '2026-11-22 19:00' }],
      venue: 'nowhere',
    },
    { id: 'more', title_nb: 'Mer', categories: ['MUSIC'], dates: [{ start: '2026-11-23 19:00' }] },
    { id: 'most', title_nb: 'Mest', categories: ['MUSIC'], dates: [{ start: '2026-11-24 19:00' }] },
    { id: 'bad' },
  ],
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

/** With the concerns by their names. */
async function fetchStatus({ send }: Pick<Running, 'send'>): Promise<Named> {
  const { headers, text } = await send('/status');
  assert.is(headers['content-type'], 'application/json; charset=utf-8');
  assert.is(headers['cache-control'], 'no-store');
  return named(JSON.parse(text));
}

type Named = Omit<Status, 'concerns'> & { readonly concerns: readonly string[] };

function named(status: Status): Named {
  return { ...status, concerns: status.concerns.map(({ name }) => name) };
}

const FORMATS: readonly (readonly [path: string, accept: string, type: string])[] = [
  ['/status', '*/*', 'application/json'],
  ['/status', 'application/json', 'application/json'],
  ['/status', 'text/html,application/xhtml+xml;q=0.9,*/*;q=0.8', 'text/html'],
  ['/status?format=json', 'text/html', 'application/json'],
  ['/status?format=html', '*/*', 'text/html'],
];

for (const [path, accept, type] of FORMATS) {
  view(`D8: should give ${type} at ${path} to those who accept ${accept}`, async ({ running }) => {
    const { status, headers } = await running.send(path, { headers: { accept } });
    assert.is(status, 200);
    assert.is(headers['content-type'], `${type}; charset=utf-8`);
    if (type === 'text/html') assert.match(headers.vary ?? '', /^Accept, Accept-Language/);
  });
}

view('should tell of the snapshot and when an answer changes next', async ({ running }) => {
  const { state, concerns, snapshot, at } = await fetchStatus(running);
  assert.is(state, 'serving');
  assert.equal(concerns, ['records dropped']);
  assert.is(at, new Date(NOW).toISOString());
  assert.is(snapshot?.id, running.keeper.state().current?.id);
  assert.is(snapshot?.ageSeconds, 0);
  assert.is(snapshot?.upcoming, 4);
  assert.is(snapshot?.nextChangeAt, '2026-11-21T19:00:00.000Z');
});

view('G2: should tell what the build left out of this snapshot', async ({ running }) => {
  const { report } = await fetchStatus(running);
  assert.equal(
    report?.lists.find(({ list }) => list === 'events'),
    { list: 'events', read: 5, kept: 4, dropped: 1 },
  );
  assert.equal(
    report?.findings.map(({ action, place, id, field }) => [action, place, id, field]).sort(),
    [
      ['dropped date', 'events.json:1', 'half', 'dates[0].start'],
      ['dropped record', 'events.json:1', null, 'title_nb'],
      ['dropped reference', 'events.json:1', 'half', 'venue'],
    ].sort(),
  );
});

view(
  'G2: should be concerned about what is missing, and count it by kind for alerts',
  async ({ running }) => {
    const page = (await running.send('/status?format=html&lang=en')).text;
    assert.match(page, 'Something in the source could not be used and is missing.');
    const metrics = (await running.send('/metrics')).text;
    assert.equal(metrics.match(/^almanakk_build_dropped\{.*$/gm), [
      'almanakk_build_dropped{kind="record"} 1',
      'almanakk_build_dropped{kind="series"} 0',
      'almanakk_build_dropped{kind="date"} 1',
      'almanakk_build_dropped{kind="reference"} 1',
    ]);
  },
);

view(
  'G2: should tell its findings in the language of the page, what harms most first',
  async ({ running }) => {
    const inLanguage = async (lang: string) =>
      (await running.send(`/status?format=html&lang=${lang}`)).text.replaceAll(/<[^>]+>/g, '');
    const expected =
      'a datetime such as &quot;2026-05-17 19:30&quot; or a date such as &quot;2026-05-17&quot;';
    const own = `Expected ${expected}, found &quot;i morgen&quot;.`;
    const english = await inLanguage('en');
    assert.match(english, `events.json:1 half dates[0].start: date dropped (first on 2026-11-20). ${own}`);
    assert.match(await inLanguage('nb'), `: dato utelatt (først 2026-11-20). ${own}`);
    assert.match(english, 'record dropped: 1, date dropped: 1, reference dropped: 1');
  },
);

view('H12: should say of each concern what it is about, what to do, and where more stands', async () => {
  const builds = [{ ...FAILED, reason: '/srv/x/snapshots: SQLITE_FULL: database or disk is full' }];
  const store = { name: 's3://a/b', id: null, sentAt: null, bytes: 0, ms: 0, rival: null };
  const failing = { since: NOW, why: 'other', reason: 'connect ECONNREFUSED 127.0.0.1:1' };
  const running = await startPages({
    clock: () => NOW,
    source: SOURCE,
    builds,
    store: { ...store, failing },
  });
  const { concerns }: Status = JSON.parse((await running.send('/status')).text);
  const pages = await Promise.all(
    ['nb', 'en'].map(async (lang) => (await running.send(`/status?format=html&lang=${lang}`)).text),
  );
  await running.close();
  assert.equal(
    concerns.map(({ name, link, details }) => [name, link, ...details.map(({ nb }) => nb)]),
    [
      ['build failed', '#builds', 'disken er full'],
      [
        'records dropped',
        '#findings',
        'events.json:1 title_nb: post utelatt',
        'events.json:1 half dates[0].start: dato utelatt',
        'events.json:1 half venue: henvisning utelatt',
      ],
      ['store failing', null, 'ingen tjener svarer på adressen'],
    ],
  );
  for (const page of pages) {
    for (const { link } of concerns) {
      if (link !== null) assert.match(page, new RegExp(`href="${link}".* id="${link.slice(1)}"`, 's'));
    }
    assert.not.match(page.replaceAll(/<span lang="en">[^<]*<\/span>/g, ''), /ECONNREFUSED|SQLITE_FULL/);
  }
});

view('G2: should say nothing of what is missing when nothing is', async () => {
  const running = await startPages({ clock: () => NOW });
  const { concerns } = await fetchStatus(running);
  const metrics = (await running.send('/metrics')).text;
  await running.close();
  assert.equal(concerns, []);
  assert.match(metrics, '\nalmanakk_feeds{state="failed"} 0\n');
  assert.match(metrics, '\nalmanakk_build_dropped{kind="record"} 0\n');
});

view('should tell who asks for what, and how often the answer was at hand', async () => {
  const running = await startPages({
    clock: () => NOW,
    source: SOURCE,
    applicationOf: (key) => (key === 'good' ? 'App' : undefined),
  });
  const { post } = running;
  for (let times = 0; times < 4; times++) await post('{ venues { id } }', {}, { 'X-Api-Key': 'good' });
  await post('{ nothing }', {}, { 'X-Page-Url': 'https://avis.example/kultur' });
  await post('{ events(page: -1) { totalCount } }', {}, { 'X-Client-Id': 'web/1.0' });
  const { traffic, reuse } = await fetchStatus(running);
  await running.close();
  assert.is(traffic.requests, 6);
  assert.equal(
    traffic.callers.map(({ kind, name, requests, errors, refused, failed }) => [
      kind,
      name,
      requests,
      errors,
      refused,
      failed,
    ]),
    [
      ['application', 'App', 4, 0, 0, 0],
      ['anonymous', '', 1, 0, 1, 0],
      ['operator', '', 1, 1, 0, 0],
    ],
  );
  assert.ok(traffic.callers.every(({ meanMilliseconds }) => meanMilliseconds > 0));
  assert.equal(traffic.operations[0]?.name, 'venues');
  assert.equal([reuse.hits, reuse.misses, reuse.rate], [3, 1, 0.75]);
});

view('should be concerned about a failed build, and not say where things lie on the machine', async () => {
  const running = await startPages({ clock: () => NOW, source: SOURCE, builds: [FAILED] });
  const { concerns, builds } = await fetchStatus(running);
  const page = (await running.send('/status?format=html&lang=en')).text;
  await running.close();
  assert.equal(concerns, ['build failed', 'records dropped']);
  assert.is(builds[0]?.reason, 'expected JSON in events.json, found "<b>"');
  assert.is(builds[0]?.startedAt, '2026-11-20T10:16:00.000Z');
  assert.match(page, 'The last build failed. Answers come from the one before.');
  assert.match(page, 'events.json, found &quot;&lt;b&gt;&quot;');
  assert.not.match(page, 'secret');
});

view('H5: should be concerned about a delivery that was refused, until a good one comes', async () => {
  const running = await startPages({ clock: () => NOW, source: SOURCE });
  const { path = '' } = running.keeper.state().current ?? {};
  writeFileSync(join(dirname(path), 'manifest.json'), '{"half": ');
  await running.keeper.check();
  const { concerns, refusal, state } = await fetchStatus(running);
  await running.close();
  assert.equal(concerns, ['delivery refused', 'records dropped']);
  assert.match(refusal?.reason ?? '', /^manifest\.json: expected JSON/);
  assert.is(state, 'serving');
});

view('H6: should tell how far behind its origin a replica is', async ({ running }) => {
  const { id = '', meta } = running.keeper.state().current ?? {};
  const builtAt = Date.parse(meta?.builtAt ?? '');
  const copy = {
    ...FAILED,
    kind: 'pull',
    outcome: 'published',
    reason: null,
    id,
    startedAt: builtAt + 4_000,
    ms: 1_000,
  } as const;
  const replica = await startPages({
    clock: () => NOW,
    source: SOURCE,
    builds: [{ ...copy, outcome: 'failed', startedAt: builtAt + 60_000 }, copy],
    origin: { outOfReach: 'connect ECONNREFUSED', since: builtAt },
  });
  const status = await fetchStatus(replica);
  await replica.close();
  assert.equal(status.replica, {
    lagSeconds: 5,
    lastCopyAt: new Date(builtAt + 61_000).toISOString(),
    outOfReach: 'connect ECONNREFUSED',
    outOfReachSince: new Date(builtAt).toISOString(),
  });
  assert.equal(status.concerns, ['copy failed', 'records dropped', 'origin out of reach']);
});

view('J1: should tell since when and why the store has not the latest, and of another builder', async () => {
  const since = NOW - 600_000;
  const reason = 's3://kalender/by/manifest.json: found status 503 (SlowDown)';
  const failing = { since, why: 'status 503', reason };
  const rival = { id: 'b'.repeat(16), builtAt: '2026-11-20T10:00:00Z', seenAt: NOW };
  const known = { name: 's3://kalender/by', id: 'a'.repeat(16), sentAt: NOW, bytes: 3_456_789, ms: 1_200 };
  const store = { ...known, failing, rival };
  const running = await startPages({ clock: () => NOW, source: SOURCE, store });
  const status = await fetchStatus(running);
  const page = (await running.send('/status?format=html&lang=en')).text;
  await running.close();
  assert.equal(status.concerns, ['records dropped', 'store failing', 'another builder']);
  assert.equal(status.store?.failing, { since: new Date(since).toISOString(), why: 'status 503', reason });
  assert.equal(status.store?.rival, { ...rival, seenAt: new Date(NOW).toISOString() });
  assert.equal([status.store?.bytes, status.store?.milliseconds], [3_456_789, 1_200]);
  assert.match(page, 'The object store does not have the latest.');
  assert.match(page, 'Another builder publishes to the same object store.');
  assert.match(page, 'the server there fails');
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
const OPEN_EVENT = {
  id: 'open',
  title_nb: 'Åpen',
  dates: [{ start: '2026-12-21 19:00' }, { start: 'senere' }],
};
const LATER = { ...SECRET, publishingDate: '2026-12-01 10:00' };

/** Sources whose secret event does not exist for visitors at the moment. */
const UNPUBLISHED: Readonly<Record<string, readonly object[]>> = {
  'is to be published later': [OPEN_EVENT, LATER],
  'says in no way when it is to be published': [OPEN_EVENT, { ...SECRET, publishingDate: 'hemmelig' }],
  'has no date that can be read': [OPEN_EVENT, { ...LATER, dates: [{ start: 'hemmelig' }] }],
  'has the id of one that is public': [OPEN_EVENT, { ...LATER, id: 'open' }],
};

for (const [what, events] of Object.entries(UNPUBLISHED)) {
  view(`H9: MUST show no value of an event that ${what}`, async () => {
    let clock = NOW;
    const source = sourceFolder({ 'events.json': events });
    const reason = 'events.json:3: expected JSON, found unexpected token "hemmelig"';
    const running = await startPages({ clock: () => clock, source, builds: [{ ...FAILED, reason }] });
    for (const path of ['/status?format=json', '/status?format=html', '/metrics', '/readyz'])
      assert.not.match((await running.send(path)).text, /hemmelig/i, path);
    const { report, builds } = await fetchStatus(running);
    const isTold = report?.findings.some(({ id, found }) => id === 'open' && found === '"senere"');
    assert.is(isTold, !events.some((event) => Reflect.get(event, 'id') === 'open' && event !== OPEN_EVENT));
    assert.match(builds[0]?.reason ?? '', /^events\.json:3: expected JSON$/);
    // Once it is public, the operator sees what is wrong with it.
    clock = Date.parse('2026-12-01T09:00:00Z');
    const isLater = events[1] === LATER;
    assert.is(/hemmelig/i.test((await running.send('/status')).text), isLater);
    await running.close();
  });
}

view('should say that it waits while there is no snapshot', async () => {
  const running = await startPages({ clock: () => NOW, source: null });
  const { state, concerns, snapshot } = await fetchStatus(running);
  const page = (await running.send('/status?format=html&lang=nb')).text;
  await running.close();
  assert.is(state, 'waiting');
  assert.equal(concerns, ['no snapshot']);
  assert.is(snapshot, null);
  assert.match(page, 'Det er ingen kalender å svare fra ennå.');
});

view('should read reports of other versions as far as they go', () => {
  assert.is(readReport(null), null);
  assert.is(readReport('text'), null);
  assert.is(readReport({}), null);
  const findings = Array.from({ length: 70 }, () => ({
    origin: { file: 'events.ndjson', line: 3 },
    found: 7,
  }));
  const report = readReport({ lists: { events: { read: 'many' } }, findings, findingsLeftOut: 5 });
  assert.equal(report?.lists, [{ list: 'events', read: 0, kept: 0, dropped: 0 }]);
  assert.is(report?.findings.length, 50);
  assert.is(report?.findingsLeftOut, 25);
  assert.equal(report?.findings[0], {
    action: '',
    place: 'events.ndjson:3',
    id: null,
    field: null,
    expected: '',
    found: '',
    since: null,
  });
});

view('should be concerned about a failing feed, and about one that makes no sense', async ({ running }) => {
  const { current } = running.keeper.state();
  if (current === null) throw new Error('expected a snapshot');
  const feeds = [
    { id: 'huset', kind: 'ical', state: 'ok', since: null, readAt: '2026-11-20T10:00:00Z', why: null },
    {
      id: 'teatret',
      kind: 'ical',
      state: 'failed',
      since: '2026-11-19T10:00:00Z',
      readAt: '2026-11-18T10:00:00Z',
      why: 'gone',
    },
    'a text',
  ];
  const snapshot: Snapshot = {
    ...current,
    json: async (name) => (name === 'feeds' ? feeds : null),
  };
  const options = {
    keeper: {
      state: () => ({ current: snapshot, adoptedAt: NOW, lastRefusal: null, damage: null }),
      pin: () => ({ snapshot, release: () => undefined }),
    },
    upkeep: () => NO_UPKEEP,
    metrics: { values: async () => [], text: async () => '' },
    limits: () => null,
    hours: () => [],
    concerns: async () => [],
    isStopping: () => false,
    clock: () => NOW,
  };
  const told = await statusOf(options);
  assert.equal(
    concernsIn(told).map(({ name, details }) => [name, ...details.map(({ en }) => en)]),
    [['feed failing', 'teatret: gone', '?: ?']],
  );
  assert.equal(
    told.feeds.map(({ id, kind, state, readAt, why }) => [id, kind, state, readAt, why]),
    [
      ['huset', 'ical', 'ok', '2026-11-20T10:00:00Z', null],
      ['teatret', 'ical', 'failed', '2026-11-18T10:00:00Z', 'gone'],
      ['?', '?', '?', null, null],
    ],
  );
});

view('should show at most 200 letters of any value, however long it is', async () => {
  const long = 'x'.repeat(1_000_000);
  const reason = `events.json:3: ${long}`;
  const running = await startPages({
    clock: () => NOW,
    source: sourceFolder({
      'events.json': [
        { id: 'a', title_nb: 'A', dates: [{ start: '2026-11-21 19:00' }, { start: long }] },
        { id: 'b', title_nb: 'B', dates: [{ start: '2026-11-21 19:00' }] },
      ],
    }),
    builds: [{ ...FAILED, reason }],
  });
  const { text } = await running.send('/status');
  const page = (await running.send('/status?format=html')).text;
  await running.close();
  assert.match(text, 'dropped date');
  assert.not.match(text, 'x'.repeat(201));
  assert.ok(page.length < 50_000, `${page.length} letters`);
});

view('H9: should redact a reason of any length in work that grows with it only', async () => {
  const reason = `events.json: ${', found '.repeat(30_000)}${'.json: '.repeat(30_000)}`;
  await costsAtMost(2, () => disclosedReason(reason));
  const long = `events.json: bad, found ${'x'.repeat(240_000)}; look at it`;
  await costsAtMost(2, () => assert.is(disclosedReason(long), 'events.json: bad; look at it'));
  assert.is(disclosedReason('a.csv: bad, found x'), 'a.csv: bad, found x');
});

view('should say since when and why, and plot the requests of each hour of the last day', async () => {
  const earlier = { ...FAILED, startedAt: NOW - 600_000 };
  const running = await startPages({ clock: () => NOW, builds: [FAILED, earlier] });
  const page = (await running.send('/status?format=html&lang=en')).text;
  await running.close();
  assert.match(page, /Since <time datetime="2026-11-20T10:07:00.000Z">/);
  assert.match(page, 'Mend what the message says');
  assert.match(page, /<svg class="plot" role="img" aria-label="The last 2 on this machine[^"]*Failed: 2\."/);
  let clock = NOW;
  const hours = createHours(() => clock);
  for (let at = 0; at < 100; at++) hours.count(at < 95 ? 1 : 900);
  clock += 3_600_000;
  hours.count(40);
  const [before, last] = hours.read().slice(-2);
  assert.is(hours.read().length, 24);
  assert.equal([before?.requests, last?.requests], [100, 1]);
  assert.ok((before?.p95Milliseconds ?? 0) >= 1 && (before?.p95Milliseconds ?? 0) <= 1.2);
  assert.ok((last?.p95Milliseconds ?? 0) >= 40 && (last?.p95Milliseconds ?? 0) <= 48);
  clock += 24 * 3_600_000;
  assert.ok(hours.read().every(({ requests }) => requests === 0));
});

const TOKEN = 'a-token-of-enough-length';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

const CREDENTIALS: readonly (readonly [authorization: string | undefined, status: number])[] = [
  [undefined, 401],
  ['Bearer', 401],
  ['Bearer wrong', 401],
  [`Bearer ${TOKEN}x`, 401],
  [`Bearer ${TOKEN.slice(1)}`, 401],
  [TOKEN, 401],
  [basic(TOKEN), 401],
  [basic(`operator:${TOKEN}x`), 401],
  [`Bearer ${TOKEN}`, 200],
  [`bearer  ${TOKEN}`, 200],
  [basic(`operator:${TOKEN}`), 200],
  [basic(`:${TOKEN}`), 200],
];

view('should be closed to everybody without the token, if there is one', async () => {
  const log = { warn: () => undefined };
  const guard = createGuard({ token: TOKEN, owner: 'the operator’s', log, pause: async () => null });
  const running = await startPages({ clock: () => NOW, source: SOURCE, guard });
  for (const path of ['/status', '/metrics']) {
    for (const [authorization, expected] of CREDENTIALS) {
      const headers = { accept: 'text/html', ...(authorization !== undefined && { authorization }) };
      const response = await running.send(path, { headers });
      const { text } = response;
      assert.is(response.status, expected, `${path} ${authorization}`);
      if (expected === 200) continue;
      assert.match(response.headers['www-authenticate'] ?? '', /^Basic realm="almanakk"/);
      assert.equal(Object.keys(JSON.parse(text)), ['errors']);
    }
  }
  assert.is((await running.send('/')).status, 200);
  await running.close();
});

/** Names of the operator's port at `[::1]` or `127.0.0.1`, called `kalender.by` and with `drift.example` as public URL. */
const HOSTS: readonly (readonly [host: string, status: number])[] = [
  ['localhost', 200],
  ['localhost:4001', 200],
  ['LOCALHOST', 200],
  ['127.0.0.1:80', 200],
  ['[::1]:4001', 200],
  ['kalender.by', 200],
  ['Drift.Example:443', 200],
  ['127.0.0.2', 421],
  ['evil.example', 421],
  ['localhost.evil.example', 421],
  ['evil.example:127.0.0.1', 421],
  ['localhost@evil.example', 421],
  ['10.0.0.1', 421],
  ['[::2]', 421],
  ['::1', 421],
  ['null', 421],
];

view('H8: should answer only to its own names on a port of its own', async () => {
  const well = { status: 200, headers: [], body: Buffer.from('well') };
  const listener = createOperatorApp({
    routes: { '/status': { GET: () => well } },
    names: ['kalender.by', 'drift.example', null],
    mask: () => 'id-1',
    clock: () => NOW,
  });
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { send } = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  for (const [host, expected] of HOSTS)
    assert.is((await send('/status', { headers: { host } })).status, expected, host);
  server.closeAllConnections();
  server.close();
});

view('should be served alone on a port of its own, to no page of another origin', async () => {
  const routes = {
    '/status': {
      GET: () => ({
        status: 200,
        headers: ['Content-Type', 'text/plain', 'Access-Control-Allow-Origin', '*'],
        body: Buffer.from('well'),
      }),
    },
    '/broken': {
      GET: () => {
        throw new Error('at /srv/secret');
      },
    },
  };
  const listener = createOperatorApp({ routes, names: [], mask: () => 'id-1', clock: () => NOW });
  const server = createHttpServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { send } = clientOf(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const get = async (path: string, method = 'GET') => {
    const { status, headers, text } = await send(path, { method });
    assert.is(headers['access-control-allow-origin'], undefined);
    return [status, text];
  };
  assert.equal(await get('/status?x=1'), [200, 'well']);
  assert.equal(await get('/status', 'HEAD'), [200, '']);
  assert.is((await get('/status', 'POST'))[0], 405);
  assert.is((await get('/graphQL'))[0], 404);
  assert.is((await get('/toString'))[0], 404);
  const [status, body] = await get('/broken');
  assert.is(status, 500);
  assert.not.match(String(body), 'secret');
  server.closeAllConnections();
  server.close();
});

view.run();
