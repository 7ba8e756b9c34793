/** The use of the server since its start, summed over all processes: read from their metrics, for `/status`. */
import type { CallerLimits } from '../facts/facts.ts';
import { NAMES } from './metrics.ts';
import type { MetricValues } from './relay.ts';

interface Sample {
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

/** The value of a metric, by its name and, of the reuse of answers, its result. */
function valuesOf(metrics: MetricValues): (name: string, result?: string) => number {
  const samples = samplesOf(metrics);
  return (name, result) =>
    samples.find((sample) => sample.name === name && sample.labels.result === result)?.value ?? 0;
}

export function readReuse(metrics: MetricValues) {
  const numberOf = valuesOf(metrics);
  const [hits, misses] = [numberOf(NAMES.reused, 'hit'), numberOf(NAMES.reused, 'miss')];
  /** Ratio of hits; null before the first request. */
  const rate = hits + misses === 0 ? null : hits / (hits + misses);
  return { hits, misses, rate, entries: numberOf(NAMES.cached), bytes: numberOf(NAMES.cachedBytes) };
}

/** D14. */
export function readLoad(metrics: MetricValues) {
  const numberOf = valuesOf(metrics);
  const shares = samplesOf(metrics).filter(({ name }) => name === NAMES.shares);
  return {
    admitted: numberOf(NAMES.admitted),
    refused: numberOf(NAMES.refused),
    working: numberOf(NAMES.working),
    waiting: numberOf(NAMES.waiting),
    memoryBytes: numberOf(NAMES.memory),
    shares: Object.fromEntries(shares.map(({ labels, value }) => [labels.share ?? '', value])),
  };
}

/** K4: the limits of requests a minute, and the callers that exceeded them; null if there is no quota. */
export function readQuota(metrics: MetricValues, limits: CallerLimits | null) {
  if (limits === null) return null;
  const refused = samplesOf(metrics).flatMap(({ name: metric, labels, value: requests }) => {
    const { caller: kind = '', application: name = '' } = labels;
    return metric === NAMES.limited && requests > 0 ? [{ kind, name, requests }] : [];
  });
  return { ...limits, refused: busiestFirst(refused) };
}

export function readTraffic(metrics: MetricValues) {
  const samples = samplesOf(metrics);
  const callers = usageBy(samples, ({ caller, application }) => [caller, application]);
  const requests = callers.reduce((sum, caller) => sum + caller.requests, 0);
  return { requests, callers, operations: usageBy(samples, ({ route, operation }) => [route, operation]) };
}

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

type GroupOf = (labels: Sample['labels']) => readonly [kind: string | undefined, name: string | undefined];

function usageBy(samples: readonly Sample[], groupOf: GroupOf): readonly Usage[] {
  const groups = new Map<string, { -readonly [Name in keyof Usage]: Usage[Name] }>();
  for (const { name: metric, labels, value } of samples) {
    if (metric !== COUNT && metric !== SUM) continue;
    const [kind = '', name = ''] = groupOf(labels);
    const key = JSON.stringify([kind, name]);
    const counts = { requests: 0, errors: 0, refused: 0, failed: 0 };
    const usage = groups.get(key) ?? { kind, name, ...counts, meanMilliseconds: 0 };
    groups.set(key, usage);
    const { outcome } = labels;
    if (metric === SUM) usage.meanMilliseconds += 1_000 * value;
    else usage.requests += value;
    if (metric === COUNT && (outcome === 'errors' || outcome === 'refused' || outcome === 'failed'))
      usage[outcome] += value;
  }
  // Until here, the sum of all of them.
  for (const usage of groups.values()) usage.meanMilliseconds /= Math.max(1, usage.requests);
  return busiestFirst([...groups.values()]);
}

const COUNT = `${NAMES.durations}_count`;
const SUM = `${NAMES.durations}_sum`;

function busiestFirst<Entry extends { readonly requests: number }>(entries: Entry[]): readonly Entry[] {
  return entries.sort((left, right) => right.requests - left.requests);
}
