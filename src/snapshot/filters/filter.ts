/**
 * Filter fields: one entry describes all of a field, from its type in the schema to the column that the build writes for it.
 * `docs/contributing.md` has the recipe.
 */
import type { Accessibility } from '../../calendar/accessibility.ts';
import type { Read } from '../../calendar/arguments.ts';
import type { EventFields } from '../../calendar/model.ts';
import { type Bitmap, emptyBitmap, intersect, keepBits, setBit, subtract } from '../bitmaps.ts';
import type { Columns } from '../columns.ts';
import { type Flag, rowsFlagged } from '../flags.ts';
import type { Lists } from '../lists.ts';

/** Methods, so that a filter of one kind of value is also a filter of any. */
export interface Filter<Value> {
  /** Its type in the schema. */
  readonly type: string;
  /** Its description in the schema and on the developers' page. */
  readonly en: string;
  readonly nb: string;
  readonly deprecated?: string;
  /** SDL of types that only this field has. */
  readonly types?: string;
  readonly read: Read<Value>;
  /** Removes rows; a field without it is part of the window or of the search (`select.ts`). */
  condition?(rows: Bitmap, value: NoInfer<Value>, calendar: Calendar): void;
  /** The columns that its condition looks at, if no other column has their values. */
  readonly columns?: readonly FilterColumn[];
  /** Its values may contain commas: an address repeats the parameter for each, in place of a comma between them. */
  readonly isRepeated?: true;
  /** Its description in the name of a list. */
  words(value: NoInfer<Value>, names: Names): Words;
  /** B14: it names things of the calendar. */
  readonly named?: NamedKind;
  /** B14: other values that nothing in the calendar can match. */
  hints?(value: NoInfer<Value>, calendar: Calendar, others: Others): Iterable<Unmatched>;
}

/** The entry as it is: its value's type is that of what `read` returns. */
export const filter = <Value>(entry: Filter<Value>): Filter<Value> => entry;

/** A text in both languages, or one that is the same in both. */
type Words = string | readonly [nb: string, en: string];

/** Texts and numbers need no words of their own. */
export const asGiven = (value: string | number | readonly string[]): string => [value].flat().join(', ');

/** The calendar's names for values, in the reader's language; a value that the calendar lacks is written as it was given. */
export interface Names {
  readonly event: (id: string) => string;
  readonly category: (id: string) => string;
  readonly venue: (slug: string) => string;
  readonly organizer: (slug: string) => string;
  readonly municipality: (nameOrNumber: string) => string;
  readonly accessibility: (word: Accessibility) => string;
  readonly moment: (instant: number) => string;
}

/** The part of a view that conditions and hints look at. */
export interface Calendar {
  readonly columns: Columns;
  readonly filterColumns: FilterColumns;
  readonly lists: Lists;
  readonly directory: Lookups;
  readonly snapshot: { readonly ordinalById: (id: string) => number | null };
  /** Whether an event is published, and not over. */
  readonly isVisible: (ordinal: number) => boolean;
}

/** Ordinals, and indexes of the short lists, by what filters call them. */
export interface Lookups {
  readonly categoryById: ReadonlyMap<string, number>;
  readonly venueBySlug: ReadonlyMap<string, number>;
  readonly organizerBySlug: ReadonlyMap<string, number>;
  readonly containerById: ReadonlyMap<string, number>;
  readonly tagByFold: ReadonlyMap<string, number>;
  /** B6: by folded name and by four-digit number. */
  readonly venuesByMunicipality: ReadonlyMap<string, readonly number[]>;
  readonly venuesByPostalCode: ReadonlyMap<string, readonly number[]>;
  /** C4: the municipalities of all venues, in the order of their names. */
  readonly municipalities: readonly Municipality[];
}

interface Municipality {
  /** Null if the register does not know the municipality. */
  readonly number: string | null;
  readonly name: string;
}

/** Conditions beside which a value may be impossible. */
interface Others {
  readonly fromDate?: number;
}

export interface Unmatched {
  readonly value: string;
  readonly message: string;
}

/** Each value with its names; the first of these is shown. */
export type Named = readonly [value: string, ...names: string[]];

/** A kind of value that names something of the calendar. */
export interface NamedKind {
  /** Ordinals of what the value names; empty if it is unknown. */
  readonly find: (value: string, calendar: Calendar) => readonly number[];
  /** The index to which these ordinals belong. */
  readonly of: keyof typeof INDEXES;
  readonly what: string;
  /** All values, for the nearest one; without it, none is offered. */
  readonly all?: (calendar: Calendar) => readonly Named[];
  /** Where the values that there are can be read. */
  readonly query?: string;
  /** The largest number of unknown values that get a hint. */
  readonly most?: number;
}

/** A look-up's result as a list. */
export const listed = (ordinal: number | undefined | null): readonly number[] =>
  ordinal === undefined || ordinal === null ? [] : [ordinal];

/** The columns with the rows of each. B3: the build lists the rows of subcategories under their parents, too. */
const INDEXES = {
  event: ['occurrencesAt', 'occurrences'],
  venue: ['venueRowsAt', 'venueRows'],
  organizer: ['organizerRowsAt', 'organizerRows'],
  category: ['categoryRowsAt', 'categoryRows'],
  tag: ['tagRowsAt', 'tagRows'],
  container: ['containerRowsAt', 'containerRows'],
} as const;

/** A whole number of 32 bits for each event. */
export interface FilterColumn {
  readonly name: string;
  readonly of: (event: Omit<EventFields, 'event_slug' | 'eventLink'>) => number;
}

export type FilterColumns = Readonly<Record<string, Int32Array<ArrayBuffer>>>;

/** The rows of all things that the values name. B2: unknown values match nothing. */
export function rowsOf({ find, of }: NamedKind, values: readonly string[], calendar: Calendar): Bitmap {
  const ordinals = values.flatMap((value) => find(value, calendar));
  return rowsCarrying(calendar.columns, of, ordinals);
}

/** Rows whose nodes carry any of these. */
export function rowsCarrying(columns: Columns, of: NamedKind['of'], ordinals: Iterable<number>): Bitmap {
  const [at, rows] = INDEXES[of];
  const { [at]: begins, [rows]: all } = columns;
  const carrying = emptyBitmap(columns.event.length);
  for (const ordinal of ordinals) {
    const end = begins[ordinal + 1] as number;
    for (let index = begins[ordinal] as number; index < end; index++) setBit(carrying, all[index] as number);
  }
  return carrying;
}

/** Keeps the rows of all things that the values name. */
export const keepNamed =
  (kind: NamedKind) => (rows: Bitmap, value: string | readonly string[], calendar: Calendar) =>
    intersect(rows, rowsOf(kind, [value].flat(), calendar));

export const keepFlagged =
  (flag: Flag) =>
  (rows: Bitmap, _: true, { columns }: Calendar) =>
    intersect(rows, rowsFlagged(columns, flag));

export const removeFlagged =
  (flag: Flag) =>
  (rows: Bitmap, _: true, { columns }: Calendar) =>
    subtract(rows, rowsFlagged(columns, flag));

/** The values of a filter's column, by event. */
export function valuesOf({ filterColumns }: Calendar, { name }: FilterColumn): Int32Array {
  const values = filterColumns[name];
  if (values === undefined)
    throw new TypeError(`expected ${name} among the columns of its filter, found none`);
  return values;
}

/** Keeps the rows of the events for which the test holds. */
export function keepEvents(
  rows: Bitmap,
  { columns: { event } }: Calendar,
  holds: (ordinal: number) => boolean,
): void {
  keepBits(rows, (row) => holds(event[row] as number));
}
