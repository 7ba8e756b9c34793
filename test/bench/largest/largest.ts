/**
 * `npm run bench -- --largest`: what each argument and root field costs at its largest, in one field and in a request of 20 of them, as a
 * multiple of an ordinary page that is measured beside it.
 */
import { ALMANAKK_PATH, type Served, startAlmanakk } from '../processes.ts';
import { commitOf, provenanceTable } from '../provenance.ts';
import { byVariables, differentFilters, mixed, type Question, readDirectories } from '../questions.ts';
import { median } from '../rounds.ts';
import type { Startable } from '../stand.ts';
import { figure, markdownTable, type Range, rangeOf, rangeText, thousands } from '../tables.ts';
import { CASES, type Known, type LargestCase } from './cases.ts';

export interface LargestOptions {
  /** The almanakk that is measured and, if there is one, that of another commit, each with its own build of the same calendar. */
  readonly servers: readonly Startable[];
  readonly rounds: number;
  readonly command: string;
  readonly say: (what: string) => void;
}

/** D2: root fields of a request. */
const MOST_FIELDS = 20;
/** Pages that a server answers before anything is measured, and in each measurement of a page. */
const WARM_UP = 1_000;
const PAGES = 150;
/** The goal for a request of so many fields, in ordinary pages. */
const MOST_PAGES = 20;
/** The number of events in an answer that may cost one page more. */
const EVENTS_PER_PAGE = 500;

export async function tableOfLargest({ servers, rounds, command, say }: LargestOptions): Promise<string> {
  const measured: (readonly Costs[])[] = [];
  for (const one of servers) {
    say(`asking ${one.dist}`);
    measured.push(await measureAll(one, rounds, say));
  }
  const [costs = [], otherCosts = []] = measured;
  const [first, other] = servers;
  if (first === undefined) throw new Error('expected a server to measure, found none');
  const runs = `medians of ${rounds}, with the lowest and highest`;
  return `# Arguments and root fields at their maximum

${provenanceTable({ command, dist: first.dist, otherDist: other?.dist, runs })}

${thousands(first.built.events)} events in ${thousands(first.built.occurrences)} occurrences. Each figure is the server's CPU time as a multiple of an ordinary page: ten events, the totals and three
facets, with a filter that no earlier request used. All fields differ, so no cache has a result for them.

${verdictOf(costs)}

${other === undefined ? tableOf(costs) : comparison({ costs, otherCosts, names: [commitOf(first.dist), commitOf(other.dist)] })}
`;
}

function verdictOf(costs: readonly Costs[]): string {
  const met = costs.filter(isWithin);
  const [costliest] = [...costs].sort((left, right) => right.twenty / right.most - left.twenty / left.most);
  const worst = costliest === undefined ? 'nothing' : `${costliest.name}, ${costliest.how}`;
  return `A request of ${MOST_FIELDS} fields may cost ${MOST_PAGES} pages, and one more for every ${EVENTS_PER_PAGE} events in its answer. ${met.length} of ${costs.length} met this.
The one that is nearest to its limit, or furthest above it, is "${worst}".`;
}

const isWithin = ({ twenty, most }: Costs): boolean => twenty <= most;

const FIRST_COLUMNS = ['argument or field', 'value'];

function tableOf(costs: readonly Costs[]): string {
  return markdownTable(
    [...FIRST_COLUMNS, 'one field', '20 fields', 'lowest–highest', 'at most', 'milliseconds', 'KB'],
    costs.map((row) => [
      row.name,
      row.how,
      figure(row.one),
      isWithin(row) ? figure(row.twenty) : `**${figure(row.twenty)}**`,
      rangeText(row.twentyRange),
      figure(row.most),
      figure(row.milliseconds),
      figure(row.kilobytes),
    ]),
    FIRST_COLUMNS.length,
  );
}

interface Compared {
  readonly costs: readonly Costs[];
  readonly otherCosts: readonly Costs[];
  /** Of the two builds. */
  readonly names: readonly [measured: string, other: string];
}

function comparison({ costs, otherCosts, names }: Compared): string {
  return markdownTable(
    [
      ...FIRST_COLUMNS,
      ...names.map((name) => `one field, ${name}`),
      ...names.map((name) => `20 fields, ${name}`),
    ],
    costs.map((row, place) => {
      const other = otherCosts[place];
      return [
        row.name,
        row.how,
        figure(row.one),
        figure(other?.one ?? Number.NaN),
        figure(row.twenty),
        figure(other?.twenty ?? Number.NaN),
      ];
    }),
    FIRST_COLUMNS.length,
  );
}

/** As multiples of an ordinary page. */
interface Costs extends Pick<LargestCase, 'name' | 'how'> {
  readonly one: number;
  readonly twenty: number;
  readonly twentyRange: Range;
  /** The highest cost of 20 fields that meets the goal. */
  readonly most: number;
  readonly milliseconds: number;
  readonly kilobytes: number;
}

async function measureAll(
  { dist, built }: Startable,
  rounds: number,
  say: (what: string) => void,
): Promise<readonly Costs[]> {
  const server = await startAlmanakk({ dist, folder: built.folder });
  try {
    const known = await readKnown(server.port);
    const pages = differentFilters(mixed, await readDirectories(server.port), 7);
    const page = () => byVariables(pages.next().value);
    await measure(server, page, WARM_UP);
    const costs: Costs[] = [];
    for (const one of CASES) {
      const cost = await costOf(one, { server, known, page, rounds });
      say(`${one.name}, ${one.how}: ${figure(cost.twenty)} pages`);
      costs.push(cost);
    }
    return costs;
  } finally {
    await server.stop();
  }
}

interface Asking {
  readonly server: Served;
  readonly known: Known;
  /** An ordinary page, another one each time. */
  readonly page: () => Question;
  readonly rounds: number;
}

async function costOf(one: LargestCase, { server, known, page, rounds }: Asking): Promise<Costs> {
  const pages: number[] = [];
  const singles: number[] = [];
  const twenties: number[] = [];
  let bytes = 0;
  for (let round = 0; round < rounds; round++) {
    pages.push((await measure(server, page, PAGES)).cpu);
    singles.push((await measure(server, () => requestOf(one, known, 1))).cpu);
    const twenty = await measure(server, () => requestOf(one, known, MOST_FIELDS));
    twenties.push(twenty.cpu);
    bytes = twenty.bytes;
  }
  const ordinary = median(pages);
  const [lowest, highest] = rangeOf(twenties);
  return {
    name: one.name,
    how: one.how,
    one: median(singles) / ordinary,
    twenty: median(twenties) / ordinary,
    twentyRange: [lowest / ordinary, highest / ordinary],
    most: MOST_PAGES + (MOST_FIELDS * (one.events ?? 0)) / EVENTS_PER_PAGE,
    milliseconds: median(twenties) / 1_000,
    kilobytes: bytes / 1e3,
  };
}

let asked = 0;

function requestOf({ field, list }: LargestCase, known: Known, count: number): Question {
  const fields = Array.from({ length: count }, (_, at) => `a${at}: ${field(asked++, known)}`);
  const declared = list === undefined ? [] : LIST_TYPES.filter(([name]) => fields[0]?.includes(name));
  const head = declared.map(([name, type]) => `${name}: ${type}`).join(', ');
  return {
    query: `query Largest${asked} ${head === '' ? '' : `(${head}) `}{ ${fields.join(' ')} }`,
    ...(list !== undefined && {
      variables: Object.fromEntries(declared.map(([name]) => [name.slice(1), list(known)])),
    }),
  };
}

const LIST_TYPES = [
  ['$list', '[String]'],
  ['$names', '[String!]'],
  ['$slugs', '[String]!'],
] as const;

/** Microseconds of CPU in which a figure is steady. */
const ENOUGH = 150_000;

/** Asks until it has cost enough. */
async function measure(server: Served, next: () => Question, least = 2) {
  let count = 0;
  let bytes = 0;
  await ask(server.port, next());
  const before = (await server.usage()).cpu;
  let spent = 0;
  while (count < least || spent < ENOUGH) {
    for (let more = Math.max(1, Math.min(count, least)); more > 0; more--) {
      bytes += await ask(server.port, next());
      count++;
    }
    spent = (await server.usage()).cpu - before;
  }
  return { cpu: spent / count, bytes: bytes / count };
}

async function ask(port: number, question: Question): Promise<number> {
  return (await answerTo(port, question)).length;
}

async function answerTo(port: number, question: Question): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${ALMANAKK_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  const text = await response.text();
  if (!text.startsWith('{"data":{') || text.includes('"errors":'))
    throw new Error(
      `expected data, found ${text.slice(0, 1_000)} for ${JSON.stringify(question).slice(0, 2_000)}`,
    );
  return text;
}

const KNOWN = `{
  one: events(pageSize: 1000) { data { ...E } tags { tag } municipalities { name } }
  two: events(pageSize: 1000, page: 1) { data { ...E } }
  venues { slug postalCode } organizers { slug } categories { id subcategories { id } }
  allUpcomingSuperEvents { id } calendar { snapshot { id } }
} fragment E on Event { id event_slug title_nb }`;

async function readKnown(port: number): Promise<Known> {
  const { data }: KnownAnswer = JSON.parse(await answerTo(port, { query: KNOWN }));
  const events = [...data.one.data, ...data.two.data];
  return {
    ids: events.map(({ id }) => id),
    slugs: events.map(({ event_slug }) => event_slug),
    titles: events.map(({ title_nb }) => title_nb),
    venues: data.venues.map(({ slug }) => slug),
    organizers: data.organizers.map(({ slug }) => slug),
    categories: data.categories.flatMap(({ id, subcategories }) => [
      id,
      ...subcategories.map((sub) => sub.id),
    ]),
    municipalities: data.one.municipalities.map(({ name }) => name),
    postalCodes: data.venues.flatMap(({ postalCode }) => postalCode ?? []),
    tags: data.one.tags.map(({ tag }) => tag),
    containers: data.allUpcomingSuperEvents.map(({ id }) => id),
    snapshot: data.calendar.snapshot.id,
  };
}

interface Identified {
  readonly id: string;
}

interface Page {
  readonly data: readonly (Identified & { readonly event_slug: string; readonly title_nb: string })[];
}

interface KnownAnswer {
  readonly data: {
    readonly one: Page & {
      readonly tags: readonly { readonly tag: string }[];
      readonly municipalities: readonly { readonly name: string }[];
    };
    readonly two: Page;
    readonly venues: readonly { readonly slug: string; readonly postalCode: string | null }[];
    readonly organizers: readonly { readonly slug: string }[];
    readonly categories: readonly (Identified & { readonly subcategories: readonly Identified[] })[];
    readonly allUpcomingSuperEvents: readonly Identified[];
    readonly calendar: { readonly snapshot: Identified };
  };
}
