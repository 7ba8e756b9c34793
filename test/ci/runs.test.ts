/** `.ci/records.mjs` and `.ci/runs.mjs`: what has changed since the recorded runs on whole machines. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { assertAbove, assertExists } from '../helpers/assertions.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { readPage } from '../readme/document.ts';
import { repositoryWith } from './repository.ts';

interface Run {
  readonly record: string;
  readonly commit: string;
  readonly paths: readonly string[];
}

const { recordedRuns } = await import(packagePath('.ci/records.mjs'));
const RUNS: readonly Run[] = recordedRuns(packagePath('.'));

const runs = suite('recorded runs');

const EXAMPLE = /(?:\/current|\$checkout)\/(docs\/examples\/[\w.-]+)/g;

runs('should be compared in all that their setup installs, and in their script', () => {
  assertAbove(RUNS.length, 8, 'runs');
  const paths = (record: RegExp) => [
    ...new Set(RUNS.flatMap((run) => (record.test(run.record) ? run.paths : []))),
  ];
  for (const path of paths(/./)) assertExists(packagePath(path.replace(/[^/]*\*.*/, '')));
  const installed = (record: RegExp) => paths(record).filter((path) => path.startsWith('docs/'));
  const examplesIn = (path: string) => [...readPage(path).matchAll(EXAMPLE)].map(([, example]) => example);
  // Two machines follow the page for one machine too.
  const one = ['docs/debian', ...examplesIn('docs/operating.md')];
  assert.equal(installed(/\/debian-run-/), one);
  const [wireguard = '', ...failover] = examplesIn('docs/two-machines.md');
  assert.equal(installed(/\/debian-pair-run-/), [...one, ...failover]);
  const link = ['docs/examples/metrics.conf', wireguard, 'docs/scrape-machines.yml'];
  assert.equal(installed(/\/link-run\./), [...one, ...link]);
  assert.equal(installed(/\/cdn-run-/), [...one, ...examplesIn('.ci/cdn.sh')]);
});

/** A repository with two runs of its first commit. Since then, one file that each of them tries has changed. */
function repositoryWithRuns() {
  const { folder, git } = repositoryWith([{ title: 'Begin here' }]);
  const save = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  const commit = (title: string) => {
    git('add', '--all');
    git('commit', '--quiet', '--message', title);
    return git('rev-parse', '--short=8', 'HEAD');
  };
  for (const path of ['docs/debian/etc/a.conf', 'docs/debian/b', 'docs/compose.yaml', 'docs/page.md'])
    save(path, '1');
  const tried = commit('Add a setup');
  save('test/heavy/debian-run-12.md', `| package | \`2.0.0 (${tried})\` |\n`);
  save('test/heavy/container-run.md', `| docker | 09:00 | \`2.0.0 (0123abcd)\` | \`${tried}\` | - |\n`);
  commit('Record two runs');
  return { folder, git, save, commit, tried };
}

function warningsIn(folder: string) {
  const args = [packagePath('.ci/runs.mjs'), folder];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  assert.is(status, 0, stderr);
  return { stdout, stderr };
}

runs('should be named with their commit and the files that have changed since, committed or not', () => {
  const { folder, save, commit, tried } = repositoryWithRuns();
  save('docs/page.md', '2');
  commit('Change what no run tries');
  assert.equal(warningsIn(folder), { stdout: '', stderr: '' });
  save('docs/debian/b', '2');
  commit('Change a script');
  for (const name of ['compose.yaml', ...[1, 2, 3, 4, 5, 6].map((nth) => `compose-${nth}.sh`)])
    save(`docs/${name}`, '2');
  commit('Change more than five files');
  save('docs/debian/etc/a.conf', '2');
  const since = `changed since its commit ${tried}: `;
  const lines = [
    `container-run.md, docker: ${since}docs/compose-1.sh, docs/compose-2.sh, docs/compose-3.sh, docs/compose-4.sh, docs/compose-5.sh and 2 more. Repeat it with .ci/containers.sh`,
    `debian-run-12.md: ${since}docs/debian/b, docs/debian/etc/a.conf. Repeat it with .ci/debian.sh`,
  ];
  const stderr = lines.map((line) => `WARNING: test/heavy/${line} before a release\n`).join('');
  assert.equal(warningsIn(folder), { stdout: '', stderr });
});

runs('should not be compared, which is said, where the history lacks their commit', () => {
  const { folder, git, tried } = repositoryWithRuns();
  const shallow = join(temporaryFolder(), 'shallow');
  git('clone', '--quiet', '--depth', '1', `file://${folder}`, shallow);
  const lines = ['container-run.md, docker', 'debian-run-12.md'].map(
    (record) => `test/heavy/${record}: not compared: the history here does not have ${tried}\n`,
  );
  assert.equal(warningsIn(shallow), { stdout: lines.join(''), stderr: '' });
  assert.equal(warningsIn(temporaryFolder()), { stdout: '', stderr: '' });
});

runs.run();
