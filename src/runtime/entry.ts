/**
 * The beginning and end of every entry point. Checks whether the program can run, and says why if it cannot. The first SIGTERM or SIGINT stops
 * the program in order (H4), and a second one ends it at once.
 */
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CalendarError, isCalendarError, printableMessage } from '../calendar/errors.ts';
import { nameSources } from './stacks.ts';

/** Equal to `engines` in package.json. */
const LEAST_NODE = [20, 17] as const;

/**
 * `main` imports the program itself: an older Node ends that with a SyntaxError about the first name that it lacks. So an entry point
 * imports nothing else.
 */
export async function enter(main: () => Promise<void>): Promise<void> {
  try {
    checkNode(process.versions.node);
    process.on('uncaughtExceptionMonitor', nameSources);
    await main();
  } catch (thrown) {
    if (!isCalendarError(thrown)) throw thrown;
    // The first process reports it for all workers.
    if (!cluster.isWorker) process.stderr.write(`${fatalLine(thrown)}\n`);
    process.exit(1);
  }
}

/** A line of the log where logs are JSON, for collectors: by the environment alone, because settings may be what is wrong. */
function fatalLine(thrown: CalendarError): string {
  const message = printableMessage(thrown);
  if (process.env.ALMANAKK_LOG_FORMAT?.trim() !== 'json') return message;
  return JSON.stringify({ level: 'fatal', time: new Date().toISOString(), code: thrown.code, msg: message });
}

export function checkNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [leastMajor, leastMinor] = LEAST_NODE;
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  throw new CalendarError(
    'INVALID_SETTING',
    `Node: expected ${leastMajor}.${leastMinor} or later, found ${version} (${process.execPath})`,
  );
}

interface StopOptions {
  /** Stops in order, and must settle without help. */
  readonly stop: (signal: StopSignal) => Promise<void>;
  /** Called with the exit code at the end. */
  readonly exit: (code: number) => void;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
}

/** Under npm a Ctrl-C arrives twice: from the terminal, which signals the whole group, and from npm, which forwards it. */
const ONE_AND_THE_SAME_MS = 500;

/** Exit codes of a program that a signal ended: 128 plus its number. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type StopSignal = keyof typeof EXIT_CODES;

/** Returns the function to call for each signal. Only the second one ends the process at once. */
export function createStop({ stop, exit, clock }: StopOptions): (signal: StopSignal) => void {
  let begun: number | null = null;
  return (signal) => {
    if (begun !== null) {
      if (clock() - begun >= ONE_AND_THE_SAME_MS) exit(EXIT_CODES[signal]);
      return;
    }
    begun = clock();
    void stop(signal).then(
      () => exit(0),
      () => exit(1),
    );
  };
}

/** Milliseconds, within the ten seconds of H4. Work that is unfinished by then is dropped: no reader ever sees half of it. */
export const STOP_MS = 9_500;

/** Stops, with a line in the log before it, and one after it or with the error that it ended with. */
export function logged(
  log: Pick<Logger, 'info' | 'error'>,
  stop: () => Promise<unknown>,
): StopOptions['stop'] {
  return async (cause) => {
    log.info({ cause }, 'stopping');
    try {
      await stop();
    } catch (thrown) {
      log.error({ err: thrown }, 'stopping failed');
      throw thrown;
    }
    log.info('stopped');
  };
}

/** Handles this process's signals. */
export function stopOnSignals(stop: StopOptions['stop']): void {
  const onSignal = createStop({
    stop: (signal) => Promise.race([stop(signal), pause(STOP_MS)]),
    exit: (code) => process.exit(code),
    clock: () => performance.now(),
  });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
}
