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

/** The messages about failing files, of those that compile and end. */
const TROUBLES: readonly RegExp[] = [
  /crashes\.test\.ts: ended before its tests did \(exit code 1\)$/,
  /fails\.test\.ts: 1 of 2 failed$/,
  /forgets-to-run\.test\.ts: no test was executed/,
  /hook-throws\.test\.ts: 1 of 1 failed$/,
  /leaves-a-change\.test\.ts: all tests passed, but the process ended with 1$/,
  /throws-at-once\.test\.ts: ended before its tests did \(exit code 1\)$/,
  /waits-for-nothing\.test\.ts: ended before its tests did/,
];

runner('MUST count whatever keeps a test from passing, go on with the other files, heavy ones last', () => {
  const { status, lines } = run('runner/(?!never|lingers|does-not)', '--lanes=1', '--long');
  assert.is(status, 1);
  const troubles = lines.filter((line) => line.startsWith('  ✘ '));
  assert.is(troubles.length, TROUBLES.length, troubles.join('\n'));
  for (const [at, trouble] of TROUBLES.entries()) assert.match(troubles[at] ?? '', trouble);
  assertIncludes(lines, '  skipped: it is never there');
  assertIncludes(lines.join('\n'), 'long=1');
  assertBelow(
    lines.indexOf('skips.test.ts'),
    lines.indexOf('heavy/alone.test.ts'),
    'as the line of skips.test.ts',
  );
  assert.is(lines.at(-1), '7 passed, 7 failed, 2 skipped');
});

for (const [file, trouble, last, ...limits] of [
  ['does-not-compile', /the tests do not compile: /, '0 passed, 1 failed'],
  ['never-ends', /stopped: not done after 3 s/, '0 passed, 1 failed', '--file-seconds=3'],
  ['lingers', /still alive 0\.5 s after its last test/, '1 passed, 1 failed', '--linger-seconds=0.5'],
  ['there is no such file', /no test was executed: no \*\.test\.ts here matches/, '0 passed, 1 failed'],
] as const) {
  runner(`MUST count as a failure: ${file}`, () => {
    const { status, lines } = run(file, ...limits);
    assert.is(status, 1);
    assert.match(lines.find((line) => line.startsWith('  ✘ ')) ?? '', trouble);
    assert.is(lines.at(-1), last);
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
