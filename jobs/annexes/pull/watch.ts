/** H6: follows an origin for as long as the program runs. Whatever fails there, the folder keeps its snapshot. */
import { messageOf } from '../../../src/calendar/errors.ts';
import type { Log } from '../../../src/calendar/log.ts';
import type { Manifest } from '../../../src/snapshot/manifest.ts';
import { createRefusedDeliveries } from '../../../src/snapshot/refused-deliveries.ts';
import type { BuildRecord } from '../../../src/upkeep.ts';
import type { Follow, Program } from '../../annex.ts';
import { startPolling } from '../../kit/polling.ts';
import { type CopyOptions, copySnapshot, fetchManifest, findWanted, isCurrent, isIntact } from './copy.ts';

interface WatchOriginOptions
  extends Omit<CopyOptions, 'signal' | 'clock' | 'onPublicLost' | 'warn'>,
    Pick<Program, 'clock' | 'random'> {
  readonly pollMs: number;
  readonly log: Pick<Log, 'info' | 'warn'>;
  /** Called with each copy, and with each failure to copy. */
  readonly addRecord: (record: BuildRecord) => void;
  /** Called with the reason why the origin is unreachable, whenever that changes; null: it is reachable. */
  readonly onReachability?: (reason: string | null) => void;
}

/** The first check begins at once. */
export function watchOrigin(options: WatchOriginOptions): ReturnType<Follow<unknown>> {
  const { pollMs, log, random, onReachability } = options;
  const stopping = new AbortController();
  const { signal } = stopping;
  const copier = createCopier(options, signal);
  let lastReason: string | null = null;

  const reportReachability = (reason: string | null) => {
    if (reason === lastReason) return;
    if (reason === null) log.info({}, 'origin in reach again');
    else log.warn({ reason }, 'origin out of reach');
    lastReason = reason;
    onReachability?.(reason);
  };
  const attempt = async () => {
    const fetched = await fetchManifest({ ...options, signal }).then(
      (text) => ({ text, reason: null }),
      (cause: unknown) => ({ text: null, reason: messageOf(cause) }),
    );
    if (fetched.text !== null) await copier.copy(fetched.text);
    if (!signal.aborted) reportReachability(fetched.reason);
    return fetched.reason === null;
  };

  const { wake, stop } = startPolling({ attempt, pollMs, random, stopping });
  const repair = () => {
    copier.forget();
    wake();
  };
  return { repair, stop };
}

/** Milliseconds after which the whole file is read again (H14). */
const VERIFY_MS = 86_400_000;

interface Copier {
  /** Copies the snapshot of a manifest, unless the folder has it. Never rejects: failures are logged and recorded. */
  readonly copy: (manifestText: string) => Promise<void>;
  /** Verifies the folder's snapshot at the next copy, and tries again what was refused. */
  readonly forget: () => void;
}

function createCopier(options: WatchOriginOptions, signal: AbortSignal): Copier {
  const { pollMs, log, clock, addRecord, folder } = options;
  const onPublicLost = (reason: string) => log.warn({ reason }, 'public edition not copied');
  const warn = (reason: string) => log.warn({ reason }, 'snapshot folder not tidied');
  const copyOptions = { ...options, signal, onPublicLost, warn };
  /** Invalid deliveries are fetched again now and then, not at every check. */
  const refused = createRefusedDeliveries(pollMs, clock);
  let verifiedAt = Number.NEGATIVE_INFINITY;

  const copyUnlessHere = async (text: string, startedAt: number) => {
    const { manifest: wanted, behind } = await findWanted(copyOptions, text);
    const isVerificationDue = startedAt - verifiedAt >= VERIFY_MS;
    const isHere = isVerificationDue ? await isIntact(copyOptions, wanted) : await isCurrent(folder, wanted);
    if (!isHere) {
      const { id, counts } = await copySnapshot(copyOptions, wanted);
      refused.forgive();
      const record = copyRecord(startedAt, clock(), wanted);
      addRecord(record);
      log.info({ id, events: counts.events, ms: record.ms }, 'pull published');
    }
    if (!isHere || isVerificationDue) verifiedAt = startedAt;
    if (behind !== null) throw behind;
  };

  return {
    copy: async (text) => {
      if (refused.blocks(text, '')) return;
      const startedAt = clock();
      try {
        await copyUnlessHere(text, startedAt);
      } catch (cause) {
        if (signal.aborted) return;
        const reason = messageOf(cause);
        const record = failureRecord(startedAt, clock(), reason);
        addRecord(record);
        if (refused.record(text, '', reason)) log.warn({ reason, ms: record.ms }, 'pull failed');
      }
    },
    forget: () => {
      verifiedAt = Number.NEGATIVE_INFINITY;
      refused.forgive();
    },
  };
}

/** Times are in milliseconds since 1970. */
function copyRecord(startedAt: number, endedAt: number, { id, counts }: Manifest): BuildRecord {
  const ms = Math.max(0, endedAt - startedAt);
  return { kind: 'pull', outcome: 'published', startedAt, ms, id, counts, reason: null, dropped: 0 };
}

function failureRecord(startedAt: number, endedAt: number, reason: string): BuildRecord {
  const ms = Math.max(0, endedAt - startedAt);
  return { kind: 'pull', outcome: 'failed', startedAt, ms, id: null, counts: null, reason, dropped: 0 };
}
