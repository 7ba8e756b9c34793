/** The command of a build as people run it. */
import { runRebuild } from '../../jobs/commands/rebuild.ts';
import { annexSteps } from './annex.ts';
import { MONTHS } from './build.ts';
import { BUILD_SETTINGS } from './build-choices.ts';
import { NOW } from './calendar.ts';
import { temporaryFolder } from './folder.ts';
import { type Ran, runCommand, SHORT_LIVED, scriptOf } from './program.ts';

/** Runs the command in this process. */
export async function ran(
  args: readonly string[],
  defaults = { source: '/nowhere', target: '/nowhere' },
  now = NOW,
): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const code = await runRebuild(args, {
    defaults: { ...BUILD_SETTINGS, ...defaults, horizonMonths: MONTHS, ...(await annexSteps()) },
    now,
    clock: Date.now,
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}

/** The entry point in a process of its own; `limit` is the largest file that it may write, in KiB. */
export async function spawned(
  args: readonly string[],
  { env = {}, limit = 'unlimited' }: { env?: Readonly<Record<string, string>>; limit?: string } = {},
): Promise<Ran> {
  const command = `ulimit -f ${limit}; exec "$0" "$@"`;
  const program = [process.execPath, ...SHORT_LIVED, scriptOf('jobs/cli'), 'rebuild', ...args];
  const how = { cwd: temporaryFolder(), env: { ...process.env, ...env } };
  return runCommand('bash', ['-c', command, ...program], how);
}
