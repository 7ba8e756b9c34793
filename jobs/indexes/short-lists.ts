/** Many short lists as two columns of numbers: for JavaScript, each list by itself would be an object. */

/** The values of all lists, one list after the other: list n is values[at[n]] up to values[at[n + 1]]. */
export interface ShortLists {
  readonly at: Int32Array<ArrayBuffer>;
  readonly values: Int32Array<ArrayBuffer>;
}

type ColumnPairs<Name extends string> = Readonly<Record<Name | `${Name}At`, Int32Array<ArrayBuffer>>>;

/** The columns of lists: `name` with the values, `nameAt` with their beginnings. */
export function columnPairs<Name extends string>(
  lists: Readonly<Record<Name, ShortLists>>,
): ColumnPairs<Name> {
  const columns = Object.entries<ShortLists>(lists).flatMap(([name, { at, values }]) => [
    [`${name}At`, at],
    [name, values],
  ]);
  return Object.fromEntries(columns) as ColumnPairs<Name>;
}

/** For each of `size` keys, the ascending list of indexes at which `keys` has it; -1 is no key. */
export function indexesByKey(keys: Int32Array, size: number): ShortLists {
  return groupByKey(size, (take) => {
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] as number;
      if (key >= 0) take(key, index);
    }
  });
}

/** A list for each key, of the values that `each` passes with it, in that order. `each` is called twice. */
export function groupByKey(
  size: number,
  each: (take: (key: number, value: number) => void) => void,
): ShortLists {
  const at = new Int32Array(size + 1);
  each((key) => {
    at[key + 1] = (at[key + 1] as number) + 1;
  });
  for (let key = 0; key < size; key++) at[key + 1] = (at[key + 1] as number) + (at[key] as number);
  const next = at.slice();
  const values = new Int32Array(at[size] as number);
  each((key, value) => {
    const index = next[key] as number;
    values[index] = value;
    next[key] = index + 1;
  });
  return { at, values };
}
