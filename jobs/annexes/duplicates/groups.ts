/**
 * G9, one event once: groups of events that are likely the same. Events that are linked to each other are one group if each pair of them is
 * alike; where only some are, such as two concerts and a "Konsert" that could be either, they stay apart. People's decisions come first
 * (F12, duplicates.json).
 */
import { type Comparable, likenessOf, REASONS } from './alike.ts';

export interface Decisions {
  readonly same: readonly (readonly string[])[];
  readonly different: readonly (readonly string[])[];
}

export interface Group {
  /** In the order of the sources: the first record stays. */
  readonly members: readonly number[];
  /** For each other member, why it is the same. */
  readonly reasons: ReadonlyMap<number, string>;
}

interface Grouping {
  readonly decided: readonly Group[];
  /** The same with likely duplicates. */
  readonly all: readonly Group[];
  /** Pairs of events that people call both the same and different, by their numbers. */
  readonly contradictions: readonly (readonly [number, number])[];
}

/** `entries`: numbers by id, for the decisions. */
export function groupEvents(
  events: readonly Comparable[],
  { same, different }: Decisions,
  entries: ReadonlyMap<string, number>,
): Grouping {
  const numbersOf = (ids: readonly string[]) => ids.flatMap((id) => entries.get(id) ?? []);
  const isApart = createApart(different.map(numbersOf));
  const linked = createLinks();
  const contradictions: (readonly [number, number])[] = [];
  for (const [first = -1, ...others] of same.map(numbersOf))
    for (const other of others) {
      const [here, there] = [[...linked.groupOf(first)], [...linked.groupOf(other)]];
      if (here.some((one) => there.some((more) => isApart(one, more)))) contradictions.push([first, other]);
      else linked.link(first, other);
    }
  const decided = linked.groups();
  const groupOfDecided = new Map(decided.flatMap((members) => members.map((one) => [one, members])));

  for (const [left, right] of candidatePairs(events))
    if (!isApart(left.entry, right.entry) && likenessOf(left, right) !== null)
      linked.link(left.entry, right.entry);
  const byEntry = new Map(events.map((event) => [event.entry, event]));
  const mayBeOne = (one: number, other: number) => {
    if (groupOfDecided.get(one)?.includes(other)) return true;
    if (isApart(one, other)) return false;
    return (
      groupOfDecided.has(one) || groupOfDecided.has(other) || isAlike(byEntry.get(one), byEntry.get(other))
    );
  };
  const isWhole = (members: readonly number[]) =>
    members.every((one, at) => members.slice(at + 1).every((other) => mayBeOne(one, other)));
  const all = linked.groups().flatMap((members) => {
    if (members.length <= ALL_PAIRS && isWhole(members))
      return [firstOfEach(members, byEntry, groupOfDecided)];
    return [...new Set(members.flatMap((member) => [groupOfDecided.get(member) ?? []]))];
  });
  const reasonsOf = (members: readonly number[]) => ({
    members,
    reasons: reasonsIn(members, byEntry, groupOfDecided),
  });
  return {
    decided: decided.map(reasonsOf),
    all: all.filter(({ length }) => length > 1).map(reasonsOf),
    contradictions,
  };
}

function createApart(lists: readonly (readonly number[])[]): (one: number, other: number) => boolean {
  const listsOf = new Map<number, Set<number>[]>();
  for (const list of lists.map((entries) => new Set(entries)))
    for (const entry of list) listsOf.set(entry, [...(listsOf.get(entry) ?? []), list]);
  return (one, other) => listsOf.get(one)?.some((list) => list.has(other)) === true;
}

/** Two of one source with equal titles are one event listed twice. */
function isAlike(one: Comparable | undefined, other: Comparable | undefined): boolean {
  if (one === undefined || other === undefined) return false;
  const likeness = likenessOf(one, other);
  return likeness !== null && (one.source !== other.source || likeness.reason === REASONS[0]);
}

type ByEntry = ReadonlyMap<number, Comparable>;
type Decided = ReadonlyMap<number, readonly number[]>;

/** Of events that one source lists twice, the first; what people have decided stays. */
function firstOfEach(members: readonly number[], byEntry: ByEntry, decided: Decided): readonly number[] {
  const sources = new Set<string | undefined>();
  return members.filter((member) => {
    const source = byEntry.get(member)?.source;
    const isNew = !sources.has(source);
    sources.add(source);
    return isNew || decided.has(member);
  });
}

function reasonsIn(members: readonly number[], byEntry: ByEntry, decided: Decided) {
  const [first = -1, ...others] = members;
  return new Map(others.map((other) => [other, reasonOf(other)]));

  function reasonOf(other: number): string {
    if (decided.get(other)?.includes(first)) return 'said to be the same';
    const event = byEntry.get(other);
    const likeness = members
      .flatMap((member) => (member === other ? [] : (byEntry.get(member) ?? [])))
      .map((member) => event && likenessOf(member, event))
      .find((found) => found !== null);
    if (!likeness) return 'said to be the same as one of them';
    const { reason, isPlaced, agreeing } = likeness;
    const where = isPlaced ? 'the same place' : 'one has no place';
    return `${reason}, ${where}, ${agreeing} ${agreeing === 1 ? 'start' : 'starts'} in common`;
  }
}

/** Entries that are linked, over whatever others. */
function createLinks() {
  const groups = new Map<number, Set<number>>();
  const groupOf = (entry: number): Set<number> => {
    const group = groups.get(entry) ?? new Set([entry]);
    groups.set(entry, group);
    return group;
  };
  return {
    groupOf,
    link(one: number, other: number): void {
      // The smaller one is added to the larger one, so that work stays near linear.
      const [fewer, more] = [groupOf(one), groupOf(other)].sort((left, right) => left.size - right.size);
      if (fewer === undefined || more === undefined || fewer === more) return;
      for (const member of fewer) {
        more.add(member);
        groups.set(member, more);
      }
    },
    /** Ascending, and in the order of their first members. */
    groups(): readonly (readonly number[])[] {
      const known = [...new Set(groups.values())].filter(({ size }) => size > 1);
      const sorted = known.map((members) => [...members].sort((left, right) => left - right));
      return sorted.sort(([left = 0], [right = 0]) => left - right);
    },
  };
}

/** Largest group of events with one start in which all pairs are compared. In larger ones only pairs with a common place or word are. */
const ALL_PAIRS = 24;

type Pair = readonly [left: Comparable, right: Comparable];

/**
 * Pairs of events that are worth comparing, each of different sources once, in the order of the entries. All pairs would take quadratic time;
 * these take time linear in the dates.
 */
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
