/** The data of the developer page's sections: the calendar at one second, by the code that answers requests. */
import type { GraphQLSchema } from 'graphql';
import { osloDay, startOfDay } from '../../../calendar/time.ts';
import type { AnswerBasis, ExecuteRequest } from '../../../serve/graphql/answer.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import { upcomingEvents, viewAt } from '../../../serve/query/view.ts';
import { countUpTo } from '../../../snapshot/bitmaps.ts';
import type { Snapshot } from '../../../snapshot/open.ts';
import { readFeed } from '../../events/read.ts';
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
  /** What all annexes offer. */
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
  return Math.min(viewAt(snapshot, now).epoch.until, startOfDay(osloDay(now) + 1), next + 1);
}

/** Events that the page names. */
const NEXT = 6;

interface Basis extends AnswerBasis {
  readonly executeRequest: ExecuteRequest;
  readonly chosen: ChosenLanguage;
  readonly address: string;
}

export async function figuresAt({ executeRequest, chosen, address, ...basis }: Basis) {
  const { snapshot, now } = basis;
  const view = viewAt(snapshot, now);
  const today = osloDay(now);
  const plan = { conditions: { fromStartDate: now }, page: 0, pageSize: NEXT };
  const query = { plan, event: null, occurrence: null, ...chosen, isSubscription: false, values: {} };
  const where = { address: null, server: address, search: '', hasDates: false };
  const leftToday = { fromStartDate: now, untilDate: startOfDay(today + 1) };
  const categories = view.facets
    .entities(view.unfilteredCounts(), 'categories')
    .map(({ ordinal, hits }) => ({ ...view.lists.categories[ordinal], hits }));
  /** One that gives the examples results. */
  const busiest = categories.find(({ parent, visible }) => parent === -1 && visible);
  return {
    /** Days since 1970-01-01, in Norway. */
    today,
    upcoming: upcomingEvents(snapshot, now),
    /** The first few events that start next. */
    next: await readFeed(query, basis, where),
    /** Events that begin today, from this second on. */
    leftToday: (await selectNodes(view, leftToday, now)).total,
    /** Events at this second by category id, subcategories included, without those that have none. */
    hitsByCategory: new Map(categories.map(({ id = '', hits }) => [id, hits])),
    busiest,
    walked: await walkThrough({ view, busiest }, basis, executeRequest),
  };
}
