/**
 * The search index of a calendar (B10). From the top down: what is indexed and where, how words are found in texts, and how a lexicon's
 * entries and their events are collected, event by event (`src/snapshot/lexicon.ts`).
 */
import { detached, shownText } from '../src/calendar/display-text.ts';
import { codePointsOf, letterSet } from '../src/calendar/edit-distance.ts';
import type { EventFields } from '../src/calendar/model.ts';
import { isWord, partsOf, wordsOf } from '../src/calendar/search-term.ts';
import { fold } from '../src/calendar/text.ts';
import { freeColumns } from '../src/snapshot/columns.ts';
import { type LexiconColumns, LONGEST_ENTRY, SEPARATOR } from '../src/snapshot/lexicon.ts';
import type { Calendar, CalendarEvent } from './calendar.ts';
import { columnPairs, groupByKey, type ShortLists } from './short-lists.ts';

export interface SearchIndexer {
  /** An event's number is how many were taken before it. `venues`: the ordinals of its dates' venues. */
  readonly take: (record: Written, event: Placed, venues: readonly number[]) => void;
  /** Called once, after all events, with each number's ordinal, or -1 for an event that is left out. */
  readonly finish: (ordinals: Int32Array) => LexiconColumns;
}

type Written = Pick<EventFields, 'title_nb' | 'title_en' | 'desc_nb' | 'desc_en' | 'tags'>;
type Placed = Pick<CalendarEvent, 'organizers' | 'categories' | 'ownCategories'>;

type Named = Pick<Calendar, 'venues' | 'organizers' | 'categories'>;

export function createSearchIndexer({ venues, organizers, categories }: Named): SearchIndexer {
  const words = createLexiconBuilder();
  const parts = createLexiconBuilder();
  const tokensOf = createTokenizer(words, parts);
  const labels = categories.map(({ name_nb, name_en, name_nn }) =>
    [name_nb, name_en, name_nn ?? ''].join('\n'),
  );
  let count = 0;

  function add(text: string, event: number, place: Place): void {
    for (const between of partsOf(text)) {
      const tokens = tokensOf(between);
      if (typeof tokens === 'number') words.add(tokens, event, place);
      else for (const token of tokens) addToken(token, event, place);
    }
  }

  function addToken(token: Token, event: number, place: Place): void {
    for (const word of token.words) words.add(word, event, place);
    if (token.part !== null) parts.add(token.part, event, place);
  }

  function take(record: Written, event: Placed, venuesOf: readonly number[]): void {
    const number = count++;
    const descriptions = [record.desc_nb, record.desc_en].map((markup) => markup && shownText(markup));
    for (const text of [record.title_nb, record.title_en, ...descriptions]) add(text ?? '', number, IN_TEXTS);
    const further = [
      ...record.tags,
      ...venuesOf.map((venue) => venues[venue]?.name ?? ''),
      ...event.organizers.map((organizer) => organizers[organizer]?.name ?? ''),
      ...event.categories.slice(0, event.ownCategories).map((category) => labels[category] ?? ''),
    ];
    for (const text of further) add(text, number, ELSEWHERE);
  }

  function finish(ordinals: Int32Array): LexiconColumns {
    const numbers = inOrder(ordinals);
    const ofWords = words.finish(numbers);
    const ofParts = parts.finish(numbers);
    return {
      wordText: ofWords.text,
      wordEnds: ofWords.ends,
      wordLetters: ofWords.letters,
      wordLengths: ofWords.lengths,
      partText: ofParts.text,
      partEnds: ofParts.ends,
      ...columnPairs({ wordEvents: ofWords.events, partEvents: ofParts.events }),
    };
  }

  return { take, finish };
}

/** Where a word stands: in titles and descriptions, or elsewhere, in texts that the approximate step of a search ignores. */
const IN_TEXTS = 0;
const ELSEWHERE = 1;
type Place = typeof IN_TEXTS | typeof ELSEWHERE;

/** The text between two blanks, as entries: its words, and the whole of it where that is more than one word. */
interface Token {
  readonly words: readonly number[];
  readonly part: number | null;
}

/** Mostly one word: its entry alone. Lists with one list of one number each make indexing a tenth slower. */
type Tokens = number | readonly Token[];

/** Texts whose tokens are remembered: nearly each one has occurred before, and folding takes long. */
const MOST_TOKENS = 1 << 16;

/**
 * Creates the function that finds the entries of a text between two blanks, in both lexicons. There is one token, unless a sign in it folds
 * into white space.
 */
function createTokenizer(words: LexiconBuilder, parts: LexiconBuilder): (text: string) => Tokens {
  const tokensByText = new Map<string, Tokens>();
  const tokenOf = (part: string): Token =>
    isWord(part)
      ? { words: [words.entryOf(part)], part: null }
      : { words: wordsOf(part).map(words.entryOf), part: parts.entryOf(part) };
  return (text) => {
    const remembered = tokensByText.get(text);
    if (remembered !== undefined) return remembered;
    const found = simplified(partsOf(fold(text)).map(tokenOf));
    if (tokensByText.size === MOST_TOKENS) tokensByText.clear();
    tokensByText.set(detached(text), found);
    return found;
  };
}

function simplified(tokens: readonly Token[]): Tokens {
  const [token, anotherToken] = tokens;
  if (token === undefined || anotherToken !== undefined || token.part !== null) return tokens;
  const [word, anotherWord] = token.words;
  return word === undefined || anotherWord !== undefined ? tokens : word;
}

interface LexiconBuilder {
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

function createLexiconBuilder(): LexiconBuilder {
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

/** The numbers of the events that are kept, by their ordinals. */
function inOrder(ordinals: Int32Array): Int32Array {
  const numbers = new Int32Array(ordinals.filter((ordinal) => ordinal !== -1).length);
  for (const [number, ordinal] of ordinals.entries()) if (ordinal !== -1) numbers[ordinal] = number;
  return numbers;
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
