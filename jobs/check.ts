/**
 * H13, a check of a source: `almanakk check`, the whole build and its report beside the snapshot that is there. Nothing is written into its
 * folder.
 */
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { isCalendarError } from '../src/calendar/errors.ts';
import { printable } from '../src/calendar/text.ts';
import { commandLine } from '../src/package.ts';
import { build } from './build.ts';
import {
  type CommandContext,
  commandContext,
  failureJson,
  jsonLine,
  readArguments,
  reportOf,
} from './rebuild.ts';
import { ACTIONS, GRAVITY } from './records.ts';
import { createReport, type ReportSummary } from './report.ts';

const USAGE = `Usage: ${commandLine('check', '[options]')}

  --source DIR      folder of the records (ALMANAKK_SOURCE)
  --target FOLDER   snapshot folder to compare with (ALMANAKK_SNAPSHOTS)
  --now INSTANT     build as if it were that moment, such as "2026-05-17 12:00:00+02:00"
  --local           leave feeds from elsewhere as they were last read
  --force           go on although many events or records are gone
  --json            print one JSON document instead of text
  --help            print this

Exits 0 if nothing was left out, 1 if something was, 2 if the source cannot be built.
`;

/** Whatever happens, 1 means that something was left out, and nothing else. */
export async function checkByCommand(args: readonly string[]): Promise<number> {
  try {
    return await runCheck(args, await commandContext());
  } catch (thrown) {
    process.stderr.write(`${printable(isCalendarError(thrown) ? thrown.message : inspect(thrown))}\n`);
    return 2;
  }
}

/** Returns the exit code. Expected errors are printed and never thrown. */
export async function runCheck(args: readonly string[], context: CommandContext): Promise<0 | 1 | 2> {
  const { stdout, stderr, defaults, progress } = context;
  const describe = args.includes('--json') ? undefined : defaults.describe;
  const report = createReport();
  const scratch = await mkdtemp(join(tmpdir(), 'almanakk-check-'));
  try {
    const options = readArguments(args, context);
    if (options === null) {
      stdout(USAGE);
      return 0;
    }
    await copyFeeds(options.target, scratch);
    const building = { ...options, target: scratch, previous: options.target, report, progress };
    const result = await build(building).finally(() => progress?.end());
    const { counts, changes, warnings } = result;
    const { events, occurrences } = counts;
    const outcome = 'checked';
    if (describe === undefined)
      stdout(jsonLine({ outcome, counts, changes, warnings, report: reportOf(report) }));
    else
      stdout(
        `${describe(report, null)}\n${warnings.map((warning) => `warning: ${warning}\n`).join('')}checked, nothing published: ${events} events, ${occurrences} occurrences\n`,
      );
    return isWhole(report.summary()) ? 0 : 1;
  } catch (thrown) {
    if (!isCalendarError(thrown)) throw thrown;
    if (describe === undefined) stdout(failureJson(thrown, report));
    else {
      stdout(describe(report, null));
      stderr(printable(`The source cannot be built. ${thrown.message}\n`));
    }
    return 2;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** What a feed has now is left out where it cannot be read, whether it had records before or not. Entries that their owner marked private are left out by intention. */
function isWhole({ actions, feeds }: ReportSummary): boolean {
  const dropping = ACTIONS.filter((action) => GRAVITY[action] === 'dropped');
  return dropping.every((action) => actions[action] === 0) && feeds.every(({ state }) => state === 'ok');
}

/** The last good records of feeds are beside the snapshots. */
async function copyFeeds(target: string, scratch: string): Promise<void> {
  await cp(join(target, FEEDS), join(scratch, FEEDS), { recursive: true }).catch((cause: unknown) => {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause;
  });
}

const FEEDS = 'feeds';
