/** G7, H2: builds on a schedule, when they are requested, and again as soon as a full disk has more room. */
import type { Log } from '../../../src/calendar/log.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { AnnexUpkeep } from '../../../src/upkeep.ts';
import type { Follow } from '../../annex.ts';
import { freeBytesIn } from '../../publish/room.ts';
import { startTimetable } from './cron.ts';
import { createRoomWatch } from './room-watch.ts';
import { BUILD_COMMAND, type FinishedBuild, runBuild, STOPPED } from './run-build.ts';

type ScheduleSettings = CoreSettings & { readonly cron: string };

/** The first build begins at once. Throws INVALID_SETTING for an invalid schedule. */
export const follow: Follow<ScheduleSettings> = (settings, program, addRecord) => {
  const { log, clock, reportState, reported, previous } = program;
  const stopping = new AbortController();
  const timeoutMs = settings.buildTimeoutSeconds * 1_000;
  const room = createRoomWatch(() => freeBytesIn(settings.snapshots));

  let crashes = crashesBefore(previous.schedule);

  /** H12: servers miss it when the next build is long overdue. */
  const giveSign = (buildingUntil: number | null) => {
    const schedule = { aliveAt: clock(), nextBuildAt: timetable.nextAt(), buildingUntil };
    reportState({ schedule: { ...schedule, crashes: crashes.count } });
  };

  const build: Build = async (options, signal) => {
    room.stop();
    log.debug({}, 'rebuild started');
    giveSign(crashes.dueUntil ?? clock() + timeoutMs);
    const command = [...BUILD_COMMAND, '--source', settings.source, ...options];
    const built = await runBuild({ command, timeoutMs, signal, clock });
    const isStopped = built.record.reason === STOPPED;
    if (!isStopped) crashes = NO_CRASHES;
    giveSign(null);
    if (isStopped) return false;
    logBuild(log, built);
    addRecord(built.record);
    if (built.isFull) await room.start(timetable.request);
    return true;
  };

  const runs = createRuns(build, reported, stopping.signal);
  // Valid until the first build begins: a builder that cannot begin a build gives no sign of life.
  if (previous.schedule) reportState({ schedule: previous.schedule });
  const timetable = startTimetable({ expression: settings.cron, atOnce: true, run: runs.run });
  return {
    build: (feeds = []) => {
      if (!runs.interruptFor(feeds)) timetable.request();
    },
    repair: timetable.request,
    stop: async () => {
      stopping.abort();
      await timetable.stop();
      room.stop();
    },
  };
};

/** H5: the crashes since a build last ended by itself. */
interface Crashes {
  readonly count: number;
  /** A crash must not postpone the time at which a build counts as late: until one ends, the limit of the cut-off build applies. Null without one. */
  readonly dueUntil: number | null;
}

const NO_CRASHES: Crashes = { count: 0, dueUntil: null };

/** `last`: as the builder reported it before it began again. */
function crashesBefore(last: Partial<AnnexUpkeep>['schedule']): Crashes {
  if (!last) return NO_CRASHES;
  const { crashes, buildingUntil } = last;
  return { count: crashes + (buildingUntil === null ? 0 : 1), dueUntil: buildingUntil };
}

/** Resolves to whether the build ran until its own end. */
type Build = (options: readonly string[], signal: AbortSignal) => Promise<boolean>;

interface Runs {
  readonly run: (reason: 'due' | 'requested') => Promise<void>;
  /** Notes feeds that the next requested build reads again. True if it ends a scheduled build, and so needs no other request. */
  readonly interruptFor: (feeds: readonly string[]) => boolean;
}

/** F19: a takedown does not wait for slow feeds. The scheduled build that it ends begins again after it, and is not ended a second time. */
export function createRuns(build: Build, reported: () => Partial<AnnexUpkeep>, stopping: AbortSignal): Runs {
  /** Feeds of the requests for which no build has begun yet. */
  const urgent = new Set<string>();
  /** Ends the scheduled build in progress; null if there is none, or if it may not be ended. */
  let interruption: AbortController | null = null;
  stopping.addEventListener('abort', () => interruption?.abort());

  // H11: feeds are fetched only on schedule. If the build for a sheet has failed, the next build reads the sheet, whatever starts that build.
  const buildLocally = () => {
    const waiting = reported().urgentSheets?.filter(({ waitingSince }) => waitingSince !== null) ?? [];
    const feeds = new Set([...urgent, ...waiting.map(({ id }) => id)]);
    const readAgain = [...feeds].flatMap((feed) => ['--read-again', feed]);
    urgent.clear();
    return build(['--local', ...readAgain], stopping);
  };
  const buildUntilInterrupted = async () => {
    interruption = new AbortController();
    const isDone = await build([], interruption.signal);
    interruption = null;
    return isDone;
  };

  return {
    run: async (reason) => {
      const isDone = reason === 'due' && urgent.size === 0 && (await buildUntilInterrupted());
      if (stopping.aborted || (isDone && urgent.size === 0)) return;
      await buildLocally();
      if (reason === 'due' && !isDone && !stopping.aborted) await build([], stopping);
    },
    interruptFor: (feeds) => {
      for (const feed of feeds) urgent.add(feed);
      if (interruption === null || feeds.length === 0) return false;
      interruption.abort();
      return true;
    },
  };
}

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
