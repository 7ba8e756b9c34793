/** Feeds that fail, and what becomes of a build then. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { metaText } from '../../../../src/snapshot/meta.ts';
import { openReader } from '../../../../src/snapshot/sqlite.ts';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import { unfinishedIn } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import {
  CALENDAR_EVENTS,
  calendar,
  copyOf,
  DAY_LATER,
  entry,
  folderOf,
  GOOD,
  healthOf,
  iso,
} from '../../../helpers/feed-files.ts';
import { always, type FeedServer, type Handler, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startServer } from '../../../helpers/running.ts';

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

/** The fault of a feed, the reason in the report, and the feed's settings. */
const FAILURES: readonly (readonly [does: string, reason: string, answer: Handler, feed?: object])[] = [
  ['answers 500', 'HTTP status', always(500, 'oops')],
  ['answers 404', 'HTTP status', always(404, 'gone')],
  ['sends nothing', 'empty', always(200, '')],
  ['has no events any more', 'empty', always(200, calendar())],
  ['sends HTML', 'not a calendar', always(200, '\n <!doctype html><title>Logg inn</title>')],
  ['sends anything else', 'not a calendar', always(200, 'Too many connections')],
  ['stops in the middle', 'truncated', always(200, GOOD.slice(0, -40))],
  ['breaks off', 'truncated', brokenOff],
  ['breaks off within its compression', 'truncated', zipped(gzipSync(GOOD).subarray(0, 60))],
  ['is a hundred times larger', 'much larger than before', always(200, calendar(...many(300)))],
  ['is larger than allowed', 'size limit', always(200, GOOD.padEnd(3000)), { maxMegabytes: 0.002 }],
  [
    'grows when it is decompressed',
    'size limit',
    zipped(gzipSync(GOOD.padEnd(5_000_000))),
    { maxMegabytes: 1 },
  ],
  [
    'never ends',
    'time limit',
    (_, response) => response.write('BEGIN:VCALENDAR\r\n'),
    { timeoutSeconds: 0.3 },
  ],
  ['never answers', 'time limit', () => undefined, { timeoutSeconds: 0.3 }],
  ['redirects for ever', 'redirect limit', always(302, '', { location: '/again' })],
  ['redirects to a file', 'unreachable', always(302, '', { location: 'file:///etc/passwd' })],
  ['sends no HTTP', 'unreachable', (request) => request.socket.end('nonsense\r\n\r\n')],
];

function brokenOff(...[, response]: Parameters<Handler>): void {
  response.writeHead(200, { 'content-length': '9999' });
  response.write(GOOD, () => response.destroy());
}

function zipped(body: Buffer): Handler {
  return always(200, body, { 'content-encoding': 'gzip' });
}

function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => entry(`n${at}`));
}

for (const [does, reason, answer, feed = {}] of FAILURES) {
  test(`should keep the last good records of a feed that ${does}`, async ({ feeds, good }) => {
    feeds.answer = answer;
    const target = copyOf(good);
    const built = await builtWithFeeds(folderOf({ url: feeds.url, ...feed }), target, { now: DAY_LATER });
    assert.equal(healthOf(built), { state: 'stale', reason, since: iso(DAY_LATER) });
    assert.is(built.result.counts.events, 5);
    assert.equal(unfinishedIn(target), []);
  });
}

test('should log once since when a feed fails, and when it works again', async ({ feeds, good }) => {
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
    'events.json': CALENDAR_EVENTS,
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

test('L0: should keep the last good records of a feed whose address has changed, until the new one works', async ({
  feeds,
  good,
}) => {
  feeds.answer = (request, response) => always(request.url === '/new' ? 500 : 200, GOOD)(request, response);
  const target = copyOf(good);
  const moved = folderOf({ url: `${feeds.url}/new` });
  const failing = await builtWithFeeds(moved, target, { now: DAY_LATER });
  assert.equal([healthOf(failing)?.state, failing.result.counts.events], ['stale', 5]);
  feeds.answer = always(200, calendar(entry('a'), entry('b'), entry('c')));
  assert.is((await builtWithFeeds(moved, target, { now: DAY_LATER })).result.counts.events, 6);
});

test('L0: should keep a feed’s records over a slip in its file’s name, and say which name is near', async () => {
  const source = folderOf({ file: 'hall.ics' }, { 'hall.ics': GOOD });
  const target = temporaryFolder();
  assert.is((await builtWithFeeds(source, target)).result.counts.events, 5);
  writeFileSync(join(source, 'sources.json'), '[{"id":"hall","kind":"ical","file":"hall.ICS"}]');
  const { result, report } = await builtWithFeeds(source, target);
  assert.equal([result.counts.events, report.feeds[0]?.state], [5, 'stale']);
  assert.is(report.feeds[0]?.why, 'hall.ICS: it is not there; the nearest is "hall.ics"');
});

test('L0: should let a feed go that sources.json no longer names, and say how many events went with it', async () => {
  const source = folderOf({ file: 'hall.ics' }, { 'hall.ics': GOOD });
  const target = temporaryFolder();
  await builtWithFeeds(source, target);
  writeFileSync(join(source, 'sources.json'), '[]');
  const { result, report } = await builtWithFeeds(source, target);
  assert.is(result.counts.events, 3);
  assert.equal(
    report.findings.map(({ action, origin, id, found }) => [action, origin.file, id, found]),
    [['left out', 'sources.json', 'hall', 'none: 2 events went with it']],
  );
  assert.equal(readdirSync(join(target, 'feeds')), []);
});

test('G3: should take what looks suspicious when it is told to', async ({ feeds, good }) => {
  feeds.answer = always(200, calendar());
  const { result } = await builtWithFeeds(folderOf({ url: feeds.url }), copyOf(good), { force: true });
  assert.is(result.counts.events, 3);
});

test('should accept an empty feed where its settings allow it', async ({ feeds, good }) => {
  feeds.answer = always(200, calendar());
  const source = folderOf({ url: feeds.url, mayBeEmpty: true });
  assert.equal(healthOf(await builtWithFeeds(source, copyOf(good))), {
    state: 'ok',
    reason: null,
    since: null,
  });
});

test('should show the state of feeds in the snapshot and on /readyz, but no address of one', async ({
  feeds,
}) => {
  feeds.answer = always(500, '');
  const target = temporaryFolder();
  const { result } = await builtWithFeeds(folderOf({ url: `${feeds.url}/private-token/basic.ics` }), target);
  const reader = await openReader(join(target, result.file), { connections: 1 });
  const stored = await metaText(reader, 'feeds');
  await reader.close();
  const [{ id, state, reason, since }] = JSON.parse(stored);
  assert.equal(
    { id, state, reason, since },
    { id: 'hall', state: 'failed', reason: 'HTTP status', since: iso(NOW) },
  );
  assert.not.match(stored, /private-token/);
  const { url, close } = await startServer({ snapshots: target, clock: () => NOW * 1000 });
  const ready: { feeds?: unknown } = JSON.parse(await (await fetch(`${url}/readyz`)).text());
  await close();
  const why = `${new URL(feeds.url).host}: expected HTTP 200, found 500`;
  assert.equal(ready.feeds, [{ id: 'hall', state: 'failed', since: iso(NOW), why }]);
});

/** Lines that a build cannot use, before the lines of an intact file. */
const DAMAGED_LINES = [
  '{"list":"events","line":1,"val',
  '{"list":"ids","uid":1}',
  '{"liss":"events","line":1,"value":{}}',
];

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
    ...DAMAGED_LINES.map((line) => () => prepend(line, join(folder, 'hall.ndjson'))),
  ];
  for (const harmOnce of harm) {
    harmOnce();
    const { result } = await builtWithFeeds(source, target);
    assert.equal([result.outcome, result.id], ['unchanged', first.result.id]);
    assert.equal(readdirSync(folder).sort(), ['hall.json', 'hall.ndjson']);
  }
});

test('should build without the records of a failing feed whose file has a damaged line', async ({
  feeds,
  good,
}) => {
  feeds.answer = always(500, '');
  for (const line of DAMAGED_LINES) {
    const target = copyOf(good);
    prepend(line, join(target, 'feeds', 'hall.ndjson'));
    const built = await builtWithFeeds(folderOf({ url: feeds.url }), target, { now: DAY_LATER, force: true });
    assert.equal([healthOf(built)?.state, built.result.counts.events], ['failed', 3], line);
  }
});

test('should keep the records of a failing feed whose state is lost', async ({ feeds, good }) => {
  const target = copyOf(good);
  rmSync(join(target, 'feeds', 'hall.json'));
  feeds.answer = always(500, '');
  const built = await builtWithFeeds(folderOf({ url: feeds.url }), target, { now: DAY_LATER });
  assert.is(healthOf(built)?.state, 'stale');
});

function prepend(line: string, path: string): void {
  writeFileSync(path, `${line}\n${readFileSync(path, 'utf8')}`);
}

test('should build without the records of a failing feed whose file has too long a line', async ({
  feeds,
  good,
}) => {
  const target = copyOf(good);
  const path = join(target, 'feeds', 'hall.ndjson');
  const long = `{"list":"events","line":1,"value":{"id":"${'x'.repeat(17 * 1024 * 1024)}"}}\n`;
  writeFileSync(path, long + readFileSync(path, 'utf8'));
  feeds.answer = always(500, '');
  const built = await builtWithFeeds(folderOf({ url: feeds.url }), target, { now: DAY_LATER, force: true });
  assert.equal([healthOf(built)?.state, built.result.counts.events], ['failed', 3]);
});

/** A calendar of so many series of about 175 bytes each. */
const recurring = (count: number, rule: string) =>
  Array.from({ length: count }, (_, at) =>
    [
      'BEGIN:VEVENT',
      `UID:r${at}`,
      `SUMMARY:Vakt ${at}`,
      'DTSTART;TZID=Europe/Oslo:20260601T190000',
      `RRULE:${rule}`,
      'END:VEVENT',
      '',
    ].join('\r\n'),
  ).join('');

test('G11: should keep the last good records of a feed that has many times as many dates', async ({
  feeds,
}) => {
  const [source, target] = [folderOf({ url: feeds.url }), temporaryFolder()];
  let now = NOW;
  const buildWith = async (text: string, more: object = {}) => {
    feeds.answer = always(200, text);
    now += 86_400;
    const built = await builtWithFeeds(source, target, { now, ...more });
    return { ...built, dates: built.result.counts.occurrences, health: built.report.feeds[0] };
  };
  const first = await buildWith(calendar(recurring(1, 'FREQ=WEEKLY;COUNT=10')));
  // Ten dates may become ten thousand.
  const grown = await buildWith(calendar(recurring(2, 'FREQ=HOURLY;COUNT=4000')));
  assert.equal([first.health?.state, grown.health?.state], ['ok', 'ok']);
  assert.is(grown.dates - first.dates, 8_000 - 10);

  const before = await buildWith(calendar(recurring(1, 'FREQ=WEEKLY;COUNT=10')), { force: true });
  const flood = calendar(recurring(2, 'FREQ=HOURLY'));
  assertBelow(flood.length, 4_000, 'letters');
  const refused = await buildWith(flood);
  assert.equal([refused.health?.state, refused.health?.reason], ['stale', 'much larger than before']);
  assert.is(
    refused.health?.why,
    'expected not more than 10000 dates, 50 times what was there before (10) or 10000, found 19162; if this is intended, build with --force',
  );
  assert.is(refused.dates, before.dates);
  const forced = await buildWith(flood, { force: true });
  assert.is(forced.health?.state, 'ok');
  assertAbove(forced.dates, 15_000, 'dates');
  // The next build is compared with this one.
  assert.is((await buildWith(flood)).health?.state, 'ok');
});

const FIRST = [
  ['a daily event for all that is built', 'FREQ=DAILY', 1, null],
  ['one that is hourly among many that are weekly', 'FREQ=HOURLY', 1, null],
  ['as many dates as it may have', 'FREQ=HOURLY;COUNT=600', 20, null],
  [
    'one more date than it may have',
    'FREQ=HOURLY;COUNT=601',
    20,
    '12000 dates when a feed is first read (600 for each of 20 entries, and 200000 in all), found 12020',
  ],
  [
    'minutes by the thousand',
    'FREQ=MINUTELY;COUNT=1000',
    1_000,
    '200000 dates when a feed is first read (600 for each of 1000 entries, and 200000 in all), found 1000000',
  ],
] as const;

for (const [what, rule, count, refusal] of FIRST) {
  test(`G11: should ${refusal === null ? 'take' : 'refuse'} a new feed with ${what}`, async ({ feeds }) => {
    const others = what.includes('among') ? many(40).join('') : '';
    feeds.answer = always(200, calendar(recurring(count, rule), others));
    const [source, target] = [folderOf({ url: feeds.url }), temporaryFolder()];
    const [health] = (await builtWithFeeds(source, target)).report.feeds;
    assert.equal([health?.state, health?.reason], refusal === null ? ['ok', null] : ['failed', 'size limit']);
    if (refusal === null) return;
    assert.is(health?.why, `expected at most ${refusal}; if this is intended, build with --force`);
    if (count > 20) return;
    const [forced] = (await builtWithFeeds(source, target, { force: true })).report.feeds;
    assert.is(forced?.state, 'ok');
  });
}

test.run();
