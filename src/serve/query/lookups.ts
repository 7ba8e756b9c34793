/** Rows that are found without a filter: T = now, and no event without a valid occurrence is found (A7). */
import { type Box, venuesInside } from '../../calendar/positions.ts';
import { bitsOf, intersect } from '../../snapshot/bitmaps.ts';
import { listAt } from '../../snapshot/columns.ts';
import { keepAtVenues } from '../../snapshot/filters/where.ts';
import { rowsFlagged } from '../../snapshot/flags.ts';
import { isPublishedAt } from '../../snapshot/visibility.ts';
import type { View } from './view.ts';

/** The row that an event shows at `now`; null if it is not published (A9) or has no valid occurrence. */
export function shownRow(view: View, ordinal: number, now: number): number | null {
  const { over, occurrences, occurrencesAt } = view.columns;
  if (!isPublishedAt(view.columns, ordinal, now)) return null;
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
