/** iCalendar files of one's own writing, and what an endpoint says of them. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { FeedLine } from '../../jobs/feeds/record.ts';
import { type IcalFeed, readCalendar } from '../../jobs/sources/ical/calendar.ts';
import { builtWithFeeds, datesOf, fixture, type ServedFeed, serveFeed } from '../helpers/feeds.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';
import { type Random, seeded } from '../helpers/random-operations.ts';

const LONG = process.env.ALMANAKK_TEST_LONG === '1';

const HALL = {
  map: { konsert: 'MUSIC', Teater: ['ART'] },
  defaults: { ticketsInformation: 'ticketsInfo', categories: ['JAZZ'] },
};

interface Feeds {
  hall: ServedFeed;
  times: ServedFeed;
  series: ServedFeed;
  damaged: ServedFeed;
}

const test = suite<Feeds>('iCalendar');

test.before(async (feeds) => {
  feeds.hall = await serveFeed(fixture('hall.ics'), HALL);
  feeds.times = await serveFeed(fixture('times.ics'));
  feeds.series = await serveFeed(fixture('series.ics'));
  feeds.damaged = await serveFeed(fixture('damaged.ics'));
});

test.after(async ({ hall, times, series, damaged }) => {
  for (const feed of [hall, times, series, damaged]) await feed.close();
});

test('should take over what an entry says', async ({ hall }) => {
  assert.equal(await hall.event('konsert-118@brygga.example'), {
    id: 'f:konsert-118@brygga.example',
    title_nb: 'Ærlig talt: en kveld med viser; og prat',
    title_en: 'Honestly, an evening of songs',
    desc_nb: 'Kåre Øverås synger.\n\nDørene åpner en time før. Sitteplasser, ikke nummererte; kom tidlig.',
    desc_en: 'Kåre Øverås sings.',
    categories: ['MUSIC'],
    tags: ['Viser', 'Inne, sitteplasser'],
    mode: 'offline',
    moreInfoURL: 'https://brygga.example/program/118',
    streamingURL: null,
    ticketsInformation: 'ticketsInfo',
    created_at: '2025-11-01 09:00:00+00:00',
    updated_at: '2025-12-15 12:15:30+00:00',
    organizers: [{ name: 'Visens Venner: Trondheim' }],
    images: [
      { urlLarge: 'https://brygga.example/118.jpg', urlSmall: 'https://brygga.example/118.jpg' },
      { urlLarge: 'https://brygga.example/118-2.png', urlSmall: 'https://brygga.example/118-2.png' },
    ],
    startDate: '2026-02-14 19:30:00+01:00',
    endDate: '2026-02-14 22:00:00+01:00',
    startTime: '19:30',
    duration: 150,
    venue: {
      id: 'f:brygga-kulturhus-sjogata-4-7010-trondheim-367de99f',
      name: 'Brygga Kulturhus',
      address: 'Sjøgata 4, 7010 Trondheim',
      location: { latitude: 63.4326, longitude: 10.4043 },
    },
    eventCancelled: false,
    repetitions: [],
  });
});

test('should know a place by name and address, however they are spelled and parted', async ({ hall }) => {
  const [concert, theatre] = [
    await hall.event('konsert-118@brygga.example'),
    await hall.event('teater-9@brygga.example'),
  ];
  assert.equal(theatre?.venue, concert?.venue);
  assert.is(hall.report.lists.venues.kept, 1);
});

test('should show a cancelled event as cancelled, with categories by the map', async ({ hall }) => {
  const event = await hall.event('teater-9@brygga.example');
  assert.is(event?.eventCancelled, true);
  assert.equal(event?.categories, ['ART']);
  assert.is(event?.duration, 105);
});

test('should not publish addresses of persons', async ({ hall }) => {
  assert.equal((await hall.event('teater-9@brygga.example'))?.organizers, []);
});

test('should take a place on the web for a stream, and defaults where an entry says nothing', async ({
  hall,
}) => {
  const event = await hall.event('strom-1@brygga.example');
  assert.is(event?.mode, 'online');
  assert.is(event?.streamingURL, 'https://video.example/rom/1');
  assert.is(event?.venue, null);
  assert.equal(event?.categories, ['JAZZ']);
});

test('should leave out what its owner calls private, and say so', async ({ hall }) => {
  assert.is(await hall.event('styremote@brygga.example'), null);
  assert.equal(
    hall.complaintsOf('styremote@brygga.example').map(({ action, origin, field }) => [action, origin, field]),
    [['dropped record', { file: 'feed f', line: 58 }, 'CLASS']],
  );
  assert.equal(hall.report.feeds[0]?.counts, { entries: 4, events: 3, merged: 0, dropped: 1 });
});

const TIMES: readonly (readonly [uid: string, dates: string, what: string])[] = [
  [
    'all-day',
    '2026-05-17 00:00:00+02:00 | 2026-05-18 00:00:00+02:00',
    'a whole day to the midnight that follows',
  ],
  ['all-days', '2026-03-27 00:00:00+01:00 | 2026-03-30 00:00:00+02:00', 'whole days to an exclusive end'],
  ['all-day-open', '2026-05-17 00:00:00+02:00 | 2026-05-18 00:00:00+02:00', 'a day without an end'],
  ['all-day-same', '2026-05-17 00:00:00+02:00 | 2026-05-18 00:00:00+02:00', 'an end that is not exclusive'],
  ['all-day-week', '2026-06-01 00:00:00+02:00 | 2026-06-08 00:00:00+02:00', 'a duration of days'],
  ['no-end', '2026-02-14 19:30:00+01:00', 'no end'],
  ['utc', '2026-07-10 19:00:00+02:00 | 2026-07-10 21:00:00+02:00', 'times in UTC'],
  ['floating', '2026-07-10 17:00:00+02:00 | 2026-07-10 19:00:00+02:00', 'floating times as Norwegian ones'],
  ['elsewhere', '2026-03-10 17:00:00+01:00 | 2026-03-10 18:00:00+01:00', 'a zone without VTIMEZONE'],
  ['two-zones', '2026-03-10 12:00:00+01:00 | 2026-03-10 14:00:00+01:00', 'an end in another zone'],
  ['windows', '2026-07-10 17:00:00+02:00', "Windows' name of a zone"],
  ['prefixed', '2026-07-10 17:00:00+02:00', 'a prefixed name, and half a VTIMEZONE'],
  ['custom-winter', '2026-02-10 16:00:00+01:00', 'a zone of the feed’s own in winter'],
  ['custom-summer', '2026-07-10 16:00:00+02:00', 'a zone of the feed’s own in summer'],
  ['unknown-zone', '2026-07-10 17:00:00+02:00', 'an unknown zone as Norway’s'],
  [
    'skipped',
    '2026-03-29 03:30:00+02:00 | 2026-03-29 04:00:00+02:00 | as 02:30',
    'a time that is skipped (A12)',
  ],
  ['night', '2026-10-24 22:00:00+02:00 | 2026-10-25 05:00:00+01:00', 'hours of a DURATION as elapsed time'],
  ['backwards', '2026-02-14 19:30:00+01:00', 'no end where that is before the start'],
];

for (const [uid, dates, what] of TIMES) {
  test(`should read ${what} (${uid})`, async ({ times }) => {
    assert.equal(datesOf(await times.event(uid)), [dates]);
  });
}

test('should say which times it had to guess', ({ times }) => {
  const told = times.report.complaints.map(({ id, field, action }) => `${id} ${field} ${action}`);
  assert.equal(told, ['f:unknown-zone DTSTART;TZID changed value', 'f:backwards DTEND changed value']);
});

const SERIES: readonly (readonly [uid: string, dates: readonly string[], what: string])[] = [
  [
    'quiz',
    [
      '2026-03-03 20:00:00+01:00 | 2026-03-03 22:30:00+01:00 | Puben',
      '2026-03-11 19:00:00+01:00 | 2026-03-11 21:00:00+01:00 | Kafeen',
      '2026-03-24 20:00:00+01:00 | 2026-03-24 22:30:00+01:00 | Puben | cancelled',
      '2026-03-31 20:00:00+02:00 | 2026-03-31 22:30:00+02:00 | Puben',
      '2026-04-07 20:00:00+02:00 | 2026-04-07 22:30:00+02:00 | Puben',
    ],
    'a rule with a date taken out, one moved and one cancelled',
  ],
  [
    'until',
    [9, 10, 11].map(
      (day) =>
        `2026-03-${day < 10 ? '0' : ''}${day} 18:00:00+01:00 | 2026-03-${day < 10 ? '0' : ''}${day} 19:00:00+01:00`,
    ),
    'UNTIL in UTC',
  ],
  [
    'new-york',
    [
      '2026-03-01 21:00:00+01:00 | 2026-03-01 22:00:00+01:00',
      '2026-03-08 20:00:00+01:00 | 2026-03-08 21:00:00+01:00',
      '2026-03-15 20:00:00+01:00 | 2026-03-15 21:00:00+01:00',
      '2026-03-22 20:00:00+01:00 | 2026-03-22 21:00:00+01:00',
      '2026-03-29 21:00:00+02:00 | 2026-03-29 22:00:00+02:00',
      '2026-04-05 21:00:00+02:00 | 2026-04-05 22:00:00+02:00',
    ],
    'a rule on the clock of another place',
  ],
  [
    'utc-rule',
    [
      '2026-03-21 19:00:00+01:00 | 2026-03-21 20:00:00+01:00',
      '2026-03-28 19:00:00+01:00 | 2026-03-28 20:00:00+01:00',
      '2026-04-04 20:00:00+02:00 | 2026-04-04 21:00:00+02:00',
    ],
    'a rule in UTC',
  ],
  [
    'rdate',
    [
      '2026-04-01 12:00:00+02:00 | 2026-04-01 13:00:00+02:00',
      '2026-04-22 15:00:00+02:00 | 2026-04-22 16:00:00+02:00',
      '2026-05-01 12:00:00+02:00 | 2026-05-01 15:00:00+02:00',
      '2026-05-02 12:00:00+02:00 | 2026-05-02 12:15:00+02:00',
    ],
    'listed dates and periods',
  ],
  [
    'all-day-rule',
    [
      '2026-03-28 00:00:00+01:00 | 2026-03-29 00:00:00+01:00',
      '2026-03-29 00:00:00+01:00 | 2026-03-30 00:00:00+02:00',
      '2026-03-31 00:00:00+02:00 | 2026-04-01 00:00:00+02:00',
    ],
    'whole days by a rule',
  ],
  ['day-exdate', ['2026-06-01 10:00:00+02:00', '2026-06-03 10:00:00+02:00'], 'a whole day taken out'],
  [
    'future',
    [
      '2026-06-01 10:00:00+02:00 | 2026-06-01 11:00:00+02:00',
      '2026-06-08 10:00:00+02:00 | 2026-06-08 11:00:00+02:00',
      '2026-06-16 18:00:00+02:00 | 2026-06-16 20:00:00+02:00 | Kirken',
      '2026-06-23 18:00:00+02:00 | 2026-06-23 20:00:00+02:00 | Kirken',
    ],
    'a change of this and all future dates',
  ],
  [
    'exrule',
    ['01', '02', '03', '04', '05'].map((day) => `2026-06-${day} 10:00:00+02:00`),
    'a rule of exception',
  ],
  [
    'orphan',
    ['2026-07-01 11:00:00+02:00', '2026-07-08 10:00:00+02:00 | cancelled'],
    'dates of a series that is not there',
  ],
  [
    'off-beat',
    ['2026-07-01 10:00:00+02:00', '2026-07-03 10:00:00+02:00', '2026-07-10 10:00:00+02:00'],
    'a start that the rule does not give',
  ],
  ['bad-rule', ['2026-07-01 10:00:00+02:00'], 'the start alone where the rule is none'],
];

for (const [uid, dates, what] of SERIES) {
  test(`should read ${what} (${uid})`, async ({ series }) => {
    assert.equal(datesOf(await series.event(uid)), dates);
  });
}

test('G2: should name the entry, property and reason of what it leaves out of series', ({ series }) => {
  const told = series.report.complaints.map(({ id, field, action }) => `${id} ${field} ${action}`);
  assert.equal(told, ['f:bad-rule RRULE;FREQ dropped date', 'f:taken-out dates dropped record']);
  assert.equal(series.report.feeds[0]?.counts, { entries: 17, events: 12, merged: 4, dropped: 1 });
});

test('should say that a series has changed when one of its dates has', async ({ series }) => {
  assert.is((await series.event('quiz'))?.updated_at, '2026-01-01 00:00:00+00:00');
});

test('should keep what is whole in a damaged file', async ({ damaged }) => {
  const ids = await damaged.ids();
  assert.equal(ids, [
    'whole-1',
    'no-end-line',
    'bad-line',
    'no-uid-039303112f021ac5',
    'twice',
    'shared',
    "shared/Shares another's UID",
    'bad-bits',
    'whole-2',
  ]);
});

const DAMAGE: readonly (readonly [uid: string, told: readonly string[]])[] = [
  ['no-end-line', ['changed value END']],
  ['bad-start', ['dropped record DTSTART']],
  ['no-start', ['dropped record DTSTART']],
  ['no-title', ['dropped record SUMMARY']],
  ['no-uid-039303112f021ac5', ['changed value UID']],
  ['twice', ['dropped record UID']],
  ["shared/Shares another's UID", ['changed value UID']],
  ['bad-recurrence', ['dropped record RECURRENCE-ID']],
  [
    'bad-bits',
    ['changed value DTEND', 'changed value GEO', 'dropped reference ATTACH', 'dropped date RDATE'],
  ],
];

for (const [uid, told] of DAMAGE) {
  test(`G2: should name what is wrong with ${uid}`, ({ damaged }) => {
    const found = damaged.complaintsOf(uid).map(({ action, field }) => `${action} ${field}`);
    assert.equal(found, told);
  });
}

test('should count each entry once: an event, part of one, or left out', ({ damaged }) => {
  assert.equal(damaged.report.feeds[0]?.counts, { entries: 15, events: 9, merged: 1, dropped: 5 });
});

test('should take the newer of two versions, and further dates of the same title', async ({ damaged }) => {
  assert.is((await damaged.event('twice'))?.title_nb, 'Newer');
  assert.equal(datesOf(await damaged.event('shared')), [
    '2026-04-07 12:00:00+02:00',
    '2026-04-08 12:00:00+02:00',
  ]);
});

test('should name lines that are no properties', ({ damaged }) => {
  const lines = damaged.report.complaints.filter(({ field }) => field === null);
  assert.equal(
    lines.map(({ origin, found }) => `${origin.line} ${found}`),
    ['17 "her er en linje uten navn"', '80 "END:VTODO"'],
  );
});

const times = fixture('times.ics').toString('utf8');
const FORMS: readonly (readonly [what: string, bytes: Buffer])[] = [
  ['CRLF', Buffer.from(times.replaceAll('\n', '\r\n'))],
  ['carriage returns alone', Buffer.from(times.replaceAll('\n', '\r'))],
  ['a byte order mark', Buffer.from(`\ufeff${times}`)],
  ['UTF-16', Buffer.from(`\ufeff${times}`, 'utf16le')],
  ['small letters', Buffer.from(times.replace(/^[A-Z-]+(?=[:;])/gm, (name) => name.toLowerCase()))],
  ['blank lines between', Buffer.from(times.replaceAll('\n', '\r\n\r\n'))],
  ['no line end at the end', Buffer.from(times.trimEnd())],
  ['folds within characters and names', folded(times)],
];

for (const [what, bytes] of FORMS) {
  test(`should read the same from a file with ${what}`, () => {
    assert.equal(recordsIn(bytes), recordsIn(fixture('times.ics')));
  });
}

test('should read bytes that are not UTF-8 as Windows-1252, and say so', () => {
  const text =
    'BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20260401T100000Z\nSUMMARY:Bl\xe5fj\xe6ra \x80 5\nEND:VEVENT\nEND:VCALENDAR\n';
  const lines = linesIn(Buffer.from(text, 'latin1'));
  assert.equal(titlesOf(lines), ['Blåfjæra € 5']);
  assert.equal(
    lines.flatMap((line) => (line.list === 'complaints' ? [`${line.line} ${line.expected}`] : [])),
    ['5 UTF-8'],
  );
});

test('should read quoted-printable text of old programs', () => {
  const text = 'SUMMARY;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:K=C3=A5re=\n synger';
  const lines = linesIn(Buffer.from(`BEGIN:VEVENT\nUID:1\nDTSTART:20260401T100000Z\n${text}\nEND:VEVENT\n`));
  assert.equal(titlesOf(lines), ['Kåre synger']);
});

test('should make nothing of an empty calendar', () => {
  const { summary } = readingOf(Buffer.from('BEGIN:VCALENDAR\r\nVERSION:2.0\r\nEND:VCALENDAR\r\n'));
  assert.equal(summary.counts, { entries: 0, events: 0, merged: 0, dropped: 0 });
  assert.ok(summary.isCalendar && summary.isComplete);
});

test('should tell a file that was cut off from a whole one, and keep what is there', () => {
  const cut = readingOf(fixture('hall.ics').subarray(0, 1500));
  assert.is(cut.summary.isComplete, false);
  assert.is(cut.summary.counts.events, 2);
});

test('A11: should not be held up by rules that never end', async () => {
  const began = performance.now();
  const hostile = await serveFeed(fixture('hostile.ics'));
  assert.ok(performance.now() - began < 20_000);
  assert.is(datesOf(await hostile.event('good')).length, 2);
  const cut = hostile.report.complaints.filter(({ action }) => action === 'cut rule').map(({ id }) => id);
  assert.equal(cut.sort(), ['f:count', 'f:seconds']);
  await hostile.close();
});

test('should never crash on damage, and count every entry of it', () => {
  const random = seeded(1);
  for (let round = 0; round < (LONG ? 4_000 : 400); round++) {
    const bytes = damagedCopy(
      fixture(['hall.ics', 'times.ics', 'series.ics', 'damaged.ics'][random(4)] ?? ''),
      random,
    );
    const { lines, summary } = readingOf(bytes);
    const { entries, events, merged, dropped } = summary.counts;
    const named = lines.filter(
      (line) => line.list === 'complaints' && line.action === 'dropped record',
    ).length;
    const kept = lines.filter(({ list }) => list === 'events').length;
    assert.equal([events, dropped, merged >= 0], [kept, named, true], `round ${round}`);
    assert.is(entries, beginnings(bytes), `round ${round}`);
  }
});

test('should read 20,000 events in a few seconds, each of them', async () => {
  const entries = Array.from({ length: 20_000 }, (_, at) => {
    const day = `2026${String(2 + (at % 10)).padStart(2, '0')}${String(1 + (at % 28)).padStart(2, '0')}`;
    const rule = at % 20 === 0 ? 'RRULE:FREQ=WEEKLY;COUNT=3\r\n' : '';
    return `BEGIN:VEVENT\r\nUID:e${at}\r\nDTSTART;TZID=Europe/Oslo:${day}T190000\r\n${rule}SUMMARY:Kveld ${at}\r\nLOCATION:Sal ${at % 200}\\, Gata 1\r\nEND:VEVENT\r\n`;
  });
  const source = sourceFolder({
    'feed.ics': `BEGIN:VCALENDAR\r\n${entries.join('')}END:VCALENDAR\r\n`,
    'sources.json': [{ id: 'f', kind: 'ical', file: 'feed.ics' }],
  });
  const began = performance.now();
  const { result, report } = await builtWithFeeds(source, temporaryFolder());
  assert.ok(performance.now() - began < 60_000);
  assert.equal(
    [result.counts.events, result.counts.occurrences, result.counts.venues],
    [20_000, 22_000, 200],
  );
  assert.equal(report.feeds[0]?.counts, { entries: 20_000, events: 20_000, merged: 0, dropped: 0 });
});

test.run();

function readingOf(bytes: Buffer) {
  const lines: FeedLine[] = [];
  const feed: IcalFeed = { id: 'f', language: 'nb', defaults: {}, map: {} };
  return {
    summary: readCalendar(bytes, feed, { emit: (line) => lines.push(line), rehearse: () => undefined }),
    lines,
  };
}

function linesIn(bytes: Buffer): readonly FeedLine[] {
  return readingOf(bytes).lines;
}

/** What a feed is made into, wherever its lines stand. */
function recordsIn(bytes: Buffer): readonly unknown[] {
  return linesIn(bytes).map(({ line: _, ...rest }) => rest);
}

function titlesOf(lines: readonly FeedLine[]): readonly unknown[] {
  return lines.flatMap((line) => (line.list === 'events' ? [line.value.title_nb] : []));
}

/** Folded after every 13 octets, wherever that is. */
function folded(text: string): Buffer {
  const lines = text.split('\n').map((line) => Buffer.from(line));
  const parts = lines.flatMap((line) => [
    ...Array.from({ length: Math.ceil(line.length / 13) }, (_, at) => {
      const part = line.subarray(at * 13, at * 13 + 13);
      return at === 0 ? part : Buffer.concat([Buffer.from('\r\n '), part]);
    }),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat(parts);
}

/** Bytes changed, lines dropped, doubled and swapped, the end cut off. */
function damagedCopy(bytes: Buffer, random: Random): Buffer {
  const lines = bytes.toString('latin1').split('\n');
  for (let times = random(6); times > 0; times--) {
    const at = random(lines.length);
    const line = lines[at] ?? '';
    lines.splice(
      at,
      random(3),
      ...([[], [line, line], [lines[random(lines.length)] ?? ''], ['x'.repeat(random(2_000))]][random(4)] ??
        []),
    );
  }
  const copy = Buffer.from(lines.join(random(2) === 0 ? '\n' : '\r\n'), 'latin1');
  for (let times = random(20); times > 0; times--) copy[random(copy.length)] = random(256);
  return random(4) === 0 ? copy.subarray(0, random(copy.length)) : copy;
}

/** Lines `BEGIN:VEVENT`, counted another way. */
function beginnings(bytes: Buffer): number {
  const text = bytes.toString('latin1').replace(/\r*\n[\r\n]*[ \t]/g, '');
  return text.split(/[\r\n]+/).filter((line) => /^BEGIN: *VEVENT\s*$/i.test(line)).length;
}
