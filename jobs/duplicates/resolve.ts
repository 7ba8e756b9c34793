/**
 * G9: which of the events that are alike are one. The likeliest pairs come first. Where two are no one event and a third one is like both,
 * nothing says which it is: what has fewer links stays apart.
 */
import { byDates, type Similarity, titlesAlike } from './alike.ts';
import type { Comparable } from './comparable.ts';
import type { Links } from './links.ts';

export interface Link {
  readonly left: number;
  readonly right: number;
  readonly similarity: Similarity;
}

interface ResolveOptions {
  readonly byEntry: ReadonlyMap<number, Comparable>;
  /** Those that people have decided are linked. */
  readonly linked: Links;
  readonly links: readonly Link[];
  /** F12: whether people call two the same; null if nothing was decided about either. */
  readonly decisionOn: (one: number, other: number) => boolean | null;
}

/** Entries of a group. A daily event has 548 dates in 18 months, which another source may list one by one. */
const MOST_MEMBERS = 600;

/** Links the entries of the same event. */
export function joinAlike(options: ResolveOptions): void {
  const { linked, links } = options;
  const conflictsIn = conflictFinder(linked, createJudge(options));
  for (const sameRank of byRank(links)) {
    const neighbours = neighboursIn(sameRank, linked);
    for (const leaders of componentsOf(neighbours)) {
      if (sizeOf(leaders, linked) > MOST_MEMBERS) continue;
      const conflicts = conflictsIn(leaders);
      if (conflicts.length === 0) joinWhole(leaders, linked);
      else joinClear(leaders, conflicts, neighbours);
    }
  }

  /** Joins what is left of a component without the entries that nothing decides. */
  function joinClear(
    leaders: readonly number[],
    conflicts: readonly Conflict[],
    neighbours: Neighbours,
  ): void {
    const unclear = unclearOf(conflicts, neighbours);
    const clear = leaders.filter((leader) => !unclear.has(leader));
    for (const part of componentsOf(within(neighbours, clear)))
      if (conflictsIn(part).length === 0) joinWhole(part, linked);
  }
}

function sizeOf(leaders: readonly number[], { groupOf }: Links): number {
  return leaders.reduce((sum, leader) => sum + groupOf(leader).length, 0);
}

function joinWhole([first, ...others]: readonly number[], { link }: Links): void {
  if (first === undefined) return;
  for (const other of others) link(first, other);
}

/** Leaders of two groups that have entries of different events. */
type Conflict = readonly [one: number, other: number];

function conflictFinder({ groupOf }: Links, mayBeOne: (one: number, other: number) => boolean) {
  const areApart = (one: number, other: number) =>
    groupOf(one).some((here) => groupOf(other).some((there) => !mayBeOne(here, there)));
  return (leaders: readonly number[]): readonly Conflict[] => {
    const pairs = leaders.flatMap((one, index) =>
      leaders.slice(index + 1).map((other): Conflict => [one, other]),
    );
    return pairs.filter(([one, other]) => areApart(one, other));
  };
}

function byRank(links: readonly Link[]): readonly (readonly Link[])[] {
  const ranks = new Map<number, Link[]>();
  for (const link of links) {
    const same = ranks.get(link.similarity.rank);
    if (same === undefined) ranks.set(link.similarity.rank, [link]);
    else same.push(link);
  }
  return [...ranks].sort(([left], [right]) => left - right).map(([, same]) => same);
}

type Neighbours = ReadonlyMap<number, ReadonlySet<number>>;

/** Of the leaders of groups. */
function neighboursIn(links: readonly Link[], { leaderOf }: Links): Neighbours {
  const neighbours = new Map<number, Set<number>>();
  for (const { left, right } of links) {
    const [one, other] = [leaderOf(left), leaderOf(right)];
    if (one === other) continue;
    neighbours.set(one, (neighbours.get(one) ?? new Set()).add(other));
    neighbours.set(other, (neighbours.get(other) ?? new Set()).add(one));
  }
  return neighbours;
}

function within(neighbours: Neighbours, leaders: readonly number[]): Neighbours {
  const wanted = new Set(leaders);
  return new Map(
    leaders.map((one) => [
      one,
      new Set([...(neighbours.get(one) ?? [])].filter((other) => wanted.has(other))),
    ]),
  );
}

/** Ascending; single entries are left out. */
function componentsOf(neighbours: Neighbours): readonly (readonly number[])[] {
  const seen = new Set<number>();
  const components: number[][] = [];
  for (const first of neighbours.keys()) {
    if (seen.has(first)) continue;
    seen.add(first);
    const component = [first];
    // It grows while it is read.
    for (const one of component) {
      for (const other of neighbours.get(one) ?? []) {
        if (seen.has(other)) continue;
        seen.add(other);
        component.push(other);
      }
    }
    if (component.length > 1) components.push(component.sort((left, right) => left - right));
  }
  return components;
}

/** Of two that are no one event and a third one that is like both, the third, or the two if the third has more links than either. */
function unclearOf(conflicts: readonly Conflict[], neighbours: Neighbours): ReadonlySet<number> {
  const unclear = new Set<number>();
  const linksOf = (one: number) => neighbours.get(one) ?? new Set<number>();
  for (const [one, other] of conflicts) {
    const most = Math.max(linksOf(one).size, linksOf(other).size);
    for (const third of linksOf(one)) {
      if (!linksOf(other).has(third)) continue;
      const isBetterLinked = linksOf(third).size > most;
      for (const entry of isBetterLinked ? [one, other] : [third]) unclear.add(entry);
    }
  }
  return unclear;
}

/** Whether two entries may be of one event: they are alike, or have no start in common and titles that are alike. */
function createJudge({ byEntry, links, decisionOn }: ResolveOptions) {
  const alike = new Set(links.map(({ left, right }) => pairKey(left, right)));
  const titles = new Map<string, boolean>();

  function haveLikeTitles(one: Comparable, other: Comparable): boolean {
    const key = JSON.stringify([one.titles, other.titles]);
    const known = titles.get(key);
    if (known !== undefined) return known;
    const found = titlesAlike(one.titles, other.titles) !== null;
    titles.set(key, found);
    return found;
  }

  return (one: number, other: number): boolean => {
    const decision = decisionOn(one, other);
    if (decision !== null) return decision;
    if (alike.has(pairKey(one, other))) return true;
    const [left, right] = [byEntry.get(one), byEntry.get(other)];
    if (left === undefined || right === undefined || left.isContainer !== right.isContainer) return false;
    const [fewer, more] = byDates(left, right);
    for (const moment of fewer.places.keys()) if (more.places.has(moment)) return false;
    return haveLikeTitles(left, right);
  };
}

/** One number holds two entries, each below 2 ** 26. */
export function pairKey(one: number, other: number): number {
  return Math.min(one, other) * 2 ** 26 + Math.max(one, other);
}
