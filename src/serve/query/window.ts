/**
 * A4, A6: the window picks the occurrence. Rows come in serving order, in which the occurrences of one event follow each
 * other in A2's order; so a row is shown exactly when it is a candidate and no earlier row of its event (or of its event's
 * day) is one.
 */
import { countUpTo } from '../../calendar/ascending.ts';
import { type Bitmap, clearBit, emptyBitmap, lowest } from '../../snapshot/bitmaps.ts';
import type { Columns } from '../../snapshot/columns.ts';
import { createBoundedCache } from '../bounded-cache.ts';

interface Window {
  /** T, or any moment between which and T nothing is over: candidates are valid then. */
  readonly validAt: number;
  /** Candidates start at or after this; -Infinity when not given. */
  readonly fromStart: number;
  /** Candidates start before this; Infinity when not given. */
  readonly untilStart: number;
  readonly byDay: boolean;
}

/** Rows of the occurrences shown in a window, of events that are published (A9). Not to be changed by the caller. */
export type ShownRows = (window: Window) => Bitmap;

/** Words of all cached windows: 1 million are 4 MB. People mostly ask for the same few: from now on, this weekend. */
const CACHE_WORDS = 1_000_000;
/** What a window costs beside its bits, in words. */
const OVERHEAD = 64;

/** Right for as long as no event appears: `now` is any moment of that time. */
export function createShownRows(columns: Columns, now: number): ShownRows {
  const cache = createBoundedCache<Bitmap>({ most: CACHE_WORDS, weigh: (bits) => bits.length + OVERHEAD });
  let hidden: readonly number[] | undefined;
  return (window) => {
    const key = `${window.validAt} ${window.fromStart} ${window.untilStart} ${window.byDay}`;
    const known = cache.get(key);
    if (known !== undefined) return known;
    const rows = candidates(columns, window);
    hidden ??= hiddenRows(columns, now);
    for (const row of hidden) clearBit(rows, row);
    cache.offer(key, rows);
    return rows;
  };
}

function candidates(columns: Columns, window: Window): Bitmap {
  const { start, over, wordOver } = columns;
  const { validAt, fromStart, untilStart, byDay } = window;
  const first = fromStart === Number.NEGATIVE_INFINITY ? 0 : countBefore(start, fromStart);
  const last = untilStart === Number.POSITIVE_INFINITY ? start.length : countBefore(start, untilStart);
  const isFirst = firstOfItsKind(columns, window);
  const surelyFirst = byDay ? columns.firstOfDay : columns.firstOfEvent;
  const rows = emptyBitmap(start.length);
  for (let word = first >>> 5; 32 * word < last; word++) {
    // Most of what lies before the window is passed over here, 32 rows at a time.
    if ((wordOver[word] as number) <= validAt) continue;
    const inWindow = bitsBetween(first - 32 * word, last - 32 * word);
    // None is over before it has begun.
    const allValid = (start[32 * word] as number) >= validAt;
    let found = allValid ? (surelyFirst[word] as number) & inWindow : 0;
    for (let rest = inWindow & ~found; rest !== 0; rest &= rest - 1) {
      const row = 32 * word + lowest(rest);
      if ((over[row] as number) > validAt && isFirst(row)) found |= 1 << row;
    }
    rows[word] = found;
  }
  return rows;
}

/** Bitmap `from` to `to - 1` of a word; either may lie outside of it. */
function bitsBetween(from: number, to: number): number {
  return (from > 0 ? -1 << from : -1) & (to < 32 ? ~(-1 << to) : -1);
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

/** A9: rows of the events that are not published yet. */
function hiddenRows({ publishing, occurrences, occurrencesAt }: Columns, now: number): readonly number[] {
  const rows: number[] = [];
  for (let event = 0; event < publishing.length; event++) {
    if ((publishing[event] as number) <= now) continue;
    for (const row of occurrences.subarray(occurrencesAt[event], occurrencesAt[event + 1])) rows.push(row);
  }
  return rows;
}

function countBefore(start: Float64Array, limit: number): number {
  // Starts are whole seconds.
  return countUpTo(start, limit - 1);
}
