/** Reads a calendar out of almanakk over HTTP, for the servers that are to hold the same records in memory. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Directories, Question } from './questions.ts';

const EVENT = `id event_slug title_nb title_en desc_nb startDate endDate startTime duration mode categories tags
  ticketsInformation ticketsURL eventCancelled eventSoldOut isFeaturedEvent
  venue { ...V } organizers { id name slug } images { urlSmall alt focusX focusY } prices { type price }
  repetitions { startDate endDate startTime duration ticketsURL eventCancelled eventSoldOut venue { ...V } }`;
const PAGE = `query($page: Int) { events(page: $page, pageSize: 500) { hasMore data { ${EVENT} } } }
  fragment V on Venue { id name slug postalCode municipality }`;
const DIRECTORIES = `{ venues { id name slug } organizers { id name slug }
  categories { id name_nb subcategories { id name_nb } } }`;

export interface DirectoriesData {
  readonly venues: readonly { readonly slug: string }[];
  readonly organizers: readonly { readonly slug: string }[];
}

/** Writes what `servers/memory.mjs` loads. */
export async function saveRecords(url: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const events: unknown[] = [];
  for (let page = 0, more = true; more; page++) {
    const { data } = await ask<EventsData>(url, { query: PAGE, variables: { page } });
    events.push(...data.events.data);
    more = data.events.hasMore;
  }
  writeFileSync(join(folder, 'events.json'), JSON.stringify(events));
  const { data } = await ask<DirectoriesData>(url, { query: DIRECTORIES });
  writeFileSync(join(folder, 'directories.json'), JSON.stringify(data));
  const schema = await fetch(new URL('/schema.graphql', url));
  writeFileSync(join(folder, 'schema.graphql'), await schema.text());
}

async function readDirectories(url: string): Promise<DirectoriesData> {
  return (await ask<DirectoriesData>(url, { query: DIRECTORIES })).data;
}

/** What questions are put together from. `now`: milliseconds since 1970. */
export async function readSlugs(url: string, now: number): Promise<Directories> {
  const slugs = (list: readonly { readonly slug: string }[]) => list.map(({ slug }) => slug);
  const { venues, organizers } = await readDirectories(url);
  return { venues: slugs(venues), organizers: slugs(organizers), now };
}

interface EventsData {
  readonly events: { readonly hasMore: boolean; readonly data: readonly unknown[] };
}

interface Answer<Data> {
  readonly data: Data;
  readonly errors?: unknown;
}

/** Throws when the answer has errors. */
export async function ask<Data>(url: string, question: Question): Promise<Answer<Data>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(question),
  });
  const answer: Answer<Data> = JSON.parse(await response.text());
  if (answer.errors === undefined) return answer;
  throw new Error(`${url}: ${JSON.stringify(answer.errors).slice(0, 500)} on ${JSON.stringify(question)}`);
}
