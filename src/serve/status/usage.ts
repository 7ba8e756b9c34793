/** Who uses the server and how often its answers were at hand, read off its metrics: those are of all its processes. */
import { readSamples, type Sample } from '../metrics/samples.ts';
import type { Counted } from '../traffic/busiest.ts';

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

const MOST_HOSTS = 20;

export function readReuse(metrics: string): ReuseStatus {
  const samples = readSamples(metrics);
  const numberOf = (name: string, result?: string) =>
    samples.find((sample) => sample.name === name && sample.labels.result === result)?.value ?? 0;
  const hits = numberOf('almanakk_reuse_requests_total', 'hit');
  const misses = numberOf('almanakk_reuse_requests_total', 'miss');
  return {
    hits,
    misses,
    rate: hits + misses === 0 ? null : hits / (hits + misses),
    entries: numberOf('almanakk_reuse_entries'),
    bytes: numberOf('almanakk_reuse_bytes'),
  };
}

export function readTraffic(metrics: string, pageHosts: readonly Counted[]): TrafficStatus {
  const counts = readSamples(metrics).filter(({ name }) => name === COUNT || name === SUM);
  const callers = usageBy(counts, ({ caller = '', application = '' }) => [caller, application]);
  return {
    requests: callers.reduce((sum, { requests }) => sum + requests, 0),
    callers,
    operations: usageBy(counts, ({ route = '', operation = '' }) => [route, operation]),
    pageHosts: pageHosts.slice(0, MOST_HOSTS),
  };
}

const COUNT = 'almanakk_request_duration_seconds_count';
const SUM = 'almanakk_request_duration_seconds_sum';

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
