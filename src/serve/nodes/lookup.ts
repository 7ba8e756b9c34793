/** Look-ups without a filter (A7): T is now, and an event with no valid occurrence is not found. */

import { placesOf } from '../../snapshot/bits.ts';
import type { AreaPlan } from '../plan.ts';
import { not, only } from './conditions.ts';
import { selectRows } from './select.ts';
import type { View } from './view.ts';

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
  return placesOf(selectRows(view, {}, [only(() => view.carriers.flagged('container'))]));
}

/** B9: events whose shown venue lies in the box, edges included; online events and places unknown never do. */
export function areaRows(view: View, area: AreaPlan): readonly number[] {
  const inside = [...view.lists.venues.entries()].filter(
    ([, { location }]) => location !== null && contains(area, location),
  );
  const ordinals = inside.map(([ordinal]) => ordinal);
  const conditions = [
    only(() => view.carriers.carrying('venues', ordinals)),
    not(() => view.carriers.flagged('online')),
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
