/**
 * The Prometheus metrics of a serving process: requests are counted as they end, everything else is computed when metrics are read.
 * Labels never hold unbounded texts of clients.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import { SHARES } from '../../serve/admission/budget.ts';
import type { ServeContext } from '../../serve/annex.ts';
import type { AccessLogEntry } from '../../serve/http/access-log.ts';
import { GRAPHQL_PATH } from '../../serve/http/graphql.ts';
import { nextChangeAt, upcomingEvents } from '../../serve/query/view.ts';
import type { BuildTotal, Upkeep } from '../../upkeep.ts';
import { asBuiltOf, droppedOf } from './reports.ts';

/** `errors`: answered, but with errors; `refused`: the client's fault; `failed`: the server's. */
type Outcome = 'ok' | 'errors' | 'refused' | 'failed';

/**
 * `route`: the path, without versions in file names; `operation`: root field of a GraphQL request or a feed, empty for others and for
 * unreadable ones; `application`: its name, empty for other callers.
 */
const LABELS = ['route', 'operation', 'caller', 'application', 'outcome'] as const;

/** Names of the metrics that `/status` shows (`usage.ts`). */
export const NAMES = {
  durations: 'almanakk_request_duration_seconds',
  reused: 'almanakk_reuse_requests_total',
  cached: 'almanakk_reuse_entries',
  cachedBytes: 'almanakk_reuse_bytes',
  limited: 'almanakk_rate_limited_total',
  admitted: 'almanakk_work_admitted_total',
  refused: 'almanakk_work_refused_total',
  working: 'almanakk_work_running',
  waiting: 'almanakk_work_waiting',
  memory: 'almanakk_memory_budget_bytes',
  shares: 'almanakk_memory_share_bytes',
};

/** Upper bounds of the buckets. Cached answers take some 0.03 ms, new ones some 0.3 ms and more. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Applications with their own series: more than an operator issues keys to, and few enough for a page. */
const MOST_APPLICATIONS = 200;
export const OTHERS = 'others';

export function createTraffic(registry: Registry): (entry: AccessLogEntry) => void {
  const registers = [registry];
  const durations = new Histogram({
    name: NAMES.durations,
    help: 'Requests and their time to the reply, by route, root field, caller, application and outcome',
    labelNames: LABELS,
    buckets: SECONDS,
    registers,
  });
  const reuse = new Counter({
    name: NAMES.reused,
    help: 'Answers and feeds without errors: hit for those that an earlier request had worked out',
    labelNames: ['result'],
    registers,
  });
  const [hits, misses] = [reuse.labels('hit'), reuse.labels('miss')];
  for (const counter of [hits, misses]) counter.inc(0);
  const limited = new Counter({
    name: NAMES.limited,
    help: 'Requests that were refused because the budget of their caller was used up (429)',
    labelNames: ['caller', 'application'],
    registers,
  });
  limited.labels('anonymous', '').inc(0);
  const applications = new Set<string>();

  const applicationOf = ({ kind, name = '' }: AccessLogEntry['caller']) => {
    if (kind !== 'application') return '';
    if (!applications.has(name) && applications.size >= MOST_APPLICATIONS) return OTHERS;
    applications.add(name);
    return name;
  };

  // Some 0.6 µs a request, of which prom-client takes 0.5; labels bound beforehand would cost the same.
  return (entry) => {
    const { caller, rootField: operation = '', milliseconds, reused } = entry;
    const outcome = outcomeOf(entry);
    const application = applicationOf(caller);
    const labels = { route: routeOf(entry), operation, caller: caller.kind, application, outcome };
    durations.observe(labels, milliseconds / 1_000);
    if (outcome === 'ok' && operation !== '') (reused ? hits : misses).inc();
    if (entry.status === 429) limited.inc({ caller: caller.kind, application });
  };
}

function outcomeOf({ status, failed }: AccessLogEntry): Outcome {
  if (status >= 500) return 'failed';
  if (status >= 400) return 'refused';
  return failed ? 'errors' : 'ok';
}

/** Without versions: `/graphQL/sandbox-0123456789ab/x.js` is `/graphQL/sandbox`, `/almanakk-0123456789ab.css` is `/almanakk`. */
function routeOf({ route = 'unknown' }: AccessLogEntry): string {
  return route === GRAPHQL_PATH ? route : route.replace(/-[0-9a-f]{12}[./].*$/, '');
}

type Labelled = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
  readonly isCounter?: boolean;
  /** How the values of several processes become one: the worst counts. */
  readonly across?: 'sum' | 'min' | 'max';
}

/** A value that is not a number, such as the age of no snapshot, is omitted. */
type Read = () => number | Labelled | Promise<Labelled>;

type AddMetric = (metric: Metric, read: Read) => void;

function metricsIn(registry: Registry): AddMetric {
  return ({ name, help, labels = [], isCounter = false, across = 'max' }, read) => {
    const collect = async function (this: Gauge | Counter) {
      const found = await read();
      this.reset();
      if (typeof found !== 'number') for (const [own, value] of found) this.inc(own, value);
      else if (Number.isFinite(found)) this.inc(found);
      else this.remove();
    };
    const Kind = isCounter ? Counter : Gauge;
    new Kind({ name, help, labelNames: labels, aggregator: across, registers: [registry], collect });
  };
}

type MetricsOptions = Pick<
  ServeContext,
  'registry' | 'keeper' | 'cacheSize' | 'clock' | 'load' | 'budget' | 'upkeep'
>;

export function createMetrics(options: MetricsOptions): void {
  const { registry, cacheSize, upkeep } = options;
  collectDefaultMetrics({ register: registry });
  const add = metricsIn(registry);
  const cached = { name: NAMES.cached, help: 'Finished answers at hand', across: 'sum' } as const;
  add(cached, () => cacheSize().entries);
  const memory = { name: NAMES.cachedBytes, help: 'Memory of finished answers', across: 'sum' } as const;
  add(memory, () => cacheSize().bytes);
  addSnapshot(add, options);
  addReports(add, options);
  addUpkeep(add, upkeep);
  createLoadMetrics(options);
  createBuildMetrics(registry, upkeep);
}

function addSnapshot(add: AddMetric, { keeper, clock }: MetricsOptions): void {
  const current = () => keeper.state().current;
  const now = () => clock() / 1_000;
  const info = 'The snapshot that answers come from';
  add({ name: 'almanakk_snapshot_info', help: info, labels: ['id', 'format'] }, () => {
    const snapshot = current();
    return snapshot === null ? [] : [[{ id: snapshot.id, format: `${snapshot.meta.format}` }, 1]];
  });
  const records = 'Records in the snapshot, by kind';
  add({ name: 'almanakk_snapshot_records', help: records, labels: ['kind'] }, () =>
    Object.entries(current()?.meta.counts ?? {}).map(([kind, count]) => [{ kind }, count]),
  );
  const open = '1 with a snapshot to answer from';
  add({ name: 'almanakk_snapshot_open', help: open, across: 'min' }, () => (current() === null ? 0 : 1));
  const age = 'Time since the snapshot was built';
  add({ name: 'almanakk_snapshot_age_seconds', help: age }, () => {
    const builtAt = Date.parse(current()?.meta.builtAt ?? '');
    return now() - builtAt / 1_000;
  });
  add({ name: 'almanakk_upcoming_events', help: 'Events that have not ended' }, () => {
    const snapshot = current();
    return snapshot === null ? Number.NaN : upcomingEvents(snapshot, now());
  });
  add({ name: 'almanakk_next_change_seconds', help: 'Time to the next change of any answer' }, () => {
    const snapshot = current();
    return snapshot === null ? Number.NaN : nextChangeAt(snapshot, now()) - now();
  });
  const refused = 'When a delivery was last refused; 0 for never';
  const refusedAt = () => (keeper.state().lastRefusal?.at ?? 0) / 1_000;
  add({ name: 'almanakk_snapshot_refused_timestamp_seconds', help: refused }, refusedAt);
}

/** What the build of the snapshot has written about its source. */
function addReports(add: AddMetric, { keeper }: MetricsOptions): void {
  const dropped = 'What the build of the snapshot could not use of its source, by kind';
  add({ name: 'almanakk_build_dropped', help: dropped, labels: ['kind'] }, async () => {
    const { report } = await asBuiltOf(keeper);
    return report === null ? [] : [...droppedOf(report)].map(([kind, count]) => [{ kind }, count]);
  });
  const help = 'Groups of events that the build made one (merged), or that are likely the same (likely)';
  add({ name: 'almanakk_build_duplicates', help, labels: ['kind'] }, async () => {
    const { report } = await asBuiltOf(keeper);
    const countOf = (action: string) => report?.actions.find((done) => done.action === action)?.count ?? 0;
    if (report === null) return [];
    return [
      [{ kind: 'merged' }, countOf('merged')],
      [{ kind: 'likely' }, countOf('likely same')],
    ];
  });
  const states =
    'Feeds of the snapshot, by state: ok, stale (failing, its last good records are used), failed';
  add({ name: 'almanakk_feeds', help: states, labels: ['state'] }, async () => {
    const { feeds } = await asBuiltOf(keeper);
    const countOf = (state: string) => feeds.filter((feed) => feed.state === state).length;
    return ['ok', 'stale', 'failed'].map((state) => [{ state }, countOf(state)]);
  });
}

/** D14: the load of this process, and the shares of its memory. */
export function createLoadMetrics({
  registry,
  load,
  budget,
}: Pick<ServeContext, 'registry' | 'load' | 'budget'>): void {
  const add = metricsIn(registry);
  const across = 'sum';
  const count = (name: string, help: string, read: Read) =>
    add({ name, help, isCounter: true, across }, read);
  count(NAMES.admitted, 'Work that was not at hand and was begun', () => load().admitted);
  count(NAMES.refused, 'Work that was refused because there was too much (503)', () => load().refused);
  add({ name: NAMES.working, help: 'Work that goes on', across }, () => load().running);
  add({ name: NAMES.waiting, help: 'Work that waits for its turn', across }, () => load().waiting);
  const memory = 'Memory that serving processes may take';
  add({ name: NAMES.memory, help: memory, across }, () => budget.memory);
  const help = 'Memory that is shared out, by what it is for';
  add({ name: NAMES.shares, help, labels: ['share'], across }, () =>
    SHARE_NAMES.map((share) => [{ share }, budget.share(share)]),
  );
}

const SHARE_NAMES = Object.keys(SHARES) as (keyof typeof SHARES)[];

/** Builds and copies: each process has the same values. */
export function createBuildMetrics(registry: Registry, upkeep: () => Pick<Upkeep, 'totals'>): void {
  const add = metricsIn(registry);
  const labels = ['kind', 'outcome'];
  const ofEach = (value: (total: BuildTotal) => number) => () =>
    upkeep().totals.map((total) => [{ kind: total.kind, outcome: total.outcome }, value(total)] as const);
  const builds = { name: 'almanakk_builds_total', help: 'Builds and copies, by outcome', labels };
  add(
    { ...builds, isCounter: true },
    ofEach(({ count }) => count),
  );
  const time = { name: 'almanakk_build_seconds_total', help: 'Time that they took', labels };
  add(
    { ...time, isCounter: true },
    ofEach(({ ms }) => ms / 1_000),
  );
  const last = { name: 'almanakk_build_last_seconds', help: 'Time that the last one took', labels };
  add(
    last,
    ofEach(({ lastMs }) => lastMs / 1_000),
  );
  const ended = 'When the last one ended';
  add(
    { name: 'almanakk_build_last_timestamp_seconds', help: ended, labels },
    ofEach(({ endedAt }) => endedAt / 1_000),
  );
}

/** The process that publishes or copies. */
function addUpkeep(add: AddMetric, upkeep: () => Upkeep): void {
  const store = () => upkeep().store;
  const seconds = (ms: number | null | undefined) => (ms ?? 0) / 1_000;
  const failing = 'Since when the store has not what the folder has, and why; 0 while it has';
  add({ name: 'almanakk_store_failing_since_timestamp_seconds', help: failing, labels: ['why'] }, () => {
    const { why = '', since } = store()?.failing ?? {};
    return [[{ why }, seconds(since)]];
  });
  const sent = 'When something was last sent to the store; 0 for never';
  add({ name: 'almanakk_store_sent_timestamp_seconds', help: sent }, () => seconds(store()?.sentAt));
  const seen = 'When another builder’s snapshot was last seen in the store; 0 for never';
  add({ name: 'almanakk_store_rival_timestamp_seconds', help: seen }, () => seconds(store()?.rival?.seenAt));
  const since = 'Since when the origin has been out of reach; 0 while it can be asked';
  add({ name: 'almanakk_origin_failing_since_timestamp_seconds', help: since }, () =>
    seconds(upkeep().origin?.since),
  );
  const bytes = { name: 'almanakk_store_sent_bytes_total', help: 'Bytes that were sent to the store' };
  add({ ...bytes, isCounter: true }, () => store()?.bytes ?? 0);
  const took = { name: 'almanakk_store_sent_seconds_total', help: 'Time that it took' };
  add({ ...took, isCounter: true }, () => seconds(store()?.ms));
}
