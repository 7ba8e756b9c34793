/**
 * Files of real programs read by RFC 5545, section by section. Built on 1 January 2026, noon UTC. ical/cases.ts has the notation of the
 * cases, and ical/dialects.ts that of the time zones.
 */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAbove } from '../../../../helpers/assertions.ts';
import { type ServedFeed, serveFeed } from '../../../../helpers/feeds.ts';
import { casesOf, testCases } from './cases.ts';
import { zoneLines } from './dialects.ts';

const ZONES = Object.entries({
  EST: `STANDARD -0400 -0500 20071104T020000 FREQ=YEARLY;BYMONTH=11;BYDAY=1SU
    DAYLIGHT -0500 -0400 20070311T020000 FREQ=YEARLY;BYMONTH=3;BYDAY=2SU`,
  Four: `STANDARD +0200 +0100 16010101T020000 FREQ=YEARLY;BYMONTH=9;BYDAY=-1SU;UNTIL=19950924T010000Z
    STANDARD +0200 +0100 16010101T020000 FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU
    DAYLIGHT +0100 +0200 16010101T020000 FREQ=YEARLY;BYMONTH=4;BYDAY=1SU;UNTIL=19800406T010000Z
    DAYLIGHT +0100 +0200 16010101T020000 FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU`,
  Lotus: `STANDARD +0200 +0100 19501029T020000 FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=-1SU;BYMONTH=10
    DAYLIGHT +0100 +0200 19500326T020000 FREQ=YEARLY;BYMINUTE=0;BYHOUR=2;BYDAY=-1SU;BYMONTH=3`,
  'Helsinki\\, Kyiv\\, Riga': 'STANDARD +0200 +0200 16010101T000000',
  '(UTC+03:00) Moskva\\, Minsk': 'STANDARD +0300 +0300 16010101T000000',
  '"GMT +0300 (Moskva)"': 'STANDARD +0300 +0300 16010101T000000',
}).flatMap(([tzid, parts]) => ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...zoneLines(parts), 'END:VTIMEZONE']);

const CASES = casesOf(String.raw`
# lotus 3.6.5: should read a time zone whose rules have BYHOUR
  DTSTART;TZID=Lotus:20260710T190000
  = 2026-07-10 19:00
# text 3.8.3.1: should read the name of a time zone as a text
  DTSTART;TZID="Helsinki, Kyiv, Riga":20260210T190000
  = 2026-02-10 18:00
# ended 3.3.10: should read no date of a series that ends before it begins
  DTSTART:20260601T100000Z
  RRULE:FREQ=DAILY;UNTIL=20260501T100000Z
  ! cut rule repeat (RRULE): an occurrence on or before the horizon, 2027-07-01, that is not excluded, none
# twice 3.8.5.2: should read a date that is given twice as one
  DTSTART;TZID=Europe/Oslo:20260601T100000
  DTEND;TZID=Europe/Oslo:20260601T110000
  RRULE:FREQ=DAILY;COUNT=3
  RDATE;TZID=Europe/Oslo:20260602T100000,20260605T100000,20260605T100000
  RDATE;VALUE=PERIOD:20260606T080000Z/PT2H,20260606T080000Z/PT2H,20260603T080000Z/PT3H
  = 2026-06-01 10:00–11:00, 2026-06-02 10:00–11:00, 2026-06-03 10:00–13:00, 2026-06-05 10:00–11:00
  = 2026-06-06 10:00–12:00
# cancelled 3.8.4.4: should cancel a date by an entry with only its RECURRENCE-ID
  DTSTART:20260601T080000Z
  DTEND:20260601T090000Z
  RRULE:FREQ=DAILY;COUNT=2
  +
  SUMMARY
  RECURRENCE-ID:20260602T080000Z
  STATUS:CANCELLED
  = 2026-06-01 10:00–11:00, 2026-06-02 10:00–11:00 cancelled
# days 3.8.5.1: should read a day taken out by the instant at which it begins
  DTSTART;VALUE=DATE:20260601
  RRULE:FREQ=DAILY;COUNT=4
  EXDATE:20260601T220000Z
  +
  RECURRENCE-ID:20260602T220000Z
  DTSTART;VALUE=DATE:20260610
  = 2026-06-01–2026-06-02 all day, 2026-06-04–2026-06-05 all day, 2026-06-10–2026-06-11 all day
# listed 3.8.2.4: should read listed days, less one, as whole days of as many days each (A15)
  DTSTART;VALUE=DATE:20260601
  DTEND;VALUE=DATE:20260603
  RDATE;VALUE=DATE:20260610,20260620
  EXDATE;VALUE=DATE:20260610
  = 2026-06-01–2026-06-03 all day, 2026-06-20–2026-06-22 all day
# moved 3.8.4.4: should read days of a series that are moved to an evening, longer or cancelled (A15)
  DTSTART;VALUE=DATE:20260601
  RRULE:FREQ=DAILY;COUNT=4
  +
  RECURRENCE-ID;VALUE=DATE:20260602
  DTSTART;TZID=Europe/Oslo:20260602T190000
  DTEND;TZID=Europe/Oslo:20260602T210000
  +
  RECURRENCE-ID;VALUE=DATE:20260603
  DTSTART;VALUE=DATE:20260603
  DURATION:PT48H
  +
  SUMMARY
  RECURRENCE-ID:20260603T220000Z
  STATUS:CANCELLED
  = 2026-06-01–2026-06-02 all day, 2026-06-02 19:00–21:00, 2026-06-03–2026-06-05 all day
  = 2026-06-04–2026-06-05 all day cancelled
# evenings 3.2.13: should read the days of a series as evenings from a changed one on (A15)
  DTSTART;VALUE=DATE:20260601
  RRULE:FREQ=DAILY;COUNT=3
  +
  RECURRENCE-ID;RANGE=THISANDFUTURE;VALUE=DATE:20260602
  DTSTART;TZID=Europe/Oslo:20260602T190000
  DTEND;TZID=Europe/Oslo:20260602T210000
  = 2026-06-01–2026-06-02 all day, 2026-06-02 19:00–21:00, 2026-06-03 19:00–21:00
# hidden 3.8.1.3: should leave out a date with a private override
  DTSTART:20260601T080000Z
  RRULE:FREQ=DAILY;COUNT=3
  +
  SUMMARY:Lukket
  CLASS:PRIVATE
  RECURRENCE-ID:20260602T080000Z
  DTSTART:20260602T100000Z
  = 2026-06-01 10:00, 2026-06-03 10:00
  ! left out privacy (CLASS): PUBLIC, "PRIVATE"
# elsewhere 3.8.1.3: should leave out a private date of a series, and not another event of its UID on that date
  DTSTART:20260601T080000Z
  RRULE:FREQ=DAILY;COUNT=3
  LOCATION:Salen
  +
  LOCATION:Torget
  DTSTART:20260602T080000Z
  +
  CLASS:PRIVATE
  RECURRENCE-ID:20260602T080000Z
  DTSTART:20260602T100000Z
  = 2026-06-01 10:00 Salen, 2026-06-03 10:00 Salen
  ! left out privacy (CLASS): PUBLIC, "PRIVATE"
# both 3.3.10: should end a rule with COUNT and UNTIL at whichever comes first
  DTSTART:20260601T080000Z
  RRULE:FREQ=DAILY;COUNT=5;UNTIL=20260602T230000Z
  = 2026-06-01 10:00, 2026-06-02 10:00
  ! changed value repeat (RRULE): a rule without the parts that are ignored here, "COUNT with UNTIL: whichever comes first ends it"
# ordinals 3.3.10: should ignore numbered weekdays of a weekly rule, an X- part, blanks and an empty UNTIL
  DTSTART:20260601T080000Z
  RRULE:FREQ=WEEKLY;UNTIL=;X-EVERY=1;BYDAY=1MO, 2WE;COUNT=3
  = 2026-06-01 10:00, 2026-06-03 10:00, 2026-06-08 10:00
  ! changed value repeat (RRULE): a rule without the parts that are ignored here, "UNTIL=, X-EVERY=1, BYDAY=1MO, 2WE"
# members 3.8.1.3: should leave out a date whose class is unknown, and keep one whose class is public in other letters
  DTSTART:20260601T080000Z
  RRULE:FREQ=DAILY;COUNT=4
  +
  CLASS:X-Members
  RECURRENCE-ID:20260602T080000Z
  DTSTART:20260602T100000Z
  +
  CLASS: Public
  RECURRENCE-ID:20260603T080000Z
  DTSTART:20260603T100000Z
  = 2026-06-01 10:00, 2026-06-03 12:00, 2026-06-04 10:00
  ! left out privacy (CLASS): PUBLIC, "X-Members"
# future 3.8.1.3: should end a series at a private override of all later dates
  DTSTART:20260601T080000Z
  RRULE:FREQ=DAILY;COUNT=9
  +
  SUMMARY:Lukket
  CLASS:PRIVATE
  RECURRENCE-ID;RANGE=THISANDFUTURE:20260603T080000Z
  DTSTART:20260603T100000Z
  = 2026-06-01 10:00, 2026-06-02 10:00
  ! left out privacy (CLASS): PUBLIC, "PRIVATE"
# eastern 3.8.3.1: should read a time zone without a place in its name as the feed defines it
  DTSTART;TZID=EST:20260710T100000
  = 2026-07-10 16:00
# microsoft 3.2.19: should read Microsoft’s name of UTC
  DTSTART;TZID="tzone://Microsoft/Utc":20260710T100000
  = 2026-07-10 12:00
# ahead 3.2.19: should read a time zone that is an offset
  DTSTART;TZID=UTC+3:20260710T100000
  RDATE;TZID=GMT-0130:20260711T100000
  = 2026-07-10 09:00, 2026-07-11 13:30
# rules 3.6.5: should read a time zone with four rules from 1601 on
  DTSTART;TZID=Four:20260710T100000
  = 2026-07-10 10:00
# winter 3.6.5: should read the winter of such a time zone
  DTSTART;TZID=Four:20261210T100000
  = 2026-12-10 10:00
# quoted 3.8.3.1: should read the name of a time zone that is defined in quotes
  DTSTART;TZID="GMT +0300 (Moskva)":20260210T190000
  = 2026-02-10 17:00
# escaped 3.3.10: should read a rule whose separators are escaped
  DTSTART:20260601T080000Z
  RRULE:FREQ=WEEKLY\;BYDAY=MO\,WE\;COUNT=3
  = 2026-06-01 10:00, 2026-06-03 10:00, 2026-06-08 10:00
  ! changed value repeat (RRULE): a rule without the parts that are ignored here, "backslashes"
# counted 3.8.5.3: should count a start that is not a date of the rule as the first of COUNT
  DTSTART:20260601T080000Z
  RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=3
  = 2026-06-01 10:00, 2026-06-03 10:00, 2026-06-10 10:00
# once 3.8.5.3: should read only such a start with COUNT=1
  DTSTART:20260601T080000Z
  RRULE:FREQ=WEEKLY;BYDAY=WE;COUNT=1
  = 2026-06-01 10:00
# missed 3.8.5.1: should ignore an EXDATE that is not a date of the series
  DTSTART:20260601T080000Z
  RRULE:FREQ=DAILY;COUNT=3
  RDATE:20260605T080000Z
  EXDATE:20260602T090000Z,20260603T080000Z,20260604T080000Z,20260605T080000Z
  = 2026-06-01 10:00, 2026-06-02 10:00
  ! tidied dates taken out (EXDATE): a date of the series (nothing is excluded), 2026-06-02 09:00:00 and 1 more
# alone 3.8.5.1: should ignore an EXDATE of an event that does not repeat
  DTSTART:20260601T080000Z
  EXDATE:20260602T080000Z
  = 2026-06-01 10:00
  ! tidied dates taken out (EXDATE): a date of the series (nothing is excluded), 2026-06-02 08:00:00
# careless 3.3.10: should ignore a repeated part of a rule, one without a value, extra commas and hyphens in UNTIL
  DTSTART:20260601T080000Z
  RRULE:FREQ=WEEKLY;FREQ=WEEKLY;BYMONTH=;BYDAY=MO,,WE,;UNTIL=2026-06-08T23:00:00Z
  = 2026-06-01 10:00, 2026-06-03 10:00, 2026-06-08 10:00
  ! changed value repeat (RRULE): a rule without the parts that are ignored here, "FREQ=WEEKLY, BYMONTH=, BYDAY=MO,,WE,, UNTIL=2026-06-08T23:00:00Z"
# zoned 3.3.10: should ignore the offset of UNTIL
  DTSTART:20260601T080000Z
  RRULE:FREQ=WEEKLY;UNTIL=2026-06-08T23:00:00-05:00
  = 2026-06-01 10:00, 2026-06-08 10:00
  ! changed value repeat (RRULE): a rule without the parts that are ignored here, "UNTIL=2026-06-08T23:00:00-05:00"
# hourly 3.3.10: should read only the first day of an hourly rule without a time
  DTSTART;VALUE=DATE:20260601
  RRULE:FREQ=HOURLY;COUNT=3
  = 2026-06-01–2026-06-02 all day
  ! dropped series repeat (RRULE;FREQ): a rule of days, because the start has no time, "HOURLY"
# position 3.3.10: should ignore BYSETPOS without another BY part
  DTSTART:20260601T080000Z
  RRULE:FREQ=MONTHLY;BYSETPOS=1;COUNT=2
  = 2026-06-01 10:00, 2026-07-01 10:00
  ! changed value repeat (RRULE): a rule without the parts that are ignored here, "BYSETPOS=1"
# offset 3.2.19: should read the name of a time zone that has a colon and no quotes
  DTSTART;TZID=(UTC+03:00) Moskva\, Minsk:20260710T100000
  = 2026-07-10 09:00
# lost 3.3.10: should read only the first date of an unreadable rule
  DTSTART:20260601T080000Z
  RRULE:FREQ=SOMETIMES;COUNT=9
  = 2026-06-01 10:00
  ! dropped series repeat (RRULE;FREQ): one of SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, "FREQ: SOMETIMES"
# times 3.3.10: should ignore the times in a rule of whole days
  DTSTART;VALUE=DATE:20260601
  RRULE:FREQ=DAILY;COUNT=2;BYHOUR=9,18;BYMINUTE=30
  = 2026-06-01–2026-06-02 all day, 2026-06-02–2026-06-03 all day
`);

const test = suite<{ feed: ServedFeed }>('RFC 5545');

test.before(async (context) => {
  const page = [
    'BEGIN:VEVENT\nUID:page\nSUMMARY:Rock &amp; roll &#8211; &lt;3 <b>du</b>&lt;script&gt;x&lt;/script&gt;',
    'LOCATION:K&aring;re &amp; co\nCATEGORIES:Dans &amp; sang\nDTSTART:20260601T080000Z\nEND:VEVENT',
  ];
  const events = CASES.flatMap(({ entries }) => entries);
  context.feed = await serveFeed(
    ['BEGIN:VCALENDAR', ...ZONES, ...events, ...page, 'END:VCALENDAR', ''].join('\n'),
  );
});

test.after(async ({ feed }) => feed.close());

testCases(test, CASES, ({ feed }) => feed);

test('G2: should count each series with an unreadable rule as dropped, and no date', ({ feed }) => {
  const { actions } = feed.report;
  const dropped = CASES.filter(({ findings }) => findings.some((line) => line.startsWith('dropped series')));
  assertAbove(dropped.length, 0, 'cases with a dropped series');
  assert.is(actions['dropped series'], dropped.length, 'dropped series');
  assert.is(actions['dropped date'], 0, 'dropped dates');
});

test('RFC 5545, 3.3.11: should decode character references of HTML, and keep them from becoming markup', async ({
  feed,
}) => {
  const event = await feed.event('page');
  assert.is(event?.title_nb, 'Rock & roll – <3 du');
  assert.is(event?.venue?.name, 'Kåre & co');
  assert.equal(event?.tags, ['Dans & sang']);
});

test.run();
