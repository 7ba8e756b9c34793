/**
 * The search index of a calendar (B10). Computing it takes a sixth of a build's time, so a thread does it while the rows are written,
 * unless the calendar is small. The rows are the same. At the top is what is indexed and where, below how words are found in texts.
 */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import { fold, isWord, partsOf, shownText, wordsOf } from '../src/calendar/text.ts';
import { programPath } from '../src/package.ts';
import type { Lexicon } from '../src/snapshot/lexicon.ts';
import { columnsOf, INSERT_PART, INSERT_SHORT, PART, SEARCH_TABLES } from '../src/snapshot/search.ts';
import type { Writer } from '../src/snapshot/sqlite.ts';
import type { Calendar } from './records.ts';
import { createLexiconBuilder, type ShortSet, shortSets } from './search/lexicon-builder.ts';
import type { EventRow } from './write/tables.ts';

interface SearchIndexer {
  /** A JSON list of so many rows of `event`; all come in the order of their ordinals, one list at a time. */
  readonly take: (json: Buffer, count: number) => Promise<void>;
  /** Called once, after all events. */
  readonly write: (writer: Writer) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Events from which a thread is worth its start, which takes 40 ms. */
const MANY = 2_000;
/** Node's threads cannot load TypeScript: run from its sources, a build indexes in its own thread. */
const HAS_THREAD = !import.meta.url.endsWith('.ts');

export function createSearchIndexer(calendar: Calendar): SearchIndexer {
  const index = HAS_THREAD && calendar.events.length >= MANY ? indexBeside() : indexHere();
  const namesOf = namesIn(calendar);
  let taken = 0;
  return {
    take: (json, count) => index.take({ json, names: Array.from({ length: count }, () => namesOf(taken++)) }),
    write: async (writer) => writeRows(writer, await index.finish()),
    close: index.close,
  };
}

type NamesOf = (event: number) => readonly string[];

/** Venues of the event's occurrences, organizers, and labels of its own categories. */
function namesIn({ venues, organizers, categories, events, occurrences }: Calendar): NamesOf {
  const venuesOf = events.map((): number[] => []);
  for (const [row, venue] of occurrences.venue.entries()) {
    const known = venuesOf[occurrences.event[row] ?? -1];
    if (venue !== -1 && known?.includes(venue) === false) known.push(venue);
  }
  const labels = categories.map(({ name_nb, name_en }) => `${name_nb}\n${name_en}`);
  return (ordinal) => {
    const event = events[ordinal];
    return [
      ...(venuesOf[ordinal] ?? []).map((venue) => venues[venue]?.name ?? ''),
      ...(event?.organizers ?? []).map((organizer) => organizers[organizer]?.name ?? ''),
      ...(event?.categories.slice(0, event.ownCategories) ?? []).map((category) => labels[category] ?? ''),
    ];
  };
}

/** An index in this thread or in another. */
interface Indexing {
  readonly take: (events: SearchedEvents) => Promise<void>;
  readonly finish: () => Promise<IndexRows>;
  readonly close: () => Promise<void>;
}

function indexHere(): Indexing {
  const index = createIndex();
  return {
    take: async (events) => index.take(events),
    finish: async () => index.finish(),
    close: async () => undefined,
  };
}

/** Messages to the thread: some events, and null after the last; and its answer to each. */
export type ToThread = SearchedEvents | null;
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
  const send = async (message: ToThread): Promise<void> => {
    if (unanswered === AHEAD) await answer();
    thread.postMessage(message);
    unanswered++;
  };
  return {
    take: send,
    async finish() {
      await send(null);
      for (let rows = await answer(); ; rows = await answer()) if (rows !== null) return rows;
    },
    async close() {
      await thread.terminate();
    },
  };
}

async function writeRows(writer: Writer, { parts, short }: IndexRows): Promise<void> {
  await writer.exec(SEARCH_TABLES);
  for (const [column, bytes] of parts) {
    // An empty column has a part, too: the reader expects every column.
    for (let at = 0; at === 0 || at < bytes.length; at += PART) {
      await writer.run(INSERT_PART, [column, at / PART, bytes.subarray(at, at + PART)]);
    }
  }
  for (const { key, encoding, bytes } of short) await writer.run(INSERT_SHORT, [key, encoding, bytes]);
}

/** Events by their ordinals, without gaps. */
interface SearchedEvents {
  /** A list of their rows of `event`. The thread parses it, so that the writing one need not. */
  readonly json: Uint8Array;
  /** Of each, further names to find it by, which the approximate step ignores. */
  readonly names: readonly (readonly string[])[];
}

/** In the form in which they are inserted. */
interface IndexRows {
  readonly parts: readonly (readonly [column: string, bytes: Uint8Array])[];
  readonly short: readonly ShortSet[];
}

interface Index {
  /** Events come in the order of their ordinals. */
  readonly take: (events: SearchedEvents) => void;
  /** Called once, after all events. */
  readonly finish: () => IndexRows;
}

export function createIndex(): Index {
  const collector = createCollector();
  let events = 0;

  function take({ json, names }: SearchedEvents): void {
    const rows: readonly EventRow[] = JSON.parse(
      Buffer.from(json.buffer, json.byteOffset, json.length).toString(),
    );
    for (const [place, row] of rows.entries()) {
      const event = events++;
      const tags: readonly string[] = JSON.parse(row.tags);
      for (const text of [row.title_nb, row.title_en]) collector.add(text ?? '', event, false);
      for (const text of [row.desc_nb, row.desc_en]) collector.add(shownText(text ?? ''), event, false);
      for (const text of [...tags, ...(names[place] ?? [])]) collector.add(text, event, true);
    }
  }

  function finish(): IndexRows {
    const { words, parts } = collector.finish();
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
  readonly finish: () => { readonly words: Lexicon; readonly parts: Lexicon };
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

  return { add, finish: () => ({ words: words.finish(), parts: parts.finish() }) };
}

/** A copy: a slice may be a view that holds the whole text in memory. */
function detached(slice: string): string {
  return Buffer.from(slice).toString();
}

/** Calls back with a number for each token between white space, in order; `workOut` computes the number of a new token. */
type EachToken = (text: string, visit: (known: number) => void) => void;

/** Tokens that are remembered: few at first, because most calendars are small, and at most 16 MB of them. */
const FEWEST_SLOTS = 1 << 12;
const MOST_SLOTS = 1 << 18;
/** A table that is half full is replaced by an empty one of so many times its size. */
const GROWTH = 4;
/** A slot is 64 bytes, one cache line: hash, length, known, and the token's UTF-16 units. */
const FIELDS = 16;
const HASH = 0;
const LENGTH = 1;
const KNOWN = 2;
const UNITS = 3;
/** Longer tokens are computed each time. */
const LONGEST = 2 * (FIELDS - UNITS);
/** A token may be in its own slot or in one of the next. */
const REACH = 4;

const SPACE = 0x20;
const NO_BREAK_SPACE = 0xa0;

/**
 * Remembers the result for each token of text, and finds it without making a string: nearly every token has occurred before, and a build
 * of the index spends its time here. Bounded: a full table is replaced by an empty one.
 */
export function rememberTokens(workOut: (token: string) => number): EachToken {
  let size = FEWEST_SLOTS;
  let taken = 0;
  let slots = new Int32Array((size + REACH) * FIELDS);
  let slotUnits = new Uint16Array(slots.buffer);
  const unitsOf = createUnits();
  let units = unitsOf('');

  function find(text: string, from: number, to: number, hash: number): number {
    const length = to - from;
    if (length > LONGEST) return workOut(text.slice(from, to));
    const own = (hash ^ (hash >>> 15)) & (size - 1);
    for (let slot = own * FIELDS; slot < (own + REACH) * FIELDS; slot += FIELDS) {
      if (slots[slot + LENGTH] === 0) return put(slot, text.slice(from, to), hash);
      const isLike = slots[slot + HASH] === hash && slots[slot + LENGTH] === length;
      if (isLike && isAt(slot, from, length)) return slots[slot + KNOWN] as number;
    }
    return put((own + (hash & (REACH - 1))) * FIELDS, text.slice(from, to), hash);
  }

  function isAt(slot: number, from: number, length: number): boolean {
    const first = 2 * (slot + UNITS);
    for (let at = 0; at < length; at++) if (slotUnits[first + at] !== units[from + at]) return false;
    return true;
  }

  function put(slot: number, token: string, hash: number): number {
    const known = workOut(token);
    taken++;
    slots[slot + HASH] = hash;
    slots[slot + LENGTH] = token.length;
    slots[slot + KNOWN] = known;
    for (let at = 0; at < token.length; at++) slotUnits[2 * (slot + UNITS) + at] = token.charCodeAt(at);
    return known;
  }

  function grow(): void {
    size *= GROWTH;
    taken = 0;
    slots = new Int32Array((size + REACH) * FIELDS);
    slotUnits = new Uint16Array(slots.buffer);
  }

  return (text, visit) => {
    if (taken > size / 2 && size < MOST_SLOTS) grow();
    units = unitsOf(text);
    let from = 0;
    let hash = 0;
    for (let at = 0; at <= text.length; at++) {
      const unit = at < text.length ? (units[at] as number) : SPACE;
      if (!isSpace(unit)) {
        hash = Math.imul(hash ^ unit, 0x01000193);
        continue;
      }
      if (at > from) visit(find(text, from, at, hash));
      from = at + 1;
      hash = 0;
    }
  };
}

/** A text as units, valid until the next call: a string may be a tree of others, which is slow to read. */
function createUnits(): (text: string) => Uint16Array {
  let units = new Uint16Array(1 << 15);
  let bytes = Buffer.from(units.buffer);
  return (text) => {
    if (text.length > units.length) {
      units = new Uint16Array(2 * text.length);
      bytes = Buffer.from(units.buffer);
    }
    bytes.write(text, 'utf16le');
    return units;
  };
}

/** The common ones. Any other is still found when the token is folded and split. */
function isSpace(unit: number): boolean {
  return unit === SPACE || (unit >= 0x09 && unit <= 0x0d) || unit === NO_BREAK_SPACE;
}
