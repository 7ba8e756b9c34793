import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Long enough for what ends by itself, on any machine; short for those that never do. */
const LIMITS = ['--file-seconds=300', '--linger-seconds=60'];
const SHORT: Readonly<Record<string, string>> = {
  'never-ends': '--file-seconds=3',
  lingers: '--linger-seconds=0.5',
};

const runner = suite('test runner');

runner('should name and count what passed, failed and cannot be run here, heavy files last', () => {
  const { status, lines } = run('/passes|/fails|skips|alone');
  assert.is(status, 1);
  assert.ok(lines.includes('  ✘ fails.test.ts: 1 of 2 failed'));
  assert.ok(lines.includes('  skipped: it is never there'));
  assert.ok(lines.indexOf('skips.test.ts') < lines.indexOf('heavy/alone.test.ts'));
  assert.equal(lines.slice(-6, -3), ['  Total:     7', '  Passed:    6', '  Skipped:   2']);
  assert.match(lines.at(-3) ?? '', /^ {2}Duration: {2}\d+\.\d\dms$/);
  assert.is(lines.at(-1), '6 passed, 1 failed, 2 skipped');
});

runner('should go on with the other files when one ends the process that they share', () => {
  const { lines } = run('crashes|/fails|lingers|passes', '--lanes=1', '--linger-seconds=2');
  const troubles = lines.filter((line) => line.startsWith('  ✘ '));
  assert.equal(
    troubles.map((line) => line.slice(4, line.indexOf(':'))),
    ['crashes.test.ts', 'fails.test.ts', 'lingers.test.ts'],
  );
  assert.is(lines.at(-1), '4 passed, 3 failed');
});

runner('should tell the tests of --long', () => {
  assert.ok(run('passes').lines.some((line) => line.includes('long=no')));
  assert.ok(run('passes', '--long').lines.some((line) => line.includes('long=1')));
});

const TROUBLES: readonly (readonly [file: string, trouble: RegExp, last: string])[] = [
  ['crashes', /ended before its tests did \(exit code 1\)/, '0 passed, 1 failed'],
  ['throws-at-once', /ended before its tests did \(exit code 1\)/, '0 passed, 1 failed'],
  ['does-not-compile', /the tests do not compile: /, '0 passed, 1 failed'],
  ['waits-for-nothing', /ended before its tests did/, '0 passed, 1 failed'],
  ['never-ends', /stopped: not done after 3 s/, '0 passed, 1 failed'],
  ['lingers', /still alive 0\.5 s after its last test/, '1 passed, 1 failed'],
  ['forgets-to-run', /no test was executed/, '0 passed, 1 failed'],
  ['leaves-a-change', /all tests passed, but the process ended with 1/, '1 passed, 1 failed'],
  ['hook-throws', /1 of 1 failed/, '0 passed, 1 failed'],
  ['there is no such file', /no test was executed: no \*\.test\.ts here matches/, '0 passed, 1 failed'],
];

for (const [file, trouble, last] of TROUBLES) {
  runner(`MUST count as a failure: ${file}`, () => {
    const { status, lines } = run(file, ...(SHORT[file] === undefined ? [] : [SHORT[file]]));
    assert.is(status, 1);
    assert.match(lines.find((line) => line.startsWith('  ✘ ')) ?? '', trouble);
    assert.is(lines.at(-1), last);
  });
}

runner.run();

function run(...args: readonly string[]): {
  readonly status: number | null;
  readonly lines: readonly string[];
} {
  const { status, stdout } = spawnSync(
    process.execPath,
    ['test/run.mjs', '--folder=test/fixtures/runner', ...LIMITS, ...args],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, CI: '1', ALMANAKK_TEST_LONG: undefined } },
  );
  return { status, lines: stripVTControlCharacters(stdout).trimEnd().split('\n') };
}
