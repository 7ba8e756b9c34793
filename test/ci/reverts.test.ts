/** `.ci/reverts.mjs`: commits that return files to an earlier state. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { repositoryWith } from './repository.ts';

const reverts = suite('files that commits return to an earlier state');

/** Three files in their first state, changed by somebody else, and then returned by a commit with this message. */
function repositoryThatReturns(count: number, message: string) {
  const { folder, git, start } = repositoryWith([{ title: 'Begin here' }]);
  const files = ['a.txt', 'b.txt', 'c.txt'];
  const commit = (contents: readonly string[], title: string) => {
    for (const [index, file] of files.entries()) writeFileSync(join(folder, file), contents[index] ?? '');
    git('add', '--all');
    git('commit', '--quiet', '--message', title);
  };
  const first = ['a', 'b', 'c'];
  const second = ['a2', 'b2', 'c2'];
  commit(first, 'Add three files');
  commit(second, 'Change three files');
  commit([...first.slice(0, count), ...second.slice(count)], message);
  const args = [packagePath('.ci/reverts.mjs'), folder, start];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, found: stderr.trim() };
}

reverts('should name a commit that takes back three files, and the files', () => {
  const { status, found } = repositoryThatReturns(3, 'Correct a sentence');
  assert.is(status, 1);
  assert.match(
    found,
    /^[0-9a-f]+ Correct a sentence: returns 3 of 3 files .+ \(a\.txt, b\.txt, c\.txt\): rebase/,
  );
});

reverts('should pass a commit that takes back two files, or says that it takes back more', () => {
  const passed = { status: 0, found: '' };
  assert.equal(repositoryThatReturns(2, 'Undo two edits'), passed);
  assert.equal(repositoryThatReturns(3, 'Revert it\n\nThis reverts commit 0123456789abcdef.'), passed);
  assert.equal(repositoryThatReturns(3, 'Move it back\n\nReturns files: the folder was right.'), passed);
});

reverts.run();
