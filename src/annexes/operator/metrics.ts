/**
 * The Prometheus metrics of a serving process that are read from the state that `/status` shows; `traffic.ts` counts requests. Labels never
 * hold unbounded texts of clients.
 */
import { performance } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { DROPPED } from '../../calendar/actions.ts';
import { packageCommit, packageVersion } from '../../package.ts';
import type { CacheSize } from '../../serve/admission/filtered-cache.ts';
import type { SemaphoreState } from '../../serve/admission/semaphore.ts';
import type { Upkeep } from '../../upkeep.ts';
import { countOf } from './build-report.ts';
import type { Concern } from './concerns/concern.ts';
import { CONCERN_NAMES } from './concerns.ts';
import type { Health } from './health.ts';
import { isNodeReplaced } from './node-file.ts';
import { NAMES } from './status.ts';

/** The values that metrics are read from: the state of the calendar, and of this process. */
interface Measured extends Health {
  readonly concerns: readonly Concern[];
  readonly work: SemaphoreState;
  readonly cache: CacheSize;
  /** D14: bytes that this process may take. */
  readonly memory: number;
  readonly totals: Upkeep['totals'];
  /** H12: when this server last stopped because it was told to, in Unix seconds; 0 for never. */
  readonly plannedStopAt: number;
}

/** The value of a metric for a combination of its labels. */
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number];

/** Null and undefined: there is no value, such as the age of no snapshot. */
type Reading = number | readonly Sample[] | null | undefined;

interface Metric {
  /** The name of a counter ends in `_total`. */
  readonly name: string;
  readonly labels?: readonly string[];
  readonly help: string;
  readonly read: (measured: Measured) => Reading;
  /**
   * How the values of several processes become one. By default the largest counts: values of the machine and of the snapshot are the same in
   * each process.
   */
  readonly across?: 'sum' | 'min' | 'max';
}

const METRICS: readonly Metric[] = [
  {
    name: 'almanakk_build_info',
    labels: ['version', 'commit'],
    help: 'The running version of almanakk, and the commit that it was compiled from',
    read: () => [[{ version: packageVersion(), commit: packageCommit() ?? '' }, 1]],
  },
  {
    name: 'almanakk_node_replaced',
    help: '1 if Node has been updated since the server started, so that it still runs the old version, otherwise 0',
    read: () => Number(isNodeReplaced()),
  },
  {
    name: 'almanakk_planned_stop_timestamp_seconds',
    help: 'Unix time at which the server last stopped because it was told to; 0 if never. It changes with the start after that',
    read: ({ plannedStopAt }) => plannedStopAt,
  },
  {
    name: NAMES.admitted,
    help: 'Tasks that were admitted; cached responses need none',
    read: ({ work }) => work.admitted,
    across: 'sum',
  },
  {
    name: NAMES.refused,
    help: 'Tasks refused because the server was overloaded (503)',
    read: ({ work }) => work.refused,
    across: 'sum',
  },
  {
    name: NAMES.working,
    help: 'Tasks in progress',
    read: ({ work }) => work.running,
    across: 'sum',
  },
  {
    name: NAMES.waiting,
    help: 'Tasks that wait for their turn',
    read: ({ work }) => work.waiting,
    across: 'sum',
  },
  {
    name: 'almanakk_event_loop_active_seconds_total',
    help: 'Seconds in which the event loop was not idle; a rate near 1 for each process is full load',
    read: () => performance.eventLoopUtilization().active / 1_000,
    across: 'sum',
  },
  {
    name: 'almanakk_memory_budget_bytes',
    help: 'Memory that the serving processes may use (ALMANAKK_MEMORY_MB)',
    read: ({ memory }) => memory,
    across: 'sum',
  },
  {
    name: 'almanakk_reuse_entries',
    help: 'Responses in the response cache',
    read: ({ cache }) => cache.entries,
    across: 'sum',
  },
  {
    name: 'almanakk_reuse_bytes',
    help: 'Memory of the response cache',
    read: ({ cache }) => cache.bytes,
    across: 'sum',
  },
  {
    name: 'almanakk_snapshot_open',
    help: '1 if the server has a snapshot to serve, otherwise 0',
    read: ({ snapshot }) => (snapshot ? 1 : 0),
    across: 'min',
  },
  {
    name: 'almanakk_concern',
    labels: ['name'],
    help: '1 while this concern of /status is open, otherwise 0',
    read: ({ concerns }) => tally('name', CONCERN_NAMES, concerns),
  },
  {
    name: 'almanakk_snapshot_info',
    labels: ['id', 'format'],
    help: 'The snapshot that is served',
    read: ({ snapshot }) => snapshot && [[{ id: snapshot.id, format: `${snapshot.format}` }, 1]],
  },
  {
    name: 'almanakk_snapshot_age_seconds',
    help: 'Time since the snapshot was built',
    read: ({ snapshot }) => snapshot?.ageSeconds,
  },
  {
    name: 'almanakk_snapshot_bytes',
    help: 'Size of the snapshot file',
    read: ({ disk }) => disk?.fileBytes,
  },
  {
    name: 'almanakk_snapshot_free_bytes',
    help: 'Free space on the disk of the snapshot folder',
    read: ({ disk }) => disk?.freeBytes,
    across: 'min',
  },
  {
    name: 'almanakk_upcoming_events',
    help: 'Events that are not over',
    read: ({ snapshot }) => snapshot?.upcoming,
  },
  {
    name: 'almanakk_build_dropped',
    labels: ['kind'],
    help: 'Parts of the source that the build of the snapshot could not use',
    read: ({ report }) =>
      report && DROPPED.map((action) => [{ kind: action.replace('dropped ', '') }, countOf(report, action)]),
  },
  {
    name: 'almanakk_build_duplicates',
    labels: ['kind'],
    help: 'Groups of events that the build merged (merged), or that are likely duplicates (likely)',
    read: ({ report }) =>
      report && byKind({ merged: countOf(report, 'merged'), likely: countOf(report, 'likely same') }),
  },
  {
    name: 'almanakk_feeds',
    labels: ['state'],
    help: 'Feeds of the snapshot: ok, stale (failing, its last good records are used) or failed',
    read: ({ feeds }) => tally('state', ['ok', 'stale', 'failed'], feeds),
  },
  {
    name: 'almanakk_feed_failing_since_timestamp_seconds',
    labels: ['feed'],
    help: 'Unix time since which the feed has been failing; 0 if it works',
    read: ({ feeds }) =>
      metered(feeds).map(({ id, since }) => [{ feed: id }, since === null ? 0 : Date.parse(since) / 1_000]),
  },
  {
    name: 'almanakk_feed_events',
    labels: ['feed'],
    help: 'Events of the feed that the snapshot uses, before duplicates are merged',
    read: ({ feeds }) => metered(feeds).map(({ id, events }) => [{ feed: id }, events ?? 0]),
  },
  {
    name: 'almanakk_store_failing_since_timestamp_seconds',
    labels: ['why'],
    help: 'Unix time since which the object store has lacked the current snapshot, with the reason; 0 if it has the snapshot',
    read: ({ store }) => [
      [{ why: store?.failing?.why ?? '' }, store?.failing ? Date.parse(store.failing.since) / 1_000 : 0],
    ],
  },
  {
    name: 'almanakk_builder_crashes',
    help: 'Crashes of the builder during builds since the last build that ended; no value without a builder on a schedule',
    read: ({ builder }) => builder?.crashes,
  },
  {
    name: 'almanakk_builds_total',
    labels: ['kind', 'outcome'],
    help: 'Builds, and copies from an origin',
    read: ({ totals }) => totals.map(({ kind, outcome, count }) => [{ kind, outcome }, count]),
  },
];

/** Feeds with series of their own; `almanakk_feeds` counts all. */
const MOST_FEEDS = 1_000;

/** The failing ones come first, so that the limit leaves out those that work. */
function metered(feeds: Measured['feeds']): Measured['feeds'] {
  const failing = feeds.filter(({ since }) => since !== null);
  const working = feeds.filter(({ since }) => since === null);
  return [...failing, ...working].slice(0, MOST_FEEDS);
}

const byKind = (counts: Readonly<Record<string, number>>): readonly Sample[] =>
  Object.entries(counts).map(([kind, count]) => [{ kind }, count]);

/** For each of these values, the number of entries that have it. */
const tally = <Label extends string>(
  label: Label,
  values: readonly string[],
  all: readonly Readonly<Record<Label, string>>[],
): readonly Sample[] =>
  values.map((value) => [{ [label]: value }, all.filter((one) => one[label] === value).length]);

/** Adds them to the registry. Returns what writes their values into it, to be called before they are read. */
export function createMetrics(registry: Registry, measure: () => Promise<Measured>): () => Promise<void> {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of [...MISNAMED, ...SAMPLED]) registry.removeSingleMetric(name);
  const writers = METRICS.map((metric) => writerOf(metric, registry));
  return async () => {
    const measured = await measure();
    for (const write of writers) write(measured);
  };
}

/** Gauges of the library with names of counters, which Prometheus warns of; each is the sum of another one. */
const MISNAMED = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/**
 * Gauges of the library that sample the event loop with a timer: at its default of 10 ms an idle server wakes up 100 times a second, and at
 * longer intervals they count the interval itself as delay. The seconds that the loop is active need no timer.
 */
const SAMPLED = ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'].map(
  (name) => `nodejs_eventloop_lag_${name}_seconds`,
);
/** The longest interval that a timer takes, 24 days. */
const NEVER_MS = 2 ** 31 - 1;

function writerOf(
  { name, labels = [], help, read, across: aggregator = 'max' }: Metric,
  registry: Registry,
): (measured: Measured) => void {
  const Type = name.endsWith('_total') ? Counter : Gauge;
  const metric = new Type({ name, help, labelNames: [...labels], aggregator, registers: [registry] });
  return (measured) => {
    const reading = read(measured);
    metric.reset();
    if (typeof reading === 'number') metric.inc(reading);
    else for (const [sampled, value] of reading ?? []) metric.inc(sampled, value);
    // Without labels, a metric has the value 0 from its reset on.
    if (labels.length === 0 && typeof reading !== 'number') metric.remove();
  };
}
