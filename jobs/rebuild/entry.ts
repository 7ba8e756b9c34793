/** The program of `npm run rebuild`: settings and annexes, around one build. */
import { printable } from '../../src/calendar/text.ts';
import { readEnvironment, readSettings, type Settings } from '../../src/settings.ts';
import { type BuildAnnex, createBuildParts, stepsOf } from '../annex.ts';
import * as annexes from '../annexes.ts';
import { runRebuild } from './command.ts';

const ANNEXES: readonly BuildAnnex<Settings>[] = Object.values(annexes);

/** Resolves to the exit code. Throws INVALID_SETTING. */
export async function rebuildByCommand(args: readonly string[]): Promise<number> {
  const { settings, warnings } = readSettings(process.env, process.cwd());
  for (const warning of warnings) process.stderr.write(printable(`warning: ${warning}\n`));
  const { source, snapshots, horizonMonths } = settings;
  const environment = readEnvironment(process.env, process.cwd());
  const parts = await createBuildParts(ANNEXES, settings, (name) => environment[name]);
  return runRebuild(args, {
    defaults: {
      ...{ source, target: snapshots, horizonMonths },
      ...stepsOf(parts.values()),
    },
    now: Math.floor(Date.now() / 1000),
    stdout: (text) => process.stdout.write(printable(text)),
    stderr: (text) => process.stderr.write(text),
    // A server that started this build runs the work after it by itself.
    parts: process.channel === undefined ? parts : new Map(),
  });
}
