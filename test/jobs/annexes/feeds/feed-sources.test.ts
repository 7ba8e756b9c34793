/** Feeds from files: the processes that read them, and how their records are merged. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Feed, readFeeds, rulesOf } from '../../../../jobs/annexes/feeds/config.ts';
import { FeedProblem } from '../../../../jobs/annexes/feeds/feed-problem.ts';
import { AFTER_PARENT_MS, interruptedAfter } from '../../../../jobs/annexes/feeds/interrupt.ts';
import { createReaders } from '../../../../jobs/annexes/feeds/reader-pool.ts';
import type { ReadRequest } from '../../../../jobs/annexes/feeds/reader-process.ts';
import { inheritedOptions, programPath } from '../../../../src/package.ts';
import { assertAbove, assertAtMost, assertDefined } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import {
  CALENDAR_EVENTS,
  sourceWithFeed,
  TWO_EVENTS,
  vcalendar,
  vevent,
} from '../../../helpers/feed-files.ts';
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

/** Requests to read calendars of a feed. */
async function requestsOf(...texts: readonly string[]): Promise<readonly ReadRequest[]> {
  const feed = rulesOf(await feedOf(sourceWithFeed({ file: 'hall.ics' })));
  const folder = temporaryFolder();
  return texts.map((text, at) => ({
    kind: 'ical',
    feed,
    now: NOW,
    horizonDay: 21_000,
    documents: [{ origin: null, bytes: Buffer.from(text) }],
    notes: [],
    output: join(folder, `${at}`),
  }));
}

/** Reads a large feed and, after it, a small one within these limits. */
async function readBoth(limits: Parameters<typeof createReaders>[0]) {
  const requests = await requestsOf(LARGE, TWO_EVENTS);
  const reader = createReaders(limits);
  const [large, small] = await Promise.allSettled(requests.map((request) => reader.read(request)));
  reader.end();
  return { refusal: large?.status === 'rejected' ? String(large.reason) : '', small: small?.status };
}

const LARGE = vcalendar(...Array.from({ length: 100_000 }, (_, at) => vevent(`e${at}`)));

test('should kill a process that reads a feed for too long', async () => {
  // No process begins within a millisecond.
  const { refusal } = await readBoth({ milliseconds: 1, megabytes: 1_024 });
  assert.match(refusal, /expected the feed to be read in at most 0\.001 s .* ended by SIGKILL$/);
});

test('should end a process that reads for too long by itself, if its parent does not kill it', async () => {
  const [request] = await requestsOf(LARGE);
  const child = fork(programPath('jobs/annexes/feeds/child'), {
    execArgv: [...inheritedOptions()],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let errors = '';
  child.stderr?.on('data', (text) => {
    errors += text;
  });
  child.send({ ...request, milliseconds: 20 - AFTER_PARENT_MS });
  const [code] = await once(child, 'close');
  assert.match(errors, /Script execution timed out after 20ms/);
  assert.is(code, 1);
});

test('should end a process that takes too much memory for a feed, and read the next feed', async () => {
  const { refusal, small } = await readBoth({ milliseconds: 600_000, megabytes: 48 });
  assert.match(refusal, /within its memory limit, found that the process .*heap/);
  assert.is(small, 'fulfilled');
});

test('should interrupt the reading of a feed without an end, and pass on what another returns or throws', () => {
  const endless = () => {
    for (;;);
  };
  assert.throws(() => interruptedAfter(20, endless), /timed out after 20ms/);
  assert.is(
    interruptedAfter(60_000, () => 'lines'),
    'lines',
  );
  const problem = new FeedProblem('size limit', 'too long');
  const failing = () => {
    throw problem;
  };
  assert.throws(
    () => interruptedAfter(60_000, failing),
    (thrown: unknown) => thrown === problem,
  );
});

test('should read small feeds beside a slow one, in at most four processes', async () => {
  const feed = rulesOf(await feedOf(sourceWithFeed({ file: 'hall.ics' })));
  const large = Buffer.from(vcalendar(vevent('long', `DESCRIPTION:${'x'.repeat(MORE_THAN_SMALL)}\r\n`)));
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
    for (let at = 0; at < 12; at++) readings.push(readAs(`small-${at}`, Buffer.from(TWO_EVENTS)));
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
  const files = ['a', 'b', 'c'].map((id) => [`${id}.ics`, TWO_EVENTS] as const);
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
  assert.equal(
    report.feeds.map(({ state }) => state),
    ['ok', 'ok', 'ok'],
  );
  assert.is(processes.size, 1, 'processes');
});

test('G11: should refuse a feed with rules for a million dates', async () => {
  const flood = Array.from({ length: 1_100 }, (_, at) => vevent(`e${at}`, 'RRULE:FREQ=MINUTELY\r\n'));
  const { report, result } = await builtWithFeeds(
    sourceWithFeed({ file: 'hall.ics' }, { 'hall.ics': vcalendar(...flood) }),
    temporaryFolder(),
    // The limit on dates ends this work, also on a slow machine.
    { createReader: () => createReaders({ milliseconds: 600_000, megabytes: 1_024 }) },
  );
  assert.equal([report.feeds[0]?.reason, result.counts.events], ['size limit', 3]);
});

/** Its size is 0 until it is read, as that of a file that grows meanwhile. */
const GROWING = '/proc/cpuinfo';
const onLinux = when(existsSync(GROWING), `there is no ${GROWING} here`, test);

onLinux('should read no more of a file than its limit, even if it grows while it is read', async () => {
  const source = sourceWithFeed({ file: GROWING, maxMegabytes: 0.000_1 });
  const feedSettings = { ...FEED_SETTINGS, sourceFiles: ['/proc'] };
  const { report } = await builtWithFeeds(source, temporaryFolder(), { feedSettings });
  const [{ reason, why } = { reason: null, why: null }] = report.feeds;
  assert.equal([reason, why], ['size limit', '/proc/cpuinfo: expected at most 104 bytes, found more']);
});

test('F11: should merge venues of feeds and of the folder by name and address', async () => {
  const at = (location: string) => vcalendar(vevent('x', `LOCATION:${location}\r\n`));
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

test('L3: should build a calendar without records of its own', async () => {
  const source = sourceFolder({
    'hall.ics': TWO_EVENTS,
    'sources.json': [{ id: 'hall', kind: 'ical', file: 'hall.ics' }],
  });
  assert.is((await builtWithFeeds(source, temporaryFolder())).result.counts.events, 2);
});

test.run();
