/** Tests that need a program, a system or a part that is not everywhere. Without it they count as skipped, not as passed. */
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import type { Test } from 'uvu';
import { packagePath } from '../../src/package.ts';

/**
 * A whole suite, `when(condition, reason, suite('name'))`, or one test of it, `when(condition, reason, suite)('should …', …)`.
 * Hooks of a skipped suite do not run.
 */
export function when<T>(condition: boolean, reason: string, suite: Test<T>): Test<T> {
  if (condition) return suite;
  console.log(`  skipped: ${reason}`);
  // Tests call the suite, `only`, `skip` and the hooks; uvu's runner is entered by `run`.
  const ignore = Object.assign(() => undefined, { each: () => undefined });
  const { skip, run } = suite;
  return Object.assign(() => skip(), { only: skip, skip, run, before: ignore, after: ignore });
}

/** Whether the tree has a file or a folder. `npm run check:stable` takes those away that are not stable. */
export const hasPart = (path: string): boolean => existsSync(packagePath(path));

/** The suite's tests that need such a file or folder. */
export function withPart<T>(path: string, suite: Test<T>): Test<T> {
  return when(hasPart(path), `without ${path}`, suite);
}

/** Whether tests may use a program: it is on the PATH, or this is continuous integration, where they have to fail if it is missing. */
export function isExpected(program: string): boolean {
  return process.env.CI !== undefined || executablePath(program) !== undefined;
}

/** The path of a program on the PATH. */
export function executablePath(program: string): string | undefined {
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
