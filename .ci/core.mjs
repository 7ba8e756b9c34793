// The core stands by itself, and so do the stable parts: two copies of the tree are type-checked, one without any annex, and one without the
// parts that are not stable (.ci/classes.mjs). The tests of the second one run with `npm run check:stable`.
//
//   node .ci/core.mjs     exits 1 if one of them does not compile, or if an annex has no class
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { faults } from './classes.mjs';
import { ANNEX_LISTS, copyOf, ROOT, takeAway } from './copies.mjs';
import { takeAwayUnstable } from './stable-copy.mjs';

const HALVES = ['src', 'jobs'];
const COPIED = ['src', 'jobs', 'test', 'package.json', 'tsconfig.json'];
/** Tests of the whole, which name what annexes bring. */
const WHOLE = [
  'test/settings.test.ts',
  'test/jobs/kit/s3-settings.test.ts',
  'test/readme/operating-rules.ts',
  'test/jobs/refusals.test.ts',
];

const problems = faults();
if (problems.length === 0) {
  problems.push(...problemsWithout('annexes', takeAwayAnnexes));
  problems.push(...problemsWithout('the parts that are not stable', takeAwayUnstable));
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** What the type checker finds in a copy. */
function problemsWithout(what, take) {
  const { folder, remove } = copyOf(COPIED);
  try {
    take(folder);
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', folder], { encoding: 'utf8' });
    if (status !== 0) return [`without ${what}:\n${stdout.trim()}`];
    console.log(`compiles without ${what}`);
    return [];
  } finally {
    remove();
  }
}

function takeAwayAnnexes(folder) {
  const rooms = HALVES.flatMap((half) =>
    readdirSync(join(ROOT, half, 'annexes')).map((name) => `${half}/annexes/${name}`),
  );
  const tests = HALVES.map((half) => `test/${half}/annexes`);
  takeAway(folder, [...rooms, ...tests, ...WHOLE], { editable: ANNEX_LISTS });
}
