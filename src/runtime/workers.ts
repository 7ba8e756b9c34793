/**
 * Several serving processes. The primary starts them, replaces those that die, and answers for all of them; the messages between them, and
 * the serving side.
 */
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry, type Registry } from 'prom-client';
import { CalendarError } from '../calendar/errors.ts';
import { isObject } from '../calendar/json.ts';
import type { Metrics, MetricValues } from '../serve/annex.ts';
import { NO_UPKEEP, type Upkeep } from '../upkeep.ts';
import { beatMs, createStallCheck, isDebugged, type Pulse, STALL_MS } from './watchdog.ts';

interface WorkersOptions {
  readonly count: number;
  /** Arguments of this process's script in each worker. */
  readonly args: readonly string[];
  readonly log: Logger;
  readonly upkeep: () => Upkeep;
  /** Milliseconds in which a worker must stop. */
  readonly stopMs: number;
  /** Milliseconds for which the event loop of a worker may stall. */
  readonly stallMs?: number;
}

interface Workers {
  /** Resolves to the endpoint's URL once the first worker has a snapshot. Rejects if none of them can start. */
  readonly ready: Promise<string>;
  /** Called when the state of the builds has changed. */
  readonly sendUpkeep: () => void;
  readonly stop: () => Promise<void>;
}

interface Losses {
  /** Deaths in the last minute. */
  readonly deaths: number;
  /** Processes that serve or are starting. */
  readonly living: number;
}

/** Milliseconds until a dead worker is replaced: the more deaths, the longer; none if no other process answers (D13). */
export function replacementDelay({ deaths, living }: Losses): number {
  return deaths <= 1 || living === 0 ? 0 : Math.min(100 * 2 ** (deaths - 2), 30_000);
}

export function startWorkers(options: WorkersOptions): Workers {
  const { count, args, log, upkeep, stopMs, stallMs = STALL_MS } = options;
  const reports = createReports();
  const pulses = watchPulses(log, stallMs);
  const slots = Array.from({ length: count }, (_, slot) => slot);
  /** By the worker's id. */
  const slotOf = new Map<number, number>();
  const deaths: number[] = [];
  let stopping = false;
  // JSON turns NaN into null, which then counts as 0 in sums.
  cluster.setupPrimary({ args: [...args], serialization: 'advanced' });
  const fork = () => {
    if (stopping) return;
    const taken = new Set(slotOf.values());
    const slot = slots.find((one) => !taken.has(one)) ?? 0;
    slotOf.set(cluster.fork({ [SLOT]: `${slot}` }).id, slot);
  };

  const ready = new Promise<string>((resolve, reject) => {
    const receive = (worker: Worker, message: ToPrimary) => {
      if (message.kind === 'beat') pulses.receive(worker, message.isDebugged);
      else if (message.kind === 'metricsAsked') void reports.answer(worker, message.ask);
      else if (message.kind === 'metricsReport') reports.receive(worker, message);
      else if ('refusal' in message.result) {
        reject(new CalendarError('INVALID_SETTING', message.result.refusal));
      } else {
        send(worker, { kind: 'upkeep', upkeep: upkeep() });
        resolve(message.result.url);
      }
    };
    cluster.on('message', (worker, message: unknown) => {
      if (isOwn<ToPrimary>(message)) receive(worker, message);
    });
  });

  cluster.on('exit', (worker, code, signal) => {
    reports.forget(worker);
    pulses.forget(worker);
    slotOf.delete(worker.id);
    if (stopping) return;
    const now = performance.now();
    deaths.push(now);
    while ((deaths[0] ?? now) < now - MINUTE) deaths.shift();
    const delay = replacementDelay({ deaths: deaths.length, living: living().length });
    log.warn({ worker: worker.id, code, signal, delay }, 'worker ended, it is replaced');
    setTimeout(fork, delay);
  });
  for (let started = 0; started < count; started++) fork();

  return {
    ready,
    sendUpkeep: () => {
      for (const worker of living()) send(worker, { kind: 'upkeep', upkeep: upkeep() });
    },
    stop: async () => {
      stopping = true;
      await Promise.all(living().map((worker) => stopWorker(worker, stopMs)));
    },
  };
}

/** The environment variable with a worker's place; a replacement takes over the place of the dead one. */
export const SLOT = 'WORKER_SLOT';

const MINUTE = 60_000;

function living(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

function send(worker: Worker, message: ToWorker): void {
  // The worker may die at any moment.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Kills the workers whose event loops stall (D13). */
function watchPulses(log: Logger, stallMs: number) {
  const watched = new Map<number, { pulse: Pulse; readonly isStalled: (pulse: Pulse) => boolean }>();
  const look = () => {
    for (const worker of living()) {
      const one = watched.get(worker.id);
      if (one === undefined || !one.isStalled(one.pulse)) continue;
      watched.delete(worker.id);
      log.error({ worker: worker.id, ms: stallMs }, 'worker killed, its event loop stalled');
      worker.process.kill('SIGKILL');
    }
  };
  setInterval(look, beatMs(stallMs)).unref();
  return {
    /** Takes a heartbeat of a worker. */
    receive: ({ id }: Worker, isDebugged: boolean) => {
      const one = watched.get(id);
      if (one === undefined) {
        const isStalled = createStallCheck({ stallMs, clock: () => performance.now() });
        watched.set(id, { pulse: { beat: 0, isDebugged }, isStalled });
      } else one.pulse = { beat: one.pulse.beat + 1, isDebugged };
    },
    forget: ({ id }: Worker) => watched.delete(id),
  };
}

function stopWorker(worker: Worker, stopMs: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopMs);
    worker.once('exit', () => {
      clearTimeout(timer);
      resolve();
    });
    send(worker, { kind: 'stop' });
  });
}

/** Milliseconds. A worker that is too busy to answer in time counts with its latest report. */
const LONGEST_REPORT = 1_000;

/** Gathers the metrics of all serving processes. */
function createReports() {
  /** A chain of promises, because each sum builds on the one before. */
  let departed: Promise<MetricValues> = Promise.resolve([]);
  const last = new Map<number, MetricValues>();
  const asks = createAsks<void>(LONGEST_REPORT, undefined);
  const report = (worker: Worker) => asks.ask((ask) => send(worker, { kind: 'metricsAsked', ask }));

  const collect = async () => {
    await Promise.all(living().map(report));
    return sumOf([await departed, ...last.values()]);
  };

  return {
    /** Takes the metrics of a worker. */
    receive: (worker: Worker, { values, ask }: Extract<ToPrimary, { kind: 'metricsReport' }>) => {
      if (values !== null) last.set(worker.id, values);
      asks.answer(ask);
    },
    /** Sums the metrics of all, for a worker that requests it. */
    answer: async (worker: Worker, ask: number) => {
      const values = await collect().catch(() => null);
      send(worker, { kind: 'metricsReport', ask, values });
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

type ToWorker =
  | MetricsMessage
  | { readonly kind: 'stop' }
  | { readonly kind: 'upkeep'; readonly upkeep: Upkeep };

type ToPrimary =
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
function isOwn<Message extends ToWorker | ToPrimary>(message: unknown): message is Message {
  return isObject(message) && 'kind' in message;
}

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
  const asks = createAsks<MetricValues | null>(LONGEST_WAIT, null);
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
    if (isOwn<ToWorker>(message)) receive(message);
  });

  const collect = async () => {
    const values = await asks.ask((ask) => void send({ kind: 'metricsAsked', ask }));
    if (values === null) throw new Error(`expected the metrics of all processes within ${LONGEST_WAIT} ms`);
    return values;
  };
  const metrics: Metrics = {
    values: collect,
    text: async () => AggregatorRegistry.aggregate([await collect()]).metrics(),
  };
  return { upkeep: () => upkeep, metrics, send };
}
