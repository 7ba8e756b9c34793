/** The field of each column of a table: by the feed's settings, by the native format's names, or by common names. */

import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt, shorten } from '../../../records.ts';
import { oneLine } from '../event-fields.ts';
import { FeedProblem } from '../health.ts';
import type { AddFinding } from '../last-good.ts';
import {
  type ColumnSource,
  type TableField as Field,
  TABLE_FIELDS,
  type TableColumns,
} from '../table-fields.ts';
import type { Row } from './table.ts';

const KEYS = Object.entries(TABLE_FIELDS).map(([field, { names }]) => {
  const keys = names.split('|').filter((name) => name !== '');
  return {
    field: field as Field,
    keys: [nameKey(field), ...keys, ...keys.map((key) => key.replaceAll(' ', ''))],
  };
});
const FIELDS = KEYS.map(({ field }) => field);

export type Columns = ReturnType<typeof findColumns>;

interface TableFeed {
  readonly columns: TableColumns;
  /** For titles and descriptions whose columns do not state a language. */
  readonly language: 'nb' | 'en';
}

/** The origin of a field's text: the index of a cell, or a constant from the settings. */
type Origin = number | { readonly value: string };
type Origins = ReadonlyMap<Field, readonly Origin[]>;

/** The most columns that one row names. */
export function rateHead(rows: readonly Row[], feed: TableFeed): number {
  return Math.max(0, ...rows.map((row) => originsIn(row, feed).size));
}

/** Rows above the table's names, for example with the name of a festival. */
const MOST_ABOVE = 10;

/** Throws FeedProblem for a table without columns for titles, or for starts. */
export function findColumns(rows: readonly Row[], feed: TableFeed, addFinding: AddFinding) {
  const candidates = rows.slice(0, MOST_ABOVE);
  const note: Note = (row, field, expected, found) =>
    addFinding({ action: 'changed value', line: row.number || null, field, expected, found });
  const { first, isNamed } = firstRowOf(candidates, feed);
  for (const row of candidates.slice(0, candidates.indexOf(first)))
    note(row, null, 'the names of the columns (ignored)', listOf(row.cells));
  // If settings give numbers, the first row with a date is the first of the table, and names no column.
  const head = isNamed ? first : { number: first.number - 1, cells: [] };
  const origins = originsIn(head, feed);
  const width = Math.max(...candidates.map(({ cells }) => cells.length));
  noteUnknown(head, { ...feed, width }, note);
  const others = othersIn(head, origins, note);
  noteMistyped(head, { origins, others }, note);
  return columnsOf(head, origins, others);
}

/** The row that names the columns (`isNamed`), or the first with values. */
function firstRowOf(candidates: readonly Row[], feed: TableFeed) {
  const names = FIELDS.flatMap((field) => sourcesOf(feed.columns[field]).filter(isName).map(nameKey));
  // Settings by numbers may suffice; names may be given besides.
  const isNumbered = isHead(originsIn(NO_ROW, feed));
  const isNamed = !isNumbered || names.length > 0;
  const isFirst = (row: Row) =>
    isNamed ? row.cells.some((cell) => names.includes(nameKey(cell))) : hasDate(row, feed);
  const first = candidates.find((row) => isHead(originsIn(row, feed)) && (!isNumbered || isFirst(row)));
  if (first === undefined) throw new FeedProblem('unreadable answer', missing(candidates[0], feed));
  return { first, isNamed };
}

function columnsOf(head: Row, origins: Origins, others: Others) {
  return {
    /** Number of the row that names them; 0 if there is none. */
    head: head.number,
    /** Folded. */
    names: new Set(head.cells.map(nameKey)),
    has: (field: Field) => origins.has(field),
    cellOf: cellReader(origins),
    /** The cells of a field of several columns, each with its name, which is empty for a constant. */
    cellsOf: (row: Row, field: Field): readonly (readonly [name: string, cell: string])[] =>
      (origins.get(field) ?? []).map((origin) => [
        typeof origin === 'number' ? (head.cells[origin] ?? '') : '',
        originText(row, origin),
      ]),
    titleOf: (field: Field) => titleOf(origins.get(field), head) ?? field,
    others,
  };
}

type Note = (row: Row, field: string | null, expected: string, found: string) => void;

function titleOf(origins: readonly Origin[] | undefined, { cells }: Row): string | undefined {
  const index = origins?.find((origin) => typeof origin === 'number');
  return index === undefined ? undefined : (cells[index] ?? `column ${index + 1}`);
}

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
      const [what, found] = isName(source) ? ['name', listOf(head.cells)] : ['number', `${width} columns`];
      note(head, String(source), `a column of this ${what}, as "columns" says of ${field}`, found);
    }
  }
}

/** Reports unknown columns whose name is nearly that of a field without a column. Other columns may stand there for people. */
function noteMistyped(
  head: Row,
  { origins, others }: { readonly origins: Origins; readonly others: Others },
  note: Note,
): void {
  const keys = KEYS.flatMap(({ field, keys: names }) => (origins.has(field) ? [] : names));
  const nearest = createNearest(keys, (key) => [key]);
  for (const [name] of others) {
    const near = nearest(name);
    // A name that only has the word in it is another one.
    if (near !== null && Math.abs(near.length - name.length) <= MOST_LOST)
      note(head, name, withNearest('a known column', near), excerpt(name));
  }
}

/** Letters by which a mistyped name is longer or shorter. */
const MOST_LOST = 2;

function isName(source: ColumnSource): source is string {
  return typeof source === 'string';
}

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
    note(head, cell, 'each name once (the first column of this name is used)', listOf(head.cells));
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

function missing(row: Row | undefined, feed: TableFeed): string {
  const found = row === undefined ? 'no row' : listOf(row.cells);
  if (isHead(originsIn(NO_ROW, feed)))
    return `expected a row with a day in the column that "columns" says, found ${found}`;
  const expected = 'a row that names a column with the title (Tittel) and one with the start (Start or Dato)';
  const settings = Object.keys(feed.columns).length === 0 ? '; "columns" can say what they are called' : '';
  return `expected ${expected}, found ${found}${settings}`;
}

function listOf(cells: readonly string[]): string {
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

function sourcesOf(written: TableColumns[Field]): readonly ColumnSource[] {
  if (written === undefined) return [];
  return Array.isArray(written) ? written : [written];
}

/** By settings, a column may be several fields; otherwise at most one. */
function originsIn(row: Row, { columns, language }: TableFeed): Origins {
  const indexes = indexesByKey(row);
  const origins = originsBySettings(columns, indexes);
  const taken = new Set([...origins.values()].flat());
  for (const { field, keys } of KEYS) {
    if (columns[field] !== undefined) continue;
    const index = keys
      .map((key) => indexes.get(key))
      .find((found) => found !== undefined && !taken.has(found));
    if (index === undefined) continue;
    origins.set(field, [index]);
    taken.add(index);
  }
  for (const name of ['title', 'desc'] as const) moveToLanguage(name, { row, origins, columns, language });
  return origins;
}

/** The first column of each name, by the keys of the name. */
function indexesByKey({ cells }: Row): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, cell] of cells.entries())
    for (const key of keysOf(cell)) if (!indexes.has(key)) indexes.set(key, index);
  return indexes;
}

function originsBySettings(
  columns: TableColumns,
  indexes: ReadonlyMap<string, number>,
): Map<Field, readonly Origin[]> {
  const origins = new Map<Field, readonly Origin[]>();
  for (const field of FIELDS) {
    const found = sourcesOf(columns[field]).flatMap((source): readonly Origin[] => {
      if (typeof source === 'object') return [{ value: String(source.value).trim() }];
      if (!isName(source)) return [source - 1];
      const index = indexes.get(nameKey(source));
      return index === undefined ? [] : [index];
    });
    if (found.length > 0) origins.set(field, found);
  }
  return origins;
}

interface Languages extends TableFeed {
  readonly row: Row;
  readonly origins: Map<Field, readonly Origin[]>;
}

/** A column named "Title" need not be English: if it is the only one, and names no language, it has the feed's. */
function moveToLanguage(name: 'title' | 'desc', { row, origins, columns, language }: Languages): void {
  const fieldOfFeed = `${name}_${language}` as const;
  const [only, ...more] = ([`${name}_nb`, `${name}_en`] as const).filter((field) => origins.has(field));
  if (only === undefined || more.length > 0 || only === fieldOfFeed) return;
  const given = origins.get(only) ?? [];
  const isCertain = columns[only] !== undefined || NAMES_LANGUAGE.test(titleOf(given, row) ?? '');
  if (isCertain) return;
  origins.delete(only);
  origins.set(fieldOfFeed, given);
}

const NAMES_LANGUAGE = /engelsk|english|norsk|norwegian|_(?:nb|en)$/i;
/** Characters: a longer cell is no column's name. */
const LONGEST_NAME = 500;

/** With the text in brackets, and without it: `Pris (kr)`; programs write `start_date`. */
function keysOf(cell: string): readonly string[] {
  if (cell.length > LONGEST_NAME) return [];
  const key = nameKey(cell)
    .replaceAll('_', ' ')
    .replace(/(?<![\s:*?.])[\s:*?.]+$/, '');
  const words = oneLine(key.replace(/[()]/g, ' '));
  const without = key.replace(/(?<!\s)\s*\([^()]*\)/g, '').trim();
  // The Events Calendar puts this word before each column's name.
  const plain = key.replace(/^event (?=.)/, '');
  return [nameKey(cell), key, words, without, plain].filter((found) => found !== '');
}
