/** The metrics of all serving processes of a server. Under a primary process, each worker can ask it for the sum over all of them. */
import cluster, { type Worker } from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { isObject } from '../../calendar/json.ts';

/** Metrics in prom-client's form: of one process, or summed over several. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

export interface Metrics {
  readonly values: () => Promise<MetricValues>;
  /** Prometheus's text format. */
  readonly text: () => Promise<string>;
}

/** Both carry the number of the request. A worker requests the metrics of all from the primary, which requests those of each. */
type Message =
  | { readonly metrics: 'asked'; readonly ask: number }
  /** Null if it failed. */
  | { readonly metrics: 'report'; readonly ask: number; readonly values: MetricValues | null };

/** All other messages are the server's own, node:cluster's or a library's. */
function isOwn(message: unknown): message is Message {
  return isObject(message) && 'metrics' in message;
}

/** Milliseconds. */
const LONGEST_WAIT = 5_000;
/** In place of a request's number. */
const UNASKED = -1;

/** `registry`: that of this process, which may be a worker. `refresh` brings it up to date. */
export function connectMetrics(registry: Registry, refresh = async () => {}): Metrics {
  const read = async () => {
    await refresh();
    return registry.getMetricsAsJSON();
  };
  if (!cluster.isWorker) return { values: read, text: () => refresh().then(() => registry.metrics()) };
  const asks = createAsks<MetricValues | null>(LONGEST_WAIT, null);
  const send = (message: Message) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => undefined);
  };
  const report = async (ask: number) => send({ metrics: 'report', ask, values: await read() });
  process.on('message', (message: unknown) => {
    if (!isOwn(message)) return;
    if (message.metrics === 'report') asks.answer(message.ask, message.values);
    else void report(message.ask);
  });
  // A worker that is still loading would not answer: only those that have reported once are asked.
  send({ metrics: 'report', ask: UNASKED, values: [] });
  const collect = async () => {
    const values = await asks.ask((ask) => send({ metrics: 'asked', ask }));
    if (values === null) throw new Error(`expected the metrics of all processes within ${LONGEST_WAIT} ms`);
    return values;
  };
  return {
    values: collect,
    text: async () => AggregatorRegistry.aggregate([await collect()]).metrics(),
  };
}

/** Called in the primary process before it starts workers: gathers their metrics for those that ask. */
export function supervise(): void {
  // JSON turns NaN into null, which then counts as 0 in sums.
  cluster.setupPrimary({ serialization: 'advanced' });
  const reports = createReports();
  cluster.on('message', (worker, message: unknown) => {
    if (!isOwn(message)) return;
    if (message.metrics === 'report') reports.receive(worker, message);
    else void reports.answer(worker, message.ask);
  });
  cluster.on('exit', reports.forget);
}

/** Milliseconds. A worker that is too busy to answer in time counts with its latest report. */
const LONGEST_REPORT = 1_000;

/** Gathers the metrics of all serving processes. */
function createReports() {
  /** A chain of promises, because each sum builds on the one before. */
  let departed: Promise<MetricValues> = Promise.resolve([]);
  const last = new Map<number, MetricValues>();
  const asks = createAsks<void>(LONGEST_REPORT, undefined);
  const send = (worker: Worker, message: Message) => {
    // The worker may die at any moment.
    if (worker.isConnected()) worker.send(message, () => undefined);
  };
  const report = async (worker: Worker | undefined) => {
    if (worker) await asks.ask((ask) => send(worker, { metrics: 'asked', ask }));
  };
  const collect = async () => {
    await Promise.all([...last.keys()].map((id) => report(cluster.workers?.[id])));
    return sumOf([await departed, ...last.values()]);
  };
  return {
    /** Takes the metrics of a worker. */
    receive: (worker: Worker, { values, ask }: Extract<Message, { metrics: 'report' }>) => {
      if (values !== null) last.set(worker.id, values);
      asks.answer(ask);
    },
    /** Sums the metrics of all, for a worker that requests it. */
    answer: async (worker: Worker, ask: number) => {
      const values = await collect().catch(() => null);
      send(worker, { metrics: 'report', ask, values });
    },
    /** Removes a worker that has ended. */
    forget: ({ id }: Worker) => {
      const values = last.get(id);
      last.delete(id);
      if (values !== undefined) departed = departed.then((sum) => sumOf([sum, countsOf(values)]));
    },
  };
}

/** Summed as if of one process; each metric's `aggregator` says how. */
function sumOf(all: readonly MetricValues[]): Promise<MetricValues> {
  return AggregatorRegistry.aggregate([...all]).getMetricsAsJSON();
}

/**
 * The last reported counts of processes that have ended. Without them a sum would fall at each end, which readers of counters take for a
 * restart of all.
 */
function countsOf(values: MetricValues): MetricValues {
  return values.filter(({ type }) => COUNTING.has(type));
}

/** prom-client's types declare numbers here; the values are words. */
const COUNTING: ReadonlySet<unknown> = new Set(['counter', 'histogram']);

/** Requests that were sent over a channel and wait for an answer; both carry the same number. */
function createAsks<Answer>(patienceMs: number, otherwise: Answer) {
  const waiting = new Map<number, (answer: Answer) => void>();
  let asks = 0;
  return {
    /** Resolves to the answer, or to `otherwise` if none arrives in time. */
    ask: (send: (ask: number) => void) =>
      new Promise<Answer>((resolve) => {
        const ask = asks++;
        const end = (answer: Answer) => {
          clearTimeout(timer);
          waiting.delete(ask);
          resolve(answer);
        };
        const timer = setTimeout(end, patienceMs, otherwise);
        waiting.set(ask, end);
        send(ask);
      }),
    answer: (ask: number, answer: Answer) => waiting.get(ask)?.(answer),
  };
}
