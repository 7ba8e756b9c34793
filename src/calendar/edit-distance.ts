/**
 * Whether two words are the same but for some typing errors. Words are ranges of code points, so that a search tests the words of a lexicon
 * where they are.
 */

type Letters = { readonly [at: number]: number };

type IsWithin = (letters: Letters, from: number, to: number) => boolean;

/**
 * Tests whether other words are at most `tolerance` errors away from this one, by optimal string alignment: a letter omitted, inserted,
 * replaced, or swapped with the next one is one error each. Only cells near the diagonal are computed: all others exceed the tolerance.
 */
export function createIsWithin(word: readonly number[], tolerance: number): IsWithin {
  const beyond = tolerance + 1;
  const width = word.length + 1;
  // The rows of the present letter and of the two before it, used in rotation: a search tests thousands of words, without new arrays.
  const rows = [new Uint8Array(width), new Uint8Array(width), new Uint8Array(width)] as const;

  return (letters, from, to) => {
    const length = to - from;
    if (Math.abs(length - word.length) > tolerance) return false;
    let [secondLast, last, present]: readonly [Uint8Array, Uint8Array, Uint8Array] = rows;
    for (let column = 0; column < width; column++) last[column] = Math.min(column, beyond);
    for (let row = 1; row <= length; row++) {
      const letter = letters[from + row - 1] as number;
      const previousLetter = row > 1 ? (letters[from + row - 2] as number) : -1;
      const first = Math.max(1, row - tolerance);
      const end = Math.min(word.length, row + tolerance);
      present[first - 1] = first === 1 ? Math.min(row, beyond) : beyond;
      let least = present[first - 1] as number;
      for (let column = first; column <= end; column++) {
        const wordLetter = word[column - 1] as number;
        const above = column < row + tolerance ? (last[column] as number) : beyond;
        let errors = Math.min(
          (last[column - 1] as number) + (wordLetter === letter ? 0 : 1),
          above + 1,
          (present[column - 1] as number) + 1,
        );
        if (column > 1 && wordLetter === previousLetter && word[column - 2] === letter) {
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
  return hasAtMost(left & ~right, tolerance) && hasAtMost(right & ~left, tolerance);
}

/** Each of a–z has its own bit; digits share the other six. */
function bitOf(letter: number): number {
  return letter >= 0x30 && letter <= 0x39 ? (27 + (letter % 6)) & 31 : letter & 31;
}

/** Whether at most so many bits are set. */
function hasAtMost(bits: number, count: number): boolean {
  let rest = bits;
  for (let nth = 0; nth < count; nth++) rest &= rest - 1;
  return rest === 0;
}
