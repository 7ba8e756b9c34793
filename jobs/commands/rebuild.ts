/** The command `rebuild` (H2): one build, and the work of annexes that follows it. */
import { setFlagsFromString } from 'node:v8';
import { printableLine } from '../../src/calendar/display-text.ts';
import { isObject } from '../../src/calendar/json.ts';
import { commandLine } from '../../src/package.ts';
import type { AfterBuild, BuildResult } from '../annex.ts';
import { build } from '../build.ts';
import { fullReport, type Report } from '../report/report.ts';
import { describeBuild } from '../report/text.ts';
import { type CommandContext, type CommandOptions, runBuildCommand } from './build-command.ts';
import { commandContext } from './command-context.ts';
import { beginTrial, isSameFolder } from './trial.ts';

const USAGE = `Usage: ${commandLine('rebuild', '[options]')}

  --source DIR      source folder (ALMANAKK_SOURCE)
  --target FOLDER   snapshot folder to publish to (ALMANAKK_SNAPSHOTS); any folder other than the configured one skips hooks and the store
  --trial FOLDER    build into this folder, with copies of the last snapshot and of feeds; skip hooks and the store
  --previous FROM   first fetch the previous snapshot from a URL or a folder, for temporary machines
  --require-previous  stop if there is no snapshot to compare with
  --now INSTANT     build as of this moment, such as "2026-05-17 12:00:00+02:00"
  --wait SECONDS    wait up to this long for another build in the same folder to finish
  --local           do not fetch feeds; use their last records
  --read-again FEED  with --local: fetch this feed nevertheless; can be repeated
  --force           publish even if many events or records are missing, or no earlier snapshot is readable
  --json            print one JSON document instead of text
  --help            print this help
`;

/** The command with this process's settings. Resolves to the exit code. Throws INVALID_SETTING. */
export async function rebuildByCommand(args: readonly string[]): Promise<number> {
  endWithParent();
  // V8 lets a heap of this size quadruple before it collects all of it.
  setFlagsFromString('--heap-growing-percent=70');
  const context = await commandContext();
  // A server that starts a build does the work after it itself.
  const isStartedByServer = process.channel !== undefined;
  return runRebuild(args, isStartedByServer ? { ...context, parts: new Map() } : context);
}

/** Under a server (`runChild`): if that server dies, nothing else would end a build that hangs. */
function endWithParent(): void {
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  if (process.connected === false) process.exit(1);
}

/** Returns the exit code: 1 if the build or the work after it failed. Expected errors are printed and never thrown. */
export function runRebuild(args: readonly string[], context: CommandContext): Promise<number> {
  return runBuildCommand(args, context, {
    usage: USAGE,
    refusal: 'Nothing was published.',
    refusalCode: 1,
    takesTrial: true,
    work: (options) => rebuild(options, context),
  });
}

async function rebuild({ isTrial, ...options }: CommandOptions, context: CommandContext) {
  const { report, target, previousFrom, progress } = options;
  if (isTrial) await beginTrial(target, context.defaults.target);
  if (previousFrom !== undefined) {
    const warning = (await options.fetchPrevious?.(previousFrom, target)) ?? null;
    if (warning !== null) context.stderr(`${printableLine(`warning: ${warning}`)}\n`);
  }
  const result = await build(options).finally(() => progress?.end());
  const isOfSettings = await isSameFolder(target, context.defaults.target);
  const after = isOfSettings
    ? await workAfterBuild(target, result, context)
    : withheldWork(target, context, isTrial);
  const failed = [...after.values()].filter(({ isFailed }) => isFailed);
  const done = [...after.values()].filter(({ isFailed }) => !isFailed);
  for (const { line } of failed) context.stderr(`${printableLine(line)}\n`);
  const lines = done.map(({ line }) => `${printableLine(line)}\n`);
  return {
    code: failed.length > 0 ? 1 : 0,
    text: () => describeBuild(report, { kind: 'built', result }) + lines.join(''),
    document: () => documentOf(result, report, after),
  };
}

/** The results of the work after a build, by annex. */
type AfterBuilds = ReadonlyMap<string, AfterBuild>;

async function workAfterBuild(
  target: string,
  result: BuildResult,
  { parts = new Map(), clock }: CommandContext,
): Promise<AfterBuilds> {
  const after = new Map<string, AfterBuild>();
  for (const [name, { afterBuild }] of parts) {
    const done = await afterBuild?.(target, result, clock);
    if (done) after.set(name, done);
  }
  return after;
}

/**
 * G13: hooks and stores belong to the snapshot folder of the settings, and are skipped for any other one. The result says so if there are
 * any, and after each trial.
 */
function withheldWork(
  target: string,
  { defaults, parts = new Map() }: CommandContext,
  isTrial: boolean,
): AfterBuilds {
  const withheld = [...parts].flatMap(([name, part]) => (part.afterBuild === undefined ? [] : name));
  if (withheld.length === 0 && !isTrial) return new Map();
  const why = `${target} is not the configured snapshot folder ${defaults.target}`;
  const line = `nothing sent (${withheld.join(', ') || 'no hook or store is set'}): ${why}`;
  return new Map([['publishedToNobody', { value: { withheld, why }, line, isFailed: false }]]);
}

/** The JSON document: the report is that of the build that made the snapshot. */
function documentOf({ previousReport, ...result }: BuildResult, report: Report, after: AfterBuilds): object {
  const ofAnnexes = Object.fromEntries([...after].map(([name, { value }]) => [name, value]));
  if (previousReport === null) return { ...result, ...ofAnnexes, report: fullReport(report) };
  const stored: unknown = JSON.parse(previousReport);
  const ofMaking = isObject(stored) ? stored : {};
  const { feeds, timings } = report.summary();
  return { ...result, ...ofAnnexes, report: { ...ofMaking, feeds, timings } };
}
