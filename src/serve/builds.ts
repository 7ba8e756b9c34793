/** What keeps the snapshot folder of this machine current, for `/status` and `/metrics`: builds, or copies (H6). */
import type { Counts } from '../snapshot/meta.ts';

export const BUILD_OUTCOMES = ['published', 'unchanged', 'failed'] as const;
export type BuildOutcome = (typeof BUILD_OUTCOMES)[number];

export interface BuildRecord {
  readonly kind: 'rebuild' | 'pull';
  readonly outcome: BuildOutcome;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  /** Of the snapshot that it published or found unchanged. */
  readonly id: string | null;
  readonly counts: Counts | null;
  /** Why it failed. */
  readonly reason: string | null;
  /** The build's own report, its complaints cut to the first few; null when it got to none. */
  readonly report: Readonly<Record<string, unknown>> | null;
}

export interface Upkeep {
  /** The latest first. */
  readonly builds: readonly BuildRecord[];
  /** Where copies come from; null for a machine that builds, or that leaves both to others. */
  readonly origin: Origin | null;
}

export interface Origin {
  /** Why it cannot be asked; null when it can. */
  readonly outOfReach: string | null;
}

export const NO_UPKEEP: Upkeep = { builds: [], origin: null };
