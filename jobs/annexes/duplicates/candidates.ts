/** G9: pairs of events that are worth comparing. All pairs would take quadratic time; these take time linear in the dates. */
import type { Comparable } from './alike.ts';

/** Largest group of events with one start in which all pairs are compared. In larger ones only pairs with a common place or word are. */
const ALL_PAIRS = 24;

type Pair = readonly [left: Comparable, right: Comparable];

/** Each pair of different sources once, in the order of the entries. */
export function* candidatePairs(events: readonly Comparable[]): Generator<Pair, void, undefined> {
  const seen = new Set<number>();
  const keys = new WeakMap<Comparable, readonly string[]>();
  for (const together of startingTogether(events))
    for (const group of groupsWithin(together, keys))
      for (const [place, left] of group.entries())
        for (const right of group.slice(place + 1, place + 1 + ALL_PAIRS)) {
          if (left.source === right.source) continue;
          const key = left.entry * ENTRIES + right.entry;
          if (seen.has(key)) continue;
          seen.add(key);
          yield [left, right];
        }
}

/** One number holds the moment and the number of an event, which is below this. */
const ENTRIES = 2 ** 21;
/** Half-minutes before or after 1970: two thousand years. */
const MOMENTS = 2 ** 31;

/** Events of more than one source that have a start in common, in the order of the entries. */
function* startingTogether(events: readonly Comparable[]): Generator<readonly Comparable[], void, undefined> {
  const starts = new Float64Array(events.reduce((sum, { moments }) => sum + moments.length, 0));
  let count = 0;
  for (const [at, { moments }] of events.slice(0, ENTRIES).entries())
    for (const moment of moments)
      if (Math.abs(moment) < MOMENTS) starts[count++] = (moment + MOMENTS) * ENTRIES + at;
  const sorted = starts.subarray(0, count).sort();
  for (let from = 0; from < count; ) {
    const moment = Math.floor((sorted[from] ?? 0) / ENTRIES);
    let until = from + 1;
    while (until < count && Math.floor((sorted[until] ?? 0) / ENTRIES) === moment) until++;
    if (until - from > 1) {
      const together = Array.from(sorted.subarray(from, until), (start) => events[start % ENTRIES]);
      yield together.flatMap((event) => event ?? []);
    }
    from = until;
  }
}

function* groupsWithin(
  together: readonly Comparable[],
  keys: WeakMap<Comparable, readonly string[]>,
): Generator<readonly Comparable[], void, undefined> {
  const [first] = together;
  if (together.every(({ source }) => source === first?.source)) return;
  if (together.length <= ALL_PAIRS) return yield together;
  const groups = new Map<string, Comparable[]>();
  for (const event of together) {
    const own = keys.get(event) ?? keysOf(event);
    keys.set(event, own);
    for (const key of own) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [event]);
      else group.push(event);
    }
  }
  for (const group of groups.values()) if (group.length > 1) yield group;
}

/** Its places, each whole title, so that equal ones are adjacent, and each word of them. */
function keysOf({ places, titles }: Comparable): readonly string[] {
  const wholes = titles.map((words) => `title ${[...words].sort().join(' ')}`);
  const at = places.flatMap((place) => (place === null ? [] : [`place ${place}`]));
  return [...new Set([...at, ...wholes, ...titles.flat()])];
}
