/**
 * Ends a serving process whose event loop stalls (D13). The loop sends heartbeats, and an observer outside of it checks them: the primary
 * for its workers, a thread for a process that runs alone.
 */

import { once } from 'node:events';
import { write } from 'node:fs';
import { url as inspectorUrl } from 'node:inspector';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import type { Logger } from 'pino';
import { messageOf } from '../calendar/errors.ts';
import { isObject } from '../calendar/json.ts';
import { programPath } from '../package.ts';
import type { LogOptions } from './log.ts';

/** Milliseconds for which a loop may stall. */
export const STALL_MS = 15_000;

/** Milliseconds between two heartbeats, and between two checks of them. */
export function beatMs(stallMs: number): number {
  return stallMs / 15;
}

export interface Pulse {
  /** A number that changes with each heartbeat. */
  readonly beat: number;
  /** Whether a debugger is attached: then the loop may stall without limit. */
  readonly isDebugged: boolean;
}

interface StallOptions {
  readonly stallMs: number;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
}

/**
 * Returns the function to call every `beatMs` with the latest pulse; it returns true once heartbeats have been missing for too long. A
 * late check was delayed itself: the machine slept, the process group was stopped, or CPU was short. So each check counts at most two of
 * its intervals, and a loop that resumes together with the checks has time to beat.
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

/** Whether a debugger is attached to this process. */
export function isDebugged(): boolean {
  return inspectorUrl() !== undefined;
}

/** Indexes into the memory that both threads share: 32-bit integers. */
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
 * Starts the thread that watches this process; resolves once it runs. Only SIGKILL ends a stalled loop, and the parent process treats
 * that as a failure.
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
  // Without its watchdog the process still serves.
  thread.on('error', (cause) => log.warn({ reason: messageOf(cause) }, 'watchdog ended'));
  await once(thread, 'message').catch(() => undefined);
}

/** Milliseconds to load the log and to write its line. */
const LONGEST_WRITE = 3_000;

/** Runs in the thread. */
function lookAfterProcess({ pulse, stallMs, level, format }: WatchdogData): void {
  const isStalled = createStallCheck({ stallMs, clock: () => performance.now() });
  const end = () => process.kill(process.pid, 'SIGKILL');
  const looking = setInterval(() => {
    const beat = Atomics.load(pulse, BEATS);
    if (!isStalled({ beat, isDebugged: Atomics.load(pulse, DEBUGGED) === 1 })) return;
    clearInterval(looking);
    // The loop may be blocked by the log's reader: so the process ends without waiting for the line.
    setTimeout(end, LONGEST_WRITE);
    const output = { write: (line: string) => write(1, line, end) };
    // Loaded no sooner: a second copy of the log's modules, which this thread hardly ever needs.
    void import('./log.ts').then(({ createLog }) =>
      createLog({ level, format, output }).fatal({ ms: stallMs }, 'event loop stands still, process killed'),
    );
  }, beatMs(stallMs));
}

function isWatchdogData(value: unknown): value is WatchdogData {
  return isObject(value) && value.pulse instanceof Int32Array;
}

if (isWatchdogData(workerData)) {
  lookAfterProcess(workerData);
  parentPort?.postMessage('looking');
}
