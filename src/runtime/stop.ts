/** What SIGTERM and SIGINT do (H4): the first one stops in good order, a second one ends at once. */

export interface StopOptions {
  /** In good order. Must come to an end by itself. */
  readonly stop: (signal: string) => Promise<void>;
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

/** Gives what is to be called for each signal. */
export function createStop({ stop, exit, clock }: StopOptions): (signal: string) => void {
  let begun: number | null = null;
  return (signal) => {
    if (begun === null) {
      begun = clock();
      void stop(signal).then(
        () => exit(0),
        () => exit(1),
      );
    } else if (clock() - begun >= ONE_AND_THE_SAME_MS) exit(EXIT_CODES[signal] ?? 1);
  };
}

/** Listens for the signals of this process. */
export function stopOnSignals(stop: (signal: string) => Promise<void>): void {
  const onSignal = createStop({ stop, exit: (code) => process.exit(code), clock: () => performance.now() });
  for (const signal of Object.keys(EXIT_CODES)) process.on(signal, onSignal);
}
