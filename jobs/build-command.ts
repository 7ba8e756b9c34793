/** A command that builds (H2): its arguments, its output as text or JSON, and its exit code. */
import { CalendarError, isCalendarError, printableMessage } from '../src/calendar/errors.ts';
import type { BuildPart } from './annex.ts';
import { type BuildArguments, type BuildDefaults, readBuildArguments } from './build-arguments.ts';
import type { BuildOptions } from './build-options.ts';
import type { Progress } from './progress.ts';
import { createReport, fullReport } from './report.ts';
import { describeBuild } from './report-text.ts';

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
