/** The search index of a calendar (B10, search). At the top is what is indexed and where, below how words are found in texts. */
import type { EventFields } from '../src/calendar/model.ts';
import { fold, isWord, partsOf, shownText, wordsOf } from '../src/calendar/text.ts';
import type { LexiconColumns } from '../src/snapshot/lexicon.ts';
import type { Calendar, CalendarEvent } from './records.ts';
import { createLexiconBuilder } from './search/lexicon-builder.ts';

export interface SearchIndexer {
  /** An event's number is how many were taken before it. `venues`: the ordinals of its dates' venues. */
  readonly take: (record: Written, event: Placed, venues: readonly number[]) => void;
  /** Called once, after all events, with each number's ordinal, or -1 for an event that is left out. */
  readonly finish: (ordinals: Int32Array) => LexiconColumns;
}

type Written = Pick<EventFields, 'title_nb' | 'title_en' | 'desc_nb' | 'desc_en' | 'tags'>;
type Placed = Pick<CalendarEvent, 'organizers' | 'categories' | 'ownCategories'>;

/** The lists that ordinals refer to. */
type Named = Pick<Calendar, 'venues' | 'organizers' | 'categories'>;

export function createSearchIndexer({ venues, organizers, categories }: Named): SearchIndexer {
  const collector = createCollector();
  const labels = categories.map(({ name_nb, name_en }) => `${name_nb}\n${name_en}`);
  let count = 0;

  function take(record: Written, event: Placed, venuesOf: readonly number[]): void {
    const number = count++;
    const own = [record.title_nb, record.title_en, ...[record.desc_nb, record.desc_en].map(shownOrNull)];
    for (const text of own) if (text !== null) collector.add(text, number, false);
    // What the approximate step ignores: tags, names of venues and organizers, labels of the event's own categories.
    const further = [
      ...record.tags,
      ...venuesOf.map((venue) => venues[venue]?.name ?? ''),
      ...event.organizers.map((organizer) => organizers[organizer]?.name ?? ''),
      ...event.categories.slice(0, event.ownCategories).map((category) => labels[category] ?? ''),
    ];
    for (const text of further) collector.add(text, number, true);
  }

  return { take, finish: collector.finish };
}

function shownOrNull(markup: string | null): string | null {
  return markup === null ? null : shownText(markup);
}

/** Splits texts into entries of the two lexicons. */
interface Collector {
  /** Events come in ascending order, and the titles and descriptions of each before its other texts. */
  readonly add: (text: string, event: number, elsewhere: boolean) => void;
  readonly finish: SearchIndexer['finish'];
}

/** Entries of a token that is more than one word. */
interface Compound {
  readonly words: readonly number[];
  readonly parts: readonly number[];
}

function createCollector(): Collector {
  const words = createLexiconBuilder();
  const parts = createLexiconBuilder();
  const compounds: Compound[] = [];
  /** By folded token. */
  const compoundOf = new Map<string, number>();

  /** An entry among the words, or the complement of an index into the compounds. */
  function entriesOf(token: string): number {
    // Folding never crosses white space, so each token can be folded by itself.
    const folded = fold(token);
    if (isWord(folded)) return words.entryOf(detached(folded));
    const known = compoundOf.get(folded);
    if (known !== undefined) return ~known;
    const text = detached(folded);
    const found = partsOf(text);
    compoundOf.set(text, compounds.length);
    const compound = {
      words: found.flatMap(wordsOf).map(words.entryOf),
      parts: found.filter((part) => !isWord(part)).map(parts.entryOf),
    };
    return ~(compounds.push(compound) - 1);
  }

  const eachToken = rememberTokens(entriesOf);

  function add(text: string, event: number, elsewhere: boolean): void {
    eachToken(text, (known) => {
      if (known >= 0) words.add(known, event, elsewhere);
      else addCompound(compounds[~known] as Compound, event, elsewhere);
    });
  }

  function addCompound(compound: Compound, event: number, elsewhere: boolean): void {
    for (const word of compound.words) words.add(word, event, elsewhere);
    for (const part of compound.parts) parts.add(part, event, elsewhere);
  }

  function finish(ordinals: Int32Array): LexiconColumns {
    const ofWords = words.finish(ordinals);
    const ofParts = parts.finish(ordinals);
    return {
      wordText: ofWords.text,
      wordEnds: ofWords.ends,
      wordLetters: ofWords.letters,
      wordLengths: ofWords.lengths,
      wordEventsAt: ofWords.events.at,
      wordEvents: ofWords.events.values,
      partText: ofParts.text,
      partEnds: ofParts.ends,
      partEventsAt: ofParts.events.at,
      partEvents: ofParts.events.values,
    };
  }

  return { add, finish };
}

/** A copy: a slice may be a view that holds the whole text in memory. */
function detached(slice: string): string {
  return Buffer.from(slice).toString();
}

/** Calls back with a number for each token between white space, in order; `workOut` computes the number of a new token. */
type EachToken = (text: string, visit: (known: number) => void) => void;

/** Tokens that are remembered at most. */
const MOST_TOKENS = 1 << 17;
/** UTF-16 units; longer tokens are computed each time. */
const LONGEST = 26;

/**
 * Remembers the result for each token of text: nearly every token has occurred before. Bounded: a full table is replaced by an empty one.
 */
export function rememberTokens(workOut: (token: string) => number): EachToken {
  let known = new Map<string, number>();

  function find(token: string): number {
    const before = known.get(token);
    if (before !== undefined) return before;
    const found = workOut(token);
    if (known.size === MOST_TOKENS) known = new Map();
    if (token.length <= LONGEST) known.set(detached(token), found);
    return found;
  }

  return (text, visit) => {
    for (const token of text.match(TOKENS) ?? []) visit(find(token));
  };
}

/** Between the common white space. Any other is still found when the token is folded and split. */
const TOKENS = /[^ \t-\r\xa0]+/g;
