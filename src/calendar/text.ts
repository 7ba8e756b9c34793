/** Text for search (B10), slugs and Norwegian lists. Pure functions of strings; build and server share them. */
import { decodeHTML } from 'entities/decode';

/**
 * Folds text for comparison (B10): compatibility decomposition, no combining marks, lower case, and plain letters for those that do not
 * decompose (`Økland` and `okland` become the same).
 */
export function fold(text: string): string {
  if (PLAIN.test(text)) return text.toLowerCase();
  // Marks are also removed first: normalising sorts long runs of them, in quadratic time.
  return text
    .replace(COMBINING, '')
    .normalize('NFKD')
    .replace(COMBINING, '')
    .toLowerCase()
    .replace(SPECIAL, (letter) => LETTERS[letter] ?? letter);
}

/** ASCII only needs lower case; most text is ASCII, and this is several times cheaper. */
const PLAIN = /^[\0-\x7f]*$/;
const COMBINING = /\p{M}+/gu;
const SPECIAL = /[æøåðþđłßœ]/g;
const LETTERS: Readonly<Record<string, string>> = {
  æ: 'ae',
  ø: 'o',
  å: 'a',
  ð: 'd',
  þ: 'th',
  đ: 'd',
  ł: 'l',
  ß: 'ss',
  œ: 'oe',
};

/** The form in which names and addresses are compared: folded, one blank between words. */
export function nameKey(text: string): string {
  return fold(text).replace(/\s+/g, ' ').trim();
}

/** G12: characters of a title, or of the name of something. */
export const MOST_IN_NAME = 300;
/** G12: characters of a description, markup included. */
export const MOST_IN_DESCRIPTION = 20_000;

/** Characters of a slug (G8). */
export const LONGEST_SLUG = 80;

/** The description of a slug, for reports. */
export const SLUG_FORM = `at most ${LONGEST_SLUG} characters of a-z, 0-9 and "-"`;
const SLUG = /^[a-z0-9-]{1,80}$/;

/** G8: the source's slug if it is valid, else one made from it. May be empty. */
export function readSlug(text: string): string {
  return SLUG.test(text) ? text : slugOf(text);
}

/**
 * A URL path segment made from a title: folded, with a hyphen for each run of characters other than a–z and 0–9, cut to LONGEST_SLUG. May
 * be empty.
 */
export function slugOf(text: string): string {
  return fold(text)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, LONGEST_SLUG)
    .replace(/-$/, '');
}

const norwegian = new Intl.Collator('nb');

/** Norwegian alphabetical order (æ ø å last). For equal names see `byNameThenId`. */
export function compareNorwegian(left: string, right: string): number {
  return norwegian.compare(left, right);
}

/** Order by code point, which is also the order of the UTF-8 bytes. `<` compares UTF-16 units and differs above U+FFFF. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const a = left.charCodeAt(at);
    const b = right.charCodeAt(at);
    if (a !== b) return aboveSurrogates(a) - aboveSurrogates(b);
  }
  return left.length - right.length;
}

/** Orders surrogates (U+10000 and up) after U+E000–U+FFFF. */
function aboveSurrogates(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** C1: entities with the same number of hits stand in Norwegian alphabetical order of their name, then by id. */
export function byNameThenId(left: Named, right: Named): number {
  return compareNorwegian(left.name, right.name) || compareCodePoints(left.id, right.id);
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Code points of a term, without blanks at its ends; the rest is cut off. */
export const LONGEST_TERM = 256;

/**
 * `parts` stand between white space; if there are none, the condition is not given. `words` are runs of letters and digits, for the approximate
 * step. Each is there once.
 */
export function readTerm(text: string) {
  // A code point is at most two units, so that only the beginning of a long term is split.
  const letters = [...text.trim().slice(0, 2 * LONGEST_TERM)].slice(0, LONGEST_TERM);
  const folded = fold(letters.join(''));
  return { parts: [...new Set(partsOf(folded))], words: [...new Set(wordsOf(folded))] };
}

/** No part of a term contains white space, so a literal match always lies within one part of a text. */
export function partsOf(folded: string): readonly string[] {
  return folded.split(WHITE_SPACE).filter((part) => part !== '');
}

export function wordsOf(folded: string): readonly string[] {
  return folded.match(WORDS) ?? [];
}

/** Whether a part is exactly one word. A text that contains it then has it within a single word. */
export function isWord(part: string): boolean {
  return WORD.test(part);
}

const WHITE_SPACE = /\s+/;
const WORDS = /[\p{L}\p{N}]+/gu;
const WORD = /^[\p{L}\p{N}]+$/u;

/** Typing errors that are allowed in a word of this many letters; null: it must match literally. */
export function toleranceOf(letters: number): 1 | 2 | null {
  if (letters < 3) return null;
  return letters < 6 ? 1 : 2;
}

/** Code points; functions that take them also take a range. */
type Letters = { readonly [at: number]: number };

export function codePointsOf(text: string): readonly number[] {
  return Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
}

/**
 * The letters of a text as a set of bits. One error removes at most one letter from the set and adds at most one, so two sets that differ
 * by more belong to texts further apart. Letters that share a bit only hide a difference.
 */
export function letterSet(codePoints: Letters, from: number, to: number): number {
  let set = 0;
  for (let at = from; at < to; at++) set |= 1 << bitOf(codePoints[at] as number);
  return set >>> 0;
}

/** Whether the sets allow a distance of at most `tolerance`. */
export function lettersAllow(left: number, right: number, tolerance: number): boolean {
  return atMost(left & ~right, tolerance) && atMost(right & ~left, tolerance);
}

/** Each of a–z has its own bit; digits share the other six. */
function bitOf(letter: number): number {
  return letter >= 0x30 && letter <= 0x39 ? (27 + (letter % 6)) & 31 : letter & 31;
}

function atMost(bits: number, count: number): boolean {
  let rest = bits;
  for (let nth = 0; nth < count; nth++) rest &= rest - 1;
  return rest === 0;
}

type IsWithin = (letters: Letters, from: number, to: number) => boolean;

/**
 * Tests whether other words are at most `tolerance` errors away from this one, by optimal string alignment: a letter omitted, inserted,
 * replaced, or swapped with the next one is one error each. Only cells near the diagonal are computed: all others exceed the tolerance.
 */
export function alignerOf(word: readonly number[], tolerance: number): IsWithin {
  const beyond = tolerance + 1;
  const width = word.length + 1;
  // Rows of the two letters before and of the present one, used in rotation.
  const rows = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)] as const;

  return (letters, from, to) => {
    const length = to - from;
    if (Math.abs(length - word.length) > tolerance) return false;
    let [secondLast, last, present]: readonly [Uint8Array, Uint8Array, Uint8Array] = rows;
    for (let column = 0; column < width; column++) last[column] = Math.min(column, beyond);
    for (let row = 1; row <= length; row++) {
      const letter = letters[from + row - 1] as number;
      const before = row > 1 ? (letters[from + row - 2] as number) : -1;
      const first = Math.max(1, row - tolerance);
      const end = Math.min(word.length, row + tolerance);
      present[first - 1] = first === 1 ? Math.min(row, beyond) : beyond;
      let least = present[first - 1] as number;
      for (let column = first; column <= end; column++) {
        const here = word[column - 1] as number;
        const above = column < row + tolerance ? (last[column] as number) : beyond;
        let errors = Math.min(
          (last[column - 1] as number) + (here === letter ? 0 : 1),
          above + 1,
          (present[column - 1] as number) + 1,
        );
        if (column > 1 && here === before && word[column - 2] === letter) {
          errors = Math.min(errors, (secondLast[column - 2] as number) + 1);
        }
        errors = Math.min(errors, beyond);
        present[column] = errors;
        if (errors < least) least = errors;
      }
      if (least > tolerance) return false;
      [secondLast, last, present] = [last, present, secondLast];
    }
    return (last[word.length] as number) <= tolerance;
  };
}

/** Errors that a mistyped name may have; at most one for every three letters. */
const MOST_ERRORS = 3;
/** Characters; a longer word is no mistyped name. */
const LONGEST_NAME = 100;
/** Names that are compared letter by letter. */
const MOST_COMPARED = 15_000;

/**
 * Finds what a word probably means: by one of the names, by typing errors, by a word of a name. Null for what is like none. The names are
 * prepared at the first use.
 */
export function createNearest<Thing>(
  things: Iterable<Thing>,
  namesOf: (thing: Thing) => readonly string[],
): (word: string) => Thing | null {
  let names: Names<Thing> | undefined;
  return (word) => {
    const key = nameKey(word.slice(0, LONGEST_NAME + 1));
    if (key === '' || key.length > LONGEST_NAME) return null;
    names ??= prepareNames(things, namesOf);
    return names.byKey.get(key) ?? mistyped(key, names.all) ?? names.byWord.get(key) ?? null;
  };
}

interface Name<Thing> {
  readonly letters: readonly number[];
  /** See `letterSet`. */
  readonly set: number;
  readonly thing: Thing;
}

interface Names<Thing> {
  readonly all: readonly Name<Thing>[];
  /** The first thing with each name, and the first one that has each word in a name. */
  readonly byKey: ReadonlyMap<string, Thing>;
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
    const isWithin = alignerOf(letters, errors);
    const near = names.find(
      (name) => lettersAllow(set, name.set, errors) && isWithin(name.letters, 0, name.letters.length),
    );
    if (near !== undefined) return near.thing;
  }
  return undefined;
}

/** The expected value, with the nearest known one. */
export function withNearest(expected: string, nearest: string | null): string {
  return nearest === null ? expected : `${expected}; the nearest is ${JSON.stringify(nearest)}`;
}

/** For a terminal or a log: control characters and line breaks of any kind are escaped, like `\\u009b`. */
export function printable(text: string): string {
  return text.replace(STEERING, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same as one line, for texts that come from elsewhere: a line feed in one would forge a line of the output. */
export function printableLine(text: string): string {
  return printable(text).replaceAll('\n', '\\u000a');
}

/** All but line feeds. */
const STEERING = /[^\P{Cc}\n]|[\p{Bidi_Control}\u2028\u2029]/gu;

/**
 * The text of markup that a build has made safe (G8): tags that only style letters vanish (`<b>K</b>onsert` is one word), every other one
 * becomes a space.
 */
export function shownText(markup: string, leaves: Leaves = () => ' '): string {
  const text = markup.replace(TAG, (_, slash: string, name: string) =>
    STYLING.has(name) ? '' : leaves(name, slash !== ''),
  );
  return text.includes('&') ? decodeHTML(text) : text;
}

/** The text that replaces a tag which does more than style letters. */
type Leaves = (name: string, isClosing: boolean) => string;

/** Linear in any text: attributes follow a blank, and contain no angle brackets. */
const TAG = /<(\/?)([a-z0-9]+)(?:\s[^<>]*)?>/g;
const STYLING = new Set('a b strong i em u s small sub sup code'.split(' '));

/** The text, or its first `most` letters and an ellipsis. No character is cut in two. */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).replace(HALF_CHARACTER, '')}…` : text;
}

/** The text, or its beginning up to the end of a word and an ellipsis: at most `most` letters together. One long word is cut. */
export function shortenedToWord(text: string, most: number): string {
  if (text.length <= most) return text;
  const blank = text.lastIndexOf(' ', most - 1);
  const beginning = blank > 0 ? text.slice(0, blank) : text.slice(0, most - 1).replace(HALF_CHARACTER, '');
  return `${beginning.replace(/[\s,;:–-]{1,5}$/, '')}…`;
}

/** The first unit of a surrogate pair whose second one was cut off. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;
