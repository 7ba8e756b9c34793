/** The Prometheus metrics of a serving process. Everything is read off when somebody asks; nothing is kept up to date. */
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Keeper } from '../snapshot/keeper.ts';
import type { BuildRecord } from './builds.ts';
import { createDurations } from './metrics/durations.ts';
import { nextChangeAt, upcomingEvents } from './query/view.ts';
import type { TrafficCounts } from './traffic.ts';

/** Fills in what is known when it is asked for. */
export interface MetricsOptions {
  readonly registry: Registry;
  readonly traffic: TrafficCounts;
  readonly keeper: Pick<Keeper, 'state'>;
  readonly cacheSize: () => { readonly entries: number; readonly bytes: number };
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export function createMetrics(options: MetricsOptions): void {
  const { registry, traffic } = options;
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  createDurations({
    name: 'almanakk_request_duration_seconds',
    help: 'Requests and their time to the reply, by route, root field, caller, application and outcome',
    registers,
    series: traffic.series,
  });
  new Counter({
    name: 'almanakk_reuse_requests_total',
    help: 'GraphQL answers without errors: hit for those that an earlier request had worked out',
    labelNames: ['result'],
    registers,
    collect() {
      const { hits, misses } = traffic.reuse();
      this.reset();
      this.inc({ result: 'hit' }, hits);
      this.inc({ result: 'miss' }, misses);
    },
  });
  gauge(
    options,
    'almanakk_reuse_bytes',
    'Memory of finished answers',
    'sum',
    ({ cacheSize }) => cacheSize().bytes,
  );
  gauge(
    options,
    'almanakk_reuse_entries',
    'Finished answers at hand',
    'sum',
    ({ cacheSize }) => cacheSize().entries,
  );
  createSnapshotMetrics(options);
}

/** Of several processes, the worst counts: the oldest snapshot, the latest refusal. */
function createSnapshotMetrics(options: MetricsOptions): void {
  const { registry, keeper } = options;
  const registers = [registry];
  const current = () => keeper.state().current;
  const builtAt = () => Date.parse(current()?.meta.builtAt ?? '') / 1_000;
  const now = () => options.clock() / 1_000;
  new Gauge({
    name: 'almanakk_snapshot_info',
    help: 'The snapshot that answers come from',
    labelNames: ['id', 'format'],
    aggregator: 'max',
    registers,
    collect() {
      const snapshot = current();
      this.reset();
      if (snapshot !== null) this.set({ id: snapshot.id, format: snapshot.meta.format }, 1);
    },
  });
  new Gauge({
    name: 'almanakk_snapshot_records',
    help: 'Records in the snapshot, by kind',
    labelNames: ['kind'],
    aggregator: 'max',
    registers,
    collect() {
      this.reset();
      for (const [kind, count] of Object.entries(current()?.meta.counts ?? {})) this.set({ kind }, count);
    },
  });
  gauge(options, 'almanakk_snapshot_open', '1 with a snapshot to answer from', 'min', () =>
    current() === null ? 0 : 1,
  );
  gauge(
    options,
    'almanakk_snapshot_age_seconds',
    'Time since the snapshot was built',
    'max',
    () => now() - builtAt(),
  );
  gauge(options, 'almanakk_upcoming_events', 'Events that have not ended', 'max', () => {
    const snapshot = current();
    return snapshot === null ? Number.NaN : upcomingEvents(snapshot, now());
  });
  gauge(options, 'almanakk_next_change_seconds', 'Time to the next change of any answer', 'max', () => {
    const snapshot = current();
    return snapshot === null ? Number.NaN : nextChangeAt(snapshot, now()) - now();
  });
  gauge(
    options,
    'almanakk_snapshot_refused_timestamp_seconds',
    'When a delivery was last refused; 0 for never',
    'max',
    () => (keeper.state().lastRefusal?.at ?? 0) / 1_000,
  );
}

type Aggregator = 'sum' | 'min' | 'max';

/** What is not a number, such as the age of no snapshot, is left out. */
function gauge(
  options: MetricsOptions,
  name: string,
  help: string,
  aggregator: Aggregator,
  read: (options: MetricsOptions) => number,
): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers: [options.registry],
    collect() {
      const value = read(options);
      if (Number.isFinite(value)) this.set(value);
      else this.remove();
    },
  });
}

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
