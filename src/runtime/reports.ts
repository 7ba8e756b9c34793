/** Gathers the metrics of all serving processes. */
import type { Worker } from 'node:cluster';
import type { Registry } from 'prom-client';
import type { ToPrimary, ToWorker } from './messages.ts';
import { type CollectMetrics, countsOf, merged, mergedText, type Report } from './metrics.ts';

export interface Reports<P extends Peer> {
  readonly collect: CollectMetrics;
  readonly hear: (worker: P, message: Extract<ToPrimary, { kind: 'reported' }>) => void;
  /** Collects for a worker that asked for it. */
  readonly answer: (worker: P, ask: number) => Promise<void>;
  /** A worker is gone. */
  readonly forget: (worker: P) => void;
}

/** What is needed of a worker. */
export type Peer = Pick<Worker, 'id'>;

export interface ReportsOptions<P extends Peer> {
  /** Of this process. */
  readonly registry: Pick<Registry, 'getMetricsAsJSON'>;
  readonly living: () => readonly P[];
  readonly tell: (worker: P, message: ToWorker) => void;
}

/** Milliseconds. One that is too busy to answer in time counts with what it said last. */
const LONGEST_WAIT = 1_000;

export function createReports<P extends Peer>({ registry, living, tell }: ReportsOptions<P>): Reports<P> {
  /** One after the other, because each sum is made of the one before. */
  let departed: Promise<Report> = Promise.resolve([]);
  const last = new Map<number, Report>();
  const waiting = new Map<number, () => void>();
  let asks = 0;

  const ask = (worker: P) => {
    const number = asks++;
    return new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        waiting.delete(number);
        resolve();
      };
      const timer = setTimeout(end, LONGEST_WAIT);
      waiting.set(number, end);
      tell(worker, { kind: 'report', ask: number });
    });
  };

  const collect = async () => {
    await Promise.all(living().map(ask));
    return mergedText([await registry.getMetricsAsJSON(), await departed, ...last.values()]);
  };

  return {
    collect,
    hear: (worker, message) => {
      last.set(worker.id, message.report);
      waiting.get(message.ask)?.();
    },
    answer: async (worker, number) => {
      const text = await collect().catch(() => null);
      tell(worker, { kind: 'collected', ask: number, text });
    },
    forget: ({ id }) => {
      const report = last.get(id);
      last.delete(id);
      if (report !== undefined) departed = departed.then((sum) => merged(sum, countsOf(report)));
    },
  };
}
