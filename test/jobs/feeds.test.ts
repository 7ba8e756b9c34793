/** Feeds that fail, and what becomes of a build then. */
import { cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isPublicAddress } from '../../jobs/feeds/addresses.ts';
import { readFeeds } from '../../jobs/feeds/config.ts';
import { parseIcal } from '../../jobs/sources/ical/parser.ts';
import { formatUtc } from '../../src/calendar/time.ts';
import { metaText } from '../../src/snapshot/meta.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';
import { unfinishedIn } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { always, type FeedServer, startFeedServer } from '../helpers/feed-server.ts';
import { builtWithFeeds, FEED_SETTINGS, type FeedBuild } from '../helpers/feeds.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { startServer } from '../helpers/running.ts';

interface Context {
  readonly feeds: FeedServer;
  /** A snapshot folder built when the feed was good; not to be written to. */
  readonly good: string;
}

const test = suite<Context>('feeds');

test.before(async (context) => {
  const feeds = await startFeedServer(always(200, GOOD));
  const good = temporaryFolder();
  await builtWithFeeds(folderOf({ url: feeds.url }), good);
  Object.assign(context, { feeds, good });
});
test.before.each(({ feeds }) => {
  feeds.requests.length = 0;
  feeds.answer = always(200, GOOD);
});
test.after(async ({ feeds }) => feeds.close());

const entry = (uid: string, more = '') =>
  `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20260401T100000Z\r\nSUMMARY:Kveld ${uid}\r\n${more}END:VEVENT\r\n`;
const calendar = (...entries: readonly string[]) =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${entries.join('')}END:VCALENDAR\r\n`;
const GOOD = calendar(entry('a'), entry('b'));
const OWN = [1, 2, 3].map((at) => ({
  id: `own${at}`,
  title_nb: 'Egen',
  dates: [{ start: '2026-02-01 19:00' }],
}));

/** A source of three events of its own and one feed. */
const folderOf = (feed: object, more: object = {}) =>
  sourceFolder({ 'events.json': OWN, 'sources.json': [{ id: 'hall', kind: 'ical', ...feed }], ...more });

const healthOf = ({ report }: FeedBuild) =>
  report.feeds.map(({ state, reason, since }) => ({ state, reason, since }))[0];
const copyOf = (folder: string) => {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true });
  return copy;
};
const DAY_LATER = NOW + 86_400;
const iso = (instant: number) => `${formatUtc(instant).slice(0, 19).replace(' ', 'T')}Z`;

interface Failure {
  readonly reason: string;
  readonly answer: FeedServer['answer'];
  readonly feed?: object;
}

const FAILURES: Readonly<Record<string, Failure>> = {
  'answers 500': { reason: 'HTTP status', answer: always(500, 'oops') },
  'answers 404': { reason: 'HTTP status', answer: always(404, 'gone') },
  'sends nothing': { reason: 'empty', answer: always(200, '') },
  'has no events any more': { reason: 'empty', answer: always(200, calendar()) },
  'sends HTML': {
    reason: 'not a calendar',
    answer: always(200, '\n <!doctype html><title>Logg inn</title>'),
  },
  'sends anything else': { reason: 'not a calendar', answer: always(200, 'Too many connections') },
  'stops in the middle': { reason: 'truncated', answer: always(200, GOOD.slice(0, -40)) },
  'breaks off': {
    reason: 'truncated',
    answer: (_, response) => {
      response.writeHead(200, { 'content-length': '9999' });
      response.write(GOOD, () => response.destroy());
    },
  },
  'breaks off within its compression': {
    reason: 'truncated',
    answer: always(200, gzipSync(GOOD).subarray(0, 60), { 'content-encoding': 'gzip' }),
  },
  'is a hundred times larger': {
    reason: 'much larger than before',
    answer: always(200, calendar(...Array.from({ length: 300 }, (_, at) => entry(`n${at}`)))),
  },
  'is larger than allowed': {
    reason: 'size limit',
    answer: always(200, GOOD.padEnd(3000)),
    feed: { maxMegabytes: 0.002 },
  },
  'grows when it is decompressed': {
    reason: 'size limit',
    answer: always(200, gzipSync(GOOD.padEnd(5_000_000)), { 'content-encoding': 'gzip' }),
    feed: { maxMegabytes: 1 },
  },
  'never ends': {
    reason: 'time limit',
    answer: (_, response) => {
      response.writeHead(200).write('BEGIN:VCALENDAR\r\n');
    },
    feed: { timeoutSeconds: 0.3 },
  },
  'never answers': { reason: 'time limit', answer: () => undefined, feed: { timeoutSeconds: 0.3 } },
  'redirects for ever': { reason: 'redirect limit', answer: always(302, '', { location: '/again' }) },
  'redirects to a file': {
    reason: 'unreachable',
    answer: always(302, '', { location: 'file:///etc/passwd' }),
  },
  'sends no HTTP': { reason: 'unreachable', answer: (request) => request.socket.end('nonsense\r\n\r\n') },
};

for (const [what, { reason, answer, feed = {} }] of Object.entries(FAILURES)) {
  test(`should keep the last good records of a feed that ${what}`, async ({ feeds, good }) => {
    feeds.answer = answer;
    const target = copyOf(good);
    const built = await builtWithFeeds(folderOf({ url: feeds.url, ...feed }), target, { now: DAY_LATER });
    assert.equal(healthOf(built), { state: 'stale', reason, since: iso(DAY_LATER) });
    assert.is(built.result.counts.events, 5);
    assert.equal(unfinishedIn(target), []);
  });
}

test('should say since when a feed has been failing, once, and stop when it works again', async ({
  feeds,
  good,
}) => {
  const source = folderOf({ url: feeds.url });
  const target = copyOf(good);
  const at = (now: number) => builtWithFeeds(source, target, { now });
  feeds.answer = always(500, '');
  const failing = await at(DAY_LATER);
  const still = await at(DAY_LATER + 3600);
  feeds.answer = always(200, calendar(entry('a'), entry('b'), entry('c')));
  const well = await at(DAY_LATER + 7200);
  assert.equal(
    [failing, still, well].map(({ result }) => [result.outcome, result.counts.events]),
    [
      ['published', 5],
      ['unchanged', 5],
      ['published', 6],
    ],
  );
  assert.equal(
    [failing, still, well].map((build) => healthOf(build)?.since),
    [iso(DAY_LATER), iso(DAY_LATER), null],
  );
});

test('should go on without a feed that has never worked, and with the others', async ({ feeds }) => {
  feeds.answer = (request, response) =>
    always(200, request.url === '/good' ? GOOD : '<html>')(request, response);
  const source = sourceFolder({
    'events.json': OWN,
    'sources.json': [
      { id: 'bad', kind: 'ical', url: `${feeds.url}/bad` },
      { id: 'good', kind: 'ical', url: `${feeds.url}/good` },
      { id: 'down', kind: 'ical', url: 'http://127.0.0.1:1/' },
      { id: 'mirror', kind: 'graphql', url: `${feeds.url}/graphQL` },
      { id: 'missing', kind: 'ical', file: 'missing.ics' },
      { id: 'folder', kind: 'ical', file: '.' },
    ],
  });
  const { result, report } = await builtWithFeeds(source, temporaryFolder());
  assert.is(result.counts.events, 5);
  assert.equal(
    report.feeds.map(({ id, state, reason }) => `${id} ${state} ${reason}`),
    [
      'bad failed not a calendar',
      'good ok null',
      'down failed unreachable',
      'mirror failed unreadable answer',
      'missing failed file',
      'folder failed file',
    ],
  );
});

test('G3: should take what looks suspicious when it is told to', async ({ feeds, good }) => {
  feeds.answer = always(200, calendar());
  const { result } = await builtWithFeeds(folderOf({ url: feeds.url }), copyOf(good), { force: true });
  assert.is(result.counts.events, 3);
});

test('should let a feed run empty that may', async ({ feeds, good }) => {
  feeds.answer = always(200, calendar());
  const source = folderOf({ url: feeds.url, mayBeEmpty: true });
  assert.equal(healthOf(await builtWithFeeds(source, copyOf(good))), {
    state: 'ok',
    reason: null,
    since: null,
  });
});

test('G7: should publish nothing when a feed says the same, whenever and however it says it', async ({
  feeds,
}) => {
  const source = folderOf({ url: feeds.url });
  const target = temporaryFolder();
  const stamped = (moment: string) => calendar(entry('a', `DTSTAMP:${moment}\r\n`), entry('b'));
  feeds.answer = always(200, stamped('20260101T000000Z'));
  await builtWithFeeds(source, target);
  feeds.answer = always(200, brotliCompressSync(stamped('20260101T010000Z')), { 'content-encoding': 'br' });
  const { result } = await builtWithFeeds(source, target, { now: NOW + 3600 });
  assert.is(result.outcome, 'unchanged');
});

test('should ask conditionally, and again in full when its own rules have changed', async ({ feeds }) => {
  const seen: (string | undefined)[] = [];
  feeds.answer = (request, response) => {
    seen.push(request.headers['if-none-match']);
    if (request.headers['if-none-match'] === '"v1"') response.writeHead(304).end();
    else always(200, GOOD, { etag: '"v1"' })(request, response);
  };
  const source = folderOf({ url: feeds.url });
  const target = temporaryFolder();
  for (let times = 0; times < 2; times++) await builtWithFeeds(source, target);
  writeFileSync(
    join(source, 'sources.json'),
    JSON.stringify([{ id: 'hall', kind: 'ical', url: feeds.url, defaults: { categories: ['ART'] } }]),
  );
  const { report } = await builtWithFeeds(source, target);
  assert.equal(seen, [undefined, '"v1"', undefined]);
  assert.is(report.feeds[0]?.state, 'ok');
});

test('should leave a server alone that asks for it', async ({ feeds }) => {
  const source = folderOf({ url: feeds.url });
  const target = temporaryFolder();
  feeds.answer = always(429, '', { 'retry-after': '3600' });
  await builtWithFeeds(source, target);
  await builtWithFeeds(source, target, { now: NOW + 3000 });
  assert.is(feeds.requests.length, 1);
  await builtWithFeeds(source, target, { now: NOW + 3601 });
  assert.is(feeds.requests.length, 2);
});

test('should follow redirects, and give its key to nobody else', async ({ feeds }) => {
  const other = await startFeedServer(always(200, GOOD));
  feeds.answer = (request, response) =>
    always(302, '', { location: request.url === '/' ? '/moved' : other.url })(request, response);
  const source = folderOf({ url: feeds.url, apiKeyEnv: 'HALL_KEY' });
  const variable = (name: string) => (name === 'HALL_KEY' ? 'secret' : undefined);
  const { result } = await builtWithFeeds(source, temporaryFolder(), {
    feedSettings: { allowPrivate: true, variable },
  });
  assert.is(result.counts.events, 5);
  const keys = [...feeds.requests, ...other.requests].map(({ headers }) => headers['x-api-key']);
  assert.equal(keys, ['secret', 'secret', undefined]);
  await other.close();
});

test('should say which key is missing', async ({ feeds }) => {
  const { report } = await builtWithFeeds(
    folderOf({ url: feeds.url, apiKeyEnv: 'HALL_KEY' }),
    temporaryFolder(),
  );
  assert.is(report.feeds[0]?.why, 'expected a key in the variable HALL_KEY, found none');
});

test('should not reach into private networks unless a setting allows it', async ({ feeds }) => {
  const feedSettings = { ...FEED_SETTINGS, allowPrivate: false };
  feeds.answer = always(200, GOOD);
  const { port } = new URL(feeds.url);
  for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0x7f000001', '2130706433']) {
    const source = folderOf({ url: `http://${host}:${port}/` });
    const { report } = await builtWithFeeds(source, temporaryFolder(), { feedSettings });
    assert.is(report.feeds[0]?.reason, 'address refused', host);
  }
  assert.is(feeds.requests.length, 0);
});

const ADDRESSES: readonly (readonly [address: string, isPublic: boolean])[] = [
  ['8.8.8.8', true],
  ['172.32.0.1', true],
  ['2a00:1450:4001::1', true],
  ['::ffff:8.8.8.8', true],
  ['0.0.0.0', false],
  ['10.1.2.3', false],
  ['100.64.1.1', false],
  ['127.8.8.8', false],
  ['169.254.169.254', false],
  ['172.16.0.1', false],
  ['192.168.1.1', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::', false],
  ['::1', false],
  ['::7f00:1', false],
  ['::ffff:10.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['64:ff9b::a00:1', false],
  ['2002:7f00:1::', false],
  ['fc00::1', false],
  ['fe80::1%eth0', false],
  ['ff02::1', false],
  ['nowhere', false],
];

test('should tell public addresses from all others', () => {
  const found = ADDRESSES.map(([address]) => [address, isPublicAddress(address)]);
  assert.equal(found, ADDRESSES);
});

test('should kill a parser that takes too long or too much', async () => {
  const [feed] = await readFeeds(folderOf({ file: 'hall.ics' }));
  if (feed === undefined) throw new Error('expected a feed');
  const bytes = Buffer.from(calendar(...Array.from({ length: 100_000 }, (_, at) => entry(`e${at}`))));
  const parse = (limits: { readonly milliseconds: number; readonly megabytes: number }) =>
    parseIcal({
      feed,
      now: NOW,
      horizonDay: 21_000,
      place: '',
      config: '',
      bytes,
      output: join(temporaryFolder(), 'slice'),
      limits,
    });
  for (const limits of [
    { milliseconds: 200, megabytes: 1024 },
    { milliseconds: 60_000, megabytes: 24 },
  ]) {
    const problem = await parse(limits).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    assert.match(String(problem), /FeedProblem: expected the feed to be parsed within its limits/);
  }
});

test('should refuse a feed whose rules would fill the calendar', async () => {
  const flood = Array.from({ length: 1_100 }, (_, at) => entry(`e${at}`, 'RRULE:FREQ=MINUTELY\r\n'));
  const { report, result } = await builtWithFeeds(
    folderOf({ file: 'hall.ics' }, { 'hall.ics': calendar(...flood) }),
    temporaryFolder(),
  );
  assert.equal([report.feeds[0]?.reason, result.counts.events], ['size limit', 3]);
});

test('should be the same place to two feeds, and to the folder’s own directory', async () => {
  const at = (location: string) => calendar(entry('x', `LOCATION:${location}\r\n`));
  const { report, result } = await builtWithFeeds(
    sourceFolder({
      'events.json': OWN,
      'venues.json': [{ id: 'v1', name: 'Rockheim', address: 'Brattørkaia 14, 7010 Trondheim' }],
      'a.ics': at('Kafé Ø\\, Gata 1'),
      'b.ics': at('KAFE Ø\\,  gata 1'),
      'c.ics': at('rockheim'),
      'd.ics': at('Kafé Ø\\, Gata 2'),
      'sources.json': ['a', 'b', 'c', 'd'].map((id) => ({ id, kind: 'ical', file: `${id}.ics` })),
    }),
    temporaryFolder(),
  );
  assert.equal([result.counts.venues, report.complaints], [3, []]);
});

test('should do with feeds alone', async () => {
  const source = sourceFolder({
    'hall.ics': GOOD,
    'sources.json': [{ id: 'hall', kind: 'ical', file: 'hall.ics' }],
  });
  assert.is((await builtWithFeeds(source, temporaryFolder())).result.counts.events, 2);
});

test('should tell of feeds in the snapshot and on /readyz, and never where they are', async ({ feeds }) => {
  feeds.answer = always(500, '');
  const target = temporaryFolder();
  const { result } = await builtWithFeeds(folderOf({ url: `${feeds.url}/private-token/basic.ics` }), target);
  const reader = await openReader(join(target, result.file), { connections: 1 });
  const told = await metaText(reader, 'feeds');
  await reader.close();
  const [{ id, state, reason, since }] = JSON.parse(told);
  assert.equal(
    { id, state, reason, since },
    { id: 'hall', state: 'failed', reason: 'HTTP status', since: iso(NOW) },
  );
  assert.not.match(told, /private-token/);
  const { url, close } = await startServer({ snapshots: target, clock: () => NOW * 1000 });
  const ready: { feeds?: unknown } = JSON.parse(await (await fetch(`${url}/readyz`)).text());
  await close();
  const why = `${new URL(feeds.url).host}: expected HTTP 200, got 500`;
  assert.equal(ready.feeds, [{ id: 'hall', state: 'failed', since: iso(NOW), why }]);
});

test('should read a feed anew whose records or state are lost or broken', async ({ feeds, good }) => {
  const source = folderOf({ url: feeds.url });
  const target = copyOf(good);
  const first = await builtWithFeeds(source, target);
  const folder = join(target, 'feeds');
  const harm = [
    () => rmSync(join(folder, 'hall.ndjson')),
    () => rmSync(join(folder, 'hall.json')),
    () => writeFileSync(join(folder, 'hall.json'), '{"slice":'),
    () => writeFileSync(join(folder, 'hall.ndjson'), '{"list":"events","li'),
  ];
  for (const harmOnce of harm) {
    harmOnce();
    const { result } = await builtWithFeeds(source, target);
    assert.equal([result.outcome, result.id], ['unchanged', first.result.id]);
    assert.equal(readdirSync(folder).sort(), ['hall.json', 'hall.ndjson']);
  }
});

const REFUSED: readonly (readonly [written: unknown, message: string])[] = [
  [{}, 'sources.json: expected a list of feeds, found {}'],
  [[{ id: 'a', kind: 'ical' }], 'sources.json: [0]: expected either "url" or "file"'],
  [
    [{ id: 'a', kind: 'ical', url: 'ftp://x.example/' }],
    'sources.json: [0].url: expected an http or https URL, found "ftp://x.example/"',
  ],
  [
    [{ id: 'a', kind: 'rss', url: 'https://x.example/' }],
    'sources.json: [0].kind: expected "ical" or "graphql", found "rss"',
  ],
  [[{ id: 'a', kind: 'graphql', file: 'x' }], 'sources.json: [0].url: expected the URL of an endpoint'],
  [
    [1, 2].map(() => ({ id: 'a', kind: 'ical', file: 'x' })),
    'sources.json: [1].id: expected each id once, found "a" again',
  ],
  [
    [{ id: 'a', kind: 'ical', file: 'x', defaults: { categories: 'MUSIC' } }],
    'sources.json: [0].defaults.categories: expected a list of strings, found "MUSIC"',
  ],
];

for (const [written, message] of REFUSED) {
  test(`should refuse a list of feeds with the words: ${message}`, async () => {
    const source = sourceFolder({ 'sources.json': written });
    const thrown = await readFeeds(source).then(
      () => null,
      (cause: unknown) => cause,
    );
    assert.is(thrown instanceof Error ? thrown.message : '', message);
  });
}

test.run();
