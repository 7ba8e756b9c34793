/**
 * A4, A6: the window picks the occurrence. Rows are ordered by start, and those of one event in A2's order: so one pass over the rows
 * finds the first candidate of each event, or of each of its days. A quarter of a million rows take less than a millisecond.
 */
import { type Bitmap, countUpTo, emptyBitmap, hasBit, setBit } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import type { Selection } from './plan.ts';

/** The fields of a filter that make the window. Datetimes are instants. */
export type Window = Pick<Selection, 'fromDate' | 'untilDate' | 'fromStartDate' | 'groupRepetitionsByDay'>;

/** Rows of the occurrences shown in a window, of events that are published (A9). The caller may change the set. */
export type ShownRows = (window: Window) => Bitmap;

/** Valid for an epoch that begins at `since`; `now` is any moment of it. No occurrence ends between the two. */
export function createShownRows(columns: Columns, since: number, now: number): ShownRows {
  const hidden = hiddenEvents(columns, now);
  let unbounded: Bitmap | undefined;
  return (window) => {
    const { fromDate, untilDate, fromStartDate, groupRepetitionsByDay = false } = window;
    const isUnbounded = (fromDate ?? untilDate ?? fromStartDate) === undefined && !groupRepetitionsByDay;
    if (isUnbounded && unbounded !== undefined) return unbounded.slice();
    const rows = emptyBitmap(columns.start.length);
    markShown(columns, rows, {
      hidden,
      validAt: Math.max(since, fromDate ?? since),
      first: countBefore(columns.start, fromStartDate ?? Number.NEGATIVE_INFINITY),
      end: countBefore(columns.start, untilDate ?? Number.POSITIVE_INFINITY),
      byDay: groupRepetitionsByDay,
    });
    if (isUnbounded) unbounded = rows.slice();
    return rows;
  };
}

interface Bounds {
  readonly hidden: Bitmap;
  /** T, or any moment that no occurrence's end separates from T. */
  readonly validAt: number;
  /** Rows of occurrences that start within the window: from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
  readonly byDay: boolean;
}

function markShown({ over, event, day }: Columns, rows: Bitmap, bounds: Bounds): void {
  const { hidden, validAt, first, end, byDay } = bounds;
  /** Events that need no row any more: on this day, or at all. */
  const done = hidden.slice();
  let today = day[first];
  for (let row = first; row < end; row++) {
    if ((over[row] as number) <= validAt) continue;
    if (byDay && day[row] !== today) {
      done.set(hidden);
      today = day[row];
    }
    const ordinal = event[row] as number;
    if (hasBit(done, ordinal)) continue;
    setBit(done, ordinal);
    setBit(rows, row);
  }
}

/** A9: events that are not published yet. */
function hiddenEvents({ publishing }: Columns, now: number): Bitmap {
  const hidden = emptyBitmap(publishing.length);
  for (let ordinal = 0; ordinal < publishing.length; ordinal++) {
    if ((publishing[ordinal] as number) > now) setBit(hidden, ordinal);
  }
  return hidden;
}

/** Starts are whole seconds. */
function countBefore(start: Float64Array, limit: number): number {
  return countUpTo(start, limit - 1);
}
