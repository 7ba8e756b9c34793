// Runs the tests of the stable parts in a copy of the tree that has no other parts (.ci/classes.mjs). It compiles the copy first.
//
//   node .ci/stable.mjs [option or pattern …]     those of test/run.mjs; its summary comes last, and its exit code counts
//
// Tests of the other parts are not there. Tests that need one of those parts besides stable ones count as skipped.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyOf, ROOT } from './copies.mjs';
import { takeAwayUnstable } from './stable-copy.mjs';

/** Names at the top of the tree that no test needs, or that are made again. */
const LEFT_OUT = /^(?:node_modules|dist|data|\.git|\.(?:core|setup|tests)[-.].*)$/;

const top = readdirSync(ROOT).filter((name) => !LEFT_OUT.test(name));
const { folder, remove } = copyOf([...top, 'data/sample'], { isComplete: true });
const run = (...args) => spawnSync(process.execPath, args, { cwd: folder, stdio: 'inherit' }).status;
try {
  takeAwayUnstable(folder);
  const status = run('jobs/setup.mjs', '--dev') || run('test/run.mjs', ...process.argv.slice(2));
  process.exitCode = status ?? 1;
} finally {
  remove();
}
