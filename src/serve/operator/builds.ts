/** What keeps the snapshot folder of this machine current, for `/status` and `/metrics`: builds, or copies (H6). */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { StoreState } from '../../snapshot/folder.ts';
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
  /** Where snapshots are copied to (J1); null for a machine that publishes to no store. */
  readonly store: StoreState | null;
}

export interface Origin {
  /** Why it cannot be asked; null when it can. */
  readonly outOfReach: string | null;
  /** Since when, in milliseconds since 1970. */
  readonly since: number | null;
}

export const NO_UPKEEP: Upkeep = { builds: [], origin: null, store: null };

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

/** For the process that publishes or copies: everything is read off when somebody asks. */
export function createUpkeepMetrics(registry: Registry, upkeep: () => Upkeep): void {
  const registers = [registry];
  const store = () => upkeep().store;
  const gauge = (name: string, help: string, milliseconds: () => number | null | undefined) => {
    const collect = function (this: Gauge) {
      this.set((milliseconds() ?? 0) / 1_000);
    };
    new Gauge({ name, help, registers, collect });
  };
  new Gauge({
    name: 'almanakk_store_failing_since_timestamp_seconds',
    help: 'Since when the store has not what the folder has, and why; 0 while it has',
    labelNames: ['why'],
    registers,
    collect() {
      const failing = store()?.failing ?? null;
      this.reset();
      this.set({ why: failing?.why ?? '' }, (failing?.since ?? 0) / 1_000);
    },
  });
  gauge(
    'almanakk_store_sent_timestamp_seconds',
    'When something was last sent to the store; 0 for never',
    () => store()?.sentAt,
  );
  gauge(
    'almanakk_store_rival_timestamp_seconds',
    'When another builder’s snapshot was last seen in the store; 0 for never',
    () => store()?.rival?.seenAt,
  );
  gauge(
    'almanakk_origin_failing_since_timestamp_seconds',
    'Since when the origin has been out of reach; 0 while it can be asked',
    () => upkeep().origin?.since,
  );
  new Counter({
    name: 'almanakk_store_sent_bytes_total',
    help: 'Bytes that were sent to the store',
    registers,
    collect() {
      this.reset();
      this.inc(store()?.bytes ?? 0);
    },
  });
  new Counter({
    name: 'almanakk_store_sent_seconds_total',
    help: 'Time that it took',
    registers,
    collect() {
      this.reset();
      this.inc((store()?.ms ?? 0) / 1_000);
    },
  });
}
