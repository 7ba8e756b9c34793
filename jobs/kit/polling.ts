/** Work that is repeated for as long as a program runs: at intervals while it succeeds, after growing pauses while it fails. */
import { setTimeout as pause } from 'node:timers/promises';

interface PollingOptions extends Omit<Wait, 'failures'> {
  /** Resolves to whether it succeeded. Never rejects. */
  readonly attempt: () => Promise<boolean>;
  /** Milliseconds, in place of `pollMs` after a failure; the pause doubles with each further one, up to a minute. */
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

/** The first attempt begins at once. */
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
      const wait = waitBefore({ pollMs: failures === 0 ? pollMs : retryMs, failures, random });
      await pause(wait, undefined, waiting).catch(() => undefined);
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

interface Wait {
  /** Milliseconds between two attempts while all succeed. */
  readonly pollMs: number;
  /** Failed attempts in a row. */
  readonly failures: number;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
}

/** An origin that returns is found within this time, however long it was away. */
const LONGEST_MS = 60_000;

/** Milliseconds before the next attempt. Randomised, so that many replicas do not all connect at the same moment. */
export function waitBefore({ pollMs, failures, random }: Wait): number {
  if (failures === 0) return pollMs * (0.9 + 0.2 * random());
  const longest = Math.max(pollMs, LONGEST_MS);
  return Math.min(pollMs * 2 ** failures, longest) * (0.5 + 0.5 * random());
}
