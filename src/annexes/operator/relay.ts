/** The metrics of all serving processes of a server. Under a primary process, each worker can ask it for the sum over all of them. */
import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { isObject } from '../../calendar/json.ts';

/** Metrics in prom-client's form: of one process, or summed over several. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface Metrics {
  readonly values: () => Promise<MetricValues>;
  /** Prometheus's text format. */
  readonly text: () => Promise<string>;
}

/** Milliseconds. */
const LONGEST_WAIT = 5_000;

/** `registry`: that of this process, which may be a worker. `refresh` brings it up to date. */
export function connectMetrics(registry: Registry, refresh = async () => {}): Metrics {
  const read = async () => {
    await refresh();
    return registry.getMetricsAsJSON();
  };
  if (!cluster.isWorker) return { values: read, text: () => refresh().then(() => registry.metrics()) };
  const send = (message: Message) =>
    process.connected && process.send?.(message, undefined, undefined, () => undefined);
  const { ask, receive } = createEnd({ send, answer: read, patienceMs: LONGEST_WAIT });
  process.on('message', receive);
  const collect = async () => {
    const values = await ask();
    if (values === null) throw new Error(`expected the metrics of all processes within ${LONGEST_WAIT} ms`);
    return values;
  };
  return {
    values: collect,
    text: async () => AggregatorRegistry.aggregate([await collect()]).metrics(),
  };
}

/** Milliseconds. A worker that is too busy to answer in time counts with its latest answer. */
const LONGEST_ANSWER = 1_000;

/** Called in the primary process before it starts workers: gathers their metrics for those that ask. */
export function supervise(): void {
  // JSON turns NaN into null, which then counts as 0 in sums.
  cluster.setupPrimary({ serialization: 'advanced' });
  const workers = new Map<number, ReturnType<typeof createEnd>>();
  /** Of workers that have ended; a chain of promises, because each sum builds on the one before. */
  let departed: Promise<MetricValues> = Promise.resolve([]);
  const collect = async () => {
    await Promise.all([...workers.values()].map(({ ask }) => ask()));
    return sumOf([await departed, ...[...workers.values()].map(({ latest }) => latest())]);
  };
  // A worker that is still loading would not answer.
  cluster.on('listening', (worker) => {
    // It may die at any moment.
    const send = (message: Message) => worker.isConnected() && worker.send(message, () => undefined);
    const end = createEnd({ send, answer: collect, patienceMs: LONGEST_ANSWER });
    if (!workers.has(worker.id)) workers.set(worker.id, end);
  });
  cluster.on('message', ({ id }, message: unknown) => void workers.get(id)?.receive(message));
  cluster.on('exit', ({ id }) => {
    const values = workers.get(id)?.latest() ?? [];
    workers.delete(id);
    departed = departed.then((sum) => sumOf([sum, countsOf(values)]));
  });
}

/** Summed as if of one process; each metric's `aggregator` says how. */
function sumOf(all: readonly MetricValues[]): Promise<MetricValues> {
  return AggregatorRegistry.aggregate([...all]).getMetricsAsJSON();
}

/**
 * The last counts of processes that have ended. Without them a sum would fall at each end, which readers of counters take for a restart
 * of all.
 */
function countsOf(values: MetricValues): MetricValues {
  return values.filter(({ type }) => COUNTING.has(type));
}

/** prom-client's types declare numbers here; the values are words. */
const COUNTING: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** An answer has the number of its question. All other messages are the server's own, node:cluster's or a library's. */
type Message =
  | { readonly metrics: 'question'; readonly number: number }
  /** Null if it failed. */
  | { readonly metrics: 'answer'; readonly number: number; readonly values: MetricValues | null };

function isOwn(message: unknown): message is Message {
  return isObject(message) && 'metrics' in message;
}

interface EndOptions {
  readonly send: (message: Message) => unknown;
  /** The metrics that the other end asks for. */
  readonly answer: () => Promise<MetricValues>;
  readonly patienceMs: number;
}

/** One end of the channel between a worker and the primary, each of which asks the other for metrics. */
function createEnd({ send, answer, patienceMs }: EndOptions) {
  const waiting = new Map<number, (values: MetricValues | null) => void>();
  let questions = 0;
  let latest: MetricValues = [];
  return {
    /** Resolves to null if no answer comes in time. */
    ask: () =>
      new Promise<MetricValues | null>((resolve) => {
        const number = questions++;
        const end = (values: MetricValues | null) => {
          clearTimeout(timer);
          waiting.delete(number);
          resolve(values);
        };
        const timer = setTimeout(end, patienceMs, null);
        waiting.set(number, end);
        send({ metrics: 'question', number });
      }),
    receive: async (message: unknown): Promise<void> => {
      if (!isOwn(message)) return;
      const { number } = message;
      if (message.metrics === 'question') {
        send({ metrics: 'answer', number, values: await answer().catch(() => null) });
        return;
      }
      latest = message.values ?? latest;
      waiting.get(number)?.(message.values);
    },
    /** The latest answer, also one that came too late. */
    latest: () => latest,
  };
}
