/** Collects a lexicon's entries and their events, event by event, and the results for short needles. */
import { isUtf8 } from 'node:buffer';
import { codePointsOf, isWord, letterSet } from '../../src/calendar/text.ts';
import {
  addHits,
  eachPosting,
  LENGTHS,
  type Lexicon,
  LONGEST_VARINT,
  noHits,
  type PostingLists,
  sizeOf,
  startOf,
  trigramAt,
  writeVarint,
} from '../../src/snapshot/lexicon.ts';
import { type EventSet, encodeHits, keyWith, needleKey, needleOf } from '../../src/snapshot/search.ts';

interface LexiconBuilder {
  /** The entry's number; a new entry gets a new one. */
  readonly entryOf: (text: string) => number;
  /** Events come in ascending order of their numbers; of several calls for one event the first counts. */
  readonly add: (entry: number, event: number, elsewhere: boolean) => void;
  /** Called once, with each number's ordinal, or -1 for an event that is left out. */
  readonly finish: (ordinals: Int32Array) => Lexicon;
}

export function createLexiconBuilder(): LexiconBuilder {
  const entries = new Map<string, number>();
  const events = createPostingLists();

  function entryOf(text: string): number {
    const known = entries.get(text);
    if (known !== undefined) return known;
    const entry = entries.size;
    entries.set(text, entry);
    return entry;
  }

  function add(entry: number, event: number, elsewhere: boolean): void {
    if (events.lastOf(entry) >> 1 === event) return;
    events.add(entry, 2 * event + (elsewhere ? 1 : 0));
  }

  function finish(ordinals: Int32Array): Lexicon {
    const lists = renumbered(events.finish(entries.values()), ordinals);
    const found = [...entries].filter(([_, entry]) => lists.lastOf(entry) !== -1);
    const { texts, lengths } = sorted(found.map(([text]) => text));
    const { text, ends, letters } = joined(texts);
    return {
      text,
      ends,
      letters,
      lengths,
      events: lists.finish(texts.map(entryOf)),
      ...trigramsOf(text, ends),
    };
  }

  return { entryOf, add, finish };
}

/** The same lists by ordinals. */
function renumbered(numbers: PostingLists, ordinals: Int32Array): PostingListsBuilder {
  const lists = createPostingLists();
  const values = new Int32Array(ordinals.length);
  for (const list of numbers.ends.keys()) {
    let size = 0;
    eachPosting(numbers, list, (value) => {
      const ordinal = ordinals[value >> 1] ?? -1;
      if (ordinal !== -1) values[size++] = 2 * ordinal + (value & 1);
    });
    for (const value of values.subarray(0, size).sort()) lists.add(list, value);
  }
  return lists;
}

/** By length in code points, then by UTF-16 units: within a length any fixed order would do (G5). */
function sorted(texts: readonly string[]): Pick<Lexicon, 'lengths'> & { readonly texts: readonly string[] } {
  const byLength = Array.from({ length: LENGTHS }, (): string[] => []);
  for (const text of texts) byLength[Math.min(lengthOf(text), LENGTHS - 1)]?.push(text);
  let count = 0;
  const lengths = Uint32Array.from(byLength, (group) => (count += group.length));
  return { texts: byLength.flatMap((group) => group.sort()), lengths };
}

const ASCII = /^[\0-\x7f]*$/;

function lengthOf(text: string): number {
  return ASCII.test(text) ? text.length : codePointsOf(text).length;
}

function joined(texts: readonly string[]): Pick<Lexicon, 'text' | 'ends' | 'letters'> {
  const ends = new Uint32Array(texts.length);
  const letters = new Uint32Array(texts.length);
  let text = new Uint8Array(1 << 20);
  let end = 0;
  for (const [place, entry] of texts.entries()) {
    const start = end;
    // A UTF-16 unit takes at most three bytes.
    text = grownBytes(text, start + 3 * entry.length);
    end += encoder.encodeInto(entry, text.subarray(start)).written;
    ends[place] = end;
    // As many bytes as units: ASCII, whose bytes are its code points.
    const codePoints = end - start === entry.length ? text.subarray(start, end) : codePointsOf(entry);
    letters[place] = letterSet(codePoints, 0, codePoints.length);
  }
  return { text: text.slice(0, end), ends, letters };
}

const encoder = new TextEncoder();

function trigramsOf(text: Uint8Array, ends: Uint32Array): Pick<Lexicon, 'trigrams' | 'trigramEntries'> {
  const places = new Map<number, number>();
  const trigramEntries = createPostingLists();
  for (let entry = 0; entry < ends.length; entry++) {
    const last = (ends[entry] as number) - 3;
    for (let at = startOf(ends, entry); at <= last; at++) {
      const trigram = trigramAt(text, at);
      const place = places.get(trigram) ?? places.size;
      if (place === places.size) places.set(trigram, place);
      if (trigramEntries.lastOf(place) !== entry) trigramEntries.add(place, entry);
    }
  }
  const trigrams = Uint32Array.from(places.keys()).sort();
  return {
    trigrams,
    trigramEntries: trigramEntries.finish(Array.from(trigrams, (trigram) => places.get(trigram) ?? -1)),
  };
}

interface ShortSet extends EventSet {
  readonly key: number;
}

/** The rows of an index, in the form in which they are inserted. */
export interface IndexRows {
  readonly parts: readonly (readonly [column: string, bytes: Uint8Array])[];
  readonly short: readonly ShortSet[];
}

interface Lexicons {
  readonly words: Lexicon;
  readonly parts: Lexicon;
}

/** The events that contain each short needle, by its key, ascending. */
export function* shortSets({ words, parts }: Lexicons, events: number): Generator<ShortSet> {
  const sources = [
    // Needles of letters and digits are in words, all others in parts.
    { lexicon: words, postings: postingsIn(words, events, () => true) },
    { lexicon: parts, postings: postingsIn(parts, events, (needle) => !isWord(needle)) },
  ];
  const keys = new Set(sources.flatMap(({ postings }) => [...postings.keys()]));
  const held = noHits(events);
  for (const key of [...keys].sort((left, right) => left - right)) {
    held.anywhere.fill(0);
    held.inTexts.fill(0);
    for (const { lexicon, postings } of sources) {
      const found = postings.get(key);
      if (found !== undefined) eachPosting(found.lists, found.list, (entry) => addHits(lexicon, entry, held));
    }
    const set = encodeHits(held);
    if (set !== undefined) yield { key, ...set };
  }
}

/** By the needle's key: where the list of its entries is. */
type NeedlePostings = ReadonlyMap<number, { readonly lists: PostingLists; readonly list: number }>;

function postingsIn(lexicon: Lexicon, events: number, isWanted: (needle: string) => boolean): NeedlePostings {
  const isTerm = (key: number): boolean => {
    const needle = needleOf(key);
    // A term cannot contain bytes of incomplete characters.
    return isUtf8(needle) && isWanted(Buffer.from(needle).toString());
  };
  const { keys, lists } = listShort(lexicon);
  const places = keys.map((key, list) => [key, { lists, list }] as const);
  const trigrams = Array.from(lexicon.trigrams, (trigram, list) => {
    const key = needleKey([trigram >> 16, (trigram >> 8) & 0xff, trigram & 0xff]);
    return [key, { lists: lexicon.trigramEntries, list }] as const;
  });
  const costly = trigrams.filter(([_, { list }]) => isCostly(lexicon, list, events));
  return new Map([...places, ...costly].filter(([key]) => isTerm(key)));
}

/** Lists of the entries that contain one or two bytes, and the key of each list. */
function listShort({ text, ends }: Lexicon): {
  readonly keys: readonly number[];
  readonly lists: PostingLists;
} {
  const listOf = new Map<number, number>();
  const lists = createPostingLists();
  const hold = (entry: number, key: number): void => {
    const list = listOf.get(key) ?? listOf.size;
    if (list === listOf.size) listOf.set(key, list);
    if (lists.lastOf(list) !== entry) lists.add(list, entry);
  };
  for (let entry = 0; entry < ends.length; entry++) {
    let before = 0;
    for (let at = startOf(ends, entry); at < (ends[entry] as number); at++) {
      const byte = text[at] as number;
      if (before !== 0) hold(entry, keyWith(before, byte));
      before = keyWith(0, byte);
      hold(entry, before);
    }
  }
  return { keys: [...listOf.keys()], lists: lists.finish(listOf.values()) };
}

/** Whether following the lists of all its entries takes longer than testing every event. */
function isCostly({ trigramEntries, events: lists }: Lexicon, trigram: number, events: number): boolean {
  let weight = 0;
  eachPosting(trigramEntries, trigram, (entry) => {
    weight += sizeOf(lists, entry);
  });
  return weight > events;
}

/**
 * Ascending lists that grow in parallel, packed as they grow: each is a chain of slices in one arena, every slice twice as long as the
 * one before.
 */
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
function grownBytes(array: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
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
