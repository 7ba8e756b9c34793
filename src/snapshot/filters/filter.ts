/**
 * Filter fields: one entry describes all of a field, from its type in the schema to the column that the build writes for it.
 * `docs/contributing.md` has the recipe.
 */
import type { Accessibility } from '../../calendar/accessibility.ts';
import type { Read } from '../../calendar/arguments.ts';
import type { EventFields } from '../../calendar/model.ts';
import type { Bitmap } from '../bitmaps.ts';
import type { Columns } from '../columns.ts';
import type { Lists } from '../lists.ts';

/**
 * `condition`, `words` and `hints` are methods, not properties: TypeScript then compares their parameters in both directions, and one table
 * can hold filters of different values.
 */
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
  condition?(rows: Bitmap, value: NoInfer<Value>, view: FilterView): void;
  /** The columns that its condition looks at, if no other column has their values. */
  readonly columns?: readonly FilterColumn[];
  /** Its values may contain commas: an address repeats the parameter for each, in place of a comma between them. */
  readonly isRepeated?: true;
  /** Its description in the name of a list. */
  words(value: NoInfer<Value>, names: Names): Words;
  /** B14: it names things of the calendar. */
  readonly named?: NamedKind;
  /** B14: other values that nothing in the calendar can match. */
  hints?(value: NoInfer<Value>, view: FilterView, context: HintContext): Iterable<Unmatched>;
}

/** The entry as it is: its value's type is that of what `read` returns. */
export const filter = <Value>(entry: Filter<Value>): Filter<Value> => entry;

/** A text in Bokmål, English and Nynorsk. */
export type EachLanguage = readonly [nb: string, en: string, nn: string];

/** A text in each language, or one that is the same in all. */
type Words = string | EachLanguage;

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
export interface FilterView {
  readonly columns: Columns;
  readonly filterColumns: FilterColumns;
  readonly lists: Lists;
  readonly directory: Lookups;
  readonly snapshot: { readonly ordinalById: (id: string) => number | null };
  /** Whether an event is published, and not over. */
  readonly isVisible: (ordinal: number) => boolean;
  /** A9: whether the event of a container is published. Those that are over and no longer in the file are. */
  readonly isContainerPublished: (container: number) => boolean;
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

export interface Municipality {
  /** Null if the register does not know the municipality. */
  readonly number: string | null;
  readonly name: string;
}

/** The conditions of the same filter on which a hint may depend. */
interface HintContext {
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
  readonly find: (value: string, view: FilterView) => readonly number[];
  /** The index to which these ordinals belong. */
  readonly index: RowIndex;
  /** What a hint says of an unknown value, after `No`: `venue has this slug`. */
  readonly predicate: string;
  /** All values, for the nearest one; without it, none is offered. */
  readonly values?: (view: FilterView) => readonly Named[];
  /** The object that these values are of; another one has others. By default, the snapshot's lists. */
  readonly basis?: (view: FilterView) => object;
  /** Where the values that there are can be read. */
  readonly query?: string;
  /** The largest number of unknown values that get a hint. */
  readonly mostHints?: number;
}

/** The things whose rows the snapshot lists (`rows.ts`). */
export type RowIndex = 'event' | 'venue' | 'organizer' | 'category' | 'tag' | 'container';

/** A look-up's result as a list. */
export const listed = (ordinal: number | undefined | null): readonly number[] =>
  ordinal === undefined || ordinal === null ? [] : [ordinal];

/** A whole number of 32 bits for each event. */
export interface FilterColumn {
  readonly name: string;
  readonly of: (event: UnlinkedEvent) => number;
}

/** An event whose slug and link are not yet known: the build assigns them later. */
type UnlinkedEvent = Omit<EventFields, 'event_slug' | 'eventLink'>;

export type FilterColumns = Readonly<Record<string, Int32Array<ArrayBuffer>>>;
