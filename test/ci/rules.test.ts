/** `.ci/rules.mjs`: the rules by their codes. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';

const rules = suite('rules by their codes');

const printRule = (...codes: readonly string[]) =>
  spawnSync(process.execPath, [packagePath('.ci/rules.mjs'), ...codes], { encoding: 'utf8' });

rules('should print a rule by its code, with its place and its tests, and nothing of the next one', () => {
  const { status, stdout } = printRule('b1');
  const lines = stdout.trim().split('\n');
  const [, at] = /^docs\/rules\.md:(\d+)$/.exec(lines[0] ?? '') ?? [];
  const page = readFileSync(packagePath('docs/rules.md'), 'utf8').split('\n');
  assert.is(status, 0);
  assert.match(lines[2] ?? '', /^### B1\. /);
  assert.is(page[Number(at) - 1], lines[2]);
  assert.match(lines.at(-1) ?? '', /^test\/\S+\.ts:\d+ (?:\w+, )*B1\b.*: should /);
  assert.is(lines.filter((line) => line.startsWith('#')).length, 1);
});

rules('should list the rules that have some words, wherever their lines break', () => {
  const { status, stdout } = printRule('--about', 'a 400', 'whose message');
  assert.is(status, 0);
  assert.match(stdout, /^P2\. Request and response: docs\/rules\.md:\d+\n$/);
});

rules('should refuse a code that no rule has', () => {
  const { status, stdout, stderr } = printRule('B99');
  assert.is(status, 1);
  assert.is(stdout, '');
  assert.match(stderr, /^docs\/rules\.md: expected the code of a rule, .*found B99$/m);
});

rules.run();
