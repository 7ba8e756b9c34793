/** Groups of entries that are linked, directly or through others. */

export type Links = ReturnType<typeof createLinks>;

export function createLinks(known: readonly (readonly number[])[] = []) {
  const groups = new Map<number, number[]>();
  const groupOf = (entry: number): readonly number[] => groups.get(entry) ?? [entry];

  function link(one: number, other: number): void {
    const [here, there] = [groups.get(one) ?? [one], groups.get(other) ?? [other]];
    if (one === other || here === there) return;
    // The smaller one is added to the larger one, so that work stays near linear.
    const [fewer, more] = here.length < there.length ? [here, there] : [there, here];
    if (more.length === 1) groups.set(more[0] ?? one, more);
    for (const member of fewer) {
      more.push(member);
      groups.set(member, more);
    }
  }

  for (const [first, ...others] of known) {
    if (first === undefined) continue;
    for (const other of others) link(first, other);
  }
  return {
    link,
    groupOf,
    /** One of the group, the same for all of it until that is linked to another. */
    leaderOf: (entry: number): number => groupOf(entry)[0] ?? entry,
    /** Ascending, and in the order of their first members. */
    groups(): readonly (readonly number[])[] {
      const sorted = [...new Set(groups.values())].map((all) => [...all].sort((left, right) => left - right));
      return sorted.sort(([left = 0], [right = 0]) => left - right);
    },
  };
}
