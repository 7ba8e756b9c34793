/** The data of the developer page's sections: the calendar at one second, by the code that answers requests. */
import type { GraphQLSchema } from 'graphql';
import { type Category, isTopLevel } from '../../../calendar/model.ts';
import { osloDay, startOfDay } from '../../../calendar/time.ts';
import type { AnswerBasis, ExecuteRequest } from '../../../serve/graphql/answer.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import { upcomingEvents, type View, viewAt } from '../../../serve/query/view.ts';
import { countUpTo } from '../../../snapshot/bitmaps.ts';
import type { Snapshot } from '../../../snapshot/open.ts';
import { type EventList, readEventList } from '../../events/event-list.ts';
import type { CallerLimits } from '../../facts/facts.ts';
import type { Colour } from '../../page/highlight.ts';
import type { Menu } from '../../page/menu.ts';
import type { ChosenLanguage, TechnicalLanguage } from '../../page/reader.ts';
import { type WalkedStep, walkThrough } from './walk.ts';

/** What the sections of the page are written from. */
export interface DeveloperPageContext extends ChosenLanguage<TechnicalLanguage>, Figures {
  readonly snapshot: Snapshot;
  readonly schema: GraphQLSchema;
  /** Seconds: the longest time that an answer may be cached (D6). */
  readonly maxAge: number;
  /** K4: requests a minute. */
  readonly limits: CallerLimits;
  /** The offers of all annexes, and their paths. */
  readonly offers: ReadonlySet<string>;
  readonly menu: Menu;
  readonly colour: Colour;
  /** Address of this server, without a slash at the end. */
  readonly address: string;
}

/** The calendar at one second. */
interface Figures {
  /** Days since 1970-01-01, in Norway. */
  readonly today: number;
  /** The number of events that have not ended. */
  readonly upcoming: number;
  /** The first few events that begin from this second on. */
  readonly next: EventList;
  /** The number of events that begin today, from this second on. */
  readonly leftToday: number;
  /** Events at this second by category id, subcategories included. A category without events has no entry. */
  readonly hitsByCategory: ReadonlyMap<string, number>;
  /** The top-level category with most events, for examples that find something; undefined without events. */
  readonly busiest: CategoryHits | undefined;
  readonly walked: readonly WalkedStep[];
}

interface CategoryHits extends Category {
  /** Its events at this second, subcategories included. */
  readonly hits: number;
}

/** The second until which the page is exact: an answer changes, another day begins, or what begins next has begun. */
export function exactUntil(snapshot: Snapshot, now: number): number {
  const { start } = snapshot.columns;
  const next = start[countUpTo(start, now - 1)] ?? Number.POSITIVE_INFINITY;
  // In the second of its start, an event is still one of the next.
  return Math.min(viewAt(snapshot, now).epoch.ends, startOfDay(osloDay(now) + 1), next + 1);
}

interface FiguresOptions {
  readonly executeRequest: ExecuteRequest;
  /** The language of the events' texts. */
  readonly chosen: ChosenLanguage<TechnicalLanguage>;
  /** Address of this server, without a slash at the end. */
  readonly address: string;
}

export async function figuresAt(
  basis: AnswerBasis,
  { executeRequest, chosen, address }: FiguresOptions,
): Promise<Figures> {
  const { snapshot, now } = basis;
  const view = viewAt(snapshot, now);
  const today = osloDay(now);
  const untilMidnight = { fromStartDate: now, untilDate: startOfDay(today + 1) };
  const categories = categoryHits(view);
  const busiest = categories.find((category) => isTopLevel(category) && category.visible);
  return {
    today,
    upcoming: upcomingEvents(snapshot, now),
    next: await nextEvents(basis, chosen, address),
    leftToday: (await selectNodes(view, untilMidnight, { now })).total,
    hitsByCategory: new Map(categories.map(({ id = '', hits }) => [id, hits])),
    busiest,
    walked: await walkThrough({ view, busiest }, basis, executeRequest),
  };
}

/** Categories with events, the one with most of them first. */
function categoryHits(view: View): readonly CategoryHits[] {
  const entities = view.facets.entities(view.unfilteredCounts(), 'categories');
  return entities.flatMap(({ ordinal, hits }) => {
    const category = view.lists.categories[ordinal];
    return category === undefined ? [] : { ...category, hits };
  });
}

/** Events that the page names. */
const MOST_NEXT = 6;

/** The first few events that start from this second on. */
function nextEvents(
  basis: AnswerBasis,
  chosen: ChosenLanguage<TechnicalLanguage>,
  address: string,
): Promise<EventList> {
  const query = {
    ...chosen,
    plan: { conditions: { fromStartDate: basis.now }, page: 0, pageSize: MOST_NEXT },
    event: null,
    occurrence: null,
    isSubscription: false,
    values: {},
  };
  const where = { address: null, server: address, search: '', resizedPicture: null, hasDates: false };
  return readEventList(query, basis, where);
}
