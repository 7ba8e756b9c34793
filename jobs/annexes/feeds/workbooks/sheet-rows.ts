/** Reads the rows of a sheet from its part of a workbook, and the texts of their cells. */
import { MOST_COLUMNS, type Numbers } from '../table-rows.ts';
import { damagedWithout } from './archive.ts';
import type { LostValues } from './lost-values.ts';
import { numberText, PLAIN } from './number-formats.ts';
import { createTextReader, extended, type SheetParts, unescaped } from './parts.ts';
import { type Attributes, readXml } from './xml.ts';

interface RowHandlers {
  readonly addRow: (number: number, cells: readonly string[], numbers: Numbers) => void;
  readonly lose: LostValues['add'];
  /** Takes the range of merged cells. */
  readonly addMerged: (range: string | undefined) => void;
}

/** A row of the part, while it is read. */
interface OpenRow {
  readonly number: number;
  readonly cells: string[];
  readonly numbers: Map<number, number>;
  /** The column of the next cell that does not name its own; from 0. */
  nextColumn: number;
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

/** Passes on the rows of a sheet with their numbers, and then its merged cells. A blank cell is an empty text. */
export function readRows(parts: SheetParts, { addRow, lose, addMerged }: RowHandlers): void {
  const inline = createTextReader();
  let row: OpenRow = openRow(0);
  let cell: OpenCell | null = null;
  let isValue = false;

  function endCell(ended: OpenCell): void {
    const { type, name: field, column } = ended;
    const value = type === 'inlineStr' ? inline.take() : ended.value;
    const text = cellText({ ...ended, value }, parts, (expected, found) =>
      lose({ line: row.number, field, column, expected, found }),
    );
    if (text !== '') setCell(row.cells, column, text);
    if (type === 'n' && hasFractionOrSign(text)) row.numbers.set(column, Number(text));
  }

  readXml(parts.sheet, {
    open(name, attributes) {
      inline.open(name);
      isValue = name === 'v';
      if (name === 'mergeCell') addMerged(attributes.ref);
      if (name === 'row') row = rowAfter(row, attributes);
      if (name === 'c') cell = nextCellOf(row, attributes);
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
      if (name === 'row') addRow(row.number, row.cells, row.numbers);
    },
  });
}

function openRow(number: number): OpenRow {
  return { number, cells: [], numbers: new Map(), nextColumn: 0 };
}

/** A row that does not state its number follows the one before it. */
function rowAfter(before: OpenRow, { r: reference }: Attributes): OpenRow {
  return openRow(rowNumber(reference) ?? before.number + 1);
}

/** A cell that does not state its column follows the one before it. */
function nextCellOf(row: OpenRow, { r: reference, s: style = '0', t: type = 'n' }: Attributes): OpenCell {
  const column = columnOf(reference) ?? row.nextColumn;
  row.nextColumn = column + 1;
  const name = reference ?? `${row.number}:${column + 1}`;
  return { name, column, type, style: Number(style), hasFormula: false, value: '' };
}

/** Columns beyond the limit are read as one, so that their number costs nothing. */
function setCell(cells: string[], column: number, text: string): void {
  const index = Math.min(column, MOST_COLUMNS);
  while (cells.length < index) cells.push('');
  cells[index] = text;
}

/** A number whose text does not consist only of digits. The text of a date or a time is not a number. */
function hasFractionOrSign(text: string): boolean {
  return !/^\d*$/.test(text) && Number.isFinite(Number(text));
}

/** Excel's own last row. */
const LAST_ROW = 1_048_576;

function rowNumber(written: string | undefined): number | null {
  const number = Number(written);
  return Number.isInteger(number) && number >= 1 && number <= LAST_ROW ? number : null;
}

/** From 0, of the letters before the digits. Null without such a reference. */
export function columnOf(reference: string | undefined): number | null {
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
