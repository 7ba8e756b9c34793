/** The search index of a calendar (B10): what is indexed and where, and how words are found in texts. */
import { detached, shownText } from '../../src/calendar/display-text.ts';
import type { EventFields } from '../../src/calendar/model.ts';
import { isWord, partsOf, wordsOf } from '../../src/calendar/search-term.ts';
import { fold } from '../../src/calendar/text.ts';
import type { LexiconColumns } from '../../src/snapshot/lexicon.ts';
import type { Calendar, CalendarEvent } from '../calendar.ts';
import {
  createLexiconBuilder,
  ELSEWHERE,
  IN_TEXTS,
  type LexiconBuilder,
  type Place,
} from './lexicon-builder.ts';
import { columnPairs } from './short-lists.ts';

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

/** The numbers of the events that are kept, by their ordinals. */
function inOrder(ordinals: Int32Array): Int32Array {
  const numbers = new Int32Array(ordinals.filter((ordinal) => ordinal !== -1).length);
  for (const [number, ordinal] of ordinals.entries()) if (ordinal !== -1) numbers[ordinal] = number;
  return numbers;
}
