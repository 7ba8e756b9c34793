/** C1 as numbers that sort by themselves: most hits first; with as many hits, by rank, the place by Norwegian name and id. */
export interface FacetOrder {
  readonly keyOf: (hits: number, rank: number) => number;
  readonly hitsOf: (key: number) => number;
  readonly rankOf: (key: number) => number;
}

/** Above any number of hits: times some millions of entities, keys are still exact. */
const MOST_HITS = 2 ** 31;

/** For ranks below `size`. */
export function facetOrder(size: number): FacetOrder {
  return {
    keyOf: (hits, rank) => (MOST_HITS - hits) * size + rank,
    hitsOf: (key) => MOST_HITS - Math.floor(key / size),
    rankOf: (key) => key % size,
  };
}
