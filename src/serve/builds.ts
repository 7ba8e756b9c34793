/** What became of a build, or of a copy from an origin (H6), for `/status` and `/metrics`. */
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

/** The latest builds of this machine, the latest first. */
export type LastBuilds = () => readonly BuildRecord[];
