/** The command of a build as people run it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { runRebuild } from '../../jobs/rebuild.ts';
import { annexSteps } from './annex.ts';
import { MONTHS } from './build.ts';
import { NOW } from './calendar.ts';
import { temporaryFolder } from './folder.ts';
import { scriptOf } from './program.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** In this process. */
export async function ran(
  args: readonly string[],
  defaults = { source: '/nowhere', target: '/nowhere' },
  now = NOW,
): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const code = await runRebuild(args, {
    defaults: { ...defaults, horizonMonths: MONTHS, ...(await annexSteps()) },
    now,
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
  const child = spawn('bash', ['-c', command, process.execPath, scriptOf('jobs/cli'), 'rebuild', ...args], {
    cwd: temporaryFolder(),
    env: { ...process.env, ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, stdout, stderr };
}
