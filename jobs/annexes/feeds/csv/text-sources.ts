/** The column of each field of a table: by the feed's settings, by the native format's names, or by common names. */
import { onOneLine } from '../../../../src/calendar/display-text.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { type ColumnSource, TABLE_FIELDS, type TableColumns, type TableField } from '../table-fields.ts';
import type { Row } from '../table-rows.ts';

export interface TableFeed {
  readonly columns: TableColumns;
  /** For titles, descriptions and summaries whose columns do not state a language. */
  readonly language: 'nb' | 'en';
}

/** The source of a field's text: the index of a cell, or a constant from the settings. */
export type TextSource = number | { readonly value: string };
export type TextSources = ReadonlyMap<TableField, readonly TextSource[]>;

/** The fields, each with the folded names that its column may have. */
export const KEYS = Object.entries(TABLE_FIELDS).map(([field, { names }]) => {
  const keys = names.split('|').filter((name) => name !== '');
  const withoutSpaces = keys.map((key) => key.replaceAll(' ', ''));
  return { field: field as TableField, keys: [nameKey(field), ...keys, ...withoutSpaces] };
});
export const FIELDS = KEYS.map(({ field }) => field);

/** Fields that hide a row. A table may have several columns of their names, such as Publisert and Synlig, and each of them can hide it. */
const HIDING: ReadonlySet<TableField> = new Set<TableField>(['private', 'sensitivity', 'published']);

/** The sources of all fields, if this row names the columns. By settings, a column may be several fields; otherwise at most one. */
export function textSourcesIn(row: Row, { columns, language }: TableFeed): TextSources {
  const indexes = indexesByKey(row);
  const sources = sourcesBySettings(columns, indexes);
  const taken = new Set([...sources.values()].flat());
  for (const { field, keys } of KEYS) {
    if (columns[field] !== undefined) continue;
    const named = keys.map((key) => indexes.get(key)).filter((index) => index !== undefined);
    const free = [...new Set(named)].filter((index) => !taken.has(index));
    const found = HIDING.has(field) ? free : free.slice(0, 1);
    if (found.length === 0) continue;
    sources.set(field, found);
    for (const index of found) taken.add(index);
  }
  for (const name of ['title', 'desc', 'summary'] as const)
    moveToLanguage(name, { row, sources, columns, language });
  return sources;
}

/** The first column of each name, by the keys of the name. */
function indexesByKey({ cells }: Row): ReadonlyMap<string, number> {
  const indexes = new Map<string, number>();
  for (const [index, cell] of cells.entries())
    for (const key of nameForms(cell)) if (!indexes.has(key)) indexes.set(key, index);
  return indexes;
}

function sourcesBySettings(
  columns: TableColumns,
  indexes: ReadonlyMap<string, number>,
): Map<TableField, readonly TextSource[]> {
  const sources = new Map<TableField, readonly TextSource[]>();
  for (const field of FIELDS) {
    const found = sourcesOf(columns[field]).flatMap((source): readonly TextSource[] => {
      if (typeof source === 'object') return [{ value: String(source.value).trim() }];
      if (!isName(source)) return [source - 1];
      const index = indexes.get(nameKey(source));
      return index === undefined ? [] : [index];
    });
    if (found.length > 0) sources.set(field, found);
  }
  return sources;
}

interface FoundSources extends TableFeed {
  readonly row: Row;
  readonly sources: Map<TableField, readonly TextSource[]>;
}

/** A column named "Title" need not be English: if it is the only one, and names no language, it has the feed's. */
function moveToLanguage(
  name: 'title' | 'desc' | 'summary',
  { row, sources, columns, language }: FoundSources,
): void {
  const fieldOfFeed = `${name}_${language}` as const;
  const [only, ...more] = ([`${name}_nb`, `${name}_en`] as const).filter((field) => sources.has(field));
  if (only === undefined || more.length > 0 || only === fieldOfFeed) return;
  const columnSources = sources.get(only) ?? [];
  const isCertain = columns[only] !== undefined || NAMES_LANGUAGE.test(columnName(columnSources, row) ?? '');
  if (isCertain) return;
  sources.delete(only);
  sources.set(fieldOfFeed, columnSources);
}

const NAMES_LANGUAGE = /engelsk|english|norsk|norwegian|_(?:nb|en)$/i;

/** Characters: a longer cell is not the name of a column. */
const LONGEST_NAME = 500;

/** The folded forms of a name: people add marks and text in brackets (`Pris (kr)`), and programs write `start_date`. */
export function nameForms(cell: string): readonly string[] {
  if (cell.length > LONGEST_NAME) return [];
  const asWritten = nameKey(cell);
  const key = asWritten.replaceAll('_', ' ').replace(TRAILING_MARKS, '');
  const withoutBrackets = onOneLine(key.replace(/[()]/g, ' '));
  const withoutBracketedText = key.replace(BRACKETED_TEXT, '').trim();
  const withoutEvent = key.replace(WORD_EVENT, '');
  const forms = [asWritten, key, withoutBrackets, withoutBracketedText, withoutEvent];
  return forms.filter((form) => form !== '');
}

/** `Start:`, `Tittel *`. */
const TRAILING_MARKS = /(?<![\s:*?.])[\s:*?.]+$/;
const BRACKETED_TEXT = /(?<!\s)\s*\([^()]*\)/g;
/** The Events Calendar puts this word before each column's name. */
const WORD_EVENT = /^event (?=.)/;

/** The name of the column that a field is read from, or its number; undefined for a field that is not read from a column. */
export function columnName(sources: readonly TextSource[] | undefined, { cells }: Row): string | undefined {
  const index = sources?.find((source) => typeof source === 'number');
  return index === undefined ? undefined : cells[index] || `column ${index + 1}`;
}

/** Whether the settings give a column by its name. */
export function isName(source: ColumnSource): source is string {
  return typeof source === 'string';
}

/** The columns and constants that the settings give for a field. */
export function sourcesOf(written: TableColumns[TableField]): readonly ColumnSource[] {
  if (written === undefined) return [];
  return Array.isArray(written) ? written : [written];
}

/** Whether the name of a column may be the nearest known one, mistyped. One that only contains the word is not. */
export function isMistyped(name: string, nearest: string): boolean {
  return Math.abs(nearest.length - name.length) <= MOST_LETTERS_APART;
}

/** A mistyped name is at most that much longer or shorter. */
const MOST_LETTERS_APART = 2;
