// The core stands by itself: it is type-checked in a copy of the tree that has no annexes. The parts of the house are counted, too.
//
//   node .ci/core.mjs            the core alone; prints the size of each part, exits 1 if the core does not compile or a part is too large
//   node .ci/core.mjs --each     besides, the tree without each of the annexes in turn
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

/**
 * The lines that each part is meant to have at most (`aim`), and that it had when it was last made smaller (`reached`): a note above
 * the aim, a failure more than a twentieth above both. Lower `reached` with the part, and never raise it.
 */
const PARTS = [
  { name: 'src without annexes', aim: 10_500, reached: 11_450, files: /^src\/(?!annexes\/)/ },
  { name: 'src/annexes', aim: 9_400, reached: 9_180, files: /^src\/annexes\// },
  { name: 'jobs without annexes', aim: 6_900, reached: 7_740, files: /^jobs\/(?!annexes\/|kit\/)/ },
  { name: 'jobs/annexes/feeds', aim: 6_800, reached: 7_790, files: /^jobs\/annexes\/feeds\// },
  {
    name: 'the other annexes of jobs, and their kit',
    aim: 4_400,
    reached: 4_590,
    files: /^jobs\/(?:annexes\/(?!feeds\/)|kit\/)/,
  },
];
const TOLERANCE = 1.05;
const HALVES = ['src', 'jobs'];
const COPIED = ['src', 'jobs', 'test', 'package.json', 'tsconfig.json'];
/** Tests of the whole, which name what annexes bring. */
const WHOLE = ['test/settings.test.ts', 'test/readme/operating-rules.ts', 'test/jobs/refusals.test.ts'];
const IMPORT = /(?:\bfrom|\bimport|\bimport\s*\()\s*(['"])(\.{1,2}\/[^'"]+)\1/g;

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = HALVES.flatMap((half) =>
  readdirSync(join(root, half, 'annexes')).map((name) => `${half}/annexes/${name}`),
);
const annexes = rooms.filter((room) => existsSync(join(root, room, 'annex.ts')));
const failures = [];

for (const part of PARTS) judge(part);
without(rooms);
if (process.argv.includes('--each')) for (const annex of annexes) without([annex]);
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;

/** Type-checks a copy without these folders. */
function without(taken) {
  const copy = mkdtempSync(join(root, '.core-'));
  try {
    for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
    for (const room of taken) takeAway(copy, room);
    for (const file of WHOLE) rmSync(join(copy, file));
    for (const file of dependents(copy)) rmSync(join(copy, file));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const done = spawnSync(process.execPath, [tsc, '-p', copy], { encoding: 'utf8' });
    const what = taken.length === 1 ? taken[0] : 'annexes';
    if (done.status === 0) console.log(`compiles without ${what}`);
    else failures.push(`without ${what}:\n${done.stdout.trim()}`);
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

function judge({ name, aim, reached, files }) {
  const own = HALVES.flatMap((half) => filesIn(root, half)).filter((file) => files.test(file));
  const lines = own.reduce((sum, file) => sum + linesOf(file), 0);
  console.log(`${name}: ${lines} lines in ${own.length} files`);
  if (lines <= aim) return;
  const finding = `${name}: meant to have at most ${aim} lines, found ${lines}; grown here: ${grown(files)}`;
  if (lines > Math.max(aim, reached) * TOLERANCE) failures.push(finding);
  else console.warn(`note: ${finding}`);
}

function linesOf(file) {
  return readFileSync(join(root, file), 'utf8').split('\n').length - 1;
}

/** The folders that this branch made larger, the most first: against the main branch of where it came from, else the last commit. */
function grown(files) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' });
  const base = git('merge-base', 'HEAD', 'origin/HEAD').stdout.trim() || 'HEAD';
  const folders = new Map();
  for (const line of git('diff', '--numstat', '--no-renames', base).stdout.split('\n')) {
    const [added, deleted, file = ''] = line.split('\t');
    if (!files.test(file)) continue;
    folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + Number(added) - Number(deleted));
  }
  const larger = [...folders].filter(([, more]) => more > 0).toSorted(([, one], [, other]) => other - one);
  return larger.map(([folder, more]) => `${folder} +${more}`).join(', ') || 'nothing';
}

function filesIn(base, folder) {
  const names = readdirSync(join(base, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
}
