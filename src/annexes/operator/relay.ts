/** The metrics of all serving processes of a server. Under a primary process, each worker can ask it for the sum over all of them. */
import cluster from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { isObject } from '../../calendar/json.ts';

/** Metrics in prom-client's form: of one process, or summed over several. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The metrics as they are at the moment, of all processes. */
export type ReadMetrics = () => Promise<Pick<Registry, 'metrics' | 'getMetricsAsJSON'>>;

/** Milliseconds. */
const LONGEST_WAIT = 5_000;

/** `registry`: that of this process, which may be a worker. `refresh` brings it up to date. */
export function connectMetrics(registry: Registry, refresh = async () => {}): ReadMetrics {
  if (!cluster.isWorker) return () => refresh().then(() => registry);
  const { ask, receive } = createEnd({
    send: (message) => process.connected && process.send?.(message, undefined, undefined, () => undefined),
    answer: () => refresh().then(() => registry.getMetricsAsJSON()),
    patienceMs: LONGEST_WAIT,
  });
  process.on('message', receive);
  return async () => AggregatorRegistry.aggregate([await ask()]);
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
    await Promise.allSettled([...workers.values()].map(({ ask }) => ask()));
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
    // Without its last counts, a sum would fall at each end, which readers of counters take for a restart of all.
    const counts = values.filter(({ type }) => COUNTING.has(type));
    departed = departed.then((sum) => sumOf([sum, counts]));
  });
}

/** prom-client's types declare numbers here; the values are words. */
const COUNTING: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** Summed as if of one process; each metric's `aggregator` says how. */
function sumOf(all: MetricValues[]): Promise<MetricValues> {
  return AggregatorRegistry.aggregate(all).getMetricsAsJSON();
}

/** Null asks for them. All other messages are the server's own, node:cluster's or a library's. */
interface Message {
  readonly metrics: MetricValues | null;
}

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
  const answers = new EventEmitter().setMaxListeners(0);
  let latest: MetricValues = [];
  return {
    /** Resolves with the next answer. */
    ask: async (): Promise<MetricValues> => {
      send({ metrics: null });
      await once(answers, 'answer', { signal: AbortSignal.timeout(patienceMs) }).catch((cause) => {
        throw new Error(`expected the metrics of another process within ${patienceMs} ms`, { cause });
      });
      return latest;
    },
    receive: async (message: unknown): Promise<void> => {
      if (!isOwn(message)) return;
      if (message.metrics === null) {
        // No answer says that they cannot be read.
        await answer().then(
          (metrics) => send({ metrics }),
          () => undefined,
        );
        return;
      }
      latest = message.metrics;
      answers.emit('answer');
    },
    /** The latest answer, also one that came too late. */
    latest: () => latest,
  };
}
