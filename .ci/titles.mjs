// The title of a commit says in at most 72 characters what it does, without a full stop, and differs from those before
// it. The lines of its body are wrapped.
//
//   node .ci/titles.mjs [folder] [start]   prints each violation as `commit "title": what is wrong`, exits 1 if there is one
//
// Only commits after a START are checked. Earlier ones stay as they are, because results of benchmarks name these commits. Where the
// history does not have START, as in a shallow clone or an archive, nothing is checked, and the command says so. It needs no network.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const MOST_CHARACTERS = 72;
/** Of a line of a body. */
const LONGEST_LINE = 100;
/** Commits before one whose titles it must not repeat: a message file that two people write to has given commits each other's messages. */
const NEAR = 50;
/** Commits that are to be joined with another one, and work in progress. */
const UNFINISHED = /^(?:(?:fixup|squash|amend)! |wip\b)/i;

/** `start`: the commit after which this is checked. */
const CHECKS = [
  { what: 'titles', start: '352644afa5415b623ba8aee3d3b50189f208c01f', faultsOf: faultsOfTitle },
  { what: 'bodies', start: '8b6c386bc9f857a10cde66fc6a502cbd28ec1fb4', faultsOf: faultsOfBody },
  {
    what: 'repeated titles',
    start: 'cf982cd776671265582a95e70b9f75dd2b0c991d',
    faultsOf: faultsOfRepetition,
  },
];

const root = fileURLToPath(new URL('..', import.meta.url));
const [folder = root, given] = process.argv.slice(2);

for (const { what, start: first, faultsOf } of CHECKS) {
  const start = given ?? first;
  if (git('merge-base', '--is-ancestor', start, 'HEAD').status === 0) check(start, faultsOf);
  else console.log(`${what} of commits are not checked: the history here does not have ${start.slice(0, 8)}`);
}

function check(start, faultsOf) {
  // A merge has the title that Git or the host of the repository gives it.
  const { status, stdout, stderr } = git('log', '--no-merges', '--format=%h%n%s%n%b%x00', `${start}..HEAD`);
  const commits = stdout
    .split('\0')
    .map((text) => text.trim())
    .filter((text) => text !== '')
    .map((text) => {
      const [hash, title = '', ...body] = text.split('\n');
      return { hash, title, body };
    });
  const violations = commits.flatMap((commit, at) => {
    const before = commits.slice(at + 1, at + 1 + NEAR);
    return faultsOf(commit, before).map(
      (fault) => `${commit.hash} ${JSON.stringify(commit.title)}: ${fault}`,
    );
  });
  if (status !== 0) violations.push(stderr.trim());
  for (const violation of violations) console.error(violation);
  if (violations.length > 0) process.exitCode = 1;
}

function faultsOfTitle({ title }) {
  const length = lengthOf(title);
  const faults = [];
  if (length > MOST_CHARACTERS)
    faults.push(`expected at most ${MOST_CHARACTERS} characters, found ${length}`);
  if (title.endsWith('.')) faults.push('expected no full stop at the end, found one');
  if (!/\S\s+\S/.test(title)) faults.push('expected at least two words, found a placeholder');
  if (UNFINISHED.test(title)) faults.push('expected a finished commit, found one that is to be changed');
  return faults;
}

/** A line without blanks, such as a URL, cannot be wrapped. */
function faultsOfBody({ body }) {
  const lengths = body.filter((line) => /\S\s+\S/.test(line)).map(lengthOf);
  const longest = Math.max(0, ...lengths);
  if (longest <= LONGEST_LINE) return [];
  return [`expected lines of at most ${LONGEST_LINE} characters in the body, found ${longest}: wrap them`];
}

function faultsOfRepetition({ title }, before) {
  const same = before.find((earlier) => earlier.title === title);
  if (same === undefined) return [];
  return [`expected a title of its own, found that of ${same.hash}: say what this commit does`];
}

/** Characters, not UTF-16 code units. */
function lengthOf(line) {
  return [...line].length;
}

function git(...args) {
  return spawnSync('git', args, { cwd: folder, encoding: 'utf8' });
}
