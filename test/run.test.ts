/** The test runner: what it reports about files that fail, hang or skip. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertBelow, assertIncludes } from './helpers/assertions.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Long enough for tests that end, on any machine. */
const LIMITS = ['--file-seconds=300', '--linger-seconds=60'];

const runner = suite('test runner');

/** The messages about failing files that compile and end. */
const FAILURES: readonly RegExp[] = [
  /crashes\.test\.ts: ended before its tests did \(exit code 1\)$/,
  /fails\.test\.ts: 1 of 2 failed$/,
  /forgets-to-run\.test\.ts: no test was executed/,
  /hook-throws\.test\.ts: 1 of 1 failed$/,
  /leaves-a-change\.test\.ts: all tests passed, but the process ended with 1$/,
  /throws-at-once\.test\.ts: ended before its tests did \(exit code 1\)$/,
  /waits-for-nothing\.test\.ts: ended before its tests did/,
];

runner('should report each failing file, run the other files, and run heavy ones last', () => {
  const { status, lines } = run('runner/(?!never|lingers|does-not)', '--lanes=1', '--long');
  assert.is(status, 1);
  const failures = lines.filter((line) => line.startsWith('  ✘ '));
  assert.is(failures.length, FAILURES.length, failures.join('\n'));
  for (const [at, message] of FAILURES.entries()) assert.match(failures[at] ?? '', message);
  assertIncludes(lines, '  skipped: it is never there');
  assertIncludes(lines.join('\n'), 'long=1');
  assertIncludes(lines.join('\n'), 'test/fixtures/runner/fails.test.ts:8:28');
  assertIncludes(lines.join('\n'), 'Error: uvu keeps silent about this\n    at ');
  assertIncludes(lines.join('\n'), 'test/fixtures/runner/hook-throws.test.ts:7:9');
  assertBelow(
    lines.indexOf('skips.test.ts'),
    lines.indexOf('heavy/alone.test.ts'),
    'as the line of skips.test.ts',
  );
  assert.is(lines.at(-1), '7 passed, 7 failed, 2 skipped');
});

interface FailingRun {
  readonly what: string;
  readonly pattern: string;
  readonly options?: readonly string[];
  readonly message: RegExp;
  readonly total: string;
}

const FAILING_RUNS: readonly FailingRun[] = [
  {
    what: 'a file that does not compile',
    pattern: 'does-not-compile',
    message: /the tests do not compile: /,
    total: '0 passed, 1 failed',
  },
  {
    what: 'a file that never ends',
    pattern: 'never-ends',
    options: ['--file-seconds=3'],
    message: /stopped: not done after 3 s/,
    total: '0 passed, 1 failed',
  },
  {
    what: 'a process that lingers after its tests',
    pattern: 'lingers',
    options: ['--linger-seconds=0.5'],
    message: /still alive 0\.5 s after its last test/,
    total: '1 passed, 1 failed',
  },
  {
    what: 'a pattern that matches no file',
    pattern: 'there is no such file',
    message: /no test was executed: no \*\.test\.ts here matches/,
    total: '0 passed, 1 failed',
  },
];

for (const { what, pattern, options = [], message, total } of FAILING_RUNS) {
  runner(`should count ${what} as a failure`, () => {
    const { status, lines } = run(pattern, ...options);
    assert.is(status, 1, 'exit code');
    assert.match(lines.find((line) => line.startsWith('  ✘ ')) ?? '', message);
    assert.is(lines.at(-1), total);
  });
}

runner.run();

function run(...args: readonly string[]) {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['test/run.mjs', '--folder=test/fixtures/runner', ...LIMITS, ...args],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, CI: '1', ALMANAKK_TEST_LONG: undefined } },
  );
  return { status, lines: stripVTControlCharacters(stdout).trimEnd().split('\n') };
}
