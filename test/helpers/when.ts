/** Tests that need a program or a system that not every machine has. Without it they count as skipped, not as passed. */
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Test } from 'uvu';

/**
 * A whole suite, `when(condition, reason, suite('name'))`, or one test of it, `when(condition, reason, suite)('should …', …)`.
 * Hooks of a skipped suite do not run.
 */
export function when<T>(condition: boolean, reason: string, suite: Test<T>): Test<T> {
  if (condition) return suite;
  console.log(`  skipped: ${reason}`);
  const ignore = Object.assign(() => undefined, { each: () => undefined });
  const { skip, run } = suite;
  return Object.assign(() => skip(), { only: skip, skip, run, before: ignore, after: ignore });
}

/** Whether a program is in the path. Continuous integration must have it: there, this is always true, and tests fail without it. */
export function isInstalled(program: string): boolean {
  return process.env.CI !== undefined || pathOf(program) !== undefined;
}

export function pathOf(program: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.map((folder) => join(folder, program)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
