/** Slots: properties of a server that at most one annex may provide. */

/**
 * Refuses a slot that two annexes fill, and names both: otherwise the later one would silently replace the first. Several annexes may fill
 * a slot with the same value, such as a stylesheet.
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
