/** The questions of the benchmark: one that is repeated, and others that all differ. */
import { type Random, seeded } from '../helpers/random.ts';
import { ALMANAKK_PATH } from './processes.ts';
import { CATEGORY_IDS, compound, pick, skewed } from './source/taxonomy.ts';
import words from './source/words.json' with { type: 'json' };

export interface Question {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The values of random filters, read from the server itself. */
export interface Directories {
  readonly venues: readonly string[];
  readonly organizers: readonly string[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A list page of a front end: ten events, the totals and three facets. */
const PAGE = `totalCount hasMore pageInfo { currentPage pageSize totalPages }
  data {
    id event_slug title_nb title_en desc_nb startDate endDate startTime duration mode categories tags
    ticketsInformation ticketsURL eventCancelled eventSoldOut
    venue { id name slug } organizers { id name } images { urlSmall alt focusX focusY } prices { type price }
    repetitions { startDate venue { name } }
  }`;
const FACETS = `venues { slug name hits } organizers { slug name hits } categories { id name_nb hits }`;

export type Filter = Readonly<Record<string, unknown>>;
export type Ask = (filter: Filter) => Question;

const asked = (selection: string) => (filter: Filter) => ({
  query: `query Upcoming($filter: Filter, $page: Int, $pageSize: Int) {
  events(filter: $filter, page: $page, pageSize: $pageSize) { ${selection} } }`,
  variables: { filter, page: 0, pageSize: 10 },
});

export const byVariables: Ask = asked(`${PAGE} ${FACETS}`);
export const withoutFacets: Ask = asked(PAGE);
/** The same with the values in the document, as in programs that concatenate strings. */
export const byLiterals: Ask = (filter) => ({
  query: `query Upcoming { events(filter: ${literal(filter)}, page: 0, pageSize: 10) { ${PAGE} ${FACETS} } }`,
});

/** The repeated question: the concerts of some days. */
export function repeated({ now }: Pick<Directories, 'now'>): Question {
  const from = now + 20 * DAY;
  return byVariables({ categories: ['MUSIC'], fromDate: day(from), untilDate: day(from + 4 * DAY) });
}

/** Endless questions, all different: half by variables, half by literals; a quarter are searches. */
export function differentQuestions(
  directories: Directories,
  seeds: { readonly filters: number; readonly terms: number },
): () => Question {
  const filters = differentFilters(mixed, directories, seeds.filters);
  const terms = differentFilters(literalTerm, directories, seeds.terms);
  let nth = 0;
  return () => {
    nth++;
    const filter = (nth % 4 === 3 ? terms : filters).next().value;
    return (nth % 2 === 0 ? byVariables : byLiterals)(filter);
  };
}

export type MakeFilter = (random: Random, directories: Directories) => Filter;

/** Endless filters, all different. */
export function* differentFilters(
  make: MakeFilter,
  directories: Directories,
  seed: number,
): Generator<Filter> {
  const random = seeded(seed);
  const known = new Set<string>();
  for (;;) {
    const filter = make(random, directories);
    const key = JSON.stringify(filter);
    if (known.has(key)) continue;
    known.add(key);
    yield filter;
  }
}

/** Filters as front ends combine them: mostly a range of days and one or two more conditions. */
export const mixed: MakeFilter = (random, { venues, organizers, now }) => {
  const from = now + (2 + random(500)) * DAY;
  const some = (list: readonly string[], count: number) =>
    Array.from({ length: 1 + random(count) }, () => list[skewed(random, list.length)]);
  const parts: readonly (readonly [percent: number, part: () => Filter])[] = [
    [
      55,
      () => ({
        fromDate: day(from),
        ...(random(3) > 0 && { untilDate: day(from + (1 + random(90)) * DAY) }),
      }),
    ],
    [55, () => ({ categories: some(CATEGORY_IDS, 3) })],
    [20, () => ({ venues: some(venues, 3) })],
    [15, () => ({ organizers: some(organizers, 3) })],
    [10, () => ({ municipality: pick(random, words.places).municipality })],
    [10, () => ({ hoursRange: `${10 + random(8)}:00-${19 + random(5)}:30` })],
    [10, () => ({ notCategories: [pick(random, CATEGORY_IDS)] })],
    [10, () => ({ cancelledNotIncluded: true, soldOutNotIncluded: true })],
    [5, () => ({ postalCodes: [pick(random, words.places).postalCode] })],
    [3, () => ({ mode: 'offline' })],
    [3, () => ({ onlyFeatured: true })],
  ];
  const filter = Object.assign({}, ...parts.map(([percent, part]) => (random(100) < percent ? part() : {})));
  return Object.keys(filter).length === 0 ? { fromDate: day(from) } : filter;
};

/** Filters from a certain second on, as real clients send them: another one each time. */
export const momentary: MakeFilter = (random, directories) => {
  const from = directories.now + 2 * DAY + random(500 * 86_400) * 1_000;
  return { ...mixed(random, directories), fromDate: moment(from) };
};

/** A word of a title or a text, the beginning of one, or a name beside it. */
export const literalTerm: MakeFilter = (random) => {
  const word = compound(random).toLowerCase();
  const shown = random(2) === 0 ? word : word.slice(0, 4 + random(word.length - 3));
  return {
    searchTerm:
      random(3) === 0 ? shown : `${shown} ${pick(random, [...words.firstNames, ...words.lastNames])}`,
  };
};

/** The values for questions, from the calendar that is served on that port. */
export async function readDirectories(port: number): Promise<Directories> {
  const response = await fetch(`http://127.0.0.1:${port}${ALMANAKK_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ venues { slug } organizers { slug } }' }),
  });
  const { data, errors }: DirectoriesAnswer = JSON.parse(await response.text());
  if (data === undefined) throw new Error(`expected venues and organizers, found ${JSON.stringify(errors)}`);
  const slugs = (list: readonly Slugged[]) => list.map(({ slug }) => slug);
  return { venues: slugs(data.venues), organizers: slugs(data.organizers), now: Date.now() };
}

interface Slugged {
  readonly slug: string;
}

interface DirectoriesAnswer {
  readonly data?: { readonly venues: readonly Slugged[]; readonly organizers: readonly Slugged[] };
  readonly errors?: unknown;
}

const DAY = 86_400_000;

function day(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 10)} 00:00:00+01:00`;
}

function moment(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ')}+00:00`;
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, inner]) => `${name}: ${literal(inner)}`)
    .join(', ')}}`;
}
