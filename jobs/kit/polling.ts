/** Work that is repeated after pauses: until it succeeds, or for as long as a program runs. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface RetryOptions<Result = unknown> {
  readonly attempt: () => Promise<Result>;
  /** Milliseconds before the next attempt, by the number of attempts so far and why the last one failed; null for no further one. */
  readonly pauseMs: (attempts: number, cause: unknown) => number | null;
  readonly signal?: AbortSignal;
  readonly pause?: (ms: number) => Promise<unknown>;
}

/** Attempts until one succeeds. Rejects with the reason of the last attempt, or once it is aborted in a pause. */
export async function retry<Result>({
  attempt,
  pauseMs,
  signal,
  pause = (ms) => sleep(ms, undefined, { signal }),
}: RetryOptions<Result>): Promise<Result> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (cause) {
      const ms = pauseMs(attempts, cause);
      if (ms === null) throw cause;
      await pause(ms);
    }
  }
}

interface PollingOptions extends Omit<BackoffOptions, 'failures'> {
  /** Resolves to whether it succeeded. Never rejects. */
  readonly attempt: () => Promise<boolean>;
  /**
   * Milliseconds, in place of `pollMs` after a failure. The pause is one to two times as long, and doubles with each further failure, up to a
   * minute.
   */
  readonly retryMs?: number;
  /** Ends the polling; a running attempt has to end with it. */
  readonly stopping: AbortController;
}

export interface Polling {
  /** Attempts at once, after a running attempt. */
  readonly wake: () => void;
  /** Resolves once a running attempt has ended. */
  readonly stop: () => Promise<void>;
}

/** Attempts again and again, with a pause after each attempt. The first one begins at once. */
export function startPolling(options: PollingOptions): Polling {
  const { attempt, pollMs, retryMs = pollMs, random, stopping } = options;
  let failures = 0;
  let isWoken = false;
  let waiting = new AbortController();

  const done = (async () => {
    while (!stopping.signal.aborted) {
      isWoken = false;
      failures = (await attempt()) ? 0 : failures + 1;
      if (isWoken || stopping.signal.aborted) continue;
      waiting = new AbortController();
      const pause = backoff({ pollMs: failures === 0 ? pollMs : retryMs, failures, random });
      await sleep(pause, undefined, waiting).catch(() => undefined);
    }
  })();
  return {
    wake: () => {
      isWoken = true;
      waiting.abort();
    },
    stop: () => {
      stopping.abort();
      waiting.abort();
      return done;
    },
  };
}

interface BackoffOptions {
  /** Milliseconds between two attempts while all succeed. */
  readonly pollMs: number;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

/** Milliseconds: an origin that returns is found within this time, however long it was away. */
const LONGEST_MS = 60_000;

/** Milliseconds before the next attempt. Randomised, so that many replicas do not all connect at the same moment. */
export function backoff({ pollMs, failures, random }: BackoffOptions): number {
  // A tenth more or less: replicas that start together drift apart.
  if (failures === 0) return pollMs * (0.9 + 0.2 * random());
  const longest = Math.max(pollMs, LONGEST_MS);
  const jitter = 0.5 + 0.5 * random();
  return Math.min(pollMs * 2 ** failures, longest) * jitter;
}
