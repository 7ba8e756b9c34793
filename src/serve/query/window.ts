/**
 * A4, A6: the window picks the occurrence. Rows are in serving order, in which the occurrences of one event follow A2's order; so a row
 * is shown exactly if it is a candidate and no earlier row of its event (or of its event's day) is one. The shown rows change at known
 * moments: a window is the nearest checkpoint that the build stored, plus the changes after it.
 */

import {
  type Bitmap,
  clearBit,
  countUpTo,
  countWhile,
  lowest,
  setBit,
  wordsFor,
} from '../../snapshot/bitmaps.ts';
import { type Columns, changesApart } from '../../snapshot/columns.ts';

interface Window {
  /** T, or any moment that no occurrence's end separates from T: candidates are those valid then. */
  readonly validAt: number;
  /** Candidates start at or after this; -Infinity if not given. */
  readonly fromStart: number;
  /** Candidates start before this; Infinity if not given. */
  readonly untilStart: number;
  readonly byDay: boolean;
}

/** Rows of the occurrences shown in a window, of events that are published (A9). */
export type ShownRows = (window: Window) => Bitmap;

/** Valid until the next event is published; `now` is any moment of that time. */
export function createShownRows(columns: Columns, now: number): ShownRows {
  let hidden: readonly number[] | undefined;
  return (window) => {
    const rows = candidates(columns, window);
    hidden ??= hiddenRows(columns, now);
    for (const row of hidden) clearBit(rows, row);
    return rows;
  };
}

function candidates(columns: Columns, { validAt, fromStart, untilStart, byDay }: Window): Bitmap {
  const first = countBefore(columns.start, fromStart);
  // No occurrence is over before it begins: all that start then are valid.
  const startingFrom = byDay ? firstOfDays : firstOfEvents;
  const rows = fromStart >= validAt ? startingFrom(columns, first) : shownAt(columns, validAt, byDay);
  if (first > 0 && fromStart < validAt) passOver(columns, rows, { first, validAt, byDay });
  clearFrom(rows, countBefore(columns.start, untilStart));
  return rows;
}

/** Rows shown at T, whenever they start. */
function shownAt(columns: Columns, validAt: number, byDay: boolean): Bitmap {
  const changes = byDay ? columns.shownByDayChanges : columns.shownChanges;
  const after = byDay ? columns.shownByDayAfter : columns.shownAfter;
  const reached = countReached(columns, changes, { byDay, validAt });
  const apart = changesApart(columns.start.length);
  const nearest = Math.min(Math.round(reached / apart), Math.floor(changes.length / apart));
  const rows = checkpoint(after, nearest, columns);
  const end = Math.max(reached, nearest * apart);
  for (let place = Math.min(reached, nearest * apart); place < end; place++) {
    const row = (changes[place] as number) >>> 1;
    rows[row >>> 5] = (rows[row >>> 5] as number) ^ (1 << row);
  }
  return rows;
}

/** The number of changes up to T. */
function countReached(
  { over, predecessorsOver, sameDayPredecessorsOver }: Columns,
  changes: Int32Array,
  { validAt, byDay }: Pick<Window, 'validAt' | 'byDay'>,
): number {
  const since = byDay ? sameDayPredecessorsOver : predecessorsOver;
  return countWhile(changes.length, (place) => {
    const change = changes[place] as number;
    return ((change % 2 === 1 ? since : over)[change >>> 1] as number) <= validAt;
  });
}

/** Rows shown from row `first` on, if all of them are valid. */
function firstOfEvents(columns: Columns, first: number): Bitmap {
  const { next, firstFrom } = columns;
  const apart = changesApart(next.length);
  const nearest = Math.min(Math.round(first / apart), Math.floor(next.length / apart));
  const rows = checkpoint(firstFrom, nearest, columns);
  for (let row = nearest * apart; row < first; row++) {
    clearBit(rows, row);
    if ((next[row] as number) >= 0) setBit(rows, next[row] as number);
  }
  for (let row = nearest * apart - 1; row >= first; row--) {
    setBit(rows, row);
    if ((next[row] as number) >= 0) clearBit(rows, next[row] as number);
  }
  return rows;
}

function firstOfDays(columns: Columns, first: number): Bitmap {
  const { next, day } = columns;
  // Before any occurrence is over, the first row of each day is shown.
  const rows = checkpoint(columns.shownByDayAfter, 0, columns);
  clearUpTo(rows, first);
  // On the day in which the window begins, a later row may be the first.
  for (let row = first - 1; row >= 0 && day[row] === day[first]; row--) {
    const after = next[row] as number;
    if (after >= first && day[after] === day[row]) setBit(rows, after);
  }
  return rows;
}

/** Replaces rows before `first`, which are valid but start too early, by the rows that their events (or days) then show. */
function passOver(
  { next, over, day }: Columns,
  rows: Bitmap,
  { first, validAt, byDay }: Pick<Window, 'validAt' | 'byDay'> & { readonly first: number },
): void {
  for (let word = 0; 32 * word < first; word++) {
    const early = (rows[word] as number) & bitsBelow(first - 32 * word);
    rows[word] = (rows[word] as number) & ~early;
    for (let rest = early; rest !== 0; rest &= rest - 1) {
      const row = 32 * word + lowest(rest);
      for (let after = next[row] as number; after >= 0; after = next[after] as number) {
        if (byDay && day[after] !== day[row]) break;
        if (after < first || (over[after] as number) <= validAt) continue;
        setBit(rows, after);
        break;
      }
    }
  }
}

function checkpoint(bitmaps: Uint32Array, nth: number, { start }: Columns): Bitmap {
  const words = wordsFor(start.length);
  const rows: Bitmap = new Uint32Array(words);
  rows.set(bitmaps.subarray(nth * words, (nth + 1) * words));
  return rows;
}

function clearUpTo(rows: Bitmap, end: number): void {
  const word = end >>> 5;
  rows.fill(0, 0, word);
  if (word < rows.length) rows[word] = (rows[word] as number) & ~bitsBelow(end & 31);
}

function clearFrom(rows: Bitmap, first: number): void {
  const word = first >>> 5;
  rows.fill(0, word + 1);
  if (word < rows.length) rows[word] = (rows[word] as number) & bitsBelow(first & 31);
}

/** The bits of a word below this one, which may lie beyond its end. */
function bitsBelow(bit: number): number {
  return bit < 32 ? ~(-1 << bit) : -1;
}

/** A9: rows of events that are not published yet. */
function hiddenRows({ publishing, occurrences, occurrencesAt }: Columns, now: number): readonly number[] {
  const rows: number[] = [];
  for (let event = 0; event < publishing.length; event++) {
    if ((publishing[event] as number) <= now) continue;
    for (const row of occurrences.subarray(occurrencesAt[event], occurrencesAt[event + 1])) rows.push(row);
  }
  return rows;
}

/** Starts are whole seconds. */
function countBefore(start: Float64Array, limit: number): number {
  return countUpTo(start, limit - 1);
}
