/** Groups of events that are linked, directly or through others. */

export interface Links {
  readonly link: (left: number, right: number) => void;
  /** The event alone if it has no link. */
  readonly groupOf: (number: number) => readonly number[];
  /** A member of the group, the same for all members until the group is linked to another. */
  readonly leaderOf: (number: number) => number;
  /** The groups of events with a link. Members are ascending, groups in the order of their first members. */
  readonly groups: () => readonly (readonly number[])[];
}

/** `initialGroups`: events of each are linked from the beginning. */
export function createLinks(initialGroups: readonly (readonly number[])[] = []): Links {
  const groups = new Map<number, number[]>();
  const groupOf = (number: number): readonly number[] => groups.get(number) ?? [number];

  function link(left: number, right: number): void {
    const groupOfLeft = groups.get(left) ?? [left];
    const groupOfRight = groups.get(right) ?? [right];
    if (left === right || groupOfLeft === groupOfRight) return;
    // The smaller group is added to the larger one, so that work stays near linear.
    const isLeftSmaller = groupOfLeft.length < groupOfRight.length;
    const [fewer, more] = isLeftSmaller ? [groupOfLeft, groupOfRight] : [groupOfRight, groupOfLeft];
    if (more.length === 1) groups.set(more[0] ?? left, more);
    for (const member of fewer) {
      more.push(member);
      groups.set(member, more);
    }
  }

  for (const [first, ...others] of initialGroups) {
    if (first === undefined) continue;
    for (const other of others) link(first, other);
  }
  return {
    link,
    groupOf,
    leaderOf: (number: number): number => groupOf(number)[0] ?? number,
    groups(): readonly (readonly number[])[] {
      const sorted = [...new Set(groups.values())].map((all) => [...all].sort((left, right) => left - right));
      return sorted.sort(([left = 0], [right = 0]) => left - right);
    },
  };
}
