/** Findings about the names of columns: missing, mistyped and repeated ones. */
import { createNearest, withNearest } from '../../../../src/calendar/nearest.ts';
import { nameKey } from '../../../../src/calendar/text.ts';
import { excerpt } from '../../../records.ts';
import type { UnknownColumn } from './columns.ts';
import { FIELDS, isName, KEYS, type Origins, sourcesOf, type TableFeed } from './origins.ts';
import { quotedCells, type Row } from './row.ts';

/** Reports a fault of a row; `field` is null for the whole row. */
export type Note = (row: Row, field: string | null, expected: string, found: string) => void;

interface TableWidth extends TableFeed {
  /** The number of columns. */
  readonly width: number;
}

/** Reports columns that settings name and the table lacks. */
export function noteMissing(head: Row, { columns, width }: TableWidth, note: Note): void {
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
export function unknownColumns(head: Row, origins: Origins, note: Note): readonly UnknownColumn[] {
  const used = new Set([...origins.values()].flat());
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

interface NamedColumns {
  readonly origins: Origins;
  readonly unknown: readonly UnknownColumn[];
}

/** Reports unknown columns whose name is nearly that of a field without a column. Further columns may be for people. */
export function noteMistyped(head: Row, { origins, unknown }: NamedColumns, note: Note): void {
  const keys = KEYS.flatMap(({ field, keys: names }) => (origins.has(field) ? [] : names));
  const nearest = createNearest(keys, (key) => [key]);
  for (const { name } of unknown) {
    const near = nearest(name);
    // A name that only contains the word is not a mistyped one.
    if (near !== null && Math.abs(near.length - name.length) <= MOST_LETTERS_APART)
      note(head, name, withNearest('a known column', near), excerpt(name));
  }
}

/** A mistyped name is at most that much longer or shorter. */
const MOST_LETTERS_APART = 2;
