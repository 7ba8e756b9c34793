/**
 * Cells that are merged across rows. A workbook has their value in the topmost one alone; in a table, such as one with a date beside several
 * events, it is meant for each of the rows.
 */
import type { Row } from '../table-rows.ts';

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
    const all: readonly OpenRow[] = rows.map(({ number, cells, numbers }) => ({
      number,
      cells: [...cells],
      numbers: new Map(numbers),
    }));
    const indexOf = new Map(rows.map(({ number }, index) => [number, index]));
    for (const { column, first, last } of ranges) {
      const top = indexOf.get(first) ?? all.length;
      const topRow = all[top];
      const value = topRow?.cells[column] ?? '';
      if (topRow === undefined || value === '') continue;
      for (let index = top + 1; ; index++) {
        const row = all[index];
        if (row === undefined || row.number > last) break;
        count(value.length);
        fill(row, column, topRow);
      }
    }
    return all;
  }

  return { add, filled };
}

const RANGE = /^([A-Z]{1,3}([1-9]\d{0,6})):[A-Z]{1,3}([1-9]\d{0,6})$/;

/** A row that can be filled. */
interface OpenRow extends Row {
  readonly cells: string[];
  readonly numbers: Map<number, number>;
}

function fill({ cells, numbers }: OpenRow, column: number, top: OpenRow): void {
  while (cells.length <= column) cells.push('');
  if (cells[column] !== '') return;
  cells[column] = top.cells[column] ?? '';
  const number = top.numbers.get(column);
  if (number !== undefined) numbers.set(column, number);
}
