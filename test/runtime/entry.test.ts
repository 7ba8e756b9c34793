import { spawnSync } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../helpers/folder.ts';
import { scriptOf } from '../helpers/program.ts';

const entering = suite('entry points');

/** Runs one with a limit of open files, as a shell sets it. */
function runWithin(limit: number, [name = '', ...args]: readonly string[]) {
  const command = [process.execPath, scriptOf(name), ...args];
  return spawnSync('sh', ['-c', `ulimit -n ${limit}; exec "$@"`, 'sh', ...command], {
    cwd: temporaryFolder(),
    encoding: 'utf8',
    env: { PATH: process.env.PATH },
    timeout: 30_000,
  });
}

for (const command of [
  'src/main start',
  'src/main serve',
  'jobs/rebuild',
  'jobs/keys list',
  'jobs/schedule',
]) {
  entering(`H3: ${command} with 64 open files at most should say what it needs, and no more`, () => {
    const { status, stdout, stderr } = runWithin(64, command.split(' '));
    assert.match(
      stderr,
      /^open files: expected at least 256 for this process, found a limit of 64 \(.+\)\n$/,
    );
    assert.is(stdout, '');
    assert.is(status, 1);
  });
}

entering('H3: should run with as many open files as it asks for', () => {
  const { status, stdout } = runWithin(256, ['jobs/keys', 'list']);
  assert.match(stdout, /^no keys in /);
  assert.is(status, 0);
});

entering.run();
