/** A repository for the checks of commits. */
import { spawnSync } from 'node:child_process';
import * as assert from 'uvu/assert';
import { temporaryFolder } from '../helpers/folder.ts';

interface Message {
  readonly title: string;
  readonly body?: string;
}

/** A repository with these commits. `start` is the hash of the first one. */
export function repositoryWith(all: readonly Message[]) {
  const folder = temporaryFolder();
  const git = (...args: readonly string[]) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.is(status, 0, `${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  git('init', '--quiet');
  for (const { title, body = '' } of all)
    git('commit', '--quiet', '--allow-empty', '--message', title, '--message', body);
  return { folder, git, start: git('rev-list', '--max-parents=0', 'HEAD') };
}
