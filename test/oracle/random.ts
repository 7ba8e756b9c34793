/** Random values from a seed. */
import type { Fields } from './records.ts';

/** Seeded randomness: the same seed, the same calendar and the same questions. */
export type Random = ReturnType<typeof randomFrom>;

export function randomFrom(seed: number) {
  let state = seed >>> 0;

  /** Mulberry32: evenly spread over [0, 1). */
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  function int(low: number, high: number): number {
    return low + Math.floor(next() * (high - low + 1));
  }

  function chance(share: number): boolean {
    return next() < share;
  }

  function pick<T>(list: readonly T[]): T {
    const [picked] = list.slice(int(0, list.length - 1));
    if (picked === undefined) throw new Error('expected a list to pick from, found an empty one');
    return picked;
  }

  /** Picks `low` to `high` entries, in any order, the same one perhaps twice. */
  function some<T>(list: readonly T[], low: number, high: number): readonly T[] {
    return list.length === 0 ? [] : Array.from({ length: int(low, high) }, () => pick(list));
  }

  /** Takes each of these fields in that share of cases, with one of its values. */
  function fields<Names extends string, Value>(share: number, names: Names, values: readonly Value[]) {
    const given = names.split(' ').filter(() => chance(share));
    const entries = given.map((name) => [name, pick(values)] as const);
    return Object.fromEntries(entries) as Fields<Value, Names>;
  }

  return { next, int, chance, pick, some, fields };
}
