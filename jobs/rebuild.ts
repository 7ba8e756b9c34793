/** The command of one build (H2): its settings and arguments, its output, and its exit code. */
import { setFlagsFromString } from 'node:v8';
import { printable, printableLine } from '../src/calendar/display-text.ts';
import { CalendarError, isCalendarError, printableMessage } from '../src/calendar/errors.ts';
import { isObject } from '../src/calendar/json.ts';
import { commandLine } from '../src/package.ts';
import { readEnvironment } from '../src/settings/read.ts';
import {
  type AfterBuild,
  type BuildAnnex,
  type BuildPart,
  type BuildResult,
  createBuildParts,
  stepsOf,
} from './annex.ts';
import * as annexes from './annexes.ts';
import { build } from './build.ts';
import { type BuildArguments, type BuildDefaults, readBuildArguments } from './build-arguments.ts';
import type { BuildOptions } from './build-options.ts';
import { createProgress, type Progress } from './progress.ts';
import { createReport, fullReport, type Report } from './report.ts';
import { describeBuild } from './report-text.ts';
import { readSettings, type Settings } from './settings.ts';
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
  --force           publish even if many events or records are missing, or no earlier snapshot is readable
  --json            print one JSON document instead of text
  --help            print this help
`;

const ANNEXES: readonly BuildAnnex<Settings>[] = Object.values(annexes);

/** The command with this process's settings. Resolves to the exit code. Throws INVALID_SETTING. */
export async function rebuildByCommand(args: readonly string[]): Promise<number> {
  endWithParent();
  // V8 lets a heap of this size quadruple before it collects all of it.
  setFlagsFromString('--heap-growing-percent=70');
  const context = await commandContext();
  // The server that started this build runs what follows it.
  return runRebuild(args, process.channel === undefined ? context : { ...context, parts: new Map() });
}

/** This process's settings, clock and outputs. Throws INVALID_SETTING. */
export async function commandContext(): Promise<CommandContext> {
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  const { source, snapshots, horizonMonths, publicUrl, port, publicFile: isPublic } = settings;
  const keepDays = settings.keepDays ?? KEEP_DAYS;
  const ownUrl = publicUrl?.href ?? `http://localhost:${port}/`;
  const environment = readEnvironment(process.env, process.cwd());
  const parts = await createBuildParts(ANNEXES, settings, (name) => environment[name]);
  return {
    defaults: { source, target: snapshots, horizonMonths, ownUrl, isPublic, keepDays, ...stepsOf(parts) },
    now: Math.floor(Date.now() / 1000),
    clock: Date.now,
    stdout: (text) => process.stdout.write(printable(text)),
    stderr: (text) => process.stderr.write(text),
    parts,
    progress: createProgress(process.stderr, () => performance.now()),
  };
}

/** H5: of a folder that is built. */
const KEEP_DAYS = 7;

/** Under a server (`runChild`): if that server dies, nothing else would end a build that hangs. */
function endWithParent(): void {
  process.once('disconnect', () => process.exit(1));
  process.channel?.unref();
  if (process.connected === false) process.exit(1);
}

export interface CommandContext {
  readonly defaults: BuildDefaults;
  /** When the command began: instant, whole seconds. */
  readonly now: number;
  /** Milliseconds since 1970, for the work after a build. */
  readonly clock: () => number;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  readonly progress?: Progress | undefined;
  /** The work of annexes after the build, by their names. */
  readonly parts?: ReadonlyMap<string, Pick<BuildPart, 'afterBuild'>>;
}

/** Returns the exit code. Expected errors are printed and never thrown. */
export function runRebuild(args: readonly string[], context: CommandContext): Promise<number> {
  const work: BuildCommand['work'] = async ({ isTrial, ...options }, describe) => {
    const { report, target } = options;
    const { target: ofSettings } = context.defaults;
    if (isTrial) await beginTrial(target, ofSettings);
    if (options.previousFrom !== undefined) await options.fetchPrevious?.(options.previousFrom, target);
    const result = await build(options).finally(() => options.progress?.end());
    const after = (await isSameFolder(target, ofSettings))
      ? await afterBuild(target, result, context)
      : withholdNotifications(target, context, isTrial);
    const failed = [...after.values()].filter(({ isFailed }) => isFailed);
    for (const { line } of failed) context.stderr(`${printableLine(line)}\n`);
    const lines = [...after.values()].flatMap(({ line, isFailed }) =>
      isFailed ? [] : `${printableLine(line)}\n`,
    );
    return {
      code: failed.length > 0 ? 1 : 0,
      printed: describe?.(report, result).concat(...lines) ?? resultOf(result, report, after),
    };
  };
  const refusal = 'Nothing was published.';
  return runBuild(args, context, { usage: USAGE, refusal, refused: 1, takesTrial: true, work });
}

/** G13: hooks, stores and mails belong to the target of the settings. Says so where there are any, and of each trial. */
function withholdNotifications(
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

/** A command that builds. */
interface BuildCommand {
  readonly usage: string;
  /** Words and exit code where the source cannot be built. */
  readonly refusal: string;
  readonly refused: number;
  /** Whether `--trial` is an option of it. */
  readonly takesTrial?: boolean;
  /** Returns its exit code, and text for people or a JSON document. `describe` is undefined if JSON is wanted. */
  readonly work: (
    options: BuildOptions & Pick<BuildArguments, 'isTrial'>,
    describe: typeof describeBuild | undefined,
  ) => Promise<{ readonly code: number; readonly printed: string | object }>;
}

export async function runBuild(
  args: readonly string[],
  context: CommandContext,
  { usage, refusal, refused, work, takesTrial = false }: BuildCommand,
): Promise<number> {
  const { stderr, progress } = context;
  const describe = args.includes('--json') ? undefined : describeBuild;
  const print = (what: string | object) =>
    context.stdout(typeof what === 'string' ? what : `${JSON.stringify(what)}\n`);
  const report = createReport();
  try {
    const options = readBuildArguments(args, context, usage);
    if (options?.isTrial && !takesTrial)
      throw new CalendarError('INVALID_SETTING', `--trial: expected with "rebuild" alone\n${usage}`);
    if (options === null) {
      print(usage);
      return 0;
    }
    const { code, printed } = await work({ ...options, report, progress }, describe);
    print(printed);
    return code;
  } catch (thrown) {
    if (!isCalendarError(thrown)) throw thrown;
    const { code, message, publicMessage } = thrown;
    const failure = { outcome: 'failed', code, message, publicMessage, report: fullReport(report) };
    print(describe?.(report, null) ?? failure);
    if (describe !== undefined) stderr(`${refusal} ${printableMessage(thrown)}\n`);
    return refused;
  }
}

/** The results, by annex. */
type AfterBuilds = ReadonlyMap<string, AfterBuild>;

async function afterBuild(
  target: string,
  result: BuildResult,
  { parts = new Map(), clock }: CommandContext,
): Promise<AfterBuilds> {
  const after = new Map<string, AfterBuild>();
  for (const [name, part] of parts) {
    const done = await part.afterBuild?.(target, result, clock);
    if (done) after.set(name, done);
  }
  return after;
}

function resultOf({ previousReport, ...result }: BuildResult, report: Report, after: AfterBuilds): object {
  const { feeds, timings } = report.summary();
  const previous: unknown = JSON.parse(previousReport ?? 'null');
  const others = Object.fromEntries([...after].map(([name, { value }]) => [name, value]));
  const shown = { ...(isObject(previous) && previous), feeds, timings };
  return { ...result, ...others, report: previousReport === null ? fullReport(report) : shown };
}
