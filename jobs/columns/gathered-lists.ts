/** A short list for each event, all in one column: that of event e is values[at[e]] up to values[at[e + 1]]. */
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

/** The rows of each event, ascending. */
export function gatherRows(event: Int32Array, events: number): GatheredLists {
  const at = new Int32Array(events + 1);
  for (const ordinal of event) at[ordinal + 1] = (at[ordinal + 1] ?? 0) + 1;
  for (let ordinal = 0; ordinal < events; ordinal++)
    at[ordinal + 1] = (at[ordinal + 1] ?? 0) + (at[ordinal] ?? 0);
  const next = at.slice(0, events);
  const values = new Int32Array(event.length);
  for (const [row, ordinal] of event.entries()) {
    const place = next[ordinal] ?? 0;
    values[place] = row;
    next[ordinal] = place + 1;
  }
  return { at, values };
}
