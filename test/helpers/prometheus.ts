/** promtool, Prometheus's own checker of rules and configurations. */
import { spawnSync } from 'node:child_process';
import * as assert from 'uvu/assert';

/** The output of a run that succeeds. */
export function promtool(args: readonly string[], input = ''): string {
  const { stdout, stderr } = runPromtool(args, input);
  return stdout + stderr;
}

function runPromtool(args: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input });
  assert.is(status, 0, `promtool ${args.join(' ')}: ${stdout}${stderr}`);
  return { stdout, stderr };
}

/** A target before and after the rules of a configuration. A target that is dropped has no labels. */
export interface Discovered {
  readonly discoveredLabels: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** The targets of a job. `path`: of the configuration. */
export function discover(path: string, job: string): readonly Discovered[] {
  // promtool waits for the whole time, and may find nothing in a short one.
  for (const timeout of ['100ms', '2s', '20s']) {
    const { stdout } = runPromtool(['check', 'service-discovery', `--timeout=${timeout}`, path, job]);
    const found: readonly Discovered[] | null = JSON.parse(stdout);
    if (found !== null && found.length > 0) return found;
  }
  throw new Error('expected targets within 20 s, found none');
}
