/** The metrics of all serving processes of a server. Under a primary process, each worker can ask it for the sum over all of them. */
import cluster, { type Worker } from 'node:cluster';
import { EventEmitter, once } from 'node:events';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { isObject } from '../../calendar/json.ts';

/** Metrics in prom-client's form: of one process, or summed over several. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** One value of a metric, with its labels. */
export type MetricSample = MetricValues[number]['values'][number];

/** The current metrics of all processes. */
export type ReadMetrics = () => Promise<Pick<Registry, 'metrics' | 'getMetricsAsJSON'>>;

/** Null asks for them. All other messages are the server's own, node:cluster's or a library's. */
interface Message {
  readonly metrics: MetricValues | null;
}

const isOfMetrics = (message: unknown): message is Message => isObject(message) && 'metrics' in message;

/** Milliseconds that a worker waits for the sum. */
const LONGEST_WAIT = 5_000;

/** `registry`: that of this process, which may be a worker. `refresh` brings it up to date. */
export function connectMetrics(registry: Registry, refresh = async () => {}): ReadMetrics {
  if (!cluster.isWorker) return () => refresh().then(() => registry);
  const sums = new EventEmitter().setMaxListeners(0);
  const send = (message: Message) =>
    process.connected && process.send?.(message, undefined, undefined, () => undefined);
  const answer = async () => send({ metrics: await refresh().then(() => registry.getMetricsAsJSON()) });
  process.on('message', (message: unknown) => {
    if (!isOfMetrics(message)) return;
    if (message.metrics !== null) sums.emit('sum', message.metrics);
    // No answer says that they cannot be read.
    else void answer().catch(() => undefined);
  });
  return async () => {
    send({ metrics: null });
    const sum = await once(sums, 'sum', { signal: AbortSignal.timeout(LONGEST_WAIT) });
    return AggregatorRegistry.aggregate(sum);
  };
}

/** Milliseconds. A worker that is too busy to answer in time counts with its latest answer. */
const LONGEST_ANSWER = 1_000;

/** Called in the primary process before it starts workers: collects their metrics on request. */
export function supervise(): void {
  // JSON turns NaN into null, which then counts as 0 in sums.
  cluster.setupPrimary({ serialization: 'advanced' });
  const answers = new EventEmitter().setMaxListeners(0);
  /** The latest answers by worker. */
  const latest = new Map<Worker, MetricValues>();
  /** The sum of workers that have ended; a chain of promises, because each sum builds on the one before. */
  let departed: Promise<MetricValues> = Promise.resolve([]);
  // It may die at any moment.
  const send = (worker: Worker, message: Message) =>
    worker.isConnected() && worker.send(message, () => undefined);
  const collect = async () => {
    const signal = AbortSignal.timeout(LONGEST_ANSWER);
    const answered = [...latest.keys()].map((worker) => {
      send(worker, { metrics: null });
      return once(answers, `${worker.id}`, { signal });
    });
    await Promise.allSettled(answered);
    return sumOf([await departed, ...latest.values()]);
  };
  // A worker that is still loading would not answer.
  cluster.on('listening', (worker) => latest.set(worker, latest.get(worker) ?? []));
  cluster.on('message', (worker, message: unknown) => {
    if (!isOfMetrics(message)) return;
    if (message.metrics === null) return void collect().then((metrics) => send(worker, { metrics }));
    if (latest.has(worker)) latest.set(worker, message.metrics);
    answers.emit(`${worker.id}`);
  });
  cluster.on('exit', (worker) => {
    // Without its last counts, a sum would fall at each end, which readers of counters take for a restart of all.
    const counts = (latest.get(worker) ?? []).filter(({ type }) => COUNTED.has(type));
    latest.delete(worker);
    departed = departed.then((sum) => sumOf([sum, counts]));
  });
}

/** prom-client's types declare numbers here; the values are words. */
const COUNTED: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** Summed as if of one process; each metric's `aggregator` says how. */
function sumOf(all: MetricValues[]): Promise<MetricValues> {
  return AggregatorRegistry.aggregate(all).getMetricsAsJSON();
}
