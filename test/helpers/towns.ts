/** A source folder with many small feeds that have the faults of real feeds. The same numbers always make the same folder. */
import type { Files } from './native-source.ts';
import { type Random, seeded } from './random.ts';

const TITLES = [
  'Konsert med koret',
  'Yoga',
  'Quiz',
  'Eventyrstund',
  'Strikkekafé',
  'Bokbad',
  'Jazzkveld',
  'Språkkafé',
];
const PLACES = ['Biblioteket, Storgata 1', 'Kulturhuset, Havnegata 2', 'Grendehuset', 'Kirken, Kirkegata 9'];
const WORDS = ['Musikk', 'Dugnad', 'Barn', 'Trening'];

interface Entry {
  readonly uid: string;
  readonly title: string;
  /** Days after 1 February 2026. */
  readonly day: number;
  readonly hour: number;
  readonly place: string;
  readonly more?: readonly string[];
}

function eventText({ uid, title, day, hour, place, more = [] }: Entry): string {
  const date = new Date(Date.UTC(2026, 1, 1 + day)).toISOString().slice(0, 10).replaceAll('-', '');
  const at = (hourOfDay: number) => `${date}T${String(hourOfDay).padStart(2, '0')}0000`;
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `SUMMARY:${title}`,
    `DTSTART;TZID=Europe/Oslo:${at(hour)}`,
    `DTEND;TZID=Europe/Oslo:${at(hour + 1)}`,
    `LOCATION:${place.replaceAll(',', '\\,')}`,
    ...more,
    'END:VEVENT',
    '',
  ].join('\r\n');
}

/** Properties that some programs write, and that a build ignores or changes without a loss. */
const NOISE = [
  'DESCRIPTION:<p dir="ltr">Velkommen <span style="color: red">alle</span></p>',
  'DESCRIPTION:<a href="https://a.example/x" target="_blank" rel="noopener">Mer</a> <a href="/om">om oss</a>',
  'CREATED:00001231T000000Z',
  'RRULE:FREQ=WEEKLY;COUNT=3\r\nEXDATE;TZID=Europe/Oslo:20260701T030000',
];

function entriesOf(feed: number, entries: number, random: Random): readonly string[] {
  return Array.from({ length: entries }, (_, at) => {
    const noise = NOISE[random(12)];
    const word = WORDS[random(8)];
    return eventText({
      uid: `${at}@${feed}.example`,
      title: `${TITLES[random(TITLES.length)]} ${feed}-${at}`,
      day: random(200),
      hour: 8 + random(14),
      place: PLACES[random(PLACES.length)] ?? '',
      more: [...(noise === undefined ? [] : [noise]), ...(word === undefined ? [] : [`CATEGORIES:${word}`])],
    });
  });
}

/** Further entries of a feed with this number, which are faulty or repeated. */
type Fault = (feed: number) => readonly string[];

/** By the last digit of a feed's number. Feeds with another digit have none. */
const FAULTS: Readonly<Record<number, Fault>> = {
  1: copied,
  2: (feed) => [eventText({ ...meetingOf(feed), more: ['CLASS:PRIVATE'] })],
  3: (feed) => [eventText(meetingOf(feed)).replace(/DTSTART[^\r]*\r\n/, '')],
  4: repeated,
  5: (feed) => [sharedNight(feed, `Julebord hos ${feed}`, feed)],
  6: (feed) => [sharedNight(feed - 1, `Stort julebord hos ${feed - 1}`, feed)],
};

function meetingOf(feed: number): Entry {
  return { uid: `x@${feed}.example`, title: `Årsmøte ${feed}`, day: 40, hour: 18, place: 'Grendehuset' };
}

/** 300 copies of an entry, as a program writes that has it in many calendars. */
function copied(feed: number): readonly string[] {
  return Array.from({ length: 300 }, () => eventText(meetingOf(feed)));
}

/** An event of each week, each with an entry and a UID of its own. */
function repeated(feed: number): readonly string[] {
  return Array.from({ length: 12 }, (_, at) =>
    eventText({
      uid: `r${at}@${feed}.example`,
      title: 'Baren er åpen',
      day: 7 * at,
      hour: 18,
      place: `Puben ${feed}`,
    }),
  );
}

/** An evening that two feeds have, each with its own title. */
function sharedNight(night: number, title: string, feed: number): string {
  return eventText({ uid: `s@${feed}.example`, title, day: 60, hour: 20, place: `Salen ${night}` });
}

/** Of each forty feeds, one is a page in place of a calendar, and one has no file. */
const FEEDS_PER_ROUND = 40;
const PAGE_AT = 10;
const MISSING_AT = 20;

/** The files of a source folder with so many feeds, each with so many good entries. */
export function townFiles(feeds: number, entries: number): Files {
  const random = seeded(547);
  const files: Record<string, Files[string]> = {};
  const sources = Array.from({ length: feeds }, (_, feed) => {
    const id = `feed-${feed}`;
    const file = `${id}.ics`;
    const body = [...entriesOf(feed, entries, random), ...(FAULTS[feed % 10]?.(feed) ?? [])];
    const place = feed % FEEDS_PER_ROUND;
    if (place === PAGE_AT) files[file] = '<!doctype html><title>Login</title>';
    else if (place !== MISSING_AT)
      files[file] = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${body.join('')}END:VCALENDAR\r\n`;
    return { id, kind: 'ical', file };
  });
  return { ...files, 'sources.json': sources };
}
