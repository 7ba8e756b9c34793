/** The root fields: how each selects what it holds. `events` is in connection.ts. */
import { getArgumentValues } from 'graphql';
import { type Arguments, textsOf } from '../../calendar/arguments.ts';
import { CalendarError } from '../../calendar/errors.ts';
import { oncePer } from '../../calendar/once-per.ts';
import { createChangesSince } from '../../snapshot/changes.ts';
import type { Snapshot } from '../../snapshot/open.ts';
import { nextChangeIn } from '../query/epoch.ts';
import { areaRows, containerRows, shownRowsOf } from '../query/lookups.ts';
import type { EventNode } from '../query/nodes.ts';
import { planArea, planTitle, requiredText } from '../query/plan.ts';
import type { FindSlugs, RootRequest, SelectedValue, SelectValue } from './answer.ts';
import { connection, connectionPasses, eventItems } from './connection.ts';
import { selectIntrospection } from './introspection.ts';
import type { Output } from './output.ts';
import { type Items, itemsOf, type ObjectType, project, writeList } from './project.ts';
import { schema } from './schema.ts';
import type { Operation, RootField, Selections } from './selection.ts';
import {
  CALENDAR_TYPE,
  CATEGORY_TYPE,
  CHANGES_TYPE,
  EVENT_TYPE,
  ORGANIZER_TYPE,
  VENUE_TYPE,
} from './types.ts';

/** Events that one operation may read: enough for the full pages of all its root fields. Look-ups without pages have no other limit. */
export const MAX_EVENTS = 20_000;

/** Rejects for what is wrong with the field's arguments, or with those of the fields below it. */
export async function selectRoot(
  root: RootField,
  { values, sent }: Operation,
  context: Omit<RootRequest, 'args'>,
): Promise<SelectedValue> {
  const field = schema.getQueryType()?.getFields()[root.name];
  if (field === undefined) return selectIntrospection(root, sent, context.shared.introspected);
  const select = selectorOf(root);
  return select({ args: getArgumentValues(field, root.nodes[0], values), ...context });
}

/** Passes over the rows of the calendar that a root field takes. */
export function passesOfRoot({ name, selections }: RootField): number {
  return PASSES[name]?.(selections) ?? 1;
}

/** The passes of root fields that take more than one. */
const PASSES: Readonly<Partial<Record<string, (selections: Selections) => number>>> = {
  events: connectionPasses,
};

/** Created on first execution, not earlier: it throws if the selection is invalid. */
const selectorOf = oncePer(({ name, selections }: RootField): SelectValue => {
  const select = SELECTORS[name]?.(selections);
  if (select === undefined) throw new Error(`expected a root field that can be answered, found "${name}"`);
  return select;
});

/** Makes the selector of a root field for a selection of its fields. The type of its source is hidden inside. */
type MakeSelector = (selections: Selections) => SelectValue;

const SELECTORS: Readonly<Record<string, MakeSelector>> = {
  events: connection,
  eventByID: answerFound(({ eventID }, { ordinalById }) => [ordinalById(requiredText(eventID))]),
  eventBySlug: answerFound(({ eventSlug }, { ordinalBySlug }) => [ordinalBySlug(requiredText(eventSlug))]),
  eventsBySlugs: answerList(EVENT_TYPE, loadBySlugs),
  eventByTitle: answerFound((args, { ordinalsByTitle }) => {
    const { title, language } = planTitle(args);
    return ordinalsByTitle(title, language);
  }),
  allUpcomingSuperEvents: answerList(EVENT_TYPE, (request) => upcoming(request, containerRows(request.view))),
  allUpcomingEventsInArea: answerList(EVENT_TYPE, (request) =>
    upcoming(request, areaRows(request.view, planArea(request.args))),
  ),
  categories: answerList(CATEGORY_TYPE, ({ view }) => itemsOf(view.directory.topCategories)),
  venues: answerList(VENUE_TYPE, ({ view }) => itemsOf(view.directory.listedVenues)),
  organizers: answerList(ORGANIZER_TYPE, ({ view }) => itemsOf(view.directory.listedOrganizers)),
  calendar: answerFirst(CALENDAR_TYPE, ({ view, shared }) => {
    // Read after all root fields are selected.
    const nextChange = () => nextChangeIn(view.epoch, shared.dependsOnDay);
    return itemsOf([{ snapshot: view.snapshot, nextChange }]);
  }),
  changes: answerFirst(CHANGES_TYPE, async ({ args, view, now, shared }) => {
    shared.changesSince ??= createChangesSince(view.snapshot);
    const changes = await shared.changesSince(requiredText(args.since), now);
    return itemsOf(changes === null ? [] : [changes]);
  }),
};

type Load<Source> = (request: RootRequest) => Items<Source> | Promise<Items<Source>>;

/** A list of objects. */
function answerList<Source>(type: ObjectType<Source>, load: Load<Source>): MakeSelector {
  return (selections) => {
    const { write, fields } = project(type, selections);
    return async (request) => {
      const items = await load(request);
      const { count } = items;
      return { ...sizeOf(type, count, fields), write: (out) => writeList(items, write, out) };
    };
  };
}

/** The first of the objects, or null. */
function answerFirst<Source>(type: ObjectType<Source>, load: Load<Source>): MakeSelector {
  return (selections) => {
    const { write, fields } = project(type, selections);
    return async (request) => {
      const items = await load(request);
      const count = Math.min(1, items.count);
      const writeFirst = async (out: Output) => {
        const [source] = await items.read(0, count);
        if (source === undefined) out.text += 'null';
        else write(source, out);
      };
      return { ...sizeOf(type, count, fields), write: writeFirst };
    };
  };
}

/** D2. `fields`: those of one object. */
function sizeOf<Source>(
  { name }: ObjectType<Source>,
  count: number,
  fields: number,
): Pick<SelectedValue, 'fields' | 'events'> {
  return { fields: 1 + count * fields, events: name === EVENT_TYPE.name ? count : 0 };
}

/** A7: events that look-ups find, at a row that is valid now. */
const upcoming = ({ view, now }: RootRequest, rows: readonly number[]): Items<EventNode> =>
  eventItems(view, rows, { validAt: now, byDay: false });

/** The ordinals of events, valid or not. */
type Find = (args: Arguments, snapshot: Snapshot) => readonly (number | null)[];

function loadFound(find: Find): Load<EventNode> {
  return (request) => {
    const { args, view, now } = request;
    const ordinals = find(args, view.snapshot).filter((ordinal) => ordinal !== null);
    return upcoming(request, shownRowsOf(view, ordinals, now));
  };
}

function loadBySlugs(request: RootRequest): Items<EventNode> {
  const { args, view, now, shared } = request;
  shared.findSlugs ??= limitSlugs(view.snapshot);
  return upcoming(request, shownRowsOf(view, shared.findSlugs(args.eventsSlugs), now));
}

/**
 * D2: the look-up of one operation, for as many slugs, known or not, as it may read events: fields that are sent the same list share its
 * events. Throws QUERY_TOO_COMPLEX.
 */
function limitSlugs({ ordinalsBySlugs }: Snapshot): FindSlugs {
  const ordinalsByList = new Map<unknown, readonly number[]>();
  let count = 0;
  return (sent) => {
    const previous = ordinalsByList.get(sent);
    if (previous !== undefined) return previous;
    const slugs = textsOf(sent);
    count += slugs.length;
    if (count > MAX_EVENTS) {
      const message = `The operation asks for ${count} slugs; the limit is ${MAX_EVENTS}. Ask for fewer at once.`;
      throw new CalendarError('QUERY_TOO_COMPLEX', message);
    }
    const ordinals = ordinalsBySlugs(slugs);
    ordinalsByList.set(sent, ordinals);
    return ordinals;
  };
}

/** The first of the events that are found, or null. */
function answerFound(find: Find): MakeSelector {
  return answerFirst(EVENT_TYPE, loadFound(find));
}
