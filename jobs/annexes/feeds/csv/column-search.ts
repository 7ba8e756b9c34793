/** Finds the columns of a table: by the first row that names them, or by the numbers that the feed's settings give. */
import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../findings.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { AddFinding } from '../last-good.ts';
import { quotedCells, type Row } from '../table-rows.ts';
import { type Columns, cellReader, createColumns, type UnknownColumn } from './columns.ts';
import {
  FIELDS,
  isMistyped,
  isName,
  KEYS,
  sourcesOf,
  type TableFeed,
  type TextSources,
  textSourcesIn,
} from './text-sources.ts';

/** Rows that are searched: some stand above the names of the columns, for example with the name of a festival. */
const MOST_SEARCHED = 10;

/** Throws FeedProblem for a table without columns for titles, or for starts. */
export function findColumns(rows: readonly Row[], feed: TableFeed, addFinding: AddFinding): Columns {
  const searched = rows.slice(0, MOST_SEARCHED);
  const note: Note = (row, field, expected, found) =>
    addFinding({ action: 'changed value', line: row.number || null, field, expected, found });
  const { first, isNamed } = firstRowOf(searched, feed);
  for (const row of searched.slice(0, searched.indexOf(first)))
    note(row, null, 'the names of the columns (ignored)', quotedCells(row.cells));
  // If settings give numbers, the first row with a date is the first of the table, and names no column.
  const head = isNamed ? first : { number: first.number - 1, cells: [] };
  const sources = textSourcesIn(head, feed);
  const width = Math.max(...searched.map(({ cells }) => cells.length));
  noteMissing(head, { ...feed, width }, note);
  const unknown = unknownColumns(head, sources, note);
  noteMistyped(head, { sources, unknown }, note);
  return createColumns(head, sources, unknown);
}

/** The most fields that the names in one row give. */
export function mostFieldsNamed(rows: readonly Row[], feed: TableFeed): number {
  return Math.max(0, ...rows.map((row) => textSourcesIn(row, feed).size));
}

interface FirstRow {
  readonly first: Row;
  /** Whether it names the columns; otherwise it is the first with values. */
  readonly isNamed: boolean;
}

/** Settings give columns by names, which a row has; by numbers, and then no row may name any; or by both. */
function firstRowOf(rows: readonly Row[], feed: TableFeed): FirstRow {
  const wanted = FIELDS.flatMap((field) => sourcesOf(feed.columns[field]).filter(isName).map(nameKey));
  const isNumbered = isSufficient(textSourcesIn(NO_ROW, feed));
  const isNamed = !isNumbered || wanted.length > 0;
  const namesWanted = (row: Row) => row.cells.some((cell) => wanted.includes(nameKey(cell)));
  const isFirst = (row: Row): boolean => {
    if (!isSufficient(textSourcesIn(row, feed))) return false;
    if (!isNumbered) return true;
    return isNamed ? namesWanted(row) : hasDate(row, feed);
  };
  const first = rows.find(isFirst);
  if (first === undefined) throw new FeedProblem('unreadable answer', missingColumnsMessage(rows[0], feed));
  return { first, isNamed };
}

/** Whether a table with these columns has titles and starts. */
function isSufficient(sources: TextSources): boolean {
  const hasTitles = sources.has('title_nb') || sources.has('title_en');
  const hasStarts = sources.has('start') || sources.has('date');
  return hasTitles && hasStarts;
}

/** A cell with a day contains a digit; a column's name does not. */
function hasDate(row: Row, feed: TableFeed): boolean {
  const cellOf = cellReader(textSourcesIn(row, feed));
  return /\d/.test(cellOf(row, 'date') + cellOf(row, 'start'));
}

function missingColumnsMessage(row: Row | undefined, feed: TableFeed): string {
  const found = row === undefined ? 'no row' : quotedCells(row.cells);
  if (isSufficient(textSourcesIn(NO_ROW, feed)))
    return `expected a row with a day in the column that "columns" names, found ${found}`;
  const expected = 'a row that names a column with the title (Tittel) and one with the start (Start or Dato)';
  const settings = Object.keys(feed.columns).length === 0 ? '; "columns" can give their names' : '';
  return `expected ${expected}, found ${found}${settings}`;
}

const NO_ROW: Row = { number: 0, cells: [] };

/** Reports a fault of a row; `field` is null for the whole row. */
type Note = (row: Row, field: string | null, expected: string, found: string) => void;

interface TableWidth extends TableFeed {
  /** The number of columns. */
  readonly width: number;
}

/** Reports columns that settings name and the table lacks. */
function noteMissing(head: Row, { columns, width }: TableWidth, note: Note): void {
  const keys = new Set(head.cells.map(nameKey));
  for (const field of FIELDS) {
    for (const source of sourcesOf(columns[field])) {
      const expected = (by: string) => `a column of this ${by}, as "columns" states for ${field}`;
      if (isName(source) && !keys.has(nameKey(source)))
        note(head, source, expected('name'), quotedCells(head.cells));
      if (typeof source === 'number' && source > width)
        note(head, String(source), expected('number'), `${width} columns`);
    }
  }
}

/** The columns that no field has, in their order. Those whose name an earlier column has are reported, and left out. */
function unknownColumns(head: Row, sources: TextSources, note: Note): readonly UnknownColumn[] {
  const used = new Set([...sources.values()].flat());
  const seen = new Set<string>();
  const unknown: UnknownColumn[] = [];
  for (const [index, name] of head.cells.entries()) {
    const key = nameKey(name);
    const isRepeated = seen.has(key);
    seen.add(key);
    if (key === '' || used.has(index)) continue;
    if (isRepeated) note(head, name, EACH_NAME_ONCE, quotedCells(head.cells));
    else unknown.push({ name, index });
  }
  return unknown;
}

const EACH_NAME_ONCE = 'each name once (the first column of this name is used)';

interface FoundColumns {
  readonly sources: TextSources;
  readonly unknown: readonly UnknownColumn[];
}

/** Reports unknown columns whose name is nearly that of a field without a column. Further columns may be for people. */
function noteMistyped(head: Row, { sources, unknown }: FoundColumns, note: Note): void {
  const keys = KEYS.flatMap(({ field, keys: names }) => (sources.has(field) ? [] : names));
  const nearest = createNearest(keys, (key) => [key]);
  for (const { name } of unknown) {
    const near = nearest(name);
    if (near !== null && isMistyped(name, near))
      note(head, name, withNearest('a known column', near), excerpt(name));
  }
}
