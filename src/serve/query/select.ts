/**
 * Selects nodes: the window picks the occurrences, and each filter field puts a condition on what they show (A4). Look-ups without a filter
 * use T = now, and find no event without a valid occurrence (A7). A node is an event as one of its occurrences shows it: its ready-made
 * JSON is read once it is selected.
 */
import { type Box, venuesInside } from '../../calendar/positions.ts';
import { bitsOf, countBits, countUpTo, intersect } from '../../snapshot/bitmaps.ts';
import { listAt } from '../../snapshot/columns.ts';
import { rowsCarrying } from '../../snapshot/filters/rows.ts';
import { withoutPeriod } from '../../snapshot/filters/when.ts';
import { keepAtVenues } from '../../snapshot/filters/where.ts';
import { type Conditions, givenIn } from '../../snapshot/filters.ts';
import { rowsFlagged } from '../../snapshot/flags.ts';
import { type EventFragment, readFragment } from '../../snapshot/fragments.ts';
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
  const { columns } = view;
  const conditions = withoutPeriod(wanted, now);
  const { searchTerm } = conditions;
  const found = searchTerm === undefined ? null : await searchEvents({ search, columns }, searchTerm, now);
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

/** The row that an event shows at `now`; null if it is not published (A9) or has no valid occurrence. */
export function shownRow(view: View, ordinal: number, now: number): number | null {
  const { publishing, over, occurrences, occurrencesAt } = view.columns;
  if ((publishing[ordinal] ?? Number.POSITIVE_INFINITY) > now) return null;
  return listAt(occurrences, occurrencesAt, ordinal).find((row) => (over[row] ?? 0) > now) ?? null;
}

/** A8: in serving order, which is the order of the row numbers. */
export function shownRowsOf(view: View, ordinals: readonly number[], now: number): readonly number[] {
  return ordinals
    .map((ordinal) => shownRow(view, ordinal, now))
    .filter((row) => row !== null)
    .sort((left, right) => left - right);
}

/** Containers that have not ended. */
export function containerRows(view: View): readonly number[] {
  const rows = view.shownRows({});
  intersect(rows, rowsFlagged(view.columns, 'container'));
  return [...bitsOf(rows)];
}

/** B9: events whose shown venue lies in the box, edges included; never online events or venues without a position. */
export function areaRows(view: View, area: Box): readonly number[] {
  const rows = view.shownRows({});
  keepAtVenues(rows, venuesInside(view.lists.venues, area), view);
  return [...bitsOf(rows)];
}

export interface EventNode {
  readonly view: View;
  /** The occurrence row that is shown. */
  readonly row: number;
  readonly fragment: EventFragment;
  /** A5: repetitions are those valid at this second. */
  readonly validAt: number;
  /** A6: repetitions are of the shown day only. */
  readonly byDay: boolean;
}

/** A later occurrence of a node's event. */
export interface RepetitionNode {
  readonly view: View;
  readonly row: number;
  readonly fragment: EventFragment;
}

/** Reads the events of these rows; the nodes have the order of the rows. */
export async function readNodes(
  view: View,
  rows: readonly number[],
  { validAt, byDay }: Pick<NodeSet, 'validAt' | 'byDay'>,
): Promise<readonly EventNode[]> {
  const { event } = view.columns;
  const fragments = await readFragments(
    view,
    rows.map((row) => event[row] ?? absent('event of row', row)),
  );
  return fragments.map((fragment, index) => ({
    view,
    row: rows[index] ?? absent('row', index),
    fragment,
    validAt,
    byDay,
  }));
}

/** A5, A6: the occurrences after the shown one, in A2's order. `first`: how many at most; null: all. */
export function repetitionsOf(node: EventNode, first: number | null = null): readonly RepetitionNode[] {
  const { view, row, fragment, validAt, byDay } = node;
  const { event, over, day, occurrences, occurrencesAt } = view.columns;
  const rows = listAt(occurrences, occurrencesAt, event[row] ?? absent('event of row', row));
  const repetitions: RepetitionNode[] = [];
  for (let index = countUpTo(rows, row); index < rows.length; index++) {
    const later = rows[index] ?? absent('date', index);
    const isOnOtherDay = byDay && day[later] !== day[row];
    if (repetitions.length === first || isOnOtherDay) break;
    if ((over[later] ?? 0) > validAt) repetitions.push({ view, row: later, fragment });
  }
  return repetitions;
}

function absent(what: string, index: number): never {
  throw new RangeError(`expected ${what} ${index}, found none`);
}

/** Bodies of one statement: passing them to JavaScript and splitting them delays other requests. */
const READ_AT_ONCE = 250;

/** In the order of the ordinals. */
export async function readFragments(
  { snapshot }: Pick<View, 'snapshot'>,
  ordinals: readonly number[],
): Promise<readonly EventFragment[]> {
  const wanted = [...new Set(ordinals)];
  const found = new Map<number, EventFragment>();
  for (let first = 0; first < wanted.length; first += READ_AT_ONCE) {
    const batch = wanted.slice(first, first + READ_AT_ONCE);
    const bodies = await snapshot.eventBodies(batch);
    for (const [index, body] of bodies.entries())
      found.set(batch[index] ?? absent('ordinal', index), readFragment(body));
  }
  return ordinals.map((ordinal) => found.get(ordinal) ?? absent('event', ordinal));
}
