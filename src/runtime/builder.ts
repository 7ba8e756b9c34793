/** Keeps a snapshot folder current: builds on a schedule, or copies from an origin (H6). */
import type { Logger } from 'pino';
import { startTimetable } from '../../jobs/cron.ts';
import { watchOrigin } from '../../jobs/pull/watch.ts';
import { readSigningKey, readTrust } from '../../jobs/signature.ts';
import { type StoreState, type StoreWatch, watchStore } from '../../jobs/store/replicate.ts';
import { openStore, originOf } from '../../jobs/store/s3.ts';
import { droppedOf, readReport } from '../serve/operator/build-report.ts';
import type { BuildRecord, Origin, Upkeep } from '../serve/operator/builds.ts';
import type { Settings, SettingsRead } from '../settings.ts';
import { type FinishedBuild, runBuild, STOPPED } from './child-build.ts';
import { createLog } from './log.ts';
import { saying, stopOnSignals } from './stop.ts';

type BuilderSettings = Pick<
  Settings,
  | 'cron'
  | 'origin'
  | 'snapshots'
  | 'pollSeconds'
  | 'buildTimeoutSeconds'
  | 'allowPrivateFeeds'
  | 'publish'
  | 's3'
  | 'signingKey'
  | 'trust'
>;

interface BuilderOptions {
  readonly settings: BuilderSettings;
  readonly log: Logger;
  /** Called with each build as it ends. */
  readonly onBuild?: (record: BuildRecord) => void;
  /** Called whenever anything else of the upkeep has changed: the origin's reach, or the store. */
  readonly onChange?: () => void;
}

export interface Builder {
  readonly upkeep: () => Upkeep;
  /** Ends what is at work, too. */
  readonly stop: () => Promise<void>;
}

/** Throws INVALID_SETTING for a schedule that cannot be read. The first build begins at once. */
export function startBuilder(options: BuilderOptions): Builder {
  const { settings, onBuild, onChange } = options;
  const records: BuildRecord[] = [];
  let origin: Origin = { outOfReach: null, since: null };
  let state: StoreState | null = null;
  const toStore = storeWatch(options, (next) => {
    state = next;
    onChange?.();
  });
  const keep = (record: BuildRecord) => {
    records.unshift(record);
    records.splice(MOST_RECORDS);
    onBuild?.(record);
    toStore?.look();
  };
  const reach = (reason: string | null) => {
    origin = { outOfReach: reason, since: reason === null ? null : (origin.since ?? Date.now()) };
    onChange?.();
  };
  if (settings.origin === null) {
    // A build reads it for itself; here it is only to be known from the start that it can.
    if (settings.signingKey !== null) readSigningKey(settings.signingKey);
    const stop = both(build(options, keep), toStore?.stop);
    return { upkeep: () => ({ builds: records, origin: null, store: state }), stop };
  }
  const stop = both(pull(options, { origin: settings.origin, keep, reach }), toStore?.stop);
  return { upkeep: () => ({ builds: records, origin, store: state }), stop };
}

function both(one: Stop, other: Stop = async () => undefined): Stop {
  return async () => {
    await Promise.all([one(), other()]);
  };
}

/** J1. Null for a builder that publishes to no store. */
function storeWatch(
  { settings, log }: BuilderOptions,
  onState: (state: StoreState) => void,
): StoreWatch | null {
  const { publish, s3, snapshots: folder, buildTimeoutSeconds } = settings;
  if (publish === null || s3 === null) return null;
  const stopping = new AbortController();
  const totalMs = buildTimeoutSeconds * 1_000;
  const clock = Date.now;
  const store = openStore({ location: publish, s3, signal: stopping.signal, clock, totalMs });
  return watchStore({ folder, store, stopping, log, clock, random: Math.random, onState });
}

const MOST_RECORDS = 20;

/** A program that does nothing else. */
export function runBuilder({ settings, warnings }: SettingsRead): void {
  const log = createLog({ level: settings.logLevel, format: settings.logFormat });
  for (const warning of warnings) log.warn(warning);
  const builder = startBuilder({ settings, log });
  stopOnSignals(saying(log, builder.stop));
}

type Keep = (record: BuildRecord) => void;
type Stop = () => Promise<void>;

function build({ settings, log }: BuilderOptions, keep: Keep): Stop {
  const stopping = new AbortController();
  const timeoutMs = settings.buildTimeoutSeconds * 1_000;
  const timetable = startTimetable({
    expression: settings.cron,
    atOnce: true,
    run: async () => {
      log.debug('rebuild begun');
      const built = await runBuild({ timeoutMs, signal: stopping.signal, clock: Date.now });
      if (built.record.reason === STOPPED) return;
      logBuild(log, built);
      keep(built.record);
    },
  });
  return () => {
    stopping.abort();
    return timetable.stop();
  };
}

function logBuild(log: Logger, { record, said }: FinishedBuild): void {
  const { outcome, id, counts, ms, reason } = record;
  // G2
  const dropped = [...droppedOf(readReport(record.report)).values()].reduce((sum, count) => sum + count, 0);
  if (outcome !== 'failed') log.info({ id, events: counts?.events, dropped, ms }, `rebuild ${outcome}`);
  else log.error({ reason, ms }, 'rebuild failed');
  if (said !== '') log.debug({ said }, 'rebuild said');
}

interface Copying {
  readonly origin: URL;
  readonly keep: Keep;
  readonly reach: (reason: string | null) => void;
}

function pull(options: BuilderOptions, { origin, keep, reach }: Copying): Stop {
  const { settings, log } = options;
  const watch = watchOrigin({
    ...originOf(origin, settings.s3),
    trust: readTrust(settings.trust),
    folder: settings.snapshots,
    allowPrivate: settings.allowPrivateFeeds,
    pollMs: settings.pollSeconds * 1_000,
    totalMs: settings.buildTimeoutSeconds * 1_000,
    log,
    clock: Date.now,
    random: Math.random,
    onReach: reach,
    onPull: ({ manifest, reason, startedAt, ms }) =>
      keep({
        kind: 'pull',
        outcome: manifest === null ? 'failed' : 'published',
        startedAt,
        ms,
        id: manifest?.id ?? null,
        counts: manifest?.counts ?? null,
        reason,
        report: null,
      }),
  });
  return watch.stop;
}
