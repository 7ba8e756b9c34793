/** From a first start to a last end. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export function unite(left: Span | null, right: Span): Span {
  if (left === null) return { start: right.start, end: right.end };
  return { start: Math.min(left.start, right.start), end: Math.max(left.end, right.end) };
}
