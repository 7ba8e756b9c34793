/** A command that builds (H2): its arguments, its output as text or JSON, and its exit code. */
import { resolve } from 'node:path';
import { CalendarError, isCalendarError, printableMessage } from '../../src/calendar/errors.ts';
import { parseInputDatetime } from '../../src/calendar/input-datetime.ts';
import type { BuildPart, BuildSteps } from '../annex.ts';
import { parseArguments } from '../arguments.ts';
import type { BuildOptions } from '../build-options.ts';
import type { Progress } from '../progress.ts';
import { createReport, fullReport } from '../report/report.ts';
import { describeBuild } from '../report/text.ts';

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

interface BuildCommand {
  readonly usage: string;
  /** The sentence before the error, if the source cannot be built. */
  readonly refusal: string;
  /** The exit code in that case. */
  readonly refusalCode: number;
  /** Whether `--trial` is one of its options. */
  readonly takesTrial: boolean;
  /** Expected errors are CalendarErrors. */
  readonly work: (options: CommandOptions) => Promise<CommandResult>;
}

export type CommandOptions = BuildOptions & Pick<BuildArguments, 'isTrial'>;

interface CommandResult {
  readonly code: number;
  /** The output for people. */
  readonly text: () => string;
  /** The output with `--json`: one document. */
  readonly document: () => object;
}

/** Returns the exit code. Expected errors are printed and never thrown. */
export async function runBuildCommand(
  args: readonly string[],
  context: CommandContext,
  { usage, refusal, refusalCode, takesTrial, work }: BuildCommand,
): Promise<number> {
  const { stdout, stderr, progress } = context;
  const isJson = args.includes('--json');
  const printDocument = (document: object) => stdout(`${JSON.stringify(document)}\n`);
  const report = createReport();
  try {
    const options = readBuildArguments(args, context, usage);
    if (options === null) {
      stdout(usage);
      return 0;
    }
    if (options.refusal !== undefined) throw new CalendarError('INVALID_SETTING', options.refusal);
    if (options.isTrial && !takesTrial)
      throw new CalendarError('INVALID_SETTING', `--trial: expected with "rebuild" alone\n${usage}`);
    const result = await work({ ...options, report, progress });
    if (isJson) printDocument(result.document());
    else stdout(result.text());
    return result.code;
  } catch (thrown) {
    if (!isCalendarError(thrown)) throw thrown;
    const { code, message, publicMessage } = thrown;
    if (isJson)
      printDocument({ outcome: 'failed', code, message, publicMessage, report: fullReport(report) });
    else {
      stdout(describeBuild(report, { kind: 'failed' }));
      stderr(`${refusal} ${printableMessage(thrown)}\n`);
    }
    return refusalCode;
  }
}

/** The values of the settings. */
type BuildDefaults = BuildSteps &
  Pick<BuildOptions, 'source' | 'target' | 'horizonMonths' | 'ownUrl' | 'keepDays' | 'isPublic'>;

interface BuildArguments extends Omit<BuildOptions, 'report'> {
  /** Whether `target` is a folder to try a build in. */
  readonly isTrial: boolean;
}

/** Reads the arguments; null if help was requested. Throws INVALID_SETTING. */
function readBuildArguments(
  args: readonly string[],
  { defaults, now }: { readonly defaults: BuildDefaults; readonly now: number },
  usage: string,
): BuildArguments | null {
  const { values } = parseArguments({ args: [...args], options: OPTIONS }, usage);
  const { source, target, trial, help, force, local, ...given } = values;
  if (help) return null;
  if (target !== undefined && trial !== undefined)
    throw new CalendarError('INVALID_SETTING', `expected --target or --trial, found both\n${usage}`);
  return {
    ...defaults,
    isTrial: trial !== undefined,
    isLocal: local,
    readAgain: given['read-again'] ?? [],
    // The reader of a message may be in another folder.
    source: resolve(source ?? defaults.source),
    target: resolve(trial ?? target ?? defaults.target),
    now: given.now === undefined ? now : instantOf(given.now),
    wait: given.wait === undefined ? 0 : secondsOf(given.wait),
    previousFrom: given.previous,
    requirePrevious: given['require-previous'] || given.previous !== undefined,
    force,
  };
}

const OPTIONS = {
  source: { type: 'string' },
  target: { type: 'string' },
  trial: { type: 'string' },
  now: { type: 'string' },
  wait: { type: 'string' },
  previous: { type: 'string' },
  'require-previous': { type: 'boolean', default: false },
  local: { type: 'boolean', default: false },
  'read-again': { type: 'string', multiple: true },
  force: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const;

/** The instant of a datetime (A14) that has an offset: the machine may be in any time zone. Throws INVALID_SETTING. */
function instantOf(text: string): number {
  const instant = HAS_OFFSET.test(text) ? parseInputDatetime(text) : null;
  if (instant !== null) return instant;
  const expected = 'a moment with its offset, such as "2026-05-17 12:00:00+02:00" or 2026-05-17T10:00:00Z';
  throw new CalendarError('INVALID_SETTING', `--now: expected ${expected}, found ${JSON.stringify(text)}`);
}

/** A sign or `Z` after the minutes. */
const HAS_OFFSET = /:\d\d.*[Z+-]/;

/** Throws INVALID_SETTING. */
function secondsOf(text: string): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new CalendarError('INVALID_SETTING', `--wait: expected whole seconds, found ${JSON.stringify(text)}`);
}
