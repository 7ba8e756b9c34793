/** Counts beside the choices of the calendar's form: how many events each would show, the other choices kept. */
import type { Accessibility } from '../../../calendar/accessibility.ts';
import { formatDay, osloDay } from '../../../calendar/time.ts';
import type { Conditions } from '../../../serve/query/plan.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import { type Condition, conditionsOf } from '../../events/name.ts';
import type { Feed } from '../../events/read.ts';

export interface SiteCounts {
  /** By ordinal. */
  readonly categories: ReadonlyMap<number, number>;
  /** By name. */
  readonly municipalities: ReadonlyMap<string, number>;
  readonly accessibility: ReadonlyMap<Accessibility, number>;
  readonly free: number;
  /** Events that start on each day from today on, by day number; whatever window is chosen. */
  readonly days: ReadonlyMap<number, number>;
  /** Each condition, and how many events there are without it. Empty unless nothing was found. */
  readonly without: readonly (Condition & { readonly hits: number })[];
}

/** Parameters of a window: a click on a day replaces them. */
export const WINDOW = ['period', 'fromDate', 'fromStartDate', 'untilDate'] as const;

export async function countsFor(feed: Feed): Promise<SiteCounts> {
  const { view, now, query, total } = feed;
  const { facets } = view;
  const { conditions } = query.plan;
  const setOf = (wanted: Conditions) => selectNodes(view, wanted, now);
  const inTurn = {
    categories: await setOf(without(conditions, ['categories'])),
    municipalities: await setOf(without(conditions, ['municipality'])),
    accessibility: await setOf(without(conditions, ['accessibility'])),
    free: await setOf({ ...conditions, free: true }),
    // Each date of an event is a node, so that a day counts all events of that day.
    days: await setOf({ ...without(conditions, WINDOW), groupRepetitionsByDay: true }),
  };
  const { categories, municipalities, accessibility, free, days } = inTurn;
  const today = formatDay(osloDay(now));
  return {
    categories: new Map(
      facets.entities(categories.counts(), 'categories', null).map(({ ordinal, hits }) => [ordinal, hits]),
    ),
    municipalities: new Map(
      facets.municipalities(municipalities.counts(), null).map(({ name, hits }) => [name, hits]),
    ),
    accessibility: new Map(
      facets.accessibilities(accessibility.rows, null).map(({ value, hits }) => [value, hits]),
    ),
    free: free.total,
    days: new Map(
      facets
        .days(days.rows, null)
        .filter(({ day }) => day >= today)
        .map(({ day, hits }) => [Date.parse(day) / DAY_MS, hits]),
    ),
    without: total > 0 ? [] : await countWithout(feed),
  };
}

const DAY_MS = 86_400_000;

async function countWithout(feed: Feed): Promise<SiteCounts['without']> {
  const { view, now, query } = feed;
  const found: SiteCounts['without'][number][] = [];
  for (const condition of conditionsOf(feed)) {
    const { total } = await selectNodes(view, without(query.plan.conditions, [condition.name]), now);
    found.push({ ...condition, hits: total });
  }
  return found.sort((left, right) => right.hits - left.hits);
}

function without(conditions: Conditions, names: readonly string[]): Conditions {
  return Object.fromEntries(Object.entries(conditions).filter(([name]) => !names.includes(name)));
}
