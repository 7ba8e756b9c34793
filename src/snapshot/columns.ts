/**
 * The columns that a server loads into memory, one blob each, and sets of their rows. Occurrences are numbered in serving order (start,
 * then event id, then A2's order): that number is the *row*. Events are numbered by id in code point order, venues and organizers in
 * Norwegian alphabetical order, categories in the licence's order: that number is the *ordinal*.
 */
import { ACCESSIBILITY, type Accessibility } from '../calendar/accessibility.ts';
import { namesOf } from '../calendar/field.ts';
import { type EventStatus, isOff } from '../calendar/status.ts';
import { type Bitmap, countUpTo, wordsFor } from './bitmaps.ts';
import { unusable } from './format.ts';
import { bytesOf, integerOf, type Reader, type Row, textOf } from './reader.ts';

/** Little-endian, like every machine that runs this. Instants are whole seconds in doubles: exact beyond the year 9999. */
const KINDS = {
  f64: Float64Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

type ElementType = keyof typeof KINDS;
type ColumnValues = InstanceType<(typeof KINDS)[ElementType]>;
export const ABSENT = 0xffff;

/** Bits of `occurrenceFlags`. */
export const OCCURRENCE_FLAGS = {
  /** It does not take place: cancelled or postponed. */
  cancelled: 1,
  soldOut: 2,
  allDay: 4,
  /** G10: its rule goes on beyond the horizon of the build. */
  byRule: 8,
  /** G10: it lasts as long as a programme that contains an occurrence by rule. */
  endsByRule: 16,
  /** E12: with `cancelled`. */
  postponed: 32,
  /** E12: it takes place at this new time. */
  rescheduled: 64,
} as const;
/** Bits of `eventFlags`. */
export const EVENT_FLAGS = {
  online: 1,
  featured: 2,
  featuredInSpecialEvent: 4,
  container: 8,
  free: 16,
} as const;

/** Flags that filters use. */
export type Flag = 'cancelled' | 'soldOut' | keyof typeof EVENT_FLAGS | Accessibility;

/** In the order of their rows in `flagRows`. */
export const FLAGS: readonly Flag[] = ['cancelled', 'soldOut', ...namesOf(EVENT_FLAGS), ...ACCESSIBILITY];

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

  /** H14: CRC-32 of each of the rarely read texts (see checked.ts). */
  textCheck: ['u32'],

  // One value a key of an event (see checked.ts), ascending by hash, check and event.
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
} as const satisfies Readonly<Record<string, readonly ElementType[]>>;

type ColumnName = keyof typeof COLUMNS;

export type Columns = {
  readonly [Name in ColumnName]: InstanceType<(typeof KINDS)[(typeof COLUMNS)[Name][number]]>;
};

const isColumnName = (name: string): name is ColumnName => name in COLUMNS;
export const COLUMN_NAMES: readonly ColumnName[] = Object.keys(COLUMNS).filter(isColumnName);

export async function readColumns<Name extends ColumnName>(
  reader: Pick<Reader, 'all'>,
  names: readonly Name[],
): Promise<Pick<Columns, Name>> {
  const columns = names.map(async (name) => [name, await readColumn(reader, name, COLUMNS[name])] as const);
  return Object.fromEntries(await Promise.all(columns)) as Pick<Columns, Name>;
}

/** Columns of whole numbers of 32 bits. */
export async function readIntegers(
  reader: Pick<Reader, 'all'>,
  names: readonly string[],
): Promise<Readonly<Record<string, Int32Array<ArrayBuffer>>>> {
  const columns = names.map(async (name) => [name, await readColumn(reader, name, ['i32'])] as const);
  return Object.fromEntries(await Promise.all(columns)) as Record<string, Int32Array<ArrayBuffer>>;
}

async function readColumn(
  reader: Pick<Reader, 'all'>,
  name: string,
  kinds: readonly ElementType[],
): Promise<ColumnValues> {
  const sql = 'select kind, length, bytes from column_blob where name = ?';
  const [values] = await reader.all(sql, [name], (row) => valuesOf(name, kinds, row));
  if (values === undefined) throw unusable(`column_blob ${name}`, 'to be there', 'nothing');
  return values;
}

function valuesOf(name: string, kinds: readonly ElementType[], row: Row): ColumnValues {
  const [kind, length, bytes] = [textOf(row, 'kind'), integerOf(row, 'length'), bytesOf(row, 'bytes')];
  const found = kinds.find((one) => one === kind);
  if (found === undefined) throw unusable(`column_blob ${name}`, `kind ${kinds.join(' or ')}`, kind);
  const Column = KINDS[found];
  if (bytes.byteLength !== length * Column.BYTES_PER_ELEMENT)
    throw unusable(`column_blob ${name}`, `${length} values`, `${bytes.byteLength} bytes`);
  // A typed array needs an aligned start; the driver gives each blob its own buffer, but does not promise it.
  const { buffer, byteOffset } = bytes.byteOffset % Column.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  if (!(buffer instanceof ArrayBuffer)) throw new TypeError('expected memory of this thread alone');
  return new Column(buffer, byteOffset, length);
}

/** A column as `column_blob` has it. */
export function storeColumn(name: string, values: ColumnValues) {
  const kinds: readonly ElementType[] = isColumnName(name) ? COLUMNS[name] : ['i32'];
  const kind = kinds.find((one) => values instanceof KINDS[one]);
  if (kind === undefined)
    throw new TypeError(`expected ${name} as ${kinds.join(' or ')}, found something else`);
  const { buffer, byteOffset, byteLength, length } = values;
  return { kind, length, bytes: new Uint8Array(buffer, byteOffset, byteLength) };
}

/** The list of this index: the part of a column that its `…At` says, such as the rows of an event, or its organizers. */
export function listAt(values: Int32Array, at: Int32Array, index: number): Int32Array {
  return values.subarray(at[index], at[index + 1]);
}

/** E12. */
export function statusOf(flags: number): EventStatus {
  if ((flags & OCCURRENCE_FLAGS.rescheduled) !== 0) return 'RESCHEDULED';
  if ((flags & OCCURRENCE_FLAGS.postponed) !== 0) return 'POSTPONED';
  return (flags & OCCURRENCE_FLAGS.cancelled) === 0 ? 'SCHEDULED' : 'CANCELLED';
}

/** The bits of OCCURRENCE_FLAGS that say it. */
export function flagsOfStatus(status: EventStatus): number {
  const { cancelled, postponed, rescheduled } = OCCURRENCE_FLAGS;
  if (status === 'RESCHEDULED') return rescheduled;
  return (isOff(status) ? cancelled : 0) | (status === 'POSTPONED' ? postponed : 0);
}

/** E12: the start that the date had before it was moved; null if it was not, or if that is not known. */
export function previousStartOf(
  { movedRow, movedFrom }: Pick<Columns, 'movedRow' | 'movedFrom'>,
  row: number,
): number | null {
  const index = countUpTo(movedRow, row) - 1;
  return movedRow[index] === row ? (movedFrom[index] ?? null) : null;
}

/** A bitmap: the flag's part of `flagRows`. */
export function rowsFlagged({ flagRows, event }: Pick<Columns, 'flagRows' | 'event'>, flag: Flag): Bitmap {
  const words = wordsFor(event.length);
  const index = FLAGS.indexOf(flag);
  return flagRows.subarray(index * words, (index + 1) * words);
}
