/** The root fields: how each selects what it holds; `events` with its nodes, its page and its facets (contract E, C4, more facets, and first). */
import { ACCESSIBILITY } from '../../calendar/accessibility.ts';
import { changesSince } from '../../snapshot/changes.ts';
import { bitsOf } from '../../snapshot/columns.ts';
import type {
  AccessibilityHits,
  DayHits,
  Entity,
  EntityHits,
  FacetKind,
  MunicipalityHits,
  TagHits,
} from '../query/facets.ts';
import { hintsFor, MOST_HINTS } from '../query/hints.ts';
import {
  type EventsPlan,
  planArea,
  planEvents,
  planFirst,
  planTitle,
  readFilter,
  requiredText,
  textsOf,
} from '../query/plan.ts';
import { areaRows, containerRows, readNodes, selectNodes, shownRowsOf } from '../query/select.ts';
import type { NodeSet, View } from '../query/view.ts';
import { changeOf } from '../query/view.ts';
import {
  fieldsOf,
  type KnownFilter,
  type Output,
  one,
  openingOf,
  type Pause,
  type Projections,
  partOf,
  project,
  type Root,
  type RootRequest,
  type SelectedField,
  type Selections,
  type SelectValue,
  type Shape,
  writeAll,
  writeEvents,
} from './project.ts';
import { CALENDAR, CATEGORY, CHANGES, EVENT, ORGANIZER, stringsOf, VENUE } from './types.ts';

export const ROOTS: Readonly<Record<string, Root>> = {
  events: connection,
  eventByID: event(async ({ args, view, now }) =>
    shownRowsOf(view, ordinalsIn(view.snapshot.ordinalById(requiredText(args.eventID))), now),
  ),
  eventBySlug: event(async ({ args, view, now }) =>
    shownRowsOf(view, ordinalsIn(view.snapshot.ordinalBySlug(requiredText(args.eventSlug))), now),
  ),
  eventsBySlugs: events(async ({ args, view, now }) =>
    shownRowsOf(view, view.snapshot.ordinalsBySlugs(textsOf(args.eventsSlugs)), now),
  ),
  eventByTitle: event(async ({ args, view, now }) => {
    const { title, language } = planTitle(args);
    return shownRowsOf(view, view.snapshot.ordinalsByTitle(title, language), now);
  }),
  allUpcomingSuperEvents: events(async ({ view }) => containerRows(view)),
  allUpcomingEventsInArea: events(async ({ args, view }) => areaRows(view, planArea(args))),
  categories: list(CATEGORY, ({ directory }) => directory.topCategories),
  venues: list(VENUE, ({ directory }) => directory.venues),
  organizers: list(ORGANIZER, ({ directory }) => directory.organizers),
  calendar: single(CALENDAR, async ({ view, shared }) => ({
    snapshot: view.snapshot,
    // Read after all root fields are selected.
    nextChange: () => changeOf(view.epoch, shared.dependsOnDay),
  })),
  changes: single(CHANGES, ({ args, view, now }) =>
    changesSince(view.snapshot, requiredText(args.since), now),
  ),
};

const ordinalsIn = (ordinal: number | null): readonly number[] => (ordinal === null ? [] : [ordinal]);

function single<Source>(shape: Shape<Source>, load: (request: RootRequest) => Promise<Source | null>): Root {
  return (selections, projections) => {
    const { write, fields } = project(shape, selections, projections);
    return async (request) => {
      const source = await load(request);
      return {
        fields: source === null ? 1 : 1 + fields,
        events: 0,
        write: async (out) => {
          if (source === null) out.text += 'null';
          else write(source, out);
        },
      };
    };
  };
}

function list<Source>(shape: Shape<Source>, get: (view: View) => readonly Source[]): Root {
  return (selections, projections) => {
    const { write, fields } = project(shape, selections, projections);
    return async ({ view }) => {
      const sources = get(view);
      return {
        fields: 1 + sources.length * fields,
        events: 0,
        write: (out, pause) => writeAll(sources, { write, out, pause }),
      };
    };
  };
}

/** The first of the selected events, or null. */
function event(select: SelectRows): Root {
  return (selections, projections) => {
    const { write, fields } = project(EVENT, selections, projections);
    return async (request) => {
      const rows = (await select(request)).slice(0, 1);
      return {
        fields: 1 + rows.length * fields,
        events: rows.length,
        write: async (out) => {
          const [node] = await readNodes(request.view, rows, { validAt: request.now, byDay: false });
          if (node === undefined) out.text += 'null';
          else write(node, out);
        },
      };
    };
  };
}

function events(select: SelectRows): Root {
  return (selections, projections) => {
    const { write, fields } = project(EVENT, selections, projections);
    return async (request) => {
      const { view, now } = request;
      const rows = await select(request);
      return {
        fields: 1 + rows.length * fields,
        events: rows.length,
        write: (out, pause) => writeEvents({ view, rows, validAt: now, byDay: false }, { write, out, pause }),
      };
    };
  };
}

type SelectRows = (request: RootRequest) => Promise<readonly number[]>;

/** The source of one `events` field. */
interface Connection {
  readonly view: View;
  readonly set: NodeSet;
  readonly plan: EventsPlan;
  /** The rows of its page; empty when `data` is not selected. */
  readonly page: readonly number[];
}

function connection(selections: Selections, projections: Projections): SelectValue {
  const parts = selections.map((field, index) => connectionPart(field, index, projections));
  const hasData = selections.some(({ name }) => name === 'data');
  return async (request) => {
    const { view } = request;
    const { plan, set } = await selectFiltered(request);
    const page = hasData ? [...bitsOf(set.rows, plan.page * plan.pageSize, plan.pageSize)] : [];
    const source = { view, set, plan, page };
    return {
      fields: parts.reduce((sum, { fields }) => sum + fields(page), 1),
      events: page.length,
      write: async (out, pause) => {
        for (const { before, write } of parts) {
          out.text += before;
          await write(source, out, pause);
        }
        out.text += parts.length === 0 ? '{}' : '}';
      },
    };
  };
}

async function selectFiltered({ args, view, now, shared }: RootRequest) {
  const key = JSON.stringify(args.filter ?? null);
  const known: KnownFilter = shared.filters.get(key) ?? { plan: readFilter(args.filter) };
  shared.filters.set(key, known);
  const plan = planEvents(args, known.plan);
  const { conditions } = plan;
  if (conditions.period !== undefined) shared.dependsOnDay = true;
  if (known.set === undefined) {
    known.set = selectNodes(view, conditions, now);
    shared.hints.push(...hintsFor(conditions, view, MOST_HINTS - shared.hints.length));
  }
  return { plan, set: await known.set };
}

/** A selected field of a connection. */
interface ConnectionPart {
  readonly before: string;
  readonly fields: (page: Connection['page']) => number;
  readonly write: (connection: Connection, out: Output, pause: Pause) => Promise<void>;
}

function connectionPart(field: SelectedField, index: number, projections: Projections): ConnectionPart {
  const before = openingOf(field, index);
  if (field.name === 'data') {
    const { write, fields } = project(EVENT, field.selections, projections);
    return {
      before,
      fields: ({ length }) => 1 + length * fields,
      write: ({ view, set, page }, out, pause) => {
        const { validAt, byDay } = set;
        return writeEvents({ view, rows: page, validAt, byDay }, { write, out, pause });
      },
    };
  }
  const facet = FACETS[field.name];
  if (facet !== undefined) return { before, ...facet(field, projections) };
  const { fields, leaf, write } = partOf(CONNECTION, field, projections);
  return {
    before,
    fields: () => fields,
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
  links: {},
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

type Facet = (field: SelectedField, projections: Projections) => Omit<ConnectionPart, 'before'>;

/**
 * D2, cost before work: entries of a facet that are counted before it is known. A regional directory's facets run into the hundreds at
 * most.
 */
const TYPICAL_ENTRIES = 100;

/** C4 adds facets of values that no directory lists. */
const FACETS: Readonly<Record<string, Facet>> = {
  venues: entityFacet('venues', 'VenueFacet', VENUE),
  organizers: entityFacet('organizers', 'OrganizerFacet', ORGANIZER),
  categories: entityFacet('categories', 'CategoryFacet', CATEGORY),
  days: facet(valueShape<DayHits>('DayFacet', ['day']), ({ view, set }, first) =>
    view.facets.days(set.rows, first),
  ),
  municipalities: facet(
    valueShape<MunicipalityHits>('MunicipalityFacet', ['number', 'name']),
    ({ view, set }, first) => view.facets.municipalities(set.counts(), first),
  ),
  tags: facet(valueShape<TagHits>('TagFacet', ['tag']), ({ view, set }, first) =>
    view.facets.tags(set.rows, first),
  ),
  accessibilities: facet(
    valueShape<AccessibilityHits>('AccessibilityFacet', ['value']),
    ({ view, set }, first) => view.facets.accessibilities(set.rows, first),
    ACCESSIBILITY.length,
  ),
};

function facet<Entry>(
  shape: Shape<Entry>,
  get: (connection: Connection, first: number | null) => readonly Entry[],
  typical = TYPICAL_ENTRIES,
): Facet {
  return ({ selections, first }, projections) => {
    const { write, fields } = project(shape, selections, projections);
    const limit = planFirst(first);
    const counted = 1 + Math.min(typical, limit ?? typical) * fields;
    return {
      fields: () => counted,
      write: (source, out, pause) => writeAll(get(source, limit), { write, out, pause }),
    };
  };
}

function valueShape<Hits extends { readonly hits: number }>(
  name: string,
  values: readonly Exclude<keyof Hits & string, 'hits'>[],
): Shape<Hits> {
  return { name, leaves: { ...stringsOf(values), hits: ({ hits }) => String(hits) }, links: {} };
}

/** An entity's fields, and its hits. */
function entityFacet<Kind extends FacetKind>(kind: Kind, name: string, shape: Shape<Entity<Kind>>): Facet {
  const { leaves, links } = fieldsOf<EntityHits<Kind>, Entity<Kind>>(shape, ({ entity }) => entity);
  const hits = (source: EntityHits<Kind>) => String(source.hits);
  return facet({ name, leaves: { ...leaves, hits }, links }, ({ view, set }, first) =>
    view.facets.entities(set.counts(), kind, first),
  );
}
