/** The use of the server since its start, summed over all processes, as `/status` shows it: read from their metrics. */
import type { MetricValues } from './relay.ts';

/** Names of the metrics that are summed over all processes. */
export const NAMES = {
  durations: 'almanakk_request_duration_seconds',
  reused: 'almanakk_reuse_requests_total',
  admitted: 'almanakk_work_admitted_total',
  refused: 'almanakk_work_refused_total',
  working: 'almanakk_work_running',
  waiting: 'almanakk_work_waiting',
};

export interface Usage {
  /** `application`, `anonymous` or `operator` of a caller; the route of an operation. */
  readonly kind: string;
  /** Name of the application, or of the root field; empty if there is none. */
  readonly name: string;
  readonly requests: number;
  readonly errors: number;
  /** Refused: the client's fault. */
  readonly refused: number;
  /** Failed: the server's fault. */
  readonly failed: number;
  readonly meanMilliseconds: number;
}

type Sample = MetricValues[number]['values'][number];

export function readUsage(metrics: MetricValues) {
  const samplesOf = (name: string): readonly Sample[] =>
    metrics.find((metric) => metric.name === name)?.values ?? [];
  const numberOf = (name: string, result?: string) =>
    samplesOf(name).find(({ labels }) => labels.result === result)?.value ?? 0;
  const [hits, misses] = [numberOf(NAMES.reused, 'hit'), numberOf(NAMES.reused, 'miss')];
  const durations = samplesOf(NAMES.durations);
  const callers = usageBy(durations, ['caller', 'application']);
  return {
    /** `rate`: null before the first request. */
    reuse: { hits, misses, rate: hits + misses === 0 ? null : hits / (hits + misses) },
    /** D14, bounded together. */
    load: {
      admitted: numberOf(NAMES.admitted),
      refused: numberOf(NAMES.refused),
      working: numberOf(NAMES.working),
      waiting: numberOf(NAMES.waiting),
    },
    traffic: {
      requests: callers.reduce((sum, caller) => sum + caller.requests, 0),
      callers,
      operations: usageBy(durations, ['route', 'operation']),
    },
  };
}

/** Grouped by two labels, the busiest first. */
function usageBy(samples: readonly Sample[], [ofKind, ofName]: readonly [string, string]): readonly Usage[] {
  const groups = new Map<string, { -readonly [Name in keyof Usage]: Usage[Name] }>();
  for (const { labels, value, ...sample } of samples) {
    const [kind, name] = [`${labels[ofKind] ?? ''}`, `${labels[ofName] ?? ''}`];
    const { outcome } = labels;
    const none = { kind, name, requests: 0, errors: 0, refused: 0, failed: 0, meanMilliseconds: 0 };
    const usage = groups.get(`${kind} ${name}`) ?? none;
    groups.set(`${kind} ${name}`, usage);
    const part = 'metricName' in sample ? sample.metricName : '';
    // Until the end, the sum of all of them.
    if (part === `${NAMES.durations}_sum`) usage.meanMilliseconds += 1_000 * value;
    if (part !== `${NAMES.durations}_count`) continue;
    usage.requests += value;
    if (outcome === 'errors' || outcome === 'refused' || outcome === 'failed') usage[outcome] += value;
  }
  for (const usage of groups.values()) usage.meanMilliseconds /= Math.max(1, usage.requests);
  return [...groups.values()].sort((left, right) => right.requests - left.requests);
}
