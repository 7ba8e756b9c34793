/** When to look at an origin again. */

export interface Look {
  /** Milliseconds between looks while all is well. */
  readonly pollMs: number;
  /** Looks in a row that found the origin out of reach. */
  readonly failures: number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

/** An origin that comes back is found within this, however long it was away. */
const LONGEST_MS = 60_000;

/** Milliseconds. Spread out, so that many replicas do not all ask in the same moment. */
export function waitBeforeLook({ pollMs, failures, random }: Look): number {
  if (failures === 0) return pollMs * (0.9 + 0.2 * random());
  const longest = Math.max(pollMs, LONGEST_MS);
  return Math.min(pollMs * 2 ** failures, longest) * (0.5 + 0.5 * random());
}
