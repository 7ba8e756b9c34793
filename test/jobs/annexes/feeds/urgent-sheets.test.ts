/** F19: urgent correction sheets: what a look at them costs, what begins a build, and a takedown while a scheduled build waits for a feed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { FEED_AGENT } from '../../../../jobs/annexes/feeds/fetch.ts';
import { watchUrgentSheets } from '../../../../jobs/annexes/feeds/urgent-sheets.ts';
import { follow } from '../../../../jobs/annexes/schedule/builds.ts';
import { readSettings } from '../../../../jobs/settings.ts';
import { type AnnexUpkeep, type BuildRecord, NO_UPKEEP } from '../../../../src/upkeep.ts';
import { hasAnnex } from '../../../helpers/annex.ts';
import { vcalendar, vevent } from '../../../helpers/feed-files.ts';
import { always, type FeedServer, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds, FEED_SETTINGS } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { startServer } from '../../../helpers/running.ts';
import { eventually, until } from '../../../helpers/until.ts';

const test = suite<{ feeds: FeedServer }>('F19: urgent sheets');

test.before(async (context) => {
  context.feeds = await startFeedServer(always(200, ''));
});
test.before.each(({ feeds }) => {
  feeds.requests.length = 0;
});
test.after.each(async () => {
  for (const stop of started.splice(0)) await stop();
});
test.after(async ({ feeds }) => feeds.close());

/** Of tests that have failed, too. */
const started: (() => Promise<void>)[] = [];

const ignore = () => {};
const SHEET = 'Id,Skjul\n';
const CHANGED_SHEET = `${SHEET}kor,ja\n`;

interface Watched {
  readonly builds: (readonly string[])[];
  readonly warnings: string[];
  readonly reports: Partial<AnnexUpkeep>[];
  /** Waits until the sheet has been looked at this often since the last call. */
  readonly looks: (count: number) => Promise<void>;
  readonly onBuild: (record: BuildRecord) => void;
  readonly stop: () => Promise<void>;
}

/** Looks at a sheet again and again. `clock`: milliseconds. */
function watch(
  feeds: FeedServer,
  source: string,
  clock: () => number = Date.now,
  previous: Partial<AnnexUpkeep> = {},
): Watched {
  const builds: (readonly string[])[] = [];
  const warnings: string[] = [];
  const reports: Partial<AnnexUpkeep>[] = [];
  const warn = (fields: object) => void warnings.push(JSON.stringify(fields));
  const { onBuild, stop } = watchUrgentSheets({
    source,
    feedSettings: FEED_SETTINGS,
    build: (changed) => builds.push(changed),
    log: { debug: ignore, info: ignore, warn, error: ignore },
    clock,
    random: Math.random,
    reportState: (state) => reports.push(state),
    previous,
    pollMs: 1,
  });
  started.push(stop);
  const looks = async (count: number) => {
    const before = feeds.requests.length;
    // Once a further look has begun, the one before it is over.
    await until(`${count} more looks`, () => feeds.requests.length > before + count);
  };
  return { builds, warnings, reports, looks, onBuild, stop };
}

const sourceWith = (...sheets: readonly object[]) =>
  sourceFolder({ 'sources.json': sheets.map((sheet) => ({ kind: 'corrections', urgent: true, ...sheet })) });

/** Serves a sheet whose text the test changes, to conditional requests. */
function serveSheet(feeds: FeedServer): { text: string } {
  const sheet = { text: SHEET };
  feeds.answer = (request, response) => {
    const etag = `"${sheet.text.length}"`;
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else always(200, sheet.text, { etag })(request, response);
  };
  return sheet;
}

test('should send conditional requests, and begin no build while the sheet stays the same', async ({
  feeds,
}) => {
  serveSheet(feeds);
  const source = sourceWith(
    { id: 'desk', url: feeds.url },
    { id: 'slow', url: 'http://127.0.0.1:9/', urgent: false },
  );
  const { builds, reports, looks, stop } = watch(feeds, source, () => 7_000);
  await looks(3);
  await stop();
  assert.equal(builds, []);
  assert.is(reports.length, 1, 'of three checks');
  const [read] = reports[0]?.urgentSheets ?? [];
  const { content: _, ...told } = read ?? {};
  assert.equal(told, { id: 'desk', readAt: 7_000, failing: null, waitingSince: null, applied: null });
  assert.is(feeds.requests.at(-1)?.headers['if-none-match'], `"${SHEET.length}"`);
  assert.match(feeds.requests.at(-1)?.headers['user-agent'] ?? '', FEED_AGENT);
});

test('should begin one build for each change, also for one that takes back the last', async ({ feeds }) => {
  const sheet = serveSheet(feeds);
  const source = sourceWith({ id: 'desk', url: feeds.url });
  const { builds, reports, looks, stop } = watch(feeds, source, () => 7_000);
  await looks(2);
  const [read] = reports[0]?.urgentSheets ?? [];
  sheet.text = CHANGED_SHEET;
  await looks(3);
  assert.equal(builds, [['desk']]);
  sheet.text = SHEET;
  await looks(3);
  await stop();
  assert.equal(builds, [['desk'], ['desk']], 'after the row is gone again');
  assert.equal(reports.at(-1), { urgentSheets: [{ ...read, waitingSince: 7_000 }] });
  assert.is(reports.length, 3, 'one for each change');
});

test('should begin a build after a restart if no build has applied the last change', async ({ feeds }) => {
  const sheet = serveSheet(feeds);
  const { source, state } = await stateAfterChange(feeds, sheet, { isApplied: false });
  assert.equal(await buildsAfterRestart(feeds, source, state), [['desk']]);
});

test('should begin no build after a restart if a build has applied the last change', async ({ feeds }) => {
  const sheet = serveSheet(feeds);
  const { source, state } = await stateAfterChange(feeds, sheet, { isApplied: true });
  assert.equal(await buildsAfterRestart(feeds, source, state), []);
});

test('should begin a build after a restart for a change while no program ran', async ({ feeds }) => {
  const sheet = serveSheet(feeds);
  const { source, state } = await stateAfterChange(feeds, sheet, { isApplied: true });
  sheet.text = SHEET;
  assert.equal(await buildsAfterRestart(feeds, source, state), [['desk']]);
});

/** What a program reports at its end if the sheet has changed, and whether a build has applied that. */
async function stateAfterChange(
  feeds: FeedServer,
  sheet: { text: string },
  { isApplied }: { readonly isApplied: boolean },
) {
  const source = sourceWith({ id: 'desk', url: feeds.url });
  const { reports, looks, onBuild, stop } = watch(feeds, source, () => 7_000);
  await looks(2);
  sheet.text = CHANGED_SHEET;
  await looks(2);
  await stop();
  if (isApplied) onBuild(buildAt(7_000, 'published'));
  const [state = {}] = reports.slice(-1);
  return { source, state };
}

/** The builds that a program with the state of the last one begins. */
async function buildsAfterRestart(feeds: FeedServer, source: string, state: Partial<AnnexUpkeep>) {
  const { builds, looks, stop } = watch(feeds, source, () => 9_000, state);
  await looks(2);
  await stop();
  return builds;
}

test('should begin at most twenty builds in a row for a sheet that is never the same twice, and one every three minutes', async ({
  feeds,
}) => {
  let now = 0;
  feeds.answer = (request, response) => always(200, `${SHEET}${feeds.requests.length}`)(request, response);
  const { builds, looks, stop } = watch(feeds, sourceWith({ id: 'desk', url: feeds.url }), () => now);
  await looks(40);
  assert.is(builds.length, 20);
  now += 2 * 180_000;
  await looks(5);
  await stop();
  assert.is(builds.length, 22);
});

test('should begin no build after one that has failed, while no change waits', async ({ feeds }) => {
  const { builds, later, onBuild, stop, now } = await watchChanging(feeds);
  onBuild(buildAt(now(), 'failed'));
  await later(HOUR);
  await stop();
  assert.is(builds.length, 0);
});

test('should begin no further build for a change while the build for it runs', async ({ feeds }) => {
  const { builds, change, later, stop } = await watchChanging(feeds);
  await change(CHANGED_SHEET);
  await later(HOUR);
  await stop();
  assert.is(builds.length, 1);
});

test('should disregard a build that began before the change was seen', async ({ feeds }) => {
  const { builds, change, later, onBuild, stop, now } = await watchChanging(feeds);
  await change(CHANGED_SHEET);
  onBuild(buildAt(now() - 1, 'failed'));
  await later(HOUR);
  await stop();
  assert.is(builds.length, 1);
});

test('should build again until a build has applied the change, at most once in five minutes in the end', async ({
  feeds,
}) => {
  const { builds, change, later, onBuild, stop, now } = await watchChanging(feeds);
  await change(CHANGED_SHEET);
  for (const seconds of [30, 60, 120, 240, 300, 300]) {
    const before = builds.length;
    onBuild(buildAt(now(), 'failed'));
    await later(seconds * 1_000 - 1);
    assert.is(builds.length, before, `before ${seconds} seconds`);
    await later(1);
    assert.equal(builds.slice(before), [['desk']], `after ${seconds} seconds`);
  }
  await change(SHEET);
  assert.is(builds.length, 8, 'at once after a further change');
  onBuild(buildAt(now(), 'published'));
  await later(HOUR);
  await stop();
  assert.is(builds.length, 8, 'after a build that has applied it');
});

/** Looks at a sheet that the test changes, at times that it sets. Each step waits until the sheet has been looked at. */
async function watchChanging(feeds: FeedServer) {
  let now = 0;
  let text = SHEET;
  feeds.answer = (request, response) => always(200, text)(request, response);
  const source = sourceWith({ id: 'desk', url: feeds.url });
  const { builds, looks, onBuild, stop } = watch(feeds, source, () => now);
  await looks(2);
  return {
    builds,
    onBuild,
    stop,
    now: () => now,
    change: async (changed: string) => {
      text = changed;
      await looks(2);
    },
    later: async (milliseconds: number) => {
      now += milliseconds;
      await looks(2);
    },
  };
}

const HOUR = 3_600_000;

/** A build that has read the sheet. */
function buildAt(startedAt: number, outcome: 'published' | 'failed'): BuildRecord {
  const sheetsReadAt = { desk: new Date(startedAt).toISOString() };
  return {
    kind: 'rebuild',
    outcome,
    startedAt,
    ms: 0,
    id: null,
    counts: null,
    reason: null,
    dropped: 0,
    sheetsReadAt,
  };
}

const PAUSES = [
  { what: 'a busy server', answer: always(429, '', { 'retry-after': '60' }), seconds: 60 },
  {
    what: 'a server that wants thirty years',
    answer: always(429, '', { 'retry-after': '999999999' }),
    seconds: 86_400,
  },
  { what: 'a sheet of more than 1 MiB', answer: always(200, 'x'.repeat(1_048_577)), seconds: 900 },
];

test('should begin a build once a sheet can be read that could not be read at the start', async ({
  feeds,
}) => {
  feeds.answer = always(500, '');
  const { builds, looks, stop } = watch(feeds, sourceWith({ id: 'desk', url: feeds.url }));
  await looks(2);
  assert.equal(builds, []);
  feeds.answer = always(200, SHEET);
  await looks(3);
  assert.equal(builds, [['desk']]);
  feeds.answer = always(500, '');
  await looks(2);
  feeds.answer = always(200, SHEET);
  await looks(2);
  await stop();
  assert.equal(builds, [['desk']], 'the same content after a failure');
});

for (const { what, answer, seconds } of PAUSES) {
  test(`should not ask for ${what} again for ${seconds} seconds, and log it once`, async ({ feeds }) => {
    let now = 0;
    feeds.answer = answer;
    const other = await startFeedServer(always(200, SHEET));
    // A request of the last test may arrive late.
    const path = `/${seconds}`;
    const asked = () => feeds.requests.filter(({ url }) => url === path).length;
    const source = sourceWith({ id: 'desk', url: feeds.url + path }, { id: 'other', url: other.url });
    const { builds, warnings, reports, looks, stop } = watch(other, source, () => now);
    await looks(3);
    now = seconds * 1_000 - 1;
    await looks(3);
    assert.is(asked(), 1);
    now++;
    await looks(3);
    await stop();
    await other.close();
    assert.is(asked(), 2);
    assert.equal([builds.length, warnings.length], [0, 1]);
    const desk = reports.at(-1)?.urgentSheets?.find(({ id }) => id === 'desk');
    assert.equal([desk?.readAt, desk?.failing?.since], [null, 0], 'not read since the first check');
  });
}

test('should take an event off a running server while a scheduled build waits for a feed, with a receipt', async ({
  feeds,
}) => {
  let sheet = SHEET;
  let isHanging = false;
  const asked = (path: string) => feeds.requests.filter(({ url }) => url === path).length;
  feeds.answer = (request, response) => {
    if (request.url === '/desk') always(200, sheet)(request, response);
    else if (!isHanging)
      always(200, vcalendar(vevent('a').replace('20260401', '20990401')))(request, response);
  };
  const source = sourceFolder({
    'events.json': [{ id: 'own', title_nb: 'Egen kveld', dates: [{ start: '2099-02-01 19:00' }] }],
    'sources.json': [
      { id: 'hall', kind: 'ical', url: `${feeds.url}/hall` },
      { id: 'desk', kind: 'corrections', url: `${feeds.url}/desk`, urgent: true, feeds: ['hall'] },
    ],
  });
  const snapshots = temporaryFolder();
  await builtWithFeeds(source, snapshots);
  let states: Partial<AnnexUpkeep> = {};
  const upkeep = async () => ({ ...NO_UPKEEP, ...states });
  const server = await startServer({ snapshots, clock: Date.now, context: { upkeep } });
  const receipt = () => states.urgentSheets?.[0];
  const page = '/events/kveld-a.html';
  assert.is((await server.send(page)).status, 200);

  isHanging = true;
  const environment = { ALMANAKK_SNAPSHOTS: snapshots, ALMANAKK_ALLOW_PRIVATE_FEEDS: 'true' };
  Object.assign(process.env, environment);
  const { settings } = readSettings({ ...environment, ALMANAKK_CRON: '0 0 1 1 *' }, temporaryFolder());
  const builds: BuildRecord[] = [];
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  const reportState = (state: Partial<AnnexUpkeep>) => {
    states = { ...states, ...state };
  };
  const reported = () => states;
  const program = { log, clock: Date.now, random: Math.random, reportState, reported, previous: {} };
  const builder = follow({ ...settings, source }, program, (record) => {
    builds.push(record);
    sheets.onBuild(record);
  });
  const build = (changed: readonly string[]) => builder.build?.(changed);
  const sheets = watchUrgentSheets({ ...program, source, feedSettings: FEED_SETTINGS, build, pollMs: 20 });
  try {
    await until('the scheduled build waits for the feed', () => asked('/hall') === 2);
    const before = receipt();
    assert.equal([before?.applied, before?.waitingSince, typeof before?.readAt], [null, null, 'number']);
    sheet = `${SHEET}hall:a,ja\n`;
    await eventually('the page is gone', async () => (await server.send(page)).status === 410);
    assert.is((await server.send('/events/egen-kveld.html')).status, 200);
    // The server may adopt the snapshot before the build has reported it.
    await until('the build is reported', () => builds.length > 0);
    assert.equal(
      builds.map(({ outcome }) => outcome),
      ['published'],
    );
    const [{ startedAt = 0, ms = 0 } = {}] = builds;
    const { failing, waitingSince, applied } = receipt() ?? {};
    const changes = { added: 0, changed: 0, removed: 1 };
    assert.equal([failing, waitingSince, applied], [null, null, { at: startedAt + ms, changes }]);
    if (hasAnnex('operator')) {
      const [{ readAt: _, ...shown }] = JSON.parse((await server.send('/status')).text).urgentSheets;
      const appliedAt = new Date(startedAt + ms).toISOString();
      assert.equal(
        { ...shown, appliedAt: new Date(shown.appliedAt).toISOString() },
        { id: 'desk', failing, waitingSince, appliedAt, changes },
      );
      const { text } = await server.send('/status?format=html&lang=nb&feeds=desk');
      assert.match(text, /<code>desk<\/code>.*1 fjernet/s);
      assert.not.match((await server.send('/status?format=html&feeds=hall')).text, 'Urgent sheet');
    }
    await until('the scheduled build has begun again', () => asked('/hall') === 3);
  } finally {
    for (const name of Object.keys(environment)) delete process.env[name];
    await Promise.all([sheets.stop(), builder.stop()]);
    await server.close();
  }
});

test.run();
