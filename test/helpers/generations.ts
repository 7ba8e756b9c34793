/** Calendars with the number of their generation in every part, so that an answer from two of them is recognised. */
import { sumOf } from '../../src/calendar/groups.ts';
import { isoSecond } from '../../src/calendar/time.ts';
import { built } from './build.ts';
import { type Files, LICENCE, sourceFolder } from './native-source.ts';

const LEAST = 30;
const SPREAD = 9;
const DAY = 86_400;

/** Events of a generation. Neighbours differ. */
const totalOf = (generation: number): number => LEAST + (generation % SPREAD);

/** The files of a generation. Ids and slugs are the same in all of them. `now` is an instant, in seconds. */
export function generationFiles(generation: number, now: number): Files {
  const mark = `g${generation}`;
  const list = <T>(length: number, one: (at: number) => T) => Array.from({ length }, (_, at) => one(at));
  return {
    'licence.json': {
      ...LICENCE,
      portalUrl: `https://portal.example/${mark}`,
      categories: ['MUSIC', 'ART'].map((id) => ({
        id,
        name_nb: `Kategori ${id} ${mark}`,
        name_en: `${id} ${mark}`,
      })),
    },
    'venues.json': list(4, (at) => ({
      id: `v${at}`,
      slug: `sal-${at}`,
      name: `Sal ${at} ${mark}`,
      latitude: 63.43 + at / 100,
      longitude: 10.39,
    })),
    'organizers.json': list(3, (at) => ({ id: `o${at}`, slug: `lag-${at}`, name: `Lag ${at} ${mark}` })),
    'events.json': list(totalOf(generation), (at) => ({
      id: `e${at}`,
      slug: `konsert-${at}`,
      title_nb: `Konsert ${at} ${mark}`,
      title_en: `Concert ${at}`,
      desc_nb: `Med ${mark} i spissen. ${'En kveld ved elva for alle som vil. '.repeat(10)}`,
      categories: [at % 2 === 0 ? 'MUSIC' : 'ART'],
      tags: [mark],
      venue: `v${at % 4}`,
      organizers: [`o${at % 3}`],
      isSuperEvent: at === 0,
      dates: [7, 14, 21].map((days) => ({ start: isoSecond(now + (days + (at % 7)) * DAY), duration: 90 })),
    })),
  };
}

/** Instant, whole seconds. */
export const currentSecond = (): number => Math.floor(Date.now() / 1_000);

/** Builds and publishes a generation as of now. */
export async function publishGeneration(generation: number, folder: string) {
  const now = currentSecond();
  return built(sourceFolder(generationFiles(generation, now)), folder, { now });
}

/**
 * The generation of an answer. Throws for an answer with errors, with parts of two generations, with a total of another generation, or
 * with facets that do not add up to the totals.
 */
export function generationOf(answer: string): number {
  if (answer.includes('"errors":')) throw new Error(`expected no errors, found ${answer.slice(0, 300)}`);
  const marks = new Set(numbers(answer, /\bg(\d+)\b/g));
  const [generation] = marks;
  if (generation === undefined || marks.size > 1) {
    throw new Error(`expected one generation, found ${[...marks].join(' and ')}: ${answer.slice(0, 300)}`);
  }
  const totals = numbers(answer, /"totalCount":(\d+)/g);
  if (totals.some((total) => total !== totalOf(generation))) {
    throw new Error(`expected the total ${totalOf(generation)} of g${generation}, found ${totals.join()}`);
  }
  // Each event has one venue, one organizer and one category.
  const hits = sumOf(numbers(answer, /"hits":(\d+)/g));
  if (hits !== 0 && hits !== 3 * sumOf(totals)) {
    throw new Error(`expected facets that add up to ${3 * sumOf(totals)}, found ${hits}`);
  }
  return generation;
}

const FACETS = 'venues { name hits } organizers { name hits } categories { name_nb hits }';

/** Queries whose connections contain all events, with all facets or none. */
export const QUESTIONS: readonly ((turn: number) => string)[] = [
  (turn) => `{ events(page: ${turn % 3}, pageSize: ${1 + (turn % 17)}) {
    totalCount hasMore pageInfo { totalPages } ${FACETS}
    data { id title_nb startDate tags venue { name } organizers { name } repetitions { startDate venue { name } } } } }`,
  (turn) => `{ events(pageSize: ${1 + (turn % 7)}, filter: { searchTerm: "konsert elva" }) {
    totalCount ${FACETS} data { title_nb } } }`,
  (turn) => `{ events(pageSize: ${1 + (turn % 7)}, filter: { searchTerm: "konsret" }) {
    totalCount ${FACETS} data { title_nb desc_nb } } }`,
  (turn) => `{ eventByID(eventID: "e${turn % LEAST}") { title_nb venue { name } }
    eventBySlug(eventSlug: "konsert-${turn % 7}") { title_nb }
    eventsBySlugs(eventsSlugs: ["konsert-1", "konsert-${turn % 5}", "nowhere"]) { title_nb organizers { name } }
    eventByTitle(title: "Concert ${turn % LEAST}", lan: "en") { title_nb } }`,
  () => `{ categories { name_nb name_en } venues { name } organizers { name } allUpcomingSuperEvents { title_nb }
    allUpcomingEventsInArea(minLatitude: 63, maxLatitude: 64, minLongitude: 10, maxLongitude: 11) { title_nb venue { name } } }`,
  (turn) => `{ first: events(pageSize: 2) { totalCount data { title_nb } ${FACETS} }
    more: events(page: 1, pageSize: ${2 + (turn % 9)}, filter: { searchTerm: "kveld" }) { totalCount data { title_nb } ${FACETS} }
    eventByID(eventID: "e1") { title_nb } categories { name_nb } venues { name } }`,
];

function numbers(text: string, pattern: RegExp): readonly number[] {
  return Array.from(text.matchAll(pattern), ([, digits]) => Number(digits));
}
