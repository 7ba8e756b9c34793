/** L4: iCalendar as towns write it: ends after midnight, periods among further dates, and places. */
import { suite } from 'uvu';
import { vcalendar } from '../../../../helpers/feed-files.ts';
import { testReadings } from '../../../../helpers/feed-reading.ts';
import { type ServedFeed, serveFeed } from '../../../../helpers/feeds.ts';
import { casesOf, readEntries, testCases } from './cases.ts';

const test = suite<{ feed: ServedFeed }>('iCalendar of towns');

const CASES = casesOf(`
# midnight L4: should read an end at midnight of the same date as the next day's
  DTSTART;TZID=Europe/Oslo:20260601T200000
  DTEND;TZID=Europe/Oslo:20260601T000000
  = 2026-06-01 20:00–2026-06-02 00:00
  ! changed value end (DTEND): an end after the start, "20260601T000000"; it is that time of the next day
# night L4: should read an end in the night after as the next day's, of each date of a series
  DTSTART;TZID=Europe/Oslo:20260601T220000
  DTEND;TZID=Europe/Oslo:20260601T023000
  RRULE:FREQ=DAILY;COUNT=2
  = 2026-06-01 22:00–2026-06-02 02:30, 2026-06-02 22:00–2026-06-03 02:30
  ! changed value end (DTEND): an end after the start, "20260601T023000"; it is that time of the next day
# half-a-day L4: should not read an end twelve hours away as the next day's
  DTSTART;TZID=Europe/Oslo:20260601T200000
  DTEND;TZID=Europe/Oslo:20260601T080000
  = 2026-06-01 20:00
  ! changed value end (DTEND): an end after the start, "20260601T080000"; it has no end
# day-before L4: should not read an end on another date as the next day's
  DTSTART;TZID=Europe/Oslo:20260601T010000
  DTEND;TZID=Europe/Oslo:20260531T230000
  = 2026-06-01 01:00
  ! changed value end (DTEND): an end after the start, "20260531T230000"; it has no end
# periods L4: should give a period among the further dates its own end
  DTSTART:20260601T080000Z
  DTEND:20260601T090000Z
  RDATE;VALUE=PERIOD:20260603T080000Z/PT3H,20260604T080000Z/20260604T083000Z
  RDATE:20260605T080000Z
  = 2026-06-01 10:00–11:00, 2026-06-03 10:00–13:00, 2026-06-04 10:00–10:30, 2026-06-05 10:00–11:00
# period-of-rule L4: should give a date of a rule the end of its period
  DTSTART:20260601T080000Z
  DTEND:20260601T090000Z
  RRULE:FREQ=DAILY;COUNT=3
  RDATE;VALUE=PERIOD:20260602T080000Z/PT3H
  = 2026-06-01 10:00–11:00, 2026-06-02 10:00–13:00, 2026-06-03 10:00–11:00
# period-taken-out L4: should take out a period, and let an entry of its own replace it
  DTSTART:20260601T080000Z
  DTEND:20260601T090000Z
  RDATE;VALUE=PERIOD:20260603T080000Z/PT3H,20260604T080000Z/PT3H
  EXDATE:20260603T080000Z
  +
  RECURRENCE-ID:20260604T080000Z
  DTSTART:20260604T100000Z
  = 2026-06-01 10:00–11:00, 2026-06-04 12:00
# bad-period L4: should read a period without a readable end as long as the others
  DTSTART:20260601T080000Z
  DTEND:20260601T090000Z
  RDATE;VALUE=PERIOD:20260603T080000Z/soon,20260604T080000Z/20260603T080000Z
  RDATE;VALUE=PERIOD:20260605T080000Z/20260605T080000Z
  RDATE;VALUE=PERIOD:20260606T080000Z/PT0S
  = 2026-06-01 10:00–11:00, 2026-06-03 10:00–11:00, 2026-06-04 10:00–11:00, 2026-06-05 10:00–11:00
  = 2026-06-06 10:00–11:00
  ! changed value further dates (RDATE): a period with an end after its start, or a start alone (it is as long as the other dates), "20260603T080000Z/soon"
  ! changed value further dates (RDATE): a period with an end after its start, or a start alone (it is as long as the other dates), "20260605T080000Z/20260605T080000Z"
  ! changed value further dates (RDATE): a period with an end after its start, or a start alone (it is as long as the other dates), "20260606T080000Z/PT0S"
`);

test.before(async (feeds) => {
  const entries = CASES.flatMap(({ entries }) => entries);
  feeds.feed = await serveFeed(Buffer.from(vcalendar(...entries)));
});

test.after(({ feed }) => feed.close());

testCases(test, CASES, ({ feed }) => feed);

testReadings(
  test,
  readEntries,
  String.raw`
# L4: should take markup out of a place before it is taken apart
  DTSTART:20260401T100000Z
  SUMMARY:Kor
  LOCATION:<span style='color: rgb(5\, 5\, 5)'>Kulturhuset</span><br>Storgata 1\, 7170 Lillevik
  = Kor | 2026-04-01 10:00:00Z | venue: Kulturhuset, Storgata 1, 7170 Lillevik
# L4: should take out markup that is written with references
  DTSTART:20260401T100000Z
  SUMMARY:Kor
  LOCATION:&lt\;p&gt\;Kulturhuset &amp\;amp\; kino&lt\;/p&gt\;
  = Kor | 2026-04-01 10:00:00Z | venue: Kulturhuset & kino
# L4: should swap a position whose latitude is beyond 90
  DTSTART:20260401T100000Z
  SUMMARY:Kor
  LOCATION:Kulturhuset
  GEO:-122.636;38.233
  = Kor | 2026-04-01 10:00:00Z | venue: Kulturhuset, 38.233, -122.636
# L4: should swap no position of which neither number can be a latitude
  DTSTART:20260401T100000Z
  SUMMARY:Kor
  LOCATION:Kulturhuset
  GEO:122.6;138.2
  = Kor | 2026-04-01 10:00:00Z | venue: Kulturhuset
  ! 6 "f:1" position (GEO): changed value, expected a latitude and a longitude such as 63.83 and 10.05, found "122.6;138.2"
# L4: should make an event at a place called Zoom one on the web
  DTSTART:20260401T100000Z
  SUMMARY:Kor
  LOCATION:Zoom
  = Kor | 2026-04-01 10:00:00Z | mode: online
# L4: should keep the address of a meeting on the web as its stream
  DTSTART:20260401T100000Z
  SUMMARY:Kor
  LOCATION:Online via Teams https://teams.example/1
  = Kor | 2026-04-01 10:00:00Z | streamingURL: https://teams.example/1 | mode: online
`,
);

test.run();
