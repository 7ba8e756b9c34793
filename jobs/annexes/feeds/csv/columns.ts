/** Finds the row that names the columns of a table, reads cells by their field, and reports names that are missing or mistyped. */

import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt, shorten } from '../../../records.ts';
import { FeedProblem } from '../health.ts';
import type { AddFinding } from '../last-good.ts';
import type { TableField as Field } from '../table-fields.ts';
import {
  columnName,
  FIELDS,
  isName,
  KEYS,
  type Origin,
  type Origins,
  originsIn,
  sourcesOf,
  type TableFeed,
} from './origins.ts';
import type { Row } from './table.ts';

/** The columns of a table. */
export interface Columns {
  /** Number of the row that names them; 0 if there is none. */
  readonly head: number;
  /** Folded. */
  readonly names: ReadonlySet<string>;
  readonly has: (field: Field) => boolean;
  readonly cellOf: (row: Row, field: Field) => string;
  /** The cells of a field of several columns, each with its name, which is empty for a constant. */
  readonly cellsOf: (row: Row, field: Field) => readonly (readonly [name: string, cell: string])[];
  readonly columnName: (field: Field) => string;
  readonly others: Others;
}

/** The most columns that one row names. */
export function mostColumnsNamed(rows: readonly Row[], feed: TableFeed): number {
  return Math.max(0, ...rows.map((row) => originsIn(row, feed).size));
}

/** Rows above the table's names, for example with the name of a festival. */
const MOST_ABOVE = 10;

/** Throws FeedProblem for a table without columns for titles, or for starts. */
export function findColumns(rows: readonly Row[], feed: TableFeed, addFinding: AddFinding): Columns {
  const candidates = rows.slice(0, MOST_ABOVE);
  const note: Note = (row, field, expected, found) =>
    addFinding({ action: 'changed value', line: row.number || null, field, expected, found });
  const { first, isNamed } = firstRowOf(candidates, feed);
  for (const row of candidates.slice(0, candidates.indexOf(first)))
    note(row, null, 'the names of the columns (ignored)', quotedList(row.cells));
  // If settings give numbers, the first row with a date is the first of the table, and names no column.
  const head = isNamed ? first : { number: first.number - 1, cells: [] };
  const origins = originsIn(head, feed);
  const width = Math.max(...candidates.map(({ cells }) => cells.length));
  noteUnknown(head, { ...feed, width }, note);
  const others = othersIn(head, origins, note);
  noteMistyped(head, { origins, others }, note);
  return columnsOf(head, origins, others);
}

/**
 * The row that names the columns (`isNamed`), or the first with values. Settings give columns by names, which a row has; by numbers, and then
 * no row may name any; or by both.
 */
function firstRowOf(candidates: readonly Row[], feed: TableFeed) {
  const names = FIELDS.flatMap((field) => sourcesOf(feed.columns[field]).filter(isName).map(nameKey));
  const isNumbered = isHead(originsIn(NO_ROW, feed));
  const isNamed = !isNumbered || names.length > 0;
  const isFirst = (row: Row) =>
    isNamed ? row.cells.some((cell) => names.includes(nameKey(cell))) : hasDate(row, feed);
  const first = candidates.find((row) => isHead(originsIn(row, feed)) && (!isNumbered || isFirst(row)));
  if (first === undefined)
    throw new FeedProblem('unreadable answer', missingColumnsMessage(candidates[0], feed));
  return { first, isNamed };
}

function columnsOf(head: Row, origins: Origins, others: Others): Columns {
  return {
    head: head.number,
    names: new Set(head.cells.map(nameKey)),
    has: (field: Field) => origins.has(field),
    cellOf: cellReader(origins),
    cellsOf: (row: Row, field: Field): readonly (readonly [name: string, cell: string])[] =>
      (origins.get(field) ?? []).map((origin) => [
        typeof origin === 'number' ? (head.cells[origin] ?? '') : '',
        originText(row, origin),
      ]),
    columnName: (field: Field) => columnName(origins.get(field), head) ?? field,
    others,
  };
}

type Note = (row: Row, field: string | null, expected: string, found: string) => void;

/** Reports columns that settings name and the table lacks. */
function noteUnknown(
  head: Row,
  { columns, width }: TableFeed & { readonly width: number },
  note: Note,
): void {
  const keys = new Set(head.cells.map(nameKey));
  for (const field of FIELDS) {
    for (const source of sourcesOf(columns[field])) {
      if (typeof source === 'object') continue;
      const isThere = isName(source) ? keys.has(nameKey(source)) : source <= width;
      if (isThere) continue;
      const [what, found] = isName(source)
        ? ['name', quotedList(head.cells)]
        : ['number', `${width} columns`];
      note(head, String(source), `a column of this ${what}, as "columns" states for ${field}`, found);
    }
  }
}

/** Reports unknown columns whose name is nearly that of a field without a column. Further columns may be for people. */
function noteMistyped(
  head: Row,
  { origins, others }: { readonly origins: Origins; readonly others: Others },
  note: Note,
): void {
  const keys = KEYS.flatMap(({ field, keys: names }) => (origins.has(field) ? [] : names));
  const nearest = createNearest(keys, (key) => [key]);
  for (const [name] of others) {
    const near = nearest(name);
    // A name that only contains the word is not a mistyped one.
    if (near !== null && Math.abs(near.length - name.length) <= MOST_LOST)
      note(head, name, withNearest('a known column', near), excerpt(name));
  }
}

/** Letters by which a mistyped name is longer or shorter. */
const MOST_LOST = 2;

/** Unknown columns, by their name. */
type Others = readonly (readonly [name: string, index: number])[];

function othersIn(head: Row, origins: Origins, note: Note): Others {
  const used = new Set([...origins.values()].flat());
  const seen = new Set<string>();
  return [...head.cells.entries()].flatMap(([index, cell]) => {
    const key = nameKey(cell);
    const isFirst = !seen.has(key);
    seen.add(key);
    if (key === '' || used.has(index)) return [];
    if (isFirst) return [[cell, index] as const];
    note(head, cell, 'each name once (the first column of this name is used)', quotedList(head.cells));
    return [];
  });
}

/** Separators for fields that join the texts of several columns; other fields take the first that is not blank. */
const JOINED: ReadonlyMap<Field, string> = new Map<Field, string>([
  ['desc_nb', '\n\n'],
  ['desc_en', '\n\n'],
  ['venueNote', '\n'],
  ['organizers', '\n'],
  ['categories', '\n'],
  ['tags', '\n'],
  ['images', '\n'],
  ['prices', '\n'],
  ['date', '\n'],
  ['except', '\n'],
  ['address', ', '],
]);

/** Empty for a field that has no column. */
function cellReader(origins: Origins) {
  return (row: Row, field: Field): string => {
    const found = origins.get(field);
    if (found === undefined || found.length < 2) return originText(row, found?.[0]);
    const texts = found.map((origin) => originText(row, origin)).filter((text) => text !== '');
    const separator = JOINED.get(field);
    return separator === undefined ? (texts[0] ?? '') : texts.join(separator);
  };
}

function originText({ cells }: Row, origin: Origin | undefined): string {
  return (typeof origin === 'number' ? cells[origin] : origin?.value) ?? '';
}

function isHead(origins: Origins): boolean {
  return (
    (origins.has('title_nb') || origins.has('title_en')) && (origins.has('start') || origins.has('date'))
  );
}

/** A cell with a day contains a digit; a column's name does not. */
function hasDate(row: Row, feed: TableFeed): boolean {
  const cellOf = cellReader(originsIn(row, feed));
  return /\d/.test(cellOf(row, 'date') + cellOf(row, 'start'));
}

function missingColumnsMessage(row: Row | undefined, feed: TableFeed): string {
  const found = row === undefined ? 'no row' : quotedList(row.cells);
  if (isHead(originsIn(NO_ROW, feed)))
    return `expected a row with a day in the column that "columns" names, found ${found}`;
  const expected = 'a row that names a column with the title (Tittel) and one with the start (Start or Dato)';
  const settings = Object.keys(feed.columns).length === 0 ? '; "columns" can give their names' : '';
  return `expected ${expected}, found ${found}${settings}`;
}

function quotedList(cells: readonly string[]): string {
  return shorten(
    cells
      .slice(0, MOST_LISTED)
      .map((cell) => JSON.stringify(cell))
      .join(', '),
  );
}

/** More than fit into a finding. */
const MOST_LISTED = 100;

const NO_ROW: Row = { number: 0, cells: [] };
