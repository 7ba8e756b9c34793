/** Which clock the times of a calendar are on. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCalendarFeed } from '../../../jobs/annexes/feeds/ical/calendar.ts';
import { readDocuments, rowsOf } from '../../helpers/feed-reading.ts';

const test = suite('Time zones of calendars');

/** What the times have, X-WR-TIMEZONE, the feed’s setting, or `-`, properties of the entry, the start in UTC or on Norway’s clock, and what is found. */
const CASES = rowsOf(`
  an abbreviation with one meaning → - → - → DTSTART;TZID=PDT:20260710T190000 → 2026-07-11 02:00:00Z
  an abbreviation with one meaning, in Europe → - → - → DTSTART;TZID=CEST:20260710T190000 → 2026-07-10 17:00:00Z
  an abbreviation with several → - → - → DTSTART;TZID=BST:20260710T190000 → 2026-07-10 19:00:00
    → start (DTSTART;TZID): changed value, expected a time zone that is known
  the end of a name → - → - → DTSTART;TZID=Argentina/Buenos_Aires:20260710T190000 → 2026-07-10 22:00:00Z
  a former name → - → - → DTSTART;TZID=Asia/Calcutta:20260710T190000 → 2026-07-10 13:30:00Z
  a name of Windows → - → - → DTSTART;TZID=Eastern Standard Time:20260710T190000 → 2026-07-10 23:00:00Z
  a young name of Windows → - → - → DTSTART;TZID=Central Asia Standard Time:20260710T190000 → 2026-07-10 13:00:00Z
  nobody’s name → - → - → DTSTART;TZID=Mars/Olympus_Mons:20260710T190000 → 2026-07-10 19:00:00
    → start (DTSTART;TZID): changed value, expected a time zone that is known
  none, in a file of Norway → Europe/Oslo → - → DTSTART:20260710T190000 → 2026-07-10 19:00:00
  none, in a file of a place with the same clock → Europe/Berlin → - → DTSTART:20260710T190000 → 2026-07-10 19:00:00
  none, in a file of another place → America/New_York
    → - → DTSTART:20260710T190000 EXDATE:20260711T190000 RRULE:FREQ=DAILY;COUNT=3 → series in America/New_York
    → time zone (X-WR-TIMEZONE): changed value, expected Europe/Oslo, or times with a TZID
  none, in a file of nobody’s place → Mars/Olympus_Mons → - → DTSTART:20260710T190000 → 2026-07-10 19:00:00
    → time zone (X-WR-TIMEZONE): changed value, expected a time zone that is known
  UTC, in a file of another place → America/New_York → - → DTSTART:20260710T190000Z → 2026-07-10 19:00:00Z
  a day, in a file of another place → America/New_York → - → DTSTART;VALUE=DATE:20260710 → 2026-07-10
  none, where the setting says it → America/New_York → Europe/London → DTSTART:20260710T190000 → 2026-07-10 18:00:00Z
`);

for (const [what, header, timeZone, lines = '', start, ...told] of CASES) {
  test(`should read times with ${what}`, () => {
    const text = fileOf([lines.split(/ (?=[A-Z]+:)/)], header);
    const feed = { timeZone: timeZone === '-' ? null : (timeZone ?? null) };
    const { events, findings } = readDocuments(readCalendarFeed, text, feed);
    const [{ dates, series } = {}] = events;
    const [date] = Array.isArray(dates) ? dates : [];
    assert.is(date?.start ?? `series in ${Object(series).zone}`, start);
    assert.is(findings.length, told.length, findings.join('\n'));
    for (const [place, beginning] of told.entries())
      assert.ok(findings[place]?.includes(beginning), findings[place]);
  });
}

test('should say of the file once that its times have no zone', () => {
  const entries = Array.from({ length: 20 }, (_, place) => [`DTSTART:202607${10 + place}T190000`]);
  const { findings } = readDocuments(readCalendarFeed, fileOf(entries, 'America/New_York'));
  assert.is(findings.length, 1);
});

test.run();

function fileOf(entries: readonly (readonly string[])[], header = '-'): string {
  const events = entries.flatMap((lines, place) => [
    ...['BEGIN:VEVENT', `UID:${place}`, 'SUMMARY:Kor'],
    ...[...lines, 'END:VEVENT'],
  ]);
  const zone = header === '-' ? [] : [`X-WR-TIMEZONE:${header}`];
  return ['BEGIN:VCALENDAR', ...zone, ...events, 'END:VCALENDAR'].join('\r\n');
}
