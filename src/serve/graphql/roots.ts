/** The root fields: how each reads its arguments and loads its data. All fields below them need no further loading. */
import { placesOf } from '../../snapshot/bitmaps.ts';
import { changesSince } from '../../snapshot/open.ts';
import { type EventNode, NodePage, type ReadBudget } from '../query/node.ts';
import { type Arguments, planArea, planEvents, planTitle, requiredText, textsOf } from '../query/plan.ts';
import { areaRows, containerRows, selectNodes, shownRow, shownRowsOf } from '../query/select.ts';
import { changeOf, type View } from '../query/view.ts';
import { CONNECTION, type Connection } from './connection.ts';
import {
  type Link,
  many,
  type Output,
  one,
  paged,
  type Selections,
  type Shape,
  type Writers,
} from './project.ts';
import { CALENDAR, CATEGORY, CHANGES, EVENT, ORGANIZER, VENUE } from './types.ts';

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

/**
 * Loaded root fields by response key: each throws its loading error or returns the source of its objects. The context of graphql-js's
 * executor.
 */
export type Outcomes = ReadonlyMap<string, () => unknown>;

/** A root field; the type of its source is hidden inside. */
interface Root {
  /** `writers`: those of the operation. */
  readonly compile: (selections: Selections, writers?: Writers) => LoadRoot;
}

/** Loads a root field; the result can be written as JSON and handed to the executor. */
export type LoadRoot = (request: RootRequest) => Promise<LoadedRoot>;

export interface LoadedRoot {
  /** The source, for resolvers. */
  readonly follow: () => unknown;
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
  return root(
    one(shape, (source: Source | null) => source),
    load,
    eventsOf,
  );
}

function events(load: Load<NodePage>): Root {
  return root(
    paged(EVENT, (page: NodePage) => page),
    load,
    (page) => page.length,
  );
}

function list<Source>(shape: Shape<Source>, load: Load<readonly Source[]>): Root {
  return root(
    many(shape, (sources: readonly Source[]) => sources),
    load,
  );
}

type Load<Source> = (request: RootRequest) => Promise<Source>;

function root<Source>(
  { slices, follow }: Link<Source>,
  load: Load<Source>,
  eventsOf: (source: Source) => number = () => 1,
): Root {
  return {
    compile: (selections, writers = new Map()) => {
      const write = slices({ selections, first: null }, writers);
      return async (request) => {
        const source = await load(request);
        return {
          follow: () => follow(source, null),
          events: eventsOf(source),
          write: (out) => write(source, out),
        };
      };
    },
  };
}
