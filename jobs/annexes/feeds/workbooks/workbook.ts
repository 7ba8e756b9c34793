/** Reads a sheet of an Excel workbook (.xlsx, ECMA-376) as the rows of a table: with the texts that a CSV file of it would have. */
import { failureText } from '../../../../src/calendar/failures.ts';
import { FeedProblem } from '../feed-problem.ts';
import {
  collectRows,
  LONGEST_ROW,
  type Numbers,
  type SheetOptions,
  type SheetRows,
  type TableFormat,
} from '../table-rows.ts';
import { createLostValues } from './lost-values.ts';
import { createMergedCells } from './merged-cells.ts';
import { AS_XLSX, openSheet } from './parts.ts';
import { columnOf, readRows } from './sheet-rows.ts';

export const WORKBOOK: TableFormat = {
  isFormatOf: (bytes) => beginsWith(bytes, ZIP) || beginsWith(bytes, OLD_FORMAT),
  read: readWorkbook,
};

const ZIP = 'PK\x03\x04';
/** The first bytes of .xls files, and of the containers in which Excel encrypts a workbook. */
const OLD_FORMAT = '\xd0\xcf\x11\xe0';

function beginsWith(bytes: Buffer, signature: string): boolean {
  return bytes.toString('latin1', 0, signature.length) === signature;
}

/** Throws FeedProblem for a workbook of Excel's old format, and for one that is encrypted. */
function refuseOldFormat(bytes: Buffer): void {
  if (!beginsWith(bytes, OLD_FORMAT)) return;
  const problem = bytes.includes(ENCRYPTED)
    ? `${failureText('lockedWorkbook')}; remove the password, or save it as CSV`
    : `${failureText('oldWorkbook')}; ${AS_XLSX}`;
  throw new FeedProblem('unreadable answer', `expected a table as CSV or .xlsx, ${problem}`);
}

const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

/** Cells in all rows, with blank ones before the last of each row: a sheet may have a cell in its last column alone. */
const MOST_CELLS = 5_000_000;
/** In all cells: a text that is stored once may be in many of them. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** Throws FeedProblem for a workbook that is old, encrypted, damaged or too large, or that has no such sheet. */
function readWorkbook(bytes: Buffer, { sheet, addFinding }: SheetOptions): SheetRows {
  refuseOldFormat(bytes);
  const parts = openSheet(bytes, sheet);
  const { add, rows, tooWide } = collectRows();
  let cells = 0;
  let characters = 0;

  function count(length: number, added: number): void {
    cells += added;
    characters += length;
    const isTooLarge = length > LONGEST_ROW || characters > MOST_CHARACTERS;
    if (cells > MOST_CELLS) throw tooLarge(`${MOST_CELLS} cells`);
    if (isTooLarge) throw tooLarge(`${LONGEST_ROW} characters in a row and ${MOST_CHARACTERS} in the sheet`);
  }

  function addRow(number: number, written: readonly string[], numbers: Numbers): void {
    count(
      written.reduce((sum, cell) => sum + cell.length, 0),
      written.length,
    );
    add(number, written, numbers);
  }

  const lost = createLostValues();
  const merged = createMergedCells(columnOf);
  readRows(parts, { addRow, lose: lost.add, addMerged: merged.add });
  lost.report(addFinding);
  return { rows: merged.filled(rows, (length) => count(length, 1)), tooWide: tooWide() };
}

function tooLarge(limit: string): FeedProblem {
  return new FeedProblem('size limit', `expected at most ${limit}, found more`);
}
