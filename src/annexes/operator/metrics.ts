/**
 * The Prometheus metrics of a serving process: requests are counted as they end, everything else is computed when metrics are read.
 * Labels never hold unbounded texts of clients.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricValues } from '../../serve/annex.ts';
import type { AccessLogEntry } from '../../serve/http/access-log.ts';
import { GRAPHQL_PATH } from '../../serve/http/graphql.ts';
import { nextChangeAt, upcomingEvents } from '../../serve/query/view.ts';
import type { Keeper } from '../../snapshot/keeper.ts';
import { asBuiltOf, droppedOf } from './builds.ts';

/** `errors`: answered, but with errors; `refused`: the client's fault; `failed`: the server's. */
type Outcome = 'ok' | 'errors' | 'refused' | 'failed';

/**
 * `route`: the path, without versions in file names; `operation`: root field of a GraphQL request or a feed, empty for others and for
 * unreadable ones; `application`: its name, empty for other callers.
 */
const LABELS = ['route', 'operation', 'caller', 'application', 'outcome'] as const;

export const DURATIONS = 'almanakk_request_duration_seconds';
export const REUSE = {
  requests: 'almanakk_reuse_requests_total',
  entries: 'almanakk_reuse_entries',
  bytes: 'almanakk_reuse_bytes',
};
export const LIMITED = 'almanakk_rate_limited_total';

/** Upper bounds of the buckets. Cached answers take some 0.03 ms, new ones some 0.3 ms and more. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Applications with their own series: more than an operator issues keys to, and few enough for a page. */
const MOST_APPLICATIONS = 200;
const MOST_HOSTS = 100;
export const OTHERS = 'others';

export interface Traffic {
  readonly record: (entry: AccessLogEntry) => void;
  /** Hosts of the pages that calls came from, the busiest first. */
  readonly pageHosts: () => readonly Counted[];
}

export function createTraffic(registry: Registry): Traffic {
  const registers = [registry];
  const durations = new Histogram({
    name: DURATIONS,
    help: 'Requests and their time to the reply, by route, root field, caller, application and outcome',
    labelNames: LABELS,
    buckets: SECONDS,
    registers,
  });
  const reuse = new Counter({
    name: REUSE.requests,
    help: 'Answers and feeds without errors: hit for those that an earlier request had worked out',
    labelNames: ['result'],
    registers,
  });
  const [hits, misses] = [reuse.labels('hit'), reuse.labels('miss')];
  for (const counter of [hits, misses]) counter.inc(0);
  const limited = new Counter({
    name: LIMITED,
    help: 'Requests that were refused because the budget of their caller was used up (429)',
    labelNames: ['caller', 'application'],
    registers,
  });
  limited.labels('anonymous', '').inc(0);
  const applications = new Set<string>();
  /** Calls by host of the page. */
  const hosts = new Map<string, number>();

  const applicationOf = ({ kind, name = '' }: AccessLogEntry['caller']) => {
    if (kind !== 'application') return '';
    if (applications.has(name)) return name;
    if (applications.size >= MOST_APPLICATIONS) return OTHERS;
    applications.add(name);
    return name;
  };

  const countHost = (host: string) => {
    const name = hosts.has(host) || hosts.size < MOST_HOSTS - 1 ? host : OTHERS;
    hosts.set(name, (hosts.get(name) ?? 0) + 1);
  };

  return {
    // Some 0.6 µs a request, of which prom-client takes 0.5; labels bound beforehand would cost the same.
    record: (entry) => {
      const { caller, rootField: operation = '', milliseconds, reused } = entry;
      const route = routeOf(entry);
      const outcome = outcomeOf(entry);
      const application = applicationOf(caller);
      const labels = { route, operation, caller: caller.kind, application, outcome };
      durations.observe(labels, milliseconds / 1_000);
      if (outcome === 'ok' && operation !== '') (reused ? hits : misses).inc();
      if (entry.status === 429) limited.inc({ caller: caller.kind, application });
      if (caller.pageHost !== undefined) countHost(caller.pageHost);
    },
    pageHosts: () =>
      [...hosts]
        .map(([text, count]) => ({ text, count }))
        .sort((left, right) => right.count - left.count || (left.text < right.text ? -1 : 1)),
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

export interface Counted {
  readonly text: string;
  readonly count: number;
}

interface MetricsOptions {
  readonly registry: Registry;
  readonly keeper: Pick<Keeper, 'pin' | 'state'>;
  readonly cacheSize: () => { readonly entries: number; readonly bytes: number };
  /** Milliseconds since 1970. */
  readonly clock: () => number;
}

/** The worst of several processes counts: the oldest snapshot, the latest refusal. */
export function createMetrics({ registry, keeper, cacheSize, clock }: MetricsOptions): void {
  const current = () => keeper.state().current;
  const now = () => clock() / 1_000;
  collectDefaultMetrics({ register: registry });
  const { one, each } = gaugesIn(registry);
  one(REUSE.bytes, 'Memory of finished answers', 'sum', () => cacheSize().bytes);
  one(REUSE.entries, 'Finished answers at hand', 'sum', () => cacheSize().entries);
  const info = 'The snapshot that answers come from';
  each('almanakk_snapshot_info', info, ['id', 'format'], async () => {
    const snapshot = current();
    return snapshot === null ? [] : [[{ id: snapshot.id, format: `${snapshot.meta.format}` }, 1]];
  });
  each('almanakk_snapshot_records', 'Records in the snapshot, by kind', ['kind'], async () =>
    Object.entries(current()?.meta.counts ?? {}).map(([kind, count]) => [{ kind }, count]),
  );
  const dropped = 'What the build of the snapshot could not use of its source, by kind';
  each('almanakk_build_dropped', dropped, ['kind'], async () => {
    const { report } = await asBuiltOf(keeper);
    return report === null ? [] : [...droppedOf(report)].map(([kind, count]) => [{ kind }, count]);
  });
  const duplicates =
    'Groups of events that the build made one (merged), or that are likely the same (likely)';
  each('almanakk_build_duplicates', duplicates, ['kind'], async () => {
    const { report } = await asBuiltOf(keeper);
    const countOf = (action: string) => report?.actions.find((done) => done.action === action)?.count ?? 0;
    if (report === null) return [];
    return [
      [{ kind: 'merged' }, countOf('merged')],
      [{ kind: 'likely' }, countOf('likely same')],
    ];
  });
  const feedsByState =
    'Feeds of the snapshot, by state: ok, stale (failing, its last good records are used), failed';
  each('almanakk_feeds', feedsByState, ['state'], async () => {
    const { feeds } = await asBuiltOf(keeper);
    const countOf = (state: string) => feeds.filter((feed) => feed.state === state).length;
    return ['ok', 'stale', 'failed'].map((state) => [{ state }, countOf(state)]);
  });
  const open = '1 with a snapshot to answer from';
  one('almanakk_snapshot_open', open, 'min', () => (current() === null ? 0 : 1));
  one('almanakk_snapshot_age_seconds', 'Time since the snapshot was built', 'max', () => {
    const builtAt = Date.parse(current()?.meta.builtAt ?? '');
    return now() - builtAt / 1_000;
  });
  one('almanakk_upcoming_events', 'Events that have not ended', 'max', () => {
    const snapshot = current();
    return snapshot === null ? Number.NaN : upcomingEvents(snapshot, now());
  });
  one('almanakk_next_change_seconds', 'Time to the next change of any answer', 'max', () => {
    const snapshot = current();
    return snapshot === null ? Number.NaN : nextChangeAt(snapshot, now()) - now();
  });
  const refusedAt = () => (keeper.state().lastRefusal?.at ?? 0) / 1_000;
  const refused = 'When a delivery was last refused; 0 for never';
  one('almanakk_snapshot_refused_timestamp_seconds', refused, 'max', refusedAt);
}

type Labelled = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

function gaugesIn(registry: Registry) {
  const registers = [registry];
  return {
    /** A value that is not a number, such as the age of no snapshot, is omitted. */
    one: (name: string, help: string, aggregator: 'sum' | 'min' | 'max', read: () => number) => {
      const collect = function (this: Gauge) {
        const value = read();
        if (Number.isFinite(value)) this.set(value);
        else this.remove();
      };
      new Gauge({ name, help, aggregator, registers, collect });
    },
    each: (name: string, help: string, labelNames: readonly string[], read: () => Promise<Labelled>) => {
      const collect = async function (this: Gauge) {
        const found = await read();
        this.reset();
        for (const [labels, value] of found) this.set(labels, value);
      };
      new Gauge({ name, help, labelNames, aggregator: 'max', registers, collect });
    },
  };
}

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export function samplesOf(metrics: MetricValues): readonly Sample[] {
  return metrics.flatMap(({ name, values }) =>
    values.map((one) => ({
      // Each value of a histogram has one of its three names.
      name: 'metricName' in one ? String(one.metricName) : name,
      labels: Object.fromEntries(Object.entries(one.labels).map(([label, text]) => [label, `${text}`])),
      value: one.value,
    })),
  );
}
