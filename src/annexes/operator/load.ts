/** The load of a serving process, and the shares of its memory (D14): as metrics, and computed back from the metrics of all processes. */
import { Counter, Gauge, type Registry } from 'prom-client';
import { budget, SHARES } from '../../serve/admission/budget.ts';
import type { Gate } from '../../serve/admission/gate.ts';
import type { MetricValues } from '../../serve/annex.ts';
import { samplesOf } from './metrics.ts';

const NAMES = {
  admitted: 'almanakk_work_admitted_total',
  refused: 'almanakk_work_refused_total',
  working: 'almanakk_work_running',
  waiting: 'almanakk_work_waiting',
  memory: 'almanakk_memory_budget_bytes',
  shares: 'almanakk_memory_share_bytes',
};

export function createLoadMetrics(registry: Registry, load: Gate['state']): void {
  const registers = [registry];
  const count = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      aggregator: 'sum',
      registers,
      collect() {
        this.set(read());
      },
    });
  count(NAMES.admitted, 'Work that was not at hand and was begun', () => load().admitted);
  count(NAMES.refused, 'Work that was refused because there was too much (503)', () => load().refused);
  gauge(NAMES.working, 'Work that goes on', () => load().working);
  gauge(NAMES.waiting, 'Work that waits for its turn', () => load().waiting);
  gauge(NAMES.memory, 'Memory that serving processes may take', () => budget().memory);
  new Gauge({
    name: NAMES.shares,
    help: 'Memory that is shared out, by what it is for',
    labelNames: ['share'],
    aggregator: 'sum',
    registers,
    collect() {
      for (const share of SHARE_NAMES) this.set({ share }, budget().share(share));
    },
  });
}

const SHARE_NAMES = Object.keys(SHARES) as (keyof typeof SHARES)[];

/** Summed over all processes. */
export function readLoad(metrics: MetricValues) {
  const samples = samplesOf(metrics);
  const sumOf = (name: string) => samples.find((sample) => sample.name === name)?.value ?? 0;
  return {
    admitted: sumOf(NAMES.admitted),
    refused: sumOf(NAMES.refused),
    working: sumOf(NAMES.working),
    waiting: sumOf(NAMES.waiting),
    memoryBytes: sumOf(NAMES.memory),
    shares: Object.fromEntries(
      samples
        .filter(({ name }) => name === NAMES.shares)
        .map(({ labels, value }) => [labels.share ?? '', value]),
    ),
  };
}
