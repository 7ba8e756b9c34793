/** What the first process and its serving processes tell each other, and the side of a serving process in it. */
import { AggregatorRegistry, type Registry } from 'prom-client';
import { NO_UPKEEP, type Upkeep } from '../serve/operator/builds.ts';
import type { Metrics, MetricValues } from '../serve/operator/metrics.ts';
import { type BudgetPeers, connectBudgets, type FromPrimary, type FromWorker } from './budgets.ts';
import { beatMs, isDebugged, STALL_MS } from './watchdog.ts';

export type ToWorker =
  | FromPrimary
  | { readonly kind: 'stop' }
  | { readonly kind: 'upkeep'; readonly upkeep: Upkeep }
  /** Asks for the worker's own metrics. */
  | { readonly kind: 'report'; readonly ask: number }
  /** Answers `collect`; null when it could not be done. */
  | { readonly kind: 'collected'; readonly ask: number; readonly values: MetricValues | null };

export type ToPrimary =
  | FromWorker
  /** Its event loop goes round. */
  | { readonly kind: 'beat'; readonly isDebugged: boolean }
  /** Has a snapshot to answer from. */
  | { readonly kind: 'ready'; readonly url: string }
  /** Cannot start, and could not if it were tried again. */
  | { readonly kind: 'refused'; readonly message: string }
  /** Asks for the metrics of all. */
  | { readonly kind: 'collect'; readonly ask: number }
  /** Answers `report`. */
  | { readonly kind: 'reported'; readonly ask: number; readonly values: MetricValues };

const TO_WORKER: ReadonlySet<unknown> = new Set([
  ...['stop', 'upkeep', 'report', 'collected'],
  ...['budgetWanted', 'budgetShared'],
]);
const TO_PRIMARY: ReadonlySet<unknown> = new Set([
  ...['beat', 'ready', 'refused', 'collect', 'reported'],
  ...['budgetAsked', 'budgetGiven'],
]);

/** Both ends run the same program; what else comes over the channel is node:cluster's or a library's. */
function isToWorker(message: unknown): message is ToWorker {
  return isObject(message) && 'kind' in message && TO_WORKER.has(message.kind);
}

export function isToPrimary(message: unknown): message is ToPrimary {
  return isObject(message) && 'kind' in message && TO_PRIMARY.has(message.kind);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

interface Supervisor {
  readonly upkeep: () => Upkeep;
  readonly metrics: Metrics;
  /** The other serving processes, for the quota. */
  readonly budgets: BudgetPeers;
  /** Resolves when it is on its way. */
  readonly send: (message: ToPrimary) => Promise<void>;
}

interface SupervisorOptions {
  /** Serving processes, and the place of this one among them. */
  readonly count: number;
  readonly slot: number;
  /** Of this process. */
  readonly registry: Pick<Registry, 'getMetricsAsJSON'>;
  readonly onStop: () => void;
  /** The folder may have something new. */
  readonly onUpkeep: () => void;
  /** As the first process has it. */
  readonly stallMs?: number;
}

/** Milliseconds. */
const LONGEST_WAIT = 5_000;

/** For a process that node:cluster has started. */
export function connectSupervisor(options: SupervisorOptions): Supervisor {
  const { registry, count, slot, onStop, onUpkeep, stallMs = STALL_MS } = options;
  let upkeep = NO_UPKEEP;
  let asks = 0;
  const waiting = new Map<number, (values: MetricValues | null) => void>();
  const send = (message: ToPrimary) =>
    new Promise<void>((resolve) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
      else resolve();
    });
  const budgets = connectBudgets({ count, slot, send: (message) => void send(message) });
  const beat = () => void send({ kind: 'beat', isDebugged: isDebugged() });
  beat();
  setInterval(beat, beatMs(stallMs)).unref();
  const report = async (ask: number) => {
    await send({ kind: 'reported', ask, values: await registry.getMetricsAsJSON() });
  };
  const hear = (message: ToWorker) => {
    if (message.kind === 'stop') onStop();
    else if (message.kind === 'report') void report(message.ask);
    else if (message.kind === 'collected') waiting.get(message.ask)?.(message.values);
    else if (message.kind === 'budgetWanted' || message.kind === 'budgetShared') budgets.hear(message);
    else {
      upkeep = message.upkeep;
      onUpkeep();
    }
  };
  process.on('message', (message: unknown) => {
    if (isToWorker(message)) hear(message);
  });

  const collect = async () => {
    const ask = asks++;
    const values = await new Promise<MetricValues | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), LONGEST_WAIT);
      waiting.set(ask, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      void send({ kind: 'collect', ask });
    });
    waiting.delete(ask);
    if (values === null) throw new Error(`expected the metrics of all processes within ${LONGEST_WAIT} ms`);
    return values;
  };
  const metrics: Metrics = {
    values: collect,
    text: async () => AggregatorRegistry.aggregate([await collect()]).metrics(),
  };
  return { upkeep: () => upkeep, metrics, budgets, send };
}
