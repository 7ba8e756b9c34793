/**
 * The columns that a server loads into memory, one blob each, and sets of their rows. Occurrences are numbered in serving order (start,
 * then event id, then A2's order): that number is the *row*. Events are numbered by id in code point order, venues and organizers in
 * Norwegian alphabetical order, categories in the licence's order: that number is the *ordinal*.
 */
import { countUpTo } from './bitmaps.ts';

/**
 * The arrays that kinds of columns are stored as, little-endian, like every machine that runs this. Instants are whole seconds in doubles:
 * exact beyond the year 9999.
 */
export const KINDS = {
  f64: Float64Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

export type Kind = keyof typeof KINDS;

/** An index that points to nothing. */
export const ABSENT = 0xffff;

/**
 * Each column's kinds: it is stored as the first that its values fit into. `…At` belongs to the column of the same name: list n is
 * [At[n], At[n + 1]) of it.
 */
export const COLUMNS = {
  // One value an occurrence row.
  start: ['f64'],
  /** Equal to the start if there is no end. */
  end: ['f64'],
  /** A1: the first second at which the occurrence is no longer valid. */
  over: ['f64'],
  /** Event ordinal. */
  event: ['i32'],
  /** Venue ordinal, -1 for none. */
  venue: ['i32'],
  /** Norwegian calendar day of the start, days since 1970-01-01. */
  day: ['i32'],
  /** Minutes since midnight of the start on the Norwegian wall clock (B5). */
  minute: ['u16'],
  /** Minutes since midnight of `startTime`, as entered. */
  startTime: ['u16'],
  /** Minutes, -1 for null. */
  duration: ['i32'],
  /** See `flags.ts`; so are those of events. */
  occurrenceFlags: ['u8'],
  /** A16: 1-based index among the event's occurrences with this start, past ones included. */
  nth: ['i32'],
  /** I9: how many builds have changed it. */
  sequence: ['u8', 'i32'],
  /** E6: its event's and its venue's features, one bit each. */
  accessibility: ['u8'],
  /** Index into the event's own list of ticket URLs (see fragments.ts), ABSENT for null. */
  ticketsURL: ['u16'],
  /** Index into the event's own list of price lists, ABSENT for null. */
  prices: ['u16'],
  /** Index into the event's own list of texts for older clients, ABSENT for none. */
  olderTexts: ['u16'],

  /** E12: the rows of dates that were moved, ascending, and for each its start before. */
  movedRow: ['i32'],
  movedFrom: ['f64'],

  // One value an event.
  /** A9: instant from which the event is published, -Infinity for always. */
  publishing: ['f64'],
  /** I9: when the last of the event's dates before its first one here was over, -Infinity if none was. */
  nextSince: ['f64'],
  eventFlags: ['u8'],
  /** E2: index into the list of sources, -1 for none. */
  source: ['i32'],
  /** Index into the list of container ids, -1 for none. */
  container: ['i32'],
  occurrencesAt: ['i32'],
  /** Rows of the event, ascending, which is A2's order. */
  occurrences: ['i32'],
  organizersAt: ['i32'],
  /** Organizer ordinals in the record's order. */
  organizers: ['i32'],
  categoriesAt: ['i32'],
  /** C2: the event's category ordinals, and the parent of each subcategory, once. */
  categories: ['i32'],
  tagsAt: ['i32'],
  /** Indexes into the list of folded tags. */
  tags: ['i32'],
  spellingsAt: ['i32'],
  /** Indexes into the list of tags as written, each once, ascending. */
  spellings: ['i32'],
  /** For each spelling, the index of its folded tag. */
  tagOfSpelling: ['i32'],
  /** H14: CRC-32 of the event's ready-made JSON (see fragments.ts). */
  bodyCheck: ['u32'],
  /** H14: CRC-32 of the event's id and link. */
  nameCheck: ['u32'],
  /** I7: number of the build that changed the event last. */
  changed: ['i32'],

  /** H14: CRC-32 of each of the rarely read texts (see checksums.ts). */
  textCheck: ['u32'],

  // One value a key of an event (see event-keys.ts), ascending by hash, check and event.
  keyHash: ['f64'],
  keyCheck: ['u32'],
  keyEvent: ['i32'],

  /**
   * The instant of the build, and every later one at which an answer can change (an occurrence is over, an event is published), ascending,
   * without duplicates.
   */
  moments: ['f64'],

  // The build derives the following columns from those above, so that no server has to.
  /** The latest `over` of each event. */
  eventOver: ['f64'],
  /** A9: the instant from which each venue and organizer is listed, -Infinity for always. */
  venueFrom: ['f64'],
  organizerFrom: ['f64'],
  // The row index: the rows of each entity, tag or container (C2), ascending.
  venueRowsAt: ['i32'],
  venueRows: ['i32'],
  organizerRowsAt: ['i32'],
  organizerRows: ['i32'],
  categoryRowsAt: ['i32'],
  categoryRows: ['i32'],
  tagRowsAt: ['i32'],
  tagRows: ['i32'],
  containerRowsAt: ['i32'],
  containerRows: ['i32'],
  /** A bitmap for each of FLAGS, in that order. */
  flagRows: ['u32'],

  // The search index (B10), as two lexicons: see lexicon.ts. The columns of parts are like those of words.
  /** All entries, with a line break after each. Neither entries nor needles have any, so no match spans two entries. */
  wordText: ['u8'],
  /** The position of each entry's line break. */
  wordEnds: ['u32'],
  /** The letters of each entry as a set, see `letterSet`. */
  wordLetters: ['u32'],
  /** At index n, the number of words with at most n code points; at the last index, the number of all words. */
  wordLengths: ['u32'],
  wordEventsAt: ['i32'],
  /** Twice the ordinal of each event that contains the entry, plus 1 if its titles and descriptions do not. */
  wordEvents: ['i32'],
  partText: ['u8'],
  partEnds: ['u32'],
  partEventsAt: ['i32'],
  partEvents: ['i32'],
} as const satisfies Readonly<Record<string, readonly Kind[]>>;

export type ColumnName = keyof typeof COLUMNS;

export type Columns = {
  readonly [Name in ColumnName]: InstanceType<(typeof KINDS)[(typeof COLUMNS)[Name][number]]>;
};

export const isColumnName = (name: string): name is ColumnName => name in COLUMNS;
export const COLUMN_NAMES: readonly ColumnName[] = Object.keys(COLUMNS).filter(isColumnName);

/** The element that an index names. None is undefined, or -1 in a column. */
export function elementAt<Element>(list: ArrayLike<Element>, index: number | undefined): Element | undefined {
  return index === undefined ? undefined : list[index];
}

/** The list of this index: the part of a column that its `…At` says, such as the rows of an event, or its organizers. */
export function listAt(values: Int32Array, at: Int32Array, index: number): Int32Array {
  return values.subarray(at[index], at[index + 1]);
}

/** E12: the start that the date had before it was moved; null if it was not, or if that is not known. */
export function previousStartOf(
  { movedRow, movedFrom }: Pick<Columns, 'movedRow' | 'movedFrom'>,
  row: number,
): number | null {
  const index = countUpTo(movedRow, row) - 1;
  return movedRow[index] === row ? (movedFrom[index] ?? null) : null;
}

/**
 * Frees the memory of columns that nothing reads any more. V8 notices arrays only when its own heap is full, so for minutes a server would
 * hold several snapshots. A buffer takes over the memory; it is young, and collected with the next young garbage.
 */
export function freeColumns(columns: Iterable<ArrayBufferView>): void {
  const buffers = new Set([...columns].map(({ buffer }) => buffer));
  for (const buffer of buffers) {
    if (buffer instanceof ArrayBuffer) structuredClone(buffer, { transfer: [buffer] });
  }
}
