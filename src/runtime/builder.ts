/** Keeps a snapshot folder current: builds on a schedule, or copies from an origin (H6). */
import type { Logger } from 'pino';
import { startTimetable } from '../../jobs/cron.ts';
import { watchOrigin } from '../../jobs/pull/watch.ts';
import { droppedOf, readReport } from '../serve/operator/build-report.ts';
import type { BuildRecord, Upkeep } from '../serve/operator/builds.ts';
import type { Settings, SettingsRead } from '../settings.ts';
import { type FinishedBuild, runBuild, STOPPED } from './child-build.ts';
import { createLog } from './log.ts';
import { saying, stopOnSignals } from './stop.ts';

type BuilderSettings = Pick<
  Settings,
  'cron' | 'origin' | 'snapshots' | 'pollSeconds' | 'buildTimeoutSeconds' | 'allowPrivateFeeds'
>;

interface BuilderOptions {
  readonly settings: BuilderSettings;
  readonly log: Logger;
  /** Called with each build as it ends. */
  readonly onBuild?: (record: BuildRecord) => void;
  /** Called whenever the origin goes out of reach, or comes back. */
  readonly onReach?: () => void;
}

export interface Builder {
  readonly upkeep: () => Upkeep;
  /** Ends what is at work, too. */
  readonly stop: () => Promise<void>;
}

/** Throws INVALID_SETTING for a schedule that cannot be read. The first build begins at once. */
export function startBuilder(options: BuilderOptions): Builder {
  const { settings, onBuild, onReach } = options;
  const records: BuildRecord[] = [];
  let outOfReach: string | null = null;
  const keep = (record: BuildRecord) => {
    records.unshift(record);
    records.splice(MOST_RECORDS);
    onBuild?.(record);
  };
  const reach = (reason: string | null) => {
    outOfReach = reason;
    onReach?.();
  };
  if (settings.origin === null) {
    return { upkeep: () => ({ builds: records, origin: null }), stop: build(options, keep) };
  }
  const stop = pull(options, { origin: settings.origin, keep, reach });
  return { upkeep: () => ({ builds: records, origin: { outOfReach } }), stop };
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
    origin,
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
