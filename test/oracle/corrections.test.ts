/** F13: random corrections of random sources, native and feeds, rules and listed dates, compared with the oracle. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { shownAfter } from '../helpers/corrections.ts';
import { LICENCE } from '../helpers/native-source.ts';
import {
  type Correction,
  correctedByDefinition,
  type ListedDate,
  type ListedEvent,
  textOf,
  wallAt,
} from './corrections.ts';
import { type Random, randomFrom } from './random.ts';

const test = suite('F13: oracle');

const VENUES = [
  { id: 'hall', name: 'Storsalen', address: 'Torget 1, 7170 Lillevik' },
  { id: 'church', name: 'Lillevik kirke', address: 'Kirkegata 9, 7170 Lillevik' },
  { id: 'brygga', name: 'Brygga', address: 'Havnegata 2, 7170 Lillevik' },
];
const PLACES = Object.fromEntries(VENUES.map(({ id, name, address }) => [id, `${name} ${address}`]));
const NAMES = new Map(VENUES.map(({ id, name }) => [id, name]));
const WORDS = ['Konsert', 'Åse', 'Kor', 'Busy', 'Marked', 'Kveld'];
const TAGS = ['Vår', 'barn', 'Gratis'];
const CATEGORIES = ['MUSIC', 'ART', 'JAZZ'];
const DAY = 1440;
/** No clock changes until after the last of these dates. */
const FIRST = wallAt('2026-01-05 00:00');

const title = (random: Random) => random.some(WORDS, 1, 3).join(' ');
const time = (random: Random) => FIRST + random.int(0, 20) * DAY + random.int(32, 88) * 15;
const minutesOfDay = (random: Random) => textOf(time(random)).slice(11);

interface Sourced {
  readonly listed: ListedEvent;
  /** A record of the event, with some of its dates by a rule. */
  readonly record: object;
}

function randomEvent(random: Random, id: string): Sourced {
  const venue = random.pick([...VENUES.map((one) => one.id), null]);
  const minutes = random.pick([null, 60, 150, DAY, DAY + 60, 3 * DAY]);
  const dates = new Map<number, ListedDate>();
  const add = (wall: number, own: Partial<ListedDate> = {}) =>
    dates.set(wall, { wall, minutes, isCancelled: false, venue, ...own });
  const repeats = random.chance(0.5)
    ? [{ start: time(random), count: random.int(1, 5), days: random.int(1, 4) }]
    : [];
  for (const { start, count, days } of repeats)
    for (let nth = 0; nth < count; nth++) add(start + nth * days * DAY);
  // F4: a listed date takes the place of a rule's own.
  const listed =
    repeats.length > 0 && random.chance(0.5)
      ? []
      : Array.from({ length: random.int(1, 4) }, () => time(random));
  const begun = repeats.flatMap(({ start }) => (random.chance(0.3) ? [start] : []));
  const written = [...new Set([...listed, ...begun])].map((wall) => {
    const other = random.chance(0.3) ? random.pick(VENUES).id : venue;
    add(wall, { venue: other });
    return {
      start: textOf(wall),
      ...(other !== null && { venue: other }),
      ...(minutes !== null && { duration: minutes }),
    };
  });
  const own = {
    title: title(random),
    tags: [...new Set(random.some(TAGS, 0, 2))],
    categories: [...new Set(random.some(CATEGORIES, 0, 2))],
  };
  return {
    listed: { id, feed: null, ...own, dates: [...dates.values()] },
    record: {
      id,
      title_nb: own.title,
      tags: own.tags,
      categories: own.categories,
      venue,
      dates: written,
      repeats: repeats.map(({ start, count, days }) => ({
        start: textOf(start),
        ...(minutes !== null && { duration: minutes }),
        rule: `FREQ=DAILY;INTERVAL=${days};COUNT=${count}`,
      })),
    },
  };
}

/** Entries of a feed: one date, or a rule. */
function randomEntry(
  random: Random,
  uid: string,
): { readonly listed: ListedEvent; readonly lines: readonly string[] } {
  const start = time(random);
  const count = random.chance(0.5) ? 1 : random.int(2, 5);
  const minutes = random.pick([60, 150, DAY + 60]);
  const name = title(random);
  const stamp = (wall: number) => `${textOf(wall).replaceAll(/[-:]/g, '').replace(' ', 'T')}00`;
  const dates = Array.from({ length: count }, (_, nth) => ({
    wall: start + nth * DAY,
    minutes,
    isCancelled: false,
    venue: null,
  }));
  return {
    listed: { id: `f:${uid}`, feed: 'f', title: name, tags: [], categories: [], dates },
    lines: [
      'BEGIN:VEVENT',
      `UID:${uid}`,
      `SUMMARY:${name}`,
      `DTSTART;TZID=Europe/Oslo:${stamp(start)}`,
      `DTEND;TZID=Europe/Oslo:${stamp(start + minutes)}`,
      ...(count === 1 ? [] : [`RRULE:FREQ=DAILY;COUNT=${count}`]),
      'END:VEVENT',
    ],
  };
}

function randomCorrection(random: Random, events: readonly ListedEvent[]): Correction {
  const { id, dates, title: name } = random.pick(events);
  const { wall } = random.pick(dates);
  const given = {
    ...(random.chance(0.4) && { id }),
    ...(random.chance(0.2) && { feed: 'f' }),
    ...(random.chance(0.3) && { title: random.pick(name.split(' ')).toUpperCase() }),
    ...(random.chance(0.2) && { place: random.pick(['kirke', 'Lillevik', 'torget 1', 'brygga']) }),
    ...(random.chance(0.15) && { tag: random.pick(TAGS).toLowerCase() }),
    ...(random.chance(0.4) && { date: textOf(wall).slice(0, random.pick([10, 16])) }),
  };
  const where = Object.keys(given).length === 0 ? { id } : given;
  if (random.chance(0.15)) return { where, hide: true };
  const isOfDates = where.date !== undefined;
  const ofEvents = {
    ...(random.chance(0.3) && { title_nb: title(random) }),
    ...(random.chance(0.3) && { tags: [...new Set(random.some(TAGS, 0, 2))] }),
    ...(random.chance(0.3) && { categories: [...new Set(random.some(CATEGORIES, 0, 2))] }),
  };
  const set = {
    ...(!isOfDates && ofEvents),
    ...(random.chance(0.3) && { venue: random.pick([...VENUES.map((one) => one.id), null]) }),
    ...(random.chance(0.3) && { status: random.pick(['CANCELLED', 'SCHEDULED'] as const) }),
    ...(random.chance(0.4) && {
      start: isOfDates && random.chance(0.4) ? textOf(time(random)) : minutesOfDay(random),
    }),
    ...(random.chance(0.3) && { end: random.chance(0.2) ? null : minutesOfDay(random) }),
  };
  const add = isOfDates ? {} : { tags: random.some(TAGS, 0, 1), categories: random.some(CATEGORIES, 0, 1) };
  return random.chance(0.3) ? { where, set, add } : { where, set };
}

type Shown = Awaited<ReturnType<typeof shownAfter>>;

const lineOf = ({ wall, minutes, isCancelled, venue }: ListedDate) =>
  [textOf(wall), minutes ?? '-', venue === null ? '-' : NAMES.get(venue), isCancelled ? 'off' : 'on'].join(
    ' ',
  );

interface Described {
  readonly id: string;
  readonly title: unknown;
  readonly tags: unknown;
  readonly categories: readonly string[];
  readonly dates: readonly string[];
}

/** A line an event, which a difference shows whole. */
function inWords({ id, title, tags, categories, dates }: Described): string {
  return [id, title, tags, [...categories].sort(), [...new Set(dates)].sort().join(' | ')].join('; ');
}

function shownOf({ ids, event }: Shown) {
  return ids.map((id) => {
    const { title_nb, tags, categories, repetitions, ...first } = event(id);
    const dates = [first, ...repetitions].map(({ startDate, duration, venue, status }) =>
      [
        startDate.slice(0, 16),
        duration ?? '-',
        venue?.name ?? '-',
        status === 'CANCELLED' ? 'off' : 'on',
      ].join(' '),
    );
    const own = Array.isArray(categories) ? categories : [];
    return inWords({ id, title: title_nb, tags, categories: own, dates });
  });
}

for (let seed = 1; seed <= 12; seed++)
  test(`F13: should correct a random calendar as the definition says, seed ${seed}`, async () => {
    const random = randomFrom(seed);
    const own = Array.from({ length: 8 }, (_, at) => randomEvent(random, `e${at}`));
    const entries = Array.from({ length: 6 }, (_, at) => randomEntry(random, `u${at}`));
    const events = [...own, ...entries].map(({ listed }) => listed);
    const corrections = Array.from({ length: 12 }, () => randomCorrection(random, events));
    const shown = await shownAfter({
      'licence.json': LICENCE,
      'venues.json': VENUES,
      'events.json': [
        { id: 'last', title_nb: 'Alltid her', dates: [{ start: '2026-03-01 12:00' }] },
        ...own.map(({ record }) => record),
      ],
      'feed.ics': ['BEGIN:VCALENDAR', ...entries.flatMap(({ lines }) => lines), 'END:VCALENDAR'].join('\r\n'),
      'sources.json': [{ id: 'f', kind: 'ical', file: 'feed.ics' }],
      'corrections.json': corrections,
    });
    const wanted = correctedByDefinition(events, corrections, PLACES);
    assert.equal(
      shownOf(shown).filter((line) => !line.startsWith('last')),
      wanted.map((one) => inWords({ ...one, dates: one.dates.map(lineOf) })).sort(),
    );
  });

test.run();
