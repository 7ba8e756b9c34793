/** E12: cancelled, postponed and moved dates in feeds. */
import { suite } from 'uvu';
import { testReadings } from '../../../helpers/feed-reading.ts';
import { readEntries } from './ical/cases.ts';

const test = suite('status in feeds');

testReadings(
  test,
  readEntries,
  `
# E12: should show a date as rescheduled if its entry moves it, and only then
  UID:1
  DTSTART;TZID=Europe/Oslo:20260302T190000
  RDATE;TZID=Europe/Oslo:20260309T190000,20260316T190000,20260323T190000
  SUMMARY:Kor
  +
  UID:1
  RECURRENCE-ID;TZID=Europe/Oslo:20260309T190000
  DTSTART;TZID=Europe/Oslo:20260310T200000
  SUMMARY:Kor
  +
  UID:1
  RECURRENCE-ID;TZID=Europe/Oslo:20260316T190000
  DTSTART;TZID=Europe/Oslo:20260316T190000
  SUMMARY:Kor
  LOCATION:Kirka
  +
  UID:1
  RECURRENCE-ID;TZID=Europe/Oslo:20260323T190000
  DTSTART;TZID=Europe/Oslo:20260324T190000
  STATUS:CANCELLED
  SUMMARY:Kor
  = Kor
    | 2026-03-02 19:00:00, 2026-03-10 20:00:00 eventCancelled=false status=RESCHEDULED previousStart=2026-03-09 19:00:00, 2026-03-16 19:00:00 venue=Kirka eventCancelled=false, 2026-03-24 19:00:00 eventCancelled=true
# E12: should read STATUS:CANCELLED as postponed if the title says so
  UID:2
  DTSTART;TZID=Europe/Oslo:20260302T190000
  STATUS:CANCELLED
  SUMMARY:UTSATT: Kor
  = UTSATT: Kor | 2026-03-02 19:00:00 | status: POSTPONED
  ! 5 "f:2" title (SUMMARY): changed value, expected a new date (without one, it is shown as postponed), found "UTSATT: Kor"
`,
);

test.run();
