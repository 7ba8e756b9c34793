/** The states that annexes of a build report, and that servers show. */
declare module '../../upkeep.ts' {
  interface AnnexUpkeep {
    /** Where copies come from; none on a machine that builds, or that leaves both to others. */
    readonly origin: Origin | null;
    /** Where snapshots are copied to (J1); none on a machine that publishes to no store. */
    readonly store: StoreState | null;
    /** H10: the hook that has been failing for longest; null while all take what they are sent. */
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
  /** Why it cannot be asked; null when it can. */
  readonly outOfReach: string | null;
  /** Since when, in milliseconds since 1970. */
  readonly since: number | null;
}

/** J1: an object store that is kept as the folder is. Times are milliseconds since 1970. */
export interface StoreState {
  readonly name: string;
  /** Of the snapshot that the store has from here; null before the first. */
  readonly id: string | null;
  /** When something was last sent there. */
  readonly sentAt: number | null;
  /** Bytes and milliseconds of all that was sent. */
  readonly bytes: number;
  readonly ms: number;
  /** Why the store is not as the folder is; null while it is. */
  readonly failing: { readonly since: number; readonly why: string; readonly reason: string } | null;
  /** Another builder's latest trace; null for none within a day. */
  readonly rival: { readonly id: string; readonly builtAt: string; readonly seenAt: number } | null;
}
