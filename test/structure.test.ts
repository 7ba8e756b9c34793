import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RULES = join(ROOT, '.ci/imports.mjs');
const EXPORTS = join(ROOT, '.ci/exports.mjs');
const CODES = join(ROOT, '.ci/rules.mjs');

/** A file, an import in it, and what is to be said of it; nothing where the import is allowed: each kind of rule once. */
const PLANTED: readonly (readonly [file: string, code: string, finding?: RegExp])[] = [
  [
    'src/calendar/a.ts',
    "import type { Plan } from '../serve/plan.ts';",
    /src\/serve\/plan\.ts: calendar may/,
  ],
  ['src/calendar/b.ts', "import { readFile } from 'fs/promises';", /fs\/promises: calendar is pure/],
  ['src/calendar/c.ts', "import { inspect } from 'node:util';"],
  ['src/snapshot/a.ts', "export * from '../../jobs/write.ts';", /jobs\/write\.ts: snapshot may/],
  ['src/snapshot/b.ts', "import { packagePath } from '../package.ts';"],
  ['src/snapshot/c.ts', "import sqlite3 from 'sqlite3';", /sqlite3: only src\/snapshot\/sqlite\.ts does/],
  ['src/snapshot/sqlite.ts', "import sqlite3 from 'sqlite3';"],
  ['src/serve/a.ts', "const jobs = await import('../../jobs/write.ts');", /jobs\/write\.ts: serve may/],
  [
    'src/serve/b.ts',
    "import 'graphql-helix/send-result/node-http';",
    /graphql-helix: only src\/serve\/graphql/,
  ],
  [
    'src/serve/c.ts',
    "import { x } from '../../test/helpers.ts';",
    /test\/helpers\.ts, which belongs to no layer/,
  ],
  ['src/serve/d.ts', "import * as annexes from '../annexes.ts';", /src\/annexes\.ts: serve may/],
  ['src/serve/query/a.ts', "import { b } from '../graphql/b.ts';", /graphql\/b\.ts: within src\/serve/],
  ['src/serve/pages/a.ts', "import { b } from '../http/b.ts';\nimport { plan } from '../plan.ts';"],
  ['src/runtime/a.ts', "import '../main.ts';", /src\/main\.ts: runtime may/],
  ['src/main.ts', "import { schedule } from '../jobs/lock.ts';", /jobs\/lock\.ts: main may/],
  ['src/stray.ts', '', /belongs to no layer/],
  ['jobs/a.ts', "import { plan } from '../src/serve/plan.ts';", /src\/serve\/plan\.ts: jobs may/],
  ['jobs/b.ts', "import { one } from './annexes/one/annex.ts';", /one\/annex\.ts: jobs may/],
  ['jobs/rebuild.ts', "import { plan } from '../src/serve/plan.ts';", /src\/serve\/plan\.ts: command may/],
  ['jobs/setup/a.mjs', "import { z } from 'zod';", /zod: setup runs before there are packages/],
  ['jobs/around/a.ts', "import type { B } from './b.ts';", /imports itself: .*a\.ts → .*b\.ts → .*a\.ts$/],
  ['jobs/around/b.ts', "export { a } from './a.ts';"],
  ['jobs/annexes/one/annex.ts', "import { build } from '../../build.ts';"],
  [
    'src/annexes/one/annex.ts',
    "import { plan } from '../../serve/plan.ts';\nimport { kit } from '../kit/b.ts';",
  ],
  ['src/annexes/kit/c.ts', "import { words } from '../../calendar/words.ts';"],
  [
    'src/annexes/one/a.ts',
    "import { two } from '../two/b.ts';",
    /two\/b\.ts: an annex may import its own folder/,
  ],
  [
    'src/annexes/two/annex.ts',
    "import { x } from '../../../jobs/lock.ts';",
    /jobs\/lock\.ts: annex of a server may/,
  ],
];

/** What files say to one another, and which of their exports only their own file uses. */
const EXPORTED: readonly (readonly [file: string, code: string, finding?: string])[] = [
  ['src/a.ts', 'export const a = 1;\nexport interface A {}', 'src/a.ts: A'],
  ['src/b.ts', "import { a } from './a.ts';\nexport async function b() {}"],
  ['src/c.ts', "export type C = 1;\nexport class D {}\nexport { b as e } from './b.ts';", 'src/c.ts: D'],
  ['jobs/d.ts', "import { type C } from '../src/c.ts';\nexport const d = 1;", 'jobs/d.ts: d (tests only)'],
  ['test/d.test.ts', "import { d } from '../jobs/d.ts';\nexport const e = 1;"],
];

/** A page of rules, and files that cite and hold them; the last part is what has to be said. */
const CITED: readonly (readonly [file: string, text: string, finding?: string])[] = [
  ['README.md', 'A1 says so, and `A7` is a value.'],
  ['CHANGELOG.md', ''],
  [
    'docs/rules.md',
    '### A1. One\n\nText.\n\n### A2. Two\n\n### A3. Three\n',
    "docs/rules.md: no test names A3; begin the title of one with 'A3: '",
  ],
  [
    'jobs/a.ts',
    '/** Of A1. */\nexport const B9 = 1; // A9: unknown',
    'jobs/a.ts: cites A9, which docs/rules.md does not have',
  ],
  ['src/a.ts', "export const a = 'A8';"],
  ['test/a.test.ts', "test('A1, A2: should', () => {});"],
];

const imports = suite('import rules');

imports('each planted violation should be named, and nothing else', () => {
  const { status, said } = inFolderOf(PLANTED, (folder) => [RULES, folder]);
  assert.is(status, 1);
  for (const [file, code, finding] of PLANTED) {
    const mine = said.filter((line) => line.startsWith(`${file}: `));
    if (finding === undefined) assert.equal(mine, [], `${file} may say ${code}`);
    else assert.match(mine.join('\n'), finding, `${file} must not say ${code}`);
  }
  assert.is(said.length, PLANTED.filter(([, , finding]) => finding !== undefined).length);
});

imports('an export that only its own file uses should be named', () => {
  const { status, said } = inFolderOf(EXPORTED, (folder) => [EXPORTS, folder, '--tests']);
  assert.is(status, 1);
  assert.equal([...said].sort(), EXPORTED.flatMap(([, , finding]) => finding ?? []).sort());
});

imports('a rule that is cited and not written down, or that no test names, should be named', () => {
  const { status, said } = inFolderOf(CITED, (folder) => [CODES, folder]);
  assert.is(status, 1);
  assert.equal([...said].sort(), CITED.flatMap(([, , finding]) => finding ?? []).sort());
});

imports.run();

const tests = suite('tests');

tests('should all be run: every suite that is declared, once', () => {
  for (const file of testFiles(join(ROOT, 'test'))) {
    const text = readFileSync(file, 'utf8');
    const declared = [...text.matchAll(/^const (\w+) = .*\bsuite(?:<.*>)?\(/gm)].map(([, name]) => name);
    const run = [...text.matchAll(/^(\w+)\.run\(\);/gm)].map(([, name]) => name);
    assert.equal(run.sort(), declared.sort(), `${file}: suites declared and suites run`);
  }
});

tests.run();

/** Runs a Node program on a folder of such files. */
function inFolderOf(
  files: readonly (readonly [file: string, text: string, ...rest: unknown[]])[],
  argsFor: (folder: string) => readonly string[],
): { readonly status: number | null; readonly said: readonly string[] } {
  const folder = mkdtempSync(join(tmpdir(), 'almanakk-structure-'));
  try {
    for (const [file, text] of files) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), `${text}\n`);
    }
    const done = spawnSync(process.execPath, argsFor(folder), { cwd: folder, encoding: 'utf8' });
    return { status: done.status, said: `${done.stdout}${done.stderr}`.split('\n').filter(Boolean) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function testFiles(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    if (entry.isDirectory()) return entry.name === 'fixtures' ? [] : testFiles(join(folder, entry.name));
    return entry.name.endsWith('.test.ts') ? [join(folder, entry.name)] : [];
  });
}
