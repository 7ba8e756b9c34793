/**
 * H7: checks whether the parts of a snapshot fit together, so that no request reads beyond the end of a list or runs for ever. The contents
 * of values are not checked: whether they can be trusted is up to the signature (J3).
 */
import { wordsFor } from './bitmaps.ts';
import { readColumns, readIntegers } from './column-blobs.ts';
import {
  type Bounds,
  COLUMN_NAMES,
  COLUMNS,
  type Column,
  type ColumnName,
  type Columns,
  type Counted,
  freeColumns,
  type ListColumn,
} from './columns.ts';
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
  checkColumns(columns, sizesOf(counts, lists, columns));
  freeColumns(Object.values(columns));
  const filterColumns = await readIntegers(reader, FILTER_COLUMN_NAMES);
  for (const [name, { length }] of Object.entries(filterColumns)) expectCount(name, counts.events, length);
}

/** The sizes of all that columns count; the last ones are the lengths of columns. */
function sizesOf(counts: SnapshotCounts, lists: Lists, columns: Columns): Readonly<Record<Counted, number>> {
  return {
    rows: counts.occurrences,
    events: counts.events,
    eventTexts: 2 * counts.events,
    venues: counts.venues,
    organizers: counts.organizers,
    categories: lists.categories.length,
    sources: lists.sources.length,
    containers: lists.containers.length,
    tags: lists.tags.length,
    spellings: lists.spellings.length,
    movedRows: columns.movedRow.length,
    keys: columns.keyHash.length,
    words: columns.wordEnds.length,
    parts: columns.partEnds.length,
  };
}

/** COLUMNS as declarations: in the type of COLUMNS, each column has only the properties that are written there. */
const DECLARED: Readonly<Record<ColumnName, Column>> = COLUMNS;

const isList = (name: ColumnName): name is ListColumn => 'listOf' in COLUMNS[name];

function checkColumns(columns: Columns, sizes: ReturnType<typeof sizesOf>): void {
  const all = COLUMN_NAMES.map((name) => ({ name, ...DECLARED[name] }));
  for (const { name, each } of all) if (each !== null) expectLength(columns, name, sizes[each]);
  for (const { name, bounds } of all) if (bounds !== undefined) expectWithin(columns, name, bounds);
  for (const name of COLUMN_NAMES.filter(isList)) expectOffsets(columns, name, sizes[COLUMNS[name].listOf]);
  for (const { name, numbers, mayBeNone = false } of all)
    if (numbers !== undefined) expectNumbers(columns, name, { size: sizes[numbers], mayBeNone });
  for (const { name, isAscending } of all) if (isAscending) expectAscending(columns, name);
  expectLength(columns, 'flagRows', FLAGS.length * wordsFor(sizes.rows));
  expectEnds(columns, 'word');
  expectEnds(columns, 'part');
  expectLength(columns, 'wordLengths', LONGEST_ENTRY);
  expectWithin(columns, 'wordLengths', { least: 0, most: sizes.words, expected: `at most ${sizes.words}` });
}

function expectLength(columns: Columns, name: ColumnName, length: number): void {
  expectCount(name, length, columns[name].length);
}

function expectCount(name: string, expected: number, found: number): void {
  if (found !== expected) throw unusable(`column_blob ${name}`, `${expected} values`, `${found}`);
}

interface ExpectedBounds extends Bounds {
  /** The bounds in words. */
  readonly expected?: string;
}

/** NaN is within no bounds. */
function expectWithin(
  columns: Columns,
  name: ColumnName,
  { least, most, exception, expected = `from ${least} to ${most}` }: ExpectedBounds,
): void {
  for (const { first, values } of piecesOf(columns[name])) {
    for (let at = 0; at < values.length; at++) {
      const value = values[at] as number;
      const isException = exception !== undefined && value === exception;
      if (isException || (value >= least && value <= most)) continue;
      throw unusable(`column_blob ${name}, value ${first + at}`, expected, `${value}`);
    }
  }
}

interface Numbering {
  readonly size: number;
  readonly mayBeNone: boolean;
}

/** Numbers from 0 to below the size; -1 stands for none. */
function expectNumbers(columns: Columns, name: ColumnName, { size, mayBeNone }: Numbering): void {
  const least = mayBeNone ? -1 : 0;
  expectWithin(columns, name, { least, most: size - 1, expected: `from ${least} to below ${size}` });
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

/** A list for each owner: offsets begin at 0, ascend, and end at the length of the list. */
function expectOffsets(columns: Columns, name: ListColumn, owners: number): void {
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
