/**
 * The search index of a calendar (B10). Computing it takes a sixth of a build's time, so a thread does it while records are read, unless
 * the calendar is small. The rows are the same. At the top is what is indexed and where, below how words are found in texts.
 */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { EventFields } from '../src/calendar/model.ts';
import { fold, isWord, partsOf, shownText, wordsOf } from '../src/calendar/text.ts';
import { programPath } from '../src/package.ts';
import type { Lexicon } from '../src/snapshot/lexicon.ts';
import { columnsOf, INSERT_PART, INSERT_SHORT, PART, SEARCH_TABLES } from '../src/snapshot/search.ts';
import type { Writer } from '../src/snapshot/sqlite.ts';
import type { Calendar, CalendarEvent } from './records.ts';
import { createLexiconBuilder, type IndexRows, shortSets } from './search/lexicon-builder.ts';

export interface SearchIndexer {
  /** An event's number is how many were taken before it. `venues`: the ordinals of its dates' venues. */
  readonly take: (record: Written, event: Placed, venues: readonly number[]) => Promise<void>;
  /** Called once, after all events, with each number's ordinal, or -1 for an event that is left out. The work goes on meanwhile. */
  readonly finish: (ordinals: Int32Array) => Promise<IndexRows>;
  readonly close: () => Promise<void>;
}

type Written = Pick<EventFields, 'title_nb' | 'title_en' | 'desc_nb' | 'desc_en' | 'tags'>;
type Placed = Pick<CalendarEvent, 'organizers' | 'categories' | 'ownCategories'>;

/** The lists that ordinals refer to. */
type Named = Pick<Calendar, 'venues' | 'organizers' | 'categories'>;

/** UTF-16 units of texts from which a thread is worth its start, which takes 40 ms: those of 2,000 events. */
const MANY = 2_000_000;
/** Of the texts in one message. */
const MESSAGE = 200_000;
/** Node's threads cannot load TypeScript: run from its sources, a build indexes in its own thread. */
const HAS_THREAD = !import.meta.url.endsWith('.ts');

export function createSearchIndexer(named: Named): SearchIndexer {
  const textsOf = textsBy(named);
  let index: Indexing | null = null;
  let waiting: SearchedTexts[] = [];
  let units = 0;
  const taken = (): readonly SearchedTexts[] => {
    const all = waiting;
    waiting = [];
    units = 0;
    return all;
  };
  return {
    async take(...event) {
      const texts = textsOf(...event);
      waiting.push(texts);
      for (const text of texts) units += text.length;
      if (units < (index === null ? MANY : MESSAGE)) return;
      index ??= HAS_THREAD ? indexBeside() : indexHere();
      await index.take(taken());
    },
    finish(ordinals) {
      index ??= indexHere();
      const rows = Promise.all([index.take(taken()), index.finish(ordinals)]).then(([_, all]) => all);
      // Writing the rows gets the error; this avoids an unhandled rejection.
      rows.catch(() => undefined);
      return rows;
    },
    close: async () => index?.close(),
  };
}

/** Further texts are names of venues and organizers, and labels of the event's own categories. */
function textsBy({ venues, organizers, categories }: Named) {
  const labels = categories.map(({ name_nb, name_en }) => `${name_nb}\n${name_en}`);
  return (record: Written, event: Placed, venuesOf: readonly number[]): SearchedTexts => {
    const further = [
      ...record.tags,
      ...venuesOf.map((venue) => venues[venue]?.name ?? ''),
      ...event.organizers.map((organizer) => organizers[organizer]?.name ?? ''),
      ...event.categories.slice(0, event.ownCategories).map((category) => labels[category] ?? ''),
    ];
    const titles = `${record.title_nb ?? ''}\n${record.title_en ?? ''}`;
    return [titles, record.desc_nb ?? '', record.desc_en ?? '', further.join('\n')];
  };
}

/** Of one event. The further ones are ignored by the approximate step. No word reaches over the lines of a text. */
type SearchedTexts = readonly [titles: string, desc_nb: string, desc_en: string, further: string];

/** An index in this thread or in another. */
interface Indexing {
  readonly take: (events: readonly SearchedTexts[]) => Promise<void>;
  readonly finish: (ordinals: Int32Array) => Promise<IndexRows>;
  readonly close: () => Promise<void>;
}

function indexHere(): Indexing {
  const index = createIndex();
  return {
    take: async (events) => index.take(events),
    finish: async (ordinals) => index.finish(ordinals),
    close: async () => undefined,
  };
}

/** Messages to the thread: some events, and the ordinals after the last; and its answer to each. */
export type ToThread = readonly SearchedTexts[] | Int32Array;
export type FromThread = IndexRows | null;

/** How many messages may be unanswered: texts that wait take memory. */
const AHEAD = 8;

function indexBeside(): Indexing {
  // Texts are short-lived: V8's 48 MB for such take 15 MB more, and no less time.
  const limits = { maxYoungGenerationSizeMb: 4 };
  const thread = new Worker(programPath('jobs/search/thread'), { resourceLimits: limits });
  const answers = on(thread, 'message', { close: ['exit'] });
  let unanswered = 0;
  const answer = async (): Promise<FromThread> => {
    const { value, done } = await answers.next();
    if (done === true) throw new Error('expected an index of the texts, found its thread ended');
    unanswered--;
    return value[0];
  };
  const send = (message: ToThread): void => {
    thread.postMessage(message);
    unanswered++;
  };
  return {
    async take(events) {
      send(events);
      if (unanswered > AHEAD) await answer();
    },
    async finish(ordinals) {
      send(ordinals);
      for (let rows = await answer(); ; rows = await answer()) if (rows !== null) return rows;
    },
    async close() {
      await thread.terminate();
    },
  };
}

export async function writeIndex(writer: Writer, { parts, short }: IndexRows): Promise<void> {
  await writer.exec(SEARCH_TABLES);
  for (const [column, bytes] of parts) {
    // An empty column has a part, too: the reader expects every column.
    for (let at = 0; at === 0 || at < bytes.length; at += PART) {
      await writer.run(INSERT_PART, [column, at / PART, bytes.subarray(at, at + PART)]);
    }
  }
  for (const { key, encoding, bytes } of short) await writer.run(INSERT_SHORT, [key, encoding, bytes]);
}

/** Events come in the order of their numbers; see SearchIndexer. */
export function createIndex() {
  const collector = createCollector();
  let count = 0;

  function take(events: readonly SearchedTexts[]): void {
    for (const [titles, desc_nb, desc_en, further] of events) {
      const event = count++;
      collector.add(titles, event, false);
      for (const text of [desc_nb, desc_en]) collector.add(shownText(text), event, false);
      collector.add(further, event, true);
    }
  }

  function finish(ordinals: Int32Array): IndexRows {
    const { words, parts } = collector.finish(ordinals);
    const events = ordinals.filter((ordinal) => ordinal !== -1).length;
    return {
      parts: [...columnsOf('words', words), ...columnsOf('parts', parts)],
      short: [...shortSets({ words, parts }, events)],
    };
  }

  return { take, finish };
}

/** Splits texts into entries of the two lexicons. */
interface Collector {
  /** Events come in ascending order, and the titles and descriptions of each before its other texts. */
  readonly add: (text: string, event: number, elsewhere: boolean) => void;
  readonly finish: (ordinals: Int32Array) => { readonly words: Lexicon; readonly parts: Lexicon };
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

  return {
    add,
    finish: (ordinals) => ({ words: words.finish(ordinals), parts: parts.finish(ordinals) }),
  };
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

/** Remembers the result for each token of text: nearly every token has occurred before. Bounded: a full table is replaced by an empty one. */
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
