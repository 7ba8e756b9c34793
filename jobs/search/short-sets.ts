/** Which events hold each short needle: worked out from the lexicons, a needle at a time. */

import { addEvents, setEvent } from '../../src/snapshot/event-bits.ts';
import type { Lexicon } from '../../src/snapshot/lexicon.ts';
import { eachOf, weightOf } from '../../src/snapshot/packed-lists.ts';
import {
  type EventSet,
  type Holding,
  holdingNothing,
  packHolding,
} from '../../src/snapshot/short-needles.ts';
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
    { holders: holdersInWords(words, events), hold: holdingIn(words, events) },
    { holders: holdersInParts(parts, events), hold: holdingIn(parts, events) },
  ];
  const codes = new Set(sources.flatMap(({ holders }) => [...holders.keys()]));
  const held = holdingNothing(events);
  for (const code of [...codes].sort((left, right) => left - right)) {
    held.anywhere.fill(0);
    held.inTexts.fill(0);
    for (const { holders, hold } of sources) {
      const found = holders.get(code);
      if (found !== undefined) eachOf(found.lists, found.list, (entry) => hold(entry, held));
    }
    const set = packHolding(held);
    if (set !== undefined) yield { code, ...set };
  }
}

/** Entries in more than one event of so many are kept as bits: joining those is quicker than following their list again. */
const OFTEN = 32;

/** Sets the bits of the events that hold an entry. */
function holdingIn(lexicon: Lexicon, events: number): (entry: number, held: Holding) => void {
  const often = new Map<number, Holding>();
  return (entry, held) => {
    if (weightOf(lexicon.events, entry) * OFTEN < events) return follow(lexicon, entry, held);
    const known = often.get(entry) ?? holdingNothing(events);
    if (!often.has(entry)) follow(lexicon, entry, known);
    often.set(entry, known);
    addEvents(held.anywhere, known.anywhere);
    addEvents(held.inTexts, known.inTexts);
  };
}

function follow(lexicon: Lexicon, entry: number, { anywhere, inTexts }: Holding): void {
  eachOf(lexicon.events, entry, (value) => {
    setEvent(anywhere, value >> 1);
    if ((value & 1) === 0) setEvent(inTexts, value >> 1);
  });
}
