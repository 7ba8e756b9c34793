/**
 * Deviations of programs from RFC 5545, and versions of one event. Built on 1 January 2026, noon UTC. The notation, of which ical/cases.ts has
 * more: `#` begins a case with its UID, the section of the RFC or the rule, and the title of its test. Lines without a mark are its VEVENT, in
 * which UID and SUMMARY may be missing. `+` begins another VEVENT. `=` has the dates in Norway, and `!` each finding: what was done, the
 * property, what was expected, and what was found.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { vcalendar } from '../../../../helpers/feed-files.ts';
import { testReadings } from '../../../../helpers/feed-reading.ts';
import { type ServedFeed, serveFeed } from '../../../../helpers/feeds.ts';
import { casesOf, readEntries, testCases } from './cases.ts';

/** Values that some programs write. */
const PROPERTIES = String.raw`
# google G2, 3.8.7.1: should keep an event with the CREATED and LAST-MODIFIED that Google writes for unknown ones
  CREATED:00001231T000000Z
  LAST-MODIFIED:00001231T000000Z
  DTSTART:20260302T180000Z
  DTEND:20260302T190000Z
  RRULE:FREQ=WEEKLY;COUNT=3
  = 2026-03-02 19:00–20:00, 2026-03-09 19:00–20:00, 2026-03-16 19:00–20:00
  ! tidied created (CREATED): a datetime such as 20260517T193000Z (it is left out), "00001231T000000Z"
  ! tidied last change (LAST-MODIFIED): a datetime such as 20260517T193000Z (it is left out), "00001231T000000Z"
# 11@koret.example G8: should decode a UID in which a mail protector has hidden the address
  UID:<a href="/cdn-cgi/l/email-protection" class="__cf_email__" data-cfemail="4d7c7c0d26223f28396328352c203d2128">[email&#160\;protected]</a>
  DTSTART:20260302T180000Z
  = 2026-03-02 19:00
# 8c636c0b9fd71112 G8: should use the hash of a UID with markup as the id
  UID:<b>12</b>@koret.example
  DTSTART:20260302T180000Z
  = 2026-03-02 19:00
  ! changed value id (UID): a UID without markup and control characters (its hash is the id), "<b>12</b>@koret.example"
`;

/** Texts that are published, although they are not for everybody. */
const TEXTS = String.raw`
# availability L4, 3.8.1.3: should keep an event whose title says only that its owner is busy, and report it
  SUMMARY:Opptatt tid
  CLASS:PUBLIC
  X-MICROSOFT-CDO-BUSYSTATUS:BUSY
  DTSTART:20260302T180000Z
  = 2026-03-02 19:00
  ! changed value title (SUMMARY): the title of an event (the calendar may share only when its owner is busy), "Opptatt tid"
# meeting L4: should report a passcode in a description, and not what it is
  DESCRIPTION:Styremøte\nMøte-ID: 321 654\nPassord: Xy7kQ2\nhttps://teams.microsoft.com/meet/1
  DTSTART:20260302T180000Z
  = 2026-03-02 19:00
  ! changed value description (DESCRIPTION): a text for everybody (the passcode of a meeting is published with it), a passcode
# passcode-link L4: should report the passcode in the link to a meeting
  DESCRIPTION:https://us02web.zoom.us/j/89123?pwd=dGVzdA
  DTSTART:20260302T180000Z
  = 2026-03-02 19:00
  ! changed value description (DESCRIPTION): a text for everybody (the passcode of a meeting is published with it), a passcode
# password L4: should report no password that is not a meeting's
  DESCRIPTION:Passord for nettet får du i kassa. Følg konserten på https://zoom.us/j/1
  DTSTART:20260302T180000Z
  = 2026-03-02 19:00
`;

/** Times and days with a parameter that contradicts them, or without a zone. */
const TIMES = `
# end 3.2.19: should read an end without a zone in the zone of the start
  DTSTART;TZID=America/New_York:20260302T120000
  DTEND:20260302T133000
  = 2026-03-02 18:00–19:30
  ! changed value end (DTEND): times with the TZID of DTSTART, or in UTC (read in the zone of DTSTART), "20260302T133000"
# exdate 3.8.5.1: should read an EXDATE without a zone in the zone of the series
  DTSTART;TZID=America/New_York:20260302T120000
  RRULE:FREQ=DAILY;COUNT=3
  EXDATE:20260303T120000,20260304T120000
  = 2026-03-02 18:00
  ! changed value dates taken out (EXDATE): times with the TZID of DTSTART, or in UTC (read in the zone of DTSTART), "20260303T120000"
# zone-and-z 3.2.19: should read a start with a Z and a TZID as UTC, and report it
  DTSTART;TZID=America/New_York:20260302T120000Z
  = 2026-03-02 13:00
  ! changed value start (DTSTART): times without an offset, as TZID says (read with it), "20260302T120000Z"
# date-time 3.2.20: should read a date with VALUE=DATE-TIME as a whole day, and report it
  DTSTART;VALUE=DATE-TIME:20260302
  = 2026-03-02–2026-03-03 all day
  ! changed value start (DTSTART): times, as VALUE=DATE-TIME says (read as dates), "20260302"
# date 3.2.20: should read a time with VALUE=DATE as a time, and report it
  DTSTART;VALUE=DATE:20260302T180000Z
  = 2026-03-02 19:00
  ! changed value start (DTSTART): dates alone, as VALUE=DATE says (read as times), "20260302T180000Z"
# days 3.8.5.2: should read times in the RDATE of whole days as days, and report it
  DTSTART;VALUE=DATE:20260302
  RDATE:20260304T180000Z,20260304T200000Z,20260306
  = 2026-03-02–2026-03-03 all day, 2026-03-04–2026-03-05 all day, 2026-03-06–2026-03-07 all day
  ! changed value further dates (RDATE): dates, as in DTSTART (read as days), "20260304T180000Z"
# times 3.8.5.2: should read a day in RDATE at the time of the first date, and report it
  DTSTART:20260302T180000Z
  RDATE;VALUE=DATE:20260304
  = 2026-03-02 19:00, 2026-03-04 19:00
  ! changed value further dates (RDATE): times, as in DTSTART (read at its time), "20260304"
`;

/** The dates of one event. */
const DATES = `
# split G2: should report the rest of a split series only as over
  DTSTART:20240302T180000Z
  RRULE:FREQ=WEEKLY;UNTIL=20240301T180000Z
  ! over dates: a future date, the last one on 2024-03-02
  +
  UID:ended
  DTSTART:20240302T180000Z
  RRULE:FREQ=WEEKLY;UNTIL=20250301T180000Z
# far A11: should take out a listed date beyond the horizon by a rule of exceptions
  DTSTART:20260302T180000Z
  RDATE:20290302T180000Z,20290303T180000Z
  EXRULE:FREQ=YEARLY
  = 2029-03-03 19:00
# moved 3.8.4.4: should keep a date and another one that is moved to its start
  DTSTART:20260302T180000Z
  DTEND:20260302T190000Z
  RRULE:FREQ=WEEKLY;COUNT=3
  +
  RECURRENCE-ID:20260309T180000Z
  DTSTART:20260302T180000Z
  DTEND:20260302T190000Z
  STATUS:CANCELLED
  = 2026-03-02 19:00–20:00 cancelled, 2026-03-02 19:00–20:00, 2026-03-16 19:00–20:00
# all-moved 3.8.4.4: should keep two dates that are moved to one start, and report nothing
  DTSTART:20260302T180000Z
  RRULE:FREQ=WEEKLY;COUNT=2
  +
  RECURRENCE-ID:20260302T180000Z
  DTSTART:20260305T180000Z
  +
  RECURRENCE-ID:20260309T180000Z
  DTSTART:20260305T180000Z
  = 2026-03-05 19:00, 2026-03-05 19:00
# again 3.8.5.2: should count a date of a rule once if another entry repeats it
  DTSTART:20260302T180000Z
  DTEND:20260302T190000Z
  RRULE:FREQ=WEEKLY;COUNT=3
  +
  DTSTART:20260309T180000Z
  = 2026-03-02 19:00–20:00, 2026-03-16 19:00–20:00
`;

/** Versions of one event. */
const VERSIONS = `
# newer 3.8.7.4: should use the version with the higher SEQUENCE
  SEQUENCE:1
  DTSTART:20260302T180000Z
  +
  SUMMARY:Stort kor
  SEQUENCE:2
  DTSTART:20260303T180000Z
  = 2026-03-03 19:00
  ! left out id (UID): a UID that no other entry has (the latest version is used), "newer", SEQUENCE 1
# modified 3.8.7.3: should use the version with the later LAST-MODIFIED if SEQUENCE is equal
  DTSTART:20260302T180000Z
  LAST-MODIFIED:20260101T090000Z
  LOCATION:KIRKA
  +
  DTSTART:20260302T180000Z
  LAST-MODIFIED:20260101T100000Z
  LOCATION:Kirka
  = 2026-03-02 19:00 Kirka
  ! left out id (UID): a UID that no other entry has (the latest version is used), "modified", SEQUENCE 0
# rebased 3.8.7.4: should leave out a changed date of an older version if the new series does not have it
  SEQUENCE:2
  DTSTART:20260302T170000Z
  DTEND:20260302T190000Z
  RRULE:FREQ=WEEKLY;COUNT=3
  +
  SEQUENCE:1
  RECURRENCE-ID:20260309T180000Z
  DTSTART:20260310T180000Z
  = 2026-03-02 18:00–20:00, 2026-03-09 18:00–20:00, 2026-03-16 18:00–20:00
  ! left out id (UID): a UID that no other entry has (the latest version is used), "rebased", SEQUENCE 1
# versions 3.8.4.4: should recognise two versions of a date that write it differently
  DTSTART:20260302T180000Z
  DTEND:20260302T190000Z
  RRULE:FREQ=WEEKLY;COUNT=3
  +
  SEQUENCE:1
  RECURRENCE-ID;VALUE=DATE:20260309
  DTSTART:20260310T180000Z
  +
  SEQUENCE:2
  RECURRENCE-ID:20260309T180000Z
  DTSTART:20260311T180000Z
  = 2026-03-02 19:00–20:00, 2026-03-11 19:00, 2026-03-16 19:00–20:00
  ! left out id (UID): a UID that no other entry has (the latest version is used), "versions", SEQUENCE 1
# cancelled RFC 5546, 3.2.5: should cancel an event by an entry without a title
  SEQUENCE:1
  DTSTART:20260302T180000Z
  +
  SUMMARY
  SEQUENCE:2
  DTSTART:20260302T180000Z
  STATUS:CANCELLED
  = 2026-03-02 19:00 cancelled
  ! left out id (UID): a UID that no other entry has (the latest version is used), "cancelled", SEQUENCE 1
`;

const CASES = casesOf(PROPERTIES + TEXTS + TIMES + DATES + VERSIONS);

const test = suite<{ feed: ServedFeed }>('deviations from RFC 5545');

test.before(async (context) => {
  context.feed = await serveFeed(vcalendar(...CASES.flatMap(({ entries }) => entries)));
});

test.after(async ({ feed }) => feed.close());

testCases(test, CASES, ({ feed }) => feed);

test('RFC 5545, 3.8.7.4: should read entries of one UID with different titles as different events', async () => {
  const entryOf = (title: string, sequence: number) =>
    [
      'BEGIN:VEVENT',
      'UID:felles',
      `SUMMARY:${title}`,
      `SEQUENCE:${sequence}`,
      `DTSTART:2026030${sequence + 2}T180000Z`,
      'END:VEVENT',
      '',
    ].join('\r\n');
  const feed = await serveFeed(vcalendar(...['Kor', 'Korps', 'Kino'].map(entryOf)));
  try {
    assert.equal(await feed.ids(), ['felles', 'felles/Korps', 'felles/Kino']);
  } finally {
    await feed.close();
  }
});

testReadings(
  test,
  readEntries,
  String.raw`
# G2: should report an event that is left out for its dates once, with the fault of the first date
  UID:lost
  DTSTART:20260302T180000Z
  EXDATE:20260302T180000Z
  RDATE:20260317T25,senere
  +
  UID:out
  DTSTART:20260302T180000Z
  EXDATE:20260302T180000Z
  ! 1 "f:lost" further dates (RDATE): dropped record, expected dates or times such as 20260517T193000, with commas between, found "20260317T25"; 1 more of its dates cannot be used either
  ! 8 "f:out" dates: dropped record, expected at least one date that is not excluded, found none
# L4: should report the line of each older entry, also of a cancellation without a title
  UID:a
  SEQUENCE:1
  DTSTART:20260302T180000Z
  +
  UID:a
  SUMMARY:
  STATUS:CANCELLED
  SEQUENCE:2
  DTSTART:20260302T180000Z
  +
  UID:a
  SEQUENCE:3
  DTSTART:20260302T180000Z
  = Kveld | 2026-03-02 18:00:00Z
  ! 1 "f:a" id (UID): left out, expected a UID that no other entry has (the latest version is used), found "a", SEQUENCE 1
  ! 7 "f:a" id (UID): left out, expected a UID that no other entry has (the latest version is used), found "a", SEQUENCE 2
# F7, F11: should read prices, shops and places of calendars as those of tables and pages
  DTSTART:20260302T180000Z
  X-COST:Voksen kr 150\, barn 50,-
  X-TICKETS-URL:https://billett.example/1
  +
  DTSTART:20260302T180000Z
  X-COST:Ved inngangen
  LOCATION:Kirkegata 4\, 7170 Lillevik
  GEO:63.83;10.05
  +
  DTSTART:20260302T180000Z
  GEO:63.83;10.05
  = Kveld | 2026-03-02 18:00:00Z | ticketsURL: https://billett.example/1 | ticketsInformation: ticketsInfo
    | prices: REGULAR 150 Voksen + CHILD 50 barn
  = Kveld | 2026-03-02 18:00:00Z | venue: Kirkegata 4, Kirkegata 4, 7170 Lillevik, 63.83, 10.05
    | ticketsInformation: ticketsInfo | prices: REGULAR null Ved inngangen
  = Kveld | 2026-03-02 18:00:00Z
  ! 12 "f:2" price (X-COST): changed value, expected a price such as 150 or kr 149,50 (the text is kept), found "Ved inngangen"
  ! 20 "f:3" position (GEO): changed value, expected a name or an address beside it, found "63.83;10.05"
`,
);

test.run();
