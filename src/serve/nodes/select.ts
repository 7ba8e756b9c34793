/** Selects nodes: the window picks the occurrences, the conditions test what they show (A4). */
import { type Bits, countBits } from '../../snapshot/bits.ts';
import type { Selection } from '../plan.ts';
import { type Condition, conditionsOf, only } from './conditions.ts';
import type { Counts } from './facets.ts';
import { searchEvents } from './search.ts';
import type { NodeSet, View } from './view.ts';

/** The node set of a selection. Kept while the view is exact, so that other pages and facets of it cost nothing. */
export async function selectNodes(view: View, selection: Selection, now: number): Promise<NodeSet> {
  const key = JSON.stringify(selection);
  const known = view.sets.get(key);
  if (known !== undefined) return known;
  const rows = selectRows(view, selection, [
    ...(await searchCondition(view, selection, now)),
    ...conditionsOf(view, selection),
  ]);
  const validAt = Math.max(now, selection.fromDate ?? now);
  const byDay = selection.groupRepetitionsByDay ?? false;
  const count = () => (key === UNFILTERED ? view.tally.unfiltered(now).slice() : view.tally.count(rows));
  const set = new SelectedNodes(rows, count, { validAt, byDay });
  view.sets.offer(key, set);
  return set;
}

/** A class for the reason that `Form` is one. */
class SelectedNodes implements NodeSet {
  readonly rows: Bits;
  readonly total: number;
  readonly validAt: number;
  readonly byDay: boolean;
  readonly #count: () => Counts;
  #counts: Counts | undefined;

  constructor(rows: Bits, count: () => Counts, { validAt, byDay }: Pick<NodeSet, 'validAt' | 'byDay'>) {
    this.rows = rows;
    this.total = countBits(rows);
    this.validAt = validAt;
    this.byDay = byDay;
    this.#count = count;
  }

  counts(): Counts {
    this.#counts ??= this.#count();
    return this.#counts;
  }
}

/** Without any condition the build has counted already. */
const UNFILTERED = JSON.stringify({});

type WindowFields = Pick<Selection, 'fromDate' | 'untilDate' | 'fromStartDate' | 'groupRepetitionsByDay'>;

/** Rows in a window that meet conditions. Not to be changed by the caller. */
export function selectRows(view: View, window: WindowFields, conditions: readonly Condition[]): Bits {
  const shown = view.shown({
    // Nothing is over between the epoch's beginning and now: one set of rows serves all of it.
    validAt: Math.max(view.epoch.since, window.fromDate ?? Number.NEGATIVE_INFINITY),
    fromStart: window.fromStartDate ?? Number.NEGATIVE_INFINITY,
    untilStart: window.untilDate ?? Number.POSITIVE_INFINITY,
    byDay: window.groupRepetitionsByDay ?? false,
  });
  if (conditions.length === 0) return shown;
  const rows = shown.slice();
  for (const condition of conditions) condition(rows);
  return rows;
}

async function searchCondition(
  view: View,
  { searchTerm }: Selection,
  now: number,
): Promise<readonly Condition[]> {
  if (searchTerm === undefined) return [];
  const events = await searchEvents(view, searchTerm, now);
  return events === null ? [] : [only(() => view.carriers.ofEvents(events))];
}
