/** Collects the entries of a lexicon of the search index and the events that have them, event by event (`src/snapshot/lexicon.ts`). */
import { detached } from '../../src/calendar/display-text.ts';
import { codePointsOf, letterSet } from '../../src/calendar/edit-distance.ts';
import { freeColumns } from '../../src/snapshot/columns.ts';
import { LONGEST_ENTRY, SEPARATOR } from '../../src/snapshot/lexicon.ts';
import { groupByKey, type ShortLists } from './short-lists.ts';

/** Where a word stands: in titles and descriptions, or elsewhere, in texts that the approximate step of a search ignores. */
export const IN_TEXTS = 0;
export const ELSEWHERE = 1;
export type Place = typeof IN_TEXTS | typeof ELSEWHERE;

export interface LexiconBuilder {
  /** The entry's number; a new entry gets a new one. */
  readonly entryOf: (text: string) => number;
  /** Events come in ascending order of their numbers; of several calls for one event the first counts. */
  readonly add: (entry: number, event: number, place: Place) => void;
  /** Called once. `numbers`: those of the events that are kept, in the order of their ordinals. */
  readonly finish: (numbers: Int32Array) => Lexicon;
}

/** The entries that events have, ordered as `sorted` orders them. */
interface Lexicon extends JoinedTexts {
  readonly lengths: Uint32Array<ArrayBuffer>;
  /** For each entry, twice the ordinal of each event that contains it, plus its `Place`; ascending. */
  readonly events: ShortLists;
}

export function createLexiconBuilder(): LexiconBuilder {
  const entries = new Map<string, number>();
  /** By entry: the number of the event that it was last added for. */
  const latest: number[] = [];
  const postings = createPostings();

  function entryOf(text: string): number {
    const existing = entries.get(text);
    if (existing !== undefined) return existing;
    const entry = entries.size;
    entries.set(detached(text), entry);
    latest.push(-1);
    return entry;
  }

  function add(entry: number, event: number, place: Place): void {
    if (latest[entry] === event) return;
    latest[entry] = event;
    postings.add(event, 2 * entry + place);
  }

  function finish(numbers: Int32Array): Lexicon {
    const isUsed = new Uint8Array(entries.size);
    postings.each(numbers, (_, posting) => {
      isUsed[posting >> 1] = 1;
    });
    const used = [...entries.keys()].filter((_, entry) => isUsed[entry] === 1);
    const { texts, lengths } = sorted(used);
    const rank = new Int32Array(entries.size);
    for (const [index, text] of texts.entries()) rank[entryOf(text)] = index;
    const events = groupByKey(texts.length, (take) => {
      postings.each(numbers, (ordinal, posting) =>
        take(rank[posting >> 1] as number, 2 * ordinal + (posting & 1)),
      );
    });
    postings.free();
    return { ...joined(texts), lengths, events };
  }

  return { entryOf, add, finish };
}

/** Postings of a piece. */
const PIECE = 1 << 16;

/** All postings in one run of numbers, event after event: a nation has 30 million of them. In pieces, so that none is copied as they grow. */
function createPostings() {
  const pieces: Int32Array[] = [];
  let piece = new Int32Array(0);
  let count = 0;
  /** By event: where its postings begin. */
  const begins: number[] = [];

  function add(event: number, posting: number): void {
    while (begins.length <= event) begins.push(count);
    const index = count++ % PIECE;
    if (index === 0) {
      piece = new Int32Array(PIECE);
      pieces.push(piece);
    }
    piece[index] = posting;
  }

  /** Calls back with each posting of these events, and with the place of its event. */
  function each(events: Int32Array, visit: (ordinal: number, posting: number) => void): void {
    for (const [ordinal, event] of events.entries()) {
      const end = begins[event + 1] ?? count;
      for (let index = begins[event] ?? count; index < end; index++) {
        const values = pieces[Math.floor(index / PIECE)] as Int32Array;
        visit(ordinal, values[index % PIECE] as number);
      }
    }
  }

  return { add, each, free: () => freeColumns(pieces) };
}

/**
 * By length in code points, then by UTF-16 units: within a length any fixed order would do (G5). `lengths` has at n the number of texts
 * with at most n code points.
 */
function sorted(texts: readonly string[]) {
  const byLength = Array.from({ length: LONGEST_ENTRY }, (): string[] => []);
  for (const text of texts) byLength[Math.min(lengthOf(text), LONGEST_ENTRY - 1)]?.push(text);
  const lengths = new Uint32Array(LONGEST_ENTRY);
  let count = 0;
  for (const [length, ofLength] of byLength.entries()) {
    count += ofLength.length;
    lengths[length] = count;
  }
  return { texts: byLength.flatMap((ofLength) => ofLength.sort()), lengths };
}

const ASCII = /^[\0-\x7f]*$/;

function lengthOf(text: string): number {
  return ASCII.test(text) ? text.length : codePointsOf(text).length;
}

interface JoinedTexts {
  /** All texts in UTF-8, each followed by a separator. */
  readonly text: Uint8Array<ArrayBuffer>;
  /** Where each text ends. */
  readonly ends: Uint32Array<ArrayBuffer>;
  /** The set of letters of each, as bits. */
  readonly letters: Uint32Array<ArrayBuffer>;
}

function joined(texts: readonly string[]): JoinedTexts {
  const ends = new Uint32Array(texts.length);
  const letters = new Uint32Array(texts.length);
  // A UTF-16 unit takes at most three bytes.
  const text = new Uint8Array(texts.reduce((sum, { length }) => sum + 3 * length + 1, 0));
  let end = 0;
  for (const [index, entry] of texts.entries()) {
    const start = end;
    end += encoder.encodeInto(entry, text.subarray(start)).written;
    ends[index] = end;
    const codePoints = codePointsOf(entry);
    letters[index] = letterSet(codePoints, 0, codePoints.length);
    text[end++] = SEPARATOR;
  }
  return { text: text.slice(0, end), ends, letters };
}

const encoder = new TextEncoder();
