/**
 * G9: groups of events that are likely the same. Events that are linked to each other are one group if each pair of them is alike; where
 * only some are, such as two concerts and a "Konsert" that could be either, they stay apart. People's decisions come first (F12).
 */
import { type Comparable, likenessOf, REASONS } from './alike.ts';
import type { Decisions } from './decisions.ts';

export interface Group {
  /** In the order of the sources: the first record stays. */
  readonly members: readonly number[];
  /** For each other member, why it is the same. */
  readonly reasons: ReadonlyMap<number, string>;
}

/**
 * `entries`: numbers by id, for the decisions. Returns the groups that people have decided; all of them, with likely duplicates; and the
 * pairs of events that people call both the same and different, by their numbers.
 */
export function groupEvents(
  events: readonly Comparable[],
  { same, different }: Decisions,
  entries: ReadonlyMap<string, number>,
) {
  const numbersOf = (ids: readonly string[]) => ids.flatMap((id) => entries.get(id) ?? []);
  const apart = different.map((ids) => new Set(numbersOf(ids)));
  const isApart = (one: number, other: number) => apart.some((list) => list.has(one) && list.has(other));
  const linked = createLinks();
  const contradictions: (readonly [number, number])[] = [];
  for (const [first = -1, ...others] of same.map(numbersOf))
    for (const other of others) {
      const [here, there] = [[...linked.groupOf(first)], [...linked.groupOf(other)]];
      if (here.some((one) => there.some((more) => isApart(one, more)))) contradictions.push([first, other]);
      else linked.link(first, other);
    }
  const decided = linked.groups();
  const decidedOf = new Map(decided.flatMap((members) => members.map((one) => [one, members])));

  for (const [left, right] of candidatePairs(events))
    if (!isApart(left.entry, right.entry) && likenessOf(left, right) !== null)
      linked.link(left.entry, right.entry);
  const byEntry = new Map(events.map((event) => [event.entry, event]));
  const sourceOf = (entry: number) => byEntry.get(entry)?.feed;
  const likenessAt = (one: number, other: number) => {
    const [left, right] = [byEntry.get(one), byEntry.get(other)];
    return left && right ? likenessOf(left, right) : null;
  };
  /** Two of one source with equal titles are one event listed twice. */
  const mayBeOne = (one: number, other: number) => {
    if (decidedOf.get(one)?.includes(other)) return true;
    if (isApart(one, other)) return false;
    if (decidedOf.has(one) || decidedOf.has(other)) return true;
    const likeness = likenessAt(one, other);
    return likeness !== null && (sourceOf(one) !== sourceOf(other) || likeness.reason === REASONS[0]);
  };
  const all = linked.groups().flatMap((members) => {
    const isWhole =
      members.length <= ALL_PAIRS &&
      members.every((one, at) => members.slice(at + 1).every((other) => mayBeOne(one, other)));
    if (!isWhole) return [...new Set(members.flatMap((member) => [decidedOf.get(member) ?? []]))];
    // Of events that one source lists twice, the first; what people have decided stays.
    const sources = members.map(sourceOf);
    return [members.filter((member, at) => decidedOf.has(member) || sources.indexOf(sources[at]) === at)];
  });

  const reasonOf = (other: number, members: readonly number[]): string => {
    if (decidedOf.get(other)?.includes(members[0] ?? -1)) return 'said to be the same';
    const likeness = members
      .map((member) => (member === other ? null : likenessAt(member, other)))
      .find((found) => found !== null);
    if (!likeness) return 'said to be the same as one of them';
    const { reason, isPlaced, agreeing } = likeness;
    const where = isPlaced ? 'the same place' : 'one has no place';
    return `${reason}, ${where}, ${agreeing} ${agreeing === 1 ? 'start' : 'starts'} in common`;
  };
  const withReasons = (members: readonly number[]): Group => ({
    members,
    reasons: new Map(members.slice(1).map((other) => [other, reasonOf(other, members)])),
  });
  return {
    decided: decided.map(withReasons),
    all: all.filter(({ length }) => length > 1).map(withReasons),
    contradictions,
  };
}

/** Entries that are linked, over whatever others. */
function createLinks() {
  const groups = new Map<number, Set<number>>();
  const groupOf = (entry: number): Set<number> => groups.get(entry) ?? new Set([entry]);
  return {
    groupOf,
    link(one: number, other: number): void {
      // The smaller one is added to the larger one, so that work stays near linear.
      const [fewer, more] = [groupOf(one), groupOf(other)].sort((left, right) => left.size - right.size);
      for (const member of fewer ?? []) more?.add(member);
      for (const member of [one, other, ...(fewer ?? [])]) groups.set(member, more ?? new Set());
    },
    /** Ascending, and in the order of their first members. */
    groups(): readonly (readonly number[])[] {
      const sorted = [...new Set(groups.values())].map((all) => [...all].sort((left, right) => left - right));
      return sorted.sort(([left = 0], [right = 0]) => left - right);
    },
  };
}

/** Largest group of events with one start in which all pairs are compared. In larger ones only pairs with a common place or word are. */
const ALL_PAIRS = 24;

/**
 * Pairs of events that are worth comparing, each of different sources once, in the order of the entries. All pairs would take quadratic time;
 * these take time linear in the dates.
 */
export function* candidatePairs(
  events: readonly Comparable[],
): Generator<readonly [left: Comparable, right: Comparable], void, undefined> {
  const seen = new Set<number>();
  for (const together of gather(events, ({ places }) => places.keys()))
    for (const group of together.length <= ALL_PAIRS ? [together] : gather(together, keysOf))
      for (const [place, left] of group.entries())
        for (const right of group.slice(place + 1, place + 1 + ALL_PAIRS)) {
          // One number holds two entries, each below 2 ** 26.
          const key = left.entry * 2 ** 26 + right.entry;
          if (left.feed === right.feed || seen.has(key)) continue;
          seen.add(key);
          yield [left, right];
        }
}

/** Groups of events with a key in common, of several sources. */
function gather<Key>(events: readonly Comparable[], keysOf: (event: Comparable) => Iterable<Key>) {
  const groups = new Map<Key, Comparable[]>();
  for (const event of events)
    for (const key of keysOf(event)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [event]);
      else group.push(event);
    }
  return [...groups.values()].filter(([first, ...more]) => more.some(({ feed }) => feed !== first?.feed));
}

/** Its places, each whole title, so that equal ones are adjacent, and each word of them. */
function keysOf({ places, titles }: Comparable): Iterable<string> {
  const wholes = titles.map((words) => `title ${[...words].sort().join(' ')}`);
  const at = [...places.values()].filter((place) => place !== null).map((place) => `place ${place}`);
  return new Set([...at, ...wholes, ...titles.flat()]);
}
