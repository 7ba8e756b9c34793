/** The states that annexes of a build report, and that servers show. */
declare module '../../upkeep.ts' {
  interface AnnexUpkeep {
    /** The origin of copies; null on a machine that builds, or that does neither. */
    readonly origin: Origin | null;
    /** J1: the store that snapshots are copied to; null on a machine that publishes to none. */
    readonly store: StoreState | null;
    /** H10: the hook that has been failing for the longest time; null while all accept their calls. */
    readonly hook: FailingHook | null;
  }
}

export interface FailingHook {
  readonly host: string;
  /** Milliseconds since 1970. */
  readonly since: number;
  readonly reason: string;
}

export interface Origin {
  /** The reason why it cannot be reached; null if it can. */
  readonly outOfReach: string | null;
  /** When that began, in milliseconds since 1970. */
  readonly since: number | null;
}

interface FailingStore {
  readonly since: number;
  /** The kind of failure: a label of the metrics. */
  readonly why: string;
  /** The message of the error. */
  readonly reason: string;
}

/** J1: an object store that mirrors the folder. Times are milliseconds since 1970. */
export interface StoreState {
  readonly name: string;
  /** Id of the snapshot that this machine put into the store last; null before the first. */
  readonly id: string | null;
  /** The failure for which the store differs from the folder; null while it does not. */
  readonly failing: FailingStore | null;
  /** The latest snapshot of another builder; null for none within a day. */
  readonly rival: { readonly id: string; readonly builtAt: string; readonly seenAt: number } | null;
}
