/** The rows that a window shows (A4, A6): of each event that has an occurrence in it, one, or one a day. */
import { type Bitmap, countUpTo, emptyBitmap, setBit, subtract, wordsFor } from '../../snapshot/bitmaps.ts';
import { type Columns, listAt } from '../../snapshot/columns.ts';
import type { Conditions } from '../../snapshot/filters.ts';

/** The fields of a filter that make the window. Datetimes are instants. */
type Window = Pick<Conditions, 'fromDate' | 'untilDate' | 'fromStartDate' | 'groupRepetitionsByDay'>;

/** Rows of the occurrences shown in a window, of events that are published (A9). The caller may change the set. */
export type ShownRows = (window: Window) => Bitmap;

/**
 * A4; A6: the window picks the occurrence. Rows are ordered by start, and those of one event in A2's order: so one pass over the rows finds
 * the first candidate of each event, or of each of its days. Valid for one epoch: no occurrence ends in it, and no event is published.
 */
export function createShownRows(columns: Columns, epochBegins: number): ShownRows {
  const { start, publishing } = columns;
  const hidden = hiddenRows(columns, epochBegins);
  const latestOver = latestOverByWord(columns.over);
  const latest = new Int32Array(publishing.length);
  let unbounded: Bitmap | undefined;
  return (window) => {
    const { fromDate, untilDate, fromStartDate, groupRepetitionsByDay = false } = window;
    const isUnbounded = (fromDate ?? untilDate ?? fromStartDate) === undefined && !groupRepetitionsByDay;
    if (isUnbounded && unbounded !== undefined) return unbounded.slice();
    const rows = emptyBitmap(start.length);
    markShown(columns, rows, {
      validAt: Math.max(epochBegins, fromDate ?? epochBegins),
      first: countBefore(start, fromStartDate ?? Number.NEGATIVE_INFINITY),
      end: countBefore(start, untilDate ?? Number.POSITIVE_INFINITY),
      byDay: groupRepetitionsByDay,
      latestOver,
      latest: latest.fill(NEVER),
    });
    subtract(rows, hidden);
    if (isUnbounded) unbounded = rows.slice();
    return rows;
  };
}

interface Bounds {
  /** T, or any moment that no occurrence's end separates from T. */
  readonly validAt: number;
  /** Rows of occurrences that start within the window: from `first` to before `end`. */
  readonly first: number;
  readonly end: number;
  readonly byDay: boolean;
  /** The latest `over` of the rows of each word. */
  readonly latestOver: Float64Array;
  /** For each event the day of the row that was marked last, or NEVER. */
  readonly latest: Int32Array;
}

/** Another number than any day's; small enough that differences are machine integers. */
const NEVER = 2 ** 30;

function latestOverByWord(over: Float64Array): Float64Array {
  const latest = new Float64Array(wordsFor(over.length)).fill(Number.NEGATIVE_INFINITY);
  for (let row = 0; row < over.length; row++)
    latest[row >>> 5] = Math.max(latest[row >>> 5] as number, over[row] as number);
  return latest;
}

/**
 * Works on one 32-bit word of the set at a time. Processors cannot predict whether a row is its event's first, so that is computed without a
 * branch (figures: docs/benchmarks.md). Words of rows that are all over are skipped: a window of next year costs less than one of this week.
 */
function markShown({ over, event, day }: Columns, rows: Bitmap, bounds: Bounds): void {
  const { validAt, first, end, byDay, latestOver, latest } = bounds;
  /** Keeps days, or makes them one. */
  const mask = byDay ? -1 : 0;
  for (let word = first >>> 5; 32 * word < end; word++) {
    if ((latestOver[word] as number) <= validAt) continue;
    const stop = Math.min(32 * word + 32, end);
    let bits = 0;
    for (let row = Math.max(first, 32 * word); row < stop; row++) {
      if ((over[row] as number) <= validAt) continue;
      const ordinal = event[row] as number;
      const today = (day[row] as number) & mask;
      const difference = today ^ (latest[ordinal] as number);
      latest[ordinal] = today;
      // 1 unless the difference is 0: of a number and its negative, one has the sign bit.
      const isFirst = (difference | -difference) >>> 31;
      bits |= isFirst << row;
    }
    rows[word] = bits;
  }
}

/** A9: rows of events that are not published yet, found once an epoch so that `markShown` need not look at events. */
function hiddenRows(columns: Columns, now: number): Bitmap {
  const hidden = emptyBitmap(columns.start.length);
  for (const [ordinal, publishing] of columns.publishing.entries()) {
    if (publishing <= now) continue;
    for (const row of listAt(columns.occurrences, columns.occurrencesAt, ordinal)) setBit(hidden, row);
  }
  return hidden;
}

/** Starts are whole seconds. */
function countBefore(start: Float64Array, limit: number): number {
  return countUpTo(start, limit - 1);
}
