/** The columns of a sheet that people keep for this calendar, by their names in the first row, in any order and case. */
import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import type { AddFinding } from '../last-good.ts';
import { TABLE_FIELDS, type TableField } from '../table-fields.ts';
import { nameForms } from './origins.ts';
import { quotedCells, type Row } from './row.ts';

/** The columns of one kind of sheet. */
interface NamedColumns<Field extends string> {
  readonly fields: readonly Field[];
  /** The first column of each field. */
  readonly indexesIn: (head: Row | undefined) => ReadonlyMap<Field, number>;
  /** The number of fields that a row names: of a table's possible separators, the right one gives the most. */
  readonly countIn: (rows: readonly Row[]) => number;
  /** A name of the column of a field, as findings write it: `Kategori`. */
  readonly titleOf: (field: Field) => string;
  /** Reports columns that are not read: those with an unknown name, and those with a name that an earlier column has. */
  readonly reportOthers: (head: Row, addFinding: AddFinding) => void;
}

/** `names`: for each field those of its column. Findings suggest the first. */
export function namedColumns<Field extends string>(
  fields: readonly Field[],
  names: Readonly<Record<Field, readonly string[]>>,
): NamedColumns<Field> {
  const fieldByName = new Map(
    fields.flatMap((field) => names[field].map((name) => [nameKey(name), field] as const)),
  );

  function titleOf(field: Field): string {
    const [name = ''] = names[field];
    return name.slice(0, 1).toUpperCase() + name.slice(1);
  }

  function indexesIn(head: Row | undefined): ReadonlyMap<Field, number> {
    const indexes = new Map<Field, number>();
    for (const [index, cell] of (head?.cells ?? []).entries()) {
      const field = nameForms(cell).flatMap((form) => fieldByName.get(form) ?? [])[0];
      if (field !== undefined && !indexes.has(field)) indexes.set(field, index);
    }
    return indexes;
  }

  function reportOthers(head: Row, addFinding: AddFinding): void {
    const indexes = indexesIn(head);
    const used = new Set(indexes.values());
    const others = head.cells.filter((name, index) => name !== '' && !used.has(index));
    if (others.length === 0) return;
    const missing = fields.filter((field) => !indexes.has(field));
    const nearest = createNearest(
      missing.flatMap((field) => names[field]),
      (name) => [name],
    );
    const near = others.slice(0, MOST_COMPARED).flatMap((name) => nearMiss(name, nearest(name)))[0] ?? null;
    const known = `each of ${fields.map(titleOf).join(', ')} at most once (other columns are not read)`;
    addFinding({
      action: 'changed value',
      line: head.number,
      expected: withNearest(known, near),
      found: quotedCells(others),
    });
  }

  return {
    fields,
    indexesIn,
    countIn: ([head]) => indexesIn(head).size,
    titleOf,
    reportOthers,
  };
}

/** The names that the column of a field has in a table of events. */
export function tableNames(field: TableField): readonly string[] {
  return [...TABLE_FIELDS[field].names.split('|').filter((name) => name !== ''), field];
}

/** Unknown names that are compared with the known ones. */
const MOST_COMPARED = 50;

/** A name that only contains the word is not a mistyped one. */
function nearMiss(name: string, nearest: string | null): readonly string[] {
  return nearest !== null && Math.abs(nearest.length - name.length) <= MOST_LETTERS_APART ? [nearest] : [];
}

const MOST_LETTERS_APART = 2;
