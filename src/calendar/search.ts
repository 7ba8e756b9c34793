/** How a search term and the texts that it is looked for in are taken apart (B10). Build and server share it. */
import { fold } from './text.ts';

/** A longer term is cut here: code points, blanks at the ends not counted. */
export const LONGEST_TERM = 256;

interface SearchTerm {
  /** Parts between white space, each once. None of them: the condition is not given. */
  readonly parts: readonly string[];
  /** Runs of letters and digits, each once: what the approximate step looks for. */
  readonly words: readonly string[];
}

export function readTerm(text: string): SearchTerm {
  // A code point is at most two units, so that a term of 256 KiB is not taken apart for its beginning.
  const letters = [...text.trim().slice(0, 2 * LONGEST_TERM)].slice(0, LONGEST_TERM);
  const folded = fold(letters.join(''));
  return { parts: [...new Set(partsOf(folded))], words: [...new Set(wordsOf(folded))] };
}

/** No part of a term holds white space, so a literal match always lies within one part of a text. */
export function partsOf(folded: string): readonly string[] {
  return folded.split(WHITE_SPACE).filter((part) => part !== '');
}

export function wordsOf(folded: string): readonly string[] {
  return folded.match(WORDS) ?? [];
}

/** Whether a part is one word and nothing else. What contains it does so within a single word of its own. */
export function isWord(part: string): boolean {
  return WORD.test(part);
}

const WHITE_SPACE = /\s+/;
const WORDS = /[\p{L}\p{N}]+/gu;
const WORD = /^[\p{L}\p{N}]+$/u;

/** Errors that a word of so many letters may have; null: shorter words must be there literally. */
export function toleranceOf(letters: number): 1 | 2 | null {
  if (letters < 3) return null;
  return letters < 6 ? 1 : 2;
}

/** Code points; with them goes which stretch of the array is meant. */
export type Letters = { readonly [at: number]: number };

export function codePointsOf(text: string): readonly number[] {
  return Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
}

/**
 * The letters of a text as a set of bits. One error takes at most one letter out of the set and puts at most one in, so
 * two sets that differ by more cannot belong to texts within that distance. Letters that share a bit only hide a difference.
 */
export function letterSet(codePoints: Letters, from: number, to: number): number {
  let set = 0;
  for (let at = from; at < to; at++) set |= 1 << bitOf(codePoints[at] as number);
  return set >>> 0;
}

/** Whether the sets allow for a distance of at most `tolerance` (1 or 2). */
export function lettersAllow(left: number, right: number, tolerance: number): boolean {
  return atMost(left & ~right, tolerance) && atMost(right & ~left, tolerance);
}

/** a–z have a bit of their own; digits share the six that are left. */
function bitOf(letter: number): number {
  return letter >= 0x30 && letter <= 0x39 ? (27 + (letter % 6)) & 31 : letter & 31;
}

function atMost(bits: number, count: number): boolean {
  const fewer = bits & (bits - 1);
  return count === 1 ? fewer === 0 : (fewer & (fewer - 1)) === 0;
}
