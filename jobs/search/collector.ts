/** Takes texts apart into entries of the two lexicons. */
import { isWord, partsOf, wordsOf } from '../../src/calendar/search.ts';
import { fold } from '../../src/calendar/text.ts';
import type { Lexicon } from '../../src/snapshot/lexicon.ts';
import { createLexiconBuilder } from './lexicon-builder.ts';
import { rememberPieces } from './pieces.ts';

export interface Collector {
  /** Events come in ascending order, and the titles and descriptions of each before what is elsewhere. */
  readonly add: (text: string, event: number, elsewhere: boolean) => void;
  readonly finish: () => { readonly words: Lexicon; readonly parts: Lexicon };
}

/** Entries of a piece that is more than one word. */
interface Compound {
  readonly words: readonly number[];
  readonly parts: readonly number[];
}

export function createCollector(): Collector {
  const words = createLexiconBuilder();
  const parts = createLexiconBuilder();
  const compounds: Compound[] = [];
  /** By folded piece. */
  const compoundOf = new Map<string, number>();

  /** An entry among the words, or the complement of a place among the compounds. */
  function entriesOf(piece: string): number {
    // Folding does not reach over white space, so that each piece can be folded by itself.
    const folded = fold(piece);
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

  const eachPiece = rememberPieces(entriesOf);

  function add(text: string, event: number, elsewhere: boolean): void {
    eachPiece(text, (known) => {
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

/** A copy of its own: a slice may be a view that keeps the whole text in memory. */
function detached(slice: string): string {
  return Buffer.from(slice).toString();
}
