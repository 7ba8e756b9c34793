/** Lists of an endpoint: its directories, and its events on pages of a size that it does not refuse. */
import * as z from 'zod';
import type { JsonObject } from '../../../../src/calendar/json.ts';
import { excerpt, shorten } from '../../../findings.ts';
import { fieldName, valueAt } from '../../../validate/salvage.ts';
import { FeedProblem } from '../feed-problem.ts';
import { listOf } from './answer-values.ts';
import { type Endpoint, QueryRefused } from './endpoint.ts';

/** A list that has no pages, such as `venues`. `selection`: the fields of an entry, in braces. */
export async function readList(
  endpoint: Endpoint,
  field: string,
  selection: string,
): Promise<readonly unknown[]> {
  const data = await endpoint.ask(`{ ${field} ${selection} }`);
  return listOf(data[field]);
}

/** The id that the endpoint has for an entry. */
export const remoteId = ({ id }: JsonObject) => String(id);

/** Which events are asked for, and what identifies each of them. */
interface PageQuery {
  /** Fields of an entry, in braces. */
  readonly selection: string;
  /** The filter's fields; empty for all events. */
  readonly filter: string;
  readonly keyOf: (entry: JsonObject) => string;
}

interface PageNumber {
  readonly page: number;
  readonly pageSize: number;
}

/** A query for one page of events. */
export function pageQuery(
  { selection, filter }: Omit<PageQuery, 'keyOf'>,
  { page, pageSize }: PageNumber,
): string {
  const filtered = filter === '' ? '' : `filter: { ${filter} }, `;
  return `{ events(${filtered}page: ${page}, pageSize: ${pageSize}) { totalCount hasMore data ${selection} } }`;
}

/** Entries on a page, tried one after the other as long as smaller pages may succeed. */
const PAGE_SIZES = [500, 250, 100, 50, 25] as const;
const SMALLEST_PAGE_SIZE = 10;

/**
 * All events as they are at one moment, in the endpoint's order. Throws FeedProblem if the list changes between two pages, or if the endpoint
 * refuses pages of any size.
 */
export async function readEvents(endpoint: Endpoint, query: PageQuery): Promise<readonly JsonObject[]> {
  for (const pageSize of PAGE_SIZES) {
    try {
      return await readPages(endpoint, query, pageSize);
    } catch (thrown) {
      if (!isTooMuch(thrown)) throw thrown;
    }
  }
  return readPages(endpoint, query, SMALLEST_PAGE_SIZE);
}

async function readPages(
  endpoint: Endpoint,
  query: PageQuery,
  pageSize: number,
): Promise<readonly JsonObject[]> {
  const events = new Map<string, JsonObject>();
  let firstCount: number | null = null;
  for (let page = 0; ; page++) {
    const { totalCount, hasMore, data } = readPage(await endpoint.ask(pageQuery(query, { page, pageSize })));
    firstCount ??= totalCount;
    if (firstCount !== totalCount)
      throw changing(page, `counts ${totalCount} events instead of ${firstCount}`);
    for (const entry of data) {
      const key = query.keyOf(entry);
      if (events.has(key)) throw changing(page, `brings ${shorten(key)} again`);
      events.set(key, entry);
    }
    if (events.size > totalCount)
      throw changing(page, `brings more than the ${totalCount} events of its count`);
    if (!hasMore && events.size < totalCount)
      throw changing(page, `is the last, after ${events.size} of ${totalCount} events`);
    if (!hasMore) return [...events.values()];
    if (data.length === 0)
      throw new FeedProblem('unreadable answer', `page ${page}: expected events, found none`);
  }
}

/** The problem of a list that is not the same on each page. `how`: what the page shows of that, such as `brings 7 again`. */
function changing(page: number, how: string): FeedProblem {
  const expected = 'expected the list not to change while it is read';
  return new FeedProblem('changing while read', `${expected}, found page ${page}, which ${how}`);
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

/** Whether the page may have been too large, so that smaller ones may succeed. */
function isTooMuch(thrown: unknown): boolean {
  if (thrown instanceof QueryRefused) return true;
  if (!(thrown instanceof FeedProblem) || thrown.retryAfter !== null) return false;
  return ['time limit', 'size limit', 'HTTP status'].includes(thrown.reason);
}
