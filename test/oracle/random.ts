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

  /** From `low` to `high` entries, in any order, the same one perhaps twice. */
  function some<T>(list: readonly T[], low: number, high: number): readonly T[] {
    return list.length === 0 ? [] : Array.from({ length: int(low, high) }, () => pick(list));
  }

  /** Calls for a value in that share of cases. */
  function maybe<T>(share: number, value: () => T): T | undefined {
    return chance(share) ? value() : undefined;
  }

  return { next, int, chance, pick, some, maybe };
}

/** What may be undefined may be absent instead. */
type Present<T> = {
  readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K];
} & { readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined> };

/** The record without what is undefined: `field: random.maybe(…)` is then really absent. */
export function present<T extends object>(record: T): Present<T>;
export function present(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
