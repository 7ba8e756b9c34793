/** G7, H2: builds on a schedule, when they are requested, and again as soon as a full disk has more room. */
import type { Log } from '../../../src/calendar/log.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { Follow } from '../../annex.ts';
import { freeBytesIn } from '../../room.ts';
import { startTimetable } from './cron.ts';
import { createRoomWatch } from './room-watch.ts';
import { BUILD_COMMAND, type FinishedBuild, runBuild, STOPPED } from './run-build.ts';

type ScheduleSettings = CoreSettings & { readonly cron: string };

/** The first build begins at once. Throws INVALID_SETTING for an invalid schedule. */
export const follow: Follow<ScheduleSettings> = (settings, { log, clock, reportState }, addRecord) => {
  const stopping = new AbortController();
  const timeoutMs = settings.buildTimeoutSeconds * 1_000;
  const room = createRoomWatch(() => freeBytesIn(settings.snapshots));

  /** H12: servers miss it when the next build is long overdue. */
  const giveSign = (buildingUntil: number | null) => {
    const schedule = { aliveAt: clock(), nextBuildAt: timetable.nextAt(), buildingUntil };
    reportState({ schedule });
  };

  const run = async (reason: 'due' | 'requested') => {
    room.stop();
    log.debug({}, 'rebuild started');
    giveSign(clock() + timeoutMs);
    // H11: feeds are fetched on the schedule only.
    const feedOptions = reason === 'requested' ? ['--local'] : [];
    const command = [...BUILD_COMMAND, '--source', settings.source, ...feedOptions];
    const built = await runBuild({ command, timeoutMs, signal: stopping.signal, clock });
    giveSign(null);
    if (built.record.reason === STOPPED) return;
    logBuild(log, built);
    addRecord(built.record);
    if (built.isFull) await room.start(timetable.request);
  };

  const timetable = startTimetable({ expression: settings.cron, atOnce: true, run });
  return {
    build: timetable.request,
    repair: timetable.request,
    stop: async () => {
      stopping.abort();
      await timetable.stop();
      room.stop();
    },
  };
};

/** One line a build; what it wrote to standard error is a second line, for debugging. */
export function logBuild(log: Log, { record, firstDropped, stderr }: FinishedBuild): void {
  const { outcome, id, counts, changes, dropped, ms, reason } = record;
  const { added, changed, removed } = changes ?? {};
  const fields = { id, events: counts?.events, dropped, added, changed, removed, ms };
  // G2: what an unchanged source lacks was reported by the build before.
  const hasNewDropped = outcome !== 'unchanged' && firstDropped !== null;
  if (outcome === 'failed') log.error({ reason, ms }, 'rebuild failed');
  else if (hasNewDropped) {
    const details = { first: firstDropped, others: dropped - 1, see: 'almanakk check, /status' };
    log.warn({ ...fields, ...details }, `rebuild ${outcome}`);
  } else log.info(fields, `rebuild ${outcome}`);
  if (stderr !== '') log.debug({ said: stderr }, 'rebuild output');
}
