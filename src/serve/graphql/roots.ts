/**
 * The root fields: how each reads its arguments and loads its data. All fields below them need no further loading. `events` has a shape
 * of its own: its page, and its facets (contract E, C4): entities, days, municipalities and tags with their hits.
 */
import { placesOf } from '../../snapshot/bitmaps.ts';
import { changesSince } from '../../snapshot/open.ts';
import type { Directory } from '../query/directory.ts';
import { changeOf } from '../query/epoch.ts';
import type { AccessibilityHits, DayHits, FacetKind, MunicipalityHits, TagHits } from '../query/facets.ts';
import { type EventNode, NodePage, type ReadBudget } from '../query/node.ts';
import {
  type Arguments,
  type EventsPlan,
  planArea,
  planEvents,
  planTitle,
  requiredText,
  textsOf,
} from '../query/plan.ts';
import { areaRows, containerRows, selectNodes, shownRow, shownRowsOf } from '../query/select.ts';
import type { NodeSet, View } from '../query/view.ts';
import {
  firstIn,
  type Link,
  many,
  Output,
  one,
  paged,
  project,
  type Selections,
  type Shape,
  type Writers,
} from './project.ts';
import { CALENDAR, CATEGORY, CHANGES, EVENT, ORGANIZER, stringsOf, VENUE } from './types.ts';

interface RootRequest {
  readonly args: Arguments;
  readonly view: View;
  readonly now: number;
  /** Whether a field directly below this one is selected. */
  readonly selects: (name: string) => boolean;
  /** Shared by the operation's root fields. */
  readonly budget: ReadBudget;
  readonly dependence: Dependence;
}

/** Whether the answer depends on more than its epoch; set while root fields are loaded. */
export interface Dependence {
  /** B12: the answer depends on the date. */
  onDay: boolean;
}

/** A root field; the type of its source is hidden inside. */
interface Root {
  /** `writers`: those of the operation. */
  readonly compile: (selections: Selections, writers?: Writers) => LoadRoot;
}

/** Loads a root field; the result can be written as JSON. */
export type LoadRoot = (request: RootRequest) => Promise<LoadedRoot>;

export interface LoadedRoot {
  /** Number of events that it writes. */
  readonly events: number;
  /** Pauses after each slice. */
  readonly write: (out: Output) => Generator<Promise<void> | undefined>;
}

/** A selected root field that was loaded or failed; null for introspection. */
export interface Loaded {
  /** Response key. */
  readonly key: string;
  readonly name: string;
  readonly outcome: PromiseSettledResult<LoadedRoot | null>;
}

/** The source of one `events` field. */
interface Connection {
  readonly view: View;
  readonly set: NodeSet;
  readonly plan: EventsPlan;
  /** The page; empty when `data` is not selected. */
  readonly page: NodePage;
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

const VENUE_FACET = facetOf('VenueFacet', VENUE);
const ORGANIZER_FACET = facetOf('OrganizerFacet', ORGANIZER);
const CATEGORY_FACET = facetOf('CategoryFacet', CATEGORY);

// C4: facets of values that no directory lists.
const DAY_FACET = valueFacet<DayHits>('DayFacet', ['day']);
const MUNICIPALITY_FACET = valueFacet<MunicipalityHits>('MunicipalityFacet', ['number', 'name']);
const TAG_FACET = valueFacet<TagHits>('TagFacet', ['tag']);
const ACCESSIBILITY_FACET = valueFacet<AccessibilityHits>('AccessibilityFacet', ['value']);

const CONNECTION: Shape<Connection> = {
  name: 'EventConnection',
  leaves: {
    totalCount: ({ set }) => String(set.total),
    hasMore: ({ plan, set }) => String((plan.page + 1) * plan.pageSize < set.total),
    approximate: ({ set }) => String(set.isApproximate),
  },
  links: {
    pageInfo: one(PAGE_INFO, (connection) => connection),
    data: paged(EVENT, ({ page }) => page),
    venues: facetLink('venues', VENUE_FACET),
    organizers: facetLink('organizers', ORGANIZER_FACET),
    categories: facetLink('categories', CATEGORY_FACET),
    days: many(DAY_FACET, ({ view, set }, first) => view.facets.days(set.rows, first)),
    municipalities: many(MUNICIPALITY_FACET, ({ view, set }, first) =>
      view.facets.municipalities(set.counts(), first),
    ),
    tags: many(TAG_FACET, ({ view, set }, first) => view.facets.tags(set.rows, first)),
    accessibilities: many(ACCESSIBILITY_FACET, ({ view, set }, first) =>
      view.facets.accessibilities(set.rows, first),
    ),
  },
};

export const ROOTS: Readonly<Record<string, Root>> = {
  events: single(CONNECTION, loadEvents, (connection) => connection?.page.length ?? 0),
  eventByID: single(EVENT, (request) =>
    loadEvent(request, request.view.snapshot.ordinalById(requiredText(request.args.eventID))),
  ),
  eventBySlug: single(EVENT, (request) =>
    loadEvent(request, request.view.snapshot.ordinalBySlug(requiredText(request.args.eventSlug))),
  ),
  eventsBySlugs: events(async (request) => {
    const { args, view, now } = request;
    const ordinals = await view.snapshot.ordinalsBySlugs(textsOf(args.eventsSlugs));
    return lookedUp(request, shownRowsOf(view, ordinals, now));
  }),
  eventByTitle: single(EVENT, async (request) => {
    const { args, view, now } = request;
    const { title, language } = planTitle(args);
    const rows = shownRowsOf(view, await view.snapshot.ordinalsByTitle(title, language), now);
    return firstOf(await lookedUp(request, rows.slice(0, 1)));
  }),
  allUpcomingSuperEvents: events(async (request) => lookedUp(request, containerRows(request.view))),
  allUpcomingEventsInArea: events(async (request) =>
    lookedUp(request, areaRows(request.view, planArea(request.args))),
  ),
  categories: list(CATEGORY, async ({ view }) => view.directory.topCategories),
  venues: list(VENUE, async ({ view }) => view.directory.venues),
  organizers: list(ORGANIZER, async ({ view }) => view.directory.organizers),
  calendar: single(CALENDAR, async ({ view, dependence }) => ({
    snapshot: view.snapshot,
    // Read after all root fields are loaded.
    nextChange: () => changeOf(view.epoch, dependence.onDay),
  })),
  changes: single(CHANGES, ({ args, view, now }) =>
    changesSince(view.snapshot, requiredText(args.since), now),
  ),
};

async function loadEvents(request: RootRequest): Promise<Connection> {
  const { args, view, now, selects, budget, dependence } = request;
  const plan = planEvents(args);
  if (plan.selection.period !== undefined) dependence.onDay = true;
  const set = await selectNodes(view, plan.selection, now);
  const first = plan.page * plan.pageSize;
  const page = selects('data') ? placesOf(set.rows, first, plan.pageSize) : [];
  return {
    view,
    set,
    plan,
    page: await NodePage.of(view, page, { validAt: set.validAt, byDay: set.byDay, budget }),
  };
}

async function loadEvent(request: RootRequest, found: Promise<number | null>): Promise<EventNode | null> {
  const ordinal = await found;
  const row = ordinal === null ? null : shownRow(request.view, ordinal, request.now);
  return row === null ? null : firstOf(await lookedUp(request, [row]));
}

function lookedUp({ view, now, budget }: RootRequest, rows: readonly number[]): Promise<NodePage> {
  return NodePage.of(view, rows, { validAt: now, byDay: false, budget });
}

async function firstOf(page: NodePage): Promise<EventNode | null> {
  if (page.length === 0) return null;
  await page.prepare(0);
  return page.at(0);
}

function single<Source>(
  shape: Shape<Source>,
  load: Load<Source | null>,
  eventsOf?: (source: Source | null) => number,
): Root {
  return root(one(shape, itself<Source | null>), load, eventsOf);
}

function events(load: Load<NodePage>): Root {
  return root(paged(EVENT, itself<NodePage>), load, (page) => page.length);
}

function list<Source>(shape: Shape<Source>, load: Load<readonly Source[]>): Root {
  return root(many(shape, itself<readonly Source[]>), load);
}

function itself<Source>(source: Source): Source {
  return source;
}

type Load<Source> = (request: RootRequest) => Promise<Source>;

function root<Source>(
  { slices }: Link<Source>,
  load: Load<Source>,
  eventsOf: (source: Source) => number = () => 1,
): Root {
  return {
    compile: (selections, writers = new Map()) => {
      const write = slices({ selections, first: null }, writers);
      return async (request) => {
        const source = await load(request);
        return {
          events: eventsOf(source),
          write: (out) => write(source, out),
        };
      };
    },
  };
}

function valueFacet<Hits extends { readonly hits: number }>(
  name: string,
  values: readonly Exclude<keyof Hits & string, 'hits'>[],
): Shape<Hits> {
  return { name, leaves: { ...stringsOf(values), hits: ({ hits }) => String(hits) }, links: {} };
}

/** An entity with its number of hits, or with the placeholder for it. */
interface Facet<Json> {
  readonly json: Json;
  readonly hits: number | typeof GAP;
}

/** JSON text never contains a raw control character. */
const GAP = '\0';

function facetOf<Json>(name: string, shape: Shape<Json>): Shape<Facet<Json>> {
  const leaves = Object.entries(shape.leaves).map(
    ([field, leaf]) => [field, ({ json }: Facet<Json>) => leaf(json)] as const,
  );
  return {
    name,
    leaves: { ...Object.fromEntries(leaves), hits: ({ hits }) => String(hits) },
    links: Object.fromEntries(Object.entries(shape.links).map(([field, link]) => [field, ofJson(link)])),
  };
}

function ofJson<Json>(link: Link<Json>): Link<Facet<Json>> {
  return {
    write: (...selected) => {
      const write = link.write(...selected);
      return ({ json }, out) => write(json, out);
    },
    slices: (...selected) => {
      const slices = link.slices(...selected);
      return ({ json }, out) => slices(json, out);
    },
  };
}

/**
 * A page has hundreds of facets, and only their hits differ between answers of a snapshot: so each entity is made once for each selection
 * of it. Without this an answer with three facets takes 1.4 times as long.
 */
function facetLink<Kind extends FacetKind>(
  kind: Kind,
  shape: Shape<Facet<Directory[Kind][number]>>,
): Link<Connection> {
  const entityAt = ({ directory }: View, ordinal: number): Directory[Kind][number] => {
    const json = directory[kind][ordinal];
    if (json === undefined) throw new RangeError(`expected an entity at ${ordinal}, found none`);
    return json;
  };
  const link = many(shape, ({ view, set }: Connection, first) =>
    view.facets
      .entities(set.counts(), kind, first)
      .map(({ ordinal, hits }) => ({ json: entityAt(view, ordinal), hits })),
  );
  const slices: typeof link.slices = (field, writers) => {
    const { selections, first } = field;
    // Hits under several aliases are rare.
    if (selections.filter(({ name }) => name === 'hits').length !== 1) return link.slices(field, writers);
    const key = JSON.stringify([kind, selections]);
    const write = project(shape, selections, writers);
    return function* ({ view, set }, out) {
      const entities = view.facets.entities(set.counts(), kind, firstIn(out.values, first));
      const known = view.facetParts.get(key);
      const parts = known ?? { entities: [], weight: 0 };
      const before = parts.weight;
      out.text += '[';
      // Without an iterator, whose results are a seventh of an answer's garbage.
      for (let place = 0; place < entities.length; place++) {
        const { ordinal, hits } = entities[place] as (typeof entities)[number];
        let part = parts.entities[ordinal];
        if (part === undefined) {
          const alone = new Output(out.values);
          write({ json: entityAt(view, ordinal), hits: GAP }, alone);
          const [head = '', tail = ''] = Buffer.concat(alone.end()).toString().split(GAP);
          part = { head: `,${head}`, tail };
          parts.entities[ordinal] = part;
          parts.weight += head.length + tail.length + PART_BYTES;
        }
        out.text += place === 0 ? part.head.slice(1) : part.head;
        out.text += hits;
        out.text += part.tail;
        if (out.settle()) yield undefined;
      }
      out.text += ']';
      if (known === undefined) view.facetParts.offer(key, parts);
      else if (parts.weight > before) view.facetParts.reweigh(key, parts);
    };
  };
  return { ...link, slices };
}

/** Bytes of memory that an entity takes besides its JSON. */
const PART_BYTES = 150;
