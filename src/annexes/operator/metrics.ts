/**
 * The Prometheus metrics of a serving process: requests are counted as they end, everything else is read of the state that `/status`
 * shows. Labels never hold unbounded texts of clients.
 */
import { performance } from 'node:perf_hooks';
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { DROPPED } from '../../calendar/actions.ts';
import { packageVersion } from '../../package.ts';
import type { SemaphoreState } from '../../serve/admission/semaphore.ts';
import type { AccessLogEntry } from '../../serve/http/access-log.ts';
import type { CacheSize } from '../../serve/http/response-cache.ts';
import type { Upkeep } from '../../upkeep.ts';
import { CONCERN_NAMES, type Concern } from './concerns.ts';
import type { Health } from './health.ts';
import { countOf } from './reports.ts';
import { NAMES } from './status.ts';

/** `errors`: answered, but with errors; `refused`: the client's fault; `failed`: the server's. */
type Outcome = 'ok' | 'errors' | 'refused' | 'failed';

/**
 * `route`: the path; `operation`: root field of a GraphQL request or a feed, empty for others and for
 * unreadable ones; `application`: its name, empty for other callers.
 */
const LABELS = ['route', 'operation', 'caller', 'application', 'outcome'] as const;

/** Upper bounds of the buckets: cached answers are in the first ones. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

export function createTraffic(registry: Registry): (entry: AccessLogEntry) => void {
  const registers = [registry];
  const durations = new Histogram({
    name: NAMES.durations,
    help: 'Time to the response in seconds, and number of requests',
    labelNames: LABELS,
    buckets: SECONDS,
    registers,
  });
  const reuse = new Counter({
    name: 'almanakk_reuse_requests_total',
    help: 'Responses and feeds without errors: hit for those from the response cache',
    labelNames: ['result'],
    registers,
  });
  for (const result of ['hit', 'miss']) reuse.inc({ result }, 0);
  const limited = new Counter({
    name: 'almanakk_rate_limited_total',
    help: 'Requests refused because the quota of their caller was used up (429)',
    labelNames: ['caller', 'application'],
    registers,
  });
  limited.inc({ caller: 'anonymous', application: '' }, 0);

  return (entry) => {
    const { caller, route = 'unknown', rootField: operation = '', milliseconds, isCacheHit } = entry;
    const outcome = outcomeOf(entry);
    const application = caller.kind === 'application' ? (caller.name ?? '') : '';
    const labels = { route, operation, caller: caller.kind, application, outcome };
    durations.observe(labels, milliseconds / 1_000);
    if (outcome === 'ok' && operation !== '') reuse.inc({ result: isCacheHit ? 'hit' : 'miss' });
    if (entry.status === 429) limited.inc({ caller: caller.kind, application });
  };
}

function outcomeOf({ status, hasErrors }: AccessLogEntry): Outcome {
  if (status >= 500) return 'failed';
  if (status >= 400) return 'refused';
  return hasErrors ? 'errors' : 'ok';
}

/** The values that metrics are read from: the state of the calendar, and of this process. */
interface Measured extends Health {
  readonly concerns: readonly Concern[];
  readonly work: SemaphoreState;
  readonly cache: CacheSize;
  /** D14: bytes that this process may take. */
  readonly memory: number;
  /** On the disk of the snapshot folder; null if that is not known. */
  readonly freeBytes: number | null;
  readonly totals: Upkeep['totals'];
}

type Labelled = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

/** Null and undefined: there is no value, such as the age of no snapshot. */
type Read = (measured: Measured) => number | Labelled | null | undefined;

/** By name, with its labels in braces; a counter's name ends in `_total`. `across`: how the values of several processes become one. */
type Metrics = Readonly<Record<string, readonly [help: string, read: Read, across?: 'sum' | 'min' | 'max']>>;

const byKind = (counts: Readonly<Record<string, number>>): Labelled =>
  Object.entries(counts).map(([kind, count]) => [{ kind }, count]);

/** For each of these values, the number of entries that have it. */
const tally = <Label extends string>(
  label: Label,
  values: readonly string[],
  all: readonly Readonly<Record<Label, string>>[],
): Labelled => values.map((value) => [{ [label]: value }, all.filter((one) => one[label] === value).length]);

/** Values of the machine are the same in each process, so the largest one counts by default. */
const METRICS: Metrics = {
  'almanakk_build_info{version}': [
    'The running version of almanakk',
    () => [[{ version: packageVersion() }, 1]],
  ],
  [NAMES.admitted]: [
    'Tasks that were admitted; cached responses need none',
    ({ work }) => work.admitted,
    'sum',
  ],
  [NAMES.refused]: [
    'Tasks refused because the server was overloaded (503)',
    ({ work }) => work.refused,
    'sum',
  ],
  [NAMES.working]: ['Tasks in progress', ({ work }) => work.running, 'sum'],
  [NAMES.waiting]: ['Tasks that wait for their turn', ({ work }) => work.waiting, 'sum'],
  almanakk_event_loop_active_seconds_total: [
    'Seconds in which the event loop was not idle; a rate near 1 for each process is full load',
    () => performance.eventLoopUtilization().active / 1_000,
    'sum',
  ],
  almanakk_memory_budget_bytes: [
    'Memory that the serving processes may use (ALMANAKK_MEMORY_MB)',
    ({ memory }) => memory,
    'sum',
  ],
  almanakk_reuse_entries: ['Responses in the response cache', ({ cache }) => cache.entries, 'sum'],
  almanakk_reuse_bytes: ['Memory of the response cache', ({ cache }) => cache.bytes, 'sum'],
  almanakk_snapshot_open: [
    '1 if the server has a snapshot to serve, otherwise 0',
    ({ snapshot }) => (snapshot ? 1 : 0),
    'min',
  ],
  'almanakk_concern{name}': [
    '1 while this concern of /status is open, otherwise 0',
    ({ concerns }) => tally('name', CONCERN_NAMES, concerns),
  ],
  'almanakk_snapshot_info{id,format}': [
    'The snapshot that is served',
    ({ snapshot }) => snapshot && [[{ id: snapshot.id, format: `${snapshot.format}` }, 1]],
  ],
  almanakk_snapshot_age_seconds: [
    'Time since the snapshot was built',
    ({ snapshot }) => snapshot?.ageSeconds,
  ],
  almanakk_snapshot_free_bytes: [
    'Free space on the disk of the snapshot folder',
    ({ freeBytes }) => freeBytes,
    'min',
  ],
  almanakk_upcoming_events: ['Events that are not over', ({ snapshot }) => snapshot?.upcoming],
  'almanakk_build_dropped{kind}': [
    'Parts of the source that the build of the snapshot could not use',
    ({ report }) =>
      report && DROPPED.map((action) => [{ kind: action.replace('dropped ', '') }, countOf(report, action)]),
  ],
  'almanakk_build_duplicates{kind}': [
    'Groups of events that the build merged (merged), or that are likely duplicates (likely)',
    ({ report }) =>
      report && byKind({ merged: countOf(report, 'merged'), likely: countOf(report, 'likely same') }),
  ],
  'almanakk_feeds{state}': [
    'Feeds of the snapshot: ok, stale (failing, its last good records are used) or failed',
    ({ feeds }) => tally('state', ['ok', 'stale', 'failed'], feeds),
  ],
  'almanakk_store_failing_since_timestamp_seconds{why}': [
    'Unix time since which the object store has lacked the current snapshot, with the reason; 0 if it has the snapshot',
    ({ store }) => [
      [{ why: store?.failing?.why ?? '' }, store?.failing ? Date.parse(store.failing.since) / 1_000 : 0],
    ],
  ],
  'almanakk_builds_total{kind,outcome}': [
    'Builds, and copies from an origin',
    ({ totals }) => totals.map(({ kind, outcome, count }) => [{ kind, outcome }, count]),
  ],
};

/** Adds them to the registry. Returns what writes their values into it, to be called before they are read. */
export function createMetrics(registry: Registry, measure: () => Promise<Measured>): () => Promise<void> {
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: NEVER_MS });
  for (const name of [...MISNAMED, ...SAMPLED]) registry.removeSingleMetric(name);
  const writers = Object.entries(METRICS).map((metric) => writerOf(metric, registry));
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

function writerOf([signature, [help, read, across = 'max']]: [string, Metrics[string]], registry: Registry) {
  const [name = '', labels] = signature.split(/[{}]/);
  const Type = name.endsWith('_total') ? Counter : Gauge;
  const labelNames = labels?.split(',') ?? [];
  const metric = new Type({ name, help, labelNames, aggregator: across, registers: [registry] });
  return (measured: Measured): void => {
    const found = read(measured);
    metric.reset();
    if (typeof found === 'number') metric.inc(found);
    else for (const [labelled, value] of found ?? []) metric.inc(labelled, value);
    // Without labels, a metric has the value 0 from its reset on.
    if (labels === undefined && typeof found !== 'number') metric.remove();
  };
}
