/** H6: follows an origin for as long as the program runs. Whatever fails there, the folder keeps its snapshot. */
import { messageOf } from '../../../src/calendar/errors.ts';
import type { Log } from '../../../src/calendar/log.ts';
import type { Manifest } from '../../../src/snapshot/manifest.ts';
import { createRefusedDeliveries } from '../../../src/snapshot/refused-deliveries.ts';
import type { BuildRecord } from '../../../src/upkeep.ts';
import type { Follow, Program } from '../../annex.ts';
import { startPolling } from '../../kit/polling.ts';
import { type CopyOptions, copySnapshot, fetchManifest, isCurrent, readOriginManifest } from './copy.ts';

interface WatchOriginOptions
  extends Omit<CopyOptions, 'signal' | 'clock' | 'onPublicLost'>,
    Pick<Program, 'clock' | 'random'> {
  readonly pollMs: number;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Called with each copy, and with each failure to copy. */
  readonly keep: (record: BuildRecord) => void;
  /** Called with the reason why the origin cannot be reached, whenever that changes; null: it can. */
  readonly onReach?: (reason: string | null) => void;
}

const DAY_MS = 86_400_000;

export function watchOrigin(options: WatchOriginOptions): ReturnType<Follow<unknown>> {
  const { pollMs, log, clock, random, keep, onReach } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const onPublicLost = (reason: string) => log.warn({ reason }, 'public edition not copied');
  const copyOptions = { ...options, signal, onPublicLost };
  /** Invalid deliveries are fetched again now and then, not at every check. */
  const refused = createRefusedDeliveries(pollMs, clock);
  /** When the whole file was read last (H14). */
  let checkedAt = Number.NEGATIVE_INFINITY;
  let lastReason: string | null = null;

  const copy = async (text: string) => {
    const startedAt = clock();
    const record = (manifest: Manifest | null, reason: string | null) => {
      const ms = Math.max(0, clock() - startedAt);
      const { id = null, counts = null } = manifest ?? {};
      const outcome = manifest === null ? 'failed' : 'published';
      keep({ kind: 'pull', outcome, startedAt, ms, id, counts, reason, dropped: 0 });
      return ms;
    };
    try {
      const wanted = await readOriginManifest(text, options);
      const isThorough = startedAt - checkedAt >= DAY_MS;
      const isHere = await isCurrent(copyOptions, wanted, { isThorough });
      if (!isHere) {
        const { id, counts } = await copySnapshot(copyOptions, wanted);
        refused.forgive();
        log.info({ id, events: counts.events, ms: record(wanted, null) }, 'pull published');
      }
      if (!isHere || isThorough) checkedAt = startedAt;
    } catch (cause) {
      if (signal.aborted) return;
      const reason = messageOf(cause);
      const ms = record(null, reason);
      if (refused.record(text, '', reason)) log.warn({ reason, ms }, 'pull failed');
    }
  };

  const attempt = async () => {
    const reason = await fetchManifest(copyOptions).then(
      async (text) => {
        if (!refused.blocks(text, '')) await copy(text);
        return null;
      },
      (cause) => messageOf(cause),
    );
    if (!signal.aborted && reason !== lastReason) {
      if (reason === null) log.info({}, 'origin in reach again');
      else log.warn({ reason }, 'origin out of reach');
      lastReason = reason;
      onReach?.(reason);
    }
    return reason === null;
  };

  const { wake, stop } = startPolling({ attempt, pollMs, random, stopping });
  const repair = () => {
    checkedAt = Number.NEGATIVE_INFINITY;
    refused.forgive();
    wake();
  };
  return { repair, stop };
}
