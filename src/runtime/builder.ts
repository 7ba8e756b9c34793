/**
 * Keeps a snapshot folder current: builds on a schedule, or lets an annex supply snapshots instead. A build is its own process: it cannot
 * slow down, exhaust or block the serving processes. Here the two halves meet: a server starts `jobs/rebuild` as a child, and reads its
 * `--json` output. jobs/annex.ts describes what annexes may add.
 */

import type { Logger } from 'pino';
import { type BuildAnnex, createBuildParts, type Program, type Resident } from '../../jobs/annex.ts';
import * as annexes from '../../jobs/annexes.ts';
import { startTimetable } from '../../jobs/cron.ts';
import { CalendarError } from '../calendar/errors.ts';
import { isObject, parsedJson } from '../calendar/json.ts';
import { printable } from '../calendar/text.ts';
import { callChild } from '../child.ts';
import { programPath } from '../package.ts';
import { readSettings, type Settings, type SettingsRead } from '../settings.ts';
import { isCounts } from '../snapshot/meta.ts';
import {
  type AnnexUpkeep,
  addBuild,
  type BuildRecord,
  type BuildTotal,
  droppedIn,
  isChangeCounts,
  type Upkeep,
} from '../upkeep.ts';
import { saying, stopOnSignals } from './entry.ts';
import { createLog } from './log.ts';

interface BuilderOptions {
  readonly settings: Settings;
  readonly log: Logger;
  /** Called with each build as it ends. */
  readonly onBuild?: (record: BuildRecord) => void;
  /** Called whenever the state of an annex changes. */
  readonly onChange?: () => void;
}

export interface Builder {
  readonly upkeep: () => Upkeep;
  /** Also ends running work. */
  readonly stop: () => Promise<void>;
}

/** Throws INVALID_SETTING for an invalid schedule, or for settings that an annex refuses. The first build begins at once. */
export async function startBuilder(options: BuilderOptions): Promise<Builder> {
  const { settings, log, onBuild, onChange } = options;
  const parts = [...(await createBuildParts(ANNEXES, settings, (name) => process.env[name])).values()];
  const records: BuildRecord[] = [];
  let totals: readonly BuildTotal[] = [];
  let state: Partial<AnnexUpkeep> = {};
  const tell: Program['tell'] = (changes) => {
    state = { ...state, ...changes };
    onChange?.();
  };
  const keep = (record: BuildRecord) => {
    records.unshift(record);
    records.splice(MOST_RECORDS);
    totals = addBuild(totals, record);
    onBuild?.(record);
    for (const resident of residents) resident.onBuild?.(record);
  };
  const follow = parts.find((part) => part.follow !== undefined)?.follow;
  const outside = { log, clock: Date.now, random: Math.random, tell };
  const builds = follow === undefined ? startBuilds(options, keep) : null;
  const program: Program = { ...outside, build: builds?.request ?? null };
  const beside = parts.flatMap(({ attend }) => attend?.(program) ?? []);
  const residents: readonly Resident[] = [
    ...beside,
    ...(builds ? [builds] : []),
    ...(follow ? [follow(program, keep)] : []),
  ];
  return {
    upkeep: () => ({ ...state, builds: records, totals }),
    stop: async () => {
      await Promise.all(residents.map(({ stop }) => stop()));
    },
  };
}

const ANNEXES: readonly BuildAnnex<Settings>[] = Object.values(annexes);

/** Names of the commands that annexes add. */
export const COMMAND_NAMES: readonly string[] = ANNEXES.filter(({ command }) => command).map(
  ({ name }) => name,
);

const MOST_RECORDS = 20;

/** A program that only builds. */
export async function runBuilder({ settings, warnings }: SettingsRead): Promise<void> {
  const log = createLog({ level: settings.logLevel, format: settings.logFormat });
  for (const warning of warnings) log.warn(warning);
  const builder = await startBuilder({ settings, log });
  stopOnSignals(saying(log, builder.stop));
}

/** Finds the command's annex and runs it with the settings. Resolves to the exit code. Throws INVALID_SETTING. */
export async function runCommand([name = '', ...args]: readonly string[]): Promise<number> {
  const program = await ANNEXES.find((annex) => annex.name === name)?.command?.();
  if (program === undefined) {
    const known = COMMAND_NAMES.join(', ');
    throw new CalendarError('INVALID_SETTING', `expected one of ${known}, found ${JSON.stringify(name)}`);
  }
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  return program.run(args, {
    settings,
    now: new Date(),
    print: (line) => process.stdout.write(printable(`${line}\n`)),
    keepCurrent: () => runBuilder({ settings, warnings: [] }),
  });
}

type Keep = (record: BuildRecord) => void;

interface Builds extends Resident {
  /** Begins a build, after a running one. */
  readonly request: () => void;
}

function startBuilds({ settings, log }: BuilderOptions, keep: Keep): Builds {
  const stopping = new AbortController();
  const timeoutMs = settings.buildTimeoutSeconds * 1_000;
  const timetable = startTimetable({
    expression: settings.cron,
    atOnce: true,
    run: async (why) => {
      log.debug('rebuild started');
      // H11: feeds stay on the schedule.
      const command = why === 'requested' ? [...BUILD, '--local'] : BUILD;
      const built = await runBuild({ command, timeoutMs, signal: stopping.signal, clock: Date.now });
      if (built.record.reason === STOPPED) return;
      logBuild(log, built);
      keep(built.record);
    },
  });
  return {
    request: timetable.request,
    stop: () => {
      stopping.abort();
      return timetable.stop();
    },
  };
}

function logBuild(log: Logger, { record, said }: FinishedBuild): void {
  const { outcome, id, counts, changes, ms, reason } = record;
  const dropped = droppedIn(record.report);
  const { added, changed, removed } = changes ?? {};
  const fields = { id, events: counts?.events, dropped, added, changed, removed, ms };
  if (outcome !== 'failed') log.info(fields, `rebuild ${outcome}`);
  else log.error({ reason, ms }, 'rebuild failed');
  if (said !== '') log.debug({ said }, 'rebuild output');
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
  /** The end of its standard error. */
  readonly said: string;
}

/** Never rejects. */
export async function runBuild(options: BuildOptions): Promise<FinishedBuild> {
  const { clock, command = BUILD, timeoutMs, signal, patienceMs = 5_000 } = options;
  const startedAt = clock();
  const { how, limit, printed, said } = await callChild(
    command,
    {},
    { milliseconds: timeoutMs, signal, patienceMs },
  );
  const late = `not done after ${timeoutMs / 1_000} s, so it was ended`;
  const why = limit === null ? how : { time: late, signal: STOPPED }[limit];
  const outcome = outcomeOf(printed, { why, said });
  return { record: { kind: 'rebuild', ...outcome, startedAt, ms: Math.max(0, clock() - startedAt) }, said };
}

/** The compiled or the source module, like this file. */
const BUILD = [programPath('jobs/rebuild'), '--json'];

/** The reason of a build that was ended because this process ends. */
export const STOPPED = 'stopped';

type PrintedOutcome = Pick<BuildRecord, 'outcome' | 'id' | 'counts' | 'changes' | 'reason' | 'report'>;

/** How the process of a build ended: gives the reason for a build that printed no outcome. */
interface Circumstances {
  /** Null for exit code 0. */
  readonly why: string | null;
  readonly said: string;
}

export function outcomeOf(printed: string, { why, said }: Circumstances): PrintedOutcome {
  const document = parsedJson(printed);
  const found = isObject(document) ? document : {};
  const { outcome, id, counts, changes, message } = found;
  const report = isObject(found.report) ? withFewFindings(found.report) : null;
  if (why === null && (outcome === 'published' || outcome === 'unchanged')) {
    const known = { id: typeof id === 'string' ? id : null, counts: isCounts(counts) ? counts : null };
    return { outcome, ...known, ...(isChangeCounts(changes) && { changes }), reason: null, report };
  }
  const known = [why ?? 'it said nothing', lastLine(said)].filter((part) => part !== '').join(': ');
  return {
    outcome: 'failed',
    id: null,
    counts: null,
    reason: typeof message === 'string' ? message : known,
    report,
  };
}

/** Enough to find the problem; the report in the snapshot has them all. */
const MOST_FINDINGS = 100;

function withFewFindings(report: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { findings } = report;
  return Array.isArray(findings) ? { ...report, findings: findings.slice(0, MOST_FINDINGS) } : report;
}

/** The last line of a text, or the line of a stack trace that names the error: frames are indented. */
function lastLine(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (lines.findLast((line) => /^\S*Error\b.*: /.test(line)) ?? lines.at(-1) ?? '').trim();
}
