/** What SIGTERM and SIGINT do (H4): the first one stops in good order, a second one ends at once. */

import { setTimeout as pause } from 'node:timers/promises';
import type { Logger } from 'pino';

export interface StopOptions {
  /** In good order. Must come to an end by itself. The cause is a signal, or what else wants it. */
  readonly stop: (cause: string) => Promise<void>;
  /** Called with the exit code when all is said. */
  readonly exit: (code: number) => void;
  /** Milliseconds of a clock that only goes forward. */
  readonly clock: () => number;
}

/**
 * A Ctrl-C comes twice under npm: from the terminal, which signals all that runs in it, and from npm, which hands it on.
 */
const ONE_AND_THE_SAME_MS = 500;

/** Exit codes of a program that a signal ended: 128 and its number. */
const EXIT_CODES: Readonly<Record<string, number>> = { SIGINT: 130, SIGTERM: 143 };

/** Gives what is to be called for each cause. Only a signal can end at once. */
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

/** Milliseconds, of the ten seconds of H4. What is not done by then can be left as it is: nothing half done is ever seen. */
export const STOP_MS = 9_500;

/** Stops, with a line in the log before and after. */
export function saying(log: Pick<Logger, 'info'>, stop: () => Promise<unknown>): StopOptions['stop'] {
  return async (cause) => {
    log.info({ cause }, 'stopping');
    await stop();
    log.info('stopped');
  };
}

/** Listens for the signals of this process. Gives what is to be called for other causes. */
export function stopOnSignals(stop: StopOptions['stop']): (cause: string) => void {
  const onCause = createStop({
    stop: (cause) => Promise.race([stop(cause), pause(STOP_MS)]),
    exit: (code) => process.exit(code),
    clock: () => performance.now(),
  });
  for (const signal of Object.keys(EXIT_CODES)) process.on(signal, onCause);
  return onCause;
}
