/** The rows of a calendar that meet a condition: what the conditions of filters are made of. */
import { type Bitmap, emptyBitmap, intersect, keepBits, setBit, subtract } from '../bitmaps.ts';
import { type Columns, listAt } from '../columns.ts';
import { type Flag, rowsFlagged } from '../flags.ts';
import type { FilterColumn, FilterView, NamedKind, RowIndex } from './filter.ts';

/** The columns with the rows of each. B3: the build lists the rows of subcategories under their parents, too. */
const INDEXES = {
  event: ['occurrencesAt', 'occurrences'],
  venue: ['venueRowsAt', 'venueRows'],
  organizer: ['organizerRowsAt', 'organizerRows'],
  category: ['categoryRowsAt', 'categoryRows'],
  tag: ['tagRowsAt', 'tagRows'],
  container: ['containerRowsAt', 'containerRows'],
} as const satisfies Readonly<Record<RowIndex, readonly [at: keyof Columns, rows: keyof Columns]>>;

/** The rows of all things that the values name. B2: unknown values match nothing. */
export function rowsOf({ find, index }: NamedKind, values: readonly string[], view: FilterView): Bitmap {
  const ordinals = values.flatMap((value) => find(value, view));
  return rowsCarrying(view.columns, index, ordinals);
}

/** Rows whose nodes carry any of these. */
export function rowsCarrying(columns: Columns, kind: RowIndex, ordinals: Iterable<number>): Bitmap {
  const [at, rows] = INDEXES[kind];
  const { [at]: begins, [rows]: all } = columns;
  const carrying = emptyBitmap(columns.event.length);
  for (const ordinal of ordinals) {
    const end = begins[ordinal + 1] as number;
    for (let index = begins[ordinal] as number; index < end; index++) setBit(carrying, all[index] as number);
  }
  return carrying;
}

/** Whether an event that can be seen now carries it. */
export function isSeenOn(index: RowIndex, ordinal: number, { columns, isVisible }: FilterView): boolean {
  const [at, rows] = INDEXES[index];
  return listAt(columns[rows], columns[at], ordinal).some((row) => isVisible(columns.event[row] as number));
}

/** Keeps the rows of all things that the values name. */
export const keepNamed =
  (kind: NamedKind) => (rows: Bitmap, value: string | readonly string[], view: FilterView) =>
    intersect(rows, rowsOf(kind, [value].flat(), view));

export const keepFlagged =
  (flag: Flag) =>
  (rows: Bitmap, _: true, { columns }: FilterView) =>
    intersect(rows, rowsFlagged(columns, flag));

export const removeFlagged =
  (flag: Flag) =>
  (rows: Bitmap, _: true, { columns }: FilterView) =>
    subtract(rows, rowsFlagged(columns, flag));

/** The values of a filter's column, by event. */
export function valuesOf({ filterColumns }: FilterView, { name }: FilterColumn): Int32Array {
  const values = filterColumns[name];
  if (values === undefined)
    throw new TypeError(`expected ${name} among the columns of its filter, found none`);
  return values;
}

/** Keeps the rows of the events for which the test holds. */
export function keepEvents(
  rows: Bitmap,
  { columns: { event } }: FilterView,
  holds: (ordinal: number) => boolean,
): void {
  keepBits(rows, (row) => holds(event[row] as number));
}
