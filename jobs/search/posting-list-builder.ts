/**
 * Ascending lists that grow in parallel, packed as they grow: each is a chain of slices in one arena, every slice twice as long as the
 * one before.
 */
import { LONGEST_VARINT, type PostingLists, writeVarint } from '../../src/snapshot/lexicon.ts';

interface PostingListsBuilder {
  /** The value must be greater than the list's last one. */
  readonly add: (list: number, value: number) => void;
  /** The list's last value; -1 if it is empty. */
  readonly lastOf: (list: number) => number;
  /** All lists in the order given, each contiguous. Called once: it frees the memory. */
  readonly finish: (order: Iterable<number>) => PostingLists;
}

/** The fields of each list are adjacent, because distant memory is slow to fetch. */
const FIELDS = 8;
/** The last value plus 1, so that 0 means none. */
const LAST = 0;
/** Indexes into the arena: of the first slice, of the next byte, of the end of the slice that is being filled. */
const FIRST = 1;
const NEXT = 2;
const END = 3;
/** Bytes of the slice that is being filled. */
const SIZE = 4;

const FIRST_SIZE = 8;
const LONGEST_SIZE = 4096;
/** A full slice ends with the index of the next one. */
const LINK = 4;

export function createPostingLists(): PostingListsBuilder {
  let arena = new Uint8Array(1 << 20);
  let used = 0;
  /** Bytes of all lists without the links between their slices. */
  let total = 0;
  let lists = new Uint32Array(FIELDS << 10);
  const packed = new Uint8Array(LONGEST_VARINT);

  function add(list: number, value: number): void {
    const at = list * FIELDS;
    if (at >= lists.length) lists = grownNumbers(lists, at + FIELDS);
    const last = lists[at + LAST] as number;
    const size = writeVarint(packed, 0, value + 1 - last);
    total += size;
    lists[at + LAST] = value + 1;
    if (last === 0) lists[at + FIRST] = beginSlice(at, FIRST_SIZE);
    for (let byte = 0; byte < size; byte++) {
      if (lists[at + NEXT] === lists[at + END]) extend(at);
      const place = lists[at + NEXT] as number;
      arena[place] = packed[byte] as number;
      lists[at + NEXT] = place + 1;
    }
  }

  function extend(at: number): void {
    const link = lists[at + END] as number;
    const slice = beginSlice(at, sizeAfter(lists[at + SIZE] as number));
    writeLink(arena, link, slice);
  }

  function beginSlice(at: number, size: number): number {
    const slice = used;
    used += size + LINK;
    arena = grownBytes(arena, used);
    lists[at + NEXT] = slice;
    lists[at + END] = slice + size;
    lists[at + SIZE] = size;
    return slice;
  }

  function lastOf(list: number): number {
    return (lists[list * FIELDS + LAST] ?? 0) - 1;
  }

  function finish(order: Iterable<number>): PostingLists {
    const bytes = new Uint8Array(total);
    const ends: number[] = [];
    let end = 0;
    for (const list of order) {
      if (lastOf(list) !== -1) end = copySlices({ arena, lists, at: list * FIELDS }, bytes, end);
      ends.push(end);
    }
    arena = new Uint8Array();
    return { ends: Uint32Array.from(ends), bytes };
  }

  return { add, lastOf, finish };
}

interface Chain {
  readonly arena: Uint8Array;
  readonly lists: Uint32Array;
  /** Index of the list's fields. */
  readonly at: number;
}

/** Returns the index after the last byte that is written. */
function copySlices({ arena, lists, at }: Chain, bytes: Uint8Array, from: number): number {
  const final = (lists[at + END] as number) - (lists[at + SIZE] as number);
  let to = from;
  let slice = lists[at + FIRST] as number;
  for (let size = FIRST_SIZE; slice !== final; size = sizeAfter(size)) {
    bytes.set(arena.subarray(slice, slice + size), to);
    to += size;
    slice = readLink(arena, slice + size);
  }
  const rest = arena.subarray(slice, lists[at + NEXT]);
  bytes.set(rest, to);
  return to + rest.length;
}

function sizeAfter(size: number): number {
  return Math.min(2 * size, LONGEST_SIZE);
}

function writeLink(arena: Uint8Array, at: number, slice: number): void {
  for (let byte = 0; byte < LINK; byte++) arena[at + byte] = slice >>> (8 * byte);
}

function readLink(arena: Uint8Array, at: number): number {
  let slice = 0;
  for (let byte = 0; byte < LINK; byte++) slice += (arena[at + byte] as number) * 2 ** (8 * byte);
  return slice;
}

/** The same array if it is long enough, else one twice as long, padded with zeros. */
export function grownBytes(array: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const longer = new Uint8Array(Math.max(length, 2 * array.length));
  longer.set(array);
  return longer;
}

function grownNumbers(array: Uint32Array<ArrayBuffer>, length: number): Uint32Array<ArrayBuffer> {
  if (length <= array.length) return array;
  const longer = new Uint32Array(Math.max(length, 2 * array.length));
  longer.set(array);
  return longer;
}
