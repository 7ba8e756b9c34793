/** What keeps the snapshot folder of this machine current, for `/status` and `/metrics`: builds, or copies (H6). */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { Counts } from '../../snapshot/meta.ts';

export interface BuildRecord {
  readonly kind: 'rebuild' | 'pull';
  readonly outcome: 'published' | 'unchanged' | 'failed';
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  /** Of the snapshot that it published or found unchanged. */
  readonly id: string | null;
  readonly counts: Counts | null;
  /** Why it failed. */
  readonly reason: string | null;
  /** The build's own report, its findings cut to the first few; null when it got to none. */
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

/** For the process that builds: what to call with each build as it ends. */
export function createBuildMetrics(registry: Registry): (record: BuildRecord) => void {
  const registers = [registry];
  const labelNames = ['kind', 'outcome'] as const;
  const builds = new Counter({
    name: 'almanakk_builds_total',
    help: 'Builds and copies, by outcome',
    labelNames,
    registers,
  });
  const seconds = new Counter({
    name: 'almanakk_build_seconds_total',
    help: 'Time that they took',
    labelNames,
    registers,
  });
  const lasts = new Gauge({
    name: 'almanakk_build_last_seconds',
    help: 'Time that the last one took',
    labelNames,
    registers,
  });
  const ended = new Gauge({
    name: 'almanakk_build_last_timestamp_seconds',
    help: 'When the last one ended',
    labelNames,
    registers,
  });
  return ({ kind, outcome, startedAt, ms }) => {
    const labels = { kind, outcome };
    builds.inc(labels);
    seconds.inc(labels, ms / 1_000);
    lasts.set(labels, ms / 1_000);
    ended.set(labels, (startedAt + ms) / 1_000);
  };
}
