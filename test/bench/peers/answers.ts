/** Compares the answers of all servers before they are measured: figures of different answers say nothing. */
import { ALMANAKK_PATH, type Served } from '../processes.ts';
import {
  byVariables,
  type Directories,
  differentFilters,
  type MakeFilter,
  type Question,
  withoutFacets,
} from '../questions.ts';

const SEED = 11;
const CHECKED = 10;

/** Throws if a peer answers otherwise than almanakk. */
export async function checkAnswers(
  servers: readonly Served[],
  make: MakeFilter,
  directories: Directories,
): Promise<void> {
  const filters = differentFilters(make, directories, SEED);
  for (let nth = 0; nth < CHECKED; nth++) {
    const filter = filters.next().value;
    // The second time, a cache may answer.
    for (const ask of [byVariables, byVariables, withoutFacets]) await compare(servers, ask(filter));
  }
}

async function compare(servers: readonly Served[], question: Question): Promise<void> {
  const [ours, ...theirs] = await Promise.all(servers.map(({ port }) => factsOf(port, question)));
  for (const [index, facts] of theirs.entries()) {
    if (facts === ours) continue;
    const asked = JSON.stringify(question.variables);
    throw new Error(`expected ${servers[index + 1]?.name} to answer ${asked} with ${ours}, found ${facts}`);
  }
}

interface Facet {
  readonly hits: number;
}

interface Page {
  readonly totalCount: number;
  readonly data: readonly { readonly startDate: string }[];
  readonly venues?: readonly Facet[];
  readonly organizers?: readonly Facet[];
  readonly categories?: readonly Facet[];
}

/** Answers have to agree in the total, the dates of the page and the counts of the facets. */
async function factsOf(port: number, question: Question): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}${ALMANAKK_PATH}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  const text = await response.text();
  const { data }: { readonly data?: { readonly events: Page } } = JSON.parse(text);
  if (data === undefined) throw new Error(`expected data, found ${text.slice(0, 1_000)}`);
  const { totalCount, data: events, venues, organizers, categories } = data.events;
  const facets = [venues, organizers, categories].map((facet) => facet?.map(({ hits }) => hits) ?? null);
  return JSON.stringify([totalCount, events.map(({ startDate }) => startDate.slice(0, 16)), facets]);
}
