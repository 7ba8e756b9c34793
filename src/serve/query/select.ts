/** Selects nodes: the window picks the occurrences, and each filter field puts a condition on what they show (A4). */
import { bitsOf, countBits, intersect } from '../../snapshot/bitmaps.ts';
import { rowsCarrying } from '../../snapshot/filters/rows.ts';
import { withoutPeriod } from '../../snapshot/filters/when.ts';
import { type Conditions, givenIn } from '../../snapshot/filters.ts';
import type { FacetCounts } from './facet-counts.ts';
import { type Search, searchEvents } from './search.ts';
import type { ShownRows } from './shown-rows.ts';
import type { NodeSet, View } from './view.ts';

interface Selection {
  /** Seconds since 1970. */
  readonly now: number;
  /** A search within the limits of a request; by default that of the view. */
  readonly search?: Search;
  /** By default all rows that the view shows. */
  readonly shownRows?: ShownRows;
}

/** The nodes that meet all conditions. */
export async function selectNodes(
  view: View,
  wanted: Conditions,
  { now, search = view.search, shownRows = view.shownRows }: Selection,
): Promise<NodeSet> {
  const { columns, isVisible } = view;
  const conditions = withoutPeriod(wanted, now);
  const { searchTerm } = conditions;
  const found = searchTerm === undefined ? null : await searchEvents({ search, isVisible }, searchTerm);
  const rows = shownRows(conditions);
  if (found !== null) intersect(rows, rowsCarrying(columns, 'event', bitsOf(found.events)));
  for (const { filter, value } of givenIn(conditions)) filter.condition?.(rows, value, view);
  const isUnfiltered = Object.keys(conditions).length === 0;
  let counts: FacetCounts | undefined;
  return {
    rows,
    total: countBits(rows),
    validAt: Math.max(now, conditions.fromDate ?? now),
    byDay: conditions.groupRepetitionsByDay ?? false,
    isApproximate: found?.isApproximate ?? false,
    counts: () => {
      counts ??= isUnfiltered ? view.unfilteredCounts() : view.facets.count(rows);
      return counts;
    },
    facetEntries: new Map(),
  };
}
