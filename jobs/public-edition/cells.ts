/** The cells of the public edition (J5): values of an event's fragment and of the directories, as SQLite stores them. */
import { OLDER_EVENT_FIELDS } from '../../src/calendar/older-fields.ts';
import { EVENT_SCALARS, type EventFragment } from '../../src/snapshot/fragments.ts';
import { snakeCase } from './tables.ts';

export type Cell = string | number | boolean | null;

/** Finds a value by its name. */
interface Fields {
  readonly get: (name: string) => unknown;
}

/** Reads parts that are finished JSON, in the order of these names. */
export function readerOf(names: readonly string[]): (parts: readonly string[]) => Fields {
  const indexes = new Map(names.map((name, index) => [name, index]));
  return (parts) => {
    const values: readonly unknown[] = JSON.parse(`[${parts.slice(0, names.length).join(',')}]`);
    return { get: (name) => values[indexes.get(name) ?? -1] };
  };
}

/** Plain fields, each with its column. */
type Plain = readonly (readonly [field: string, column: string])[];

/** The plain fields of a table of fields. */
export function plainOf(table: object): Plain {
  return Object.keys(table).map((name) => [name, snakeCase(name)]);
}

/** The cells of plain fields, by their columns. */
export function plainCells(plain: Plain, fields: Fields): Record<string, Cell> {
  const cells: Record<string, Cell> = {};
  for (const [field, column] of plain) cells[column] = cellOf(fields.get(field));
  return cells;
}

/** The fields of an entry of a directory. */
export function entryFields(entry: object): Fields {
  return new Map<string, unknown>(Object.entries(entry));
}

/** A value as a cell. A list of words becomes one text. */
export function cellOf(value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'number' || typeof value === 'boolean' ? value : String(value);
}

/** The cell of a field for older clients. */
export function olderCell({ older }: EventFragment, name: (typeof OLDER_EVENT_FIELDS)[number]): Cell {
  return cellOf(JSON.parse(older[OLDER_EVENT_FIELDS.indexOf(name)] ?? 'null'));
}

const INDEXES: ReadonlyMap<string, number> = new Map(EVENT_SCALARS.map((name, index) => [name, index]));

/** The position of a field in an event's fragment; undefined for a name that it does not have. */
export function scalarIndex(name: string): number | undefined {
  return INDEXES.get(name);
}

type Scalars = EventFragment['scalars'];

/** Empty unless the field is a text. */
export function textAt(scalars: Scalars, name: string): string {
  const value = valueAt(scalars, name);
  return typeof value === 'string' ? value : '';
}

/** Empty unless the field is a list. */
export function wordsAt(scalars: Scalars, name: string): readonly string[] {
  const value = valueAt(scalars, name);
  return Array.isArray(value) ? value.map(String) : [];
}

function valueAt(scalars: Scalars, name: string): unknown {
  return JSON.parse(scalars[INDEXES.get(name) ?? -1] ?? 'null');
}
