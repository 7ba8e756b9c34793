/** The Prometheus metrics of a serving process. Everything is read off when somebody asks; nothing is kept up to date. */
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import type { Keeper } from '../../snapshot/keeper.ts';
import { nextChangeAt, upcomingEvents } from '../query/view.ts';
import { asBuiltOf, droppedOf } from './build-report.ts';

/** As prom-client hands them on: of one process, or added up over several. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Of all processes of this server. */
export interface Metrics {
  readonly values: () => Promise<MetricValues>;
  /** Prometheus's text format. */
  readonly text: () => Promise<string>;
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function samplesOf(metrics: MetricValues): readonly Sample[] {
  return metrics.flatMap(({ name, values }) =>
    values.map((one) => ({
      // A histogram's values say which of its three names they have.
      name: 'metricName' in one ? String(one.metricName) : name,
      labels: Object.fromEntries(Object.entries(one.labels).map(([label, text]) => [label, `${text}`])),
      value: one.value,
    })),
  );
}

interface MetricsOptions {
  readonly registry: Registry;
  readonly keeper: Pick<Keeper, 'pin' | 'state'>;
  readonly cacheSize: () => { readonly entries: number; readonly bytes: number };
  /** Of the quota: callers that are remembered. */
  readonly quotaCallers: () => number;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

export function createMetrics(options: MetricsOptions): void {
  const { registry, cacheSize, quotaCallers } = options;
  collectDefaultMetrics({ register: registry });
  gauge(options, 'almanakk_reuse_bytes', 'Memory of finished answers', 'sum', () => cacheSize().bytes);
  gauge(options, 'almanakk_reuse_entries', 'Finished answers at hand', 'sum', () => cacheSize().entries);
  gauge(
    options,
    'almanakk_quota_callers',
    'Callers of this minute that the quota remembers',
    'sum',
    quotaCallers,
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
  new Gauge({
    name: 'almanakk_build_dropped',
    help: 'What the build of the snapshot could not use of its source, by kind',
    labelNames: ['kind'],
    aggregator: 'max',
    registers,
    async collect() {
      const { report } = await asBuiltOf(keeper);
      this.reset();
      if (report === null) return;
      for (const [kind, count] of droppedOf(report)) this.set({ kind }, count);
    },
  });
  new Gauge({
    name: 'almanakk_feeds',
    help: 'Feeds of the snapshot, by state: ok, stale (failing, its last good records are used), failed',
    labelNames: ['state'],
    aggregator: 'max',
    registers,
    async collect() {
      const { feeds } = await asBuiltOf(keeper);
      this.reset();
      for (const state of ['ok', 'stale', 'failed'])
        this.set({ state }, feeds.filter((feed) => feed.state === state).length);
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
  { registry }: MetricsOptions,
  name: string,
  help: string,
  aggregator: Aggregator,
  read: () => number,
): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers: [registry],
    collect() {
      const value = read();
      if (Number.isFinite(value)) this.set(value);
      else this.remove();
    },
  });
}
