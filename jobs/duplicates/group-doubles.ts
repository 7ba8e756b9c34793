/** G9: groups the doubles: events that one source lists twice. Only a person may join them. */
import { WHY_APART } from '../../src/calendar/duplicate-reasons.ts';
import type { Comparable } from './comparable.ts';

/** Two events of one source that are the same (`doubleOf`), in the order of the source. */
export interface Double {
  readonly first: Comparable;
  readonly later: Comparable;
}

interface DoubleGroup {
  /** The first event, then the later ones. */
  readonly members: readonly number[];
  /** Why they are not joined. */
  readonly why: string;
}

interface GroupedDoubles {
  readonly groups: readonly DoubleGroup[];
  /** The later event of each double: the first one represents it. */
  readonly laterDoubles: ReadonlySet<number>;
}

/** Groups of a first event and its later doubles. A later event never represents further ones. */
export function groupDoubles(doubles: readonly Double[]): GroupedDoubles {
  const groups = new Map<number, DoubleGroup>();
  const laterDoubles = new Set<number>();
  for (const { first, later } of [...doubles].sort(byNumbers)) {
    if (laterDoubles.has(first.number) || laterDoubles.has(later.number)) continue;
    laterDoubles.add(later.number);
    const group = groups.get(first.number) ?? {
      members: [first.number],
      // Of doubles in a feed, only those are not joined of which too few dates end together.
      why: first.feed === null ? WHY_APART.undecidedOfFolder : WHY_APART.otherEnds,
    };
    groups.set(first.number, { ...group, members: [...group.members, later.number] });
  }
  return { groups: [...groups.values()], laterDoubles };
}

/** By the later events, then by the first ones. */
function byNumbers(left: Double, right: Double): number {
  return left.later.number - right.later.number || left.first.number - right.first.number;
}
