/** The columns of a sheet that people keep for this calendar, by their names in the first row, in any order and case. */
import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { FeedProblem } from '../feed-problem.ts';
import type { AddFinding } from '../last-good.ts';
import { TABLE_FIELDS, type TableField } from '../table-fields.ts';
import { quotedCells, type Row } from '../table-rows.ts';
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
export interface SheetLayout<Field extends string> {
  /**
   * The columns of a sheet. `head`: its first row. Throws FeedProblem if necessary columns are missing, so that what the sheet said before stays
   * in effect. Columns that are not read are in a finding.
   */
  readonly columnsOf: (head: Row | undefined, addFinding: AddFinding) => SheetColumns<Field>;
  /** The number of fields that the first row names: of a table's possible separators, the right one gives the most. */
  readonly countNamed: (rows: readonly Row[]) => number;
  /** A name of the column of a field, as findings write it: `Kategori`. Another name stays as it is. */
  readonly titleOf: (field: string) => string;
}

interface LayoutRules<Field extends string> {
  /** For each field the folded names of its column. Findings suggest the first. */
  readonly names: Readonly<Record<Field, readonly string[]>>;
  /** Whether a sheet with columns for these fields can be read. */
  readonly isSufficient: (fields: readonly Field[]) => boolean;
  /** What a finding about another sheet expects. */
  readonly expected: string;
}

export function createSheetLayout<Field extends string>(rules: LayoutRules<Field>): SheetLayout<Field> {
  const { names, isSufficient, expected } = rules;
  const allFields = Object.keys(names) as Field[];
  const fieldByName = new Map(
    allFields.flatMap((field) => names[field].map((name) => [nameKey(name), field] as const)),
  );

  function indexesIn(head: Row | undefined): ReadonlyMap<Field, number> {
    const indexes = new Map<Field, number>();
    for (const [index, cell] of (head?.cells ?? []).entries()) {
      const [field] = nameForms(cell).flatMap((form) => fieldByName.get(form) ?? []);
      if (field !== undefined && !indexes.has(field)) indexes.set(field, index);
    }
    return indexes;
  }

  function titleOf(name: string): string {
    const field = allFields.find((one) => one === name);
    return field === undefined ? name : columnTitle(names[field]);
  }

  function reportUnread(head: Row, indexes: ReadonlyMap<Field, number>, addFinding: AddFinding): void {
    const unread = unreadNames(head, indexes);
    if (unread.length === 0) return;
    const missing = allFields.filter((field) => !indexes.has(field)).flatMap((field) => names[field]);
    const titles = allFields.map(titleOf).join(', ');
    addFinding({
      action: 'changed value',
      line: head.number,
      expected: withNearest(
        `each of ${titles} at most once (other columns are not read)`,
        mistypedIn(unread, missing),
      ),
      found: quotedCells(unread),
    });
  }

  function columnsOf(head: Row | undefined, addFinding: AddFinding): SheetColumns<Field> {
    const indexes = indexesIn(head);
    const fields = allFields.filter((field) => indexes.has(field));
    if (head === undefined || !isSufficient(fields)) {
      const found = head === undefined ? 'no row' : quotedCells(head.cells);
      throw new FeedProblem('unreadable answer', `expected ${expected}, found ${found}`);
    }
    reportUnread(head, indexes, addFinding);
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

  return { columnsOf, countNamed: ([head]) => indexesIn(head).size, titleOf };
}

/** The names of columns that are not read: unknown ones, and those that an earlier column has. */
function unreadNames(head: Row, indexes: ReadonlyMap<string, number>): readonly string[] {
  const used = new Set(indexes.values());
  return head.cells.filter((name, index) => name !== '' && !used.has(index));
}

/** The missing name that one of the unread names may have been meant as; null if none is near. */
function mistypedIn(unread: readonly string[], missing: readonly string[]): string | null {
  const nearest = createNearest(missing, (name) => [name]);
  const compared = unread.slice(0, MOST_COMPARED).map((name) => ({ name, near: nearest(name) }));
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

/** Unread names that are compared with the missing ones. */
const MOST_COMPARED = 50;
