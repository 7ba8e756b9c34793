/** L4: entries of one UID without RECURRENCE-ID: whether they are one event or several, and their ids from build to build. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCalendarFeed } from '../../../../../jobs/annexes/feeds/ical/calendar.ts';
import type { FeedId } from '../../../../../jobs/annexes/feeds/last-good.ts';
import { assertIncludes } from '../../../../helpers/assertions.ts';
import { NOW } from '../../../../helpers/calendar.ts';
import { CALENDAR_EVENTS, sourceWithFeed, vcalendar, vevent } from '../../../../helpers/feed-files.ts';
import { taskOf } from '../../../../helpers/feed-reading.ts';
import { builtWithFeeds } from '../../../../helpers/feeds.ts';
import { temporaryFolder } from '../../../../helpers/folder.ts';
import { type Random, seeded } from '../../../../helpers/random.ts';
import { IS_LONG } from '../../../../helpers/run-options.ts';
import { separateEvents, type WrittenEntry } from './separate-events.ts';

const DAY = 86_400;

const test = suite('iCalendar UIDs');

function written({ uid, day, place, sequence = 0, modified = 0, title = 'Kveld' }: WrittenEntry): string {
  const start = `202604${String(day).padStart(2, '0')}T100000Z`;
  const changed = `20260101T00${String(modified).padStart(2, '0')}00Z`;
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTART:${start}`,
    `SUMMARY:${title}`,
    // Entries that differ only in LAST-MODIFIED are copies.
    `DESCRIPTION:${Math.floor(modified / 2)}`,
    ...(place === '' ? [] : [`LOCATION:${place}`]),
    `SEQUENCE:${sequence}`,
    `LAST-MODIFIED:${changed}`,
    'END:VEVENT',
    '',
  ].join('\r\n');
}

interface Read {
  /** `DAY place` of each event, by its id. */
  readonly events: ReadonlyMap<string, string>;
  readonly findings: readonly string[];
  readonly counts: {
    readonly entries: number;
    readonly events: number;
    readonly merged: number;
    readonly dropped: number;
  };
  readonly ids: readonly FeedId[];
}

function read(entries: readonly WrittenEntry[], known: readonly FeedId[] = [], now = NOW): Read {
  const bytes = Buffer.from(vcalendar(...entries.map(written)));
  const events = new Map<string, string>();
  const venues = new Map<unknown, unknown>();
  const found: { id: unknown; venue: unknown; day: string }[] = [];
  const findings: string[] = [];
  const ids: FeedId[] = [];
  const { counts } = readCalendarFeed([{ origin: null, bytes }], { ...taskOf(), ids: known, now }, (line) => {
    if (line.list === 'ids') ids.push(line);
    else if (line.list === 'findings') findings.push(`${line.action}: ${line.found}`);
    else if (line.list === 'venues') venues.set(line.value.id, line.value.name);
    else if (line.list === 'events') {
      const [date] = JSON.parse(JSON.stringify(line.value.dates));
      found.push({ id: line.value.id, venue: line.value.venue, day: String(date.start).slice(8, 10) });
    }
  });
  for (const { id, venue, day } of found)
    events.set(String(id).slice('f:'.length), `${Number(day)} ${venues.get(venue) ?? ''}`.trim());
  return { events, findings, counts, ids };
}

test('L4: should make an event of each entry that differs in start or place', () => {
  const { events, findings, counts } = read([
    { uid: 'a', day: 1, place: 'Nord' },
    { uid: 'a', day: 1, place: 'Sør' },
    { uid: 'a', day: 2, place: 'Nord' },
    { uid: 'b', day: 1, place: 'Nord' },
  ]);
  assert.equal(
    [...events],
    [
      ['a', '1 Nord'],
      ['a-2', '1 Sør'],
      ['a-3', '2 Nord'],
      ['b', '1 Nord'],
    ],
  );
  assert.equal(findings, []);
  assert.equal(counts, { entries: 4, events: 4, merged: 0, dropped: 0 });
});

test('L4: should replace the other entries by those with the highest SEQUENCE', () => {
  const { events } = read([
    { uid: 'a', day: 1, place: 'Nord' },
    { uid: 'a', day: 2, place: 'Sør', sequence: 1 },
    { uid: 'a', day: 3, place: 'Nord', sequence: 1 },
  ]);
  assert.equal([...events.values()], ['2 Sør', '3 Nord']);
});

test('L4: should use the latest LAST-MODIFIED only among entries of equal start and place', () => {
  const { events, counts } = read([
    { uid: 'a', day: 1, place: 'Nord', modified: 1 },
    { uid: 'a', day: 1, place: 'NORD', modified: 3, title: 'Ny kveld' },
    { uid: 'a', day: 1, place: 'Sør', modified: 2 },
  ]);
  assert.equal([...events.values()].sort(), ['1 NORD', '1 Sør']);
  assert.is(counts.events, 2);
  assert.is(counts.dropped, 1);
});

for (const order of [
  ['old A', 'old B', 'new B'],
  ['old A', 'new B', 'old B'],
  ['old B', 'old A', 'new B'],
  ['old B', 'new B', 'old A'],
  ['new B', 'old A', 'old B'],
])
  test(`L4: should read only the latest of one start and place in the order ${order.join(', ')}`, () => {
    const entries = order.map((what) => {
      const [age, title] = what.split(' ');
      return { uid: 'a', day: 1, place: 'Nord', modified: age === 'new' ? 2 : 0, ...(title && { title }) };
    });
    const { events, counts } = read(entries);
    assert.equal([...events.keys()], ['a']);
    assert.is(counts.dropped, 2);
  });

test('L4: should let no entry replace one with another title if a UID has more than two titles', () => {
  const { events, findings } = read([
    { uid: 'a', day: 1, place: 'Nord', modified: 1 },
    { uid: 'a', day: 1, place: 'Nord', modified: 2, title: 'Quiz' },
    { uid: 'a', day: 1, place: 'Nord', modified: 3, title: 'Konsert' },
    { uid: 'a', day: 1, place: 'Nord', modified: 4, title: 'Konsert', sequence: 1 },
  ]);
  assert.equal([...events.keys()].sort(), ['a', 'a/Kveld', 'a/Quiz']);
  assert.is(findings.filter((finding) => finding.startsWith('left out')).length, 1);
});

test('L4, G2: should report identical copies once a feed, and drop no event for them', () => {
  const copies = ['a', 'b', 'c'].flatMap((uid) =>
    Array.from({ length: 11 }, () => ({ uid, day: 1, place: 'Nord' })),
  );
  const { events, findings, counts } = read(copies);
  assert.equal([...events.keys()], ['a', 'b', 'c']);
  assert.equal(findings, ['identical copies: 30 identical copies, of 3 UIDs, such as "a"']);
  assert.equal(counts, { entries: 33, events: 3, merged: 30, dropped: 0 });
});

test('L4: should make no id that another event has as its UID', () => {
  const { events } = read([
    { uid: 'a', day: 1, place: 'Nord' },
    { uid: 'a', day: 2, place: 'Nord' },
    { uid: 'a-2', day: 3, place: 'Nord' },
  ]);
  assert.equal(
    [...events],
    [
      ['a', '1 Nord'],
      ['a-3', '2 Nord'],
      ['a-2', '3 Nord'],
    ],
  );
});

const THREE_DAYS = [1, 2, 3].map((day) => ({ uid: 'a', day, place: 'Nord' }));

test('L4: should keep the ids of events with one UID when their order changes, or one is gone', () => {
  const first = read(THREE_DAYS);
  const reversed = read([...THREE_DAYS].reverse(), first.ids, NOW + DAY);
  assert.equal(new Map([...reversed.events].sort()), new Map([...first.events].sort()));
  const fewer = read(THREE_DAYS.slice(1), reversed.ids, NOW + 2 * DAY);
  assert.equal([...fewer.events].sort(), [
    ['a-2', '2 Nord'],
    ['a-3', '3 Nord'],
  ]);
});

test('L4: should give the id of an event that is gone to another after 400 days', () => {
  const first = read(THREE_DAYS);
  const goneOnDay2 = read(THREE_DAYS.slice(1), first.ids, NOW + 2 * DAY);
  const another = [...THREE_DAYS.slice(1), { uid: 'a', day: 4, place: 'Nord' }];
  assert.is(read(another, goneOnDay2.ids, NOW + 402 * DAY - 1).events.get('a-4'), '4 Nord');
  assert.is(read(another, goneOnDay2.ids, NOW + 402 * DAY).events.get('a'), '4 Nord');
});

test('L4: should keep the id of a moved event if no other has its UID', () => {
  const first = read([{ uid: 'a', day: 1, place: 'Nord' }]);
  const moved = read([{ uid: 'a', day: 2, place: 'Sør', sequence: 1 }], first.ids);
  assert.equal([...moved.events], [['a', '2 Sør']]);
  const more = [2, 3].map((day) => ({ uid: 'a', day, place: 'Sør', sequence: 1 }));
  assert.equal([...read([...more].reverse(), moved.ids).events].sort(), [
    ['a', '2 Sør'],
    ['a-2', '3 Sør'],
  ]);
});

test('L4: should remove a date from a series if another entry of its UID has that date', async () => {
  const weekly = vevent('a', 'RRULE:FREQ=WEEKLY;COUNT=3\r\n');
  const alone = entryOn('20260408');
  const source = sourceWithFeed({ file: 'hall.ics' }, { 'hall.ics': vcalendar(weekly, alone) });
  const { result } = await builtWithFeeds(source, temporaryFolder());
  const { events, occurrences } = result.counts;
  // The series keeps two of its dates, and the third is that of the other event.
  assert.is(events - CALENDAR_EVENTS.length, 2, 'events of the feed');
  assert.is(occurrences - CALENDAR_EVENTS.length, 3, 'occurrences of the feed');
});

/** `day`: `YYYYMMDD`. */
function entryOn(day: string): string {
  const written = vevent('a');
  assertIncludes(written, 'DTSTART:20260401T');
  return written.replace('DTSTART:20260401T', `DTSTART:${day}T`);
}

test('L4: should keep ids from build to build', async () => {
  const target = temporaryFolder();
  const at = (day: number) => entryOn(`202604${10 + day}`);
  const changesOf = async (text: string, now: number) => {
    const source = sourceWithFeed({ file: 'hall.ics' }, { 'hall.ics': text });
    const { report, result } = await builtWithFeeds(source, target, { now });
    assert.is(report.feeds[0]?.state, 'ok');
    assert.is(result.outcome, 'published');
    return result.changes;
  };
  await changesOf(vcalendar(at(1), at(2), at(3)), NOW);
  const { added, removed, changed } = await changesOf(vcalendar(at(3), at(2), at(1), at(4)), NOW + 60);
  assert.equal({ added, removed, changed }, { added: 1, removed: 0, changed: 0 });
});

const UIDS = ['a', 'a-2', 'b', 'c'];
const TITLES = ['Kveld', 'Kveld', 'Kveld', 'Quiz', 'Konsert'];
const PLACES = ['', 'Nord', 'nord', 'Sør'];

function randomEntry(random: Random): WrittenEntry {
  return {
    uid: UIDS[random(UIDS.length)] ?? '',
    place: PLACES[random(PLACES.length)] ?? '',
    day: 1 + random(4),
    sequence: random(10) === 0 ? 1 : 0,
    modified: random(4),
    title: TITLES[random(TITLES.length)] ?? '',
  };
}

test('L4: should make the same events of random feeds as a second implementation of the rule', () => {
  for (let seed = 0; seed < (IS_LONG ? 20_000 : 300); seed++) {
    const random = seeded(seed);
    const entries = Array.from({ length: 1 + random(10) }, () => randomEntry(random));
    const { events, counts, ids } = read(entries);
    const expected = separateEvents(entries);
    const found = [...events.values()].map((text) => text.toLowerCase());
    assert.equal(
      found.sort(),
      expected.map((text) => text.slice(text.indexOf(' ') + 1)).sort(),
      `seed ${seed}`,
    );
    for (const uid of new Set(entries.map(({ uid }) => uid)))
      assert.is(events.has(uid), true, `seed ${seed}: expected an event ${uid}, found none`);
    assert.is(counts.events, expected.length, `events, seed ${seed}`);
    assert.is(ids.length, expected.length, `ids, seed ${seed}`);
    assert.is(counts.entries, counts.events + counts.merged + counts.dropped, `seed ${seed}`);
  }
});

test('L4: should keep the ids of random feeds from reading to reading', () => {
  for (let seed = 0; seed < (IS_LONG ? 5_000 : 100); seed++) {
    const random = seeded(seed);
    let known: readonly FeedId[] = [];
    /** The event of each made id, and the id of each event. */
    const owners = new Map<string, string>();
    const made = new Map<string, string>();
    for (let reading = 0; reading < 6; reading++) {
      const count = 1 + random(8);
      const entries = Array.from({ length: count }, () => ({
        ...randomEntry(random),
        uid: 'a',
        sequence: 0,
        title: 'Kveld',
      }));
      const { events, ids } = read(entries, known, NOW + reading * DAY);
      for (const [id, text] of events) {
        // The UID itself belongs to whichever event was read first.
        if (id === 'a') continue;
        const event = text.toLowerCase();
        assert.is(owners.get(id) ?? event, event, `seed ${seed}: ${id} of another`);
        assert.is(made.get(event) ?? id, id, `seed ${seed}: another id for ${event}`);
        made.set(event, id);
        owners.set(id, event);
      }
      known = ids;
    }
  }
});

test.run();
