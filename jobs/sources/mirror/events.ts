/** All events of an endpoint as they are at one moment, and what can be inferred of them beside their own fields. */
import * as z from 'zod';
import { isObject } from '../../../src/calendar/json.ts';
import { FeedProblem } from '../../feed-health.ts';
import { shorten } from '../../records.ts';
import { asProblem, type Endpoint, type JsonObject, QueryRefused } from './endpoint.ts';
import { type Inferred, listOf } from './records.ts';
import { DAY_OF_EVENT, type EndpointSchema, ONLY_ID, QUERY } from './schema.ts';

interface PageQuery {
  /** Fields of an event, in braces. */
  readonly selection: string;
  /** Fields of the filter. */
  readonly filter: Readonly<Record<string, boolean | string>>;
  /** False: the endpoint takes none. */
  readonly hasFilter: boolean;
  /** What no two entries have in common. */
  readonly keyOf: (entry: JsonObject) => string;
}

const MOST_READINGS = 4;
const PAGE_SIZES = [500, 250, 100, 50, 25, 10] as const;

/** In the endpoint's order. */
export async function readEvents(endpoint: Endpoint, query: PageQuery): Promise<readonly JsonObject[]> {
  let sizes: readonly number[] = PAGE_SIZES;
  let changed = '';
  for (let reading = 1; ; reading++) {
    const [pageSize = 10, ...smaller] = sizes;
    try {
      const read = await readOnce(endpoint, { ...query, pageSize });
      if ('events' in read) return read.events;
      changed = read.changed;
    } catch (thrown) {
      if (smaller.length === 0 || !isTooMuch(thrown)) throw asProblem(thrown);
      sizes = smaller;
      reading--;
      continue;
    }
    if (reading === MOST_READINGS) {
      const message = `expected the list to stay as it is while it is read, found it changed in ${MOST_READINGS} readings, at last by ${changed}`;
      throw new FeedProblem('changing while read', message);
    }
  }
}

interface SizedQuery extends PageQuery {
  readonly pageSize: number;
}

/** All events, or what shows that the list changed on the way. */
type Reading = { readonly events: readonly JsonObject[] } | { readonly changed: string };

async function readOnce(endpoint: Endpoint, query: SizedQuery): Promise<Reading> {
  const events = new Map<string, JsonObject>();
  let total: number | null = null;
  for (let page = 0; ; page++) {
    const changed = (how: string) => ({ changed: `page ${page}, which ${how}` });
    const { totalCount, hasMore, data: entries } = readPage(await endpoint.ask(queryText(query, page)));
    if (total !== null && total !== totalCount)
      return changed(`counts ${totalCount} events in place of ${total}`);
    total = totalCount;
    for (const entry of entries) {
      const key = query.keyOf(entry);
      if (events.has(key)) return changed(`brings ${shorten(key)} again`);
      events.set(key, entry);
    }
    if (events.size > total) return changed(`brings more events than the ${total} that are counted`);
    if (!hasMore && events.size < total)
      return changed(`is the last after ${events.size} events of the ${total} that are counted`);
    if (!hasMore) return { events: [...events.values()] };
    if (entries.length === 0)
      throw new FeedProblem('unreadable answer', `page ${page}: expected events, found none`);
  }
}

function queryText({ selection, filter, hasFilter, pageSize }: SizedQuery, page: number): string {
  const fields = Object.entries(filter).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const filterText = hasFilter ? `filter: { ${fields.join(', ')} }, ` : '';
  return `{ events(${filterText}page: ${page}, pageSize: ${pageSize}) { totalCount hasMore data ${selection} } }`;
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

/** Smaller pages may help. */
function isTooMuch(thrown: unknown): boolean {
  if (thrown instanceof QueryRefused) return true;
  if (!(thrown instanceof FeedProblem) || thrown.retryAfter !== null) return false;
  return ['time limit', 'size limit', 'HTTP status'].includes(thrown.reason);
}

export async function readInferred(endpoint: Endpoint, schema: EndpointSchema): Promise<Inferred> {
  const fields = new Map<string, Record<string, unknown>>();
  const note = (id: string, more: JsonObject) => fields.set(id, { ...fields.get(id), ...more });

  const has = (field: string) => schema.has('Event', field);
  if (schema.filters('onlyFeaturedSpecialEvent')) {
    for (const id of await idsBy(endpoint, schema, { onlyFeaturedSpecialEvent: true })) {
      note(id, { isFeaturedInSpecialEvent: true });
    }
  }
  if (!has('isFeaturedEvent') && schema.filters('onlyFeatured')) {
    for (const id of await idsBy(endpoint, schema, { onlyFeatured: true }))
      note(id, { isFeaturedEvent: true });
  }
  if (schema.has(QUERY, 'allUpcomingSuperEvents') && !(has('isSuperEvent') && has('super_event'))) {
    const { allUpcomingSuperEvents } = await endpoint.ask('{ allUpcomingSuperEvents { id } }');
    for (const container of listOf(allUpcomingSuperEvents)) {
      if (!isObject(container) || typeof container.id !== 'string') continue;
      note(container.id, { isSuperEvent: true });
      if (!schema.filters('superEvent') || container.id.length > LONGEST_ID) continue;
      const programme = await idsBy(endpoint, schema, { superEvent: container.id });
      for (const id of programme) note(id, { super_event: container.id });
    }
  }
  const days = await readDays(endpoint, schema);
  return { fieldsOf: (id) => fields.get(id) ?? {}, dayOf: (id, start) => days.get(`${id} ${start}`) };
}

/** Longer ids are nobody's, and would be repeated in thousands of queries. */
const LONGEST_ID = 256;

async function idsBy(
  endpoint: Endpoint,
  schema: EndpointSchema,
  filter: Readonly<Record<string, boolean | string>>,
): Promise<readonly string[]> {
  const selection = schema.selection('Event', ONLY_ID);
  const keyOf = ({ id }: JsonObject) => String(id);
  const events = await readEvents(endpoint, { selection, filter, hasFilter: true, keyOf });
  return events.map(keyOf);
}

/** With days as entries, later dates say by themselves whether they are cancelled, sold out, elsewhere. */
async function readDays(
  endpoint: Endpoint,
  schema: EndpointSchema,
): Promise<ReadonlyMap<string, JsonObject>> {
  const repetition = schema.typeOf('Event', 'repetitions') ?? '';
  const isShown = ['eventCancelled', 'eventSoldOut', 'ticketsURL'].every((field) =>
    schema.has(repetition, field),
  );
  if (isShown || !schema.filters('groupRepetitionsByDay')) return new Map();
  const days = await readEvents(endpoint, {
    selection: schema.selection('Event', { ...DAY_OF_EVENT, duration: 'integer' }),
    filter: { groupRepetitionsByDay: true },
    hasFilter: true,
    keyOf: dayKey,
  });
  return new Map(days.map((day) => [dayKey(day), day]));
}

function dayKey({ id, startDate }: JsonObject): string {
  return `${String(id)} ${String(startDate)}`;
}
