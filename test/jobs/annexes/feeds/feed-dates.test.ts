/** G11: how many dates a feed may have when it is first read, how many more than before, and how few events. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove, assertBelow } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { CALENDAR_EVENTS, sourceWithFeed, vcalendar, vevent } from '../../../helpers/feed-files.ts';
import { always, type FeedServer, startFeedServer } from '../../../helpers/feed-server.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

const test = suite<{ feeds: FeedServer }>('dates of feeds');

test.before(async (context) => {
  context.feeds = await startFeedServer(always(200, vcalendar()));
});
test.after(async ({ feeds }) => feeds.close());

/** So many entries with the rule, of about 175 bytes each. */
function recurring(count: number, rule: string): string {
  const entries = Array.from({ length: count }, (_, at) => [
    'BEGIN:VEVENT',
    `UID:r${at}`,
    `SUMMARY:Vakt ${at}`,
    'DTSTART;TZID=Europe/Oslo:20260601T190000',
    `RRULE:${rule}`,
    'END:VEVENT',
    '',
  ]);
  return entries.map((lines) => lines.join('\r\n')).join('');
}

const TEN_DATES = vcalendar(recurring(1, 'FREQ=WEEKLY;COUNT=10'));
const FLOOD = vcalendar(recurring(2, 'FREQ=HOURLY;COUNT=5100'));

/** Builds of one calendar, a day apart, with this text of its feed. */
function dailyBuilds(feeds: FeedServer) {
  const source = sourceWithFeed({ url: feeds.url });
  const target = temporaryFolder();
  let now = NOW;
  return async (text: string, options: { readonly force?: boolean } = {}) => {
    feeds.answer = always(200, text);
    now += 86_400;
    const { result, report } = await builtWithFeeds(source, target, { now, ...options });
    return { dates: result.counts.occurrences, health: report.feeds[0] };
  };
}

test('G11: should accept eight thousand dates of a feed that had ten', async ({ feeds }) => {
  const build = dailyBuilds(feeds);
  const first = await build(TEN_DATES);
  const grown = await build(vcalendar(recurring(2, 'FREQ=HOURLY;COUNT=4000')));
  assert.equal([first.health?.state, grown.health?.state], ['ok', 'ok']);
  assert.is(grown.dates - first.dates, 8_000 - 10, 'further dates');
});

test('G11: should keep the last good records of a feed with more than 10,000 dates that had ten', async ({
  feeds,
}) => {
  const build = dailyBuilds(feeds);
  const before = await build(TEN_DATES);
  assertBelow(FLOOD.length, 4_000, 'letters');
  const { health, dates } = await build(FLOOD);
  assert.equal([health?.state, health?.reason], ['stale', 'much larger than before']);
  assert.is(
    health?.why,
    'expected not more than 10000 dates, 50 times what was there before (10) or 10000, found 10200; if this is intended, build with --force',
  );
  assert.is(dates, before.dates);
});

test('G11: should accept as many dates with --force, and compare the next build with these', async ({
  feeds,
}) => {
  const build = dailyBuilds(feeds);
  await build(TEN_DATES);
  const forced = await build(FLOOD, { force: true });
  assert.is(forced.health?.state, 'ok');
  assertAbove(forced.dates, 10_200, 'dates');
  assert.is((await build(FLOOD)).health?.state, 'ok', 'state in the next build');
});

/** 40 entries with a date each. */
const OTHERS = Array.from({ length: 40 }, (_, at) => vevent(`n${at}`)).join('');

const ACCEPTED = [
  { what: 'a daily event', entries: recurring(1, 'FREQ=DAILY') },
  { what: 'an hourly event among 40 others', entries: recurring(1, 'FREQ=HOURLY') + OTHERS },
  { what: '600 dates for each of 20 entries', entries: recurring(20, 'FREQ=HOURLY;COUNT=600') },
];

for (const { what, entries } of ACCEPTED) {
  test(`G11: should accept a new feed with ${what}`, async ({ feeds }) => {
    const { health } = await dailyBuilds(feeds)(vcalendar(entries));
    assert.equal([health?.state, health?.reason], ['ok', null]);
  });
}

const REFUSED = [
  {
    what: '12,600 dates by the rules of 20 entries, and a listed date of one',
    entries: recurring(20, 'FREQ=HOURLY;COUNT=630') + vevent('n0'),
    why: '12600 dates when a feed is first read (600 for each of 21 entries, and 200000 in all), found 12601',
  },
  {
    what: '204,000 dates of 400 entries',
    entries: recurring(400, 'FREQ=MINUTELY;COUNT=510'),
    why: '200000 dates when a feed is first read (600 for each of 400 entries, and 200000 in all), found 204000',
  },
];

for (const { what, entries, why } of REFUSED) {
  test(`G11: should refuse a new feed with ${what}`, async ({ feeds }) => {
    const { health } = await dailyBuilds(feeds)(vcalendar(entries));
    assert.equal([health?.state, health?.reason], ['failed', 'size limit']);
    assert.is(health?.why, `expected at most ${why}; if this is intended, build with --force`);
  });
}

test('G11: should accept a new feed with more dates than the limit with --force', async ({ feeds }) => {
  const text = vcalendar(recurring(20, 'FREQ=HOURLY;COUNT=601'));
  const { health } = await dailyBuilds(feeds)(text, { force: true });
  assert.is(health?.state, 'ok');
});

const HOUR = 3_600;

/** Entries on 1 April, and others that are over on the second day. */
const entries = (count: number, over = 0) =>
  vcalendar(
    ...Array.from({ length: count }, (_, at) => vevent(`n${at}`)),
    ...Array.from({ length: over }, (_, at) => vevent(`o${at}`).replace('20260401', '20260101')),
  );

interface Reading {
  readonly hours: number;
  /** Null: the server fails. */
  readonly text: string | null;
  readonly force?: boolean;
  readonly mayBeEmpty?: boolean;
  /** The reason of the feed, and the number of its events. */
  readonly expected: readonly [string | null, number];
}

const SMALLER = 'much smaller than before';

/** One feed from reading to reading. */
const READINGS: readonly Reading[] = [
  { hours: 0, text: entries(40, 20), expected: [null, 60] },
  // Those that are over are no loss, and half is not more than half.
  { hours: 24, text: entries(20), expected: [null, 20] },
  { hours: 25, text: entries(9, 20), expected: [SMALLER, 20] },
  { hours: 26, text: null, expected: ['HTTP status', 20] },
  { hours: 48, text: entries(8), expected: [SMALLER, 20] },
  // A day after the loss was first found.
  { hours: 49, text: entries(8), expected: [null, 8] },
  // Fewer than 20 may always become fewer.
  { hours: 50, text: entries(2), expected: [null, 2] },
  { hours: 51, text: entries(40), expected: [null, 40] },
  { hours: 52, text: entries(2), expected: [SMALLER, 40] },
  // The next loss has a day of its own.
  { hours: 53, text: entries(40), expected: [null, 40] },
  { hours: 77, text: entries(2), expected: [SMALLER, 40] },
  { hours: 78, text: entries(2), force: true, expected: [null, 2] },
  { hours: 79, text: entries(40), expected: [null, 40] },
  { hours: 80, text: entries(2), mayBeEmpty: true, expected: [null, 2] },
];

test('G11: should hold back for a day a feed that loses more than half of its upcoming events', async ({
  feeds,
}) => {
  // The calendar itself loses less than half.
  const own = CALENDAR_EVENTS.flatMap((event) =>
    Array.from({ length: 20 }, (_, at) => ({ ...event, id: `${event.id}-${at}` })),
  );
  const sourceOf = (mayBeEmpty: boolean) =>
    sourceWithFeed({ url: feeds.url, mayBeEmpty }, { 'events.json': own });
  const [strict, lenient] = [sourceOf(false), sourceOf(true)];
  const target = temporaryFolder();
  for (const { hours, text, force = false, mayBeEmpty = false, expected } of READINGS) {
    feeds.answer = text === null ? always(500, '') : always(200, text);
    const now = NOW + hours * HOUR;
    const { report } = await builtWithFeeds(mayBeEmpty ? lenient : strict, target, { now, force });
    const [health] = report.feeds;
    assert.equal([health?.reason, health?.counts.events], expected, `after ${hours} hours`);
    if (hours === 48)
      assert.is(
        health?.why,
        'expected at least half of the 20 upcoming events that were there before, found 8; builds use them from 2026-01-03T13:00:00Z, or with --force',
      );
  }
});

test.run();
