/**
 * Helpers for lists: group items by a key, add them up, search an ordered list, shorten a long list, omit an empty one. `Map.groupBy` does not
 * exist in Node 20.
 */

/** The items of each key, in their order; keys are in the order of their first items. */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) addToGroup(groups, keyOf(item), item);
  return groups;
}

/** Adds an item at the end of its group. */
export function addToGroup<Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [item]);
  else group.push(item);
}

/** The last item for which a condition holds, in a list in which it holds for the first items and for no later ones. */
export function lastUpTo<Item>(items: readonly Item[], holds: (item: Item) => boolean): Item | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const item = items[middle];
    if (item !== undefined && holds(item)) low = middle + 1;
    else high = middle;
  }
  return items[low - 1];
}

interface Abridging<Item> {
  /** The number of items to keep. */
  readonly most: number;
  /** The number of all items, if the list has only the first of them. */
  readonly all?: number | undefined;
  /** Makes the last item, such as `and 3 more`, from the number of items that are left out. */
  readonly more: (count: number) => Item;
}

/** The first items; if any are left out, one more item says how many. */
export function abridged<Item>(
  items: readonly Item[],
  { most, all = items.length, more }: Abridging<Item>,
): readonly Item[] {
  const first = items.slice(0, most);
  const leftOut = all - first.length;
  return leftOut > 0 ? [...first, more(leftOut)] : first;
}

/** The list, or undefined if it has no items, so that JSON leaves out its field. */
export function unlessEmpty<Item>(items: readonly Item[]): readonly Item[] | undefined {
  return items.length === 0 ? undefined : items;
}

export function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
