/** A folder of small feeds with the troubles that feeds of real towns have: as many as are asked for, and always the same. */
import type { Files } from './native-source.ts';
import { type Random, seeded } from './random-operations.ts';

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

function written({ uid, title, day, hour, place, more = [] }: Entry): string {
  const date = new Date(Date.UTC(2026, 1, 1 + day)).toISOString().slice(0, 10).replaceAll('-', '');
  const at = (written: number) => `${date}T${String(written).padStart(2, '0')}0000`;
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

/** Noise that programs write and nobody misses. */
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
    return written({
      uid: `${at}@${feed}.example`,
      title: `${TITLES[random(TITLES.length)]} ${feed}-${at}`,
      day: random(200),
      hour: 8 + random(14),
      place: PLACES[random(PLACES.length)] ?? '',
      more: [...(noise === undefined ? [] : [noise]), ...(word === undefined ? [] : [`CATEGORIES:${word}`])],
    });
  });
}

/** Troubles, each of every so-manieth feed. */
const COPIED = 1;
const PRIVATE = 2;
const UNDATED = 3;
const REPEATED = 4;
const SHARED = 5;

/** 300 copies of an entry, which a program writes for each of its calendars. */
function troubleOf(feed: number, kind: number): readonly string[] {
  const one: Entry = {
    uid: `x@${feed}.example`,
    title: `Årsmøte ${feed}`,
    day: 40,
    hour: 18,
    place: 'Grendehuset',
  };
  if (kind === COPIED) return Array.from({ length: 300 }, () => written(one));
  if (kind === PRIVATE) return [written({ ...one, more: ['CLASS:PRIVATE'] })];
  if (kind === UNDATED) return [written(one).replace(/DTSTART[^\r]*\r\n/, '')];
  if (kind === REPEATED)
    return Array.from({ length: 12 }, (_, at) =>
      written({
        ...one,
        uid: `r${at}@${feed}.example`,
        title: 'Baren er åpen',
        day: 7 * at,
        place: `Puben ${feed}`,
      }),
    );
  return [];
}

/** One evening that two neighbours have, each under its own name. */
function sharedBy(feed: number): readonly string[] {
  const isFirst = feed % EVERY === SHARED;
  if (!isFirst && feed % EVERY !== SHARED + 1) return [];
  const night = isFirst ? feed : feed - 1;
  const title = isFirst ? `Julebord hos ${night}` : `Stort julebord hos ${night}`;
  return [written({ uid: `s@${feed}.example`, title, day: 60, hour: 20, place: `Salen ${night}` })];
}

const EVERY = 10;
/** Of so many feeds one has no file, and one has a page in place of a calendar. */
const FAILING = 40;

export function townFiles(feeds: number, entries: number): Files {
  const random = seeded(547);
  const files: Record<string, Files[string]> = {};
  const sources = Array.from({ length: feeds }, (_, feed) => {
    const id = `feed-${feed}`;
    const file = `${id}.ics`;
    const body = [...entriesOf(feed, entries, random), ...troubleOf(feed, feed % EVERY), ...sharedBy(feed)];
    if (feed % FAILING === 10) files[file] = '<!doctype html><title>Login</title>';
    else if (feed % FAILING !== 20)
      files[file] = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\n${body.join('')}END:VCALENDAR\r\n`;
    return { id, kind: 'ical', file };
  });
  return { ...files, 'sources.json': sources };
}
