/**
 * H7: checks that columns hold what a server expects. A file from elsewhere may have the right SHA-256 and the right tables and still
 * hold any value. The table in columns.ts says what a single column may hold; relations between columns are checked here.
 */
import { overAt } from '../calendar/time.ts';
import { wordsFor } from './bitmaps.ts';
import {
  COLUMN_NAMES,
  COLUMNS,
  type Column,
  type ColumnName,
  type Columns,
  checkpointsOf,
  entityCount,
  isColumnName,
  type Kind,
} from './columns.ts';
import { unusable } from './format.ts';
import type { Sizes } from './meta.ts';

/** Throws SNAPSHOT_UNUSABLE with the first column that has an invalid value. */
export function checkColumns(columns: Columns, sizes: Sizes): void {
  for (const name of COLUMN_NAMES) checkColumn(name, columns[name], sizes);
  checkLists(columns, sizes);
}

function checkColumn(name: ColumnName, values: Columns[ColumnName], sizes: Sizes): void {
  const { length, holds }: Column<Kind> = COLUMNS[name];
  const expected = length?.(sizes) ?? values.length;
  if (values.length !== expected) throw unusable(`column_blob ${name}`, `${expected} entries`, values.length);
  const problem = holds(values, sizes);
  if (problem !== null)
    throw unusable(`column_blob ${name}`, problem.expected, String(values[problem.at]), problem);
}

/** Checks relations between columns. */
function checkLists(columns: Columns, sizes: Sizes): void {
  for (const name of COLUMN_NAMES) {
    const list = name.replace(/At$/, '');
    if (list === name || !isColumnName(list)) continue;
    const [expected, found] = [columns[list].length, columns[name].at(-1)];
    if (found !== expected) throw unusable(`column_blob ${name}`, `${expected} at its end`, found);
  }
  for (const [at, name] of ASCENDING_LISTS) {
    const place = descentIn(columns[at], columns[name]);
    if (place !== -1)
      throw unusable(`column_blob ${name}`, 'ascending lists', columns[name][place], { at: place });
  }
  for (const [changes, after] of CHECKPOINTS) {
    const expected = wordsFor(sizes.occurrences) * checkpointsOf(columns[changes].length, sizes.occurrences);
    const found = columns[after].length;
    if (found !== expected) throw unusable(`column_blob ${after}`, `${expected} entries`, found);
  }
  checkChanges(columns, sizes);
}

const CHECKPOINTS = [
  ['shownChanges', 'shownAfter'],
  ['shownByDayChanges', 'shownByDayAfter'],
] as const satisfies readonly (readonly [ColumnName, ColumnName])[];

/** Lists without duplicates: so no count exceeds the number of events or entities. */
const ASCENDING_LISTS = [
  ['occurrencesAt', 'occurrences'],
  ['spellingsAt', 'spellings'],
  ['venueRowsAt', 'venueRows'],
  ['organizerRowsAt', 'organizerRows'],
  ['categoryRowsAt', 'categoryRows'],
  ['tagRowsAt', 'tagRows'],
  ['containerRowsAt', 'containerRows'],
  ['entitiesAt', 'entities'],
] as const satisfies readonly (readonly [ColumnName, ColumnName])[];

/** The first place whose value is not greater than the one before it in its list; -1 if there is none. */
function descentIn(at: Int32Array, values: Int32Array | Uint16Array): number {
  for (let list = 0; list + 1 < at.length; list++) {
    const end = at[list + 1] as number;
    for (let place = (at[list] as number) + 1; place < end; place++) {
      if ((values[place] as number) <= (values[place - 1] as number)) return place;
    }
  }
  return -1;
}

/** A count is never negative, and never exceeds the number of events. */
function checkChanges({ changeAt, changeOf, changeBy }: Columns, sizes: Sizes): void {
  for (const [name, { length }] of Object.entries({ changeOf, changeBy })) {
    if (length !== changeAt.length)
      throw unusable(`column_blob ${name}`, `${changeAt.length} entries`, length);
  }
  const counts = new Float64Array(entityCount(sizes));
  for (let step = 0; step < changeAt.length; step++) {
    const entity = changeOf[step] as number;
    const count = (counts[entity] as number) + (changeBy[step] as number);
    counts[entity] = count;
    // Changes of one second may come in any order.
    if (step + 1 < changeAt.length && changeAt[step + 1] === changeAt[step]) continue;
    if (count < 0 || count > sizes.events)
      throw unusable('column_blob changeBy', `0 to ${sizes.events} nodes`, count);
  }
}

/**
 * Checks the links from an occurrence to the next that the window follows (A1, A2, A4, A6): with wrong links, each walk could visit every
 * occurrence. Some 10 ms for 250,000 of them.
 */
export function checkOccurrences(columns: Columns): void {
  const { start, end, over, event, next, day, occurrences, occurrencesAt } = columns;
  const { predecessorsOver, sameDayPredecessorsOver } = columns;
  const found = occurrencesAt.slice(0, -1);
  const latest = new Int32Array(found.length).fill(-1);
  for (let row = 0; row < start.length; row++) {
    const [from, to, owner] = [start[row] as number, end[row] as number, event[row] as number];
    const before = latest[owner] as number;
    const isSameDay = before !== -1 && day[before] === day[row];
    const isRight =
      to >= from &&
      over[row] === overAt(from, to) &&
      (before === -1 || next[before] === row) &&
      predecessorsOver[row] === latestOf(predecessorsOver, over, before) &&
      sameDayPredecessorsOver[row] ===
        (isSameDay ? latestOf(sameDayPredecessorsOver, over, before) : NEVER) &&
      occurrences[found[owner] as number] === row &&
      (found[owner] as number) < (occurrencesAt[owner + 1] as number);
    if (!isRight) throw unusable(`row ${row}`, 'columns that agree with each other', 'others');
    (found[owner] as number)++;
    latest[owner] = row;
  }
  for (const row of latest) {
    if (row !== -1 && next[row] !== -1)
      throw unusable(`row ${row}`, 'no occurrence after the last', next[row]);
  }
}

const NEVER = Number.NEGATIVE_INFINITY;

function latestOf(predecessorsOver: Float64Array, over: Float64Array, before: number): number {
  if (before === -1) return NEVER;
  return Math.max(predecessorsOver[before] as number, over[before] as number);
}
