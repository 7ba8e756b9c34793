/** H13: `almanakk check`, the whole build and its report, without changing the current snapshot. Nothing is written into its folder. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { DROPPED } from '../src/calendar/actions.ts';
import { printable, printableLine } from '../src/calendar/display-text.ts';
import { isCalendarError, printableMessage } from '../src/calendar/errors.ts';
import { commandLine } from '../src/package.ts';
import { build } from './build.ts';
import { type CommandContext, commandContext, runBuild } from './rebuild.ts';
import { fullReport, type ReportSummary } from './report.ts';
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

/** Exit code 1 means only that something was left out: unexpected errors end with 2, too. */
export async function checkByCommand(args: readonly string[]): Promise<number> {
  try {
    return await runCheck(args, await commandContext());
  } catch (thrown) {
    process.stderr.write(
      `${isCalendarError(thrown) ? printableMessage(thrown) : printable(inspect(thrown))}\n`,
    );
    return 2;
  }
}

/** Returns the exit code. Expected errors are printed and never thrown. */
export async function runCheck(args: readonly string[], context: CommandContext): Promise<number> {
  const scratch = await mkdtemp(join(tmpdir(), 'almanakk-check-'));
  const work: Parameters<typeof runBuild>[2]['work'] = async (options, describe) => {
    const { report, target: previous } = options;
    await copyFeeds(previous, scratch);
    const building = build({ ...options, target: scratch, previous });
    const { counts, changes, warnings } = await building.finally(() => options.progress?.end());
    const found = `checked, nothing published: ${counts.events} events, ${counts.occurrences} occurrences`;
    const lines = [...warnings.map((warning) => printableLine(`warning: ${warning}`)), found];
    return {
      code: isWhole(report.summary()) ? 0 : 1,
      printed:
        describe === undefined
          ? { outcome: 'checked', counts, changes, warnings, report: fullReport(report) }
          : `${describe(report, null, counts)}\n${lines.join('\n')}\n`,
    };
  };
  const command = { usage: USAGE, refusal: 'The source cannot be built.', refused: 2, work };
  return runBuild(args, context, command).finally(() => rm(scratch, { recursive: true, force: true }));
}

/**
 * A feed that cannot be read counts as left out, whether it had records before or not. Entries that their owner marked private do not count:
 * they are left out by intention.
 */
function isWhole({ actions, feeds }: ReportSummary): boolean {
  return DROPPED.every((action) => actions[action] === 0) && feeds.every(({ state }) => state === 'ok');
}
