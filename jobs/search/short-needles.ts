/** Which events hold each short needle: worked out from the lexicons, a needle at a time. */
import { isUtf8 } from 'node:buffer';
import { isWord } from '../../src/calendar/text.ts';
import {
  addHits,
  eachPosting,
  type Lexicon,
  noHits,
  type PostingLists,
  sizeOf,
  startOf,
} from '../../src/snapshot/lexicon.ts';
import { type EventSet, encodeHits, keyWith, needleKey, needleOf } from '../../src/snapshot/search.ts';
import { createPostingLists } from './posting-list-builder.ts';

interface ShortSet extends EventSet {
  readonly key: number;
}

interface ShortSource {
  readonly words: Lexicon;
  readonly parts: Lexicon;
  /** How many events there are. */
  readonly events: number;
}

/** By key, ascending. */
export function* shortSets({ words, parts, events }: ShortSource): Generator<ShortSet> {
  const sources = [
    { lexicon: words, postings: postingsInWords(words, events) },
    { lexicon: parts, postings: postingsInParts(parts, events) },
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

/** Needles of letters and digits are held by words, all others by parts. */
function postingsInWords(words: Lexicon, events: number): NeedlePostings {
  return postingsIn(words, events, () => true);
}

function postingsInParts(parts: Lexicon, events: number): NeedlePostings {
  return postingsIn(parts, events, (needle) => !isWord(needle));
}

function postingsIn(lexicon: Lexicon, events: number, isWanted: (needle: string) => boolean): NeedlePostings {
  const isTerm = (key: number): boolean => {
    const needle = needleOf(key);
    // Bytes that are not whole letters are not what a term can be.
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

/** Lists of the entries that hold one or two bytes, and which key each list belongs to. */
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

/** Whether following the lists of all its entries takes longer than going through all events. */
function isCostly({ trigramEntries, events: lists }: Lexicon, trigram: number, events: number): boolean {
  let weight = 0;
  eachPosting(trigramEntries, trigram, (entry) => {
    weight += sizeOf(lists, entry);
  });
  return weight > events;
}
