/**
 * Several serving processes. The primary starts them, replaces those that die, and answers for all of them; the messages between them, and
 * the serving side.
 */
import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import type { Logger } from 'pino';
import { CalendarError } from '../calendar/errors.ts';
import { isObject } from '../calendar/json.ts';
import type { Upkeep } from '../upkeep.ts';

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
  /** Processes that serve or are starting. */
  readonly living: number;
}

/** Milliseconds until a dead worker is replaced: the more deaths, the longer; none if no other process answers (D13). */
export function replacementDelay({ deaths, living }: Losses): number {
  return deaths <= 1 || living === 0 ? 0 : Math.min(100 * 2 ** (deaths - 2), 30_000);
}

interface State {
  /** Its number among the workers, from 0. */
  readonly slot: number;
  /** D13: checks since its latest heartbeat; a worker is watched from its first one on. */
  missed: number;
}

export function startWorkers(options: WorkersOptions) {
  const { count, args, log, upkeep, onDamage, stopMs, stallMs = STALL_MS } = options;
  /** By the worker's id. */
  const states = new Map<number, State>();
  const deaths: number[] = [];
  let stopping = false;
  cluster.setupPrimary({ args: [...args] });
  const fork = () => {
    if (stopping) return;
    const slot = freeSlot(states);
    states.set(cluster.fork({ [SLOT]: `${slot}` }).id, { slot, missed: Number.NEGATIVE_INFINITY });
  };

  /** Resolves to the endpoint's URL once the first worker has a snapshot. Rejects if none of them can start. */
  const ready = new Promise<string>((resolve, reject) => {
    const receive = (worker: Worker, message: ToPrimary) => {
      const state = states.get(worker.id);
      if (message.kind === 'beat' && state !== undefined) state.missed = 0;
      else if (message.kind === 'damage') {
        onDamage();
        for (const other of living()) if (other !== worker) send(other, message);
      } else if (message.kind === 'refused') reject(new CalendarError('INVALID_SETTING', message.reason));
      else if (message.kind === 'started') {
        tell([worker], upkeep());
        resolve(message.url);
      }
    };
    cluster.on('message', (worker, message: unknown) => {
      if (isMessage<ToPrimary>(message)) receive(worker, message);
    });
  });

  // Its builder starts before this process awaits it; a rejection in between would otherwise end the process with a stack.
  ready.catch(() => undefined);

  cluster.on('exit', (worker, code, signal) => {
    states.delete(worker.id);
    if (stopping) return;
    const now = performance.now();
    deaths.push(now);
    while ((deaths[0] ?? now) < now - MINUTE) deaths.shift();
    const delay = replacementDelay({ deaths: deaths.length, living: living().length });
    log.warn({ worker: worker.id, code, signal, delay }, 'worker ended, starting another');
    setTimeout(fork, delay);
  });
  for (let started = 0; started < count; started++) fork();

  setInterval(() => killStalled(states, options), stallMs / CHECKS).unref();

  return {
    ready,
    /** Called when the state of the builds has changed. */
    sendUpkeep: () => tell(living(), upkeep()),
    stop: async () => {
      stopping = true;
      await Promise.all(living().map((worker) => stopWorker(worker, stopMs)));
    },
  };
}

/** The environment variable with a worker's slot. */
export const SLOT = 'WORKER_SLOT';

/** The lowest number that no worker has: a replacement takes over that of the dead one. */
function freeSlot(states: ReadonlyMap<number, State>): number {
  const taken = new Set([...states.values()].map(({ slot }) => slot));
  let slot = 0;
  while (taken.has(slot)) slot++;
  return slot;
}

/** D13: counts checks without a heartbeat, not time: a machine that sleeps makes none. */
function killStalled(
  states: ReadonlyMap<number, State>,
  { log, stallMs = STALL_MS }: Pick<WorkersOptions, 'log' | 'stallMs'>,
): void {
  for (const worker of living()) {
    const state = states.get(worker.id);
    if (state === undefined || state.missed++ !== CHECKS) continue;
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

function tell(workers: readonly Worker[], upkeep: Upkeep | null): void {
  if (upkeep === null) return;
  for (const worker of workers) send(worker, { kind: 'upkeep', upkeep });
}

function send(worker: Worker, message: ToWorker): void {
  // The worker may die at any moment.
  if (worker.isConnected()) worker.send(message, () => undefined);
}

/** Milliseconds for which an event loop may stand still. */
const STALL_MS = 15_000;
/** Checks in that time, and heartbeats. */
const CHECKS = 15;

async function stopWorker(worker: Worker, stopMs: number): Promise<void> {
  const timer = setTimeout(() => worker.process.kill('SIGKILL'), stopMs);
  worker.process.kill('SIGTERM');
  await once(worker, 'exit');
  clearTimeout(timer);
}

type ToWorker =
  | { readonly kind: 'upkeep'; readonly upkeep: Upkeep }
  /** Another worker has left the folder's current file. */
  | { readonly kind: 'damage' };

type ToPrimary =
  /** Heartbeat. */
  | { readonly kind: 'beat' }
  /** H14: the process has left the folder's current file. */
  | { readonly kind: 'damage' }
  /** The process has a snapshot and answers. */
  | { readonly kind: 'started'; readonly url: string }
  /** It cannot start, and a retry would fail too. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Both ends run the same program; any other message is an annex's, node:cluster's or a library's. */
function isMessage<Message extends ToWorker | ToPrimary>(message: unknown): message is Message {
  return isObject(message) && 'kind' in message;
}

interface SupervisorOptions {
  /** Called when the folder may have a new snapshot. */
  readonly onUpkeep: () => void;
  /** H14: called when another process has left the folder's current file. */
  readonly onDamage: () => void;
  /** The primary's `stallMs`. */
  readonly stallMs?: number;
}

/** For a process that node:cluster started. */
export function connectSupervisor(options: SupervisorOptions) {
  const { onUpkeep, onDamage, stallMs = STALL_MS } = options;
  let upkeep: Upkeep | null = null;
  /** Resolves once the message is sent. */
  const send = (message: ToPrimary) =>
    new Promise<void>((resolve) => {
      if (process.connected) process.send?.(message, undefined, undefined, () => resolve());
      else resolve();
    });
  const beat = () => void send({ kind: 'beat' });
  beat();
  setInterval(beat, stallMs / CHECKS).unref();
  const receive = (message: ToWorker) => {
    if (message.kind === 'damage') onDamage();
    else {
      upkeep = message.upkeep;
      onUpkeep();
    }
  };
  process.on('message', (message: unknown) => {
    if (isMessage<ToWorker>(message)) receive(message);
  });
  /** `told`: the state of the primary's builder; null if it has none. */
  return { told: () => upkeep, send };
}
