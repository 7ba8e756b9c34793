/** Mirrors another endpoint of this interface: its directories, its taxonomy and all of its events. */
import { writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { excerpt, shorten } from '../../records.ts';
import { slugOfLink } from '../../slug-ledger.ts';
import { fieldName, valueAt } from '../../validate/salvage.ts';
import type { Categories } from './categories.ts';
import { createCollector } from './collector.ts';
import { FeedProblem } from './health.ts';
import { type FeedLine, type FeedRecord, feedLine } from './last-good.ts';
import { createEndpoint, type Endpoint, QueryRefused } from './mirror/endpoint.ts';
import {
  BASE_DAY,
  BASE_SELECTIONS,
  OWN_SELECTIONS,
  RELEASED_SELECTIONS,
  type Selections,
} from './mirror/forms.ts';
import {
  categoryOf,
  createDirectories,
  endedContainer,
  eventOfAnswer,
  type Inferred,
  listOf,
} from './mirror/records.ts';
import type { Imported, Importer, ImportRequest } from './refresh.ts';

export const importMirror: Importer = async (request) => {
  const endpoint = createEndpoint(request);
  try {
    if (request.lastState !== null && (await endpoint.isUnchanged(request.lastState.validators))) return null;
    return await mirror(endpoint, await formOf(endpoint), request);
  } finally {
    endpoint.close();
  }
};

async function mirror(endpoint: Endpoint, selections: Selections, request: ImportRequest): Promise<Imported> {
  const { feed, draft } = request;
  const lines: string[] = [];
  const emit = (line: FeedLine) => void lines.push(feedLine(line));
  const { addFinding, add, addEvent, end, categories } = createCollector(feed, request, emit);
  const idOf = (id: string) => (feed.keepIds ? id : `${feed.id}:${id}`);
  const directories = createDirectories({ idOf });
  for (const venue of await readList(endpoint, 'venues', selections.venue)) directories.venue(venue);
  for (const organizer of await readList(endpoint, 'organizers', selections.organizer))
    directories.organizer(organizer);
  for (const category of await readList(endpoint, 'categories', selections.category)) {
    const record = categoryOf(category, addFinding);
    if (record !== null && isUnmapped(record.value, categories)) add(record);
  }
  const inferred = await readInferred(endpoint, selections);
  const context = { feed, now: request.now, directories, categories, idOf, inferred };
  const answers = await readEvents(endpoint, { selection: selections.event, filter: '', keyOf: remoteId });
  const ids = new Set(answers.map((answer) => idOf(remoteId(answer))));
  const ended = new Set<string>();
  for (const answer of answers.toSorted(byClaimToSlug)) {
    const record = eventOfAnswer(answer, context);
    const { super_event: container } = record.value;
    const isThere = addEvent({ record, merged: 0 });
    if (isThere && typeof container === 'string' && !ids.has(container)) ended.add(container);
  }
  // Only their programme still names them.
  for (const container of ended) add(endedContainer(container));
  for (const record of directories.records()) add(record);
  lines.push(feedLine({ list: 'end', ...end(answers.length), isComplete: true }));
  await writeFile(draft, lines, { flush: true });
  return { source: null, bytes: endpoint.bytes(), validators: endpoint.validators() };
}

const remoteId = ({ id }: JsonObject) => String(id);

/** The largest selections that the endpoint accepts. Throws QueryRefused if it refuses them for another reason than fields that it lacks. */
async function formOf(endpoint: Endpoint): Promise<Selections> {
  for (const selections of [OWN_SELECTIONS, RELEASED_SELECTIONS]) {
    try {
      await endpoint.ask(pageQuery({ selection: selections.event, filter: '' }, 0, 1));
      return selections;
    } catch (thrown) {
      if (!(thrown instanceof QueryRefused && thrown.isOfFields)) throw thrown;
    }
  }
  return BASE_SELECTIONS;
}

async function readList(endpoint: Endpoint, field: string, selection: string): Promise<readonly unknown[]> {
  const data = await endpoint.ask(`{ ${field} ${selection} }`);
  return listOf(data[field]);
}

/** A category that the feed's map translates is not imported. */
function isUnmapped({ id }: FeedRecord['value'], { translate }: Categories): boolean {
  return typeof id === 'string' && translate([id]).includes(id);
}

/**
 * The endpoint made its slugs unique in the order of its source, which is unknown here: first come those without a number in their link,
 * then those with one.
 */
function byClaimToSlug(left: JsonObject, right: JsonObject): number {
  return claimOf(left) < claimOf(right) ? -1 : 1;
}

function claimOf({ event_slug, eventLink }: JsonObject): string {
  const slug = String(event_slug);
  const isOwn = typeof eventLink !== 'string' || slugOfLink(eventLink, slug) === slug;
  return `${isOwn ? 0 : 1} ${String(slug.length).padStart(6, '0')} ${slug}`;
}

interface PageQuery {
  /** Fields of an entry, in braces. */
  readonly selection: string;
  /** The filter's fields; empty for all events. */
  readonly filter: string;
  readonly keyOf: (entry: JsonObject) => string;
}

function pageQuery({ selection, filter }: Omit<PageQuery, 'keyOf'>, page: number, pageSize: number): string {
  const filtered = filter === '' ? '' : `filter: { ${filter} }, `;
  return `{ events(${filtered}page: ${page}, pageSize: ${pageSize}) { totalCount hasMore data ${selection} } }`;
}

const PAGE_SIZES = [500, 250, 100, 50, 25, 10] as const;

/** All events as they are at one moment, in the endpoint's order, on pages of a size that it does not refuse. */
async function readEvents(endpoint: Endpoint, query: PageQuery): Promise<readonly JsonObject[]> {
  for (let smaller = 0; ; smaller++) {
    try {
      return await readPages(endpoint, query, PAGE_SIZES[smaller] ?? 10);
    } catch (thrown) {
      if (smaller >= PAGE_SIZES.length - 1 || !isTooMuch(thrown)) throw thrown;
    }
  }
}

async function readPages(endpoint: Endpoint, query: PageQuery, pageSize: number) {
  const events = new Map<string, JsonObject>();
  let total: number | null = null;
  for (let page = 0; ; page++) {
    const refuse = (how: string) => {
      const expected = 'expected the list to stay as it is while it is read';
      throw new FeedProblem('changing while read', `${expected}, found page ${page}, which ${how}`);
    };
    const { totalCount, hasMore, data } = readPage(await endpoint.ask(pageQuery(query, page, pageSize)));
    if (total !== null && total !== totalCount) refuse(`counts ${totalCount} events in place of ${total}`);
    total = totalCount;
    for (const entry of data) {
      const key = query.keyOf(entry);
      if (events.has(key)) refuse(`brings ${shorten(key)} again`);
      events.set(key, entry);
    }
    if (events.size > total) refuse(`brings more events than the ${total} that are counted`);
    if (!hasMore && events.size < total)
      refuse(`is the last after ${events.size} events of the ${total} that are counted`);
    if (!hasMore) return [...events.values()];
    if (data.length === 0)
      throw new FeedProblem('unreadable answer', `page ${page}: expected events, found none`);
  }
}

const ID = 'expected an id';
const pageSchema = z.object({
  events: z.object({
    totalCount: z.int(),
    hasMore: z.boolean(),
    data: z.array(z.looseObject({ id: z.union([z.string().min(1, ID), z.number()], ID) })),
  }),
});

function readPage(data: JsonObject): z.output<typeof pageSchema>['events'] {
  const parsed = pageSchema.safeParse(data);
  if (parsed.success) return parsed.data.events;
  const [issue] = parsed.error.issues;
  const path = issue?.path ?? [];
  const found = excerpt(valueAt(data, path));
  throw new FeedProblem('unreadable answer', `${fieldName(path)}: ${issue?.message}, found ${found}`);
}

/** Smaller pages may succeed. */
function isTooMuch(thrown: unknown): boolean {
  if (thrown instanceof QueryRefused) return true;
  if (!(thrown instanceof FeedProblem) || thrown.retryAfter !== null) return false;
  return ['time limit', 'size limit', 'HTTP status'].includes(thrown.reason);
}

/** Facts about events from other lists and filters, besides their own fields. */
async function readInferred(endpoint: Endpoint, selections: Selections): Promise<Inferred> {
  const fields = new Map<string, JsonObject>();
  const note = (id: string, more: JsonObject) => fields.set(id, { ...fields.get(id), ...more });
  const noteAll = async (filter: string, more: JsonObject) => {
    const query = { selection: '{ id }', filter, keyOf: remoteId };
    for (const entry of await readEvents(endpoint, query)) note(remoteId(entry), more);
  };
  await noteAll('onlyFeaturedSpecialEvent: true', { isFeaturedInSpecialEvent: true });
  const days = new Map<string, JsonObject>();
  if (selections === BASE_SELECTIONS) {
    await noteAll('onlyFeatured: true', { isFeaturedEvent: true });
    for (const container of await readList(endpoint, 'allUpcomingSuperEvents', '{ id }')) {
      if (!isObject(container) || typeof container.id !== 'string') continue;
      const { id } = container;
      note(id, { isSuperEvent: true });
      if (id.length <= LONGEST_ID) await noteAll(`superEvent: ${JSON.stringify(id)}`, { super_event: id });
    }
    const query = { selection: BASE_DAY, filter: 'groupRepetitionsByDay: true', keyOf: dayKey };
    for (const day of await readEvents(endpoint, query)) days.set(dayKey(day), day);
  }
  return { fieldsOf: (id) => fields.get(id) ?? {}, dayOf: (id, start) => days.get(`${id} ${start}`) };
}

/** Longer ids are not real, and would be repeated in thousands of queries. */
const LONGEST_ID = 256;

function dayKey({ id, startDate }: JsonObject): string {
  return `${String(id)} ${String(startDate)}`;
}
