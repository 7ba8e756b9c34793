/**
 * The search index (B10, search): lexicons of all distinct entries, with the events that contain each. *Words* are runs of letters and
 * digits; *parts* are runs of other characters than white space that are not only letters and digits. Texts are UTF-8, in which a substring
 * of bytes is a substring of code points; a lone surrogate is U+FFFD in entries and needles alike.
 */
import { alignerOf, codePointsOf, letterSet, lettersAllow } from '../calendar/text.ts';
import { type Bitmap, type Columns, countUpTo, setBit } from './columns.ts';

interface Lexicon {
  /** All entries, a line break after each. Neither entries nor needles have any, so no match reaches over two entries. */
  readonly text: Uint8Array;
  /** The end of each entry in `text`: the place of its line break. */
  readonly ends: Uint32Array;
  readonly eventsAt: Int32Array;
  /** Twice the ordinal of each event that contains the entry, plus 1 if its titles and descriptions do not. */
  readonly events: Int32Array;
}

/** Ordered by their length in code points, for the approximate step. */
interface Words extends Lexicon {
  /** The entry's letters as a set: see `letterSet`. */
  readonly letters: Uint32Array;
  /** At n: the number of entries with at most n code points. The last value also counts all longer ones. */
  readonly lengths: Uint32Array;
}

/** Longer entries count as this long: no term is that long. */
export const LENGTHS = 320;

export const SEPARATOR = 0x0a;

export interface Lexicons {
  readonly words: Words;
  readonly parts: Lexicon;
}

/** The columns that hold it. */
export type LexiconColumns = Pick<Columns, Extract<keyof Columns, `${'word' | 'part'}${string}`>>;

export function lexiconsOf(columns: LexiconColumns): Lexicons {
  return {
    words: {
      text: columns.wordText,
      ends: columns.wordEnds,
      eventsAt: columns.wordEventsAt,
      events: columns.wordEvents,
      letters: columns.wordLetters,
      lengths: columns.wordLengths,
    },
    parts: {
      text: columns.partText,
      ends: columns.partEnds,
      eventsAt: columns.partEventsAt,
      events: columns.partEvents,
    },
  };
}

/** The entries that contain the needle, which is not empty: the text is scanned, as that of all words is short. */
export function* entriesContaining({ text, ends }: Lexicon, needle: Uint8Array): Generator<number> {
  const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
  for (let at = bytes.indexOf(needle); at !== -1; ) {
    const entry = countUpTo(ends, at);
    yield entry;
    at = bytes.indexOf(needle, ends[entry] as number);
  }
}

/** The entries within a distance of 1 or 2 of the word. */
export function* entriesSimilar(words: Words, word: string, tolerance: 1 | 2): Generator<number> {
  const { text, ends, letters, lengths } = words;
  const codePoints = codePointsOf(word);
  const set = letterSet(codePoints, 0, codePoints.length);
  const isWithin = alignerOf(codePoints, tolerance);
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

/** The result of a search and its scope. */
interface Marks {
  readonly events: Bitmap;
  /** Whether only titles and descriptions count. */
  readonly textsOnly: boolean;
}

/** Marks the events of one entry; returns their number. */
export function markEvents(lexicon: Lexicon, entry: number, { events, textsOnly }: Marks): number {
  const first = lexicon.eventsAt[entry] as number;
  const end = lexicon.eventsAt[entry + 1] as number;
  for (let index = first; index < end; index++) {
    const value = lexicon.events[index] as number;
    if (!textsOnly || (value & 1) === 0) setBit(events, value >> 1);
  }
  return end - first;
}
