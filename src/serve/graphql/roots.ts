/** The root fields: how each selects what it holds; `events` with its nodes, its page and its facets (C4). */
import { getArgumentValues } from 'graphql';
import { ACCESSIBILITY } from '../../calendar/accessibility.ts';
import { type Arguments, textsOf } from '../../calendar/arguments.ts';
import { CalendarError } from '../../calendar/errors.ts';
import { bitsOf } from '../../snapshot/bitmaps.ts';
import { createChangesSince } from '../../snapshot/changes.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { type Entity, type EntityHits, type FacetKind, LONGEST_TEXT } from '../query/facets.ts';
import { hintsFor, MOST_HINTS } from '../query/hints.ts';
import {
  type EventsPlan,
  planArea,
  planEvents,
  planFirst,
  planTitle,
  readFilter,
  requiredText,
} from '../query/plan.ts';
import { limitSearch } from '../query/search.ts';
import {
  areaRows,
  containerRows,
  type EventNode,
  readNodes,
  selectNodes,
  shownRowsOf,
} from '../query/select.ts';
import { changeOf, type NodeSet, type View } from '../query/view.ts';
import type { FindSlugs, RootRequest, SelectedValue, SelectValue, SharedFilter } from './answer.ts';
import { introspected } from './introspection.ts';
import { type Held, Output, one, openingOf, partOf, project, type Shape, writeList } from './project.ts';
import { schema } from './schema.ts';
import type { Operation, RootField, SelectedField, Selections } from './selection.ts';
import {
  CALENDAR,
  CATEGORY,
  CHANGES,
  categoryIn,
  EVENT,
  ORGANIZER,
  organizerIn,
  stringsOf,
  VENUE,
  venueIn,
} from './types.ts';

/** Rejects for what is wrong with the field's arguments, or with those of the fields below it. */
export async function selectRoot(
  root: RootField,
  { values, sent }: Operation,
  context: Omit<RootRequest, 'args'>,
): Promise<SelectedValue> {
  const field = schema.getQueryType()?.getFields()[root.name];
  if (field === undefined) return introspected(root, sent, context.shared.introspected);
  const select = selectorOf(root);
  return select({ args: getArgumentValues(field, root.nodes[0], values), ...context });
}

/** Made for the first execution, because it throws for what is wrong below the root field. */
function selectorOf(root: RootField): SelectValue {
  const made = SELECTORS.get(root);
  if (made !== undefined) return made;
  const select = ROOTS[root.name]?.(root.selections);
  if (select === undefined) throw new Error(`expected a root field that can be answered, got "${root.name}"`);
  SELECTORS.set(root, select);
  return select;
}

/** They live as long as the root fields, which their document holds. */
const SELECTORS = new WeakMap<RootField, SelectValue>();

/** Makes what selects the value of a root field, for a selection of its fields. The type of its source is hidden inside. */
type Root = (selections: Selections) => SelectValue;

const ROOTS: Readonly<Record<string, Root>> = {
  events: connection,
  eventByID: event(({ eventID }, { ordinalById }) => [ordinalById(requiredText(eventID))]),
  eventBySlug: event(({ eventSlug }, { ordinalBySlug }) => [ordinalBySlug(requiredText(eventSlug))]),
  eventsBySlugs: list(EVENT, bySlugs),
  eventByTitle: event((args, { ordinalsByTitle }) => {
    const { title, language } = planTitle(args);
    return ordinalsByTitle(title, language);
  }),
  allUpcomingSuperEvents: list(EVENT, (request) => upcoming(request, containerRows(request.view))),
  allUpcomingEventsInArea: list(EVENT, (request) =>
    upcoming(request, areaRows(request.view, planArea(request.args))),
  ),
  categories: list(CATEGORY, ({ view }) => known(view.directory.topCategories)),
  venues: list(VENUE, ({ view }) => known(view.directory.venues)),
  organizers: list(ORGANIZER, ({ view }) => known(view.directory.organizers)),
  calendar: single(CALENDAR, ({ view, shared }) => {
    // Read after all root fields are selected.
    const nextChange = () => changeOf(view.epoch, shared.dependsOnDay);
    return known([{ snapshot: view.snapshot, nextChange }]);
  }),
  changes: single(CHANGES, async ({ args, view, now, shared }) => {
    shared.changesSince ??= createChangesSince(view.snapshot);
    const changes = await shared.changesSince(requiredText(args.since), now);
    return known(changes === null ? [] : [changes]);
  }),
};

type Load<Source> = (request: RootRequest) => Held<Source> | Promise<Held<Source>>;

function list<Source>(shape: Shape<Source>, load: Load<Source>): Root {
  return root(shape, load, true);
}

/** The first of them, or null. */
function single<Source>(shape: Shape<Source>, load: Load<Source>): Root {
  return root(shape, load, false);
}

function root<Source>(shape: Shape<Source>, load: Load<Source>, isList: boolean): Root {
  return (selections) => {
    const { write, fields } = project(shape, selections);
    return async (request) => {
      const held = await load(request);
      const count = isList ? held.count : Math.min(1, held.count);
      return {
        fields: 1 + count * fields,
        events: shape.name === EVENT.name ? count : 0,
        write: async (out) => {
          if (isList) return writeList(held, write, out);
          const [source] = await held.read(0, count);
          if (source === undefined) out.text += 'null';
          else write(source, out);
        },
      };
    };
  };
}

const known = <Source>(sources: readonly Source[]): Held<Source> => ({
  count: sources.length,
  read: (from, to) => sources.slice(from, to),
});

const eventsIn = (
  view: View,
  rows: readonly number[],
  set: Pick<NodeSet, 'validAt' | 'byDay'>,
): Held<EventNode> => ({
  count: rows.length,
  read: (from, to) => readNodes(view, rows.slice(from, to), set),
});

/** A7: events that look-ups find, at a row that is valid now. */
const upcoming = ({ view, now }: RootRequest, rows: readonly number[]): Held<EventNode> =>
  eventsIn(view, rows, { validAt: now, byDay: false });

/** The ordinals of events, valid or not. */
type Find = (args: Arguments, snapshot: Snapshot) => readonly (number | null)[];

function found(find: Find): Load<EventNode> {
  return (request) => {
    const { args, view, now } = request;
    const ordinals = find(args, view.snapshot).filter((ordinal) => ordinal !== null);
    return upcoming(request, shownRowsOf(view, ordinals, now));
  };
}

function bySlugs(request: RootRequest): Held<EventNode> {
  const { args, view, now, shared } = request;
  shared.findSlugs ??= limitSlugs(view.snapshot);
  return upcoming(request, shownRowsOf(view, shared.findSlugs(args.eventsSlugs), now));
}

/** D2: slugs that one operation may look for, known or not: as many as events that it may read. */
const MOST_SLUGS = 20_000;

/** The look-up of one operation: fields that are sent the same list share its events. Throws QUERY_TOO_COMPLEX. */
function limitSlugs({ ordinalsBySlugs }: Snapshot): FindSlugs {
  const found = new Map<unknown, readonly number[]>();
  let count = 0;
  return (sent) => {
    const known = found.get(sent);
    if (known !== undefined) return known;
    const slugs = textsOf(sent);
    count += slugs.length;
    if (count > MOST_SLUGS) {
      const message = `The operation asks for ${count} slugs; the limit is ${MOST_SLUGS}. Ask for fewer at once.`;
      throw new CalendarError('QUERY_TOO_COMPLEX', message);
    }
    const ordinals = ordinalsBySlugs(slugs);
    found.set(sent, ordinals);
    return ordinals;
  };
}

function event(find: Find): Root {
  return single(EVENT, found(find));
}

/** The source of one `events` field. */
interface Connection {
  readonly view: View;
  readonly set: NodeSet;
  readonly plan: EventsPlan;
  /** The rows of its page; empty when `data` is not selected. */
  readonly page: readonly number[];
}

function connection(selections: Selections): SelectValue {
  const makeParts = () =>
    selections.map((field, index) => ({
      before: openingOf(field, index),
      ...connectionPart(field),
    }));
  let made: ReturnType<typeof makeParts> | undefined;
  const lists = selections.filter(({ name }) => name === 'data').length;
  return async (request) => {
    const { view } = request;
    const { plan, set } = await selectFiltered(request);
    // Faults of the filter are told before those of `first` (C4).
    made ??= makeParts();
    const parts = made;
    const page = lists > 0 ? [...bitsOf(set.rows, plan.page * plan.pageSize, plan.pageSize)] : [];
    const source = { view, set, plan, page };
    return {
      fields: parts.reduce((sum, { fields, each = 0 }) => sum + fields + each * page.length, 1),
      events: lists * page.length,
      write: async (out) => {
        for (const { before, write } of parts) {
          out.text += before;
          await out.nextTurn();
          await write(source, out);
        }
        out.text += parts.length === 0 ? '{}' : '}';
      },
    };
  };
}

async function selectFiltered({ args, view, now, work, shared }: RootRequest) {
  const key = JSON.stringify(args.filter ?? null);
  const known: SharedFilter = shared.filters.get(key) ?? { plan: readFilter(args.filter) };
  shared.filters.set(key, known);
  const plan = planEvents(args, known.plan);
  const { conditions } = plan;
  if (conditions.period !== undefined) shared.dependsOnDay = true;
  if (known.set === undefined) {
    shared.search ??= limitSearch(view.search, work);
    known.set = selectNodes({ ...view, search: shared.search }, conditions, now);
    shared.hints.push(...hintsFor(conditions, view, MOST_HINTS - shared.hints.length));
  }
  return { plan, set: await known.set };
}

/** A selected field of a connection. */
interface ConnectionPart {
  readonly fields: number;
  /** Fields of each event of the page. */
  readonly each?: number;
  readonly write: (connection: Connection, out: Output) => Promise<void>;
}

function connectionPart(field: SelectedField): ConnectionPart {
  if (field.name === 'data') {
    const { write, fields } = project(EVENT, field.selections);
    return {
      fields: 1,
      each: fields,
      write: ({ view, set, page }, out) => writeList(eventsIn(view, page, set), write, out),
    };
  }
  const facet = FACETS[field.name];
  if (facet !== undefined) return facet(field);
  const { fields, leaf, write } = partOf(CONNECTION, field);
  return {
    fields,
    write: async (source, out) => {
      if (leaf !== undefined) out.text += leaf(source);
      else write?.(source, out);
    },
  };
}

const PAGE_INFO: Shape<Connection> = {
  name: 'PageInfo',
  leaves: {
    currentPage: ({ plan }) => String(plan.page),
    pageSize: ({ plan }) => String(plan.pageSize),
    totalPages: ({ plan, set }) => String(Math.ceil(set.total / plan.pageSize)),
  },
};

/** Its fields except the lists. */
const CONNECTION: Shape<Connection> = {
  name: 'EventConnection',
  leaves: {
    totalCount: ({ set }) => String(set.total),
    hasMore: ({ plan, set }) => String((plan.page + 1) * plan.pageSize < set.total),
    approximate: ({ set }) => String(set.isApproximate),
  },
  links: { pageInfo: one(PAGE_INFO, (source) => source) },
};

type Facet = (field: SelectedField) => ConnectionPart;

/** D2: entries of a facet that are counted before it is known. A regional directory's facets run into the hundreds at most. */
const TYPICAL_ENTRIES = 100;

/** C4 adds facets of values that no directory lists. */
const FACETS: Readonly<Record<string, Facet>> = {
  venues: entities('venues', venueIn('VenueFacet', entityOf<'venues'>)),
  organizers: entities('organizers', organizerIn('OrganizerFacet', entityOf<'organizers'>)),
  categories: entities('categories', categoryIn('CategoryFacet', entityOf<'categories'>)),
  days: facet(withTexts('DayFacet', ['day']), ({ view, set }) => view.facets.days(set.rows)),
  municipalities: facet(withTexts('MunicipalityFacet', ['number', 'name']), ({ view, set }) =>
    view.facets.municipalities(set.counts()),
  ),
  tags: facet(withTexts('TagFacet', ['tag']), ({ view, set }) => view.facets.tags(set.rows)),
  accessibilities: facet(
    withTexts('AccessibilityFacet', ['value']),
    ({ view, set }) => view.facets.accessibilities(set.rows),
    { typical: ACCESSIBILITY.length },
  ),
};

type Texts<Name extends string> = { readonly [Field in Name]: string | null };

function withTexts<Name extends string>(
  name: string,
  fields: readonly Name[],
): Shape<Texts<Name> & { readonly hits: number }> {
  return { name, leaves: stringsOf(fields) };
}

interface FacetOptions<Entry> {
  /** Entries that are counted before they are known. */
  readonly typical?: number;
  readonly cached?: CachedWriter<Entry>;
}

/** Writes the entries of a selection with texts of a snapshot that were written before; undefined for a selection that has none. */
type CachedWriter<Entry> = (
  selections: Selections,
) => ((view: View) => (entry: Entry, out: Output) => void) | undefined;

/** `shape`: of an entry, without its hits. `get`: all entries of a connection's set; they are worked out once, whatever the number of its fields. */
function facet<Entry extends { readonly hits: number }>(
  shape: Shape<Entry>,
  get: (connection: Connection) => readonly Entry[],
  { typical = TYPICAL_ENTRIES, cached }: FacetOptions<Entry> = {},
): Facet {
  const whole = { ...shape, leaves: { ...shape.leaves, hits: ({ hits }: Entry) => String(hits) } };
  const entriesOf = new WeakMap<NodeSet, readonly Entry[]>();
  const allOf = (source: Connection) => {
    const entries = entriesOf.get(source.set) ?? get(source);
    entriesOf.set(source.set, entries);
    return entries;
  };
  return ({ selections, first }) => {
    const { write, fields } = project(whole, selections);
    const writerIn = cached?.(selections) ?? (() => write);
    const limit = planFirst(first);
    return {
      fields: 1 + Math.min(typical, limit ?? typical) * fields,
      write: (source, out) => {
        const entries = allOf(source).slice(0, limit ?? undefined);
        return writeList(known(entries), writerIn(source.view), out);
      },
    };
  };
}

function entities<Kind extends FacetKind>(kind: Kind, shape: Shape<EntityHits<Kind>>): Facet {
  return facet(shape, ({ view, set }) => view.facets.entities(set.counts(), kind), {
    cached: cachedTexts(kind, shape),
  });
}

/** An answer has hundreds of entities, which differ from those of the next one only in their hits: if these come last, the rest is cached. */
function cachedTexts<Kind extends FacetKind>(
  kind: Kind,
  shape: Shape<EntityHits<Kind>>,
): CachedWriter<EntityHits<Kind>> {
  return (selections) => {
    const last = selections.at(-1);
    const others = selections.slice(0, -1);
    if (last?.name !== 'hits' || others.length === 0 || others.some(({ name }) => name === 'hits'))
      return undefined;
    const { write } = project(shape, others);
    const textOf = (entry: EntityHits<Kind>) => {
      const own = new Output();
      write(entry, own);
      return `${Buffer.concat(own.end()).toString().slice(0, -1)}${openingOf(last, others.length)}`;
    };
    const key = `${kind} ${JSON.stringify(selections)}`;
    return ({ facets }) => {
      const texts = facets.textsFor(kind, key);
      return (entry, out) => {
        const text = texts[entry.ordinal] ?? textOf(entry);
        if (text.length <= LONGEST_TEXT) texts[entry.ordinal] = text;
        out.text += text;
        out.text += `${entry.hits}}`;
      };
    };
  };
}

function entityOf<Kind extends FacetKind>({ entity }: EntityHits<Kind>): Entity<Kind> {
  return entity;
}
