/** `.ci/titles.mjs`: the titles and bodies of commits. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { repositoryWith } from './repository.ts';

const titles = suite('messages of commits');

interface Message {
  readonly title: string;
  readonly body?: string;
  readonly fault?: string;
}

const LONG = 'x'.repeat(49).concat(' ', 'ø'.repeat(50));

/** Commits in this order, with what the check says about their messages; it begins after the first. */
const MESSAGES: readonly Message[] = [
  { title: 'An old title.', body: `${LONG}x` },
  { title: 'x'.repeat(35).concat(' ', 'ø'.repeat(36)) },
  { title: 'x'.repeat(35).concat(' ', 'ø'.repeat(37)), fault: 'expected at most 72 characters, found 73' },
  { title: 'Name the fault.', fault: 'expected no full stop at the end, found one' },
  { title: 'Update', fault: 'expected at least two words, found a placeholder' },
  { title: 'WIP on feeds', fault: 'expected a finished commit, found one that is to be changed' },
  { title: 'Wipe the folder of a failed build' },
  { title: 'Wrap the reason', body: `${LONG}\n\n  https://a.example/${'x'.repeat(99)}` },
  {
    title: 'Wrap no reason',
    body: `A first line.\n${LONG}x`,
    fault: 'expected lines of at most 100 characters in the body, found 101: wrap them',
  },
  {
    title: 'Wipe the folder of a failed build',
    fault: 'expected a title of its own, found that of HASH: say what this commit does',
  },
];

function checkTitles(folder: string, start: string) {
  const args = [packagePath('.ci/titles.mjs'), folder, start];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, faults: stderr.trim().split('\n').filter(Boolean) };
}

titles('should name each commit whose title or body is at fault, and nothing else', () => {
  const { folder, git, start } = repositoryWith(MESSAGES);
  git('checkout', '--quiet', '--detach');
  const { status, faults } = checkTitles(folder, start);
  const expected = MESSAGES.flatMap(({ title, fault }) =>
    fault === undefined ? [] : [`"${title}": ${fault}`],
  );
  assert.is(status, 1);
  assert.equal(
    faults.map((line) => line.replace(/^[0-9a-f]+ /, '').replace(/that of [0-9a-f]+/, 'that of HASH')).sort(),
    expected.sort(),
  );
});

titles('should not check merges, whose titles have two hashes', () => {
  const { folder, git, start } = repositoryWith(MESSAGES.slice(0, 2));
  git('checkout', '--quiet', '-b', 'other', start);
  git('commit', '--quiet', '--allow-empty', '--message', 'Keep this one');
  const message = `Merge ${'a'.repeat(40)} into ${'b'.repeat(40)}`;
  git('merge', '--quiet', '--no-ff', '--message', message, '-');
  assert.equal(checkTitles(folder, start), { status: 0, stdout: '', faults: [] });
});

titles('should pass, and say so, where the history is missing', () => {
  const { folder, git, start } = repositoryWith(MESSAGES);
  const shallow = join(temporaryFolder(), 'shallow');
  git('clone', '--quiet', '--depth', '1', `file://${folder}`, shallow);
  for (const place of [shallow, temporaryFolder()]) {
    const missing = `are not checked: the history here does not have ${start.slice(0, 8)}`;
    const stdout = ['titles', 'bodies', 'repeated titles']
      .map((what) => `${what} of commits ${missing}\n`)
      .join('');
    assert.equal(checkTitles(place, start), { status: 0, stdout, faults: [] });
  }
});

titles.run();
