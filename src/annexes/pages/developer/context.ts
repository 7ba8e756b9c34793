/** The data of the developer page's sections: the calendar at one second, by the code that answers requests. */
import { osloDay, startOfDay, timeOfDay, wallOf } from '../../../calendar/time.ts';
import type { ServeContext } from '../../../serve/annex.ts';
import type { ExecuteRequest } from '../../../serve/graphql/execute.ts';
import { EVENT } from '../../../serve/graphql/types.ts';
import { type EventNode, readNodes, selectNodes } from '../../../serve/query/select.ts';
import { type View, viewAt } from '../../../serve/query/view.ts';
import { bitsOf, OCCURRENCE_FLAGS } from '../../../snapshot/columns.ts';
import type { Keeper } from '../../../snapshot/keeper.ts';
import type { Snapshot } from '../../../snapshot/open.ts';
import type { CallerLimits } from '../../facts/facts.ts';
import type { Colour } from '../../page/highlight.ts';
import type { PageName } from '../../page/page.ts';
import type { ChosenLanguage, InEach } from '../../page/reader.ts';
import { venueLabels } from '../../page/venues.ts';
import { type Walked, walkThrough } from './questions.ts';

export interface DeveloperOptions extends Pick<ServeContext, 'schema' | 'ownAddress'> {
  readonly keeper: Pick<Keeper, 'pin' | 'state'>;
  /** Seconds: the longest time that an answer may be cached (D6, exact freshness). */
  readonly maxAge: number;
  /** Whether `/calendar.sqlite` is served (D8, other paths). */
  readonly offersSnapshots: boolean;
  /** Whether `/openapi.json` and `/llms.txt` are served. */
  readonly offersOpenApi: boolean;
  /** K4, quota: requests a minute. */
  readonly limits: CallerLimits;
  readonly menu: readonly PageName[];
  readonly executeRequest: ExecuteRequest;
}

export interface Context extends DeveloperOptions, ChosenLanguage {
  readonly snapshot: Snapshot;
  readonly figures: Figures;
  readonly colour: Colour;
  /** Address of this server, without a slash at the end. */
  readonly address: string;
}

export interface Figures {
  readonly id: string;
  /** Days since 1970-01-01, in Norway. */
  readonly today: number;
  readonly upcoming: number;
  /** Events in progress, a few of those that began last. */
  readonly ongoing: readonly NextEvent[];
  /** The first few events that start next. */
  readonly next: readonly NextEvent[];
  /** Events that begin today, from this second on. */
  readonly leftToday: number;
  /** Events at this second by category id, subcategories included, without those that have none. */
  readonly hitsByCategory: ReadonlyMap<string, number>;
  readonly walked: readonly Walked[];
  /** The figures are exact in [since, until), whole seconds. */
  readonly since: number;
  readonly until: number;
}

export interface NextEvent {
  readonly title: InEach<string | null>;
  readonly link: string;
  readonly day: number;
  /** `HH:mm`; null if it is all-day. */
  readonly time: string | null;
  /** Its last day and, unless it is all-day, the time at which it ends; null if it has no end of its own. */
  readonly end: { readonly day: number; readonly time: string | null } | null;
  readonly venue: string | null;
  readonly isCancelled: boolean;
  readonly isSoldOut: boolean;
}

const ONGOING = 4;
const NEXT = 6;

export async function figuresAt(
  snapshot: Snapshot,
  now: number,
  executeRequest: ExecuteRequest,
): Promise<Figures> {
  const view = viewAt(snapshot, now);
  const today = osloDay(now);
  const all = await selectNodes(view, {}, now);
  const { next, until } = await nextEvents(view, now);
  const categories = view.facets.entities(all.counts(), 'categories', null);
  const leftToday = { fromStartDate: now, untilDate: startOfDay(today + 1) };
  return {
    id: snapshot.id,
    today,
    upcoming: all.total,
    ongoing: await ongoingEvents(view, now),
    next,
    leftToday: (await selectNodes(view, leftToday, now)).total,
    hitsByCategory: new Map(
      categories.map(({ ordinal, hits }) => [view.lists.categories[ordinal]?.id ?? '', hits]),
    ),
    walked: await walkThrough(view, { snapshot, now }, executeRequest),
    since: now,
    // The start of an event changes no answer, but the next events do; and at midnight another day begins.
    until: Math.min(view.epoch.until, startOfDay(today + 1), until),
  };
}

/** The first few events that start next, and the second at which the first of them has started. */
async function nextEvents(view: View, now: number): Promise<Pick<Figures, 'next' | 'until'>> {
  const { rows, validAt, byDay } = await selectNodes(view, { fromStartDate: now }, now);
  const places = [...bitsOf(rows, 0, NEXT)];
  const nodes = await readNodes(view, places, { validAt, byDay });
  const [first] = nodes;
  return {
    next: nodes.map(nextEvent),
    until: first === undefined ? Number.POSITIVE_INFINITY : startOf(first) + 1,
  };
}

async function ongoingEvents(view: View, now: number): Promise<readonly NextEvent[]> {
  const { rows, total, validAt, byDay } = await selectNodes(view, { untilDate: now + 1 }, now);
  const places = [...bitsOf(rows, Math.max(0, total - ONGOING), ONGOING)];
  const nodes = await readNodes(view, places, { validAt, byDay });
  return nodes.map(nextEvent).reverse();
}

function nextEvent(node: EventNode): NextEvent {
  const { view, row } = node;
  const start = startOf(node);
  const flags = view.columns.occurrenceFlags[row] ?? 0;
  const isAllDay = (flags & OCCURRENCE_FLAGS.allDay) !== 0;
  const hasEnd = leafText(node, 'endDate') !== leafText(node, 'startDate');
  return {
    title: { nb: leafText(node, 'title_nb'), en: leafText(node, 'title_en') },
    link: leafText(node, 'eventLink') ?? '',
    day: osloDay(start),
    time: isAllDay ? null : timeOfDay(wallOf(start)),
    end: hasEnd ? endOf(view.columns.over[row] ?? start, isAllDay) : null,
    venue: venueLabels(view.lists)[view.columns.venue[row] ?? -1] ?? null,
    isCancelled: (flags & OCCURRENCE_FLAGS.cancelled) !== 0,
    isSoldOut: (flags & OCCURRENCE_FLAGS.soldOut) !== 0,
  };
}

/** A15, all-day: an all-day occurrence ends with the midnight after its last day. */
function endOf(end: number, isAllDay: boolean): NextEvent['end'] {
  return isAllDay
    ? { day: osloDay(end - 1), time: null }
    : { day: osloDay(end), time: timeOfDay(wallOf(end)) };
}

function startOf({ view, row }: EventNode): number {
  return view.columns.start[row] ?? 0;
}

function leafText(node: EventNode, field: string): string | null {
  const value: unknown = JSON.parse(EVENT.leaves[field]?.(node) ?? 'null');
  return typeof value === 'string' ? value : null;
}
