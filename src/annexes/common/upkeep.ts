/**
 * The states that annexes of a build report. They are added to the core's `AnnexUpkeep` by declaration merging: annexes of a build write
 * them, and the operator's page, its metrics and its mails read them. Without a unit, moments are milliseconds since 1970.
 */
import type { ChangeCounts } from '../../upkeep.ts';

declare module '../../upkeep.ts' {
  interface AnnexUpkeep {
    /** The origin of copies; null on a machine that builds, or that does neither. */
    readonly origin: OriginState | null;
    /** J1: the store that snapshots are copied to; null on a machine that publishes to none. */
    readonly store: StoreState | null;
    /** H10: the hooks that fail, the longest first. */
    readonly hooks: readonly FailingHook[];
    /** F19: the urgent sheets that this machine checks. */
    readonly urgentSheets: readonly UrgentSheetState[];
  }
}

/** F19: an urgent correction sheet. */
export interface UrgentSheetState {
  readonly id: string;
  /** When a check last read it, according to the last report; null if none has. If nothing else changes, there is a report every two minutes. */
  readonly readAt: number | null;
  /** Hash of what that check read: the builder compares it after a restart. */
  readonly content: string | null;
  /** The reason why the last check failed, and the time of the first check in a row that failed; null if the last check succeeded. */
  readonly failing: { readonly since: number; readonly reason: string } | null;
  /** When the first change that no build has applied was seen; null if every change is applied. */
  readonly waitingSince: number | null;
  /** When the build that applied the last change ended, and what it changed in the calendar; null if no such build is known. */
  readonly applied: { readonly at: number; readonly changes: ChangeCounts } | null;
}

export interface FailingHook {
  readonly host: string;
  /** Its place in ALMANAKK_HOOKS, from 1: several hooks may have one host, and their paths may be secrets. */
  readonly number: number;
  readonly since: number;
  readonly reason: string;
}

export interface OriginState {
  /** The reason why it cannot be reached; null if it can. */
  readonly outOfReach: string | null;
  /** When that began. */
  readonly since: number | null;
}

/** The kind of failure for which an operator has to choose: the store has the snapshots of another calendar. */
export const ANOTHER_CALENDAR = 'another calendar there';

interface FailingStore {
  readonly since: number;
  /** The kind of failure: a label of the metrics. */
  readonly why: string;
  /** The message of the error. */
  readonly reason: string;
}

/** A snapshot that another builder has put into the store. */
export interface Rival {
  readonly id: string;
  /** ISO 8601, as its manifest has it. */
  readonly builtAt: string;
  readonly seenAt: number;
}

/** J1: an object store that mirrors the folder. */
export interface StoreState {
  readonly name: string;
  /** Id of the snapshot that this machine put into the store last; null before the first. */
  readonly id: string | null;
  /** The failure for which the store differs from the folder; null while it does not. */
  readonly failing: FailingStore | null;
  /** The latest snapshot of another builder; null for none within a day. */
  readonly rival: Rival | null;
}
