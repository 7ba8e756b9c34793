/** H6, replicas: follows an origin for as long as the program runs. Whatever fails there, the folder keeps its snapshot. */
import { messageOf } from '../../../src/calendar/errors.ts';
import type { Log } from '../../../src/calendar/log.ts';
import { BadDeliveries } from '../../../src/snapshot/bad-deliveries.ts';
import type { Manifest } from '../../../src/snapshot/folder.ts';
import type { Program } from '../../annex.ts';
import { type Polling, startPolling } from '../../kit/polling.ts';
import { type CopyOptions, copySnapshot, fetchManifest, isCurrent, readOriginManifest } from './copy.ts';

interface WatchOriginOptions
  extends Omit<CopyOptions, 'signal' | 'clock'>,
    Pick<Program, 'clock' | 'random'> {
  readonly pollMs: number;
  readonly log: Pick<Log, 'info' | 'warn'>;
  readonly onPull: (pull: Pull) => void;
  /** Called with the reason why the origin cannot be reached, whenever that changes; null: it can. */
  readonly onReach?: (reason: string | null) => void;
}

export interface Pull {
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly ms: number;
  /** Null if it failed. */
  readonly manifest: Manifest | null;
  readonly reason: string | null;
}

export function watchOrigin(
  options: WatchOriginOptions,
): Pick<Polling, 'stop'> & { readonly repair: () => void } {
  const { pollMs, log, random, onReach } = options;
  const stopping = new AbortController();
  const { check, distrust } = createCheck({ ...options, signal: stopping.signal });
  let lastReason: string | null = null;

  const attempt = async () => {
    const reason = await check();
    if (stopping.signal.aborted || reason === lastReason) return reason === null;
    if (reason === null) log.info({}, 'origin in reach again');
    else log.warn({ reason }, 'origin out of reach');
    lastReason = reason;
    onReach?.(reason);
    return reason === null;
  };
  const { wake, stop } = startPolling({ attempt, pollMs, random, stopping });
  const repair = () => {
    distrust();
    wake();
  };
  return { repair, stop };
}

const DAY_MS = 86_400_000;

type CheckOptions = WatchOriginOptions & CopyOptions;

interface Check {
  /** Returns the reason why the origin could not be reached, or null. Never rejects. */
  readonly check: () => Promise<string | null>;
  /** Has the next check read the whole file. */
  readonly distrust: () => void;
}

function createCheck(options: CheckOptions): Check {
  const { pollMs, log, clock, signal, onPull } = options;
  /** Invalid deliveries are fetched again now and then, not at every check. */
  const bad = new BadDeliveries(pollMs, clock);
  /** When the whole file was read last (H14, damage while it is served). */
  let checkedAt = Number.NEGATIVE_INFINITY;

  const copy = async (text: string) => {
    const startedAt = clock();
    const report = (outcome: Pick<Pull, 'manifest' | 'reason'>) => {
      const ms = Math.max(0, clock() - startedAt);
      onPull({ ...outcome, startedAt, ms });
      return ms;
    };
    try {
      const wanted = await readOriginManifest(text, options);
      const thorough = startedAt - checkedAt >= DAY_MS;
      if (await isCurrent(options, wanted, { thorough })) {
        if (thorough) checkedAt = startedAt;
        return;
      }
      let bytes = 0;
      const onBytes = (count: number) => {
        bytes += count;
      };
      const manifest = await copySnapshot({ ...options, onBytes }, wanted);
      checkedAt = startedAt;
      bad.forgive();
      const ms = report({ manifest, reason: null });
      log.info({ id: manifest.id, events: manifest.counts.events, bytes, ms }, 'pull published');
    } catch (cause) {
      if (signal.aborted) return;
      const reason = messageOf(cause);
      const ms = report({ manifest: null, reason });
      if (bad.record(text, '', reason)) log.warn({ reason, ms }, 'pull failed');
    }
  };

  const check = async () => {
    try {
      const text = await fetchManifest(options);
      if (!bad.blocks(text, '')) await copy(text);
      return null;
    } catch (cause) {
      return messageOf(cause);
    }
  };
  const distrust = () => {
    checkedAt = Number.NEGATIVE_INFINITY;
    bad.forgive();
  };
  return { check, distrust };
}
