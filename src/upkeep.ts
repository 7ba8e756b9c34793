/** The state of the builds or copies that keep this machine's snapshot folder current (H6), as servers show it. */
import type { SnapshotCounts } from './snapshot/meta.ts';

export interface BuildRecord {
  readonly kind: 'rebuild' | 'pull';
  readonly outcome: 'published' | 'unchanged' | 'failed';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  /** Id of the snapshot that it published or found unchanged. */
  readonly id: string | null;
  readonly counts: SnapshotCounts | null;
  /** G10: events added, changed and removed, if the build published. */
  readonly changes?: ChangeCounts | undefined;
  /** The reason of a failure. */
  readonly reason: string | null;
  /** H9: the reason without values of records; absent if it has none. */
  readonly publicReason?: string | undefined;
  /** G2: the number of things that the build left out. */
  readonly dropped: number;
  /** F19: when this or an earlier build last read each correction sheet that works (ISO 8601). Absent if there are none. */
  readonly sheetsReadAt?: Readonly<Record<string, string>> | undefined;
}

export interface ChangeCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/**
 * A builder's sign of life, which it writes as each build begins and ends, even if nothing else has changed. Servers of other versions read
 * it, and so does the builder when it starts again.
 */
export interface Schedule {
  readonly aliveAt: number;
  /** The schedule's next moment; null for never. */
  readonly nextBuildAt: number | null;
  /**
   * When the running build is stopped if it has not finished; null if no build is running. If a crash cuts off a build, the next build has the
   * same time.
   */
  readonly buildingUntil: number | null;
  /** Crashes that have cut off a build since a build last ended. */
  readonly crashes: number;
}

/** The states that annexes report, each under its own name; an annex declares its state by adding a field to this interface. */
export interface AnnexUpkeep {
  /** G7: of scheduled builds; null on a machine that builds on no schedule. Milliseconds since 1970. */
  readonly schedule: Schedule | null;
}

export interface Upkeep extends Partial<AnnexUpkeep> {
  /** The latest ones, newest first. */
  readonly builds: readonly BuildRecord[];
  /** All builds since the start, by kind and outcome. */
  readonly totals: readonly BuildTotal[];
}

export interface BuildTotal extends Pick<BuildRecord, 'kind' | 'outcome'> {
  readonly count: number;
}

/** The totals with one more build. */
export function addBuild(
  totals: readonly BuildTotal[],
  { kind, outcome }: Pick<BuildRecord, 'kind' | 'outcome'>,
): readonly BuildTotal[] {
  const isSame = (total: BuildTotal) => total.kind === kind && total.outcome === outcome;
  const count = totals.find(isSame)?.count ?? 0;
  return [...totals.filter((other) => !isSame(other)), { kind, outcome, count: count + 1 }];
}

export const NO_UPKEEP: Upkeep = { builds: [], totals: [] };
