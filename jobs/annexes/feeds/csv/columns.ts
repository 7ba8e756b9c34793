/** The columns of a table: which fields it has, and the text of each field in a row. */
import { nameKey } from '../../../../src/calendar/text.ts';
import type { TableField } from '../table-fields.ts';
import { cellAt, type Row } from '../table-rows.ts';
import { columnName, type TextSource, type TextSources } from './text-sources.ts';

export interface Columns {
  /** Number of the row that names them; 0 if there is none. */
  readonly head: number;
  /** Folded. */
  readonly names: ReadonlySet<string>;
  readonly has: (field: TableField) => boolean;
  /** Empty for a field that has no column. */
  readonly cellOf: (row: Row, field: TableField) => string;
  /** The cells of a field that has several columns, one by one. */
  readonly cellsOf: (row: Row, field: TableField) => readonly NamedCell[];
  /** The cells that the text of a field is made of, which are not blank. */
  readonly usedCellsOf: (row: Row, field: TableField) => readonly UsedCell[];
  /** The name of the column that the row's text of a field is in: the first one if it is blank; the field's own name if it has no column. */
  readonly columnIn: (row: Row, field: TableField) => string;
  readonly unknown: readonly UnknownColumn[];
}

/** One of the cells of a field, or a constant from the settings in its place. */
export interface NamedCell {
  /** The name of its column; empty for a constant, and for a column without a name. */
  readonly name: string;
  /** The name of the column in findings. */
  readonly column: string;
  /** A number if the cell of a workbook contains one, otherwise text. */
  readonly value: string | number;
}

/** One of the cells that the text of a field is made of. */
export interface UsedCell {
  /** The column as findings name it. */
  readonly column: string;
  readonly value: string;
}

/** A column that no field has. */
export interface UnknownColumn {
  readonly name: string;
  readonly index: number;
}

/** `head`: the row that names the columns; without cells if none does. */
export function createColumns(head: Row, sources: TextSources, unknown: readonly UnknownColumn[]): Columns {
  function cellsOf(row: Row, field: TableField): readonly NamedCell[] {
    const found = sources.get(field) ?? [];
    return found.map((source) => {
      const column = columnName([source], head) ?? field;
      if (typeof source === 'object') return { name: '', column, value: source.value };
      return { name: head.cells[source] ?? '', column, value: cellAt(row, source) };
    });
  }

  function usedCellsOf(row: Row, field: TableField): readonly UsedCell[] {
    const used: UsedCell[] = [];
    for (const source of sources.get(field) ?? []) {
      const value = textFrom(row, source);
      if (value === '') continue;
      used.push({ column: columnName([source], head) ?? field, value });
      if (!SEPARATORS.has(field)) break;
    }
    return used;
  }

  function columnIn(row: Row, field: TableField): string {
    const [used] = usedCellsOf(row, field);
    return used?.column ?? columnName(sources.get(field), head) ?? field;
  }

  return {
    head: head.number,
    names: new Set(head.cells.map(nameKey)),
    has: (field) => sources.has(field),
    cellOf: cellReader(sources),
    cellsOf,
    usedCellsOf,
    columnIn,
    unknown,
  };
}

/** Separators for fields that join the texts of several columns; other fields take the first that is not blank. */
const SEPARATORS: ReadonlyMap<TableField, string> = new Map<TableField, string>([
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

/** Creates the function that returns the text of a field in a row; empty for a field that has no column. */
export function cellReader(sources: TextSources): Columns['cellOf'] {
  return (row, field) => {
    const found = sources.get(field) ?? [];
    const [only, ...more] = found;
    if (more.length === 0) return textFrom(row, only);
    const texts = found.map((source) => textFrom(row, source)).filter((text) => text !== '');
    const separator = SEPARATORS.get(field);
    return separator === undefined ? (texts[0] ?? '') : texts.join(separator);
  };
}

function textFrom({ cells }: Row, source: TextSource | undefined): string {
  return (typeof source === 'number' ? cells[source] : source?.value) ?? '';
}
