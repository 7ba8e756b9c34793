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
  readonly removable: readonly RemovableCondition[];
}

/** A condition, with the number of events that the list has without it. */
export interface RemovableCondition extends WordedCondition {
  readonly hits: number;
}

export async function countsFor(list: EventList): Promise<SiteCounts> {
  const { view, now, query, total } = list;
  const { facets } = view;
  const { conditions } = query.plan;
  const selectWith = ({ removed = [], added = {} }: ConditionChanges) => {
    const kept = conditionsWithout(removed, conditions);
    // Rows of a list without an end are events, unless its address says otherwise.
    const isByDay = isBounded(kept) || list.values[BY_DAY] === true;
    const asListed = isByDay ? kept : conditionsWithout([BY_DAY], kept);
    return selectNodes(view, { ...asListed, ...added }, { now });
  };
  const listed = await selectWith({});
  const categories = await selectWith({ removed: ['categories'] });
  const municipalities = await selectWith({ removed: ['municipality'] });
  const accessibility = await selectWith({ removed: ['accessibility'] });
  const free = await selectWith({ added: { free: true } });
  // Each date of an event is a node, so that a day counts all events of that day.
  const days = await selectWith({ removed: [...WINDOW, BY_DAY], added: { [BY_DAY]: true } });
  const removable: RemovableCondition[] = [];
  for (const condition of total > 0 ? [] : removableConditions(list)) {
    const { total: hits } = await selectWith({ removed: condition.names });
    removable.push({ ...condition, hits });
  }
  return {
    categories: hitsBy('ordinal', facets.entities(categories.counts(), 'categories')),
    municipalities: hitsByMunicipality(facets.municipalities(municipalities.counts())),
    accessibility: hitsBy('value', facets.accessibilities(accessibility.rows)),
    free: free.total,
    days: hitsBy('day', facets.days(days.rows)),
    listed: hitsBy('day', facets.days(listed.rows)),
    ongoing: isBounded(conditions) ? ongoingIn(listed.rows, list) : 0,
    removable: removable.sort((left, right) => right.hits - left.hits),
  };
}

/** How the conditions of a count differ from those of the list. */
interface ConditionChanges {
  /** Names of conditions. */
  readonly removed?: readonly string[];
  readonly added?: Conditions;
}

/** The conditions that a visitor has chosen. */
function removableConditions(list: EventList): readonly WordedCondition[] {
  return conditionsOf(list).filter(({ names }) => names[0] !== BY_DAY);
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
