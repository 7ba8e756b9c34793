/**
 * The columns that a server loads into memory, one blob each, and sets of their rows. Occurrences are numbered in serving order (start,
 * then event id, then A2's order): that number is the *row*. Events are numbered by id in code point order, venues and organizers in
 * Norwegian alphabetical order, categories in the licence's order: that number is the *ordinal*.
 */
import { DAY } from '../calendar/time.ts';
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

/** What columns have values or lists for, and what their values are numbers of. */
export type Counted =
  | 'rows'
  | 'movedRows'
  | 'events'
  /** Two for each event: its titles and descriptions, and its other texts. */
  | 'eventTexts'
  | 'venues'
  | 'organizers'
  | 'categories'
  | 'sources'
  | 'containers'
  | 'tags'
  | 'spellings'
  | 'keys'
  | 'words'
  | 'parts';

export interface Bounds {
  readonly least: number;
  readonly most: number;
  /** A value outside of them that is allowed, too. */
  readonly exception?: number;
}

/** The declaration of a column: how it is stored, and what a file is checked for (H7). */
export interface Column {
  /** It is stored as the first of these that its values fit into. */
  readonly kinds: readonly Kind[];
  /** It has one value for each of these; null if it has another length. */
  readonly each: Counted | null;
  /** Each of these has a list of its values: list n is [At[n], At[n + 1]) of it, with the column of the same name and `At`. */
  readonly listOf?: Counted;
  /** Its values are numbers of these, from 0. */
  readonly numbers?: Counted;
  /** With `numbers`: -1 stands for none. */
  readonly mayBeNone?: true;
  readonly bounds?: Bounds;
  /** Its values are looked for by bisection. */
  readonly isAscending?: true;
}

/** The end of the last year with four digits. */
const LATEST = 253_402_300_800;
const MOMENT: Bounds = { least: -LATEST, most: LATEST };
/** -Infinity represents a moment before all others. */
const MOMENT_OR_ALWAYS: Bounds = { ...MOMENT, exception: Number.NEGATIVE_INFINITY };
const MINUTE_OF_DAY: Bounds = { least: 0, most: 1_439 };
const DAY_NUMBER: Bounds = { least: -LATEST / DAY, most: LATEST / DAY };
const COUNT: Bounds = { least: 0, most: 2 ** 31 };

/** Where the lists of the column of the same name begin and end. */
const OFFSETS = { kinds: ['i32'], each: null } as const;

/** Every column: its name, and all that is known of it. */
export const COLUMNS = {
  // One value an occurrence row.
  start: { kinds: ['f64'], each: 'rows', bounds: MOMENT, isAscending: true },
  /** Equal to the start if there is no end. */
  end: { kinds: ['f64'], each: 'rows', bounds: MOMENT },
  /** A1: the first second at which the occurrence is no longer valid. */
  over: { kinds: ['f64'], each: 'rows', bounds: MOMENT },
  event: { kinds: ['i32'], each: 'rows', numbers: 'events' },
  venue: { kinds: ['i32'], each: 'rows', numbers: 'venues', mayBeNone: true },
  /** Norwegian calendar day of the start, days since 1970-01-01. */
  day: { kinds: ['i32'], each: 'rows', bounds: DAY_NUMBER },
  /** Minutes since midnight of the start on the Norwegian wall clock (B5). */
  minute: { kinds: ['u16'], each: 'rows', bounds: MINUTE_OF_DAY },
  /** Minutes since midnight of `startTime`, as entered. */
  startTime: { kinds: ['u16'], each: 'rows', bounds: MINUTE_OF_DAY },
  /** Minutes, -1 for null. */
  duration: { kinds: ['i32'], each: 'rows', bounds: { least: -1, most: LATEST / 60 } },
  /** See `flags.ts`; so are those of events. */
  occurrenceFlags: { kinds: ['u8'], each: 'rows' },
  /** A16: 1-based index among the event's occurrences with this start, past ones included. */
  nth: { kinds: ['i32'], each: 'rows', bounds: { ...COUNT, least: 1 } },
  /** I9: how many builds have changed it. */
  sequence: { kinds: ['u8', 'i32'], each: 'rows', bounds: COUNT },
  /** E6: its event's and its venue's features, one bit each. */
  accessibility: { kinds: ['u8'], each: 'rows' },
  /** Index into the event's own list of ticket URLs (see fragments.ts), ABSENT for null. */
  ticketsURL: { kinds: ['u16'], each: 'rows' },
  /** Index into the event's own list of price lists, ABSENT for null. */
  prices: { kinds: ['u16'], each: 'rows' },
  /** Index into the event's own list of texts for older clients, ABSENT for none. */
  olderTexts: { kinds: ['u16'], each: 'rows' },

  /** E12: the rows of dates that were moved, and for each its start before. */
  movedRow: { kinds: ['i32'], each: 'movedRows', numbers: 'rows', isAscending: true },
  movedFrom: { kinds: ['f64'], each: 'movedRows', bounds: MOMENT },

  // One value an event.
  /** A9: instant from which the event is published, -Infinity for always. */
  publishing: { kinds: ['f64'], each: 'events', bounds: MOMENT_OR_ALWAYS },
  /** I9: when the last of the event's dates before its first one here was over, -Infinity if none was. */
  nextSince: { kinds: ['f64'], each: 'events', bounds: MOMENT_OR_ALWAYS },
  eventFlags: { kinds: ['u8'], each: 'events' },
  /** E2: the feed that the event is from. */
  source: { kinds: ['i32'], each: 'events', numbers: 'sources', mayBeNone: true },
  /** Index into the list of container ids. */
  container: { kinds: ['i32'], each: 'events', numbers: 'containers', mayBeNone: true },
  occurrencesAt: OFFSETS,
  /** Rows of the event, ascending, which is A2's order. */
  occurrences: { kinds: ['i32'], each: null, listOf: 'events', numbers: 'rows' },
  organizersAt: OFFSETS,
  /** In the record's order. */
  organizers: { kinds: ['i32'], each: null, listOf: 'events', numbers: 'organizers' },
  categoriesAt: OFFSETS,
  /** C2: the event's categories, and the parent of each subcategory, once. */
  categories: { kinds: ['i32'], each: null, listOf: 'events', numbers: 'categories' },
  tagsAt: OFFSETS,
  /** Indexes into the list of folded tags. */
  tags: { kinds: ['i32'], each: null, listOf: 'events', numbers: 'tags' },
  spellingsAt: OFFSETS,
  /** Indexes into the list of tags as written, each once, ascending. */
  spellings: { kinds: ['i32'], each: null, listOf: 'events', numbers: 'spellings' },
  /** For each spelling, the index of its folded tag. */
  tagOfSpelling: { kinds: ['i32'], each: 'spellings', numbers: 'tags' },
  /** H14: CRC-32 of the event's ready-made JSON (see fragments.ts). */
  bodyCheck: { kinds: ['u32'], each: 'events' },
  /** H14: CRC-32 of the event's id and link. */
  nameCheck: { kinds: ['u32'], each: 'events' },
  /** I7: number of the build that changed the event last. */
  changed: { kinds: ['i32'], each: 'events' },

  /** H14: CRC-32 of each of the rarely read texts (see checksums.ts). */
  textCheck: { kinds: ['u32'], each: null },

  // One value a key of an event (see event-keys.ts), ascending by hash, check and event.
  keyHash: { kinds: ['f64'], each: 'keys', bounds: { least: 0, most: 2 ** 53 }, isAscending: true },
  keyCheck: { kinds: ['u32'], each: 'keys' },
  keyEvent: { kinds: ['i32'], each: 'keys', numbers: 'events', mayBeNone: true },

  /**
   * The instant of the build, and every later one at which an answer can change (an occurrence is over, an event is published), without
   * duplicates.
   */
  moments: { kinds: ['f64'], each: null, bounds: MOMENT, isAscending: true },

  // The build derives the following columns from those above, so that no server has to.
  /** The latest `over` of each event. */
  eventOver: { kinds: ['f64'], each: 'events', bounds: MOMENT_OR_ALWAYS },
  /** A9: the instant from which each venue and organizer is listed, -Infinity for always. */
  venueFrom: { kinds: ['f64'], each: 'venues', bounds: MOMENT_OR_ALWAYS },
  organizerFrom: { kinds: ['f64'], each: 'organizers', bounds: MOMENT_OR_ALWAYS },
  // The row index: the rows of each entity, tag or container (C2), ascending.
  venueRowsAt: OFFSETS,
  venueRows: { kinds: ['i32'], each: null, listOf: 'venues', numbers: 'rows' },
  organizerRowsAt: OFFSETS,
  organizerRows: { kinds: ['i32'], each: null, listOf: 'organizers', numbers: 'rows' },
  categoryRowsAt: OFFSETS,
  categoryRows: { kinds: ['i32'], each: null, listOf: 'categories', numbers: 'rows' },
  tagRowsAt: OFFSETS,
  tagRows: { kinds: ['i32'], each: null, listOf: 'tags', numbers: 'rows' },
  containerRowsAt: OFFSETS,
  containerRows: { kinds: ['i32'], each: null, listOf: 'containers', numbers: 'rows' },
  /** A bitmap for each of FLAGS, in that order. */
  flagRows: { kinds: ['u32'], each: null },

  // The search index (B10), as two lexicons: see lexicon.ts. The columns of parts are like those of words.
  /** All entries, with a line break after each. Neither entries nor needles have any, so no match spans two entries. */
  wordText: { kinds: ['u8'], each: null },
  /** The position of each entry's line break. */
  wordEnds: { kinds: ['u32'], each: 'words', isAscending: true },
  /** The letters of each entry as a set, see `letterSet`. */
  wordLetters: { kinds: ['u32'], each: 'words' },
  /** At index n, the number of words with at most n code points; at the last index, the number of all words. */
  wordLengths: { kinds: ['u32'], each: null, isAscending: true },
  wordEventsAt: OFFSETS,
  /** Twice the ordinal of each event that contains the entry, plus 1 if its titles and descriptions do not. */
  wordEvents: { kinds: ['i32'], each: null, listOf: 'words', numbers: 'eventTexts' },
  partText: { kinds: ['u8'], each: null },
  partEnds: { kinds: ['u32'], each: 'parts', isAscending: true },
  partEventsAt: OFFSETS,
  partEvents: { kinds: ['i32'], each: null, listOf: 'parts', numbers: 'eventTexts' },
} as const satisfies Readonly<Record<string, Column>>;

export type ColumnName = keyof typeof COLUMNS;

export type Columns = {
  readonly [Name in ColumnName]: InstanceType<(typeof KINDS)[(typeof COLUMNS)[Name]['kinds'][number]]>;
};

export const isColumnName = (name: string): name is ColumnName => name in COLUMNS;
export const COLUMN_NAMES: readonly ColumnName[] = Object.keys(COLUMNS).filter(isColumnName);

/** The element that an index names. None is undefined, or -1 in a column. */
export function elementAt<Element>(list: ArrayLike<Element>, index: number | undefined): Element | undefined {
  return index === undefined ? undefined : list[index];
}

/** A column of lists. */
export type ListColumn = {
  [Name in ColumnName]: (typeof COLUMNS)[Name] extends { readonly listOf: Counted } ? Name : never;
}[ColumnName];

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
