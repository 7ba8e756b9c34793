/** Events of iCalendar files at the endpoint, and the time zones of their times. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCalendarFeed } from '../../../../../jobs/annexes/feeds/ical/calendar.ts';
import { assertIncludes } from '../../../../helpers/assertions.ts';
import { costsAtMost } from '../../../../helpers/cost.ts';
import { readDocuments, testReadings } from '../../../../helpers/feed-reading.ts';
import { datesOf, icalFile, type ServedFeed, serveFeed } from '../../../../helpers/feeds.ts';
import { rowsOf, tableOf } from '../../../../helpers/tables.ts';
import { type IcalCase, testCases } from './cases.ts';

const HALL = {
  map: { konsert: 'MUSIC', Teater: ['ART'] },
  defaults: { ticketsInformation: 'ticketsInfo', categories: ['JAZZ'] },
};

/** A case from a row with the entry's UID, its title, its dates, and the findings about it. */
function caseOf([uid = '', what, dates = '', ...findings]: readonly string[]): IcalCase {
  return { uid, title: `should read ${what} (${uid})`, entries: [], dates, findings };
}

interface Feeds {
  hall: ServedFeed;
  times: ServedFeed;
  series: ServedFeed;
}

const test = suite<Feeds>('iCalendar');

test.before(async (feeds) => {
  feeds.hall = await serveFeed(icalFile('hall.ics'), HALL);
  feeds.times = await serveFeed(icalFile('times.ics'));
  feeds.series = await serveFeed(icalFile('series.ics'));
});

test.after(async ({ hall, times, series }) => {
  for (const feed of [hall, times, series]) await feed.close();
});

test('should serve the properties of an entry as fields of an event', async ({ hall }) => {
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
    allDay: false,
    eventCancelled: false,
    repetitions: [],
  });
});

testReadings(
  test,
  readCalendarFeed,
  `
# should map categories, merge spellings of a place, read streams, and leave out private entries and persons
  @ {"map": {"konsert": "MUSIC", "Teater": ["ART"]}, "defaults": {"categories": ["JAZZ"]}}
  < test/fixtures/ical/hall.ics
  = Ærlig talt: en kveld med viser; og prat | 2026-02-14 19:30:00 to 2026-02-14 21:00:00Z
    | title_en: Honestly, an evening of songs
    | desc_nb: Kåre Øverås synger. ⏎  ⏎ Dørene åpner en time før. Sitteplasser, ikke nummererte; kom tidlig.
    | desc_en: Kåre Øverås sings. | categories: MUSIC | tags: Viser + Inne, sitteplasser
    | venue: Brygga Kulturhus, Sjøgata 4, 7010 Trondheim, 63.4326, 10.4043
    | organizers: Visens Venner: Trondheim
    | images: https://brygga.example/118.jpg + https://brygga.example/118-2.png
    | moreInfoURL: https://brygga.example/program/118 | created_at: 2025-11-01T09:00:00Z
    | updated_at: 2025-12-15T12:15:30Z
  = Teater i sal 2 | 2026-03-01 18:00:00 to 2026-03-01 18:45:00Z | categories: ART
    | venue: Brygga Kulturhus, Sjøgata 4, 7010 Trondheim, 63.4326, 10.4043 | eventCancelled: true
  = Foredrag på nett | 2026-03-05 17:00:00Z | categories: JAZZ
    | streamingURL: https://video.example/rom/1 | mode: online
  ! 58 "f:styremote@brygga.example" privacy (CLASS): left out, expected PUBLIC, found "PRIVATE"
  ! 6 "f:konsert-118@brygga.example" categories: kept as tag, expected a category of the licence, found "Viser"
  ! 6 "f:konsert-118@brygga.example" categories: kept as tag, expected a category of the licence, found "Inne, sitteplasser"
`,
);

const TIMES = rowsOf(`
  all-day → a whole day to the midnight that follows → 2026-05-17–2026-05-18 all day
  all-days → whole days to an exclusive end → 2026-03-27–2026-03-30 all day
  all-day-open → a day without an end → 2026-05-17–2026-05-18 all day
  all-day-same → an end that is not exclusive → 2026-05-17–2026-05-18 all day
  all-day-week → a duration of days → 2026-06-01–2026-06-08 all day
  no-end → no end → 2026-02-14 19:30
  utc → times in UTC → 2026-07-10 19:00–21:00
  floating → floating times as Norwegian ones → 2026-07-10 17:00–19:00
  elsewhere → a zone without VTIMEZONE → 2026-03-10 17:00–18:00
  two-zones → an end in another zone → 2026-03-10 12:00–14:00
  windows → Windows' name of a zone → 2026-07-10 17:00
  prefixed → a prefixed name, and half a VTIMEZONE → 2026-07-10 17:00
  custom-winter → a zone of the feed’s own in winter → 2026-02-10 16:00
  custom-summer → a zone of the feed’s own in summer → 2026-07-10 16:00
  unknown-zone → an unknown zone as Norway’s → 2026-07-10 17:00
    → changed value start (DTSTART;TZID): a known time zone, or a VTIMEZONE that defines it (read as Norwegian time), "Narnia/Cair_Paravel"
  skipped → a time that is skipped (A12) → 2026-03-29 03:30–04:00 as 02:30
  night → hours of a DURATION as elapsed time → 2026-10-24 22:00–2026-10-25 05:00
  backwards → no end where that is before the start → 2026-02-14 19:30
    → changed value end (DTEND): an end after the start, "20260214T183000"; it has no end
`);

testCases(test, TIMES.map(caseOf), ({ times }) => times);

const SERIES = rowsOf(`
  quiz → a rule with a date taken out, one moved and one cancelled
    → 2026-03-03 20:00–22:30 Puben, 2026-03-11 19:00–21:00 Kafeen, 2026-03-24 20:00–22:30 Puben cancelled, 2026-03-31 20:00–22:30 Puben, 2026-04-07 20:00–22:30 Puben
  until → UNTIL in UTC → 2026-03-09 18:00–19:00, 2026-03-10 18:00–19:00, 2026-03-11 18:00–19:00
  new-york → a rule on the clock of another place
    → 2026-03-01 21:00–22:00, 2026-03-08 20:00–21:00, 2026-03-15 20:00–21:00, 2026-03-22 20:00–21:00, 2026-03-29 21:00–22:00, 2026-04-05 21:00–22:00
  utc-rule → a rule in UTC → 2026-03-21 19:00–20:00, 2026-03-28 19:00–20:00, 2026-04-04 20:00–21:00
  rdate → listed dates and periods → 2026-04-01 12:00–13:00, 2026-04-22 15:00–16:00, 2026-05-01 12:00–15:00, 2026-05-02 12:00–12:15
  all-day-rule → whole days by a rule → 2026-03-28–2026-03-29 all day, 2026-03-29–2026-03-30 all day, 2026-03-31–2026-04-01 all day
  day-exdate → a whole day taken out → 2026-06-01 10:00, 2026-06-03 10:00
  future → a change of this and all future dates
    → 2026-06-01 10:00–11:00, 2026-06-08 10:00–11:00, 2026-06-16 18:00–20:00 Kirken, 2026-06-23 18:00–20:00 Kirken
  exrule → a rule of exception → 2026-06-01 10:00, 2026-06-02 10:00, 2026-06-03 10:00, 2026-06-04 10:00, 2026-06-05 10:00
  orphan → dates of a series that is not there → 2026-07-01 11:00, 2026-07-08 10:00 cancelled
  off-beat → a start that the rule does not give as the first of COUNT → 2026-07-01 10:00, 2026-07-03 10:00
  bad-rule → the start alone where the rule is none → 2026-07-01 10:00
    → dropped series repeat (RRULE;FREQ): one of SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, "FREQ: FORTNIGHTLY"
`);

testCases(test, SERIES.map(caseOf), ({ series }) => series);

test('G2: should report the entry and property of each series that it cannot read', ({ series }) => {
  const lines = series.report.findings.map(({ id, field, action }) => `${id} ${field} ${action}`);
  assert.equal(lines, ['f:bad-rule repeat (RRULE;FREQ) dropped series', 'f:taken-out dates dropped record']);
  assert.equal(series.report.feeds[0]?.counts, { entries: 17, events: 12, merged: 4, dropped: 1 });
});

test('should show the latest change of a date as that of its series', async ({ series }) => {
  assert.is((await series.event('quiz'))?.updated_at, '2026-01-01 00:00:00+00:00');
});

test('A11: should cut rules that never end, at a bounded cost', async () => {
  let served: ReturnType<typeof serveFeed> | undefined;
  const serve = () => (served = serveFeed(icalFile('hostile.ics')));
  await costsAtMost(1_000, serve, { everyThread: true, tries: 1 });
  const hostile = await (served ?? serve());
  try {
    assert.is(datesOf(await hostile.event('good')).length, 2);
    const cut = hostile.report.findings.filter(({ action }) => action === 'cut rule').map(({ id }) => id);
    assert.equal(cut.sort(), ['f:count', 'f:seconds']);
  } finally {
    await hostile.close();
  }
});

/**
 * Times of entries without or with a zone. `header` is X-WR-TIMEZONE and `timeZone` the setting of the feed; `-` stands for none. The start
 * is in UTC, or on Norway’s clock.
 */
const CLOCKS = tableOf(
  ['what', 'header', 'timeZone', 'properties', 'start', 'finding'],
  `
  an abbreviation with one meaning → - → - → DTSTART;TZID=PDT:20260710T190000 → 2026-07-11 02:00:00Z → -
  an abbreviation with one meaning, in Europe → - → - → DTSTART;TZID=CEST:20260710T190000
    → 2026-07-10 17:00:00Z → -
  an abbreviation with several → - → - → DTSTART;TZID=BST:20260710T190000
    → 2026-07-10 19:00:00 → start (DTSTART;TZID): changed value, expected a known time zone
  the end of a name → - → - → DTSTART;TZID=Argentina/Buenos_Aires:20260710T190000 → 2026-07-10 22:00:00Z → -
  a former name → - → - → DTSTART;TZID=Asia/Calcutta:20260710T190000 → 2026-07-10 13:30:00Z → -
  a name of Windows → - → - → DTSTART;TZID=Eastern Standard Time:20260710T190000 → 2026-07-10 23:00:00Z → -
  a young name of Windows → - → - → DTSTART;TZID=Central Asia Standard Time:20260710T190000
    → 2026-07-10 13:00:00Z → -
  nobody’s name → - → - → DTSTART;TZID=Mars/Olympus_Mons:20260710T190000
    → 2026-07-10 19:00:00 → start (DTSTART;TZID): changed value, expected a known time zone
  none, in a file of Norway → Europe/Oslo → - → DTSTART:20260710T190000 → 2026-07-10 19:00:00 → -
  none, in a file of a place with the same clock → Europe/Berlin → - → DTSTART:20260710T190000
    → 2026-07-10 19:00:00 → -
  none, in a file of another place → America/New_York → - → DTSTART:20260710T190000 EXDATE:20260711T190000 RRULE:FREQ=DAILY;COUNT=3
    → series in America/New_York → time zone (X-WR-TIMEZONE): changed value, expected Europe/Oslo, or times with a TZID
  none, in a file of nobody’s place → Mars/Olympus_Mons → - → DTSTART:20260710T190000
    → 2026-07-10 19:00:00 → time zone (X-WR-TIMEZONE): changed value, expected a known time zone
  UTC, in a file of another place → America/New_York → - → DTSTART:20260710T190000Z → 2026-07-10 19:00:00Z → -
  a day, in a file of another place → America/New_York → - → DTSTART;VALUE=DATE:20260710 → 2026-07-10 → -
  none, where the setting says it → America/New_York → Europe/London → DTSTART:20260710T190000
    → 2026-07-10 18:00:00Z → -
`,
);

for (const { what, header, timeZone, properties, start, finding } of CLOCKS) {
  test(`should read a time with ${what}`, () => {
    const text = fileOf([properties.split(/ (?=[A-Z]+:)/)], header);
    const feed = { timeZone: timeZone === '-' ? null : timeZone };
    const { events, findings } = readDocuments(readCalendarFeed, text, feed);
    const [{ dates, series } = {}] = events;
    const [date] = Array.isArray(dates) ? dates : [];
    assert.is(date?.start ?? `series in ${Object(series).zone}`, start);
    if (finding === '-') assert.equal(findings, []);
    else assertIncludes(findings.join('\n'), finding);
  });
}

/** The titles of an entry, and the Norwegian that its texts are in; the feed does not say. */
const TITLES = [
  ['SUMMARY;LANGUAGE=nn-NO:Koret', 'nn'],
  ['SUMMARY;LANGUAGE=nb:Koret', undefined],
  ['SUMMARY;LANGUAGE=en:Choir\r\nSUMMARY;LANGUAGE=nn:Koret', 'nn'],
  ['SUMMARY;LANGUAGE=nb:Koret\r\nSUMMARY;LANGUAGE=nn:Koret vårt', undefined],
] as const;

test('I16: should know a text in Nynorsk by its LANGUAGE, if it is the one that is used', () => {
  for (const [titles, norwegian] of TITLES) {
    const file = fileOf([['DTSTART:20260710T190000Z']]).replace('SUMMARY:Kor', titles);
    const { events } = readDocuments(readCalendarFeed, file);
    const found = events.map((event) => [event.title_nb, event.norwegian]);
    assert.equal(found, [['Koret', norwegian]], titles);
  }
});

test('G2: should report times without a zone once a file', () => {
  const entries = Array.from({ length: 20 }, (_, place) => [`DTSTART:202607${10 + place}T190000`]);
  const { findings } = readDocuments(readCalendarFeed, fileOf(entries, 'America/New_York'));
  assert.is(findings.length, 1);
});

test.run();

function fileOf(entries: readonly (readonly string[])[], header = '-'): string {
  const events = entries.flatMap((lines, place) => [
    'BEGIN:VEVENT',
    `UID:${place}`,
    'SUMMARY:Kor',
    ...lines,
    'END:VEVENT',
  ]);
  const zone = header === '-' ? [] : [`X-WR-TIMEZONE:${header}`];
  return ['BEGIN:VCALENDAR', ...zone, ...events, 'END:VCALENDAR'].join('\r\n');
}
