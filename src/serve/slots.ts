/** Slots: what one annex at most adds to a server, which puts its annexes together by it. */

/**
 * Refuses a slot that a second annex fills, and says who has it: the later one would win without a word. What several fill with the
 * same value, such as a stylesheet, is filled once.
 */
export function refuseSecondFillers(annexes: Iterable<readonly [name: string, slots: object]>): void {
  const owners = new Map<string, { readonly name: string; readonly value: unknown }>();
  for (const [name, slots] of annexes) {
    for (const [slot, value] of Object.entries(slots)) {
      if (value === undefined) continue;
      const owner = owners.get(slot);
      if (owner !== undefined && owner.value !== value) {
        throw new Error(`expected one annex to fill ${slot}, found ${owner.name} and ${name}`);
      }
      owners.set(slot, { name, value });
    }
  }
}
