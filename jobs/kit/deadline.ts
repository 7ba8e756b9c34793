/** The time limits of a request: the time in all, and the time without a byte. */
import { failureText } from '../../src/calendar/failures.ts';
import { FetchProblem, problemOf } from './fetch-problem.ts';

export interface TimeLimits {
  /** From looking up the address to the last byte, redirects included. */
  readonly seconds: number;
  /** Seconds without a byte. Without this limit, only the other one applies. */
  readonly stallSeconds?: number;
}

export interface Deadline {
  /** Aborts when a limit is reached, or when the caller's own signal does. */
  readonly signal: AbortSignal;
  /** Called whenever bytes arrive. */
  readonly renew: () => void;
  /** The error for a failure: after the deadline, always the deadline's. */
  readonly explain: (cause: unknown, url: URL) => FetchProblem;
  /** Stops the clocks. */
  readonly end: () => void;
}

interface DeadlineOptions {
  readonly limits: TimeLimits;
  readonly signal?: AbortSignal | undefined;
}

/** Starts both limits. Does not use `AbortSignal.any`, which keeps its results in memory for as long as a long-lived signal exists. */
export function startDeadline({
  limits: { seconds, stallSeconds = seconds },
  signal,
}: DeadlineOptions): Deadline {
  const controller = new AbortController();
  let over: string | null = null;
  const abort = () => controller.abort();
  const after = (limit: number, message: string) =>
    setTimeout(() => {
      over ??= message;
      abort();
    }, limit * 1000);
  const total = after(seconds, failureText('noEnd', { seconds }));
  const stall = after(stallSeconds, `${failureText('noByte', { seconds: stallSeconds })}, found none`);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  return {
    signal: controller.signal,
    renew: () => stall.refresh(),
    explain: (cause: unknown, url: URL) => {
      if (cause instanceof FetchProblem) return cause;
      if (over !== null) return new FetchProblem('time limit', url, over, cause);
      return problemOf(cause, url);
    },
    end: () => {
      clearTimeout(total);
      clearTimeout(stall);
      signal?.removeEventListener('abort', abort);
    },
  };
}
