/** The clock and its timers, as an argument of what goes on over time. */

export interface Time {
  /** Milliseconds since 1970. May jump, in both directions. */
  readonly now: () => number;
  /** Calls back after that many milliseconds, unless the function that it gives is called before. */
  readonly after: (milliseconds: number, callBack: () => void) => () => void;
}

/** The machine's own. Its timers keep the program alive. */
export const machineTime: Time = {
  now: Date.now,
  after: (milliseconds, callBack) => {
    const timer = setTimeout(callBack, milliseconds);
    return () => clearTimeout(timer);
  },
};

/** Resolves after that time, or as soon as the signal says so. */
export function waitFor(time: Time, milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = () => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = time.after(milliseconds, end);
    signal.addEventListener('abort', end);
  });
}
