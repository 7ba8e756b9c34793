/** A random calendar: few names and places for many events, so that everything meets everything. */
import { present, type Random } from './random.ts';
import {
  randomDate,
  randomPrices,
  randomRepeat,
  randomReplacement,
  randomTimes,
  randomWall,
  type Times,
  writtenDate,
} from './random-dates.ts';
import {
  REGISTER,
  randomAccessibility,
  randomLicence,
  randomOrganizer,
  randomVenue,
} from './random-places.ts';
import type { EventRecord, Json, Source } from './records.ts';

/** Evenings before the clock changes, within the doubled hour, before midnight, new year and a leap day. */
const BUILDS = [
  '2026-06-15T08:00:00Z',
  '2026-06-15T22:00:00Z',
  '2026-10-24T12:00:00Z',
  '2026-10-25T00:10:00Z',
  '2026-10-25T01:20:30Z',
  '2026-12-31T22:30:00Z',
  '2027-03-27T20:00:00Z',
  '2027-03-28T00:59:59Z',
  '2028-02-28T10:00:00Z',
];

const WORDS =
  'Konsert Visesang Teater Økland Ærlig Bærtur Festival Kåre Åpen dag Jul Rock Kunst Barn Crème brûlée Straße Đorđe Łódź Œuvre Þór og i på 3x3 2026'.split(
    ' ',
  );
const TAGS = ['Øl', 'øl', 'OL', 'Barn', 'barn', 'Café', 'cafe', 'ute', 'Straße'];
const CATEGORIES = ['MUSIC', 'JAZZ', 'CHOIR', 'ROCK', 'ART', 'PAINT', 'FAMILY', 'SPORT', 'FOOD'];
const ODD_CATEGORIES = ['GIGS', 'SHOWS', 'NOBODYS'];

export interface RandomCalendar {
  readonly source: Source;
  /** In seconds. */
  readonly builtAt: number;
}

export function randomCalendar(random: Random): RandomCalendar {
  const builtAt = Date.parse(random.pick(BUILDS)) / 1000;
  const times = randomTimes(random, builtAt);
  const venues = Array.from({ length: random.int(1, 7) }, (_, index) => randomVenue(random, index));
  const organizers = Array.from({ length: random.int(1, 5) }, (_, index) => randomOrganizer(random, index));
  const ids = randomIds(random, random.chance(0.15) ? random.int(30, 60) : random.int(5, 25));
  const containers = ids.slice(1).filter(() => random.chance(0.12));
  const places = { venues: venues.map(({ id }) => id), organizers: organizers.map(({ id }) => id) };
  const events = ids.map((id, index) => randomEvent(random, { id, index, containers, times, ...places }));
  return {
    builtAt,
    source: {
      licence: randomLicence(random, ids),
      venues,
      organizers,
      postalCodes: random.chance(0.8) ? REGISTER : [],
      events: [...events, ...badEvents(random, events)],
    },
  };
}

/** Ids whose order by code point is not that of numbers, letters or 16-bit units. */
function randomIds(random: Random, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) =>
    random.pick([
      `e${index}`,
      `e${index}`,
      `${index}`,
      `E-${index}`,
      `ø${index}`,
      `x𝄞${index}`,
      `xﬀ${index}`,
    ]),
  );
}

interface EventParts {
  readonly id: string;
  readonly index: number;
  readonly containers: readonly string[];
  readonly times: Times;
  readonly venues: readonly string[];
  readonly organizers: readonly string[];
}

function randomEvent(random: Random, parts: EventParts): EventRecord {
  const { id, containers, times, venues } = parts;
  const isSuperEvent = containers.includes(id);
  // A container may be part of an earlier one only, so that none is part of itself.
  const above = isSuperEvent ? containers.slice(0, containers.indexOf(id)) : containers;
  const repeats = Array.from({ length: random.pick([0, 0, 1, 1, 2]) }, () =>
    randomRepeat(random, times, venues),
  );
  const dates = Array.from({ length: random.pick([1, 1, 1, 2, 3, 6]) }, () =>
    randomDate(random, times, venues),
  );
  const replacing = repeats.flatMap((repeat) => randomReplacement(random, repeat, times, venues));
  const dateless = isSuperEvent && random.chance(0.6);
  return present({
    ...randomTexts(random, parts),
    venue: random.maybe(0.8, () => random.pick([...venues, ...venues, 'no-such-venue'])),
    categories: random.maybe(0.8, () => random.some([...CATEGORIES, ...ODD_CATEGORIES], 0, 3)),
    tags: random.maybe(0.6, () => random.some(TAGS, 0, 3)),
    mode: random.maybe(0.4, () => random.pick(['online', 'offline'] as const)),
    organizers: random.maybe(0.7, () =>
      random.some([...parts.organizers, ...parts.organizers, 'nobody'], 0, 3),
    ),
    superEvent: random.maybe(0.35, () => random.pick([...above, ...above, ...above, 'no-such-event'])),
    isSuperEvent: isSuperEvent ? true : random.maybe(0.2, () => false),
    publishingDate: random.maybe(0.35, () => writtenDate(random, randomWall(random, times))),
    ...randomFields(random, times),
    ...(dateless ? {} : { dates: [...dates, ...badDates(random), ...replacing], repeats }),
  });
}

/** G8: what is taken out, and what only looks like it. */
const HOSTILE_TEXT = [
  ' <3',
  '<script>alert(1)</script>',
  '<i>!</i>',
  '\u202e',
  '\u0000',
  '<img src=x onerror=alert(1)>',
];
const HOSTILE_MARKUP = [
  '<img src="x" onerror="alert(1)">',
  '<script>alert(1)</script>',
  '<a href="javascript:alert(1)">her</a> ',
  '<a href="https://lenke.example/1" onclick="alert(1)">her</a> ',
  '<em style="position:fixed">nå</em> ',
  '3 < 5 ',
  '\u202e',
];
const HOSTILE_URLS = ['javascript:alert(1)', '/relativ', 'data:text/html,x', '//lenke.example'];

function randomTexts(random: Random, { id, index }: EventParts) {
  const words = (low: number, high: number) => random.some(WORDS, low, high).join(' ');
  const describe = () =>
    `<p>${random.maybe(0.2, () => random.pick(HOSTILE_MARKUP)) ?? ''}${words(1, 6)} <b>${words(1, 2)}</b>${random.pick(['', '', ' &amp; K&#229;re', ' H&oslash;st'])}.</p> <ul class="${words(1, 1)}"> <li>${words(0, 4)}</li> </ul>`;
  return {
    id,
    slug: random.maybe(0.15, () =>
      random.pick(['egen', 'konsert', 'egen-2', 'Egen Slug', 'lang-'.repeat(30), '?']),
    ),
    eventLink: random.maybe(0.08, () =>
      random.pick([
        `https://annet.example/arrangement/${random.pick(['egen', 'Egen_Side', `lenke-${index}`])}`,
        'javascript:alert(1)//egen',
      ]),
    ),
    title_nb:
      random.maybe(0.9, () => words(1, 3) + (random.maybe(0.1, () => random.pick(HOSTILE_TEXT)) ?? '')) ??
      (random.chance(0.5) ? '  ' : undefined),
    title_en: random.maybe(0.3, () => words(1, 2)) ?? `Title ${index}`,
    desc_nb: random.maybe(0.6, describe),
    desc_en: random.maybe(0.3, describe),
  };
}

function randomFields(random: Random, times: Times) {
  const number = () => random.maybe(0.2, () => random.int(0, 99));
  const url = () =>
    random.maybe(0.2, () =>
      random.pick([`https://lenke.example/${random.int(1, 9)}`, random.pick(HOSTILE_URLS)]),
    );
  const flag = (share: number) => random.maybe(share, () => random.chance(0.7));
  const moment = () => random.maybe(0.2, () => writtenDate(random, randomWall(random, times)));
  return {
    images: random.maybe(0.4, () => Array.from({ length: random.int(0, 2) }, () => randomImage(random))),
    ticketsInformation: random.maybe(0.6, () => random.pick(['free', 'noTicketsInfo', 'ticketsInfo'])),
    prices: random.maybe(0.5, () => randomPrices(random)),
    ticketsURL: url(),
    eventCancelled: flag(0.25),
    eventSoldOut: flag(0.25),
    isFeaturedEvent: flag(0.4),
    isFeaturedInSpecialEvent: flag(0.4),
    registrationEnabled: flag(0.4),
    minimumAge: number(),
    maximumAge: number(),
    cancellationPeriod: number(),
    views: number(),
    ...{
      availableTickets: number(),
      activeTickets: number(),
      paymentMethod: random.maybe(0.2, () => 'vipps'),
    },
    ticketsFromDate: moment(),
    created_at: moment(),
    updated_at: moment(),
    moreInfoURL: url(),
    streamingURL: url(),
    facebookURL: url(),
    ...randomOlderFields(random),
    accessibility: random.maybe(0.2, () => randomAccessibility(random)),
    venueNote: random.maybe(0.1, () => `Inngang i\nbakgården${random.pick(['', ...HOSTILE_TEXT])}`),
    ageRestriction: random.maybe(0.1, () => '18 år'),
  };
}

/** E: what only older clients ask for, in any form. */
function randomOlderFields(random: Random) {
  if (random.chance(0.8)) return {};
  return {
    type: random.maybe(0.5, () => random.pick(['festival', 3, { name: 'festival' }])),
    author_id: random.maybe(0.5, () => random.pick([17, '17'])),
    editableBy: random.maybe(0.3, () => random.pick(['<i>noen</i>', ['noen']])),
    contact_from: random.maybe(0.3, () => 'organizer'),
    contact_custom: random.maybe(0.5, () =>
      random.pick([{ email: 'kari@kalender.example' }, { phone: 12_345_678 }, {}, 'Kari', null]),
    ),
    videosURL: random.maybe(0.3, () => random.pick(['https://film.example/1', ...HOSTILE_URLS])),
  };
}

function randomImage(random: Random): Readonly<Record<string, Json>> {
  return present({
    urlSmall: 'https://bilde.example/liten.jpg',
    urlLarge: 'https://bilde.example/stor.jpg',
    alt: random.maybe(0.8, () => 'Et bilde') ?? null,
    focusX: random.maybe(0.5, () => random.pick([0, 0.25, 0.333, 1])) ?? null,
    focusY: random.maybe(0.5, () => random.pick([0, 0.75, 1])) ?? null,
    width: random.maybe(0.5, () => 1600) ?? null,
    height: random.maybe(0.5, () => 900) ?? null,
    caption: random.maybe(0.3, () => 'Åpning') ?? null,
    credits: random.maybe(0.3, () => 'Foto: Kåre') ?? null,
    ...(random.maybe(0.2, () => ({
      urlOriginal: random.pick(['https://bilde.example/hel.jpg', 'hel.jpg']),
      largeSize: random.pick([1600, '1600x900', null]),
    })) ?? {}),
  });
}

/** G2: one bad date drops that date. */
function badDates(random: Random) {
  const bad = [
    { start: '2026-02-30 20:00' },
    { start: 'i morgen' },
    { start: '2026-12-10 20:00', end: '2026-12-10 19:00' },
  ];
  return random.chance(0.1) ? [random.pick(bad)] : [];
}

/** G2: records that are left out, fewer than the quarter that stops a build. */
function badEvents(random: Random, events: readonly EventRecord[]): readonly unknown[] {
  const dates = [{ start: '2027-01-01 12:00' }];
  const bad: readonly unknown[] = [
    { ...random.pick(events), title_nb: 'Samme id' },
    { id: 'bad-title', title_nb: 5, dates },
    { id: 'bad-mode', title_nb: 'Hybrid', mode: 'hybrid', dates },
    { id: 'bad-age', title_nb: 'Alder', minimumAge: 1.5, dates },
    { id: 'no-title', dates },
    { title_nb: 'Uten id', dates },
    { id: 'no-date', title_nb: 'Uten dato' },
  ];
  return random.some(bad, 0, Math.floor(events.length / 8));
}
