/** Metrics of several processes as if they were one. */
import { AggregatorRegistry, type Registry } from 'prom-client';

/** Prometheus's text format. */
export type CollectMetrics = () => Promise<string>;

/** Metrics of one process, to be sent to another. */
export type Report = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Adds up; each metric's `aggregator` says how. */
export function mergedText(reports: readonly Report[]): Promise<string> {
  return AggregatorRegistry.aggregate([...reports]).metrics();
}

/**
 * What processes that are gone had counted when they were last asked. Without it a sum would fall with each of them, which
 * whoever reads counters takes for a restart of all.
 */
export function countsOf(report: Report): Report {
  return report.filter(({ type }) => COUNTING.has(type));
}

/** Two reports as one, so that a thousand departed ones take no more room than one. */
export function merged(left: Report, right: Report): Promise<Report> {
  return AggregatorRegistry.aggregate([left, right]).getMetricsAsJSON();
}

/** prom-client's types say that these are numbers; they are words. */
const COUNTING: ReadonlySet<unknown> = new Set(['counter', 'histogram']);
