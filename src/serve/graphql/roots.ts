/** The root fields except `events`: how each selects what it holds. */
import { changesSince } from '../../snapshot/changes.ts';
import { changeOf } from '../query/epoch.ts';
import { readNodes } from '../query/node.ts';
import { planArea, planTitle, requiredText, textsOf } from '../query/plan.ts';
import { areaRows, containerRows, shownRowsOf } from '../query/select.ts';
import type { View } from '../query/view.ts';
import { connection } from './connection.ts';
import { project, type Root, type RootRequest, type Shape, writeAll, writeEvents } from './project.ts';
import { CALENDAR, CATEGORY, CHANGES, EVENT, ORGANIZER, VENUE } from './types.ts';

export const ROOTS: Readonly<Record<string, Root>> = {
  events: connection,
  eventByID: event(async ({ args, view, now }) =>
    shownRowsOf(view, ordinalsIn(await view.snapshot.ordinalById(requiredText(args.eventID))), now),
  ),
  eventBySlug: event(async ({ args, view, now }) =>
    shownRowsOf(view, ordinalsIn(await view.snapshot.ordinalBySlug(requiredText(args.eventSlug))), now),
  ),
  eventsBySlugs: events(async ({ args, view, now }) =>
    shownRowsOf(view, await view.snapshot.ordinalsBySlugs(textsOf(args.eventsSlugs)), now),
  ),
  eventByTitle: event(async ({ args, view, now }) => {
    const { title, language } = planTitle(args);
    return shownRowsOf(view, await view.snapshot.ordinalsByTitle(title, language), now);
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
