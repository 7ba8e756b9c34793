/** Results of the benchmarks: which of them can be compared. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { objectionTo } from './bench/provenance.ts';
import { temporaryFolder } from './helpers/folder.ts';

const results = suite('results of benchmarks');

/** A checkout with one commit. Its programs are in `dist`. */
function checkout(): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'src'));
  writeFileSync(join(folder, 'src/main.ts'), 'export const answer = 1;\n');
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
  for (const args of [['init'], ['add', '.'], [...identity, 'commit', '-m', 'Begin']])
    assert.is(spawnSync('git', args, { cwd: folder }).status, 0, args.join(' '));
  return folder;
}

const IDLE = 0.4;

results('should be accepted from a commit, on an idle machine', () => {
  assert.is(objectionTo([join(checkout(), 'dist')], IDLE), null);
});

results('should be refused from files that differ from their commit', () => {
  const folder = checkout();
  writeFileSync(join(folder, 'src/main.ts'), 'export const answer = 2;\n');
  assert.match(objectionTo([join(folder, 'dist')], IDLE) ?? '', /commit without changes, found \w{8}-dirty$/);
});

results('should be refused from a machine with other work', () => {
  const objection = objectionTo([join(checkout(), 'dist')], 1.6);
  assert.is(objection, 'a load of at most 0.5 before the measurement, found 1.6');
});

results.run();
