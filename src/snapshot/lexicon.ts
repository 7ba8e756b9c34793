/**
 * The search index (B10): lexicons of all distinct entries, with the events that contain each. *Words* are runs of letters and digits;
 * *parts* are runs of other characters than white space that are not only letters and digits. Texts are UTF-8, in which a substring of
 * bytes is a substring of code points; a lone surrogate is U+FFFD in entries and needles alike.
 */
import { codePointsOf, createIsWithin, letterSet, lettersAllow } from '../calendar/edit-distance.ts';
import { type Bitmap, countUpTo, emptyBitmap, setBit, unite } from './bitmaps.ts';
import type { Columns } from './columns.ts';

/** Code points. Longer entries count as this long, because no search term is that long. */
export const LONGEST_ENTRY = 320;

export const SEPARATOR = 0x0a;

/** The columns of both lexicons; `columns.ts` describes each. Words are ordered by their length in code points, for the approximate step. */
export type LexiconColumns = Pick<Columns, Extract<keyof Columns, `${Lexicon}${string}`>>;

/** A lexicon, by the beginning of its columns' names. */
export type Lexicon = 'word' | 'part';

/** The entries that contain the needle, which is not empty: the text is scanned, as that of all words is short. */
export function* entriesContaining(
  columns: LexiconColumns,
  lexicon: Lexicon,
  needle: Uint8Array,
): Generator<number> {
  const text = columns[`${lexicon}Text`];
  const ends = columns[`${lexicon}Ends`];
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  for (let at = bytes.indexOf(needle); at !== -1; ) {
    const entry = countUpTo(ends, at);
    yield entry;
    at = bytes.indexOf(needle, ends[entry] as number);
  }
}

/** The words within a distance of 1 or 2 of the word. */
export function* entriesSimilar(
  { wordText: text, wordEnds: ends, wordLetters: letters, wordLengths: lengths }: LexiconColumns,
  word: string,
  tolerance: 1 | 2,
): Generator<number> {
  const codePoints = codePointsOf(word);
  const set = letterSet(codePoints, 0, codePoints.length);
  const isWithin = createIsWithin(codePoints, tolerance);
  for (let length = codePoints.length - tolerance; length <= codePoints.length + tolerance; length++) {
    const last = lengths[length] as number;
    for (let entry = lengths[length - 1] as number; entry < last; entry++) {
      if (!lettersAllow(set, letters[entry] as number, tolerance)) continue;
      const from = entry === 0 ? 0 : (ends[entry - 1] as number) + 1;
      const to = ends[entry] as number;
      // As many bytes as code points: ASCII, which needs no decoding.
      const isNear =
        to - from === length ? isWithin(text, from, to) : isWithin(decode(text, from, to), 0, length);
      if (isNear) yield entry;
    }
  }
}

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

function decode(text: Uint8Array, from: number, to: number): readonly number[] {
  return codePointsOf(decoder.decode(text.subarray(from, to)));
}

/** The entry of a lexicon, the set that its events are added to, and whether only titles and descriptions count. */
interface Marked {
  readonly lexicon: Lexicon;
  readonly entry: number;
  readonly events: Bitmap;
  readonly textsOnly: boolean;
}

/** An entry is dense if at least one event in 16 contains it. */
const DENSE = 16;

/** Marks the events of one entry, and returns the cost as a number of events. */
export type Mark = (marked: Marked) => number;

/**
 * Entries with very many events are marked once: from then on, 32 events at a time. A list has four bytes for each of at least count / 16
 * events, and a set has count / 8 bytes: at most half of the list, or as much as the list where `textsOnly` has a set of its own.
 */
export function createMarker(columns: LexiconColumns, count: number): Mark {
  const dense = { word: new Map<number, Bitmap>(), part: new Map<number, Bitmap>() };
  return (marked) => {
    const { lexicon, entry, events, textsOnly } = marked;
    const length = lengthOf(columns, marked);
    if (length * DENSE < count) {
      markEvents(columns, marked);
      return length;
    }
    const key = 2 * entry + (textsOnly ? 1 : 0);
    let set = dense[lexicon].get(key);
    if (set === undefined) {
      set = emptyBitmap(count);
      markEvents(columns, { ...marked, events: set });
      dense[lexicon].set(key, set);
    }
    unite(events, set);
    return set.length;
  };
}

function lengthOf(columns: LexiconColumns, { lexicon, entry }: Pick<Marked, 'lexicon' | 'entry'>): number {
  const at = columns[`${lexicon}EventsAt`];
  return (at[entry + 1] as number) - (at[entry] as number);
}

function markEvents(columns: LexiconColumns, { lexicon, entry, events, textsOnly }: Marked): void {
  const at = columns[`${lexicon}EventsAt`];
  const values = columns[`${lexicon}Events`];
  const end = at[entry + 1] as number;
  for (let index = at[entry] as number; index < end; index++) {
    const value = values[index] as number;
    if (!textsOnly || (value & 1) === 0) setBit(events, value >> 1);
  }
}
