/** Mirrors another endpoint of this interface: its directories, its taxonomy and all of its events. */
import { writeFile } from 'node:fs/promises';
import * as z from 'zod';
import { isObject, type JsonObject } from '../../../src/calendar/json.ts';
import { lastSegment } from '../../materialise/directories.ts';
import { shorten } from '../../records.ts';
import { createCollector } from './collector.ts';
import { type Categories, createCategories } from './config.ts';
import { FeedProblem } from './health.ts';
import { asProblem, createEndpoint, type Endpoint, QueryRefused } from './mirror/endpoint.ts';
import {
  categoryOf,
  createDirectories,
  type EventContext,
  endedContainer,
  eventOf,
  type Inferred,
  listOf,
} from './mirror/records.ts';
import {
  CATEGORY,
  DAY_OF_EVENT,
  type EndpointSchema,
  EVENT,
  INTROSPECTION,
  interfaceSchema,
  ONLY_ID,
  ORGANIZER,
  QUERY,
  readSchema,
  VENUE,
  type Wanted,
} from './mirror/schema.ts';
import type { Imported, Importer, ImportRequest } from './refresh.ts';
import { type FeedRecord, sliceLine } from './slice.ts';

export const importMirror: Importer = async (request) => {
  const endpoint = createEndpoint(request);
  try {
    if (request.known !== null && (await endpoint.isUnchanged(request.known.validators))) return null;
    const remote = { endpoint, schema: await schemaOf(endpoint) };
    return await mirror(remote, request);
  } catch (thrown) {
    throw asProblem(thrown);
  } finally {
    endpoint.close();
  }
};

interface Remote {
  readonly endpoint: Endpoint;
  readonly schema: EndpointSchema;
}

type Add = (record: FeedRecord) => FeedRecord | null;

async function mirror(remote: Remote, { feed, place, config, draft }: ImportRequest): Promise<Imported> {
  const { endpoint, schema } = remote;
  const lines: string[] = [];
  const { addFinding, add, end } = createCollector((line) => void lines.push(sliceLine(line)));
  const idOf = (id: string) => (feed.keepIds ? id : `${feed.id}:${id}`);
  const directories = createDirectories({ idOf, addFinding });
  for (const venue of await readList(remote, 'venues', VENUE)) directories.venue(venue);
  for (const organizer of await readList(remote, 'organizers', ORGANIZER)) directories.organizer(organizer);
  const categories = createCategories(feed);
  for (const category of await readList(remote, 'categories', CATEGORY)) {
    const record = categoryOf(category, addFinding);
    if (isUnmapped(record.value, categories)) add(record);
  }
  const inferred = await readInferred(remote);
  const { defaults } = feed;
  const context = { directories, categories, defaults, idOf, addFinding, inferred };
  const ofAll = schema.filters('groupRepetitionsByDay') ? { groupRepetitionsByDay: false } : {};
  const filter = schema.takes('events', 'filter') ? ofAll : null;
  const answers = await readEvents(remote, { wanted: EVENT, filter, keyOf: remoteId });
  const events = addEvents(answers, context, add);
  for (const record of directories.records()) add(record);
  const counts = end({ entries: answers.length, events, merged: 0 });
  lines.push(sliceLine({ list: 'end', counts, isComplete: true, place, config }));
  await writeFile(draft, lines, { flush: true });
  return { source: null, bytes: endpoint.bytes(), validators: endpoint.validators() };
}

/** Returns the number of accepted events. Containers that only their programme still names follow the events. */
function addEvents(answers: readonly JsonObject[], context: EventContext, add: Add): number {
  const ids = new Set(answers.map((answer) => context.idOf(remoteId(answer))));
  const ended = new Set<string>();
  let events = 0;
  for (const answer of byClaimToSlug(answers)) {
    const event = eventOf(answer, context);
    if (add(event) === null) continue;
    events++;
    const { super_event: container } = event.value;
    if (typeof container === 'string' && !ids.has(container)) ended.add(container);
  }
  for (const container of ended) add(endedContainer(container));
  return events;
}

function remoteId({ id }: JsonObject): string {
  return String(id);
}

async function schemaOf(endpoint: Endpoint): Promise<EndpointSchema> {
  try {
    return readSchema(await endpoint.ask(INTROSPECTION)) ?? interfaceSchema();
  } catch (thrown) {
    if (thrown instanceof QueryRefused) return interfaceSchema();
    throw thrown;
  }
}

async function readList(
  { endpoint, schema }: Remote,
  field: string,
  wanted: Wanted,
): Promise<readonly unknown[]> {
  const type = schema.typeOf(QUERY, field);
  if (type === null) return [];
  const data = await endpoint.ask(`{ ${field} ${schema.selection(type, wanted)} }`);
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
function byClaimToSlug(answers: readonly JsonObject[]): readonly JsonObject[] {
  return answers
    .map((answer) => ({ answer, ...claimOf(answer) }))
    .sort(
      (left, right) =>
        left.rank - right.rank ||
        left.slug.length - right.slug.length ||
        (left.slug < right.slug ? -1 : left.slug > right.slug ? 1 : 0),
    )
    .map(({ answer }) => answer);
}

function claimOf({ event_slug, eventLink }: JsonObject) {
  const isOwn = typeof eventLink !== 'string' || lastSegment(eventLink) === event_slug;
  return { rank: isOwn ? 0 : 1, slug: String(event_slug) };
}

interface PageQuery {
  readonly wanted: Wanted;
  /** Null if the endpoint takes none. */
  readonly filter: Readonly<Record<string, boolean | string>> | null;
  readonly keyOf: (entry: JsonObject) => string;
}

const MOST_READINGS = 4;
const PAGE_SIZES = [500, 250, 100, 50, 25, 10] as const;

/** All events as they are at one moment, in the endpoint's order. */
async function readEvents(remote: Remote, query: PageQuery): Promise<readonly JsonObject[]> {
  let sizes: readonly number[] = PAGE_SIZES;
  let changed = '';
  for (let reading = 1; reading <= MOST_READINGS; ) {
    const [pageSize = 10, ...smaller] = sizes;
    try {
      const read = await readOnce(remote, { ...query, pageSize });
      if ('events' in read) return read.events;
      changed = read.changed;
      reading++;
    } catch (thrown) {
      if (smaller.length === 0 || !isTooMuch(thrown)) throw thrown;
      sizes = smaller;
    }
  }
  const message = `expected the list to stay as it is while it is read, found it changed in ${MOST_READINGS} readings, at last by ${changed}`;
  throw new FeedProblem('changing while read', message);
}

interface SizedQuery extends PageQuery {
  readonly pageSize: number;
}

type Reading = { readonly events: readonly JsonObject[] } | { readonly changed: string };

async function readOnce({ endpoint, schema }: Remote, query: SizedQuery): Promise<Reading> {
  const { filter, pageSize, keyOf } = query;
  const selection = schema.selection('Event', query.wanted);
  const fields = Object.entries(filter ?? {}).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const filterText = filter === null ? '' : `filter: { ${fields.join(', ')} }, `;
  const events = new Map<string, JsonObject>();
  let total: number | null = null;
  for (let page = 0; ; page++) {
    const changed = (how: string) => ({ changed: `page ${page}, which ${how}` });
    const { totalCount, hasMore, data } = readPage(
      await endpoint.ask(
        `{ events(${filterText}page: ${page}, pageSize: ${pageSize}) { totalCount hasMore data ${selection} } }`,
      ),
    );
    if (total !== null && total !== totalCount)
      return changed(`counts ${totalCount} events in place of ${total}`);
    total = totalCount;
    for (const entry of data) {
      const key = keyOf(entry);
      if (events.has(key)) return changed(`brings ${shorten(key)} again`);
      events.set(key, entry);
    }
    if (events.size > total) return changed(`brings more events than the ${total} that are counted`);
    if (!hasMore && events.size < total)
      return changed(`is the last after ${events.size} events of the ${total} that are counted`);
    if (!hasMore) return { events: [...events.values()] };
    if (data.length === 0)
      throw new FeedProblem('unreadable answer', `page ${page}: expected events, found none`);
  }
}

const pageSchema = z.object({
  events: z.object({
    totalCount: z.int(),
    hasMore: z.boolean(),
    data: z.array(z.record(z.string(), z.unknown())),
  }),
});

function readPage(data: JsonObject): z.output<typeof pageSchema>['events'] {
  const parsed = pageSchema.safeParse(data);
  if (parsed.success) return parsed.data.events;
  const [issue] = parsed.error.issues;
  throw new FeedProblem('unreadable answer', `${issue?.path.join('.')}: ${issue?.message}`);
}

/** Smaller pages may succeed. */
function isTooMuch(thrown: unknown): boolean {
  if (thrown instanceof QueryRefused) return true;
  if (!(thrown instanceof FeedProblem) || thrown.retryAfter !== null) return false;
  return ['time limit', 'size limit', 'HTTP status'].includes(thrown.reason);
}

/** Facts about events from other lists and filters, besides their own fields. */
async function readInferred(remote: Remote): Promise<Inferred> {
  const { endpoint, schema } = remote;
  const fields = new Map<string, JsonObject>();
  const note = (id: string, more: JsonObject) => fields.set(id, { ...fields.get(id), ...more });
  const has = (field: string) => schema.has('Event', field);
  const idsBy = async (filter: PageQuery['filter']) =>
    (await readEvents(remote, { wanted: ONLY_ID, filter, keyOf: remoteId })).map(remoteId);
  if (schema.filters('onlyFeaturedSpecialEvent')) {
    for (const id of await idsBy({ onlyFeaturedSpecialEvent: true }))
      note(id, { isFeaturedInSpecialEvent: true });
  }
  if (!has('isFeaturedEvent') && schema.filters('onlyFeatured')) {
    for (const id of await idsBy({ onlyFeatured: true })) note(id, { isFeaturedEvent: true });
  }
  if (schema.has(QUERY, 'allUpcomingSuperEvents') && !(has('isSuperEvent') && has('super_event'))) {
    const { allUpcomingSuperEvents } = await endpoint.ask('{ allUpcomingSuperEvents { id } }');
    for (const container of listOf(allUpcomingSuperEvents)) {
      if (!isObject(container) || typeof container.id !== 'string') continue;
      note(container.id, { isSuperEvent: true });
      if (!schema.filters('superEvent') || container.id.length > LONGEST_ID) continue;
      for (const id of await idsBy({ superEvent: container.id })) note(id, { super_event: container.id });
    }
  }
  const days = await readDays(remote);
  return { fieldsOf: (id) => fields.get(id) ?? {}, dayOf: (id, start) => days.get(`${id} ${start}`) };
}

/** Longer ids are not real, and would be repeated in thousands of queries. */
const LONGEST_ID = 256;

/** With days as entries, each later date shows whether it is cancelled, sold out or elsewhere. */
async function readDays(remote: Remote): Promise<ReadonlyMap<string, JsonObject>> {
  const { schema } = remote;
  const repetition = schema.typeOf('Event', 'repetitions') ?? '';
  const isShown = ['eventCancelled', 'eventSoldOut', 'ticketsURL'].every((field) =>
    schema.has(repetition, field),
  );
  if (isShown || !schema.filters('groupRepetitionsByDay')) return new Map();
  const filter = { groupRepetitionsByDay: true };
  const days = await readEvents(remote, { wanted: DAY_OF_EVENT, filter, keyOf: dayKey });
  return new Map(days.map((day) => [dayKey(day), day]));
}

function dayKey({ id, startDate }: JsonObject): string {
  return `${String(id)} ${String(startDate)}`;
}
