/** Selects nodes: the window picks the occurrences, the conditions test what they show (A4). */
import type { Selection } from '../plan.ts';
import { conditionsOf, ofEvents } from './conditions.ts';
import { searchEvents } from './search.ts';
import type { NodeSet, View } from './view.ts';
import { shownRows } from './window.ts';

/** The node set of a selection. Kept while the view is exact, so that other pages and facets of it cost nothing. */
export async function selectNodes(view: View, selection: Selection, now: number): Promise<NodeSet> {
  const key = JSON.stringify(selection);
  const known = view.sets.get(key);
  if (known !== undefined) return known;
  const conditions = conditionsOf(view, selection);
  if (selection.searchTerm !== undefined) {
    const found = await searchEvents(view, selection.searchTerm, now);
    if (found !== null) conditions.push(ofEvents(view, found));
  }
  const validAt = Math.max(now, selection.fromDate ?? now);
  const byDay = selection.groupRepetitionsByDay ?? false;
  const rows = conditions.reduce(
    (left, condition) => left.filter(condition),
    shownInWindow(view, selection, now),
  );
  const counts = once(() =>
    key === UNFILTERED ? view.tally.unfiltered(now).slice() : view.tally.count(rows),
  );
  const set = { rows, validAt, byDay, counts };
  view.sets.set(key, set);
  return set;
}

/** Without any condition the build has counted already. */
const UNFILTERED = JSON.stringify({});

/** The candidates of a window, which every selection with the same window starts from. */
function shownInWindow(view: View, selection: Selection, now: number): Int32Array {
  const {
    fromDate = null,
    untilDate = null,
    fromStartDate = null,
    groupRepetitionsByDay = false,
  } = selection;
  const key = JSON.stringify([fromDate, untilDate, fromStartDate, groupRepetitionsByDay]);
  const known = view.windows.get(key);
  if (known !== undefined) return known;
  const rows = shownRows(
    view.columns,
    {
      validAt: Math.max(now, fromDate ?? now),
      fromStart: fromStartDate ?? Number.NEGATIVE_INFINITY,
      untilStart: untilDate ?? Number.POSITIVE_INFINITY,
      byDay: groupRepetitionsByDay,
    },
    now,
  );
  view.windows.set(key, rows);
  return rows;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
