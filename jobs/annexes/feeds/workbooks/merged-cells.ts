/**
 * Cells that are merged across rows. A workbook has their value in the topmost one alone; in a table, such as one with a date beside several
 * events, it is meant for each of the rows.
 */
import type { Row } from '../csv/table-rows.ts';

interface MergedCells {
  /** Takes a range such as `B3:B7`. Others are ignored. */
  readonly add: (range: string | undefined) => void;
  /** The rows with the values of merged cells. `count` is called for each cell that is filled, with its characters. */
  readonly filled: (rows: readonly Row[], count: (characters: number) => void) => readonly Row[];
}

/** Rows are numbered from 1, columns from 0. */
interface Range {
  readonly column: number;
  readonly first: number;
  readonly last: number;
}

/** `columnOf`: of a reference to a cell; null for another text. */
export function createMergedCells(columnOf: (reference: string) => number | null): MergedCells {
  const ranges: Range[] = [];

  function add(range: string | undefined): void {
    const [, start = '', first, last] = RANGE.exec(range ?? '') ?? [];
    const column = columnOf(start);
    if (column === null || first === last) return;
    ranges.push({ column, first: Number(first), last: Number(last) });
  }

  function filled(rows: readonly Row[], count: (characters: number) => void): readonly Row[] {
    if (ranges.length === 0) return rows;
    const all = rows.map(({ number, cells }) => ({ number, cells: [...cells] }));
    const indexOf = new Map(rows.map(({ number }, index) => [number, index]));
    for (const { column, first, last } of ranges) {
      const top = indexOf.get(first) ?? all.length;
      const value = all[top]?.cells[column] ?? '';
      if (value === '') continue;
      for (let index = top + 1; (all[index]?.number ?? Number.POSITIVE_INFINITY) <= last; index++) {
        count(value.length);
        fill(all[index]?.cells ?? [], column, value);
      }
    }
    return all;
  }

  return { add, filled };
}

const RANGE = /^([A-Z]{1,3}([1-9]\d{0,6})):[A-Z]{1,3}([1-9]\d{0,6})$/;

function fill(cells: string[], column: number, value: string): void {
  while (cells.length <= column) cells.push('');
  if (cells[column] === '') cells[column] = value;
}
