/**
 * The beginning and end of every entry point: it checks whether the program can run, and says why if it cannot; the first SIGTERM or
 * SIGINT stops it in order (H4, stopping), a second one ends it at once.
 */
import cluster from 'node:cluster';
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';
import { CalendarError, isCalendarError } from '../calendar/errors.ts';
import { printable } from '../calendar/text.ts';

/** Node opens many modules at once while it loads them, and a server has one file open for each connection. */
const LEAST_OPEN_FILES = 256;

/** Equal to `engines` in package.json. */
const LEAST_NODE = [20, 17] as const;

/**
 * `main` imports the program itself: with too few files even that fails, and an older Node ends it with a SyntaxError about the first
 * name that it lacks. So an entry point imports nothing else.
 */
export async function enter(main: () => Promise<void>): Promise<void> {
  try {
    checkNode(process.versions.node);
    // Stack traces name the files of src/ and jobs/.
    process.setSourceMapsEnabled(true);
    checkOpenFiles(openFilesLimit());
    await main();
  } catch (thrown) {
    if (!isCalendarError(thrown)) throw thrown;
    // The first process reports it for all workers.
    if (!cluster.isWorker) process.stderr.write(`${printable(thrown.message)}\n`);
    process.exit(1);
  }
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

function checkOpenFiles(limit: number): void {
  if (limit >= LEAST_OPEN_FILES) return;
  const found = `found a limit of ${limit} (raise it with "ulimit -n 1024", LimitNOFILE= or --ulimit nofile=1024)`;
  throw new CalendarError(
    'INVALID_SETTING',
    `open files: expected at least ${LEAST_OPEN_FILES} for this process, ${found}`,
  );
}

/** This process's limit; infinite if the system has none or reports none. */
function openFilesLimit(): number {
  const report: { readonly userLimits?: { readonly open_files?: { readonly soft?: unknown } } } =
    process.report.getReport();
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : Number.POSITIVE_INFINITY;
}

interface StopOptions {
  /** Stops in order, and must finish by itself. `cause`: a signal's name, or another reason. */
  readonly stop: (cause: string) => Promise<void>;
  /** Called with the exit code at the end. */
  readonly exit: (code: number) => void;
  /** Milliseconds of a monotonic clock. */
  readonly clock: () => number;
}

/** Under npm a Ctrl-C arrives twice: from the terminal, which signals the whole group, and from npm, which forwards it. */
const ONE_AND_THE_SAME_MS = 500;

/** Exit codes of a program that a signal ended: 128 plus its number. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Returns the function to call for each cause. Only a second signal ends the process at once. */
export function createStop({ stop, exit, clock }: StopOptions): (cause: string) => void {
  let begun: number | null = null;
  return (cause) => {
    const code = EXIT_CODES[cause];
    if (begun === null) {
      begun = clock();
      void stop(cause).then(
        () => exit(0),
        () => exit(1),
      );
    } else if (code !== undefined && clock() - begun >= ONE_AND_THE_SAME_MS) exit(code);
  };
}

/** Milliseconds, within the ten seconds of H4. Work that is unfinished by then is dropped: no reader ever sees half of it. */
export const STOP_MS = 9_500;

/** Stops, with a line in the log before and after. */
export function saying(log: Pick<Logger, 'info'>, stop: () => Promise<unknown>): StopOptions['stop'] {
  return async (cause) => {
    log.info({ cause }, 'stopping');
    await stop();
    log.info('stopped');
  };
}

/** Handles this process's signals. Returns the function to call for other causes. */
export function stopOnSignals(stop: StopOptions['stop']): (cause: string) => void {
  const onCause = createStop({
    stop: (cause) => Promise.race([stop(cause), pause(STOP_MS)]),
    exit: (code) => process.exit(code),
    clock: () => performance.now(),
  });
  for (const signal of Object.keys(EXIT_CODES)) process.on(signal, onCause);
  return onCause;
}
