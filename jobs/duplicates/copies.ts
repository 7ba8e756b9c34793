/** G9: groups the copies of events that one source lists twice. Only a person may join them. */
import { WHY_APART } from '../../src/calendar/duplicate-reasons.ts';
import type { Comparable } from './comparable.ts';

export interface ListedTwice {
  readonly first: Comparable;
  readonly later: Comparable;
}

interface DoubleGroup {
  /** The first copy, then the later ones. */
  readonly members: readonly number[];
  /** Why they are not joined. */
  readonly why: string;
}

interface Doubles {
  readonly groups: readonly DoubleGroup[];
  /** The first copy represents them. */
  readonly laterCopies: ReadonlySet<number>;
}

/** Groups of a first copy and its later ones. A later copy never represents further copies. */
export function groupDoubles(listedTwice: readonly ListedTwice[]): Doubles {
  const groups = new Map<number, DoubleGroup>();
  const laterCopies = new Set<number>();
  for (const { first, later } of [...listedTwice].sort(byCopies)) {
    if (laterCopies.has(first.number) || laterCopies.has(later.number)) continue;
    laterCopies.add(later.number);
    const group = groups.get(first.number) ?? {
      members: [first.number],
      // Of copies in a feed, only those are not joined of which too few dates end together.
      why: first.feed === null ? WHY_APART.undecidedOfFolder : WHY_APART.otherEnds,
    };
    groups.set(first.number, { ...group, members: [...group.members, later.number] });
  }
  return { groups: [...groups.values()], laterCopies };
}

/** By the later copies, then by the first ones. */
function byCopies(left: ListedTwice, right: ListedTwice): number {
  return left.later.number - right.later.number || left.first.number - right.first.number;
}
