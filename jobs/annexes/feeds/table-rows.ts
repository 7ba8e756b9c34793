/** The rows of a table, whatever file they come from. */
import { shorten } from '../../findings.ts';
import { FeedProblem } from './feed-problem.ts';
import type { AddFinding } from './last-good.ts';

export interface Row {
  /** 1-based, as in spreadsheet programs: the names of the columns are row 1 unless rows stand above them. */
  readonly number: number;
  /** Trimmed. */
  readonly cells: readonly string[];
  /** By their indexes, the cells of a workbook that are numbers with a fraction or a sign. */
  readonly numbers?: Numbers;
}

export type Numbers = ReadonlyMap<number, number>;

/** A cell, for readers that have to know whether it contains a number: the point in a number never separates thousands. */
export function cellAt({ cells, numbers }: Row, index: number | undefined): string | number {
  if (index === undefined) return '';
  return numbers?.get(index) ?? cells[index] ?? '';
}

/** Rows that are not blank: more than a large region has in a year. */
const MOST_ROWS = 200_000;
/** Characters. */
export const LONGEST_ROW = 1024 * 1024;
/** Ten times what people make by hand. */
export const MOST_COLUMNS = 1_000;

/** A row that has more columns than are read. */
export interface WideRow {
  readonly number: number;
  readonly columns: number;
}

interface CollectedRows {
  /** Takes the next row, which may be blank. Throws FeedProblem if there are too many. */
  readonly add: (number: number, written: readonly string[], numbers?: Numbers) => void;
  /** The rows that are not blank. */
  readonly rows: readonly Row[];
  /** The first one. */
  readonly tooWide: () => WideRow | null;
}

export function collectRows(): CollectedRows {
  const rows: Row[] = [];
  let tooWide: WideRow | null = null;

  function add(number: number, written: readonly string[], numbers?: Numbers): void {
    const cells = written.slice(0, MOST_COLUMNS).map((cell) => cell.trim());
    // Programs write blank cells up to the end of their sheet.
    const isTooWide = written.slice(MOST_COLUMNS).some((cell) => cell.trim() !== '');
    if (isTooWide) tooWide ??= { number, columns: written.length };
    if (cells.every((cell) => cell === '')) return;
    if (rows.length === MOST_ROWS)
      throw new FeedProblem('size limit', `expected at most ${MOST_ROWS} rows, found more`);
    // Empty maps are left out, because they would cost memory in each row.
    rows.push(numbers === undefined || numbers.size === 0 ? { number, cells } : { number, cells, numbers });
  }

  return { add, rows, tooWide: () => tooWide };
}

/** A kind of file, besides text, that a table may be. */
export interface TableFormat {
  /** By its first bytes: a table from the web has no name. */
  readonly isFormatOf: (bytes: Buffer) => boolean;
  /** Throws FeedProblem for a file that cannot be read, or that has no such sheet. */
  readonly read: (bytes: Buffer, options: SheetOptions) => SheetRows;
}

export interface SheetOptions {
  /** The name of the sheet; null for the first one. */
  readonly sheet: string | null;
  readonly addFinding: AddFinding;
}

export interface SheetRows {
  readonly rows: readonly Row[];
  readonly tooWide: WideRow | null;
}

/** Cells as a finding shows them. */
export function quotedCells(cells: readonly string[]): string {
  const quoted = cells.slice(0, MOST_QUOTED).map((cell) => JSON.stringify(cell));
  return shorten(quoted.join(', '));
}

/** More than fit into a finding. */
const MOST_QUOTED = 100;
