/** The columns of a sheet that people keep for this calendar, by their names in the first row, in any order and case. */
import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { AddFinding } from '../last-good.ts';
import { TABLE_FIELDS, type TableField } from '../table-fields.ts';
import { quotedCells, type Row } from './table-rows.ts';
import { isMistyped, nameForms } from './text-sources.ts';

/** The columns of one sheet. */
export interface SheetColumns<Field extends string> {
  /** The row that names them. */
  readonly head: Row;
  /** The fields that have a column. */
  readonly fields: readonly Field[];
  /** The first column of each of these fields. */
  readonly indexes: ReadonlyMap<Field, number>;
  /** Empty for a field without a column. */
  readonly cellOf: (row: Row, field: Field) => string;
  /** The column's name in the sheet; a name that it may have if there is no such column. */
  readonly nameOf: (field: Field) => string;
}

/** The columns that sheets of one kind may have. */
export interface NamedColumns<Field extends string> {
  /** Throws FeedProblem for a first row that lacks necessary columns, so that what the sheet said before stays in effect. */
  readonly findIn: (head: Row | undefined, addFinding: AddFinding) => SheetColumns<Field>;
  /** The number of fields that a row names: of a table's possible separators, the right one gives the most. */
  readonly countIn: (rows: readonly Row[]) => number;
  /** A name of the column of a field, as findings write it: `Kategori`. Another name stays as it is. */
  readonly titleOf: (field: string) => string;
}

interface ColumnRules<Field extends string> {
  /** For each field the folded names of its column. Findings suggest the first. */
  readonly names: Readonly<Record<Field, readonly string[]>>;
  /** Whether a sheet with columns for these fields can be read. */
  readonly isSufficient: (fields: readonly Field[]) => boolean;
  /** What a finding about another sheet expects. */
  readonly expected: string;
}

export function namedColumns<Field extends string>(rules: ColumnRules<Field>): NamedColumns<Field> {
  const { names, isSufficient } = rules;
  const all = Object.keys(names) as Field[];
  const fieldByName = new Map(
    all.flatMap((field) => names[field].map((name) => [nameKey(name), field] as const)),
  );

  function indexesIn(head: Row | undefined): ReadonlyMap<Field, number> {
    const indexes = new Map<Field, number>();
    for (const [index, cell] of (head?.cells ?? []).entries()) {
      const field = nameForms(cell).flatMap((form) => fieldByName.get(form) ?? [])[0];
      if (field !== undefined && !indexes.has(field)) indexes.set(field, index);
    }
    return indexes;
  }

  function titleOf(name: string): string {
    const field = all.find((one) => one === name);
    return field === undefined ? name : columnTitle(names[field]);
  }

  function findIn(head: Row | undefined, addFinding: AddFinding): SheetColumns<Field> {
    const indexes = indexesIn(head);
    const fields = all.filter((field) => indexes.has(field));
    if (head === undefined || !isSufficient(fields)) {
      const found = head === undefined ? 'no row' : quotedCells(head.cells);
      throw new FeedProblem('unreadable answer', `expected ${rules.expected}, found ${found}`);
    }
    const others = unreadColumns(head, indexes);
    if (others.length > 0) {
      const missing = all.filter((field) => !indexes.has(field)).flatMap((field) => names[field]);
      const known = `each of ${all.map(titleOf).join(', ')} at most once (other columns are not read)`;
      const expected = withNearest(known, mistypedIn(others, missing));
      addFinding({ action: 'changed value', line: head.number, expected, found: quotedCells(others) });
    }
    const cellAt = ({ cells }: Row, field: Field) => {
      const index = indexes.get(field);
      return index === undefined ? undefined : cells[index];
    };
    return {
      head,
      fields,
      indexes,
      cellOf: (row, field) => cellAt(row, field) ?? '',
      nameOf: (field) => cellAt(head, field) ?? columnTitle(names[field]),
    };
  }

  return { findIn, countIn: ([head]) => indexesIn(head).size, titleOf };
}

/** The names of columns that are not read: unknown ones, and those that an earlier column has. */
function unreadColumns(head: Row, indexes: ReadonlyMap<string, number>): readonly string[] {
  const used = new Set(indexes.values());
  return head.cells.filter((name, index) => name !== '' && !used.has(index));
}

/** The missing name that one of these may have been meant as; null if none is near. */
function mistypedIn(others: readonly string[], missing: readonly string[]): string | null {
  const nearest = createNearest(missing, (name) => [name]);
  const compared = others.slice(0, MOST_COMPARED).map((name) => ({ name, near: nearest(name) }));
  return compared.find(({ name, near }) => near !== null && isMistyped(name, near))?.near ?? null;
}

/** Of the names of a column, the one that findings suggest. */
export function columnTitle([name = '']: readonly string[]): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1);
}

/** The names that the column of a field has in a table of events. */
export function tableNames(field: TableField): readonly string[] {
  return [...TABLE_FIELDS[field].names.split('|').filter((name) => name !== ''), field];
}

/** Unknown names that are compared with the known ones. */
const MOST_COMPARED = 50;
