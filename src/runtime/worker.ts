/** The messages between the primary and its serving processes, and the serving side of them. */
import { AggregatorRegistry, type Registry } from 'prom-client';
import { isObject } from '../calendar/json.ts';
import type { Metrics, MetricValues } from '../serve/annex.ts';
import { NO_UPKEEP, type Upkeep } from '../upkeep.ts';
import { beatMs, isDebugged, STALL_MS } from './watchdog.ts';

export type ToWorker =
  | MetricsMessage
  | { readonly kind: 'stop' }
  | { readonly kind: 'upkeep'; readonly upkeep: Upkeep };

export type ToPrimary =
  | MetricsMessage
  /** Heartbeat. */
  | { readonly kind: 'beat'; readonly isDebugged: boolean }
  /** The process has a snapshot and answers; or it cannot start, and a retry would fail too. */
  | { readonly kind: 'started'; readonly result: Started };

type Started = { readonly url: string } | { readonly refusal: string };

/** A serving process requests the metrics of all from the primary, which requests those of each. */
type MetricsMessage =
  | { readonly kind: 'metricsAsked'; readonly ask: number }
  /** Null if it failed. */
  | { readonly kind: 'metricsReport'; readonly ask: number; readonly values: MetricValues | null };

/** Both ends run the same program; any other message is node:cluster's or a library's. */
function isToWorker(message: unknown): message is ToWorker {
  return isObject(message) && 'kind' in message;
}

export function isToPrimary(message: unknown): message is ToPrimary {
  return isObject(message) && 'kind' in message;
}

interface Asks<Answer> {
  /** `done` is called with the answer, or with `otherwise` if none arrives in time. */
  readonly ask: (send: (ask: number) => void, done: (answer: Answer) => void) => void;
  readonly answer: (ask: number, answer: Answer) => void;
}

interface AsksOptions<Answer> {
  /** Milliseconds to wait for an answer. */
  readonly patienceMs: number;
  readonly otherwise: Answer;
}

/** Requests that were sent over a channel and wait for an answer; both carry the same number. */
export function createAsks<Answer>({ patienceMs, otherwise }: AsksOptions<Answer>): Asks<Answer> {
  const waiting = new Map<number, (answer: Answer) => void>();
  let asks = 0;
  return {
    ask: (send, done) => {
      const ask = asks++;
      const end = (answer: Answer) => {
        clearTimeout(timer);
        waiting.delete(ask);
        done(answer);
      };
      const timer = setTimeout(end, patienceMs, otherwise);
      waiting.set(ask, end);
      send(ask);
    },
    answer: (ask, answer) => waiting.get(ask)?.(answer),
  };
}

interface Supervisor {
  readonly upkeep: () => Upkeep;
  readonly metrics: Metrics;
  /** Resolves once the message is sent. */
  readonly send: (message: ToPrimary) => Promise<void>;
}

interface SupervisorOptions {
  /** This process's metrics. */
  readonly registry: Pick<Registry, 'getMetricsAsJSON'>;
  readonly onStop: () => void;
  /** Called when the folder may have a new snapshot. */
  readonly onUpkeep: () => void;
  /** The primary's `stallMs`. */
  readonly stallMs?: number;
}

/** Milliseconds. */
const LONGEST_WAIT = 5_000;

/** For a process that node:cluster started. */
export function connectSupervisor(options: SupervisorOptions): Supervisor {
  const { registry, onStop, onUpkeep, stallMs = STALL_MS } = options;
  let upkeep = NO_UPKEEP;
  const asks = createAsks<MetricValues | null>({ patienceMs: LONGEST_WAIT, otherwise: null });
  const send = (message: ToPrimary) =>
    new Promise<void>((resolve) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
      else resolve();
    });
  const beat = () => void send({ kind: 'beat', isDebugged: isDebugged() });
  beat();
  setInterval(beat, beatMs(stallMs)).unref();
  const report = async (ask: number) => {
    await send({ kind: 'metricsReport', ask, values: await registry.getMetricsAsJSON() });
  };
  const receive = (message: ToWorker) => {
    if (message.kind === 'stop') onStop();
    else if (message.kind === 'metricsAsked') void report(message.ask);
    else if (message.kind === 'metricsReport') asks.answer(message.ask, message.values);
    else {
      upkeep = message.upkeep;
      onUpkeep();
    }
  };
  process.on('message', (message: unknown) => {
    if (isToWorker(message)) receive(message);
  });

  const collect = async () => {
    const values = await new Promise<MetricValues | null>((resolve) =>
      asks.ask((ask) => void send({ kind: 'metricsAsked', ask }), resolve),
    );
    if (values === null) throw new Error(`expected the metrics of all processes within ${LONGEST_WAIT} ms`);
    return values;
  };
  const metrics: Metrics = {
    values: collect,
    text: async () => AggregatorRegistry.aggregate([await collect()]).metrics(),
  };
  return { upkeep: () => upkeep, metrics, send };
}
