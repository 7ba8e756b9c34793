/** The side of the first process: starts the serving processes, replaces the ones that die, and speaks for all of them. */
import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry } from 'prom-client';
import { CalendarError } from '../calendar/errors.ts';
import type { MetricValues } from '../serve/annex.ts';
import type { Upkeep } from '../upkeep.ts';
import { beatMs, createStallCheck, type Pulse, STALL_MS } from './watchdog.ts';
import { createAsks, isToPrimary, type ToPrimary, type ToWorker } from './worker.ts';

interface WorkersOptions {
  readonly count: number;
  /** With which each of them runs the script of this process. */
  readonly args: readonly string[];
  readonly log: Logger;
  readonly upkeep: () => Upkeep;
  /** Milliseconds in which a worker has to stop. */
  readonly stopMs: number;
  /** Milliseconds that the event loop of a worker may stand still. */
  readonly stallMs?: number;
}

interface Workers {
  /** Resolves to the endpoint's URL when the first of them has a snapshot. Rejects when none of them can start. */
  readonly ready: Promise<string>;
  /** To be called when it has changed. */
  readonly sendUpkeep: () => void;
  readonly stop: () => Promise<void>;
}

interface Losses {
  /** In the last minute. */
  readonly deaths: number;
  /** Processes that serve, or are on their way to it. */
  readonly living: number;
}

/**
 * Milliseconds until one that died is replaced: the more deaths, the longer the delay. There is none while no other
 * process answers (D13).
 */
export function replacementDelay({ deaths, living }: Losses): number {
  return deaths <= 1 || living === 0 ? 0 : Math.min(100 * 2 ** (deaths - 2), 30_000);
}

export function startWorkers(options: WorkersOptions): Workers {
  const { count, args, log, upkeep, stopMs, stallMs = STALL_MS } = options;
  const reports = createReports();
  const pulses = watchPulses(log, stallMs);
  const slots = createSlots(count);
  const deaths: number[] = [];
  let stopping = false;
  // JSON would make a null of NaN, and a 0 of that as soon as it is added up.
  cluster.setupPrimary({ args: [...args], serialization: 'advanced' });
  const fork = () => {
    if (!stopping) slots.fill((slot) => cluster.fork({ [SLOT]: `${slot}` }));
  };

  const ready = new Promise<string>((resolve, reject) => {
    const receive = (worker: Worker, message: ToPrimary) => {
      if (message.kind === 'beat') pulses.receive(worker, message.isDebugged);
      else if (message.kind === 'metricsAsked') void reports.answer(worker, message.ask);
      else if (message.kind === 'metricsTold') reports.receive(worker, message);
      else if ('refusal' in message.result) {
        reject(new CalendarError('INVALID_SETTING', message.result.refusal));
      } else {
        send(worker, { kind: 'upkeep', upkeep: upkeep() });
        resolve(message.result.url);
      }
    };
    cluster.on('message', (worker, message: unknown) => {
      if (isToPrimary(message)) receive(worker, message);
    });
  });

  cluster.on('exit', (worker, code, signal) => {
    reports.forget(worker);
    pulses.forget(worker);
    slots.free(worker);
    if (stopping) return;
    const now = performance.now();
    deaths.push(now);
    while ((deaths[0] ?? now) < now - MINUTE) deaths.shift();
    const delay = replacementDelay({ deaths: deaths.length, living: living().length });
    log.warn({ worker: worker.id, code, signal, delay }, 'worker ended, another one takes its place');
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

/** The environment variable that tells a worker its place among them: one that dies leaves it to the one that comes after. */
export const SLOT = 'WORKER_SLOT';

function createSlots(count: number) {
  const free = Array.from({ length: count }, (_, slot) => slot);
  const taken = new Map<number, number>();
  return {
    fill: (fork: (slot: number) => Worker) => {
      const slot = free.shift() ?? 0;
      taken.set(fork(slot).id, slot);
    },
    free: ({ id }: Worker) => {
      const slot = taken.get(id);
      taken.delete(id);
      if (slot !== undefined) free.push(slot);
    },
  };
}

const MINUTE = 60_000;

function living(): readonly Worker[] {
  return Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
}

function send(worker: Worker, message: ToWorker): void {
  // It may die at any moment.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Kills the workers whose event loops stand still (D13). */
function watchPulses(log: Logger, stallMs: number) {
  const watched = new Map<number, { pulse: Pulse; readonly isStalled: (pulse: Pulse) => boolean }>();
  const look = () => {
    for (const worker of living()) {
      const one = watched.get(worker.id);
      if (one === undefined || !one.isStalled(one.pulse)) continue;
      watched.delete(worker.id);
      log.error({ worker: worker.id, ms: stallMs }, 'event loop of a worker stands still, it is killed');
      worker.process.kill('SIGKILL');
    }
  };
  setInterval(look, beatMs(stallMs)).unref();
  return {
    /** A worker's loop has beaten. */
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
const LONGEST_WAIT = 1_000;

/** Gathers the metrics of all serving processes. */
function createReports() {
  /** One after the other, because each sum is made of the one before. */
  let departed: Promise<MetricValues> = Promise.resolve([]);
  const last = new Map<number, MetricValues>();
  const asks = createAsks<void>({ patienceMs: LONGEST_WAIT, otherwise: undefined });
  const report = (worker: Worker) =>
    new Promise<void>((resolve) => asks.ask((ask) => send(worker, { kind: 'metricsAsked', ask }), resolve));

  const collect = async () => {
    await Promise.all(living().map(report));
    return sumOf([await departed, ...last.values()]);
  };

  return {
    /** Takes the metrics of a worker. */
    receive: (worker: Worker, { values, ask }: Extract<ToPrimary, { kind: 'metricsTold' }>) => {
      if (values !== null) last.set(worker.id, values);
      asks.answer(ask);
    },
    /** Adds up what all have counted, for a worker that asks for it. */
    answer: async (worker: Worker, ask: number) => {
      const values = await collect().catch(() => null);
      send(worker, { kind: 'metricsTold', ask, values });
    },
    /** A worker is gone. */
    forget: ({ id }: Worker) => {
      const values = last.get(id);
      last.delete(id);
      if (values !== undefined) departed = departed.then((sum) => sumOf([sum, countsOf(values)]));
    },
  };
}

/** As if they were one process; each metric's `aggregator` says how. */
function sumOf(all: readonly MetricValues[]): Promise<MetricValues> {
  return AggregatorRegistry.aggregate([...all]).getMetricsAsJSON();
}

/**
 * The counts of processes that have ended, as last reported. Without them a sum would fall at each end, which readers of counters
 * take for a restart of all.
 */
function countsOf(values: MetricValues): MetricValues {
  return values.filter(({ type }) => COUNTING.has(type));
}

/** prom-client's types say that these are numbers; they are words. */
const COUNTING: ReadonlySet<unknown> = new Set(['counter', 'histogram']);
