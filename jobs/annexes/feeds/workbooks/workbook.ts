/** Reads a sheet of an Excel workbook (.xlsx, ECMA-376) as the rows of a table: with the texts that a CSV file of it would have. */
import { collectRows, LONGEST_ROW, MOST_COLUMNS, type Row, type WideRow } from '../csv/table-rows.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { AddFinding } from '../last-good.ts';
import { damagedWithout } from './archive.ts';
import { createMergedCells } from './merged-cells.ts';
import { numberText, PLAIN } from './number-formats.ts';
import { AS_XLSX, createTextReader, extended, openSheet, type SheetParts, unescaped } from './parts.ts';
import { readXml } from './xml.ts';

/** By its first bytes: a table from the web has no name. */
export function isWorkbook(bytes: Buffer): boolean {
  return bytes.toString('latin1', 0, ZIP.length) === ZIP;
}

const ZIP = 'PK\x03\x04';

/** Throws FeedProblem for a workbook of Excel's old format, and for one that is encrypted. */
export function refuseOldFormat(bytes: Buffer): void {
  if (bytes.toString('latin1', 0, OLD_FORMAT.length) !== OLD_FORMAT) return;
  // `/status` translates this text by its words: see REASONS in src/annexes/operator/words.ts.
  const problem = bytes.includes(ENCRYPTED)
    ? 'a workbook with a password; remove the password, or save it as CSV'
    : `an old workbook (.xls); ${AS_XLSX}`;
  throw new FeedProblem('unreadable answer', `expected a table as CSV or .xlsx, found ${problem}`);
}

/** Of .xls files, and of the containers in which Excel encrypts a workbook. */
const OLD_FORMAT = '\xd0\xcf\x11\xe0';
const ENCRYPTED = Buffer.from('EncryptedPackage', 'utf16le');

interface WorkbookOptions {
  /** The name of the sheet; null for the first one. */
  readonly sheet: string | null;
  readonly addFinding: AddFinding;
}

interface SheetRows {
  readonly rows: readonly Row[];
  readonly tooWide: WideRow | null;
}

/** Cells in all rows, with blank ones before the last of each row: a sheet may have a cell in its last column alone. */
const MOST_CELLS = 5_000_000;
/** In all cells: a text that is stored once may be in many of them. */
const MOST_CHARACTERS = 64 * 1024 * 1024;

/** Throws FeedProblem for a workbook that is damaged or too large, or that has no such sheet. */
export function readWorkbook(bytes: Buffer, { sheet, addFinding }: WorkbookOptions): SheetRows {
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

  function addRow(number: number, written: readonly string[]): void {
    count(
      written.reduce((sum, cell) => sum + cell.length, 0),
      written.length,
    );
    add(number, written);
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

/** A cell of the part, while it is read. */
interface OpenCell {
  /** Its column and row in letters and digits, for findings. */
  readonly name: string;
  /** From 0. */
  readonly column: number;
  readonly type: string;
  readonly style: number;
  hasFormula: boolean;
  value: string;
}

interface RowHandlers {
  readonly addRow: (number: number, cells: readonly string[]) => void;
  readonly lose: LostValues['add'];
  /** Takes the range of merged cells. */
  readonly addMerged: (range: string | undefined) => void;
}

/** Passes on the rows of a sheet with their numbers, and then its merged cells. A blank cell is an empty text. */
function readRows(parts: SheetParts, { addRow, lose, addMerged }: RowHandlers): void {
  const inline = createTextReader();
  let number = 0;
  let cells: string[] = [];
  let nextColumn = 0;
  let cell: OpenCell | null = null;
  let isValue = false;

  function endCell(ended: OpenCell): void {
    const written = ended.type === 'inlineStr' ? inline.take() : ended.value;
    const text = cellText({ ...ended, value: written }, parts, (expected, found) =>
      lose({ line: number, field: ended.name, column: ended.column, expected, found }),
    );
    if (text === '') return;
    // Columns beyond the limit are read as one, so that their number costs nothing.
    const column = Math.min(ended.column, MOST_COLUMNS);
    while (cells.length < column) cells.push('');
    cells[column] = text;
  }

  readXml(parts.sheet, {
    open(name, { r: reference, s: style = '0', t: type = 'n', ref: range }) {
      inline.open(name);
      if (name === 'mergeCell') addMerged(range);
      isValue = name === 'v';
      if (name === 'row') {
        number = rowNumber(reference) ?? number + 1;
        cells = [];
        nextColumn = 0;
      }
      if (name === 'c') {
        const column = columnOf(reference) ?? nextColumn;
        nextColumn = column + 1;
        cell = {
          name: reference ?? `${number}:${column + 1}`,
          column,
          type,
          style: Number(style),
          hasFormula: false,
          value: '',
        };
      }
      if (name === 'f' && cell !== null) cell.hasFormula = true;
    },
    text(text) {
      inline.add(text);
      if (isValue && cell !== null) cell.value = extended(cell.value, text);
    },
    close(name) {
      inline.close(name);
      isValue = false;
      if (name === 'c' && cell !== null) endCell(cell);
      if (name === 'c') cell = null;
      if (name === 'row') addRow(number, cells);
    },
  });
}

/** Excel's own last row. */
const LAST_ROW = 1_048_576;

function rowNumber(written: string | undefined): number | null {
  const number = Number(written);
  return Number.isInteger(number) && number >= 1 && number <= LAST_ROW ? number : null;
}

/** From 0, of the letters before the digits. Null without such a reference. */
function columnOf(reference: string | undefined): number | null {
  const [, letters] = /^([A-Z]{1,3})\d/.exec(reference ?? '') ?? [];
  if (letters === undefined) return null;
  return [...letters].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

type Lose = (expected: string, found: string) => void;

/** Empty for a blank cell and, after a finding, for one without a value. */
function cellText(
  { name, type, style, value, hasFormula }: OpenCell,
  { texts, formats, is1904 }: SheetParts,
  lose: Lose,
): string {
  if (type === 'e') {
    lose('a value', `the error ${value.slice(0, 20)}`);
    return '';
  }
  if (value === '') {
    if (hasFormula && type === 'n')
      lose('the result of a formula (open the workbook in Excel and save it)', 'none');
    return '';
  }
  if (type === 's') {
    const text = texts[Number(value)];
    if (text === undefined) throw damagedWithout(`the text ${value} of the cell ${name}`);
    return text;
  }
  if (type === 'b') return value === '1' || value === 'true' ? 'TRUE' : 'FALSE';
  if (type === 'str') return unescaped(value);
  if (type === 'inlineStr') return value;
  if (type === 'd') return value.replace('T', ' ');
  return numberText(value, formats[style] ?? PLAIN, is1904);
}

/** A cell without a value that can be read. */
interface LostValue {
  /** The row, from 1. */
  readonly line: number;
  /** The name of the cell. */
  readonly field: string;
  /** From 0. */
  readonly column: number;
  readonly expected: string;
  readonly found: string;
}

/** A column of formulas can have thousands, so each column is reported once. */
interface LostValues {
  readonly add: (value: LostValue) => void;
  /** Reports the first of each column and each expectation, with the number of the others. */
  readonly report: (addFinding: AddFinding) => void;
}

function createLostValues(): LostValues {
  const losses = new Map<string, { readonly first: LostValue; others: number }>();

  function add(value: LostValue): void {
    // Columns beyond the limit are counted as one, as they are read.
    const key = `${Math.min(value.column, MOST_COLUMNS)} ${value.expected}`;
    const known = losses.get(key);
    if (known === undefined) losses.set(key, { first: value, others: 0 });
    else known.others += 1;
  }

  function report(addFinding: AddFinding): void {
    for (const { first, others } of losses.values()) {
      const { line, field, expected } = first;
      const found = others === 0 ? first.found : `${first.found} (and ${others} more in this column)`;
      addFinding({ action: 'dropped value', line, field, expected, found });
    }
  }

  return { add, report };
}
