/** Feeds that fail: a build keeps their last good records, reports them, and reads them anew when their files are lost. */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { messageOf } from '../../../../src/calendar/errors.ts';
import { isoSecond } from '../../../../src/calendar/time.ts';
import { metaText } from '../../../../src/snapshot/meta.ts';
import { openReader } from '../../../../src/snapshot/sqlite.ts';
import { withAnnex } from '../../../helpers/annex.ts';
import { unfinishedIn } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import {
  CALENDAR_EVENTS,
  copyOfFolder,
  DAY_LATER,
  firstHealthOf,
  sourceWithFeed,
  TWO_EVENTS,
  vcalendar,
  vevent,
} from '../../../helpers/feed-files.ts';
import { hasKind } from '../../../helpers/feed-kinds.ts';
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
  const feeds = await startFeedServer(always(200, TWO_EVENTS));
  const good = temporaryFolder();
  await builtWithFeeds(sourceWithFeed({ url: feeds.url }), good);
  Object.assign(context, { feeds, good });
});
test.before.each(({ feeds }) => {
  feeds.requests.length = 0;
  feeds.answer = always(200, TWO_EVENTS);
});
test.after(async ({ feeds }) => feeds.close());

interface Failure {
  readonly does: string;
  /** In the report. */
  readonly reason: string;
  readonly answer: Handler;
  /** Settings of the feed. */
  readonly feed?: object;
}

const FAILURES: readonly Failure[] = [
  { does: 'answers 500', reason: 'HTTP status', answer: always(500, 'oops') },
  { does: 'answers 404', reason: 'HTTP status', answer: always(404, 'gone') },
  { does: 'sends nothing', reason: 'empty', answer: always(200, '') },
  { does: 'has no events any more', reason: 'empty', answer: always(200, vcalendar()) },
  {
    does: 'sends HTML',
    reason: 'not a calendar',
    answer: always(200, '\n <!doctype html><title>Logg inn</title>'),
  },
  { does: 'sends plain text', reason: 'not a calendar', answer: always(200, 'Too many connections') },
  { does: 'stops in the middle', reason: 'truncated', answer: always(200, TWO_EVENTS.slice(0, -40)) },
  { does: 'breaks off', reason: 'truncated', answer: brokenOff },
  {
    does: 'breaks off within its compression',
    reason: 'truncated',
    answer: zipped(gzipSync(TWO_EVENTS).subarray(0, 60)),
  },
  {
    does: 'is a hundred times larger',
    reason: 'much larger than before',
    answer: always(200, vcalendar(...many(300))),
  },
  {
    does: 'is larger than allowed',
    reason: 'size limit',
    answer: always(200, TWO_EVENTS.padEnd(3000)),
    feed: { maxMegabytes: 0.002 },
  },
  {
    does: 'grows beyond the limit when it is decompressed',
    reason: 'size limit',
    answer: zipped(gzipSync(TWO_EVENTS.padEnd(5_000_000))),
    feed: { maxMegabytes: 1 },
  },
  {
    does: 'never ends',
    reason: 'time limit',
    answer: (_, response) => response.write('BEGIN:VCALENDAR\r\n'),
    feed: { timeoutSeconds: 0.3 },
  },
  {
    does: 'never answers',
    reason: 'time limit',
    answer: () => undefined,
    feed: { timeoutSeconds: 0.3 },
  },
  {
    does: 'redirects for ever',
    reason: 'redirect limit',
    answer: always(302, '', { location: '/again' }),
  },
  {
    does: 'redirects to a file',
    reason: 'unreachable',
    answer: always(302, '', { location: 'file:///etc/passwd' }),
  },
  {
    does: 'does not speak HTTP',
    reason: 'unreachable',
    answer: (request) => request.socket.end('nonsense\r\n\r\n'),
  },
];

function brokenOff(...[, response]: Parameters<Handler>): void {
  response.writeHead(200, { 'content-length': '9999' });
  response.write(TWO_EVENTS, () => response.destroy());
}

function zipped(body: Buffer): Handler {
  return always(200, body, { 'content-encoding': 'gzip' });
}

function many(count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => vevent(`n${at}`));
}

for (const { does, reason, answer, feed = {} } of FAILURES) {
  test(`L0: should keep the last good records of a feed that ${does}`, async ({ feeds, good }) => {
    feeds.answer = answer;
    const target = copyOfFolder(good);
    const built = await builtWithFeeds(sourceWithFeed({ url: feeds.url, ...feed }), target, {
      now: DAY_LATER,
    });
    assert.equal(firstHealthOf(built), { state: 'stale', reason, since: isoSecond(DAY_LATER) });
    assert.is(built.result.counts.events, 5);
    assert.equal(unfinishedIn(target), []);
  });
}

test('should report since when a feed fails, and publish once when it fails and when it works again', async ({
  feeds,
  good,
}) => {
  const source = sourceWithFeed({ url: feeds.url });
  const target = copyOfFolder(good);
  const at = async (now: number) => {
    const built = await builtWithFeeds(source, target, { now });
    const { outcome, counts } = built.result;
    return { outcome, events: counts.events, since: firstHealthOf(built)?.since };
  };
  const since = isoSecond(DAY_LATER);
  feeds.answer = always(500, '');
  assert.equal(await at(DAY_LATER), { outcome: 'published', events: 5, since });
  assert.equal(await at(DAY_LATER + 3600), { outcome: 'unchanged', events: 5, since });
  feeds.answer = always(200, vcalendar(vevent('a'), vevent('b'), vevent('c')));
  assert.equal(await at(DAY_LATER + 7200), { outcome: 'published', events: 6, since: null });
});

test('should build without feeds that have never worked, and with the others', async ({ feeds }) => {
  feeds.answer = (request, response) =>
    always(200, request.url === '/good' ? TWO_EVENTS : '<html>')(request, response);
  const source = sourceFolder({
    'events.json': CALENDAR_EVENTS,
    'sources.json': [
      { id: 'bad', kind: 'ical', url: `${feeds.url}/bad` },
      { id: 'good', kind: 'ical', url: `${feeds.url}/good` },
      { id: 'down', kind: 'ical', url: 'http://127.0.0.1:1/' },
      ...(hasKind('graphql') ? [{ id: 'mirror', kind: 'graphql', url: `${feeds.url}/graphQL` }] : []),
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
      ...(hasKind('graphql') ? ['mirror failed unreadable answer'] : []),
      'missing failed file',
      'folder failed file',
    ],
  );
});

test('L0: should keep the last good records of a feed until its new address works', async ({
  feeds,
  good,
}) => {
  feeds.answer = (request, response) =>
    always(request.url === '/new' ? 500 : 200, TWO_EVENTS)(request, response);
  const target = copyOfFolder(good);
  const moved = sourceWithFeed({ url: `${feeds.url}/new` });
  const failing = await builtWithFeeds(moved, target, { now: DAY_LATER });
  assert.equal([firstHealthOf(failing)?.state, failing.result.counts.events], ['stale', 5]);
  feeds.answer = always(200, vcalendar(vevent('a'), vevent('b'), vevent('c')));
  assert.is((await builtWithFeeds(moved, target, { now: DAY_LATER })).result.counts.events, 6);
});

test('L0: should keep the records of a feed with a misspelled file, and suggest the nearest name', async () => {
  const source = sourceWithFeed({ file: 'hall.ics' }, { 'hall.ics': TWO_EVENTS });
  const target = temporaryFolder();
  assert.is((await builtWithFeeds(source, target)).result.counts.events, 5);
  writeFileSync(join(source, 'sources.json'), '[{"id":"hall","kind":"ical","file":"hall.ICS"}]');
  const { result, report } = await builtWithFeeds(source, target);
  assert.equal([result.counts.events, report.feeds[0]?.state], [5, 'stale']);
  assert.is(report.feeds[0]?.why, 'hall.ICS: it is not there; the nearest is "hall.ics"');
});

test('L0: should remove the events of a feed that sources.json no longer names, and report their number', async () => {
  const source = sourceWithFeed({ file: 'hall.ics' }, { 'hall.ics': TWO_EVENTS });
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

test('G1: should publish, with a warning, when a file beside the records of feeds cannot be removed', async () => {
  const target = temporaryFolder();
  mkdirSync(join(target, 'feeds', 'mine'), { recursive: true });
  for (const name of ['a.json', 'z.json']) writeFileSync(join(target, 'feeds', name), '{}');
  const { result } = await builtWithFeeds(
    sourceWithFeed({ file: 'hall.ics' }, { 'hall.ics': TWO_EVENTS }),
    target,
  );
  assert.is(result.outcome, 'published');
  const [warning = '', ...others] = result.warnings;
  assert.match(warning, 'old file not removed: ');
  assert.match(warning, join(target, 'feeds', 'mine'));
  assert.equal(others, []);
  assert.equal(readdirSync(join(target, 'feeds')).sort(), ['hall.json', 'hall.ndjson', 'mine']);
});

test('G3: should accept an empty feed with --force', async ({ feeds, good }) => {
  feeds.answer = always(200, vcalendar());
  const { result } = await builtWithFeeds(sourceWithFeed({ url: feeds.url }), copyOfFolder(good), {
    force: true,
  });
  assert.is(result.counts.events, 3);
});

test('should accept an empty feed where its settings allow it', async ({ feeds, good }) => {
  feeds.answer = always(200, vcalendar());
  const source = sourceWithFeed({ url: feeds.url, mayBeEmpty: true });
  assert.equal(firstHealthOf(await builtWithFeeds(source, copyOfFolder(good))), {
    state: 'ok',
    reason: null,
    since: null,
  });
});

/** Builds a calendar with a failing feed that has a token in its path. */
async function buildFailing(feeds: FeedServer) {
  feeds.answer = always(500, '');
  const target = temporaryFolder();
  const { result } = await builtWithFeeds(
    sourceWithFeed({ url: `${feeds.url}/private-token/basic.ics` }),
    target,
  );
  return { target, file: join(target, result.file) };
}

test('H8: should store the state of feeds in the snapshot, without the path of a feed', async ({ feeds }) => {
  const { file } = await buildFailing(feeds);
  const reader = await openReader(file, { connections: 1 });
  try {
    const stored = await metaText(reader, 'feeds');
    const [{ id, state, reason, since }] = JSON.parse(stored);
    assert.equal(
      { id, state, reason, since },
      { id: 'hall', state: 'failed', reason: 'HTTP status', since: isoSecond(NOW) },
    );
    assert.not.match(stored, /private-token/);
  } finally {
    await reader.close();
  }
});

test('H8: should show the state of feeds on /readyz, with the host of a feed alone', async ({ feeds }) => {
  const { target } = await buildFailing(feeds);
  const { url, close } = await startServer({ snapshots: target, clock: () => NOW * 1000 });
  try {
    const ready: { feeds?: unknown } = JSON.parse(await (await fetch(`${url}/readyz`)).text());
    const why = `${new URL(feeds.url).host}: expected HTTP 200, found 500`;
    assert.equal(ready.feeds, [{ id: 'hall', state: 'failed', since: isoSecond(NOW), why }]);
  } finally {
    await close();
  }
});

/** Lines that a build cannot use, before the lines of an intact file. */
const DAMAGED_LINES = [
  '{"list":"events","line":1,"val',
  '{"list":"ids","uid":1}',
  '{"liss":"events","line":1,"value":{}}',
];

interface Damage {
  readonly what: string;
  readonly damage: (folder: string) => void;
}

/** Damage to the files in which a snapshot folder keeps a feed. */
const DAMAGES: readonly Damage[] = [
  { what: 'no records', damage: (folder) => rmSync(join(folder, 'hall.ndjson')) },
  { what: 'no state', damage: (folder) => rmSync(join(folder, 'hall.json')) },
  { what: 'half a state', damage: (folder) => writeFileSync(join(folder, 'hall.json'), '{"slice":') },
  {
    what: 'half a record',
    damage: (folder) => writeFileSync(join(folder, 'hall.ndjson'), '{"list":"events","li'),
  },
  ...DAMAGED_LINES.map(
    (line): Damage => ({
      what: `the line ${line}`,
      damage: (folder) => prepend(line, join(folder, 'hall.ndjson')),
    }),
  ),
];

test('should read a feed anew if its records or its state are lost or damaged', async ({ feeds, good }) => {
  const source = sourceWithFeed({ url: feeds.url });
  const target = copyOfFolder(good);
  const first = await builtWithFeeds(source, target);
  const folder = join(target, 'feeds');
  for (const { what, damage } of DAMAGES) {
    damage(folder);
    const { result } = await builtWithFeeds(source, target);
    assert.equal([result.outcome, result.id], ['unchanged', first.result.id], what);
    assert.equal(readdirSync(folder).sort(), ['hall.json', 'hall.ndjson'], what);
  }
});

test('should stop a build if the machine cannot read what is there of a feed', async ({ feeds, good }) => {
  feeds.answer = always(500, '');
  for (const name of ['hall.json', 'hall.ndjson']) {
    const target = copyOfFolder(good);
    const path = join(target, 'feeds', name);
    rmSync(path);
    // A link to itself: no user can open it, whereas root may read what others may not.
    symlinkSync(name, path);
    const build = builtWithFeeds(sourceWithFeed({ url: feeds.url }), target, { now: DAY_LATER, force: true });
    const thrown = await build.then(
      () => null,
      (cause: unknown) => cause,
    );
    assert.match(messageOf(thrown), /ELOOP: .*hall/, name);
    assert.ok(lstatSync(path).isSymbolicLink(), name);
  }
});

test('should build without the records of a failing feed whose file has a damaged line', async ({
  feeds,
  good,
}) => {
  feeds.answer = always(500, '');
  for (const line of DAMAGED_LINES) {
    const target = copyOfFolder(good);
    prepend(line, join(target, 'feeds', 'hall.ndjson'));
    const built = await builtWithFeeds(sourceWithFeed({ url: feeds.url }), target, {
      now: DAY_LATER,
      force: true,
    });
    assert.equal([firstHealthOf(built)?.state, built.result.counts.events], ['failed', 3], line);
  }
});

withAnnex('operator', test)(
  'H12: should raise a concern once a file has not changed for as long as its feed allows',
  async () => {
    const row = (title: string, day: string) => `${title};${day}`;
    const source = sourceFolder({
      'sources.json': [{ id: 'hall', kind: 'csv', file: 'hall.csv', expectChangesWithinDays: 2 }],
      'hall.csv': ['Tittel;Start', row('Kor', '2026-12-01')].join('\n'),
    });
    const target = temporaryFolder();
    const days = 86_400;
    const at = async (now: number) => {
      const built = await builtWithFeeds(source, target, { now });
      const { send, close } = await startServer({ snapshots: target, clock: () => now * 1_000 });
      const { text } = await send('/status?format=json').finally(close);
      const { concerns } = JSON.parse(text);
      const found = concerns.find(({ name }: { readonly name: string }) => name === 'feed unchanged');
      return [built.report.feeds[0]?.expectedChange?.last, found?.since, found?.details[0].en];
    };
    assert.equal(await at(NOW), [isoSecond(NOW), undefined, undefined]);
    assert.equal(await at(NOW + 2 * days), [isoSecond(NOW), undefined, undefined]);
    // The same rows, saved again.
    writeFileSync(join(source, 'hall.csv'), ['Tittel;Start', row('Kor', '2026-12-01'), ''].join('\r\n'));
    const [last, since, detail] = await at(NOW + 3 * days);
    assert.equal([last, Date.parse(since)], [isoSecond(NOW), (NOW + 2 * days) * 1_000]);
    assert.match(detail, /^hall: last changed on \d/);
    writeFileSync(join(source, 'hall.csv'), ['Tittel;Start', row('Kor', '2026-12-02')].join('\n'));
    assert.equal(await at(NOW + 3 * days), [isoSecond(NOW + 3 * days), undefined, undefined]);
  },
);

test('should keep the records of a failing feed whose state is lost', async ({ feeds, good }) => {
  const target = copyOfFolder(good);
  rmSync(join(target, 'feeds', 'hall.json'));
  feeds.answer = always(500, '');
  const built = await builtWithFeeds(sourceWithFeed({ url: feeds.url }), target, { now: DAY_LATER });
  assert.is(firstHealthOf(built)?.state, 'stale');
});

function prepend(line: string, path: string): void {
  writeFileSync(path, `${line}\n${readFileSync(path, 'utf8')}`);
}

test('should build without the records of a failing feed whose file has too long a line', async ({
  feeds,
  good,
}) => {
  const target = copyOfFolder(good);
  const path = join(target, 'feeds', 'hall.ndjson');
  const long = `{"list":"events","line":1,"value":{"id":"${'x'.repeat(17 * 1024 * 1024)}"}}\n`;
  writeFileSync(path, long + readFileSync(path, 'utf8'));
  feeds.answer = always(500, '');
  const built = await builtWithFeeds(sourceWithFeed({ url: feeds.url }), target, {
    now: DAY_LATER,
    force: true,
  });
  assert.equal([firstHealthOf(built)?.state, built.result.counts.events], ['failed', 3]);
});

test.run();
