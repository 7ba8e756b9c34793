/** The side of a serving process: what it tells the first process, and what it is told. */
import type { Registry } from 'prom-client';
import { NO_UPKEEP, type Upkeep } from '../serve/builds.ts';
import { isToWorker, type ToPrimary, type ToWorker } from './messages.ts';
import type { CollectMetrics } from './metrics.ts';
import { beatMs, isDebugged, STALL_MS } from './watchdog.ts';

export interface Supervisor {
  readonly upkeep: () => Upkeep;
  /** Of all processes. */
  readonly collectMetrics: CollectMetrics;
  /** Resolves when it is on its way. */
  readonly tell: (message: ToPrimary) => Promise<void>;
}

export interface SupervisorOptions {
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
  const { registry, onStop, onUpkeep, stallMs = STALL_MS } = options;
  let upkeep = NO_UPKEEP;
  let asks = 0;
  const waiting = new Map<number, (text: string | null) => void>();
  const tell = (message: ToPrimary) =>
    new Promise<void>((resolve) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
      else resolve();
    });
  const beat = () => void tell({ kind: 'beat', isDebugged: isDebugged() });
  beat();
  setInterval(beat, beatMs(stallMs)).unref();
  const report = async (ask: number) => {
    await tell({ kind: 'reported', ask, report: await registry.getMetricsAsJSON() });
  };
  const hear = (message: ToWorker) => {
    if (message.kind === 'stop') onStop();
    else if (message.kind === 'report') void report(message.ask);
    else if (message.kind === 'collected') waiting.get(message.ask)?.(message.text);
    else {
      upkeep = message.upkeep;
      onUpkeep();
    }
  };
  process.on('message', (message: unknown) => {
    if (isToWorker(message)) hear(message);
  });

  const collectMetrics = async () => {
    const ask = asks++;
    const text = await new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), LONGEST_WAIT);
      waiting.set(ask, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      void tell({ kind: 'collect', ask });
    });
    waiting.delete(ask);
    if (text === null) throw new Error(`expected the metrics of all processes within ${LONGEST_WAIT} ms`);
    return text;
  };
  return { upkeep: () => upkeep, collectMetrics, tell };
}
