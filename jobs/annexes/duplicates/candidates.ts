/**
 * G9, one event once: pairs of events that are worth comparing. All pairs would take quadratic time; these take time linear in the dates.
 */
import type { Comparable } from './alike.ts';

/** Largest group of events with one start in which all pairs are compared. In larger ones only pairs with a common place or word are. */
export const ALL_PAIRS = 24;

type Pair = readonly [left: Comparable, right: Comparable];

/** Each pair of different sources once, in the order of the entries. */
export function* candidatePairs(events: readonly Comparable[]): Generator<Pair, void, undefined> {
  const seen = new Set<number>();
  for (const together of gather(events, ({ moments }) => moments))
    for (const group of together.length <= ALL_PAIRS ? [together] : gather(together, keysOf))
      for (const [place, left] of group.entries())
        for (const right of group.slice(place + 1, place + 1 + ALL_PAIRS)) {
          const key = left.entry * MOST_ENTRIES + right.entry;
          if (left.source === right.source || seen.has(key)) continue;
          seen.add(key);
          yield [left, right];
        }
}

/** One number holds two entries, each below this. */
const MOST_ENTRIES = 2 ** 26;

/** Groups of events with a key in common. */
function gather<Key>(events: readonly Comparable[], keysOf: (event: Comparable) => readonly Key[]) {
  const groups = new Map<Key, Comparable[]>();
  for (const event of events)
    for (const key of keysOf(event)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [event]);
      else group.push(event);
    }
  return [...groups.values()].filter(([first, ...more]) =>
    more.some(({ source }) => source !== first?.source),
  );
}

/** Its places, each whole title, so that equal ones are adjacent, and each word of them. */
function keysOf({ places, titles }: Comparable): readonly string[] {
  const wholes = titles.map((words) => `title ${[...words].sort().join(' ')}`);
  const at = places.flatMap((place) => (place === null ? [] : [`place ${place}`]));
  return [...new Set([...at, ...wholes, ...titles.flat()])];
}
