/** Which entries hold each short needle that has a set of its own. */
import { isUtf8 } from 'node:buffer';
import { isWord } from '../../src/calendar/search.ts';
import type { Lexicon } from '../../src/snapshot/lexicon.ts';
import { eachOf, startOf, weightOf } from '../../src/snapshot/packed-lists.ts';
import { codeWith, needleOf, shortCode } from '../../src/snapshot/short-needles.ts';

/** Entries by the needle's code, ascending. */
export type Holders = ReadonlyMap<number, readonly number[]>;

/** Needles of letters and digits are held by words, all others by parts. */
export function holdersInWords(words: Lexicon, events: number): Holders {
  return holdersIn(words, events, () => true);
}

export function holdersInParts(parts: Lexicon, events: number): Holders {
  return holdersIn(parts, events, (needle) => !isWord(needle));
}

function holdersIn(lexicon: Lexicon, events: number, isWanted: (needle: string) => boolean): Holders {
  const holders = new Map<number, number[]>();
  const unwanted = new Set<number>();
  const hold = (entry: number, code: number): void => {
    const known = holders.get(code);
    if (known !== undefined) {
      if (known.at(-1) !== entry) known.push(entry);
    } else if (!unwanted.has(code)) {
      const needle = needleOf(code);
      // Bytes that are not whole letters are not what a term can be.
      if (isUtf8(needle) && isWanted(Buffer.from(needle).toString())) holders.set(code, [entry]);
      else unwanted.add(code);
    }
  };
  for (const [entry, end] of lexicon.ends.entries()) {
    let before = 0;
    for (let at = startOf(lexicon.ends, entry); at < end; at++) {
      const byte = lexicon.text[at] as number;
      if (before !== 0) hold(entry, codeWith(before, byte));
      before = codeWith(0, byte);
      hold(entry, before);
    }
  }
  for (const [place, trigram] of lexicon.trigrams.entries()) {
    if (!isCostly(lexicon, place, events)) continue;
    const code = shortCode([trigram >> 16, (trigram >> 8) & 0xff, trigram & 0xff]);
    eachOf(lexicon.holders, place, (entry) => hold(entry, code));
  }
  return holders;
}

/** Whether following the lists of all its entries takes longer than going through all events. */
function isCostly({ holders, events: lists }: Lexicon, trigram: number, events: number): boolean {
  let weight = 0;
  eachOf(holders, trigram, (entry) => {
    weight += weightOf(lists, entry);
  });
  return weight > events;
}
