/**
 * The columns that a server lifts into memory, one blob each. Occurrences are numbered in serving order (start, then
 * event id, then A2's order): that number is the *row*. Events are numbered by id in code point order, venues and
 * organizers in Norwegian alphabetical order, categories in the licence's order: that number is the *ordinal*.
 */
import type { Category, Licence, Organizer, Venue } from '../calendar/model.ts';

/** Little-endian, as every machine that runs this is. Instants are whole seconds in doubles: exact beyond the year 9999. */
export const KINDS = {
  f64: Float64Array,
  i32: Int32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

export type Kind = keyof typeof KINDS;

export const COLUMNS = {
  // One entry an occurrence row.
  start: 'f64',
  /** Equals start when there is none. */
  end: 'f64',
  /** A1: first second at which it is no longer valid. */
  over: 'f64',
  /** Latest `over` of the event's earlier occurrences (A2); -Infinity for the first. Shown at T when this ≤ T < over. */
  predecessorsOver: 'f64',
  /** The same among those that start on the same Norwegian day (A6). */
  sameDayPredecessorsOver: 'f64',
  /** Row of the event's occurrence before this one (A2), -1 for the first. */
  previous: 'i32',
  /** Event ordinal. */
  event: 'i32',
  /** Venue ordinal, -1 for none. */
  venue: 'i32',
  /** Norwegian calendar day of the start, days since 1970-01-01. */
  day: 'i32',
  /** Minutes since midnight of the start on the Norwegian wall clock (B5). */
  minute: 'u16',
  /** Minutes since midnight of `startTime`, as entered. */
  startTime: 'u16',
  /** Minutes, -1 for null. */
  duration: 'i32',
  /** Bits: see OCCURRENCE_FLAGS. */
  occurrenceFlags: 'u8',
  /** Place in the event's own list of ticket URLs (see fragments), ABSENT for null. */
  ticketsURL: 'u16',
  /** Place in the event's own list of price lists, ABSENT for null. */
  prices: 'u16',
  /** 25 ASCII bytes a row: `YYYY-MM-DD HH:mm:ss±HH:mm`. */
  startText: 'u8',
  endText: 'u8',

  // One entry an event. `…At` has one more: list of event e is [At[e], At[e + 1]) of the column of the same name.
  /** A9: instant from which the event exists, -Infinity for always. */
  publishing: 'f64',
  eventFlags: 'u8',
  /** Place in the list of container ids, -1 for none. */
  container: 'i32',
  occurrencesAt: 'i32',
  /** Rows of the event, ascending, which is A2's order. */
  occurrences: 'i32',
  organizersAt: 'i32',
  /** Organizer ordinals in the record's order. */
  organizers: 'i32',
  categoriesAt: 'i32',
  /** C2: category ordinals the event carries, and the parent of each subcategory, once. */
  categories: 'i32',
  tagsAt: 'i32',
  /** Places in the list of folded tags. */
  tags: 'i32',

  /** Every instant at which an answer can change (an occurrence is over, an event appears), ascending, each once. */
  moments: 'f64',

  // Unfiltered totals and facets over time: at `changeAt`, the count of `changeOf` changes by `changeBy`.
  changeAt: 'f64',
  /** 0 = the total; then venues, organizers, categories by ordinal, one range behind the other. */
  changeOf: 'i32',
  changeBy: 'i32',
} as const satisfies Readonly<Record<string, Kind>>;

export type ColumnName = keyof typeof COLUMNS;

export type Columns = {
  readonly [Name in ColumnName]: InstanceType<(typeof KINDS)[(typeof COLUMNS)[Name]]>;
};

/** Lists of short texts that columns point into, and the directories: one JSON document each. */
export interface Lists {
  readonly licence: Licence;
  readonly venues: readonly Venue[];
  readonly organizers: readonly Organizer[];
  readonly categories: readonly Category[];
  readonly containers: readonly string[];
  readonly tags: readonly string[];
}

export const OCCURRENCE_FLAGS = { cancelled: 1, soldOut: 2 } as const;
export const EVENT_FLAGS = { online: 1, featured: 2, featuredInSpecialEvent: 4, container: 8 } as const;

export const ABSENT = 0xffff;
export const DATETIME_WIDTH = 25;
