/** The thread that looks after its process: see watchdog.ts. */
import { write } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from './log.ts';
import { BEATS, beatMs, createStallCheck, DEBUGGED, type WatchdogData } from './watchdog.ts';

const { pulse, stallMs, level, format }: WatchdogData = workerData;
const isStalled = createStallCheck({ stallMs, clock: () => performance.now() });

const looking = setInterval(() => {
  const beat = Atomics.load(pulse, BEATS);
  if (!isStalled({ beat, isDebugged: Atomics.load(pulse, DEBUGGED) === 1 })) return;
  clearInterval(looking);
  // Whoever reads the log may be what the loop waits for: so nobody waits for the line.
  setTimeout(end, LONGEST_WRITE);
  const output = { write: (line: string) => write(1, line, end) };
  createLog({ level, format, output }).fatal({ ms: stallMs }, 'event loop stands still, process killed');
}, beatMs(stallMs));
parentPort?.postMessage('looking');

/** Milliseconds. */
const LONGEST_WRITE = 1_000;

function end(): void {
  process.kill(process.pid, 'SIGKILL');
}
