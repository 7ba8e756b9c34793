/** The data of the developer page's sections: the calendar at one second, by the code that answers requests. */
import type { GraphQLSchema } from 'graphql';
import { osloDay, startOfDay } from '../../../calendar/time.ts';
import type { AnswerBasis, ExecuteRequest } from '../../../serve/graphql/execute.ts';
import type { Conditions } from '../../../serve/query/plan.ts';
import { readNodes, selectNodes } from '../../../serve/query/select.ts';
import { viewAt } from '../../../serve/query/view.ts';
import { bitsOf, countUpTo } from '../../../snapshot/columns.ts';
import type { Snapshot } from '../../../snapshot/open.ts';
import { feedEventOf, feedOccurrenceOf } from '../../events/values.ts';
import type { CallerLimits } from '../../facts/facts.ts';
import type { Colour } from '../../page/highlight.ts';
import type { PageName } from '../../page/page.ts';
import type { ChosenLanguage, Language } from '../../page/reader.ts';
import { walkThrough } from './walk.ts';

export interface Context extends ChosenLanguage, Figures {
  readonly snapshot: Snapshot;
  readonly schema: GraphQLSchema;
  /** Seconds: the longest time that an answer may be cached (D6, exact freshness). */
  readonly maxAge: number;
  /** K4, quota: requests a minute. */
  readonly limits: CallerLimits;
  /** What all annexes offer. */
  readonly offers: ReadonlySet<string>;
  readonly menu: readonly PageName[];
  readonly colour: Colour;
  /** Address of this server, without a slash at the end. */
  readonly address: string;
}

type Figures = Readonly<Awaited<ReturnType<typeof figuresAt>>>;
export type NextEvent = Figures['next'][number];

/** The second until which the page is exact: an answer changes, another day begins, or what begins next has begun. */
export function exactUntil(snapshot: Snapshot, now: number): number {
  const { start } = snapshot.columns;
  const next = start[countUpTo(start, now - 1)] ?? Number.POSITIVE_INFINITY;
  return Math.min(viewAt(snapshot, now).epoch.until, startOfDay(osloDay(now) + 1), next + 1);
}

const ONGOING = 4;
const NEXT = 6;

interface Basis extends AnswerBasis {
  readonly executeRequest: ExecuteRequest;
  readonly language: Language;
}

export async function figuresAt({ snapshot, now, executeRequest, language }: Basis) {
  const view = viewAt(snapshot, now);
  const today = osloDay(now);
  /** Events from a place on, which is counted from the end if it is negative. */
  const eventsOf = async (conditions: Conditions, from: number, count: number) => {
    const { rows, total, validAt, byDay } = await selectNodes(view, conditions, now);
    const places = [...bitsOf(rows, from < 0 ? Math.max(0, total + from) : from, count)];
    const nodes = await readNodes(view, places, { validAt, byDay });
    return nodes.map((node) => ({ ...feedEventOf(node, language), ...feedOccurrenceOf(node, language) }));
  };
  const all = await selectNodes(view, {}, now);
  const categories = view.facets.entities(all.counts(), 'categories', null);
  const leftToday = { fromStartDate: now, untilDate: startOfDay(today + 1) };
  return {
    /** Days since 1970-01-01, in Norway. */
    today,
    upcoming: all.total,
    /** Events in progress, a few of those that began last. */
    ongoing: (await eventsOf({ untilDate: now + 1 }, -ONGOING, ONGOING)).reverse(),
    /** The first few events that start next. */
    next: await eventsOf({ fromStartDate: now }, 0, NEXT),
    /** Events that begin today, from this second on. */
    leftToday: (await selectNodes(view, leftToday, now)).total,
    /** Events at this second by category id, subcategories included, without those that have none. */
    hitsByCategory: new Map(
      categories.map(({ ordinal, hits }) => [view.lists.categories[ordinal]?.id ?? '', hits]),
    ),
    walked: await walkThrough(view, { snapshot, now }, executeRequest),
  };
}
