/** G9: groups of events that are likely the same, each pair of them alike; people's decisions take precedence (F12). */
import { type Comparable, type Likeness, likenessOf, REASONS } from './alike.ts';
import { candidatePairs } from './candidates.ts';

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

interface Edge {
  readonly left: Comparable;
  readonly right: Comparable;
  readonly likeness: Likeness;
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
  const joined = createJoined();
  const contradictions: (readonly [number, number])[] = [];
  const decided = new Set<number>();
  for (const numbers of same.map(numbersOf)) {
    const [first = -1, ...others] = numbers;
    for (const other of others) {
      const members = joined.groupOf(first);
      if (members.includes(other)) continue;
      if (members.some((member) => joined.groupOf(other).some((more) => isApart(member, more))))
        contradictions.push([first, other]);
      else {
        joined.join(first, other, 'said to be the same');
        decided.add(first).add(other);
      }
    }
  }
  const before = joined.groups();
  const byEntry = new Map(events.map((event) => [event.entry, event]));
  // All pairs alike, and of different sources: three events that are all alike are one, but a chain in which only neighbours are alike is
  // not.
  const mayBeOne = (one: number, other: number) => {
    const [here, there] = [byEntry.get(one), byEntry.get(other)];
    if (here === undefined || there === undefined || here.source === there.source) return false;
    if (isApart(one, other)) return false;
    return decided.has(one) || decided.has(other) || likenessOf(here, there) !== null;
  };
  for (const edge of strongestFirst(unambiguous(edgesOf(events)))) {
    const [group, added] = [joined.groupOf(edge.left.entry), joined.groupOf(edge.right.entry)];
    if (group !== added && group.every((one) => added.every((other) => mayBeOne(one, other))))
      joined.join(edge.left.entry, edge.right.entry, reasonOf(edge));
  }
  return { decided: before, all: joined.groups(), contradictions };
}

function edgesOf(events: readonly Comparable[]): readonly Edge[] {
  const edges: Edge[] = [];
  for (const [left, right] of candidatePairs(events)) {
    const likeness = likenessOf(left, right);
    if (likeness !== null) edges.push({ left, right, likeness });
  }
  return edges;
}

function rankOf({ reason, isPlaced }: Likeness): number {
  return REASONS.indexOf(reason) + (isPlaced ? 0 : REASONS.length);
}

function strongestFirst(edges: readonly Edge[]): readonly Edge[] {
  return [...edges].sort(
    (one, other) =>
      rankOf(one.likeness) - rankOf(other.likeness) ||
      other.likeness.agreeing - one.likeness.agreeing ||
      one.left.entry - other.left.entry ||
      one.right.entry - other.right.entry,
  );
}

/**
 * Removes the links of an event that is equally similar to two others of one source, or of two places, which are not alike: "Konsert"
 * without a place, and two concerts that evening. It could be either of them.
 */
function unambiguous(edges: readonly Edge[]): readonly Edge[] {
  const links = new Map<Comparable, { readonly other: Comparable; readonly rank: number }[]>();
  const note = (event: Comparable, other: Comparable, rank: number) => {
    const known = links.get(event);
    if (known === undefined) links.set(event, [{ other, rank }]);
    else known.push({ other, rank });
  };
  for (const { left, right, likeness } of edges) {
    note(left, right, rankOf(likeness));
    note(right, left, rankOf(likeness));
  }
  const isTorn = (event: Comparable, other: Comparable, rank: number) =>
    (links.get(event) ?? []).some(
      (link) => link.other !== other && link.rank <= rank && !isSameThing(link.other, other),
    );
  return edges.filter(({ left, right, likeness }) => {
    const rank = rankOf(likeness);
    return !isTorn(left, right, rank) && !isTorn(right, left, rank);
  });
}

/** Two of one source with equal titles are one event listed twice; two of different sources are if they are alike. */
function isSameThing(one: Comparable, other: Comparable): boolean {
  const likeness = likenessOf(one, other);
  return likeness !== null && (one.source !== other.source || likeness.reason === REASONS[0]);
}

function reasonOf({ likeness: { reason, isPlaced, agreeing } }: Edge): string {
  const where = isPlaced ? 'the same place' : 'one has no place';
  return `${reason}, ${where}, ${agreeing} ${agreeing === 1 ? 'start' : 'starts'} in common`;
}

function createApart(lists: readonly (readonly number[])[]): (one: number, other: number) => boolean {
  const apart = new Map<number, Set<number>>();
  for (const list of lists)
    for (const one of list) {
      const others = apart.get(one) ?? new Set();
      apart.set(one, others);
      for (const other of list) if (other !== one) others.add(other);
    }
  return (one, other) => apart.get(one)?.has(other) === true;
}

function createJoined() {
  const groupByEntry = new Map<number, readonly number[]>();
  const reasons = new Map<number, string>();
  const groupOf = (entry: number) => groupByEntry.get(entry) ?? [entry];

  function join(left: number, right: number, reason: string): void {
    const [first = left] = groupOf(left);
    const [second = right] = groupOf(right);
    reasons.set(Math.max(first, second), reason);
    const all = [...groupOf(left), ...groupOf(right)].sort((one, other) => one - other);
    for (const member of all) groupByEntry.set(member, all);
  }

  function groups(): readonly Group[] {
    const known = [...new Set(groupByEntry.values())];
    const said = new Map(reasons);
    return known.sort(([one = 0], [other = 0]) => one - other).map((members) => ({ members, reasons: said }));
  }

  return { groupOf, join, groups };
}
