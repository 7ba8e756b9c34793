/** The number of rows that each choice of the site would show together with the other choices. */
import { osloDay, startOfDay } from '../../../calendar/time.ts';
import { selectNodes } from '../../../serve/query/select.ts';
import { type Bitmap, countUpTo, hasBit } from '../../../snapshot/bitmaps.ts';
import type { Conditions } from '../../../snapshot/filters.ts';
import { type Hits, hitsBy } from '../../events/choices.ts';
import type { EventList } from '../../events/event-list.ts';
import { hitsByMunicipality } from '../../events/municipalities.ts';
import { conditionsOf, type WordedCondition } from '../../events/name.ts';
import { isBounded, WINDOW } from './window.ts';

export interface SiteCounts extends Hits {
  readonly free: number;
  /** Events that start on each day, by its date, whatever window is chosen. */
  readonly days: ReadonlyMap<string, number>;
  /** Dates of the list itself that start on each day. */
  readonly listed: ReadonlyMap<string, number>;
  /** Rows that began before the day on which the window begins: they stand under the heading "Pågår". */
  readonly ongoing: number;
  /** Each condition with the number of events without it, the largest first. Empty unless nothing was found. */
  readonly without: readonly RemovableCondition[];
}

/** A condition, with the number of events that the list has without it. */
export interface RemovableCondition extends WordedCondition {
  readonly hits: number;
}

export async function countsFor(list: EventList): Promise<SiteCounts> {
  const { view, now, query, total } = list;
  const { facets } = view;
  const { conditions } = query.plan;
  const without = (names: readonly string[], more: Conditions = {}) => {
    const kept = conditionsWithout(names, conditions);
    // Rows of a list without an end are events, unless its address says otherwise.
    const isByDay = isBounded(kept) || list.values[BY_DAY] === true;
    const asListed = isByDay ? kept : conditionsWithout([BY_DAY], kept);
    return selectNodes(view, { ...asListed, ...more }, { now });
  };
  const categories = await without(['categories']);
  const municipalities = await without(['municipality']);
  const accessibility = await without(['accessibility']);
  const free = await without([], { free: true });
  // Each date of an event is a node, so that a day counts all events of that day.
  const days = await without([...WINDOW, BY_DAY], { [BY_DAY]: true });
  const listed = await without([]);
  const removable = total > 0 ? [] : conditionsOf(list).filter(({ names }) => names[0] !== BY_DAY);
  const fewer = [];
  for (const condition of removable) {
    const found = await without(condition.names);
    fewer.push({ ...condition, hits: found.total });
  }
  return {
    categories: hitsBy('ordinal', facets.entities(categories.counts(), 'categories')),
    municipalities: hitsByMunicipality(facets.municipalities(municipalities.counts())),
    accessibility: hitsBy('value', facets.accessibilities(accessibility.rows)),
    free: free.total,
    days: hitsBy('day', facets.days(days.rows)),
    listed: hitsBy('day', facets.days(listed.rows)),
    ongoing: isBounded(conditions) ? ongoingIn(listed.rows, list) : 0,
    without: fewer.sort((left, right) => right.hits - left.hits),
  };
}

const BY_DAY = 'groupRepetitionsByDay';

function conditionsWithout(names: readonly string[], conditions: Conditions): Conditions {
  return Object.fromEntries(Object.entries(conditions).filter(([name]) => !names.includes(name)));
}

/** Rows are ordered by their starts. */
function ongoingIn(rows: Bitmap, { view, from }: EventList): number {
  const end = countUpTo(view.columns.start, startOfDay(osloDay(from)) - 1);
  let count = 0;
  for (let row = 0; row < end; row++) if (hasBit(rows, row)) count++;
  return count;
}
