/** The known name that is nearest to an unknown one, for messages: "expected a setting; the nearest is …". */
import { codePointsOf, createIsWithin, letterSet, lettersAllow } from './edit-distance.ts';
import { wordsOf } from './search-term.ts';
import { nameKey } from './text.ts';

/**
 * Finds the thing that a word probably means: one that has this name, that has it except for typing errors, or that has the word in a name.
 * Null if no name is like it.
 */
export type FindNearest<Thing extends string | object> = (word: string) => Thing | null;

/** The names are prepared at the first use. */
export function createNearest<Thing extends string | object>(
  things: Iterable<Thing>,
  namesOf: (thing: Thing) => readonly string[],
): FindNearest<Thing> {
  let names: Names<Thing> | undefined;
  return (word) => {
    const key = nameKey(word.slice(0, LONGEST_NAME + 1));
    if (key === '' || key.length > LONGEST_NAME) return null;
    names ??= prepareNames(things, namesOf);
    return names.byKey.get(key) ?? mistyped(key, names.all) ?? names.byWord.get(key) ?? null;
  };
}

/** The expected value, with the nearest known one. */
export function withNearest(expected: string, nearest: string | null): string {
  return nearest === null ? expected : `${expected}; the nearest is ${JSON.stringify(nearest)}`;
}

/** The parts of a text that `withNearest` made: `nearest` is quoted, and empty if there is none. */
export function partsOfNearest(text: string): { readonly expected: string; readonly nearest: string } {
  const [expected = '', nearest = ''] = text.split(BEFORE_NEAREST);
  return { expected, nearest };
}

const BEFORE_NEAREST = /; the nearest is (?=".{0,200}"$)/;

/** Characters; a longer word is not a mistyped name. */
const LONGEST_NAME = 100;
/** Names that are compared letter by letter, each up to MOST_ERRORS times; in a longer list, typing errors are not found. */
const MOST_COMPARED = 15_000;
/** Errors that a mistyped name may have; at most one for every three letters. */
const MOST_ERRORS = 3;

interface Name<Thing> {
  readonly letters: readonly number[];
  /** See `letterSet`. */
  readonly set: number;
  readonly thing: Thing;
}

interface Names<Thing> {
  readonly all: readonly Name<Thing>[];
  /** The first thing with each name. */
  readonly byKey: ReadonlyMap<string, Thing>;
  /** The first thing that has each word in a name. */
  readonly byWord: ReadonlyMap<string, Thing>;
}

function prepareNames<Thing>(
  things: Iterable<Thing>,
  namesOf: (thing: Thing) => readonly string[],
): Names<Thing> {
  const all: Name<Thing>[] = [];
  const byKey = new Map<string, Thing>();
  const byWord = new Map<string, Thing>();
  for (const thing of things) {
    for (const key of namesOf(thing).map(nameKey)) {
      const letters = codePointsOf(key);
      all.push({ letters, set: letterSet(letters, 0, letters.length), thing });
      if (!byKey.has(key)) byKey.set(key, thing);
      for (const word of wordsOf(key)) if (!byWord.has(word)) byWord.set(word, thing);
    }
  }
  return { all, byKey, byWord };
}

/** The thing with the first of the names that have the fewest errors. */
function mistyped<Thing>(key: string, names: readonly Name<Thing>[]): Thing | undefined {
  const letters = codePointsOf(key);
  const set = letterSet(letters, 0, letters.length);
  const most = names.length > MOST_COMPARED ? 0 : Math.min(MOST_ERRORS, letters.length / 3);
  for (let errors = 1; errors <= most; errors++) {
    const isWithin = createIsWithin(letters, errors);
    const nearest = names.find(
      (name) => lettersAllow(set, name.set, errors) && isWithin(name.letters, 0, name.letters.length),
    );
    if (nearest !== undefined) return nearest.thing;
  }
  return undefined;
}
