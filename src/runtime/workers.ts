/** Several serving processes: the primary starts them, replaces those that die, and passes messages on between them. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { CalendarError, messageOf } from '../calendar/errors.ts';
import type { Upkeep } from '../upkeep.ts';
import { CHECKS, isToPrimary, SLOT, STALL_MS, type ToPrimary, type ToWorker } from './worker-messages.ts';

interface WorkersOptions {
  readonly count: number;
  /** Arguments of this process's script in each worker. */
  readonly args: readonly string[];
  readonly log: Logger;
  /** Null while this process has no builder. */
  readonly upkeep: () => Upkeep | null;
  /** H14: called when a worker has left the folder's current file. */
  readonly onDamage: () => void;
  /** Milliseconds in which a worker must stop. */
  readonly stopMs: number;
  /** Milliseconds for which the event loop of a worker may stall. */
  readonly stallMs?: number;
}

interface Losses {
  /** Deaths in the last minute. */
  readonly deaths: number;
  /** Other processes that serve or are starting. */
  readonly others: number;
}

/** Milliseconds until a dead worker is replaced: the more deaths, the longer; none if no other process answers (D13). */
export function replacementDelay({ deaths, others }: Losses): number {
  return deaths <= 1 || others === 0 ? 0 : Math.min(100 * 2 ** (deaths - 2), 30_000);
}

interface Heartbeat {
  /** Its number among the workers, from 0. */
  readonly slot: number;
  /** D13: checks since the latest one; a worker is watched from its first one on. */
  checks: number;
}

interface Workers {
  /** Resolves to the endpoint's URL once the first worker has a snapshot. Rejects if none of them can start. */
  readonly ready: Promise<string>;
  /** Called when the state of the builds has changed. */
  readonly sendUpkeep: () => void;
  readonly stop: () => Promise<void>;
}

export function startWorkers(options: WorkersOptions): Workers {
  const { count, args, log, upkeep, onDamage, stopMs, stallMs = STALL_MS } = options;
  /** By the worker's id. */
  const heartbeats = new Map<number, Heartbeat>();
  let stopping = false;
  cluster.setupPrimary({ args: [...args] });
  const { fork, forkAfter } = createForking({ heartbeats, log, isStopping: () => stopping });

  const ready = new Promise<string>((resolve, reject) => {
    const receive = (worker: Worker, message: ToPrimary) => {
      switch (message.kind) {
        case 'beat': {
          const heartbeat = heartbeats.get(worker.id);
          if (heartbeat !== undefined) heartbeat.checks = 0;
          break;
        }
        case 'damage':
          onDamage();
          for (const other of living()) if (other !== worker) send(other, message);
          break;
        case 'started':
          sendUpkeep([worker], upkeep());
          resolve(message.url);
          break;
        case 'refused':
          reject(new CalendarError('INVALID_SETTING', message.reason));
      }
    };
    cluster.on('message', (worker, message: unknown) => {
      if (isToPrimary(message)) receive(worker, message);
    });
  });

  // Its builder starts before this process awaits it; a rejection in between would otherwise end the process with a stack.
  ready.catch(() => undefined);

  cluster.on('exit', (worker, code, signal) => {
    heartbeats.delete(worker.id);
    if (stopping) return;
    const delay = forkAfter(0);
    log.warn({ worker: worker.id, code, signal, delay }, 'worker ended, starting another');
  });
  for (let started = 0; started < count; started++) fork();

  setInterval(() => killStalled(heartbeats, options), stallMs / CHECKS).unref();

  return {
    ready,
    sendUpkeep: () => sendUpkeep(living(), upkeep()),
    stop: async () => {
      stopping = true;
      await Promise.all(living().map((worker) => stopWorker(worker, stopMs)));
    },
  };
}

interface ForkingOptions {
  readonly heartbeats: Map<number, Heartbeat>;
  readonly log: Logger;
  readonly isStopping: () => boolean;
}

interface Forking {
  /** Starts a process. If that fails, it is tried again later. */
  readonly fork: () => void;
  /** Starts a process after at least this time, and returns the milliseconds until then. */
  readonly forkAfter: (leastMs: number) => number;
}

function createForking({ heartbeats, log, isStopping }: ForkingOptions): Forking {
  const losses: number[] = [];

  function fork(): void {
    if (isStopping()) return;
    const slot = freeSlot(heartbeats);
    try {
      const worker = cluster.fork({ [SLOT]: `${slot}` });
      heartbeats.set(worker.id, { slot, checks: Number.NEGATIVE_INFINITY });
      worker.on('error', (error) => handleError(worker, error));
    } catch (thrown) {
      // Node throws some errors of spawning, such as ENOMEM, and emits others, such as EAGAIN.
      retry(thrown);
    }
  }

  function forkAfter(leastMs: number): number {
    const now = performance.now();
    losses.push(now);
    while ((losses[0] ?? now) < now - MINUTE) losses.shift();
    const delay = Math.max(leastMs, replacementDelay({ deaths: losses.length, others: living().length }));
    setTimeout(fork, delay);
    return delay;
  }

  function retry(error: unknown): void {
    if (isStopping()) return;
    const delay = forkAfter(RETRY_MS);
    log.error({ reason: messageOf(error), delay }, 'worker could not be started, trying again');
  }

  function handleError(worker: Worker, error: Error): void {
    const isNotStarted = worker.isDead() && heartbeats.delete(worker.id);
    if (isNotStarted) retry(error);
    // A message that could not be sent. If the process has died, `exit` follows.
    else log.warn({ worker: worker.id, reason: messageOf(error) }, 'worker not reached');
  }

  return { fork, forkAfter };
}

/** The lowest number that no worker has: a replacement takes over that of the dead one. */
function freeSlot(heartbeats: ReadonlyMap<number, Heartbeat>): number {
  const taken = new Set([...heartbeats.values()].map((heartbeat) => heartbeat.slot));
  let slot = 0;
  while (taken.has(slot)) slot++;
  return slot;
}

/** D13: counts checks without a heartbeat, not time: a machine that sleeps makes none. */
function killStalled(
  heartbeats: ReadonlyMap<number, Heartbeat>,
  { log, stallMs = STALL_MS }: Pick<WorkersOptions, 'log' | 'stallMs'>,
): void {
  for (const worker of living()) {
    const heartbeat = heartbeats.get(worker.id);
    if (heartbeat === undefined) continue;
    heartbeat.checks++;
    // Only once: a process that is being killed may be listed for a while.
    if (heartbeat.checks !== CHECKS + 1) continue;
    log.error({ worker: worker.id, ms: stallMs }, 'worker killed, its event loop stalled');
    worker.process.kill('SIGKILL');
  }
}

const MINUTE = 60_000;

/** Milliseconds. At once, an attempt would fail again: the machine lacks memory, processes or file handles. */
const RETRY_MS = 1_000;

/** A dead worker is listed until its channel has closed, too: nothing says which of the two node:cluster notices first. */
function living(): readonly Worker[] {
  const listed = Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined);
  return listed.filter((worker) => !worker.isDead());
}

function sendUpkeep(workers: readonly Worker[], upkeep: Upkeep | null): void {
  if (upkeep === null) return;
  for (const worker of workers) send(worker, { kind: 'upkeep', upkeep });
}

function send(worker: Worker, message: ToWorker): void {
  // The worker may die at any moment.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

async function stopWorker(worker: Worker, stopMs: number): Promise<void> {
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopMs);
  worker.process.kill('SIGTERM');
  await once(worker, 'exit');
  clearTimeout(timer);
}
