/**
 * G9: decides which of the similar events are the same. The likeliest pairs are joined first. If two events differ and a third is like both,
 * nothing shows which of them it is: the records with fewer links stay apart.
 */
import { groupBy } from '../../src/calendar/groups.ts';
import { byDates, titlesAlike } from './alike.ts';
import type { Comparable } from './comparable.ts';
import type { Links } from './links.ts';
import { pairKey } from './pairs.ts';

export interface Link {
  readonly left: number;
  readonly right: number;
  /** The likeliest pairs have the lowest rank. */
  readonly rank: number;
  /** Why they are likely the same, for the report. */
  readonly reason: string;
}

interface ResolveOptions {
  readonly byNumber: ReadonlyMap<number, Comparable>;
  /** The links that people have decided on; others are added. */
  readonly linked: Links;
  readonly links: readonly Link[];
  /** F12: false or true if the decisions of people settle whether two records may be joined; null if the comparison decides. */
  readonly mayBeJoined: (left: number, right: number) => boolean | null;
}

/** Records of a group. A daily event has 548 dates in 18 months, which another source may list one by one. */
const MOST_MEMBERS = 600;

/** Links the records of the same event. */
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

  /** Joins the rest of a component, without the records whose event is unclear. */
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

/** Leaders of two groups that have records of different events. */
type Conflict = readonly [left: number, right: number];

function conflictFinder({ groupOf }: Links, mayBeSame: (left: number, right: number) => boolean) {
  const areApart = (leftLeader: number, rightLeader: number) =>
    groupOf(leftLeader).some((left) => groupOf(rightLeader).some((right) => !mayBeSame(left, right)));
  return (leaders: readonly number[]): readonly Conflict[] => {
    const pairs = leaders.flatMap((left, index) =>
      leaders.slice(index + 1).map((right): Conflict => [left, right]),
    );
    return pairs.filter(([left, right]) => areApart(left, right));
  };
}

/** The likeliest links first, those of one rank together. */
function byRank(links: readonly Link[]): readonly (readonly Link[])[] {
  const groups = groupBy(links, ({ rank }) => rank);
  return [...groups].sort(([left], [right]) => left - right).map(([, sameRank]) => sameRank);
}

type Neighbours = ReadonlyMap<number, ReadonlySet<number>>;

/** The leaders of the groups that are linked to the group of each leader. */
function neighboursIn(links: readonly Link[], { leaderOf }: Links): Neighbours {
  const neighbours = new Map<number, Set<number>>();
  for (const { left, right } of links) {
    const leftLeader = leaderOf(left);
    const rightLeader = leaderOf(right);
    if (leftLeader === rightLeader) continue;
    neighbours.set(leftLeader, (neighbours.get(leftLeader) ?? new Set()).add(rightLeader));
    neighbours.set(rightLeader, (neighbours.get(rightLeader) ?? new Set()).add(leftLeader));
  }
  return neighbours;
}

/** The neighbours of these leaders among themselves. */
function within(neighbours: Neighbours, leaders: readonly number[]): Neighbours {
  const wanted = new Set(leaders);
  return new Map(
    leaders.map((leader) => [
      leader,
      new Set([...(neighbours.get(leader) ?? [])].filter((neighbour) => wanted.has(neighbour))),
    ]),
  );
}

/** Groups of leaders that are linked, directly or through others. Members are ascending; a leader without neighbours has no group. */
function componentsOf(neighbours: Neighbours): readonly (readonly number[])[] {
  const seen = new Set<number>();
  const components: number[][] = [];
  for (const first of neighbours.keys()) {
    if (seen.has(first)) continue;
    seen.add(first);
    const component = [first];
    // The component grows while it is read.
    for (const leader of component) {
      for (const neighbour of neighbours.get(leader) ?? []) {
        if (seen.has(neighbour)) continue;
        seen.add(neighbour);
        component.push(neighbour);
      }
    }
    if (component.length > 1) components.push(component.sort((left, right) => left - right));
  }
  return components;
}

/**
 * Records of two different events and of a third that is like both. The third is unclear, or the two are if the third has more links than
 * either.
 */
function unclearOf(conflicts: readonly Conflict[], neighbours: Neighbours): ReadonlySet<number> {
  const unclear = new Set<number>();
  const linksOf = (leader: number) => neighbours.get(leader) ?? new Set<number>();
  for (const [left, right] of conflicts) {
    const mostLinks = Math.max(linksOf(left).size, linksOf(right).size);
    for (const third of linksOf(left)) {
      if (!linksOf(right).has(third)) continue;
      const isBetterLinked = linksOf(third).size > mostLinks;
      for (const leader of isBetterLinked ? [left, right] : [third]) unclear.add(leader);
    }
  }
  return unclear;
}

/** Whether two records may be of one event: they are alike, or have no start in common and titles that are alike. */
function createJudge({ byNumber, links, mayBeJoined }: ResolveOptions) {
  const alikePairs = new Set(links.map(({ left, right }) => pairKey(left, right)));
  /** Answers by both titles: many events have the same ones. */
  const titles = new Map<string, boolean>();

  function haveLikeTitles(left: Comparable, right: Comparable): boolean {
    const key = JSON.stringify([left.titles, right.titles]);
    const cached = titles.get(key);
    if (cached !== undefined) return cached;
    const found = titlesAlike(left.titles, right.titles) !== null;
    titles.set(key, found);
    return found;
  }

  return (leftNumber: number, rightNumber: number): boolean => {
    const decided = mayBeJoined(leftNumber, rightNumber);
    if (decided !== null) return decided;
    if (alikePairs.has(pairKey(leftNumber, rightNumber))) return true;
    const left = byNumber.get(leftNumber);
    const right = byNumber.get(rightNumber);
    if (left === undefined || right === undefined || left.isContainer !== right.isContainer) return false;
    const [fewer, more] = byDates(left, right);
    for (const moment of fewer.places.keys()) if (more.places.has(moment)) return false;
    return haveLikeTitles(left, right);
  };
}
