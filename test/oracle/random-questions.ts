/** Random questions to a calendar, at random moments: mostly where something changes, to the second. */
import { assertInputObjectType, GraphQLBoolean } from 'graphql';
import { schema } from '../../src/serve/graphql/schema.ts';
import { DAY, dayOf, formatOslo, instantOf, readInstant, wallOf } from './clock.ts';
import { kilometres, type Near } from './conditions.ts';
import { LISTS, type Question } from './questions.ts';
import type { Random } from './random.ts';
import { ACCESSIBILITY } from './records.ts';
import type { Calendar } from './source.ts';
import { stripMarkup, wordsOf } from './text.ts';

const UNKNOWN = 'no-such-thing';
/** The fields of a filter. */
const FILTER = assertInputObjectType(schema.getType('Filter')).getFields();

/** Instants, at or after the build, at which an answer can change; ascending. */
export function changeMoments(calendar: Calendar, builtAt: number): readonly number[] {
  const published = calendar.events.map(({ record }) => readInstant(record.publishingDate) ?? builtAt);
  const held = calendar.events.flatMap(({ occurrences }) => occurrences.slice(0, 20));
  // B12: the midnights of the weeks after the build.
  const midnights = Array.from({ length: 16 }, (_, day) =>
    instantOf((dayOf(wallOf(builtAt)) + 1 + day) * DAY),
  );
  const moments = [...published, ...midnights, ...held.flatMap(({ start, end, over }) => [start, end, over])];
  return [...new Set([builtAt, ...moments])].filter((moment) => moment >= builtAt).toSorted((a, b) => a - b);
}

/** A moment to ask at: the build's, just around a change in the days after it, or later; at times a clock is behind the builder's. */
export function randomNow(random: Random, moments: readonly number[]): number {
  const [builtAt = 0] = moments;
  if (random.chance(0.15)) return builtAt - random.pick([0.5, 1, 60, 7_200, 3 * 86_400]);
  const near = random.chance(0.8) ? moments.filter((moment) => moment < builtAt + 20 * 86_400) : moments;
  return Math.max(builtAt, random.pick(near) + random.pick([0, 0, -1, 1, 0.5, -0.001]));
}

type Make = (random: Random) => unknown;

/** For each argument and each field of an input object: values that occur in the calendar, that occur nowhere, and that say nothing. */
export function valuesFor(calendar: Calendar, moments: readonly number[]): Readonly<Record<string, Make>> {
  const { events, venues, organizers } = calendar;
  const text = (values: readonly string[]) => (random: Random) =>
    random.pick([...values, ...values, ...values, UNKNOWN, null, ' ']);
  const list = (values: readonly string[]) => (random: Random) =>
    random.chance(0.05) ? null : random.some([...values, ...values, ...values, UNKNOWN, null], 0, 4);
  const flag: Make = ({ pick }) => pick([true, true, true, false, null]);
  const moment: Make = (random) => randomMoment(random, moments);
  const categories = calendar.categories
    .flatMap(({ id, subcategories }) => [id, ...subcategories.map((sub) => sub.id)])
    .concat('GIGS');
  const tags = events.flatMap(({ record }) => record.tags ?? []);
  const slugs = [...events.map(({ slug }) => slug), UNKNOWN];
  const ids = [...events.map(({ record }) => record.id), UNKNOWN];
  const titles = events.flatMap(({ title_nb, title_en }) => [title_nb ?? UNKNOWN, title_en ?? ' ']);
  const flags = Object.values(FILTER).filter(({ type }) => type === GraphQLBoolean);
  return {
    ...Object.fromEntries(flags.map(({ name }) => [name, flag])),
    fromDate: moment,
    untilDate: moment,
    fromStartDate: moment,
    period: ({ pick }) => pick(['TODAY', 'TOMORROW', 'WEEKEND', 'WEEK', null]),
    // Unlike older lists it takes no null among its entries.
    ids: (random) => list(ids)(random)?.filter((id) => id !== null) ?? null,
    age: ({ pick }) => pick([0, 3, 7, 12, 18, 67, 130, null, pick([-1, 131, 5])]),
    categories: list(categories),
    notCategories: list(categories),
    venues: list(venues.map(({ slug }) => slug)),
    venueSlug: text(venues.map(({ slug }) => slug)),
    organizers: list(organizers.map(({ slug }) => slug)),
    organizerSlug: text(organizers.map(({ slug }) => slug)),
    searchTerm: (random) => randomTerm(random, calendar),
    tag: text([...tags, ...tags.map((tag) => tag.toUpperCase()), 'øl', 'CAFÉ', 'strasse']),
    mode: ({ chance, pick }) =>
      pick(['online', 'offline', 'offline', null, '', chance(0.1) ? 'hybrid' : 'online']),
    superEvent: text(events.flatMap(({ superEvent }) => superEvent ?? []).concat(UNKNOWN)),
    hoursRange: randomHours,
    municipality: text(MUNICIPALITIES),
    municipalities: ({ some }) => some([...MUNICIPALITIES, UNKNOWN], 0, 4),
    postalCodes: list(['7013', '7040', '7550', '7200', '6070', ' 7013']),
    near: (random) => (random.chance(0.1) ? null : randomNear(random, calendar)),
    area: (random) => (random.chance(0.1) ? null : randomArea(random)),
    accessibility: ({ chance, some }) => (chance(0.1) ? null : some(ACCESSIBILITY, 0, 2)),
    sortBy: text(['title']),
    page: ({ chance, pick }) => pick([null, 0, 0, 0, 1, 2, 7, chance(0.1) ? -1 : 3]),
    pageSize: ({ chance, pick }) =>
      chance(0.1) ? pick([1000, 1001, 5000]) : pick([null, 1, 2, 5, 10, 10, 25, 25, chance(0.1) ? 0 : 3]),
    first: ({ chance, pick }) => pick([1, 1, 2, 3, 10, 1_000, null, chance(0.05) ? pick([0, -1]) : 5]),
    eventID: ({ pick }) => pick(ids),
    eventSlug: ({ pick }) => pick(slugs),
    eventsSlugs: ({ some }) => some([...slugs, null], 0, 8),
    title: ({ pick }) => pick(titles),
    lan: ({ pick }) => pick(['nb', 'nb', 'en', 'no', '']),
    since: () => UNKNOWN,
    ...Object.fromEntries(EDGES.map((name): [string, Make] => [name, (random) => randomArea(random)[name]])),
  };
}

export function randomQuestion(random: Random, calendar: Calendar, moments: readonly number[]): Question {
  const values = valuesFor(calendar, moments);
  const args = (...names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, randomValue(name, values, random)]));
  const lookUps = [
    () => ({ field: 'eventByID', args: args('eventID') }),
    () => ({ field: 'eventBySlug', args: args('eventSlug') }),
    () => ({ field: 'eventsBySlugs', args: args('eventsSlugs') }),
    () => ({ field: 'eventByTitle', args: args('title', 'lan') }),
    () => ({ field: 'allUpcomingEventsInArea', args: randomArea(random) }),
    () => ({
      field: random.pick(['allUpcomingSuperEvents', 'categories', 'venues', 'organizers']),
      args: {},
    }),
    () => ({ field: 'calendar', args: {} }),
  ];
  if (random.chance(0.25)) return random.pick(lookUps)() as Question;
  const filter = randomFilter(random, args);
  const paged = args('page', 'pageSize');
  // A large page is not asked for lists.
  const lists = random.chance(0.5) || Number(paged.pageSize) > 100 ? [] : LISTS;
  const few = lists.filter(() => random.chance(0.5)).map((list) => [list, values.first?.(random)]);
  return { field: 'events', args: { filter, ...paged, first: Object.fromEntries(few) } };
}

/** Some fields of the filter, a search alone, or nothing. */
function randomFilter(random: Random, args: (...names: readonly string[]) => object): object | null {
  const kind = random.next();
  const names = random.some(Object.keys(FILTER), 0, random.pick([1, 1, 2, 3, 6]));
  if (kind < 0.6) return args(...names);
  return kind < 0.8 ? args('searchTerm') : random.pick([null, {}, {}, {}, {}]);
}

function randomValue(name: string, values: Readonly<Record<string, Make>>, random: Random): unknown {
  const make = values[name];
  if (make === undefined) throw new Error(`expected random values for ${name} in valuesFor, found none`);
  return make(random);
}

/** An input datetime around a change, in each of the forms that are allowed, and sometimes in none. */
function randomMoment(random: Random, moments: readonly number[]): string | null {
  if (random.chance(0.06))
    return random.pick(['', null, 'tomorrow', '2026-02-30 00:00:00Z', '2026-10-25 12:00:00']);
  const instant = random.pick(moments) + random.pick([0, 0, 1, -1, 3600, -3 * 3600]);
  const utc = new Date(instant * 1000).toISOString().slice(0, 19);
  const local = formatOslo(instant);
  return random.pick([
    local,
    local.replace(' ', 'T'),
    local.replace(/:00$/, ''),
    local.replace(/:00$/, '00'),
    `${utc}Z`,
    `${utc}.${random.pick(['0', '999', '123456'])}Z`,
    `${utc.replace('T', ' ')}Z`,
  ]);
}

function randomHours(random: Random): string | null {
  if (random.chance(0.1))
    return random.pick([null, ' ', '9:00-10:00', '24:00-10:00', '10:00-24:01', '10:00']);
  const times = '00:00 01:59 02:00 02:30 03:00 03:30 08:00 12:15 18:00 22:00 23:59'.split(' ');
  return `${random.pick(times)}-${random.pick([...times, '24:00'])}`;
}

const EDGES = ['minLatitude', 'maxLatitude', 'minLongitude', 'maxLongitude'] as const;

/** A box whose edges are the venues' own coordinates, sometimes across the antimeridian or out of range. */
function randomArea(random: Random) {
  const latitudes = [-90, -12.5, 0, 63.43, 63.4305, 63.5, 90];
  const longitudes = [-180, -179.9, 0, 10.3951, 10.4, 11, 179.9, 180];
  const bad = random.chance(0.08);
  return {
    minLatitude: bad ? random.pick([-90.5, 91, -90]) : random.pick(latitudes.slice(0, 5)),
    maxLatitude: random.pick(latitudes),
    minLongitude: random.pick(longitudes),
    maxLongitude: bad ? random.pick([180.01, -200, 10]) : random.pick(longitudes),
  };
}

/** A circle with a venue on its edge, or any; around venues, poles and the antimeridian, sometimes out of range. */
function randomNear(random: Random, { venues }: Calendar): Near {
  if (random.chance(0.05)) return { latitude: 63, longitude: 10, km: 5, ...random.pick(BAD_NEAR) };
  const centre = {
    latitude: random.pick([-90, -89.999, -12.5, 0, 63.43, 63.4305, 63.5, 89.95, 90]),
    longitude: random.pick([-180, -179.95, 0, 10.3951, 10.4, 11, 179.9, 180]),
  };
  const reaches = venues.flatMap(({ location }) => (location === null ? [] : kilometres(centre, location)));
  const edges = reaches.filter((km) => km > 0 && km <= 1000);
  return { ...centre, km: random.pick([...edges, ...edges, 0.01, 0.2, 9.9, 60, 999, 1000]) };
}

const BAD_NEAR: readonly Partial<Near>[] = [
  { latitude: 90.01 },
  { longitude: -180.5 },
  ...[0, -3, 1000.001].map((km) => ({ km })),
];

/** Words of the calendar, whole, in part and mistyped; names, labels and tags; and what is no word at all. */
function randomTerm(random: Random, calendar: Calendar): string | null {
  const odd = [
    '',
    '  ',
    null,
    'NEAR(a b)',
    "' or 1=1",
    ...'!!! % " a* \u0301 🎉 b <b> class ٣ שלום'.split(' '),
  ];
  if (random.chance(0.12)) return random.pick(odd);
  const { record, title_nb, title_en, occurrences, organizers } = random.pick(calendar.events);
  const descriptions = [record.desc_nb, record.desc_en].map((text) => stripMarkup(text ?? ''));
  const mainTexts = [title_nb ?? '', title_en ?? '', ...descriptions];
  const names = [
    ...(record.tags ?? []),
    ...occurrences.slice(0, 3).flatMap(({ venue }) => venue?.name ?? []),
    ...organizers.map(({ name }) => name),
    ...calendar.categories.flatMap(({ name_nb, name_en }) => [name_nb, name_en]),
  ];
  const texts = (random.chance(0.7) ? mainTexts : names).filter((text) => wordsOf(text).length > 0);
  if (texts.length === 0) return 'konsert';
  const words = random.some(random.pick(texts).split(/\s+/), 1, random.pick([1, 1, 2, 3]));
  return words.map((word) => mistype(random, word)).join(random.pick([' ', ' ', '  ', '\u00a0', '-']));
}

/** Perhaps another case, a part of the word, or one or two typing errors. */
function mistype(random: Random, word: string): string {
  const letters = [...word];
  const at = random.int(0, letters.length - 1);
  const [letter = '', after = ''] = letters.slice(at);
  const put = (length: number, text: string) => letters.toSpliced(at, length, text).join('');
  return random.pick([
    () => word,
    () => word.toUpperCase(),
    () => letters.slice(at, at + random.int(1, 5)).join(''),
    () => put(1, ''),
    () => put(1, random.pick(['x', 'e', 'ø', 'å'])),
    () => put(0, random.pick(['x', 'e', 'ø'])),
    () => put(2, after + letter),
    () => mistype(random, put(1, letter + letter)),
  ])();
}

const MUNICIPALITIES = 'Trondheim trondheim Malvik HERØY heroy 5001 5031 1515 5055 9999'.split(' ');
