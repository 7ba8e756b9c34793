/** Several serving processes: the primary starts them, replaces those that die, and passes messages on between them. */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { CalendarError } from '../calendar/errors.ts';
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
  const deaths: number[] = [];
  let stopping = false;
  cluster.setupPrimary({ args: [...args] });
  const fork = () => {
    if (stopping) return;
    const slot = freeSlot(heartbeats);
    heartbeats.set(cluster.fork({ [SLOT]: `${slot}` }).id, { slot, checks: Number.NEGATIVE_INFINITY });
  };

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
    const now = performance.now();
    deaths.push(now);
    while ((deaths[0] ?? now) < now - MINUTE) deaths.shift();
    const delay = replacementDelay({ deaths: deaths.length, others: living().length });
    log.warn({ worker: worker.id, code, signal, delay }, 'worker ended, starting another');
    setTimeout(fork, delay);
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
