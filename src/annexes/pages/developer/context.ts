/** The data of the developer page's sections: the calendar at one second, by the code that answers requests. */
import type { GraphQLSchema } from 'graphql';
import { osloDay, startOfDay } from '../../../calendar/time.ts';
import type { AnswerBasis, ExecuteRequest } from '../../../serve/graphql/answer.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import { upcomingEvents, type View, viewAt } from '../../../serve/query/view.ts';
import { countUpTo } from '../../../snapshot/bitmaps.ts';
import type { Snapshot } from '../../../snapshot/open.ts';
import { type Feed, readFeed } from '../../events/read.ts';
import type { CallerLimits } from '../../facts/facts.ts';
import type { Colour } from '../../page/highlight.ts';
import type { Menu } from '../../page/page.ts';
import type { ChosenLanguage } from '../../page/reader.ts';
import { walkThrough } from './walk.ts';

export interface Context extends ChosenLanguage, Figures {
  readonly snapshot: Snapshot;
  readonly schema: GraphQLSchema;
  /** Seconds: the longest time that an answer may be cached (D6). */
  readonly maxAge: number;
  /** K4: requests a minute. */
  readonly limits: CallerLimits;
  /** The offers of all annexes. */
  readonly offers: ReadonlySet<string>;
  readonly menu: Menu;
  readonly colour: Colour;
  /** Address of this server, without a slash at the end. */
  readonly address: string;
}

type Figures = Readonly<Awaited<ReturnType<typeof figuresAt>>>;

/** The second until which the page is exact: an answer changes, another day begins, or what begins next has begun. */
export function exactUntil(snapshot: Snapshot, now: number): number {
  const { start } = snapshot.columns;
  const next = start[countUpTo(start, now - 1)] ?? Number.POSITIVE_INFINITY;
  return Math.min(viewAt(snapshot, now).epoch.ends, startOfDay(osloDay(now) + 1), next + 1);
}

interface Basis extends AnswerBasis {
  readonly executeRequest: ExecuteRequest;
  readonly chosen: ChosenLanguage;
  readonly address: string;
}

export async function figuresAt({ executeRequest, chosen, address, ...basis }: Basis) {
  const { snapshot, now } = basis;
  const view = viewAt(snapshot, now);
  const today = osloDay(now);
  const untilMidnight = { fromStartDate: now, untilDate: startOfDay(today + 1) };
  const categories = categoryHits(view);
  const busiest = categories.find(({ parent, visible }) => parent === -1 && visible);
  return {
    /** Days since 1970-01-01, in Norway. */
    today,
    upcoming: upcomingEvents(snapshot, now),
    next: await nextEvents(basis, chosen, address),
    /** Events that begin today, from this second on. */
    leftToday: (await selectNodes(view, untilMidnight, now)).total,
    /** Events at this second by category id, subcategories included, without those that have none. */
    hitsByCategory: new Map(categories.map(({ id = '', hits }) => [id, hits])),
    /** The top-level category with most events, for examples that find something; undefined without events. */
    busiest,
    walked: await walkThrough({ view, busiest }, basis, executeRequest),
  };
}

/** Categories with events, the one with most of them first. */
function categoryHits(view: View) {
  const entities = view.facets.entities(view.unfilteredCounts(), 'categories');
  return entities.map(({ ordinal, hits }) => ({ ...view.lists.categories[ordinal], hits }));
}

/** Events that the page names. */
const MOST_NEXT = 6;

/** The first few events that start from this second on. */
function nextEvents(basis: AnswerBasis, chosen: ChosenLanguage, address: string): Promise<Feed> {
  const query = {
    ...chosen,
    plan: { conditions: { fromStartDate: basis.now }, page: 0, pageSize: MOST_NEXT },
    event: null,
    occurrence: null,
    isSubscription: false,
    values: {},
  };
  return readFeed(query, basis, { address: null, server: address, search: '', hasDates: false });
}
