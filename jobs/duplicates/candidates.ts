/** G9: the pairs of events that are worth comparing. All pairs would take quadratic time; these take time linear in the dates. */
import { addToGroup } from '../../src/calendar/groups.ts';
import type { Comparable } from './comparable.ts';
import { pairKey } from './pairs.ts';

type Pair = readonly [left: Comparable, right: Comparable];

/** Each pair of different sources, or of one source with a title in common, once, in the order of the events. */
export function* candidatePairs(events: readonly Comparable[]): Generator<Pair, void, undefined> {
  const titles = new Map(events.map((event) => [event, wholeTitles(event)] as const));
  const haveCommonTitle = (left: Comparable, right: Comparable): boolean => {
    const others = titles.get(right) ?? [];
    return titles.get(left)?.some((title) => others.includes(title)) ?? false;
  };
  const seen = new Set<number>();
  for (const group of groupsToCompare(events)) {
    for (const [left, right] of pairsIn(group)) {
      const key = pairKey(left.number, right.number);
      if (seen.has(key)) continue;
      if (left.feed === right.feed && !haveCommonTitle(left, right)) continue;
      seen.add(key);
      yield [left, right];
    }
  }
}

/** Largest group of events with one start in which all pairs are compared. In larger ones, only pairs with a common place or word are. */
const MOST_IN_GROUP = 24;

/** Events with a start in common. A large group is divided into those with a place or a word in common. */
function* groupsToCompare(events: readonly Comparable[]): Generator<readonly Comparable[], void, undefined> {
  for (const group of groupsBy(events, ({ places }) => places.keys())) {
    if (group.length <= MOST_IN_GROUP) yield group;
    else yield* groupsBy(group, placesAndWords);
  }
}

/** Each event with those after it, up to a limit. */
function* pairsIn(group: readonly Comparable[]): Generator<Pair, void, undefined> {
  for (const [index, left] of group.entries())
    for (const right of group.slice(index + 1, index + 1 + MOST_IN_GROUP)) yield [left, right];
}

/** Groups of several events with a key in common. */
function groupsBy<Key>(
  events: readonly Comparable[],
  keysOf: (event: Comparable) => Iterable<Key>,
): readonly (readonly Comparable[])[] {
  const groups = new Map<Key, Comparable[]>();
  for (const event of events) for (const key of keysOf(event)) addToGroup(groups, key, event);
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** An event's places, each whole title, so that equal ones are adjacent, and each word of the titles. */
function placesAndWords(event: Comparable): Iterable<string> {
  const places = [...event.places.values()].filter((place) => place !== null);
  return new Set([...places.map((place) => `place ${place}`), ...wholeTitles(event), ...event.titles.flat()]);
}

/** An event's titles, regardless of the order of their words. */
function wholeTitles({ titles }: Comparable): readonly string[] {
  return titles.map((words) => `title ${[...words].sort().join(' ')}`);
}
