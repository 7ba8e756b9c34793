/**
 * The columns that a server lifts into memory, one blob each. Occurrences are numbered in serving order (start, then
 * event id, then A2's order): that number is the *row*. Events are numbered by id in code point order, venues and
 * organizers in Norwegian alphabetical order, categories in the licence's order: that number is the *ordinal*. *Entities* are
 * what facets count, in one numbering: 0 is the total; then venues, organizers and categories by ordinal, one range behind
 * the other.
 *
 * A snapshot from elsewhere is a stranger's file (H7). So each column says how long it is and what may be in it, and
 * nothing is lifted that points outside of what it points into.
 */
import { CalendarError } from '../calendar/errors.ts';
import { wordsFor } from './bitmaps.ts';
import {
  anything,
  ascending,
  bits,
  type Check,
  datetimes,
  finite,
  finiteOrNever,
  later,
  listEnds,
  moments,
  within,
} from './column-checks.ts';
import type { Sizes } from './lists.ts';
import { bytesOf, integerOf, type Reader, textOf } from './sqlite.ts';

/** Little-endian, as every machine that runs this is. Instants are whole seconds in doubles: exact beyond the year 9999. */
const KINDS = {
  f64: Float64Array,
  i32: Int32Array,
  u32: Uint32Array,
  u16: Uint16Array,
  u8: Uint8Array,
} as const;

type Kind = keyof typeof KINDS;
type Values = InstanceType<(typeof KINDS)[Kind]>;
type Length = (sizes: Sizes) => number;

interface Column<Of extends Kind> {
  /** The first of them that the values fit into. */
  readonly kinds: readonly Of[];
  /** Null: whatever the column says whose lists these are. */
  readonly length: Length | null;
  readonly holds: Check;
}

export const ABSENT = 0xffff;
export const DATETIME_WIDTH = 25;

/** Bits of `occurrenceFlags`. */
export const OCCURRENCE_FLAGS = { cancelled: 1, soldOut: 2, allDay: 4 } as const;
/** Bits of `eventFlags`. */
export const EVENT_FLAGS = {
  online: 1,
  featured: 2,
  featuredInSpecialEvent: 4,
  container: 8,
  free: 16,
} as const;

/** Those that conditions ask for. */
export type Flag = Exclude<keyof typeof OCCURRENCE_FLAGS, 'allDay'> | keyof typeof EVENT_FLAGS;

/** In the order in which their rows stand in `flagRows`. */
export const FLAGS: readonly Flag[] = [
  'cancelled',
  'soldOut',
  'online',
  'featured',
  'featuredInSpecialEvent',
  'container',
  'free',
];

const rows: Length = ({ occurrences }) => occurrences;
const twoARow: Length = ({ occurrences }) => 2 * occurrences;
const rowWords: Length = ({ occurrences }) => wordsFor(occurrences);
const texts: Length = ({ occurrences }) => occurrences * DATETIME_WIDTH;
const events: Length = (sizes) => sizes.events;
/** Of the column that says where lists begin and end: one more than there are lists. */
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
/** Of the years 1 to 9999, which are all that a date can be written in. */
const EARLIEST_DAY = -719_162;
const dayBehindLast: Length = () => 2_932_897;
const many: Length = () => 2 ** 31 - 1;
const entities: Length = (sizes) => 1 + sizes.venues + sizes.organizers + sizes.categories;

/**
 * Changes from one checkpoint to the next, in a calendar with so many rows. Joining a quarter of them, which is how far the
 * nearest checkpoint is on average, takes microseconds; and all bitmaps together take no more than a few bytes a row.
 */
export function changesApart(rowCount: number): number {
  return Math.max(1_024, Math.ceil(rowCount / 16));
}

export function checkpointsOf(changes: number, rowCount: number): number {
  return Math.floor(changes / changesApart(rowCount)) + 1;
}

/** `…At` goes with the column of the same name: list n is [At[n], At[n + 1]) of it. */
export const COLUMNS = {
  // One value an occurrence row.
  start: column('f64', rows, moments),
  /** Equals start when there is none. */
  end: column('f64', rows, finite),
  /** A1: first second at which it is no longer valid. */
  over: column('f64', rows, finite),
  /** Latest `over` of the event's earlier occurrences (A2); -Infinity for the first. Shown at T when this ≤ T < over. */
  predecessorsOver: column('f64', rows, finiteOrNever),
  /** The same among those that start on the same Norwegian day (A6). */
  sameDayPredecessorsOver: column('f64', rows, finiteOrNever),
  /** Row of the event's occurrence after this one (A2), -1 for the last. */
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
  /** A16: the how-manieth it is of the event's occurrences with that start, over ones included. */
  nth: column('i32', rows, within(1, many)),
  /** Place in the event's own list of ticket URLs (see fragments), ABSENT for null. */
  ticketsURL: column('u16', rows, anything),
  /** Place in the event's own list of price lists, ABSENT for null. */
  prices: column('u16', rows, anything),
  /** Place in the event's own list of what older clients ask of a date, ABSENT for none of it. */
  olderTexts: column('u16', rows, anything),
  /** 25 ASCII bytes a row: `YYYY-MM-DD HH:mm:ss±HH:mm`. */
  startText: column('u8', texts, datetimes),
  endText: column('u8', texts, datetimes),

  // One value an event.
  /** A9: instant from which the event exists, -Infinity for always. */
  publishing: column('f64', events, finiteOrNever),
  eventFlags: column('u8', events, anything),
  /** Place in the list of container ids, -1 for none. */
  container: column('i32', events, within(-1, containers)),
  occurrencesAt: column('i32', ends(events), listEnds),
  /** Rows of the event, ascending, which is A2's order. */
  occurrences: column('i32', rows, within(0, rows)),
  organizersAt: column('i32', ends(events), listEnds),
  /** Organizer ordinals in the record's order. */
  organizers: column('i32', null, within(0, organizers)),
  categoriesAt: column('i32', ends(events), listEnds),
  /** C2: category ordinals the event carries, and the parent of each subcategory, once. */
  categories: column('i32', null, within(0, categories)),
  tagsAt: column('i32', ends(events), listEnds),
  /** Places in the list of folded tags. */
  tags: column('i32', null, within(0, tags)),
  spellingsAt: column('i32', ends(events), listEnds),
  /** Places in the list of tags as they are written, each once, ascending. */
  spellings: column('i32', null, within(0, spellings)),
  /** Of each spelling: the place of the folded tag. */
  tagOfSpelling: column('i32', spellings, within(0, tags)),

  /** Every instant at which an answer can change (an occurrence is over, an event appears), ascending, each once. */
  moments: column('f64', null, moments),

  // Unfiltered totals and facets over time: at `changeAt`, the count of the entity `changeOf` changes by `changeBy`.
  changeAt: column('f64', null, ascending),
  changeOf: column('i32', null, within(0, entities)),
  changeBy: column('i32', null, anything),

  // What follows says nothing new: it is worked out of the above at the build, so that no server has to.
  /**
   * How the rows that are shown change as T goes on (A4): twice the row when it is over, one more than that when the last
   * of its predecessors is, in the order of these moments. Rows that are never shown are not there.
   */
  shownChanges: column('i32', null, within(0, twoARow)),
  /** Checkpoints: bitmaps of the rows shown before any of these changes, and behind each so many of them (changesApart). */
  shownAfter: column('u32', null, bits),
  /** The same for the occurrences of each day (A6). */
  shownByDayChanges: column('i32', null, within(0, twoARow)),
  shownByDayAfter: column('u32', null, bits),
  /** The same along rows: bitmaps of the first rows of events from row 0 on, from `changesApart` on, from twice that on … */
  firstFrom: column('u32', (sizes) => rowWords(sizes) * checkpointsOf(rows(sizes), rows(sizes)), bits),
  /** The latest `over` of each event. */
  eventOver: column('f64', events, finiteOrNever),
  // The row index: the rows that carry each entity, tag or container (C2), ascending.
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
  /** A bitmap for each of FLAGS, one behind the other. */
  flagRows: column('u32', (sizes) => FLAGS.length * rowWords(sizes), bits),
  entitiesAt: column('i32', ends(rows), listEnds),
  /** The entities that each row carries. Half as wide where they fit: counting them waits for memory. */
  entities: column(['u16', 'i32'], null, within(1, entities)),
} as const satisfies Readonly<Record<string, Column<Kind>>>;

export type ColumnName = keyof typeof COLUMNS;

export type Columns = {
  readonly [Name in ColumnName]: InstanceType<(typeof KINDS)[(typeof COLUMNS)[Name]['kinds'][number]]>;
};

const isColumnName = (name: string): name is ColumnName => name in COLUMNS;
export const COLUMN_NAMES: readonly ColumnName[] = Object.keys(COLUMNS).filter(isColumnName);

/** Reads all of them, one after the other, so that nothing else waits for long; `checkColumns` looks at what is in them. */
export async function liftColumns(reader: Reader): Promise<Columns> {
  const lifted: Partial<Record<ColumnName, Values>> = {};
  for (const name of COLUMN_NAMES) {
    lifted[name] = viewOf(name, await readBlob(reader, name));
  }
  if (!isColumns(lifted)) throw new CalendarError('SNAPSHOT_UNUSABLE', 'expected every column, found fewer');
  return lifted;
}

/** How many of the ascending values are at most `limit`. */
export function countUpTo(ascending: Float64Array, limit: number): number {
  let low = 0;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ascending[middle] ?? Number.POSITIVE_INFINITY) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Throws SNAPSHOT_UNUSABLE with the first column that holds what it must not. */
export function checkColumns(columns: Columns, sizes: Sizes): void {
  for (const name of COLUMN_NAMES) checkColumn(name, columns[name], sizes);
  checkLists(columns, sizes);
}

/** The kind that a column is written as. */
export function kindOf(values: Values): Kind {
  const kind = KIND_NAMES.find((name) => values instanceof KINDS[name]);
  if (kind === undefined) throw new TypeError('expected a column, found something else');
  return kind;
}

const isKind = (name: string): name is Kind => name in KINDS;
const KIND_NAMES: readonly Kind[] = Object.keys(KINDS).filter(isKind);

interface Blob {
  readonly kind: string;
  readonly length: number;
  readonly bytes: Uint8Array;
}

async function readBlob(reader: Reader, name: string): Promise<Blob> {
  const sql = 'select kind, length, bytes from column_blob where name = ?';
  const [blob] = await reader.all(sql, [name], (row) => ({
    kind: textOf(row, 'kind'),
    length: integerOf(row, 'length'),
    bytes: bytesOf(row, 'bytes'),
  }));
  if (blob === undefined) throw unusable(name, 'to be there', 'nothing');
  return blob;
}

function viewOf(name: ColumnName, { kind, length, bytes }: Blob): Values {
  const kinds: readonly Kind[] = COLUMNS[name].kinds;
  const found = kinds.find((one) => one === kind);
  if (found === undefined) throw unusable(name, `kind ${kinds.join(' or ')}`, kind);
  const view = KINDS[found];
  const width = view.BYTES_PER_ELEMENT;
  if (bytes.byteLength !== length * width) throw unusable(name, `${length * width} bytes`, bytes.byteLength);
  // A view needs an aligned beginning; the driver gives each blob a buffer of its own, but does not promise it.
  const { buffer, byteOffset } = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
  if (!(buffer instanceof ArrayBuffer)) throw new TypeError('expected memory of this thread alone');
  return new view(buffer, byteOffset, length);
}

function isColumns(lifted: Partial<Record<ColumnName, Values>>): lifted is Columns {
  return COLUMN_NAMES.every((name) => {
    const values = lifted[name];
    return values !== undefined && COLUMNS[name].kinds.some((kind) => values instanceof KINDS[kind]);
  });
}

function checkColumn(name: ColumnName, values: Values, sizes: Sizes): void {
  const { length, holds }: Column<Kind> = COLUMNS[name];
  const expected = length?.(sizes) ?? values.length;
  if (values.length !== expected) throw unusable(name, `${expected} entries`, values.length);
  const problem = holds(values, sizes);
  if (problem !== null) throw unusable(name, problem.expected, `${values[problem.at]} at ${problem.at}`);
}

/** What columns say of each other. */
function checkLists(columns: Columns, sizes: Sizes): void {
  for (const name of COLUMN_NAMES) {
    const list = name.replace(/At$/, '');
    if (list === name || !isColumnName(list)) continue;
    const [expected, found] = [columns[list].length, columns[name].at(-1)];
    if (found !== expected) throw unusable(name, `${expected} at its end`, found ?? 'none');
  }
  for (const [at, name] of ASCENDING_LISTS) {
    const place = descentIn(columns[at], columns[name]);
    if (place !== -1) throw unusable(name, 'ascending lists', `${columns[name][place]} at ${place}`);
  }
  for (const [changes, after] of CHECKPOINTS) {
    const expected = rowWords(sizes) * checkpointsOf(columns[changes].length, rows(sizes));
    const found = columns[after].length;
    if (found !== expected) throw unusable(after, `${expected} entries`, found);
  }
  checkChanges(columns, sizes);
}

const CHECKPOINTS = [
  ['shownChanges', 'shownAfter'],
  ['shownByDayChanges', 'shownByDayAfter'],
] as const satisfies readonly (readonly [ColumnName, ColumnName])[];

/** Lists that hold nothing twice: counting what they hold never counts more than there is. */
const ASCENDING_LISTS = [
  ['occurrencesAt', 'occurrences'],
  ['spellingsAt', 'spellings'],
  ['venueRowsAt', 'venueRows'],
  ['organizerRowsAt', 'organizerRows'],
  ['categoryRowsAt', 'categoryRows'],
  ['tagRowsAt', 'tagRows'],
  ['containerRowsAt', 'containerRows'],
  ['entitiesAt', 'entities'],
] as const satisfies readonly (readonly [ColumnName, ColumnName])[];

/** The first place whose value is not greater than the one before it in its list; -1 when there is none. */
function descentIn(at: Int32Array, values: Int32Array | Uint16Array): number {
  for (let list = 0; list + 1 < at.length; list++) {
    const end = at[list + 1] as number;
    for (let place = (at[list] as number) + 1; place < end; place++) {
      if ((values[place] as number) <= (values[place - 1] as number)) return place;
    }
  }
  return -1;
}

/** At no time are there fewer than none, or more than there are events. */
function checkChanges({ changeAt, changeOf, changeBy }: Columns, sizes: Sizes): void {
  for (const [name, { length }] of Object.entries({ changeOf, changeBy })) {
    if (length !== changeAt.length) throw unusable(name, `${changeAt.length} entries`, length);
  }
  const counts = new Float64Array(entities(sizes));
  for (let step = 0; step < changeAt.length; step++) {
    const entity = changeOf[step] as number;
    const count = (counts[entity] as number) + (changeBy[step] as number);
    counts[entity] = count;
    // Changes of one second may come in any order.
    if (step + 1 < changeAt.length && changeAt[step + 1] === changeAt[step]) continue;
    if (count < 0 || count > sizes.events) throw unusable('changeBy', `0 to ${sizes.events} nodes`, count);
  }
}

function unusable(name: string, expected: string, found: string | number): CalendarError {
  return new CalendarError('SNAPSHOT_UNUSABLE', `column_blob ${name}: expected ${expected}, found ${found}`);
}

function column<Of extends Kind>(kinds: Of | readonly Of[], length: Length | null, holds: Check): Column<Of> {
  return { kinds: typeof kinds === 'string' ? [kinds] : kinds, length, holds };
}
