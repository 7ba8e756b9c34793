/** C1: most hits first; entities with as many hits stand by rank, which is their place by Norwegian name and then id. */
export function compareFacets(left: Counted, right: Counted, rank?: Int32Array): number {
  if (left.hits !== right.hits) return right.hits - left.hits;
  return rankOf(left.ordinal, rank) - rankOf(right.ordinal, rank);
}

interface Counted {
  readonly ordinal: number;
  readonly hits: number;
}

/** Without a rank, the ordinals are themselves in that order. */
function rankOf(ordinal: number, rank: Int32Array | undefined): number {
  return rank?.[ordinal] ?? ordinal;
}
