/** H13: `almanakk check`, the whole build and its report, without changing the current snapshot. Nothing is written into its folder. */
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { DROPPED } from '../../src/calendar/actions.ts';
import { printable, printableLine } from '../../src/calendar/display-text.ts';
import { isCalendarError, printableMessage } from '../../src/calendar/errors.ts';
import { commandLine } from '../../src/package.ts';
import { build } from '../build.ts';
import { counted, EVENTS, OCCURRENCES } from '../report/lines.ts';
import { fullReport } from '../report/report.ts';
import type { ReportSummary } from '../report/summary.ts';
import { describeBuild } from '../report/text.ts';
import { type CommandContext, type CommandOptions, runBuildCommand } from './build-command.ts';
import { commandContext } from './command-context.ts';
import { copyFeeds } from './trial.ts';

const USAGE = `Usage: ${commandLine('check', '[options]')}

  --source DIR      source folder (ALMANAKK_SOURCE)
  --target FOLDER   snapshot folder to compare with (ALMANAKK_SNAPSHOTS)
  --now INSTANT     build as of this moment, such as "2026-05-17 12:00:00+02:00"
  --local           do not fetch feeds; use their last records
  --force           continue even if many events or records are missing
  --json            print one JSON document instead of text
  --help            print this help

Exits 0 if nothing was left out, 1 if something was, 2 if the source cannot be built.
`;

/** The command with this process's settings. Unexpected errors end with 2, too: 1 only means that something was left out. */
export async function checkByCommand(args: readonly string[]): Promise<number> {
  try {
    return await runCheck(args, await commandContext());
  } catch (thrown) {
    const text = isCalendarError(thrown) ? printableMessage(thrown) : printable(inspect(thrown));
    process.stderr.write(`${text}\n`);
    return 2;
  }
}

/** Returns the exit code. Expected errors are printed and never thrown. */
export function runCheck(args: readonly string[], context: CommandContext): Promise<number> {
  return runBuildCommand(args, context, {
    usage: USAGE,
    refusal: 'The source cannot be built.',
    refusalCode: 2,
    takesTrial: false,
    work: (options) => withScratchFolder((scratch) => checkIn(scratch, options)),
  });
}

/** Builds into the scratch folder, and compares with the snapshot of the target. */
async function checkIn(scratch: string, options: CommandOptions) {
  const { report, target, progress } = options;
  await copyFeeds(target, scratch);
  const building = build({ ...options, target: scratch, previous: target });
  const { counts, changes, warnings } = await building.finally(() => progress?.end());
  const lines = [
    ...warnings.map((warning) => printableLine(`warning: ${warning}`)),
    `checked, nothing published: ${counted(counts.events, EVENTS)}, ${counted(counts.occurrences, OCCURRENCES)}`,
  ];
  return {
    code: isWhole(report.summary()) ? 0 : 1,
    text: () => `${describeBuild(report, { kind: 'checked', counts })}\n${lines.join('\n')}\n`,
    document: () => ({ outcome: 'checked', counts, changes, warnings, report: fullReport(report) }),
  };
}

/**
 * A feed that cannot be read counts as left out, whether it had records before or not. Entries that their owner marked private do not count:
 * they are left out by intention.
 */
function isWhole({ actions, feeds }: ReportSummary): boolean {
  return DROPPED.every((action) => actions[action] === 0) && feeds.every(({ state }) => state === 'ok');
}

/** Removes the folder after the work, and also if a signal ends the process: it has copies of the source's feeds. */
async function withScratchFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'almanakk-check-'));
  const removeAndEnd = (signal: NodeJS.Signals) => {
    rmSync(folder, { recursive: true, force: true });
    // Without this handler, which ran once, the signal ends the process.
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, removeAndEnd);
  try {
    return await work(folder);
  } finally {
    for (const signal of SIGNALS) process.off(signal, removeAndEnd);
    await rm(folder, { recursive: true, force: true });
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
