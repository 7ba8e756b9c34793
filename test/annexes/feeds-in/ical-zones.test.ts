/** Which clock the times of a calendar are on. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readCalendarFeed } from '../../../jobs/annexes/feeds/ical/calendar.ts';
import { readDocuments } from '../../helpers/feed-reading.ts';

const test = suite('Time zones of calendars');

interface Case {
  readonly header?: string;
  readonly timeZone?: string;
  readonly lines: readonly string[];
  /** The start in UTC or, where it is on Norway's clock, as it is written. */
  readonly start: string;
  /** Beginnings of what is found. */
  readonly told?: readonly string[];
}

const at = (tzid: string) => [`DTSTART;TZID=${tzid}:20260710T190000`];
const UNKNOWN = 'start (DTSTART;TZID): changed value, expected a time zone that is known';

const CASES: Readonly<Record<string, Case>> = {
  'an abbreviation with one meaning': { lines: at('PDT'), start: '2026-07-11 02:00:00Z' },
  'an abbreviation with one meaning, in Europe': { lines: at('CEST'), start: '2026-07-10 17:00:00Z' },
  'an abbreviation with several': { lines: at('BST'), start: '2026-07-10 19:00:00', told: [UNKNOWN] },
  'the end of a name': { lines: at('Argentina/Buenos_Aires'), start: '2026-07-10 22:00:00Z' },
  'a former name': { lines: at('Asia/Calcutta'), start: '2026-07-10 13:30:00Z' },
  'a name of Windows': { lines: at('Eastern Standard Time'), start: '2026-07-10 23:00:00Z' },
  'a name of Windows that is younger than CLDR 40': {
    lines: at('Central Asia Standard Time'),
    start: '2026-07-10 13:00:00Z',
  },
  'nobody’s name': { lines: at('Mars/Olympus_Mons'), start: '2026-07-10 19:00:00', told: [UNKNOWN] },
  'none, in a file of Norway': {
    header: 'Europe/Oslo',
    lines: ['DTSTART:20260710T190000'],
    start: '2026-07-10 19:00:00',
  },
  'none, in a file of a place with the same clock': {
    header: 'Europe/Berlin',
    lines: ['DTSTART:20260710T190000'],
    start: '2026-07-10 19:00:00',
  },
  'none, in a file of another place': {
    header: 'America/New_York',
    lines: ['DTSTART:20260710T190000', 'EXDATE:20260711T190000', 'RRULE:FREQ=DAILY;COUNT=3'],
    start: '',
    told: ['time zone (X-WR-TIMEZONE): changed value, expected Europe/Oslo, or times with a TZID'],
  },
  'none, in a file of nobody’s place': {
    header: 'Mars/Olympus_Mons',
    lines: ['DTSTART:20260710T190000'],
    start: '2026-07-10 19:00:00',
    told: ['time zone (X-WR-TIMEZONE): changed value, expected a time zone that is known'],
  },
  'UTC, in a file of another place': {
    header: 'America/New_York',
    lines: ['DTSTART:20260710T190000Z'],
    start: '2026-07-10 19:00:00Z',
  },
  'a day, in a file of another place': {
    header: 'America/New_York',
    lines: ['DTSTART;VALUE=DATE:20260710'],
    start: '2026-07-10',
  },
  'none, where the feed’s setting says it': {
    header: 'America/New_York',
    timeZone: 'Europe/London',
    lines: ['DTSTART:20260710T190000'],
    start: '2026-07-10 18:00:00Z',
  },
};

for (const [what, { header, timeZone = null, lines, start, told = [] }] of Object.entries(CASES)) {
  test(`should read times with ${what}`, () => {
    const { events, findings } = readDocuments(readCalendarFeed, fileOf(lines, header), { timeZone });
    const [{ dates, series } = {}] = events;
    const [date] = Array.isArray(dates) ? dates : [];
    assert.is(date?.start ?? '', start);
    if (start === '') assert.is(Object(series).zone, header);
    assert.is(findings.length, told.length, findings.join('\n'));
    for (const [place, beginning] of told.entries())
      assert.ok(findings[place]?.includes(beginning), findings[place]);
  });
}

test('should say of the file once that its times have no zone', () => {
  const entries = Array.from({ length: 20 }, (_, place) => `DTSTART:202607${10 + place}T190000`);
  const { findings } = readDocuments(readCalendarFeed, fileOf(entries, 'America/New_York', true));
  assert.is(findings.length, 1);
});

test.run();

/** One event, or one of each line. */
function fileOf(lines: readonly string[], header?: string, isEach = false): string {
  const events = isEach ? lines.map((line) => [line]) : [lines];
  return [
    ...['BEGIN:VCALENDAR', 'VERSION:2.0', ...(header === undefined ? [] : [`X-WR-TIMEZONE:${header}`])],
    ...events.flatMap((event, place) => [
      'BEGIN:VEVENT',
      `UID:${place}`,
      'SUMMARY:Kor',
      ...event,
      'END:VEVENT',
    ]),
    'END:VCALENDAR',
  ].join('\r\n');
}
