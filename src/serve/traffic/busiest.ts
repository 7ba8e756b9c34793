/**
 * The busiest of any number of texts, in bounded room (Metwally's Space-Saving): a text that there is no room for takes
 * the place, and the count, of the least busy. Whatever makes up more than one in `size` of all is never pushed out.
 */
export interface Busiest {
  readonly add: (text: string) => void;
  /** The busiest first. */
  readonly counts: () => readonly Counted[];
}

export interface Counted {
  readonly text: string;
  /** Too high by `over` at the most. */
  readonly count: number;
  readonly over: number;
}

export function createBusiest(size: number): Busiest {
  const entries = new Map<string, { count: number; over: number }>();
  return {
    add: (text) => {
      const known = entries.get(text);
      if (known !== undefined) known.count++;
      else if (entries.size < size) entries.set(text, { count: 1, over: 0 });
      else {
        const [least, { count }] = leastOf(entries);
        entries.delete(least);
        entries.set(text, { count: count + 1, over: count });
      }
    },
    counts: () =>
      [...entries]
        .map(([text, { count, over }]) => ({ text, count, over }))
        .sort((left, right) => right.count - left.count || (left.text < right.text ? -1 : 1)),
  };
}

function leastOf<Entry extends { readonly count: number }>(
  entries: ReadonlyMap<string, Entry>,
): readonly [string, { readonly count: number }] {
  let least: readonly [string, { readonly count: number }] = ['', { count: Number.POSITIVE_INFINITY }];
  for (const entry of entries) if (entry[1].count < least[1].count) least = entry;
  return least;
}
