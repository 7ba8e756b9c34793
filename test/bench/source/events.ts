/** Writes an invented calendar as a native source. The same seed, size and day give the same bytes. */
import { once } from 'node:events';
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { type Random, seeded } from '../../helpers/random.ts';
import {
  CATEGORY_IDS,
  compound,
  LICENCE,
  makeOrganizers,
  makeVenues,
  ORGANIZERS,
  organizerId,
  personName,
  pick,
  skewed,
  VENUES,
  venueId,
} from './taxonomy.ts';
import words from './words.json' with { type: 'json' };

/** One container for so many events. */
const EVENTS_PER_CONTAINER = 500;
const DAY = 86_400_000;
const MINUTE = 60_000;

/**
 * Occurrences of an event:
 *
 * - `few`: mostly one;
 * - `series`: four on average;
 * - `nation`: five on average;
 * - `weekly`: one a week up to the horizon.
 */
export type DatesKind = 'few' | 'series' | 'nation' | 'weekly';

export interface MadeSource {
  readonly folder: string;
  readonly events: number;
  readonly seed: number;
  /** Milliseconds since 1970. No date is over before the day after this. */
  readonly now: number;
  readonly dates: DatesKind;
}

/** Lines that are handed to the file at a time. */
const BATCH = 500;

export async function writeSource({ folder, events, seed, now, dates }: MadeSource): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const random = seeded(seed);
  const firstDay = (Math.floor(now / DAY) + 2) * DAY;
  writeFileSync(join(folder, 'licence.json'), JSON.stringify(LICENCE));
  writeFileSync(join(folder, 'venues.json'), JSON.stringify(makeVenues(random)));
  writeFileSync(join(folder, 'organizers.json'), JSON.stringify(makeOrganizers(random)));
  const file = createWriteStream(join(folder, 'events.ndjson'));
  for (let first = 0; first < events; first += BATCH) {
    let lines = '';
    for (let place = first; place < Math.min(first + BATCH, events); place++) {
      lines += `${JSON.stringify(makeEvent(random, place, { firstDay, dates }))}\n`;
    }
    if (!file.write(lines)) await once(file, 'drain');
  }
  file.end();
  await finished(file);
}

interface MadeEvents {
  /** UTC midnight of the first day with events, in milliseconds, read as a wall clock. */
  readonly firstDay: number;
  readonly dates: DatesKind;
}

/** An event with about 1 KB of text. The order of the random draws is part of the format: results are compared with older ones. */
function makeEvent(random: Random, place: number, made: MadeEvents): object {
  const { firstDay } = made;
  const opening = pick(random, words.openings);
  const name = random(2) === 0 ? personName(random) : compound(random);
  const isContainer = place % EVENTS_PER_CONTAINER === 0;
  const paid = random(100) < 45;
  return {
    id: eventId(place),
    title_nb: `${opening.nb} ${name}`,
    ...sometimes(random, 70, { title_en: `${opening.en} ${name}` }),
    desc_nb: text(random, words.sentences.nb, 6 + random(4)),
    ...sometimes(random, 70, { desc_en: text(random, words.sentences.en, 4 + random(4)) }),
    categories: uniqueOf(1 + random(2), () => pick(random, CATEGORY_IDS)),
    tags: uniqueOf(random(5), () => `${pick(random, words.firstParts)} ${pick(random, words.tagEnds)}`),
    ...sometimes(random, 4, { mode: 'online' }),
    ...sometimes(random, 96, { venue: venueId(skewed(random, VENUES)) }),
    organizers: uniqueOf(1 + random(2), () => organizerId(skewed(random, ORGANIZERS))),
    images: [image(random, place)],
    ticketsInformation: paid ? 'ticketsInfo' : random(2) === 0 ? 'free' : 'noTicketsInfo',
    ...(paid && { prices: prices(random) }),
    ...(paid && { ticketsURL: `https://billett.example.org/arrangement/${place}` }),
    ...sometimes(random, 2, { eventCancelled: true }),
    ...sometimes(random, 3, { eventSoldOut: true }),
    publishingDate: wall(firstDay - (10 + random(90)) * DAY),
    created_at: `${wall(firstDay - 110 * DAY)}+00:00`,
    updated_at: `${wall(firstDay - random(9) * DAY)}+00:00`,
    ...(isContainer && { isSuperEvent: true }),
    ...(!isContainer && sometimes(random, 3, { superEvent: container(random, place) })),
    ...sometimes(random, 2, { isFeaturedEvent: true }),
    ...DATES[made.dates](random, firstDay),
  };
}

const eventId = (place: number): string => `evt-${String(place).padStart(7, '0')}`;

/** The id of an earlier container, which exists in calendars of every size. */
function container(random: Random, place: number): string {
  return eventId(EVENTS_PER_CONTAINER * random(Math.ceil(place / EVENTS_PER_CONTAINER)));
}

function fewDates(random: Random, firstDay: number): object {
  const kind = random(100);
  const start = startOf(random, firstDay);
  const minutes = pick(random, [45, 60, 90, 120, 120, 150, 180]);
  // An exhibition that has been open for a while.
  if (kind < 2) return { dates: [{ start: wall(start - 60 * DAY), end: wall(start + 30 * DAY) }] };
  if (kind < 3) {
    const rule = `FREQ=WEEKLY;COUNT=${4 + random(13)}`;
    return { repeats: [{ rule, start: wall(start), duration: minutes }] };
  }
  if (kind < 9) {
    const count = 2 + random(5);
    const days = Array.from({ length: count }, (_, nth) => start + nth * (1 + random(9)) * DAY);
    return { dates: [...new Set(days)].map((day) => ({ start: wall(day), duration: minutes })) };
  }
  return {
    dates: [kind < 20 ? { start: wall(start) } : { start: wall(start), end: wall(start + minutes * MINUTE) }],
  };
}

/** Courses, cafés and choirs, which make a snapshot of few events large. */
function weekly(random: Random, firstDay: number): object {
  const start = firstDay + random(7) * DAY + (10 * 60 + 15 * random(52)) * MINUTE;
  return { repeats: [{ rule: 'FREQ=WEEKLY', start: wall(start), duration: 90 }] };
}

/** Dates of theatres, cinemas and courses: from one to `most`, days or weeks apart. */
function sequence(random: Random, firstDay: number, most = 7): object {
  const start = startOf(random, firstDay);
  const minutes = pick(random, [45, 60, 90, 120, 120, 150, 180]);
  const apart = 1 + random(14);
  const days = Array.from({ length: 1 + random(most) }, (_, nth) => start + nth * apart * DAY);
  return { dates: days.map((day) => ({ start: wall(day), end: wall(day + minutes * MINUTE) })) };
}

const DATES: Readonly<Record<DatesKind, (random: Random, firstDay: number) => object>> = {
  few: fewDates,
  series: sequence,
  nation: (random, firstDay) => sequence(random, firstDay, 9),
  weekly,
};

/** A start within eighteen months. A quarter of all are in the first ten weeks. */
function startOf(random: Random, firstDay: number): number {
  const share = random(1_000_000) / 1_000_000;
  const day = Math.floor(540 * share * Math.sqrt(share));
  return firstDay + day * DAY + (10 * 60 + 15 * random(52)) * MINUTE;
}

function text(random: Random, sentences: readonly string[], count: number): string {
  return Array.from({ length: count }, () => pick(random, sentences))
    .join(' ')
    .replaceAll('{compound}', () => compound(random).toLowerCase())
    .replaceAll('{name}', () => personName(random));
}

function image(random: Random, place: number): object {
  return {
    urlSmall: `https://bilder.example.org/600/${place}.jpg`,
    urlLarge: `https://bilder.example.org/1600/${place}.jpg`,
    alt: `${compound(random)} med ${personName(random)}`,
    ...sometimes(random, 40, { credits: `Foto: ${personName(random)}` }),
    ...sometimes(random, 60, { focusX: random(100) / 100, focusY: random(100) / 100 }),
    width: 1600,
    height: 900,
  };
}

function prices(random: Random): readonly object[] {
  const regular = 50 + 10 * random(50);
  const all = [
    { type: 'REGULAR', price: regular },
    { type: 'REDUCED', price: Math.floor(regular * 0.7) },
    { type: 'CHILD', price: Math.floor(regular / 2), name_nb: 'Barn under 16', name_en: 'Children under 16' },
  ];
  return all.slice(0, 1 + random(3));
}

/** The fields for so many percent of all calls. */
function sometimes(random: Random, percent: number, fields: object): object {
  return random(100) < percent ? fields : {};
}

/** At most `count` different values. */
function uniqueOf<T>(count: number, make: () => T): readonly T[] {
  return count === 0 ? [] : [...new Set(Array.from({ length: count }, make))];
}

function wall(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 16).replace('T', ' ');
}
