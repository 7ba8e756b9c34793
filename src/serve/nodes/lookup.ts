/** Look-ups without a filter (A7): T is now, and an event with no valid occurrence is not found. */
import { EVENT_FLAGS } from '../../snapshot/columns.ts';
import type { AreaPlan } from '../plan.ts';
import { selectNodes } from './select.ts';
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
export async function containerRows(view: View, now: number): Promise<Int32Array> {
  const { rows } = await selectNodes(view, {}, now);
  const { event, eventFlags } = view.columns;
  return rows.filter((row) => ((eventFlags[event[row] ?? -1] ?? 0) & EVENT_FLAGS.container) !== 0);
}

/** B9: events whose shown venue lies in the box, edges included; online events and places unknown never do. */
export async function areaRows(view: View, area: AreaPlan, now: number): Promise<Int32Array> {
  const { rows } = await selectNodes(view, {}, now);
  const { event, eventFlags, venue } = view.columns;
  const inside = Uint8Array.from(view.lists.venues, ({ location }) =>
    location !== null && contains(area, location) ? 1 : 0,
  );
  return rows.filter(
    (row) =>
      inside[venue[row] ?? -1] === 1 && ((eventFlags[event[row] ?? -1] ?? 0) & EVENT_FLAGS.online) === 0,
  );
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
