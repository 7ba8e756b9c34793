/** Sources with feeds from files: what they may cost, how they are merged, and how they are listed. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Feed, readFeeds, rulesOf } from '../../../../jobs/annexes/feeds/config.ts';
import { createReaders } from '../../../../jobs/annexes/feeds/reader-process.ts';
import { assertAbove, assertAtMost, assertDefined } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { CALENDAR_EVENTS, calendar, entry, folderOf, GOOD } from '../../../helpers/feed-files.ts';
import { rowsOf } from '../../../helpers/feed-reading.ts';
import { builtWithFeeds, FEED_SETTINGS } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { childrenOf } from '../../../helpers/program.ts';
import { until } from '../../../helpers/until.ts';
import { when } from '../../../helpers/when.ts';

const test = suite('feed sources');

/** Bytes of a feed that only the first process reads. */
const MORE_THAN_SMALL = 1_100_000;

async function feedOf(source: string): Promise<Feed> {
  const [feed] = await readFeeds(source);
  if (feed === undefined) throw new Error('expected a feed');
  return feed;
}

/** Reads a large feed and, after it, a small one within these limits. */
async function readBoth(limits: Parameters<typeof createReaders>[0]) {
  const feed = rulesOf(await feedOf(folderOf({ file: 'hall.ics' })));
  const folder = temporaryFolder();
  const reader = createReaders(limits);
  const readings = Object.entries({ large: LARGE, small: GOOD }).map(([name, text]) =>
    reader.read({
      kind: 'ical',
      feed,
      now: NOW,
      horizonDay: 21_000,
      documents: [{ origin: null, bytes: Buffer.from(text) }],
      notes: [],
      output: join(folder, name),
    }),
  );
  const [large, small] = await Promise.allSettled(readings);
  reader.end();
  return { refusal: large?.status === 'rejected' ? String(large.reason) : '', small: small?.status };
}

const LARGE = calendar(...Array.from({ length: 100_000 }, (_, at) => entry(`e${at}`)));

test('should kill a reader that takes too long', async () => {
  // No process begins within a millisecond.
  const { refusal } = await readBoth({ milliseconds: 1, megabytes: 1_024 });
  assert.is(
    refusal,
    'FeedProblem: expected the feed to be read in at most 0.001 s and within its memory limit, found that the process was ended by SIGKILL',
  );
});

test('should kill a reader that takes too much memory, and read the next feed', async () => {
  const { refusal, small } = await readBoth({ milliseconds: 600_000, megabytes: 48 });
  assert.match(refusal, /within its memory limit, found that the process .*heap/);
  assert.is(small, 'fulfilled');
});

test('should read small feeds beside a slow one, in at most four processes', async () => {
  const feed = rulesOf(await feedOf(folderOf({ file: 'hall.ics' })));
  const large = Buffer.from(calendar(entry('long', `DESCRIPTION:${'x'.repeat(MORE_THAN_SMALL)}\r\n`)));
  const folder = temporaryFolder();
  const earlier = childrenOf(process.pid, 'feeds/child');
  const readersNow = () => childrenOf(process.pid, 'feeds/child').filter((pid) => !earlier.includes(pid));
  const { read, end } = createReaders({ milliseconds: 600_000, megabytes: 1_024, patience: 0 });
  const ended: string[] = [];
  const processes = new Set<number>();
  const readAs = async (name: string, bytes: Buffer) => {
    const documents = [{ origin: null, bytes }];
    const about = { kind: 'ical', feed, now: NOW, horizonDay: 21_000 } as const;
    await read({ ...about, documents, notes: [], output: join(folder, name) });
    ended.push(name);
    for (const pid of readersNow()) processes.add(pid);
  };
  const readings = [readAs('large-1', large)];
  let slow: number | undefined;
  await until('a process begins to read', () => {
    [slow] = readersNow();
    return slow !== undefined;
  });
  assertDefined(slow, 'a process');
  process.kill(slow, 'SIGSTOP');
  try {
    readings.push(readAs('large-2', large));
    for (let at = 0; at < 12; at++) readings.push(readAs(`small-${at}`, Buffer.from(GOOD)));
    await until('the small feeds are read', () => ended.length === 12);
  } finally {
    process.kill(slow, 'SIGCONT');
  }
  await Promise.all(readings);
  end();
  assert.equal(ended.slice(-2).sort(), ['large-1', 'large-2']);
  assertAbove(processes.size, 1, 'processes');
  assertAtMost(processes.size, 4, 'processes');
});

test('should read all feeds of a build in one process, unless one keeps the others waiting', async () => {
  const files = ['a', 'b', 'c'].map((id) => [`${id}.ics`, GOOD] as const);
  const sources = files.map(([file]) => ({ id: file.slice(0, 1), kind: 'ical', file }));
  const processes = new Set<number>();
  const createReader = () => {
    const { read, end } = createReaders({ milliseconds: 60_000, megabytes: 1_024, patience: 600_000 });
    const noted: typeof read = async (...given) => {
      await read(...given);
      for (const pid of childrenOf(process.pid, 'feeds/child')) processes.add(pid);
    };
    return { read: noted, end };
  };
  const source = sourceFolder({
    'events.json': CALENDAR_EVENTS,
    ...Object.fromEntries(files),
    'sources.json': sources,
  });
  const { report } = await builtWithFeeds(source, temporaryFolder(), { createReader });
  assert.equal([report.feeds.map(({ state }) => state), processes.size], [['ok', 'ok', 'ok'], 1]);
});

test('should refuse a feed whose rules would fill the calendar', async () => {
  const flood = Array.from({ length: 1_100 }, (_, at) => entry(`e${at}`, 'RRULE:FREQ=MINUTELY\r\n'));
  const { report, result } = await builtWithFeeds(
    folderOf({ file: 'hall.ics' }, { 'hall.ics': calendar(...flood) }),
    temporaryFolder(),
    // Work that ends by what it has made, on a slow machine too.
    { createReader: () => createReaders({ milliseconds: 600_000, megabytes: 1_024 }) },
  );
  assert.equal([report.feeds[0]?.reason, result.counts.events], ['size limit', 3]);
});

/** Its size is 0 until it is read, as that of a file that grows meanwhile. */
const GROWING = '/proc/cpuinfo';
const onLinux = when(existsSync(GROWING), `there is no ${GROWING} here`, test);

onLinux('should read no more of a file than its limit, even if it grows while it is read', async () => {
  const source = folderOf({ file: GROWING, maxMegabytes: 0.000_1 });
  const feedSettings = { ...FEED_SETTINGS, sourceFiles: ['/proc'] };
  const { report } = await builtWithFeeds(source, temporaryFolder(), { feedSettings });
  const [{ reason, why } = { reason: null, why: null }] = report.feeds;
  assert.equal([reason, why], ['size limit', '/proc/cpuinfo: expected at most 104 bytes, found more']);
});

test('F11: should merge a venue of two feeds with that of the folder', async () => {
  const at = (location: string) => calendar(entry('x', `LOCATION:${location}\r\n`));
  const { report, result } = await builtWithFeeds(
    sourceFolder({
      'events.json': CALENDAR_EVENTS,
      'venues.json': [{ id: 'v1', name: 'Rockheim', address: 'Brattørkaia 14, 7010 Trondheim' }],
      'a.ics': at('Kafé Ø\\, Gata 1'),
      'b.ics': at('KAFE Ø\\,  gata 1'),
      'c.ics': at('rockheim'),
      'd.ics': at('Kafé Ø\\, Gata 2'),
      'sources.json': ['a', 'b', 'c', 'd'].map((id) => ({ id, kind: 'ical', file: `${id}.ics` })),
    }),
    temporaryFolder(),
  );
  assert.is(result.counts.venues, 3);
  // G9: both feeds have the same evening.
  assert.equal(
    report.findings.map(({ action }) => action),
    ['likely same'],
  );
});

test('should build from feeds alone', async () => {
  const source = sourceFolder({
    'hall.ics': GOOD,
    'sources.json': [{ id: 'hall', kind: 'ical', file: 'hall.ics' }],
  });
  assert.is((await builtWithFeeds(source, temporaryFolder())).result.counts.events, 2);
});

/** Wrong lists of feeds, each with its message. */
const REFUSED = rowsOf(`
  {} → sources.json: expected an array, found {}
  [{"id": "a", "kind": "ical"}] → sources.json:1 "a": expected either "url" or "file"
  [{"id": "a", "kind": "ical", "url": "ftp://x.example/"}]
    → sources.json:1 "a" url: expected an http or https URL, found "ftp://x.example/"
  [{"id": "a", "kind": "rss", "url": "https://x.example/"}]
    → sources.json:1 "a" kind: expected "ical", "csv", "jsonld" or "graphql", found "rss"
  [{"id": "a", "kind": "ical", "file": "x", "format": "DD.MM.YYYY"}]
    → sources.json:1 "a" format: expected only for kind "csv", found kind "ical"
  [{"id": "a", "kind": "csv", "file": "x", "format": "HH:mm"}]
    → sources.json:1 "a" format: expected how dates are written, such as "DD.MM.YYYY HH:mm", found "HH:mm"
  [{"id": "a", "kind": "ical", "url": ["https://x.example/"]}]
    → sources.json:1 "a" url: expected one URL, found a list
  [{"id": "a", "kind": "graphql", "file": "x"}] → sources.json:1 "a" url: expected the URL of an endpoint
  [{"id": "a", "kind": "graphql", "url": "https://x.example/", "timeZone": "Europe/Oslo"}]
    → sources.json:1 "a" timeZone: expected only for kind "ical" or "csv", found kind "graphql"
  [{"id": "a", "kind": "jsonld", "file": "x", "follow": "/a/"}]
    → sources.json:1 "a" follow: expected only for kind "jsonld" with one "url"
  [{"id": "a", "kind": "ical", "file": "x"}, {"id": "a", "kind": "ical", "file": "x"}]
    → sources.json:1 "a" id: expected a unique id, found "a", which sources.json:1 has
  [{"id": "a", "kind": "ical", "file": "x", "defaults": {"categories": "MUSIC"}}]
    → sources.json:1 "a" defaults.categories: expected a list of strings, found "MUSIC"
  [{"id": "a", "kind": "jsonld", "url": [${Array.from({ length: 201 }, () => '"https://x.example/"').join()}]}]
    → sources.json:1 "a" url: expected at most 200 pages, found 201
  ${'['.repeat(100_000)}${']'.repeat(100_000)}
    → sources.json: expected JSON, found a value nested deeper than 64 levels
`);

for (const [written = '', message = ''] of REFUSED) {
  test(`should refuse a list of feeds with the words: ${message}`, async () => {
    const thrown = await readFeeds(sourceFolder({ 'sources.json': written })).catch(({ message }) => message);
    assert.is(thrown, message);
  });
}

const ID = 'a name of at most 64 lower-case letters, digits, hyphens and underscores';

/** Wrong lists with secrets in the addresses of feeds, whatever they resemble, each with its message. */
const SECRET = rowsOf(`
  [{"id": "hall", "kind": "ical", "url": "htps://hall:hemmelig@hall.example/a.ics"}]
    → sources.json:1 "hall" url: expected an http or https URL, found "htps://***@hall.example/a.ics"
  [{"id": "hall", "kind": "ical", "url": ["htps://kari:hem#me lig@hall.example/"]}]
    → sources.json:1 "hall" url[0]: expected an http or https URL, found "htps://***@hall.example/"
  [{"id": "hall", "kind": "ical", "url": "htps://hall.example/${'a'.repeat(80)}@?expected=hemmelig"}]
    → sources.json:1 "hall" url: expected an http or https URL, found "htps://***@?***"
  [{"id": "hall", "kind": "ical", "url": "hall.example/?source=web&token=hemmelig"}]
    → sources.json:1 "hall" url: expected an http or https URL, found "hall.example/?***"
  [{"id": "https://kari:hemmelig@hall.example/", "kind": "ical"}]
    → sources.json:1 "https://***@hall.example/" id: expected ${ID}, found "https://***@hall.example/"
  [{"id": "hall", "kind": "fax", "url": "https://kari:hemmelig@hall.example/?url=hemmelig"}]
    → sources.json:1 "hall" kind: expected "ical", "csv", "jsonld" or "graphql", found "fax"
  {"id": "hall", "url": "https://kari:hemmelig@hall.example/"}
    → sources.json: expected an array, found {"id":"hall","url":"https://***@hall.example/"}
  [{"id": "hall", "url": "https://kari:hemmelig@hall.example/" "kind": "ical"}]
    → sources.json:1: expected JSON, but a comma is missing after "https://***@hall.example/"
  [{"https://hall.example/?token=hemmelig": "ical", "id": "hall", "kind": "ical"}]
    → sources.json:1 "hall": expected one of id, kind, url, file, follow, name, link, licence, defaults, map, language, apiKeyEnv, keepIds, categories, mayBeEmpty, series, columns, format, timeZone, maxMegabytes, timeoutSeconds, redirects, found "https://hall.example/?***"
`);

for (const [written = '', message = ''] of SECRET) {
  test(`H8: should print no password of a feed’s address, but: ${message}`, async () => {
    const thrown = await readFeeds(sourceFolder({ 'sources.json': written })).catch((cause) => cause);
    assert.is(thrown.message, message);
    assert.not.match(String(thrown.publicMessage), 'hemmelig');
  });
}

test('should refuse a feed in sources.json with a repeated field', async () => {
  const written = '[{ "id": "hall", "kind": "ical", "file": "a.ics", "file": "b.ics" }]';
  const thrown = await readFeeds(sourceFolder({ 'sources.json': written })).catch(({ message }) => message);
  assert.is(thrown, 'sources.json:1 "hall": expected each field once, found "file" more than once');
});

test.run();
