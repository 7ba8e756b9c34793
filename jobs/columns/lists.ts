/** Many short lists in one column: that of n is values[at[n]] up to values[at[n + 1]]. */
export interface GatheredLists {
  readonly at: Int32Array<ArrayBuffer>;
  readonly values: Int32Array<ArrayBuffer>;
}

export function gatherLists<Item>(
  items: readonly Item[],
  listOf: (item: Item) => Iterable<number>,
): GatheredLists {
  const at = new Int32Array(items.length + 1);
  const values: number[] = [];
  for (const [place, item] of items.entries()) {
    for (const value of listOf(item)) values.push(value);
    at[place + 1] = values.length;
  }
  return { at, values: Int32Array.from(values) };
}

/** A list for each of `size` keys, of the places that have it in `keys`, ascending. */
export function gatherPlaces(keys: Int32Array, size: number): GatheredLists {
  const at = new Int32Array(size + 1);
  for (const key of keys) at[key + 1] = (at[key + 1] ?? 0) + 1;
  runningSums(at);
  const next = at.slice(0, size);
  const values = new Int32Array(keys.length);
  for (const [place, key] of keys.entries()) {
    const to = next[key] ?? 0;
    values[to] = place;
    next[key] = to + 1;
  }
  return { at, values };
}

/** Makes of each number the sum of it and all before it. */
export function runningSums(numbers: Int32Array): void {
  for (let place = 1; place < numbers.length; place++)
    numbers[place] = (numbers[place] as number) + (numbers[place - 1] as number);
}
