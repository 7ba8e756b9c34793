/**
 * B10: what a search term asks for: its parts, which match literally, and its words, which match approximately. A build splits the texts of
 * events in the same way.
 */
import { fold } from './text.ts';

/** Code points of a term, without blanks at its ends; the rest is cut off. */
export const LONGEST_TERM = 256;

interface Term {
  /** The texts between white space, each once; if there are none, the condition is not given. */
  readonly parts: readonly string[];
  /** The runs of letters and digits, each once. */
  readonly words: readonly string[];
}

export function readTerm(text: string): Term {
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
