// A commit must not return files to an earlier state without saying so. A commit that was made from an old working tree does: it silently
// takes out what others committed in between, and the tests of that work with it.
//
//   node .ci/reverts.mjs [folder] [start]   prints each commit that returns files and does not say so, exits 1 if there is one
//
// A file is returned if its new content is one that it had before. Fewer than three such files are taken for an edit that was undone. A commit
// says so with the line that `git revert` writes ("This reverts commit …"), or with a line "Returns files: …" and the reason. Only the commits
// after START are checked. Where the history does not have START, as in a shallow clone or an archive, nothing is checked, and the command
// says so. It needs no network.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const FIRST_CHECKED_AFTER = 'b489d8c7051a5eaa919fd16f97bdbaf717921c1f';
const MOST_RETURNED_FILES = 2;
const MOST_NAMED_FILES = 5;
const SAYS_SO = /^(?:This reverts commit [0-9a-f]{7,}|Returns files: \S)/m;

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder = root, start = FIRST_CHECKED_AFTER] = process.argv.slice(2);

if (git('merge-base', '--is-ancestor', start, 'HEAD').status === 0) check();
else console.log(`returned files are not looked for: the history here does not have ${start.slice(0, 8)}`);

function check() {
  const checked = new Set(lines('log', '--no-merges', '--format=%H', `${start}..HEAD`));
  const violations = [];
  const contents = new Map();
  for (const { commit, changes } of history()) {
    const returned = changes.filter(({ path, content }) => contents.get(path)?.has(content));
    const isViolation = checked.has(commit) && returned.length > MOST_RETURNED_FILES && !saysSo(commit);
    if (isViolation) violations.push(violationOf(commit, returned, changes.length));
    for (const { path, before, content } of changes) {
      const ofPath = contents.get(path) ?? new Set();
      contents.set(path, ofPath.add(before).add(content));
    }
  }
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
}

/** All commits, the first one first, with the files that each one changes. A removed file is left out: it may be removed on purpose. */
function* history() {
  let entry;
  for (const line of lines(
    'log',
    '--no-merges',
    '--reverse',
    '--raw',
    '--no-abbrev',
    '--no-renames',
    '--format=%H',
  )) {
    if (!line.startsWith(':')) {
      if (entry) yield entry;
      entry = { commit: line, changes: [] };
      continue;
    }
    const [facts, path] = line.split('\t');
    const [, , before, content, status] = facts.split(' ');
    if (status !== 'D') entry.changes.push({ path, before, content });
  }
  if (entry) yield entry;
}

function saysSo(commit) {
  return SAYS_SO.test(git('show', '--no-patch', '--format=%B', commit).stdout);
}

function violationOf(commit, returned, changed) {
  const title = git('show', '--no-patch', '--format=%h %s', commit).stdout.trim();
  const named = returned.slice(0, MOST_NAMED_FILES).map(({ path }) => path);
  const others = returned.length - named.length;
  const files = others > 0 ? `${named.join(', ')} and ${others} more` : named.join(', ');
  const advice = 'rebase and commit again, or add a line "Returns files: " with the reason';
  return `${title}: returns ${returned.length} of ${changed} files to an earlier state (${files}): ${advice}`;
}

/** What Git prints. It must not fail: a check that reads nothing would find nothing. */
function lines(...args) {
  const { status, stdout, stderr } = git(...args);
  if (status !== 0) throw new Error(stderr.trim());
  return stdout.split('\n').filter(Boolean);
}

function git(...args) {
  return spawnSync('git', args, { cwd: folder, encoding: 'utf8', maxBuffer: 2 ** 28 });
}
