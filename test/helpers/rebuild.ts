/** The command of a build as people run it, in this process. */
import { runRebuild } from '../../jobs/rebuild.ts';
import { annexSteps } from './annex.ts';
import { MONTHS } from './build.ts';
import { NOW } from './calendar.ts';

export interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export async function ran(
  args: readonly string[],
  defaults = { source: '/nowhere', target: '/nowhere' },
): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const code = await runRebuild(args, {
    defaults: { ...defaults, horizonMonths: MONTHS, ...(await annexSteps()) },
    now: NOW,
    stdout: (text) => {
      stdout += text;
    },
    stderr: (text) => (stderr += text),
  });
  return { code, stdout, stderr };
}
