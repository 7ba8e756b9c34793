/** G9: the pairs of events that are worth comparing. All pairs would take quadratic time; these take time linear in the dates. */
import type { Comparable } from './alike.ts';

/** Each pair of different sources, or of one source with a title in common, once, in the order of the entries. */
export function* candidatePairs(
  events: readonly Comparable[],
): Generator<readonly [left: Comparable, right: Comparable], void, undefined> {
  const seen = new Set<number>();
  const titles = new Map(events.map((event) => [event, wholesOf(event)] as const));
  const isWorthIt = (left: Comparable, right: Comparable) =>
    left.feed !== right.feed ||
    titles.get(left)?.some((title) => titles.get(right)?.includes(title) === true) === true;
  for (const together of gather(events, ({ places }) => places.keys()))
    for (const group of together.length <= ALL_PAIRS ? [together] : gather(together, keysOf))
      for (const [place, left] of group.entries())
        for (const right of group.slice(place + 1, place + 1 + ALL_PAIRS)) {
          // One number holds two entries, each below 2 ** 26.
          const key = left.entry * 2 ** 26 + right.entry;
          if (seen.has(key) || !isWorthIt(left, right)) continue;
          seen.add(key);
          yield [left, right];
        }
}

/** Largest group of events with one start in which all pairs are compared. In larger ones only pairs with a common place or word are. */
const ALL_PAIRS = 24;

/** Groups of events with a key in common. */
function gather<Key>(events: readonly Comparable[], keysOf: (event: Comparable) => Iterable<Key>) {
  const groups = new Map<Key, Comparable[]>();
  for (const event of events)
    for (const key of keysOf(event)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [event]);
      else group.push(event);
    }
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** Its places, each whole title, so that equal ones are adjacent, and each word of them. */
function keysOf(event: Comparable): Iterable<string> {
  const at = [...event.places.values()].filter((place) => place !== null).map((place) => `place ${place}`);
  return new Set([...at, ...wholesOf(event), ...event.titles.flat()]);
}

/** Its titles, regardless of the order of their words. */
function wholesOf({ titles }: Comparable): readonly string[] {
  return titles.map((words) => `title ${[...words].sort().join(' ')}`);
}
