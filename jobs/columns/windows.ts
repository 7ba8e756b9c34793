/**
 * Windows by checkpoints: what is shown changes at known moments, so a server takes the nearest of these bitmaps and what
 * has changed from it, whatever the number of rows (A4, A6).
 */

import { clearBit, emptyBitmap, setBit, wordsFor } from '../../src/snapshot/bitmaps.ts';
import { type Columns, changesApart, checkpointsOf, countUpTo } from '../../src/snapshot/columns.ts';

export type WindowNames =
  | 'shownChanges'
  | 'shownAfter'
  | 'shownByDayChanges'
  | 'shownByDayAfter'
  | 'firstFrom';

type Given = Pick<Columns, 'over' | 'next' | 'predecessorsOver' | 'sameDayPredecessorsOver'>;

export function windowsOf(given: Given): Pick<Columns, WindowNames> {
  const byEvent = shownOverTime(given.predecessorsOver, given.over);
  const byDay = shownOverTime(given.sameDayPredecessorsOver, given.over);
  return {
    shownChanges: byEvent.changes,
    shownAfter: byEvent.after,
    shownByDayChanges: byDay.changes,
    shownByDayAfter: byDay.after,
    firstFrom: firstRows(given),
  };
}

interface ShownOverTime {
  readonly changes: Int32Array<ArrayBuffer>;
  readonly after: Uint32Array<ArrayBuffer>;
}

/** A row is shown from when all before it are over until it is over itself; the first of all from the beginning. */
function shownOverTime(since: Float64Array, until: Float64Array): ShownOverTime {
  const rows = emptyBitmap(until.length);
  const unordered: number[] = [];
  for (let row = 0; row < until.length; row++) {
    if ((since[row] as number) >= (until[row] as number)) continue;
    if (since[row] === Number.NEGATIVE_INFINITY) setBit(rows, row);
    else unordered.push(2 * row + 1);
    unordered.push(2 * row);
  }
  const changes = inOrder(unordered, (change) => (change % 2 === 1 ? since : until)[change >>> 1] as number);
  const apart = changesApart(until.length);
  const after = new Uint32Array(wordsFor(until.length) * checkpointsOf(changes.length, until.length));
  for (let place = 0; place <= changes.length; place++) {
    if (place % apart === 0) after.set(rows, (place / apart) * rows.length);
    const change = changes[place] ?? 0;
    if (change % 2 === 1) setBit(rows, change >>> 1);
    else clearBit(rows, change >>> 1);
  }
  return { changes, after };
}

/** By their moments, which are whole seconds. By counting: comparing 300,000 of them takes half a second. */
function inOrder(changes: readonly number[], momentOf: (change: number) => number): Int32Array<ArrayBuffer> {
  const moments = Float64Array.from(changes, momentOf).sort();
  const taken = new Int32Array(changes.length);
  const ordered = new Int32Array(changes.length);
  for (const change of changes) {
    const first = countUpTo(moments, momentOf(change) - 1);
    ordered[first + (taken[first] as number)] = change;
    taken[first] = (taken[first] as number) + 1;
  }
  return ordered;
}

/** From each row on, the first row of each event: all of them at row 0, then one's next when its row is passed. */
function firstRows({ next }: Given): Uint32Array<ArrayBuffer> {
  const count = next.length;
  const rows = emptyBitmap(count);
  rows.fill(-1);
  for (const row of next) if (row >= 0) clearBit(rows, row);
  for (let row = count; row < 32 * rows.length; row++) clearBit(rows, row);
  const apart = changesApart(count);
  const from = new Uint32Array(rows.length * checkpointsOf(count, count));
  for (let row = 0; row <= count; row++) {
    if (row % apart === 0) from.set(rows, (row / apart) * rows.length);
    if (row === count) break;
    clearBit(rows, row);
    const after = next[row] as number;
    if (after >= 0) setBit(rows, after);
  }
  return from;
}
