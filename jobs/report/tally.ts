import { compareCodePoints } from '../../src/calendar/text.ts';

/** Counts how often each of a bounded number of things came up. */
export interface Tally<Thing> {
  readonly add: (key: string, thing: Thing) => void;
  /** The most frequent first, then by key. */
  readonly counts: () => readonly (Thing & Counted)[];
  /** How many additions found no room. */
  readonly leftOut: () => number;
}

export interface Counted {
  readonly count: number;
}

export function createTally<Thing extends object>(room: number): Tally<Thing> {
  const counted = new Map<string, { readonly key: string; readonly thing: Thing; count: number }>();
  let leftOut = 0;

  function add(key: string, thing: Thing): void {
    const known = counted.get(key);
    if (known !== undefined) known.count++;
    else if (counted.size < room) counted.set(key, { key, thing, count: 1 });
    else leftOut++;
  }

  function counts(): readonly (Thing & Counted)[] {
    return [...counted.values()]
      .sort((left, right) => right.count - left.count || compareCodePoints(left.key, right.key))
      .map(({ thing, count }) => ({ ...thing, count }));
  }

  return { add, counts, leftOut: () => leftOut };
}
