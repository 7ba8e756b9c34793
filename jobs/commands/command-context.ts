/** The context of commands that build or publish: the settings, clock and outputs of this process. Everywhere else, they are arguments. */
import { printable } from '../../src/calendar/display-text.ts';
import { readEnvironment } from '../../src/settings/read.ts';
import { type BuildAnnex, createBuildParts, stepsOf } from '../annex.ts';
import * as annexes from '../annexes.ts';
import { createProgress } from '../progress.ts';
import { readSettings, type Settings } from '../settings.ts';
import type { CommandContext } from './build-command.ts';

const ANNEXES: readonly BuildAnnex<Settings>[] = Object.values(annexes);

/** H5: of a folder that is built. */
const KEEP_DAYS = 7;

/** Prints warnings about settings to standard error. Throws INVALID_SETTING. */
export async function commandContext(): Promise<CommandContext> {
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  const environment = readEnvironment(process.env, process.cwd());
  const parts = await createBuildParts(ANNEXES, settings, (name) => environment[name]);
  const { source, snapshots, horizonMonths, publicUrl, port, publicFile } = settings;
  const defaults = {
    source,
    target: snapshots,
    horizonMonths,
    ownUrl: publicUrl?.href ?? `http://localhost:${port}/`,
    isPublic: publicFile,
    keepDays: settings.keepDays ?? KEEP_DAYS,
    ...stepsOf(parts),
  };
  return {
    defaults,
    now: Math.floor(Date.now() / 1000),
    clock: Date.now,
    stdout: (text) => process.stdout.write(printable(text)),
    stderr: (text) => process.stderr.write(text),
    parts,
    progress: createProgress(process.stderr, () => performance.now()),
  };
}
