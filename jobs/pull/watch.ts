/** H6: follows an origin for as long as the program runs. Whatever is wrong there, the folder keeps what it has. */
import { messageOf } from '../../src/calendar/errors.ts';
import type { Manifest } from '../../src/snapshot/folder.ts';
import { rememberRefusals } from '../../src/snapshot/refusals.ts';
import { type Time, waitFor } from '../schedule/time.ts';
import { waitBeforeLook } from './backoff.ts';
import { type CopyOptions, copySnapshot, fetchManifest, isCurrent, readOriginManifest } from './copy.ts';

export interface WatchOriginOptions extends Omit<CopyOptions, 'signal'> {
  readonly pollMs: number;
  readonly log: Log;
  readonly time: Time;
  /** From 0 up to but not including 1. */
  readonly random: () => number;
  /** Told of each attempt to copy, whatever became of it. */
  readonly onPull: (pull: Pull) => void;
  /** Told why the origin cannot be asked, whenever that changes; null: it can. */
  readonly onReach?: (reason: string | null) => void;
}

/** What a pino logger can do. */
interface Log {
  readonly info: (fields: object, message: string) => void;
  readonly warn: (fields: object, message: string) => void;
}

export interface Pull {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  /** Null when it failed. */
  readonly manifest: Manifest | null;
  /** Why it failed. */
  readonly reason: string | null;
}

export interface OriginWatch {
  /** Resolves when the copying at work has ended, unfinished. */
  readonly stop: () => Promise<void>;
}

export function watchOrigin(options: WatchOriginOptions): OriginWatch {
  const { pollMs, log, time, random, onReach } = options;
  const stopping = new AbortController();
  const look = createLook({ ...options, signal: stopping.signal });
  let failures = 0;
  let said: string | null = null;

  const lookOnce = async () => {
    const reason = await look();
    failures = reason === null ? 0 : failures + 1;
    if (stopping.signal.aborted || reason === said) return;
    if (reason === null) log.info({}, 'origin in reach again');
    else log.warn({ reason }, 'origin out of reach');
    said = reason;
    onReach?.(reason);
  };
  const done = (async () => {
    while (!stopping.signal.aborted) {
      await lookOnce();
      await waitFor(time, waitBeforeLook({ pollMs, failures, random }), stopping.signal);
    }
  })();
  return {
    stop: () => {
      stopping.abort();
      return done;
    },
  };
}

type LookOptions = WatchOriginOptions & CopyOptions;

/** One look. Gives why the origin could not be asked, null when it could. Never rejects. */
function createLook(options: LookOptions): () => Promise<string | null> {
  const { pollMs, log, time, signal, onPull } = options;
  /** Bad deliveries: fetched again now and then, and not at every look. */
  const refusals = rememberRefusals({ wait: pollMs, clock: time.now });
  let isChecked = false;

  const copy = async (text: string) => {
    const startedAt = time.now();
    const tell = (outcome: Pick<Pull, 'manifest' | 'reason'>) => {
      const ms = Math.max(0, time.now() - startedAt);
      onPull({ ...outcome, startedAt, ms });
      return ms;
    };
    try {
      const wanted = readOriginManifest(text);
      if (await isCurrent(options, wanted, { thorough: !isChecked })) {
        isChecked = true;
        return;
      }
      const manifest = await copySnapshot(options, wanted);
      isChecked = true;
      refusals.forgive();
      const ms = tell({ manifest, reason: null });
      log.info({ id: manifest.id, events: manifest.counts.events, ms }, 'pull published');
    } catch (cause) {
      if (signal.aborted) return;
      const reason = messageOf(cause);
      const ms = tell({ manifest: null, reason });
      if (refusals.record(text, '', reason)) log.warn({ reason, ms }, 'pull failed');
    }
  };

  return async () => {
    try {
      const text = await fetchManifest(options);
      if (!refusals.blocks(text, '')) await copy(text);
      return null;
    } catch (cause) {
      return messageOf(cause);
    }
  };
}
