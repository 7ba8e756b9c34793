/**
 * The columns that a server loads into memory, one blob each. Occurrences are numbered in serving order (start, then event id, then A2's
 * order): that number is the *row*. Events are numbered by id in code point order, venues and organizers in Norwegian alphabetical order,
 * categories in the licence's order: that number is the *ordinal*. *Entities* are what facets count, in one numbering: 0 is the total;
 * then venues, organizers and categories by ordinal, one range after the other.
 *
 * A snapshot from elsewhere is not trusted (H7). So each column declares its length and its valid values.
 */
import { ACCESSIBILITY, type Accessibility } from '../calendar/accessibility.ts';
import { namesOf } from '../calendar/fields.ts';
import { type Bitmap, wordsFor } from './bitmaps.ts';
import { readDeltas, writeDeltas } from './deltas.ts';
import { unusable } from './format.ts';
import type { Sizes } from './meta.ts';
import { bytesOf, integerOf, type Reader, textOf } from './sqlite.ts';

/** Little-endian, like every machine that runs this. Instants are whole seconds in doubles: exact beyond the year 9999. */
const KINDS = {
  f64: Float64Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
  /** Bitmaps. */
  bits: Uint32Array,
} as const;

/** Stored as distances (see deltas.ts): 1.8 MB in place of 5.5 for 20,000 events. The other kinds hardly become smaller. */
const BY_DISTANCE: ReadonlySet<Kind> = new Set<Kind>(['f64', 'i32', 'u32']);

export type Kind = keyof typeof KINDS;
type Values = InstanceType<(typeof KINDS)[Kind]>;
type Length = (sizes: Sizes) => number;

type Numbers = Readonly<ArrayLike<number>>;
/** Null if all values are valid. */
type Check = (values: Numbers, sizes: Sizes) => Problem | null;

export interface Column<Of extends Kind> {
  /** The column is stored as the first kind that its values fit into. */
  readonly kinds: readonly Of[];
  /** Null for lists whose `…At` column gives their length. */
  readonly length: Length | null;
  readonly holds: Check;
}

export const ABSENT = 0xffff;

/** Bits of `occurrenceFlags`. */
export const OCCURRENCE_FLAGS = {
  cancelled: 1,
  soldOut: 2,
  allDay: 4,
  /** G10: its rule goes on beyond the horizon of the build. */
  byRule: 8,
  /** G10: it lasts as long as a programme that contains an occurrence by rule. */
  endsByRule: 16,
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

const rows: Length = ({ occurrences }) => occurrences;
const twoARow: Length = ({ occurrences }) => 2 * occurrences;
const rowWords: Length = ({ occurrences }) => wordsFor(occurrences);
const events: Length = (sizes) => sizes.events;
/** Length of a column of list boundaries: one more than the number of lists. */
const ends =
  (lists: Length): Length =>
  (sizes) =>
    lists(sizes) + 1;
const venues: Length = (sizes) => sizes.venues;
const organizers: Length = (sizes) => sizes.organizers;
const categories: Length = (sizes) => sizes.categories;
const tags: Length = (sizes) => sizes.tags;
const spellings: Length = (sizes) => sizes.spellings;
const containers: Length = (sizes) => sizes.containers;
const minutes: Length = () => 24 * 60;
/** Bounds of instants: the years 1 to 9999, the only ones that dates can be written in. */
const EARLIEST_DAY = -719_162;
const dayBehindLast: Length = () => 2_932_897;
const many: Length = () => 2 ** 31 - 1;
export const entityCount: Length = (sizes) => 1 + sizes.venues + sizes.organizers + sizes.categories;

/**
 * Changes from one checkpoint to the next, for a number of rows. On average a quarter of them is applied, from the nearest checkpoint,
 * which takes microseconds; all bitmaps together take only a few bytes a row.
 */
export function changesApart(rowCount: number): number {
  return Math.max(1_024, Math.ceil(rowCount / 16));
}

export function checkpointsOf(changes: number, rowCount: number): number {
  return Math.floor(changes / changesApart(rowCount)) + 1;
}

/** `…At` belongs to the column of the same name: list n is [At[n], At[n + 1]) of it. */
export const COLUMNS = {
  // One value an occurrence row.
  start: column('f64', rows, moments),
  /** Equal to the start if there is no end. */
  end: column('f64', rows, instants),
  /** A1: the first second at which the occurrence is no longer valid. */
  over: column('f64', rows, instants),
  /** Latest `over` of the event's earlier occurrences (A2); -Infinity for the first. The row is shown at T if this ≤ T < over. */
  predecessorsOver: column('f64', rows, instantsOrNever),
  /** The same for occurrences that start on the same Norwegian day (A6). */
  sameDayPredecessorsOver: column('f64', rows, instantsOrNever),
  /** Row of the event's next occurrence (A2), -1 for the last. */
  next: column('i32', rows, later),
  /** Event ordinal. */
  event: column('i32', rows, within(0, events)),
  /** Venue ordinal, -1 for none. */
  venue: column('i32', rows, within(-1, venues)),
  /** Norwegian calendar day of the start, days since 1970-01-01. */
  day: column('i32', rows, within(EARLIEST_DAY, dayBehindLast)),
  /** Minutes since midnight of the start on the Norwegian wall clock (B5). */
  minute: column('u16', rows, within(0, minutes)),
  /** Minutes since midnight of `startTime`, as entered. */
  startTime: column('u16', rows, within(0, minutes)),
  /** Minutes, -1 for null. */
  duration: column('i32', rows, anything),
  occurrenceFlags: column('u8', rows, anything),
  /** A16: 1-based index among the event's occurrences with this start, past ones included. */
  nth: column('i32', rows, within(1, many)),
  /** I9: how many builds have changed it. */
  sequence: column(['u8', 'i32'], rows, anything),
  /** E6: its event's and its venue's features, one bit each. */
  accessibility: column('u8', rows, anything),
  /** Index into the event's own list of ticket URLs (see fragments.ts), ABSENT for null. */
  ticketsURL: column('u16', rows, anything),
  /** Index into the event's own list of price lists, ABSENT for null. */
  prices: column('u16', rows, anything),
  /** Index into the event's own list of texts for older clients, ABSENT for none. */
  olderTexts: column('u16', rows, anything),

  // One value an event.
  /** A9: instant from which the event is published, -Infinity for always. */
  publishing: column('f64', events, instantsOrNever),
  /** I9: when the last of the event's dates before its first one here was over, -Infinity if none was. */
  nextSince: column('f64', events, instantsOrNever),
  eventFlags: column('u8', events, anything),
  /** Index into the list of container ids, -1 for none. */
  container: column('i32', events, within(-1, containers)),
  occurrencesAt: column('i32', ends(events), listEnds),
  /** Rows of the event, ascending, which is A2's order. */
  occurrences: column('i32', rows, within(0, rows)),
  organizersAt: column('i32', ends(events), listEnds),
  /** Organizer ordinals in the record's order. */
  organizers: column('i32', null, within(0, organizers)),
  categoriesAt: column('i32', ends(events), listEnds),
  /** C2: the event's category ordinals, and the parent of each subcategory, once. */
  categories: column('i32', null, within(0, categories)),
  tagsAt: column('i32', ends(events), listEnds),
  /** Indexes into the list of folded tags. */
  tags: column('i32', null, within(0, tags)),
  spellingsAt: column('i32', ends(events), listEnds),
  /** Indexes into the list of tags as written, each once, ascending. */
  spellings: column('i32', null, within(0, spellings)),
  /** For each spelling, the index of its folded tag. */
  tagOfSpelling: column('i32', spellings, within(0, tags)),

  /** B9, B13: ordinals of the venues with a position, from south to north. */
  northward: column('i32', null, onceWithin(0, venues)),

  /** The instant of the build, and every later one at which an answer can change (an occurrence is over, an event is published), ascending, without duplicates. */
  moments: column('f64', null, moments),

  // Unfiltered totals and facets over time: at `changeAt`, the count of the entity `changeOf` changes by `changeBy`.
  changeAt: column(['u32', 'f64'], null, moments),
  changeOf: column(['u16', 'i32'], null, within(0, entityCount)),
  changeBy: column('i32', null, anything),

  // The build derives the following columns from those above, so that no server has to.
  /**
   * How the shown rows change as T advances (A4): twice the row when it is over, one more than that when the last of its predecessors is
   * over, in the order of these moments. Rows that are never shown are missing.
   */
  shownChanges: column('i32', null, within(0, twoARow)),
  /** Checkpoints: bitmaps of the rows shown before all these changes, and after each `changesApart` of them. */
  shownAfter: column('bits', null, bits),
  /** The same for the occurrences of each day (A6). */
  shownByDayChanges: column('i32', null, within(0, twoARow)),
  shownByDayAfter: column('bits', null, bits),
  /** The same along rows: bitmaps of the first rows of events from row 0 on, from `changesApart` on, from twice that on … */
  firstFrom: column('bits', (sizes) => rowWords(sizes) * checkpointsOf(rows(sizes), rows(sizes)), bits),
  /** The latest `over` of each event. */
  eventOver: column('f64', events, instantsOrNever),
  // The row index: the rows of each entity, tag or container (C2), ascending.
  venueRowsAt: column('i32', ends(venues), listEnds),
  venueRows: column('i32', null, within(0, rows)),
  organizerRowsAt: column('i32', ends(organizers), listEnds),
  organizerRows: column('i32', null, within(0, rows)),
  categoryRowsAt: column('i32', ends(categories), listEnds),
  categoryRows: column('i32', null, within(0, rows)),
  tagRowsAt: column('i32', ends(tags), listEnds),
  tagRows: column('i32', null, within(0, rows)),
  containerRowsAt: column('i32', ends(containers), listEnds),
  containerRows: column('i32', null, within(0, rows)),
  /** A bitmap for each of FLAGS, in that order. */
  flagRows: column('bits', (sizes) => FLAGS.length * rowWords(sizes), bits),
  entitiesAt: column('i32', ends(rows), listEnds),
  /** The entities of each row. Half as wide if they fit, because counting them is limited by memory bandwidth. */
  entities: column(['u16', 'i32'], null, within(1, entityCount)),
} as const satisfies Readonly<Record<string, Column<Kind>>>;

export type ColumnName = keyof typeof COLUMNS;

export type Columns = {
  readonly [Name in ColumnName]: InstanceType<(typeof KINDS)[(typeof COLUMNS)[Name]['kinds'][number]]>;
};

export const isColumnName = (name: string): name is ColumnName => name in COLUMNS;
export const COLUMN_NAMES: readonly ColumnName[] = Object.keys(COLUMNS).filter(isColumnName);

/** Decodes each column while the next one is read; `checkColumns` checks their values. */
export async function liftColumns<Name extends ColumnName>(
  reader: Reader,
  names: readonly Name[],
): Promise<Pick<Columns, Name>> {
  const lift = async (name: Name) => [name, valuesOf(name, await readBlob(reader, name))] as const;
  return Object.fromEntries(await Promise.all(names.map(lift))) as Pick<Columns, Name>;
}

/** A bitmap: the flag's part of `flagRows`. */
export function rowsFlagged({ flagRows, event }: Pick<Columns, 'flagRows' | 'event'>, flag: Flag): Bitmap {
  const words = wordsFor(event.length);
  const place = FLAGS.indexOf(flag);
  return flagRows.subarray(place * words, (place + 1) * words);
}

/** A column as `column_blob` has it. */
interface StoredColumn {
  readonly kind: string;
  readonly length: number;
  readonly bytes: Uint8Array;
}

export function storeColumn(name: ColumnName, values: Values): StoredColumn {
  const kinds: readonly Kind[] = COLUMNS[name].kinds;
  const kind = kinds.find((one) => values instanceof KINDS[one]);
  if (kind === undefined)
    throw new TypeError(`expected ${name} as ${kinds.join(' or ')}, found something else`);
  const { buffer, byteOffset, byteLength, length } = values;
  const bytes = BY_DISTANCE.has(kind) ? writeDeltas(values) : new Uint8Array(buffer, byteOffset, byteLength);
  return { kind, length, bytes };
}

async function readBlob(reader: Reader, name: string): Promise<StoredColumn> {
  const sql = 'select kind, length, bytes from column_blob where name = ?';
  const [blob] = await reader.all(sql, [name], (row) => ({
    kind: textOf(row, 'kind'),
    length: integerOf(row, 'length'),
    bytes: bytesOf(row, 'bytes'),
  }));
  if (blob === undefined) throw unusable(`column_blob ${name}`, 'to be there', 'nothing');
  return blob;
}

function valuesOf(name: ColumnName, { kind, length, bytes }: StoredColumn): Values {
  const kinds: readonly Kind[] = COLUMNS[name].kinds;
  const found = kinds.find((one) => one === kind);
  if (found === undefined) throw unusable(`column_blob ${name}`, `kind ${kinds.join(' or ')}`, kind);
  const Column = KINDS[found];
  const wrong = () => unusable(`column_blob ${name}`, `${length} values`, `${bytes.byteLength} bytes`);
  if (BY_DISTANCE.has(found)) {
    const values = new Column(length);
    if (!readDeltas(bytes, values)) throw wrong();
    return values;
  }
  if (bytes.byteLength !== length * Column.BYTES_PER_ELEMENT) throw wrong();
  // A typed array needs an aligned start; the driver gives each blob its own buffer, but does not promise it.
  const { buffer, byteOffset } = bytes.byteOffset % Column.BYTES_PER_ELEMENT === 0 ? bytes : bytes.slice();
  if (!(buffer instanceof ArrayBuffer)) throw new TypeError('expected memory of this thread alone');
  return new Column(buffer, byteOffset, length);
}

function column<Of extends Kind>(kinds: Of | readonly Of[], length: Length | null, holds: Check): Column<Of> {
  return { kinds: typeof kinds === 'string' ? [kinds] : kinds, length, holds };
}

/** Valid values of a column (H7): each check returns the first place with an invalid value. */

interface Problem {
  readonly at: number;
  readonly expected: string;
}

function anything(): null {
  return null;
}

/** The first value that is invalid by itself. */
function firstWrong(
  values: Numbers,
  expected: string,
  isRight: (value: number, at: number) => boolean,
): Problem | null {
  for (let at = 0; at < values.length; at++) if (!isRight(values[at] as number, at)) return { at, expected };
  return null;
}

/** The first value that is neither `except` nor from `low` to before `end`. Without a call for each, checking columns takes 0.4 times the CPU. */
function firstOutside(
  values: Numbers,
  expected: string,
  [low, end, except]: readonly [low: number, end: number, except?: number],
): Problem | null {
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (!(value >= low && value < end) && value !== except) return { at, expected };
  }
  return null;
}

/** Seconds from 1970 to what a `Date` still writes as a year. */
const FARTHEST = 2 ** 38;

function instants(values: Numbers): Problem | null {
  return firstOutside(values, 'an instant', [-FARTHEST, FARTHEST]);
}

function instantsOrNever(values: Numbers): Problem | null {
  return firstOutside(values, 'an instant or -Infinity', [-FARTHEST, FARTHEST, Number.NEGATIVE_INFINITY]);
}

function ascending(values: Numbers): Problem | null {
  let last = Number.NEGATIVE_INFINITY;
  for (let at = 0; at < values.length; at++) {
    const value = values[at] as number;
    if (!(value >= last && Number.isFinite(value))) return { at, expected: 'numbers that ascend' };
    last = value;
  }
  return null;
}

/** Ascending instants that a datetime can express. */
function moments(values: Numbers): Problem | null {
  const problem = ascending(values);
  if (problem !== null || values.length === 0) return problem;
  const last = values.length - 1;
  const expected = 'an instant of the years 1 to 9999';
  if ((values[0] as number) < EARLIEST) return { at: 0, expected };
  return (values[last] as number) < LATEST ? null : { at: last, expected };
}

const EARLIEST = Date.parse('0001-01-01T00:00:00Z') / 1_000;
const LATEST = Date.parse('+010000-01-01T00:00:00Z') / 1_000;

/** Whole numbers from `low` to the count minus one. */
function within(low: number, count: (sizes: Sizes) => number): Check {
  return (values, sizes) => firstOutside(values, `${low} to ${count(sizes) - 1}`, [low, count(sizes)]);
}

/** The same without duplicates: so their number is bounded too. */
function onceWithin(low: number, count: (sizes: Sizes) => number): Check {
  const isWithin = within(low, count);
  return (values, sizes) => {
    const problem = isWithin(values, sizes);
    if (problem !== null) return problem;
    const found = new Set<number>();
    return firstWrong(values, 'each of them once', (value) => found.size < found.add(value).size);
  };
}

/** Links only to later rows, so that every walk ends. */
function later(values: Numbers): Problem | null {
  const isLater = (value: number, at: number) => value > at && value < values.length;
  return firstWrong(values, 'a later row or -1', (value, at) => value === -1 || isLater(value, at));
}

function listEnds(values: Numbers): Problem | null {
  if (values[0] !== 0) return { at: 0, expected: 'lists that begin at 0' };
  return ascending(values);
}

/** Bitmaps with no bit after the last row. */
function bits(values: Numbers, { occurrences }: Sizes): Problem | null {
  const words = wordsFor(occurrences);
  const spare = occurrences % 32 === 0 ? 0 : -1 << (occurrences % 32);
  for (let at = words - 1; at < values.length && at >= 0; at += words) {
    if (((values[at] as number) & spare) !== 0) return { at, expected: 'no rows after the last one' };
  }
  return null;
}
