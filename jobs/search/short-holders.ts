/** Which entries hold each short needle that has a set of its own. */
import { isUtf8 } from 'node:buffer';
import { isWord } from '../../src/calendar/search.ts';
import type { Lexicon } from '../../src/snapshot/lexicon.ts';
import { eachOf, type PackedLists, startOf, weightOf } from '../../src/snapshot/packed-lists.ts';
import { codeWith, needleOf, shortCode } from '../../src/snapshot/short-needles.ts';
import { createLists } from './ascending-lists.ts';

/** By the needle's code: where the list of its entries is. */
export type Holders = ReadonlyMap<number, { readonly lists: PackedLists; readonly list: number }>;

/** Needles of letters and digits are held by words, all others by parts. */
export function holdersInWords(words: Lexicon, events: number): Holders {
  return holdersIn(words, events, () => true);
}

export function holdersInParts(parts: Lexicon, events: number): Holders {
  return holdersIn(parts, events, (needle) => !isWord(needle));
}

function holdersIn(lexicon: Lexicon, events: number, isWanted: (needle: string) => boolean): Holders {
  const isTerm = (code: number): boolean => {
    const needle = needleOf(code);
    // Bytes that are not whole letters are not what a term can be.
    return isUtf8(needle) && isWanted(Buffer.from(needle).toString());
  };
  const { codes, lists } = listShort(lexicon);
  const places = codes.map((code, list) => [code, { lists, list }] as const);
  const trigrams = Array.from(lexicon.trigrams, (trigram, list) => {
    const code = shortCode([trigram >> 16, (trigram >> 8) & 0xff, trigram & 0xff]);
    return [code, { lists: lexicon.holders, list }] as const;
  });
  const costly = trigrams.filter(([_, { list }]) => isCostly(lexicon, list, events));
  return new Map([...places, ...costly].filter(([code]) => isTerm(code)));
}

/** Lists of the entries that hold one or two bytes, and which code each list belongs to. */
function listShort({ text, ends }: Lexicon): {
  readonly codes: readonly number[];
  readonly lists: PackedLists;
} {
  const listOf = new Map<number, number>();
  const lists = createLists();
  const hold = (entry: number, code: number): void => {
    const list = listOf.get(code) ?? listOf.size;
    if (list === listOf.size) listOf.set(code, list);
    if (lists.lastOf(list) !== entry) lists.add(list, entry);
  };
  for (let entry = 0; entry < ends.length; entry++) {
    let before = 0;
    for (let at = startOf(ends, entry); at < (ends[entry] as number); at++) {
      const byte = text[at] as number;
      if (before !== 0) hold(entry, codeWith(before, byte));
      before = codeWith(0, byte);
      hold(entry, before);
    }
  }
  return { codes: [...listOf.keys()], lists: lists.finish(listOf.values()) };
}

/** Whether following the lists of all its entries takes longer than going through all events. */
function isCostly({ holders, events: lists }: Lexicon, trigram: number, events: number): boolean {
  let weight = 0;
  eachOf(holders, trigram, (entry) => {
    weight += weightOf(lists, entry);
  });
  return weight > events;
}
