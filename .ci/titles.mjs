// The title of a commit says in at most 72 characters what it does, without a full stop.
//
//   node .ci/titles.mjs [folder] [start]   prints each violation as `commit "title": what is wrong`, exits 1 if there is one
//
// Only the commits after START are checked. Titles of earlier ones stay as they are, because results of benchmarks name these commits. Where
// the history does not have START, as in a shallow clone or an archive, nothing is checked, and the command says so. It needs no network.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FIRST_CHECKED_AFTER = '352644afa5415b623ba8aee3d3b50189f208c01f';
const MOST_CHARACTERS = 72;
/** Commits that are to be joined with another one, and work in progress. */
const UNFINISHED = /^(?:(?:fixup|squash|amend)! |wip\b)/i;

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder = root, start = FIRST_CHECKED_AFTER] = process.argv.slice(2);

if (git('merge-base', '--is-ancestor', start, 'HEAD').status === 0) check();
else console.log(`titles of commits are not checked: the history here does not have ${start.slice(0, 8)}`);

function check() {
  // A merge has the title that Git or the host of the repository gives it.
  const { status, stdout, stderr } = git('log', '--no-merges', '--format=%h %s', `${start}..HEAD`);
  const commits = stdout.split('\n').filter((line) => line !== '');
  const violations = commits.flatMap((line) => {
    const space = line.indexOf(' ');
    const title = line.slice(space + 1);
    return faultsOf(title).map((fault) => `${line.slice(0, space)} ${JSON.stringify(title)}: ${fault}`);
  });
  if (status !== 0) violations.push(stderr.trim());
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
}

function faultsOf(title) {
  const length = [...title].length;
  const faults = [];
  if (length > MOST_CHARACTERS)
    faults.push(`expected at most ${MOST_CHARACTERS} characters, found ${length}`);
  if (title.endsWith('.')) faults.push('expected no full stop at the end, found one');
  if (!/\S\s+\S/.test(title)) faults.push('expected at least two words, found a placeholder');
  if (UNFINISHED.test(title)) faults.push('expected a finished commit, found one that is to be changed');
  return faults;
}

function git(...args) {
  return spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
}
