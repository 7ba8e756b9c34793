/** L4: `"series": "title"` makes one event of entries of equal title and place. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createCollector } from '../../../../jobs/annexes/feeds/collector.ts';
import { readCalendarFeed } from '../../../../jobs/annexes/feeds/ical/calendar.ts';
import type { FeedLine } from '../../../../jobs/annexes/feeds/last-good.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { calendar, folderOf } from '../../../helpers/feed-files.ts';
import { datesIn, readDocuments, taskOf } from '../../../helpers/feed-reading.ts';
import { builtWithFeeds } from '../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { seeded } from '../../../helpers/random-operations.ts';
import { startServer } from '../../../helpers/running.ts';

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
  calendar(
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
  const [{ id }, ...others] = events as [{ id: string }];
  assert.match(id, /^f:baren-er-apen-puben-/);
  assert.equal(
    others.map((event) => Reflect.get(event, 'id')),
    ['f:3', 'f:4'],
  );
  assert.is(readDocuments(readCalendarFeed, written(entries)).events.length, 5);
});

test('L4: should keep the status of each date, and the first of several descriptions', () => {
  const { events, findings } = read([
    OPEN,
    { ...OPEN, day: 2, more: 'STATUS:CANCELLED\r\n' },
    { ...OPEN, day: 3, more: 'DESCRIPTION:Med quiz\r\n' },
    { ...OPEN, day: 4, more: 'DESCRIPTION:Uten quiz\r\n' },
  ]);
  const [event = {}] = events;
  assert.is(event.eventCancelled, undefined);
  assert.is(event.desc_nb, 'Med quiz');
  assert.equal(
    datesIn(event).map((date) => / eventCancelled=true/.test(date)),
    [false, true, false, false],
  );
  const expected = 'expected one description for all dates of a series (the first is shown), found 2';
  assert.equal(findings.length, 1);
  assert.match(findings[0] ?? '', expected);
});

test('L4: should add the rule of an entry to a series, unless the entry is cancelled', () => {
  const rule = 'RRULE:FREQ=WEEKLY;COUNT=3\r\n';
  const { events } = read([
    { ...OPEN, more: rule },
    { ...OPEN, day: 2, more: rule },
    { ...OPEN, day: 3 },
    { ...OPEN, day: 4, more: `${rule}STATUS:CANCELLED\r\n` },
  ]);
  assert.equal(
    events.map(({ series = [], dates }) => [[series].flat().length, [dates].flat().length]),
    [
      [2, 1],
      [1, 0],
    ],
  );
});

test('L4: should make the same series from random calendars as their definition', () => {
  for (let seed = 1; seed <= 200; seed++) {
    const random = seeded(seed);
    const entries = Array.from({ length: 1 + random(12) }, () => ({
      title: ['Quiz', 'quiz', 'Åpen bar', 'Kor'][random(4)] ?? '',
      day: 1 + random(9),
      place: ['Puben', 'PUBEN', 'Torget'][random(3)] ?? '',
    }));
    const keys = entries.map(({ title, place }) => `${nameKey(title)} ${nameKey(place)}`);
    const expected = [...new Set(keys)].map((key) => {
      const days = entries.flatMap(({ day }, at) => (keys[at] === key ? [day] : []));
      return [...new Set(days)].sort();
    });
    const { events, counts } = read(entries);
    const found = events.map((event) =>
      datesIn(event)
        .map((date) => Number(date.slice(8, 10)))
        .sort(),
    );
    assert.equal(found, expected, `seed ${seed}`);
    assert.equal(counts, {
      entries: entries.length,
      events: expected.length,
      merged: entries.length - expected.length,
      dropped: 0,
    });
  }
});

test('L4: should find a series by former ids of its entries, and keep its id with one date left', async () => {
  const target = temporaryFolder();
  const build = (entries: readonly Written[], feed: object) =>
    builtWithFeeds(folderOf({ file: 'bar.ics', ...feed }, { 'bar.ics': written(entries) }), target);
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
    assert.match(events.data[0]?.id ?? '', /^hall:baren-er-apen-puben-/);
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
    collector.addEvent({ record: { list: 'events', line: at, value }, merged: 0 });
  }
  const { counts } = collector.end(count);
  assert.is(counts.events, lines.filter(({ list }) => list === 'events').length);
  return lines;
}

test('L4: should join more entries than a call takes arguments', () => {
  const [event] = joined(150_000);
  const { dates = [] } = event?.list === 'events' ? event.value : {};
  assert.is([dates].flat().length, 150_000);
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

test('L4: should refuse "series" for a mirror, and other values than "title"', async () => {
  const refused = (feed: object) => builtWithFeeds(folderOf(feed), temporaryFolder()).then(() => '', String);
  const mirror = { kind: 'graphql', url: 'https://a.example/graphql', series: 'title' };
  assert.match(
    await refused(mirror),
    'series: expected only for kind "ical", "csv" or "jsonld", found kind "graphql"',
  );
  assert.match(await refused({ file: 'a.ics', series: 'uid' }), 'series: expected "title", found "uid"');
});

test.run();
