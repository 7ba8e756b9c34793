/** Counts beside the choices of the calendar's form: how many events each would show, the other choices kept. */
import type { Conditions } from '../../../serve/query/plan.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import { type Hits, hitsBy } from '../../events/choices.ts';
import { type Condition, conditionsOf } from '../../events/name.ts';
import type { Feed } from '../../events/read.ts';

export interface SiteCounts extends Hits {
  readonly free: number;
  /** Events that start on each day, by its date; whatever window is chosen. */
  readonly days: ReadonlyMap<string, number>;
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
  const categories = await setOf(without(conditions, ['categories']));
  const municipalities = await setOf(without(conditions, ['municipality']));
  const accessibility = await setOf(without(conditions, ['accessibility']));
  // Each date of an event is a node, so that a day counts all events of that day.
  const days = await setOf({ ...without(conditions, WINDOW), groupRepetitionsByDay: true });
  return {
    categories: hitsBy('ordinal', facets.entities(categories.counts(), 'categories', null)),
    municipalities: hitsBy('name', facets.municipalities(municipalities.counts(), null)),
    accessibility: hitsBy('value', facets.accessibilities(accessibility.rows, null)),
    free: (await setOf({ ...conditions, free: true })).total,
    days: hitsBy('day', facets.days(days.rows, null)),
    without: total > 0 ? [] : await countWithout(feed),
  };
}

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
