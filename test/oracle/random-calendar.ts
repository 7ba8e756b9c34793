/** A random calendar: few names and places for many events, so that everything meets everything. */
import type { Random } from './random.ts';
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
  /** The moment of the build, in seconds. */
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
  const prefixes = ['e', 'e', '', 'E-', 'ø', 'x𝄞', 'xﬀ'];
  return Array.from({ length: count }, (_, index) => `${random.pick(prefixes)}${index}`);
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
  const { chance, fields, pick, some } = random;
  const { id, containers, times, venues, organizers } = parts;
  const isSuperEvent = containers.includes(id);
  // A container may be part of an earlier one only, so that none is part of itself.
  const above = isSuperEvent ? containers.slice(0, containers.indexOf(id)) : containers;
  const several = <T>(counts: readonly number[], make: () => T) => Array.from({ length: pick(counts) }, make);
  const repeats = several([0, 0, 1, 1, 2], () => randomRepeat(random, times, venues));
  const dates = several([1, 1, 1, 2, 3, 6], () => randomDate(random, times, venues));
  const replacing = repeats.flatMap((repeat) => randomReplacement(random, repeat, times, venues));
  const dateless = isSuperEvent && chance(0.6);
  return {
    ...randomTexts(random, parts),
    ...fields(0.8, 'venue', [...venues, ...venues, 'no-such-venue']),
    ...fields(0.8, 'categories', [some([...CATEGORIES, ...ODD_CATEGORIES], 0, 3)]),
    ...fields(0.6, 'tags', [some(TAGS, 0, 3)]),
    ...fields(0.4, 'mode', ['online', 'offline'] as const),
    ...fields(0.7, 'organizers', [some([...organizers, ...organizers, 'nobody'], 0, 3)]),
    ...fields(0.35, 'superEvent', [...above, ...above, ...above, 'no-such-event']),
    ...fields(isSuperEvent ? 1 : 0.2, 'isSuperEvent', [isSuperEvent]),
    ...fields(0.35, 'publishingDate', [writtenDate(random, randomWall(random, times))]),
    ...randomFields(random, times),
    ...(dateless ? {} : { dates: [...dates, ...badDates(random), ...replacing], repeats }),
  };
}

function randomTexts({ chance, fields, pick, some }: Random, { id, index }: EventParts) {
  const words = (low: number, high: number) => some(WORDS, low, high).join(' ');
  const described = `${words(1, 6)} <b>${words(1, 2)}</b>${pick(['', '', ' &amp; Kåre'])}`;
  const description = `<p>${described}.</p> <ul> <li>${words(0, 4)}</li> </ul>`;
  const pages = ['egen', 'Egen_Side', `lenke-${index}`, `lenke-${index}`];
  const links = pages.map((page) => `https://annet.example/arrangement/${page}`);
  return {
    id,
    ...fields(0.15, 'slug', ['egen', 'konsert', 'egen-2']),
    ...fields(0.08, 'eventLink', links),
    ...fields(0.95, 'title_nb', [words(1, 3)]),
    ...(chance(0.05) ? { title_nb: '  ' } : {}),
    title_en: chance(0.3) ? words(1, 2) : `Title ${index}`,
    ...fields(0.45, 'desc_nb desc_en', [description, `<p>${words(2, 9)}</p>`]),
  };
}

function randomFields(random: Random, times: Times) {
  const { chance, fields, int } = random;
  const numbers = [int(0, 99), int(0, 99)];
  const flags = [true, true, false];
  const urls = ['https://lenke.example/1', 'https://lenke.example/2'];
  const moments = [0, 1].map(() => writtenDate(random, randomWall(random, times)));
  const images = [[], [randomImage(random)], [randomImage(random), randomImage(random)]];
  return {
    ...fields(0.4, 'images', images),
    ...fields(0.6, 'ticketsInformation', ['free', 'noTicketsInfo', 'ticketsInfo']),
    ...fields(0.5, 'prices', [randomPrices(random)]),
    ...fields(0.2, 'ticketsURL moreInfoURL streamingURL facebookURL', urls),
    ...fields(0.2, 'eventCancelled eventSoldOut', flags),
    ...fields(0.1, 'status', ['cancelled', 'POSTPONED', 'RESCHEDULED']),
    ...fields(0.4, 'isFeaturedEvent isFeaturedInSpecialEvent registrationEnabled', flags),
    ...fields(0.2, 'minimumAge maximumAge cancellationPeriod views availableTickets activeTickets', numbers),
    ...fields(0.2, 'paymentMethod', ['vipps']),
    ...fields(0.2, 'ticketsFromDate created_at updated_at', moments),
    ...(chance(0.2) ? randomOlderFields(random) : {}),
    ...fields(0.2, 'accessibility', [randomAccessibility(random)]),
    ...fields(0.1, 'venueNote', ['Inngang i\nbakgården']),
    ...fields(0.1, 'ageRestriction', ['18 år']),
    ...fields(0.1, 'summary_nb summary_en', ['Kort sagt: kor']),
  };
}

/** E: what only older clients ask for, in any form. */
function randomOlderFields({ fields }: Random) {
  const contacts = [{ email: 'kari@kalender.example' }, { phone: 12_345_678 }, {}, 'Kari', null];
  return {
    ...fields(0.5, 'type', ['festival', 3, { name: 'festival' }]),
    ...fields(0.5, 'author_id', [17, '17']),
    ...fields(0.3, 'editableBy', ['noen', ['noen']]),
    ...fields(0.3, 'contact_from', ['organizer']),
    ...fields(0.5, 'contact_custom', contacts),
    ...fields(0.3, 'videosURL', ['https://film.example/1']),
  };
}

function randomImage({ fields }: Random): Readonly<Record<string, Json>> {
  return {
    urlSmall: 'https://bilde.example/liten.jpg',
    urlLarge: 'https://bilde.example/stor.jpg',
    alt: null,
    focusX: null,
    focusY: null,
    width: null,
    height: null,
    caption: null,
    credits: null,
    ...fields(0.5, 'focusX focusY', [0, 0.25, 0.333, 1]),
    ...fields(0.5, 'width height', [900, 1600]),
    ...fields(0.5, 'alt caption credits', ['Åpning', 'Foto: Kåre']),
    ...fields(0.1, 'urlOriginal', ['https://bilde.example/hel.jpg']),
    ...fields(0.1, 'largeSize', [1600, '1600x900', null]),
  };
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
    { id: 'no-title', dates },
    { title_nb: 'Uten id', dates },
    { id: 'no-date', title_nb: 'Uten dato' },
  ];
  return random.some(bad, 0, Math.floor(events.length / 8));
}
