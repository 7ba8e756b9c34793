/** Optimal string alignment: a letter left out, put in, exchanged, or swapped with the next one is one error each. */
import type { Letters } from './search.ts';

type IsWithin = (letters: Letters, from: number, to: number) => boolean;

/**
 * Whether other words are at most `tolerance` errors away from this one. Only the cells near the diagonal are worked out:
 * those further off are already too many errors away.
 */
export function alignerOf(word: readonly number[], tolerance: number): IsWithin {
  const beyond = tolerance + 1;
  const width = word.length + 1;
  // Rows of the two letters before and of the present one, used in turn.
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
