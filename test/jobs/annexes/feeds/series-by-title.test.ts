/** L4: `"series": "title"` makes one event of entries of equal title and place. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCollector } from '../../../../jobs/annexes/feeds/collector.ts';
import { readCalendarFeed } from '../../../../jobs/annexes/feeds/ical/calendar.ts';
import type { FeedLine } from '../../../../jobs/annexes/feeds/last-good.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { sourceWithFeed, vcalendar } from '../../../helpers/feed-files.ts';
import { datesIn, readDocuments, taskOf } from '../../../helpers/feed-reading.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Random, seeded } from '../../../helpers/random.ts';
import { startServer } from '../../../helpers/running.ts';
import { MORE_THAN_ARGUMENTS } from '../../../helpers/usage.ts';
import { withPart } from '../../../helpers/when.ts';

const test = suite('series by title');

interface Written {
  readonly title: string;
  /** A day of April. */
  readonly day: number;
  readonly place?: string;
  readonly more?: string;
}

/** UIDs are the numbers of the entries, from 1 on. */
const written = (entries: readonly Written[]) =>
  vcalendar(
    ...entries.map(({ title, day, place = 'Puben', more = '' }, at) => {
      const start = `202604${String(day).padStart(2, '0')}T170000Z`;
      return `BEGIN:VEVENT\r\nUID:${at + 1}\r\nDTSTART:${start}\r\nSUMMARY:${title}\r\nLOCATION:${place}\r\n${more}END:VEVENT\r\n`;
    }),
  );

const read = (entries: readonly Written[]) =>
  readDocuments(readCalendarFeed, written(entries), { series: 'title' });

const OPEN = { title: 'Baren er åpen', day: 1 };

test('L4: should make one event of the entries with equal title and place', () => {
  const entries = [
    OPEN,
    { ...OPEN, title: 'BAREN ER ÅPEN', day: 2 },
    { ...OPEN, day: 3, place: 'Kaféen' },
    { title: 'Quiz', day: 4 },
    { ...OPEN, day: 5 },
  ];
  const { events, counts } = read(entries);
  const days = events.map((event) => datesIn(event).map((date) => Number(date.slice(8, 10))));
  assert.equal(days, [[1, 2, 5], [3], [4]]);
  assert.equal(counts, { entries: 5, events: 3, merged: 2, dropped: 0 });
  const [ofSeries, ...others] = events.map(({ id }) => id);
  assert.match(String(ofSeries), /^f:baren-er-apen-puben-/);
  assert.equal(others, ['f:3', 'f:4']);
  assert.is(readDocuments(readCalendarFeed, written(entries)).events.length, 5);
});

test('L4: should keep the status of each date', () => {
  const { events } = read([OPEN, { ...OPEN, day: 2, more: 'STATUS:CANCELLED\r\n' }, { ...OPEN, day: 3 }]);
  const [event] = events;
  assertDefined(event, 'an event');
  assert.is(event.eventCancelled, undefined);
  assert.equal(
    datesIn(event).map((date) => / eventCancelled=true/.test(date)),
    [false, true, false],
  );
});

test('L4, G2: should keep the first of several descriptions, and report the others', () => {
  const { events, findings } = read([
    OPEN,
    { ...OPEN, day: 2, more: 'DESCRIPTION:Med quiz\r\n' },
    { ...OPEN, day: 3, more: 'DESCRIPTION:Uten quiz\r\n' },
  ]);
  assert.equal(
    events.map((event) => event.desc_nb),
    ['Med quiz'],
  );
  const expected = 'expected one description for all dates of a series (the first is shown), found 2';
  assert.equal(findings.length, 1);
  assert.match(findings.join(), expected);
});

test('L4: should add the rule of an entry to a series, unless the entry is cancelled', () => {
  const rule = 'RRULE:FREQ=WEEKLY;COUNT=3\r\n';
  const { events } = read([
    { ...OPEN, more: rule },
    { ...OPEN, day: 2, more: rule },
    { ...OPEN, day: 3 },
    { ...OPEN, day: 4, more: `${rule}STATUS:CANCELLED\r\n` },
  ]);
  const [joined, cancelled, ...others] = events;
  assertDefined(joined, 'a series of the entries that take place');
  assertDefined(cancelled, 'an event of the cancelled entry');
  assert.equal(others, []);
  assert.equal(ruleStartsIn(joined), ['2026-04-01T17:00:00Z', '2026-04-02T17:00:00Z']);
  assert.equal(datesIn(joined), ['2026-04-03 17:00:00Z']);
  assert.equal(ruleStartsIn(cancelled), ['2026-04-04T17:00:00Z']);
  assert.equal(cancelled.dates, []);
});

/** The starts of an event's rules. A record has one series, or a list of them. */
function ruleStartsIn({ series }: Readonly<Record<string, unknown>>): readonly string[] {
  const list: readonly { start: number }[] = JSON.parse(
    JSON.stringify(Array.isArray(series) ? series : [series]),
  );
  return list.map(({ start }) => new Date(start * 1_000).toISOString().replace('.000Z', 'Z'));
}

test('L4: should make one series of each title and place of random calendars', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seeded(seed);
    const entries = Array.from({ length: 1 + random(12) }, () => ({
      title: oneOf(TITLES, random),
      day: 1 + random(9),
      place: oneOf(PLACES, random),
    }));
    const keys = entries.map(({ title, place }) => `${nameKey(title)} ${nameKey(place)}`);
    const expected = [...new Set(keys)].map((key) => {
      const days = entries.flatMap(({ day }, at) => (keys[at] === key ? [day] : []));
      return [...new Set(days)].sort(byNumber);
    });
    const { events, counts } = read(entries);
    const found = events.map((event) =>
      datesIn(event)
        .map((date) => Number(date.slice(8, 10)))
        .sort(byNumber),
    );
    assert.equal(found, expected, `seed ${seed}`);
    const expectedCounts = {
      entries: entries.length,
      events: expected.length,
      merged: entries.length - expected.length,
      dropped: 0,
    };
    assert.equal(counts, expectedCounts, `seed ${seed}`);
  }
});

const TITLES = ['Quiz', 'quiz', 'Åpen bar', 'Kor'];
const PLACES = ['Puben', 'PUBEN', 'Torget'];

function oneOf(values: readonly string[], random: Random): string {
  const value = values[random(values.length)];
  assertDefined(value, 'one of the values');
  return value;
}

const byNumber = (left: number, right: number) => left - right;

test('L4: should find a series by the ids that its entries had, also with one date left', async () => {
  const target = temporaryFolder();
  const build = (entries: readonly Written[], feed: object) =>
    builtWithFeeds(sourceWithFeed({ file: 'bar.ics', ...feed }, { 'bar.ics': written(entries) }), target);
  const entries = [OPEN, { ...OPEN, day: 2 }, { ...OPEN, day: 3 }];
  await build(entries, {});
  await build(entries, { series: 'title' });
  const { report } = await build(entries.slice(0, 1), { series: 'title' });
  assert.equal(
    report.feeds.map(({ counts }) => counts),
    [{ entries: 1, events: 1, merged: 0, dropped: 0 }],
  );
  const { ask, close } = await startServer({ snapshots: target, clock: () => NOW * 1_000 });
  try {
    const { events } = await ask<{ events: { data: readonly { id: string }[] } }>(
      '{ events(filter: { ids: ["hall:3", "hall:4"] }) { data { id } } }',
    );
    assert.is(events.data.length, 1, 'events');
    assert.match(events.data.map(({ id }) => id).join(), /^hall:baren-er-apen-puben-/);
  } finally {
    await close();
  }
});

/** The lines of a feed of so many events of one title, on a day each. */
function joined(count: number, more: (at: number) => object = () => ({})): readonly FeedLine[] {
  const lines: FeedLine[] = [];
  const { feed, ...reading } = taskOf({ series: 'title' });
  const collector = createCollector(feed, reading, (line) => lines.push(line));
  for (let at = 0; at < count; at++) {
    const dates = [{ start: new Date(86_400_000 * at).toISOString().slice(0, 10) }];
    const value = { id: `f:${at}`, title_nb: 'Kveld', dates, ...more(at) };
    collector.addEvent({ record: { list: 'events', line: at, value }, entriesAsDates: 0 });
  }
  const { counts } = collector.end(count);
  assert.is(counts.events, lines.filter(({ list }) => list === 'events').length);
  return lines;
}

test('L4: should join more entries than a call takes arguments', () => {
  const lengths = joined(MORE_THAN_ARGUMENTS).map((line) =>
    line.list === 'events' && Array.isArray(line.value.dates) ? line.value.dates.length : line.list,
  );
  // The first line is the joined event; each other line says that an entry was merged into it.
  assert.is(lengths[0], MORE_THAN_ARGUMENTS);
});

test('L4: should keep the entries of a series apart if their record would be too long', () => {
  const lines = joined(5, (at) => ({ ticketsURL: `https://a.example/${'x'.repeat(1_000_000)}${at}` }));
  assert.equal(
    lines.map((line) => (line.list === 'findings' ? `${line.expected}, found ${line.found}` : line.list)),
    [
      'a series of at most 4000000 letters, found 5000344; its entries stay events of their own',
      ...Array.from({ length: 5 }, () => 'events'),
    ],
  );
});

const refused = (feed: object) =>
  builtWithFeeds(sourceWithFeed(feed), temporaryFolder()).then(() => 'built', String);

withPart('jobs/annexes/feeds/mirror.ts', test)('L4: should refuse "series" for a mirror', async () => {
  const mirror = { kind: 'graphql', url: 'https://a.example/graphql', series: 'title' };
  assert.match(
    await refused(mirror),
    'series: expected only for kind "ical", "csv" or "jsonld", found kind "graphql"',
  );
});

test('L4: should refuse values of "series" other than "title"', async () => {
  assert.match(await refused({ file: 'a.ics', series: 'uid' }), 'series: expected "title", found "uid"');
});

test.run();
