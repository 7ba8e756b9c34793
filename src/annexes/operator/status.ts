/** What `/status` shows: one plain value, as JSON or as a page. Its concerns are what mails name. */
import type { Concern } from './concerns.ts';
import type { Health } from './health.ts';
import { NAMES } from './metrics.ts';
import type { MetricValues } from './relay.ts';

export type Status = ReturnType<typeof statusOf>;

/** `concerns`: problems that the operator should look into. `metrics`: of all processes of this server, since its start. */
export function statusOf(state: Health & { readonly concerns: readonly Concern[] }, metrics: MetricValues) {
  const samplesOf = (name: string) => metrics.find((metric) => metric.name === name)?.values ?? [];
  const numberOf = (name: string, result?: string) =>
    samplesOf(name).find(({ labels }) => labels.result === result)?.value ?? 0;
  const [hits, misses] = [numberOf(NAMES.reused, 'hit'), numberOf(NAMES.reused, 'miss')];
  const durations = samplesOf(NAMES.durations);
  const callers = usageBy(durations, ['caller', 'application']);
  const { rss, heapUsed } = process.memoryUsage();
  return {
    ...state,
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
    process: {
      node: process.version,
      pid: process.pid,
      uptimeSeconds: Math.floor(process.uptime()),
      residentBytes: rss,
      heapBytes: heapUsed,
    },
  };
}

export interface Usage {
  /** `application`, `anonymous` or `operator` of a caller; the route of an operation. */
  readonly kind: string;
  /** Name of the application, or of the root field; empty if there is none. */
  readonly name: string;
  requests: number;
  errors: number;
  /** Refused: the client's fault. */
  refused: number;
  /** Failed: the server's fault. */
  failed: number;
  meanMilliseconds: number;
}

/** Grouped by two labels, the busiest first. */
function usageBy(samples: MetricValues[number]['values'], [ofKind, ofName]: readonly [string, string]) {
  const groups = new Map<string, Usage>();
  for (const { labels, value, ...sample } of samples) {
    const [kind, name] = [`${labels[ofKind]}`, `${labels[ofName]}`];
    const none = { kind, name, requests: 0, errors: 0, refused: 0, failed: 0, meanMilliseconds: 0 };
    const usage = groups.get(`${kind} ${name}`) ?? none;
    groups.set(`${kind} ${name}`, usage);
    const part = 'metricName' in sample ? sample.metricName : '';
    // Until the end, the sum of all of them.
    if (part === `${NAMES.durations}_sum`) usage.meanMilliseconds += 1_000 * value;
    if (part !== `${NAMES.durations}_count`) continue;
    usage.requests += value;
    const { outcome } = labels;
    if (outcome === 'errors' || outcome === 'refused' || outcome === 'failed') usage[outcome] += value;
  }
  for (const usage of groups.values()) usage.meanMilliseconds /= Math.max(1, usage.requests);
  const usages: readonly Readonly<Usage>[] = [...groups.values()];
  return usages.toSorted((left, right) => right.requests - left.requests);
}
