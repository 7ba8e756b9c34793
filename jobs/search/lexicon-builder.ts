/** Collects a lexicon's entries and their events, event by event, and the results for short needles. */
import { isUtf8 } from 'node:buffer';
import { codePointsOf, isWord, letterSet } from '../../src/calendar/text.ts';
import {
  addHits,
  eachPosting,
  LENGTHS,
  type Lexicon,
  noHits,
  type PostingLists,
  sizeOf,
  startOf,
  trigramAt,
} from '../../src/snapshot/lexicon.ts';
import { type EventSet, encodeHits, keyWith, needleKey, needleOf } from '../../src/snapshot/search.ts';
import { createPostingLists, grownBytes } from './posting-list-builder.ts';

interface LexiconBuilder {
  /** The entry's number; a new entry gets a new one. */
  readonly entryOf: (text: string) => number;
  /** Events come in ascending order; of several calls for one event the first counts. */
  readonly add: (entry: number, event: number, elsewhere: boolean) => void;
  readonly finish: () => Lexicon;
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

  function finish(): Lexicon {
    const { texts, lengths } = sorted([...entries.keys()]);
    const { text, ends, letters } = joined(texts);
    return {
      text,
      ends,
      letters,
      lengths,
      events: events.finish(texts.map(entryOf)),
      ...trigramsOf(text, ends),
      frequent: new Map(),
    };
  }

  return { entryOf, add, finish };
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

export interface ShortSet extends EventSet {
  readonly key: number;
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
