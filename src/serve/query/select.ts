/**
 * Selects nodes: the window picks the occurrences, the conditions test what they show (A4). Look-ups without a filter have
 * T = now, and find no event without a valid occurrence (A7).
 */
import { type Bitmap, countBits, placesOf } from '../../snapshot/bitmaps.ts';
import { type Condition, conditionsOf, not, only } from './conditions.ts';
import type { Counts } from './facets.ts';
import type { AreaPlan, Selection } from './plan.ts';
import { withoutPeriod } from './plan.ts';
import { searchEvents } from './search.ts';
import type { NodeSet, View } from './view.ts';

/** The node set of a selection. Cached while the view is exact, so that other pages and facets of it cost nothing. */
export async function selectNodes(view: View, asked: Selection, now: number): Promise<NodeSet> {
  const selection = withoutPeriod(asked, now);
  const key = JSON.stringify(selection);
  const known = view.sets.get(key);
  if (known !== undefined) return known;
  const { searchTerm } = selection;
  const found = searchTerm === undefined ? null : await searchEvents(view, searchTerm, now);
  const searched = found === null ? [] : [only(() => view.rowIndex.ofEvents(found.events))];
  const rows = selectRows(view, selection, [...searched, ...conditionsOf(view, selection)]);
  const validAt = Math.max(now, selection.fromDate ?? now);
  const byDay = selection.groupRepetitionsByDay ?? false;
  const count = () => (key === UNFILTERED ? view.facets.unfiltered(now).slice() : view.facets.count(rows));
  const isApproximate = found?.isApproximate ?? false;
  const set = new SelectedNodes(rows, count, { validAt, byDay, isApproximate });
  view.sets.offer(key, set);
  return set;
}

/**
 * A class: once a cache has filled with object literals from one place, V8 allocates all from there as long-lived, and the
 * bitmaps of those that never got into the cache stay until a full collection.
 */
class SelectedNodes implements NodeSet {
  readonly rows: Bitmap;
  readonly total: number;
  readonly validAt: number;
  readonly byDay: boolean;
  readonly isApproximate: boolean;
  readonly #count: () => Counts;
  #counts: Counts | undefined;

  constructor(
    rows: Bitmap,
    count: () => Counts,
    { validAt, byDay, isApproximate }: Pick<NodeSet, 'validAt' | 'byDay' | 'isApproximate'>,
  ) {
    this.rows = rows;
    this.total = countBits(rows);
    this.validAt = validAt;
    this.byDay = byDay;
    this.isApproximate = isApproximate;
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

/** Rows in a window that meet conditions. */
function selectRows(view: View, window: WindowFields, conditions: readonly Condition[]): Bitmap {
  const rows = view.shown({
    // Nothing is over between the epoch's beginning and now: one set of rows serves all of it.
    validAt: Math.max(view.epoch.since, window.fromDate ?? Number.NEGATIVE_INFINITY),
    fromStart: window.fromStartDate ?? Number.NEGATIVE_INFINITY,
    untilStart: window.untilDate ?? Number.POSITIVE_INFINITY,
    byDay: window.groupRepetitionsByDay ?? false,
  });
  for (const condition of conditions) condition(rows);
  return rows;
}

/** The row that an event shows at `now`, or null when it is not published (A9) or has no valid occurrence. */
export function shownRow(view: View, ordinal: number, now: number): number | null {
  const { publishing, occurrences, occurrencesAt, over } = view.columns;
  if ((publishing[ordinal] ?? Number.POSITIVE_INFINITY) > now) return null;
  const end = occurrencesAt[ordinal + 1] ?? 0;
  for (let place = occurrencesAt[ordinal] ?? end; place < end; place++) {
    const row = occurrences[place];
    if (row !== undefined && (over[row] ?? 0) > now) return row;
  }
  return null;
}

/** A8: in serving order, which is the order of the row numbers. */
export function shownRowsOf(view: View, ordinals: readonly number[], now: number): readonly number[] {
  return ordinals
    .map((ordinal) => shownRow(view, ordinal, now))
    .filter((row) => row !== null)
    .sort((left, right) => left - right);
}

/** Containers that are not yet finished. */
export function containerRows(view: View): readonly number[] {
  return placesOf(selectRows(view, {}, [only(() => view.rowIndex.flagged('container'))]));
}

/** B9: events whose shown venue lies in the box, edges included; online events and places unknown never do. */
export function areaRows(view: View, area: AreaPlan): readonly number[] {
  const inside = [...view.lists.venues.entries()].filter(
    ([, { location }]) => location !== null && contains(area, location),
  );
  const ordinals = inside.map(([ordinal]) => ordinal);
  const conditions = [
    only(() => view.rowIndex.carrying('venues', ordinals)),
    not(() => view.rowIndex.flagged('online')),
  ];
  return placesOf(selectRows(view, {}, conditions));
}

function contains(
  { south, north, west, east }: AreaPlan,
  point: { readonly latitude: number; readonly longitude: number },
): boolean {
  if (point.latitude < south || point.latitude > north) return false;
  return west <= east
    ? point.longitude >= west && point.longitude <= east
    : point.longitude >= west || point.longitude <= east;
}
