/** All events of an endpoint, as they are at one moment: a list that changes between two pages is read again. */
import * as z from 'zod';
import { FeedProblem } from '../../feeds/health.ts';
import { shorten } from '../../report/excerpt.ts';
import { type Endpoint, QueryRefused } from './endpoint.ts';

export type Answer = Readonly<Record<string, unknown>>;

export interface PageQuery {
  /** Fields of an event, in braces. */
  readonly selection: string;
  /** Fields of the filter. */
  readonly filter: Readonly<Record<string, boolean | string>>;
  /** False: the endpoint takes none. */
  readonly hasFilter: boolean;
  /** What no two entries have in common. */
  readonly keyOf: (entry: Answer) => string;
}

const MOST_READINGS = 4;
const PAGE_SIZES = [500, 250, 100, 50, 25, 10] as const;

/** In the endpoint's order. */
export async function readEvents(endpoint: Endpoint, query: PageQuery): Promise<readonly Answer[]> {
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
type Reading = { readonly events: readonly Answer[] } | { readonly changed: string };

async function readOnce(endpoint: Endpoint, query: SizedQuery): Promise<Reading> {
  const events = new Map<string, Answer>();
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

function readPage(data: Answer): z.output<typeof pageSchema>['events'] {
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

export function asProblem(thrown: unknown): unknown {
  if (!(thrown instanceof QueryRefused)) return thrown;
  return new FeedProblem('unreadable answer', `expected an answer, found the error ${thrown.message}`, {
    cause: thrown,
  });
}
