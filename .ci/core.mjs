// The core stands by itself: it is type-checked in a copy of the tree that has no annexes.
//
//   node .ci/core.mjs     exits 1 if it does not compile
//
// An annex is a folder of src/annexes/ or jobs/annexes/ with an annex.ts, and a line of the list beside it. What is taken away is
// the folder, the line, the folder's tests, and the tests and benchmarks that import any of these, at whatever distance.
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

const HALVES = ['src', 'jobs'];
const COPIED = ['src', 'jobs', 'test', 'package.json', 'tsconfig.json'];
/** Tests of the whole, which name what annexes bring. */
const WHOLE = ['test/settings.test.ts', 'test/readme/operating-rules.ts', 'test/jobs/refusals.test.ts'];
const IMPORT = /(?:\bfrom|\bimport|\bimport\s*\()\s*(['"])(\.{1,2}\/[^'"]+)\1/g;

const root = fileURLToPath(new URL('..', import.meta.url));
const rooms = HALVES.flatMap((half) =>
  readdirSync(join(root, half, 'annexes')).map((name) => `${half}/annexes/${name}`),
);

const copy = mkdtempSync(join(root, '.core-'));
try {
  for (const path of COPIED) cpSync(join(root, path), join(copy, path), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const room of rooms) takeAway(room);
  for (const half of HALVES) rmSync(join(copy, 'test', half, 'annexes'), { recursive: true });
  for (const file of WHOLE) rmSync(join(copy, file));
  for (const file of dependents()) rmSync(join(copy, file));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', copy], { encoding: 'utf8' });
  if (status === 0) console.log('compiles without annexes');
  else {
    console.error(`without annexes:\n${stdout.trim()}`);
    process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true });
}

/** A folder, and the line of the list that names it. */
function takeAway(room) {
  rmSync(join(copy, room), { recursive: true });
  const list = join(copy, `${dirname(room)}.ts`);
  const lines = readFileSync(list, 'utf8').split('\n');
  writeFileSync(
    list,
    lines.filter((line) => !line.includes(`'./${room.slice(room.indexOf('/') + 1)}/annex.ts'`)).join('\n'),
  );
}

/** Files of test/ that import what is not there any more, and those that import them. */
function dependents() {
  const imports = new Map(
    filesIn('test').map((file) => {
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

function filesIn(folder) {
  const names = readdirSync(join(copy, folder), { recursive: true });
  return names.filter((name) => name.endsWith('.ts')).map((name) => `${folder}/${name}`);
}
