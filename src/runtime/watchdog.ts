/**
 * Ends a serving process whose event loop stands still (D13). The loop beats once in a while, and somebody outside of it
 * looks: the first process for its workers, a thread for a process that nobody else looks after.
 */

import { once } from 'node:events';
import { write } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Logger } from 'pino';
import { messageOf } from '../calendar/errors.ts';
import { isObject } from '../calendar/json.ts';
import { programPath } from '../package.ts';
import { createLog, type LogOptions } from './log.ts';

/** Milliseconds that a loop may stand still. */
export const STALL_MS = 15_000;

/** Milliseconds between two beats, and between two looks at them. */
export function beatMs(stallMs: number): number {
  return stallMs / 15;
}

export interface Pulse {
  /** A number that is another one with each beat. */
  readonly beat: number;
  /** Somebody may be stepping through it: then it may stand still for as long as they think. */
  readonly isDebugged: boolean;
}

interface StallOptions {
  readonly stallMs: number;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock: () => number;
}

/**
 * Gives what is to be called every `beatMs` with the latest pulse; true once no beat has come for too long. Whoever looks
 * late was held up as well: by a machine that slept, a process group that was stopped, a want of CPU. So each look
 * counts no more than two of its intervals, and a loop that comes back together with the looks has time to beat.
 */
export function createStallCheck({ stallMs, clock }: StallOptions): (pulse: Pulse) => boolean {
  const longest = 2 * beatMs(stallMs);
  let last: number | undefined;
  let looked = clock();
  let stood = 0;
  return ({ beat, isDebugged }) => {
    const now = clock();
    stood = beat !== last || isDebugged ? 0 : stood + Math.min(now - looked, longest);
    looked = now;
    last = beat;
    return stood >= stallMs;
  };
}

/** Of this process. */
export function isDebugged(): boolean {
  return inspectorUrl() !== undefined;
}

/** What the two threads share: 32-bit integers. */
const BEATS = 0;
const DEBUGGED = 1;

interface WatchdogData extends Pick<LogOptions, 'level' | 'format'> {
  readonly pulse: Int32Array;
  readonly stallMs: number;
}

interface WatchdogOptions extends Omit<WatchdogData, 'pulse'> {
  readonly log: Pick<Logger, 'warn'>;
}

/**
 * Has a thread look after this process; resolves when it does. A loop that stands still can be ended by SIGKILL alone, which
 * whoever has started the process takes for a failure.
 */
export async function startWatchdog({ log, ...data }: WatchdogOptions): Promise<void> {
  const pulse = new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
  const beat = () => {
    Atomics.add(pulse, BEATS, 1);
    Atomics.store(pulse, DEBUGGED, isDebugged() ? 1 : 0);
  };
  beat();
  setInterval(beat, beatMs(data.stallMs)).unref();
  const script = programPath('src/runtime/watchdog');
  const thread = new Worker(script, { workerData: { ...data, pulse } satisfies WatchdogData });
  thread.unref();
  // A process without one serves as well, until its loop stands still.
  thread.on('error', (cause) => log.warn({ reason: messageOf(cause) }, 'watchdog ended'));
  await once(thread, 'message').catch(() => undefined);
}

/** Milliseconds. */
const LONGEST_WRITE = 1_000;

/** The thread. */
function lookAfterProcess({ pulse, stallMs, level, format }: WatchdogData): void {
  const isStalled = createStallCheck({ stallMs, clock: () => performance.now() });
  const end = () => process.kill(process.pid, 'SIGKILL');
  const looking = setInterval(() => {
    const beat = Atomics.load(pulse, BEATS);
    if (!isStalled({ beat, isDebugged: Atomics.load(pulse, DEBUGGED) === 1 })) return;
    clearInterval(looking);
    // Whoever reads the log may be what the loop waits for: so nobody waits for the line.
    setTimeout(end, LONGEST_WRITE);
    const output = { write: (line: string) => write(1, line, end) };
    createLog({ level, format, output }).fatal({ ms: stallMs }, 'event loop stands still, process killed');
  }, beatMs(stallMs));
}

function isWatchdogData(value: unknown): value is WatchdogData {
  return isObject(value) && value.pulse instanceof Int32Array;
}

if (isWatchdogData(workerData)) {
  lookAfterProcess(workerData);
  parentPort?.postMessage('looking');
}
