/**
 * Counts what is asked, by whom and what came of it, and reads it back for `/status`. Nothing that clients make up becomes a
 * label without a bound.
 */
import { Counter, Histogram, type Registry } from 'prom-client';
import type { AccessLogEntry } from '../http/access-log.ts';
import { GRAPHQL_PATH } from '../http/graphql.ts';
import type { QuotaLimits } from '../http/quota.ts';
import { type MetricValues, type Sample, samplesOf } from './metrics.ts';

/** `errors`: answered, but with errors; `refused`: the client's fault; `failed`: the server's. */
type Outcome = 'ok' | 'errors' | 'refused' | 'failed';

/**
 * `route`: of this server, versions in file names left out; `operation`: root field of a GraphQL request or a feed, empty for
 * others and for what was not understood; `application`: its name, empty for other callers.
 */
const LABELS = ['route', 'operation', 'caller', 'application', 'outcome'] as const;

const DURATIONS = 'almanakk_request_duration_seconds';
const REUSE = 'almanakk_reuse_requests_total';
const LIMITED = 'almanakk_rate_limited_total';

/** Upper bounds of the buckets. Answers at hand take some 0.03 ms, answers that are worked out some 0.3 ms and up. */
const SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** Applications with series of their own: more than an operator gives keys to, but not more than a page can show. */
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
    name: REUSE,
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
  const hosts = createBusiest(MOST_HOSTS);

  const applicationOf = ({ kind, name = '' }: AccessLogEntry['caller']) => {
    if (kind !== 'application') return '';
    if (applications.has(name)) return name;
    if (applications.size >= MOST_APPLICATIONS) return OTHERS;
    applications.add(name);
    return name;
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
      if (caller.pageHost !== undefined) hosts.add(caller.pageHost);
    },
    pageHosts: hosts.counts,
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

export interface ReuseStatus {
  readonly hits: number;
  readonly misses: number;
  /** Hits by all; null before the first request. */
  readonly rate: number | null;
  readonly entries: number;
  readonly bytes: number;
}

/** Since the start. */
export interface TrafficStatus {
  readonly requests: number;
  /** The busiest first. */
  readonly callers: readonly Usage[];
  readonly operations: readonly Usage[];
  /** Of the process that was asked. */
  readonly pageHosts: readonly Counted[];
}

export interface Usage {
  /** `application`, `anonymous` or `operator` of a caller; the route of an operation. */
  readonly kind: string;
  /** Of the application, or of the root field; empty where there is none. */
  readonly name: string;
  readonly requests: number;
  /** Answered with errors. */
  readonly errors: number;
  /** Not answered: the client's fault. */
  readonly refused: number;
  /** The server's fault. */
  readonly failed: number;
  readonly meanMilliseconds: number;
}

const MOST_SHOWN_HOSTS = 20;

export function readReuse(metrics: MetricValues): ReuseStatus {
  const samples = samplesOf(metrics);
  const numberOf = (name: string, result?: string) =>
    samples.find((sample) => sample.name === name && sample.labels.result === result)?.value ?? 0;
  const hits = numberOf(REUSE, 'hit');
  const misses = numberOf(REUSE, 'miss');
  return {
    hits,
    misses,
    rate: hits + misses === 0 ? null : hits / (hits + misses),
    entries: numberOf('almanakk_reuse_entries'),
    bytes: numberOf('almanakk_reuse_bytes'),
  };
}

/** Requests a minute, and who was refused for having sent more. */
export interface QuotaStatus extends QuotaLimits {
  /** Whoever was refused most often first. */
  readonly refused: readonly Limited[];
}

interface Limited {
  /** `application`, `anonymous` or `operator`. */
  readonly kind: string;
  /** Of the application; empty for others. */
  readonly name: string;
  readonly requests: number;
}

/** Null where there is no quota. */
export function readQuota(metrics: MetricValues, limits: QuotaLimits): QuotaStatus | null {
  if (limits.anonymous === null && limits.keyed === null) return null;
  const refused = samplesOf(metrics)
    .filter(({ name, value }) => name === LIMITED && value > 0)
    .map(({ labels: { caller: kind = '', application: name = '' }, value: requests }) => ({
      kind,
      name,
      requests,
    }))
    .sort((left, right) => right.requests - left.requests);
  return { ...limits, refused };
}

export function readTraffic(metrics: MetricValues, pageHosts: readonly Counted[]): TrafficStatus {
  const counts = samplesOf(metrics).filter(({ name }) => name === COUNT || name === SUM);
  const callers = usageBy(counts, ({ caller = '', application = '' }) => [caller, application]);
  return {
    requests: callers.reduce((sum, { requests }) => sum + requests, 0),
    callers,
    operations: usageBy(counts, ({ route = '', operation = '' }) => [route, operation]),
    pageHosts: pageHosts.slice(0, MOST_SHOWN_HOSTS),
  };
}

const COUNT = `${DURATIONS}_count`;
const SUM = `${DURATIONS}_sum`;

type GroupOf = (labels: Sample['labels']) => readonly [kind: string, name: string];

function usageBy(samples: readonly Sample[], groupOf: GroupOf): readonly Usage[] {
  const groups = new Map<string, Tally>();
  for (const { name, labels, value } of samples) {
    const [kind, own] = groupOf(labels);
    const key = JSON.stringify([kind, own]);
    const tally = groups.get(key) ?? {
      kind,
      name: own,
      requests: 0,
      errors: 0,
      refused: 0,
      failed: 0,
      seconds: 0,
    };
    groups.set(key, tally);
    if (name === SUM) tally.seconds += value;
    else {
      tally.requests += value;
      const { outcome } = labels;
      if (outcome === 'errors' || outcome === 'refused' || outcome === 'failed') tally[outcome] += value;
    }
  }
  return [...groups.values()]
    .sort((left, right) => right.requests - left.requests)
    .map(({ seconds, ...rest }) => ({
      ...rest,
      meanMilliseconds: (1_000 * seconds) / Math.max(1, rest.requests),
    }));
}

interface Tally {
  readonly kind: string;
  readonly name: string;
  requests: number;
  errors: number;
  refused: number;
  failed: number;
  seconds: number;
}

/**
 * The busiest of any number of texts, in bounded room (Metwally's Space-Saving): a text that there is no room for takes
 * the place, and the count, of the least busy. Whatever makes up more than one in `size` of all is never pushed out.
 */
interface Busiest {
  readonly add: (text: string) => void;
  /** The busiest first. */
  readonly counts: () => readonly Counted[];
}

interface Counted {
  readonly text: string;
  /** Too high by `over` at the most. */
  readonly count: number;
  readonly over: number;
}

export function createBusiest(size: number): Busiest {
  const entries = new Map<string, { count: number; over: number }>();
  return {
    add: (text) => {
      const known = entries.get(text);
      if (known !== undefined) known.count++;
      else if (entries.size < size) entries.set(text, { count: 1, over: 0 });
      else {
        const [least, { count }] = leastOf(entries);
        entries.delete(least);
        entries.set(text, { count: count + 1, over: count });
      }
    },
    counts: () =>
      [...entries]
        .map(([text, { count, over }]) => ({ text, count, over }))
        .sort((left, right) => right.count - left.count || (left.text < right.text ? -1 : 1)),
  };
}

function leastOf<Entry extends { readonly count: number }>(
  entries: ReadonlyMap<string, Entry>,
): readonly [string, { readonly count: number }] {
  let least: readonly [string, { readonly count: number }] = ['', { count: Number.POSITIVE_INFINITY }];
  for (const entry of entries) if (entry[1].count < least[1].count) least = entry;
  return least;
}
