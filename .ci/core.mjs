// The core stands by itself: it is type-checked in a copy of the tree that has no annexes, and its files and lines are counted.
//
//   node .ci/core.mjs            the core alone; prints its size, exits 1 if it does not compile or is too large
//   node .ci/core.mjs --each     besides, the tree without each of the annexes in turn
//   node .ci/core.mjs --test     besides, the tests of the core
//
// An annex is a folder of src/annexes/ or jobs/annexes/ with an annex.ts, and a line of the list beside it. What is taken away is
// the folder, the line, and the tests and benchmarks that import it, at whatever distance.

import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** To be lowered as the core gets smaller; wanted are 100 files and 18,000 lines. */
const MOST_FILES = 118;
const MOST_LINES = 24_300;
const HALVES = ['src', 'jobs'];
const COPIED = ['src', 'jobs', 'test', 'package.json', 'tsconfig.json'];
/** What the tests read besides. */
const FOR_TESTS = ['package-lock.json', 'data/sample', 'docs', 'README.md', 'CHANGELOG.md'];
/** Tests of the whole, which name what annexes bring. */
const WHOLE = ['test/settings.test.ts', 'test/readme/operating-rules.ts', 'test/jobs/refusals.test.ts'];
const IMPORT = /(?:\bfrom|\bimport|\bimport\s*\()\s*(['"])(\.{1,2}\/[^'"]+)\1/g;
/** Tests of the core, without those that start programs of dist/: it is that of the whole tree. */
const CORE_TESTS = ['^test/(calendar|snapshot|serve|jobs)/'];

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = HALVES.flatMap((half) =>
  readdirSync(join(root, half, 'annexes')).map((name) => `${half}/annexes/${name}`),
);
const annexes = rooms.filter((room) => existsSync(join(root, room, 'annex.ts')));
const failures = [];

const core = sizeOf((file) => !rooms.some((room) => file.startsWith(`${room}/`)));
const whole = sizeOf(() => true);
console.log(`core: ${core.lines} lines in ${core.files} files, of ${whole.lines} in ${whole.files}`);
if (core.lines > MOST_LINES) failures.push(`expected at most ${MOST_LINES} lines, found ${core.lines}`);
if (core.files > MOST_FILES) failures.push(`expected at most ${MOST_FILES} files, found ${core.files}`);
without(rooms, (copy) => {
  if (process.argv.includes('--test')) test(copy);
});
if (process.argv.includes('--each')) for (const annex of annexes) without([annex]);
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

/** Type-checks a copy without these folders. */
function without(taken, then = () => {}) {
  const copy = mkdtempSync(join(root, '.core-'));
  try {
    const paths = process.argv.includes('--test') ? [...COPIED, ...FOR_TESTS] : COPIED;
    for (const path of paths) cpSync(join(root, path), join(copy, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const room of taken) takeAway(copy, room);
    for (const file of WHOLE) rmSync(join(copy, file));
    for (const file of dependents(copy)) rmSync(join(copy, file));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const done = spawnSync(process.execPath, [tsc, '-p', copy], { encoding: 'utf8' });
    const what = taken.length === 1 ? taken[0] : 'annexes';
    if (done.status === 0) console.log(`compiles without ${what}`);
    else failures.push(`without ${what}:\n${done.stdout.trim()}`);
    then(copy);
  } finally {
    rmSync(copy, { recursive: true });
  }
}

function takeAway(copy, room) {
  rmSync(join(copy, room), { recursive: true });
  const list = join(copy, `${dirname(room)}.ts`);
  const lines = readFileSync(list, 'utf8').split('\n');
  writeFileSync(
    list,
    lines.filter((line) => !line.includes(`'./${room.slice(room.indexOf('/') + 1)}/annex.ts'`)).join('\n'),
  );
}

/** Files of test/ that import what is not there any more, and those that import them. */
function dependents(copy) {
  const imports = new Map(
    filesIn(copy, 'test').map((file) => {
      const text = readFileSync(join(copy, file), 'utf8');
      return [file, [...text.matchAll(IMPORT)].map(([, , path]) => normalize(join(dirname(file), path)))];
    }),
  );
  const gone = new Set();
  for (let before = -1; before !== gone.size; ) {
    before = gone.size;
    for (const [file, targets] of imports) {
      if (targets.some((target) => gone.has(target) || !existsSync(join(copy, target)))) gone.add(file);
    }
  }
  return gone;
}

function test(copy) {
  const args = [join(copy, 'test/run.mjs'), ...CORE_TESTS];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8' });
  console.log(stdout.trimEnd().split('\n').at(-1));
  if (status !== 0) failures.push(`tests of the core:\n${stdout}${stderr}`);
}

function sizeOf(isCounted) {
  const files = HALVES.flatMap((half) => filesIn(root, half)).filter(isCounted);
  const lines = files.reduce(
    (sum, file) => sum + readFileSync(join(root, file), 'utf8').split('\n').length - 1,
    0,
  );
  return { files: files.length, lines };
}

function filesIn(base, folder) {
  return readdirSync(join(base, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : filesIn(base, path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}
