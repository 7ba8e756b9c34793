/**
 * A lexicon: every distinct entry (a word, or a part of a text with other characters in it), and the events that contain it. Entries are
 * ordered by their length in code points. Texts are UTF-8, in which a substring of bytes is a substring of code points; a lone surrogate
 * is U+FFFD in entries and needles alike.
 */
import { alignerOf, codePointsOf, letterSet, lettersAllow } from '../calendar/text.ts';
import { type Bitmap, countUpTo, emptyBitmap, setBit } from './bitmaps.ts';

export interface Lexicon {
  /** All entries, concatenated. */
  readonly text: Uint8Array;
  /** The end of each entry in `text`. */
  readonly ends: Uint32Array;
  /** The entry's letters as a set: see `letterSet`. */
  readonly letters: Uint32Array;
  /** At n: the number of entries with at most n code points. The last value also counts all longer ones. */
  readonly lengths: Uint32Array;
  /** Twice the ordinal of each event that contains the entry, plus 1 if its titles and descriptions do not. */
  readonly events: PostingLists;
  /** Every three successive bytes of any entry, as a number, ascending. */
  readonly trigrams: Uint32Array;
  /** For each trigram the entries that contain it. */
  readonly trigramEntries: PostingLists;
}

/** The events that contain something, and those that contain it in titles and descriptions. */
export interface Hits {
  readonly anywhere: Bitmap;
  readonly inTexts: Bitmap;
}

export function noHits(events: number): Hits {
  return { anywhere: emptyBitmap(events), inTexts: emptyBitmap(events) };
}

/** Longer entries count as this long: no term is that long. */
export const LENGTHS = 320;

/** The result of a search and its scope. */
export interface Marks {
  readonly events: Bitmap;
  /** Whether only titles and descriptions count. */
  readonly textsOnly: boolean;
}

/** Marks the events of all entries that contain the needle. It needs three bytes or more: for shorter ones see search.ts. */
export function markContaining(lexicon: Lexicon, needle: Uint8Array, marks: Marks): void {
  const trigram = rarestTrigram(lexicon, needle);
  if (trigram === -1) return;
  const { text, ends } = lexicon;
  eachPosting(lexicon.trigramEntries, trigram, (entry) => {
    if (needle.length > 3 && !holds(text, startOf(ends, entry), ends[entry] as number, needle)) return;
    markEvents(lexicon, entry, marks);
  });
}

/** Marks the events of all entries within a distance of 1 or 2 of the word. */
export function markSimilar(lexicon: Lexicon, word: string, tolerance: 1 | 2, marks: Marks): void {
  const { text, ends, letters, lengths } = lexicon;
  const codePoints = codePointsOf(word);
  const set = letterSet(codePoints, 0, codePoints.length);
  const isWithin = alignerOf(codePoints, tolerance);
  for (let length = codePoints.length - tolerance; length <= codePoints.length + tolerance; length++) {
    const last = lengths[length] as number;
    for (let entry = lengths[length - 1] as number; entry < last; entry++) {
      if (!lettersAllow(set, letters[entry] as number, tolerance)) continue;
      const from = startOf(ends, entry);
      const to = ends[entry] as number;
      // As many bytes as code points: ASCII, which needs no decoding.
      const near =
        to - from === length ? isWithin(text, from, to) : isWithin(decode(text, from, to), 0, length);
      if (near) markEvents(lexicon, entry, marks);
    }
  }
}

/** Marks the events of one entry. */
function markEvents(lexicon: Lexicon, entry: number, { events, textsOnly }: Marks): void {
  eachPosting(lexicon.events, entry, (value) => {
    if (!textsOnly || (value & 1) === 0) setBit(events, value >> 1);
  });
}

/** Adds the events of one entry. */
export function addHits(lexicon: Lexicon, entry: number, { anywhere, inTexts }: Hits): void {
  eachPosting(lexicon.events, entry, (value) => {
    setBit(anywhere, value >> 1);
    if ((value & 1) === 0) setBit(inTexts, value >> 1);
  });
}

/** The byte at an index and the next two as a number. */
export function trigramAt(bytes: Uint8Array, at: number): number {
  return ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
}

/** Index of the needle's trigram that the fewest entries contain; -1 if one of them is in no entry. */
function rarestTrigram(lexicon: Lexicon, needle: Uint8Array): number {
  let rarest = -1;
  for (let at = 0; at + 3 <= needle.length; at++) {
    const trigram = placeOf(lexicon.trigrams, trigramAt(needle, at));
    if (trigram === -1) return -1;
    if (rarest === -1 || sizeOf(lexicon.trigramEntries, trigram) < sizeOf(lexicon.trigramEntries, rarest))
      rarest = trigram;
  }
  return rarest;
}

function placeOf(ascending: Uint32Array, value: number): number {
  const place = countUpTo(ascending, value) - 1;
  return ascending[place] === value ? place : -1;
}

function holds(text: Uint8Array, from: number, to: number, needle: Uint8Array): boolean {
  const first = needle[0];
  const last = to - needle.length;
  for (let start = from; start <= last; start++) {
    if (text[start] !== first) continue;
    let at = 1;
    while (at < needle.length && text[start + at] === needle[at]) at++;
    if (at === needle.length) return true;
  }
  return false;
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function decode(text: Uint8Array, from: number, to: number): readonly number[] {
  return codePointsOf(decoder.decode(text.subarray(from, to)));
}

/**
 * Posting lists: many ascending lists of whole numbers in one run of bytes, each number as its distance from the one before, less one, as
 * a varint (groups of seven bits, the lowest first).
 */
export interface PostingLists {
  /** The end of each list in `bytes`; it begins where the one before ends. */
  readonly ends: Uint32Array;
  readonly bytes: Uint8Array;
}

export function eachPosting(
  { ends, bytes }: PostingLists,
  list: number,
  visit: (value: number) => void,
): void {
  eachPostingIn(bytes, startOf(ends, list), ends[list] as number, visit);
}

/** Reads a single list, or the range of bytes that holds it. */
export function eachPostingIn(
  bytes: Uint8Array,
  from: number,
  to: number,
  visit: (value: number) => void,
): void {
  let value = -1;
  for (let at = from; at < to; ) {
    let byte = bytes[at++] as number;
    let distance = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++] as number;
      distance |= (byte & 0x7f) << shift;
    }
    value += distance + 1;
    visit(value);
  }
}

/** Writes a number that follows another in its list, and returns the index after it. At most five bytes. */
export function writeVarint(bytes: Uint8Array, at: number, distance: number): number {
  let rest = distance - 1;
  let place = at;
  for (; rest > 0x7f; rest >>>= 7) bytes[place++] = (rest & 0x7f) | 0x80;
  bytes[place++] = rest;
  return place;
}

export const LONGEST_VARINT = 5;

/** The beginning of a range, given the end of each. */
export function startOf(ends: Uint32Array, at: number): number {
  return at === 0 ? 0 : (ends[at - 1] as number);
}

/** Bytes of a list: about as many as it has entries. */
export function sizeOf({ ends }: PostingLists, list: number): number {
  return (ends[list] as number) - startOf(ends, list);
}
