/**
 * H7: checks whether the parts of a snapshot fit together, so that no request reads beyond the end of a list or runs for ever. The contents
 * of values are not checked: whether they can be trusted is up to the signature (J3).
 */
import { DAY } from '../calendar/time.ts';
import { wordsFor } from './bitmaps.ts';
import { readColumns, readIntegers } from './column-blobs.ts';
import { COLUMN_NAMES, type Columns, freeColumns } from './columns.ts';
import { FILTER_COLUMN_NAMES } from './filters.ts';
import { FLAGS } from './flags.ts';
import { LONGEST_ENTRY, SEPARATOR } from './lexicon.ts';
import { checkLists, type Lists, readLists } from './lists.ts';
import { checkMeta, type Meta, type SnapshotCounts } from './meta.ts';
import type { Reader } from './reader.ts';
import { unusable } from './unusable.ts';

/** Throws SNAPSHOT_UNUSABLE with the first part that does not fit. */
export async function checkStructure(reader: Reader, meta: Meta): Promise<void> {
  checkMeta(meta);
  const { counts } = meta;
  const lists = await readLists(reader);
  checkLists(lists, counts);
  const columns = await readColumns(reader, COLUMN_NAMES);
  checkColumns(columns, sizesOf(counts, lists));
  freeColumns(Object.values(columns));
  const filterColumns = await readIntegers(reader, FILTER_COLUMN_NAMES);
  for (const [name, { length }] of Object.entries(filterColumns)) expectCount(name, counts.events, length);
}

type ColumnName = keyof Columns;
type Sizes = Readonly<Record<Counted, number>>;
type Counted =
  | 'rows'
  | 'events'
  | 'venues'
  | 'organizers'
  | 'categories'
  | 'sources'
  | 'containers'
  | 'tags'
  | 'spellings';

function sizesOf({ events, occurrences: rows, venues, organizers }: SnapshotCounts, lists: Lists): Sizes {
  const { sources, categories, containers, tags, spellings } = lists;
  return {
    rows,
    events,
    venues,
    organizers,
    categories: categories.length,
    sources: sources.length,
    containers: containers.length,
    tags: tags.length,
    spellings: spellings.length,
  };
}

/** The entities for which each column has one value. Null if its length depends on another column, which the checks of lists, keys and words know. */
const LENGTHS: Readonly<Record<ColumnName, Counted | null>> = {
  start: 'rows',
  end: 'rows',
  over: 'rows',
  event: 'rows',
  venue: 'rows',
  day: 'rows',
  minute: 'rows',
  startTime: 'rows',
  duration: 'rows',
  occurrenceFlags: 'rows',
  nth: 'rows',
  sequence: 'rows',
  accessibility: 'rows',
  ticketsURL: 'rows',
  prices: 'rows',
  olderTexts: 'rows',
  publishing: 'events',
  nextSince: 'events',
  eventFlags: 'events',
  source: 'events',
  container: 'events',
  bodyCheck: 'events',
  nameCheck: 'events',
  changed: 'events',
  eventOver: 'events',
  venueFrom: 'venues',
  organizerFrom: 'organizers',
  tagOfSpelling: 'spellings',
  occurrencesAt: null,
  occurrences: null,
  organizersAt: null,
  organizers: null,
  categoriesAt: null,
  categories: null,
  tagsAt: null,
  tags: null,
  spellingsAt: null,
  spellings: null,
  venueRowsAt: null,
  venueRows: null,
  organizerRowsAt: null,
  organizerRows: null,
  categoryRowsAt: null,
  categoryRows: null,
  tagRowsAt: null,
  tagRows: null,
  containerRowsAt: null,
  containerRows: null,
  movedRow: null,
  movedFrom: null,
  keyHash: null,
  keyCheck: null,
  keyEvent: null,
  flagRows: null,
  moments: null,
  textCheck: null,
  wordText: null,
  wordEnds: null,
  wordLetters: null,
  wordLengths: null,
  wordEventsAt: null,
  wordEvents: null,
  partText: null,
  partEnds: null,
  partEventsAt: null,
  partEvents: null,
};

/** Columns of lists: the entities that each have a list, and the entities whose numbers are in the lists. */
const LISTS = {
  occurrences: ['events', 'rows'],
  organizers: ['events', 'organizers'],
  categories: ['events', 'categories'],
  tags: ['events', 'tags'],
  spellings: ['events', 'spellings'],
  venueRows: ['venues', 'rows'],
  organizerRows: ['organizers', 'rows'],
  categoryRows: ['categories', 'rows'],
  tagRows: ['tags', 'rows'],
  containerRows: ['containers', 'rows'],
} as const satisfies Partial<Record<ColumnName, readonly [Counted, Counted]>>;

/** Columns whose values are numbers of entities: these entities, and the lowest number, which is -1 if there may be no entity. */
const ORDINALS = {
  event: ['events', 0],
  venue: ['venues', -1],
  source: ['sources', -1],
  container: ['containers', -1],
  tagOfSpelling: ['tags', 0],
  keyEvent: ['events', -1],
  movedRow: ['rows', 0],
} as const satisfies Partial<Record<ColumnName, readonly [Counted, 0 | -1]>>;

/** The end of the last year with four digits. */
const LATEST = 253_402_300_800;
/** Represents a moment before all others. */
const ALWAYS = Number.NEGATIVE_INFINITY;

interface Bounds {
  readonly least: number;
  readonly most: number;
  /** A value outside of them that is allowed, too. */
  readonly exception?: number;
}

const MOMENTS = { least: -LATEST, most: LATEST };
const MINUTES = { least: 0, most: 1_439 };

const BOUNDS: Readonly<Partial<Record<ColumnName, Bounds>>> = {
  start: MOMENTS,
  end: MOMENTS,
  over: MOMENTS,
  moments: MOMENTS,
  movedFrom: MOMENTS,
  publishing: { ...MOMENTS, exception: ALWAYS },
  nextSince: { ...MOMENTS, exception: ALWAYS },
  eventOver: { ...MOMENTS, exception: ALWAYS },
  venueFrom: { ...MOMENTS, exception: ALWAYS },
  organizerFrom: { ...MOMENTS, exception: ALWAYS },
  day: { least: -LATEST / DAY, most: LATEST / DAY },
  minute: MINUTES,
  startTime: MINUTES,
  duration: { least: -1, most: LATEST / 60 },
  nth: { least: 1, most: 2 ** 31 },
  sequence: { least: 0, most: 2 ** 31 },
  keyHash: { least: 0, most: 2 ** 53 },
};

/** Columns in which values are looked for by bisection. */
const ASCENDING = ['start', 'movedRow', 'moments', 'keyHash', 'wordEnds', 'partEnds', 'wordLengths'] as const;

function checkColumns(columns: Columns, sizes: Sizes): void {
  for (const [name, size] of entriesOf(LENGTHS)) {
    if (size !== null) expectLength(columns, name, sizes[size]);
  }
  for (const [name, bounds] of entriesOf(BOUNDS))
    expectWithin(columns, name, `from ${bounds.least} to ${bounds.most}`, bounds);
  for (const [name, [size, least]] of entriesOf(ORDINALS)) expectOrdinals(columns, name, sizes[size], least);
  for (const [name, [owners, size]] of entriesOf(LISTS)) {
    expectOffsets(columns, name, sizes[owners]);
    expectOrdinals(columns, name, sizes[size]);
  }
  for (const name of ASCENDING) expectAscending(columns, name);
  expectLength(columns, 'flagRows', FLAGS.length * wordsFor(sizes.rows));
  expectLength(columns, 'movedFrom', columns.movedRow.length);
  const { length: keys } = columns.keyHash;
  expectLength(columns, 'keyCheck', keys);
  expectLength(columns, 'keyEvent', keys);
  checkWords(columns, sizes);
}

/** The search index. */
function checkWords(columns: Columns, { events }: Sizes): void {
  expectEnds(columns, 'word');
  expectEnds(columns, 'part');
  const { length: words } = columns.wordEnds;
  expectLength(columns, 'wordLetters', words);
  expectLength(columns, 'wordLengths', LONGEST_ENTRY);
  expectWithin(columns, 'wordLengths', `at most ${words}`, { least: 0, most: words });
  for (const [name, entries] of [
    ['wordEvents', words],
    ['partEvents', columns.partEnds.length],
  ] as const) {
    expectOffsets(columns, name, entries);
    expectOrdinals(columns, name, 2 * events);
  }
}

function expectLength(columns: Columns, name: ColumnName, length: number): void {
  expectCount(name, length, columns[name].length);
}

function expectCount(name: string, expected: number, found: number): void {
  if (found !== expected) throw unusable(`column_blob ${name}`, `${expected} values`, `${found}`);
}

/** NaN is within no bounds. */
function expectWithin(
  columns: Columns,
  name: ColumnName,
  expected: string,
  { least, most, exception = least }: Bounds,
): void {
  for (const { first, values } of piecesOf(columns[name])) {
    for (let at = 0; at < values.length; at++) {
      const value = values[at] as number;
      if ((value >= least && value <= most) || value === exception) continue;
      throw unusable(`column_blob ${name}, value ${first + at}`, expected, `${value}`);
    }
  }
}

function expectOrdinals(columns: Columns, name: ColumnName, size: number, least = 0): void {
  const expected = `from ${least} to below ${size}`;
  expectWithin(columns, name, expected, { least, most: size - 1 });
}

function expectAscending(columns: Columns, name: ColumnName): void {
  let before = Number.NEGATIVE_INFINITY;
  for (const { first, values } of piecesOf(columns[name])) {
    for (let at = 0; at < values.length; at++) {
      const value = values[at] as number;
      // Also for NaN.
      if (!(value >= before))
        throw unusable(`column_blob ${name}, value ${first + at}`, 'no less than the one before', `${value}`);
      before = value;
    }
  }
}

interface Piece {
  /** The position of its first value in the column. */
  readonly first: number;
  readonly values: Float64Array;
}

/** A column's values, copied to one kind of array: V8 reads arrays of all five kinds in one loop at a fifth of the speed. */
function* piecesOf(column: Columns[ColumnName]): Generator<Piece> {
  const copy = new Float64Array(Math.min(column.length, VALUES_AT_ONCE));
  for (let first = 0; first < column.length; first += VALUES_AT_ONCE) {
    const piece = column.subarray(first, first + VALUES_AT_ONCE);
    copy.set(piece);
    yield { first, values: copy.subarray(0, piece.length) };
  }
}

const VALUES_AT_ONCE = 8_192;

type ListName = keyof typeof LISTS | 'wordEvents' | 'partEvents';

/** A list for each owner: offsets begin at 0, ascend, and end at the length of the list. */
function expectOffsets(columns: Columns, name: ListName, owners: number): void {
  const at = `${name}At` as const;
  expectLength(columns, at, owners + 1);
  expectAscending(columns, at);
  const { [at]: offsets } = columns;
  const { length } = columns[name];
  const [first = 0, last = 0] = [offsets[0], offsets[owners]];
  if (first !== 0 || last !== length)
    throw unusable(`column_blob ${at}`, `offsets from 0 to ${length}`, `${first} to ${last}`);
}

/** Each entry of a lexicon ends in a line break, and the last one is the text's end. */
function expectEnds(columns: Columns, lexicon: 'word' | 'part'): void {
  const text = columns[`${lexicon}Text`];
  const ends = `${lexicon}Ends` as const;
  const { [ends]: breaks } = columns;
  for (let at = 0; at < breaks.length; at++) {
    const end = breaks[at] as number;
    if (text[end] !== SEPARATOR)
      throw unusable(`column_blob ${ends}, value ${at}`, 'the position of a line break', `${end}`);
  }
  const last = (breaks[breaks.length - 1] ?? -1) + 1;
  if (last !== text.length) throw unusable(`column_blob ${ends}`, `an end at ${text.length}`, `${last}`);
}

/** As `Object.entries`, with the type of the names. */
function entriesOf<Name extends string, Value>(
  table: Readonly<Partial<Record<Name, Value>>>,
): readonly (readonly [Name, Value])[] {
  return Object.entries(table) as [Name, Value][];
}
