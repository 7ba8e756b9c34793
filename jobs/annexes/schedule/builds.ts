/**
 * Builds on a schedule. A build is its own process: it cannot slow down, exhaust or block the serving processes. Here
 * the two halves meet: a server starts the command `rebuild` as a child, and reads its `--json` output.
 */

import { statfs } from 'node:fs/promises';
import { DROPPED } from '../../../src/calendar/actions.ts';
import { parsedJson } from '../../../src/calendar/json.ts';
import type { Log } from '../../../src/calendar/log.ts';
import { runChild } from '../../../src/child.ts';
import { programPath } from '../../../src/package.ts';
import type { CoreSettings } from '../../../src/settings/core.ts';
import type { BuildRecord } from '../../../src/upkeep.ts';
import type { Follow } from '../../annex.ts';
import { type Finding, findingLine } from '../../records.ts';
import { startTimetable } from './cron.ts';

/** Throws INVALID_SETTING for an invalid schedule. The first build begins at once. */
export const follow: Follow<CoreSettings & { readonly cron: string }> = (settings, { log, clock }, keep) => {
  const stopping = new AbortController();
  const timeoutMs = settings.buildTimeoutSeconds * 1_000;
  const room = createRoomWatch(() => freeBytesIn(settings.snapshots));
  const timetable = startTimetable({
    expression: settings.cron,
    atOnce: true,
    run: async (why) => {
      room.stop();
      log.debug({}, 'rebuild started');
      // H11: feeds stay on the schedule.
      const command = [...BUILD, '--source', settings.source, ...(why === 'requested' ? ['--local'] : [])];
      const built = await runBuild({ command, timeoutMs, signal: stopping.signal, clock });
      if (built.record.reason === STOPPED) return;
      logBuild(log, built);
      keep(built.record);
      if (built.isFull) await room.start(timetable.request);
    },
  });
  return {
    build: timetable.request,
    repair: timetable.request,
    stop: () => {
      stopping.abort();
      return timetable.stop().then(room.stop);
    },
  };
};

/** Milliseconds. */
const ROOM_MS = 60_000;
/** Smaller growth of the free space does not count: a log may have freed it. */
const ROOM_BYTES = 4 * 1_024 * 1_024;

async function freeBytesIn(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

interface RoomWatch {
  readonly start: (onRoom: () => void) => Promise<void>;
  readonly stop: () => void;
}

/** After a build that had no room: calls back once, as soon as there is more than there was. */
export function createRoomWatch(freeBytes: () => Promise<number>, pollMs: number = ROOM_MS): RoomWatch {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearInterval(timer);
  const start = async (onRoom: () => void) => {
    // A disk that cannot be asked has no room.
    const before = await freeBytes().catch(() => 0);
    timer = setInterval(async () => {
      if ((await freeBytes().catch(() => 0)) < before + ROOM_BYTES) return;
      stop();
      onRoom();
    }, pollMs);
  };
  return { start, stop };
}

export function logBuild(log: Log, { record, firstDropped, stderr }: FinishedBuild): void {
  const { outcome, id, counts, changes, dropped, ms, reason } = record;
  const { added, changed, removed } = changes ?? {};
  const fields = { id, events: counts?.events, dropped, added, changed, removed, ms };
  if (outcome === 'failed') log.error({ reason, ms }, 'rebuild failed');
  else if (outcome === 'unchanged' || firstDropped === null) log.info(fields, `rebuild ${outcome}`);
  else {
    // G2: an unchanged source was reported by the build before.
    const left = { first: firstDropped, others: dropped - 1, see: 'almanakk check, /status' };
    log.warn({ ...fields, ...left }, `rebuild ${outcome}`);
  }
  if (stderr !== '') log.debug({ said: stderr }, 'rebuild output');
}

interface BuildOptions {
  /** Milliseconds after which a build is ended. */
  readonly timeoutMs: number;
  /** Ends the build, like the time limit. */
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Replaces the build's script and arguments, for tests. */
  readonly command?: readonly string[];
  /** Milliseconds between SIGTERM and SIGKILL. */
  readonly patienceMs?: number;
}

export interface FinishedBuild {
  readonly record: BuildRecord;
  /** The first finding about something dropped; null for none. */
  readonly firstDropped: string | null;
  /** The end of the build's standard error. */
  readonly stderr: string;
  /** Whether it failed because the disk was full. */
  readonly isFull: boolean;
}

/** Never rejects. */
export async function runBuild(options: BuildOptions): Promise<FinishedBuild> {
  const { clock, command = BUILD, timeoutMs, signal, patienceMs = 5_000 } = options;
  const startedAt = clock();
  const { failure, limit, stdout, stderr } = await runChild(command, {
    milliseconds: timeoutMs,
    signal,
    patienceMs,
  });
  const late = `not finished after ${timeoutMs / 1_000} s, so it was stopped`;
  const why = limit === null ? failure : { time: late, signal: STOPPED }[limit];
  const {
    outcome,
    id = null,
    counts = null,
    changes,
    message,
    publicMessage,
    code,
    report,
  }: Partial<Printed> = Object(parsedJson(stdout));
  const isGood = why === null && (outcome === 'published' || outcome === 'unchanged');
  const ending = [why ?? 'it printed nothing', lastLine(stderr)].filter((part) => part !== '').join(': ');
  const record: BuildRecord = {
    kind: 'rebuild',
    ...(isGood ? { outcome, id, counts, changes } : { outcome: 'failed', id: null, counts: null }),
    dropped: DROPPED.reduce((sum, action) => sum + (report?.actions?.[action] ?? 0), 0),
    reason: isGood ? null : (message ?? ending),
    ...(!isGood && publicMessage !== undefined && { publicReason: publicMessage }),
    startedAt,
    ms: Math.max(0, clock() - startedAt),
  };
  // The report lists dropped entries first.
  const [first] = report?.findings ?? [];
  const isDropped = first !== undefined && DROPPED.some((action) => action === first.action);
  return {
    record,
    firstDropped: isDropped ? findingLine(first) : null,
    stderr,
    isFull: code === 'DISK_FULL',
  };
}

/** The document that a build prints; a build that failed earlier prints nothing. */
interface Printed extends Pick<BuildRecord, 'outcome' | 'id' | 'counts' | 'changes'> {
  /** Why a build failed. */
  readonly code: string;
  readonly message: string;
  /** The message without values of records; absent if it has none. */
  readonly publicMessage: string;
  readonly report: {
    readonly actions?: Readonly<Record<string, number>>;
    readonly findings?: readonly Finding[];
  } | null;
}

/** The compiled or the source module, like this file. */
const BUILD = [programPath('jobs/cli'), 'rebuild', '--json'];

/** The reason of a build that was ended because this process ends. */
export const STOPPED = 'stopped';

/** The last line of a text, or the line of a stack trace that names the error: frames are indented. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.findLast((line) => /^\S*Error\b.*: /.test(line)) ?? lines.at(-1) ?? '').trim();
}
