/** The root field `events`: its nodes, its page and its facets (C4). */
import { CalendarError } from '../../calendar/errors.ts';
import { LONGEST_TERM } from '../../calendar/search-term.ts';
import { bitsOf } from '../../snapshot/bitmaps.ts';
import { hintsFor, MOST_HINTS } from '../query/hints.ts';
import { type EventNode, readNodes } from '../query/nodes.ts';
import { type EventsPlan, planEvents, readFilter } from '../query/plan.ts';
import type { Search, SearchWork } from '../query/search.ts';
import { selectNodes } from '../query/select.ts';
import type { NodeSet, View } from '../query/view.ts';
import type { RootRequest, SelectValue, SharedFilter } from './answer.ts';
import { FACETS } from './facet-fields.ts';
import type { Output } from './output.ts';
import {
  type Items,
  type ObjectType,
  one,
  openingOf,
  type Part,
  partOf,
  project,
  writeList,
} from './project.ts';
import type { SelectedField, Selections } from './selection.ts';
import { EVENT_TYPE } from './types.ts';

export function connection(selections: Selections): SelectValue {
  const dataFields = selections.filter(({ name }) => name === 'data').length;
  let made: readonly ConnectionPart[] | undefined;
  return async (request) => {
    const { view } = request;
    const { plan, set } = await selectFiltered(request);
    // Faults of the filter are reported before those of `first` (C4).
    made ??= selections.map(connectionPart);
    const parts = made;
    const rows = dataFields > 0 ? [...bitsOf(set.rows, plan.page * plan.pageSize, plan.pageSize)] : [];
    const source = { view, set, plan, rows };
    return {
      fields: parts.reduce((sum, { fields, each = 0 }) => sum + fields + each * rows.length, 1),
      events: dataFields * rows.length,
      write: (out) => writeParts(parts, source, out),
    };
  };
}

/** A pass for its nodes, and one for each of its facets, however often that is selected. */
export function connectionPasses(selections: Selections): number {
  const facets = selections.filter(({ name }) => Object.hasOwn(FACETS, name));
  return 1 + new Set(facets.map(({ name }) => name)).size;
}

async function writeParts(parts: readonly ConnectionPart[], source: Connection, out: Output): Promise<void> {
  for (const { before, write } of parts) {
    out.text += before;
    await out.nextTurn();
    await write(source, out);
  }
  out.text += parts.length === 0 ? '{}' : '}';
}

/** The source of one `events` field. */
interface Connection {
  readonly view: View;
  readonly set: NodeSet;
  readonly plan: EventsPlan;
  /** The rows of its page; empty when `data` is not selected. */
  readonly rows: readonly number[];
}

/** Root fields with equal filters share one selection. Notes in `shared` the hints, and whether the answer depends on the day. */
async function selectFiltered({ args, view, now, work, shared }: RootRequest) {
  const key = JSON.stringify(args.filter ?? null);
  const filter: SharedFilter = shared.filters.get(key) ?? { plan: readFilter(args.filter) };
  shared.filters.set(key, filter);
  const plan = planEvents(args, filter.plan);
  const { conditions } = plan;
  if (conditions.period !== undefined) shared.dependsOnDay = true;
  if (filter.set === undefined) {
    shared.search ??= limitSearch(view.search, work);
    filter.set = selectNodes(view, conditions, { now, search: shared.search });
    shared.hints.push(...hintsFor(conditions, view, { most: MOST_HINTS - shared.hints.length }));
  }
  return { plan, set: await filter.set };
}

/** D2: different words of an operation and step, as many as one term has room for. */
const MOST_WORDS = LONGEST_TERM / 2;

/** The search of one operation, whatever the number of its terms: rejects with QUERY_TOO_COMPLEX before there are too many words. */
function limitSearch(search: Search, work: SearchWork | undefined): Search {
  const searched = { literal: new Set<string>(), approximate: new Set<string>() };
  return async (step, words) => {
    const all = searched[step];
    for (const word of words) all.add(word);
    if (all.size <= MOST_WORDS) return search(step, words, work);
    const message = `The operation searches for ${all.size} different words; the limit is ${MOST_WORDS}. Ask for fewer search terms at once.`;
    throw new CalendarError('QUERY_TOO_COMPLEX', message);
  };
}

/** A selected field of a connection. */
interface ConnectionPart extends Part<Connection, Promise<void>> {
  /** The constant text before its value. */
  readonly before: string;
  /** Fields of each event of the page. */
  readonly each?: number;
}

function connectionPart(field: SelectedField, index: number): ConnectionPart {
  const before = openingOf(field, index);
  if (field.name === 'data') {
    const { write, fields } = project(EVENT_TYPE, field.selections);
    return {
      before,
      fields: 1,
      each: fields,
      write: ({ view, set, rows }, out) => writeList(eventItems(view, rows, set), write, out),
    };
  }
  const facet = FACETS[field.name];
  if (facet !== undefined) return { before, ...facet(field) };
  const { fields, leaf, write } = partOf(CONNECTION_TYPE, field);
  return {
    before,
    fields,
    write: async (source, out) => {
      if (leaf !== undefined) out.text += leaf(source);
      else write(source, out);
    },
  };
}

const PAGE_INFO_TYPE: ObjectType<Connection> = {
  name: 'PageInfo',
  leaves: {
    currentPage: ({ plan }) => String(plan.page),
    pageSize: ({ plan }) => String(plan.pageSize),
    totalPages: ({ plan, set }) => String(Math.ceil(set.total / plan.pageSize)),
  },
};

/** The fields of a connection, except the lists. */
const CONNECTION_TYPE: ObjectType<Connection> = {
  name: 'EventConnection',
  leaves: {
    totalCount: ({ set }) => String(set.total),
    hasMore: ({ plan, set }) => String((plan.page + 1) * plan.pageSize < set.total),
    approximate: ({ set }) => String(set.isApproximate),
  },
  links: { pageInfo: one(PAGE_INFO_TYPE, (source) => source) },
};

/** Events at these rows, as a set of nodes shows them. */
export const eventItems = (
  view: View,
  rows: readonly number[],
  set: Pick<NodeSet, 'validAt' | 'byDay'>,
): Items<EventNode> => ({
  count: rows.length,
  read: (from, to) => readNodes(view, rows.slice(from, to), set),
});
