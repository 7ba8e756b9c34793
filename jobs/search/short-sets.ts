/** Which events hold each short needle: worked out from the lexicons, a needle at a time. */

import { holdEvents, holdingNothing, type Lexicon } from '../../src/snapshot/lexicon.ts';
import { eachOf } from '../../src/snapshot/packed-lists.ts';
import { type EventSet, packHolding } from '../../src/snapshot/short-needles.ts';
import { holdersInParts, holdersInWords } from './short-holders.ts';

export interface ShortSet extends EventSet {
  readonly code: number;
}

export interface ShortSource {
  readonly words: Lexicon;
  readonly parts: Lexicon;
  /** How many events there are. */
  readonly events: number;
}

/** By code, ascending. */
export function* shortSets({ words, parts, events }: ShortSource): Generator<ShortSet> {
  const sources = [
    { lexicon: words, holders: holdersInWords(words, events) },
    { lexicon: parts, holders: holdersInParts(parts, events) },
  ];
  const codes = new Set(sources.flatMap(({ holders }) => [...holders.keys()]));
  const held = holdingNothing(events);
  for (const code of [...codes].sort((left, right) => left - right)) {
    held.anywhere.fill(0);
    held.inTexts.fill(0);
    for (const { lexicon, holders } of sources) {
      const found = holders.get(code);
      if (found !== undefined) eachOf(found.lists, found.list, (entry) => holdEvents(lexicon, entry, held));
    }
    const set = packHolding(held);
    if (set !== undefined) yield { code, ...set };
  }
}
