/**
 * A4, A6: the window picks the occurrence. Rows come in serving order, in which the occurrences of one event follow each
 * other in A2's order; so a row is shown exactly when it is a candidate and no earlier row of its event (or of its event's
 * day) is one.
 */
import { countUpTo } from '../../calendar/ascending.ts';
import type { Columns } from '../../snapshot/columns.ts';

export interface Window {
  /** T, the later of now and `fromDate`: candidates are valid then. */
  readonly validAt: number;
  /** Candidates start at or after this; -Infinity when not given. */
  readonly fromStart: number;
  /** Candidates start before this; Infinity when not given. */
  readonly untilStart: number;
  readonly byDay: boolean;
}

/** Rows of the occurrences shown in a window, in serving order, of events that are published at `now` (A9). */
export function shownRows(columns: Columns, window: Window, now: number): Int32Array {
  const { start, over, event, publishing } = columns;
  const first = window.fromStart === Number.NEGATIVE_INFINITY ? 0 : countBefore(start, window.fromStart);
  const last =
    window.untilStart === Number.POSITIVE_INFINITY ? start.length : countBefore(start, window.untilStart);
  const { validAt } = window;
  const isFirst = firstOfItsKind(columns, window);
  const rows = new Int32Array(Math.max(0, last - first));
  let length = 0;
  for (let row = first; row < last; row++) {
    if (
      (over[row] as number) > validAt &&
      isFirst(row) &&
      (publishing[event[row] as number] as number) <= now
    ) {
      rows[length++] = row;
    }
  }
  return rows.slice(0, length);
}

/** Whether no earlier occurrence of the same event (A4), or of the same event and day (A6), is a candidate. */
function firstOfItsKind(columns: Columns, window: Window): (row: number) => boolean {
  const { validAt, fromStart, byDay } = window;
  const predecessorsOver = byDay ? columns.sameDayPredecessorsOver : columns.predecessorsOver;
  if (fromStart === Number.NEGATIVE_INFINITY) return (row) => (predecessorsOver[row] as number) <= validAt;
  const { start, over, previous, day } = columns;
  return (row) => {
    // Nothing before it is valid any more: the common case, settled without a walk.
    if ((predecessorsOver[row] as number) <= validAt) return true;
    for (let before = previous[row] as number; before >= 0; before = previous[before] as number) {
      if ((start[before] as number) < fromStart || (byDay && day[before] !== day[row])) return true;
      if ((over[before] as number) > validAt) return false;
    }
    return true;
  };
}

function countBefore(start: Float64Array, limit: number): number {
  // Starts are whole seconds.
  return countUpTo(start, limit - 1);
}
