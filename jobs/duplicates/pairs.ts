/** Pairs of events, as keys of sets and maps. */

/** Events are numbered in the order of the sources, and lie below this. */
const MOST_EVENTS = 2 ** 26;

/** The same key for both orders of a pair: one number that is made of both. */
export function pairKey(left: number, right: number): number {
  return Math.min(left, right) * MOST_EVENTS + Math.max(left, right);
}
