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
const BIOME = join(ROOT, 'node_modules/@biomejs/biome/bin/biome');

/** A file, an import in it, and what is to be said of it; nothing where the import is allowed. */
const PLANTED: readonly (readonly [file: string, code: string, finding?: RegExp])[] = [
  [
    'src/calendar/a.ts',
    "import { open } from '../snapshot/open.ts';",
    /src\/snapshot\/open\.ts: calendar may/,
  ],
  [
    'src/calendar/b.ts',
    "import type { Plan } from '../serve/plan.ts';",
    /src\/serve\/plan\.ts: calendar may/,
  ],
  [
    'src/calendar/c.ts',
    "import { readFile } from 'node:fs/promises';",
    /node:fs\/promises: calendar is pure/,
  ],
  ['src/calendar/d.ts', "import { get } from 'https';", /https: calendar is pure/],
  ['src/calendar/e.ts', "import { inspect } from 'node:util';"],
  ['src/calendar/deep/f.ts', "export * from '../../../jobs/write.ts';", /jobs\/write\.ts: calendar may/],
  ['src/snapshot/a.ts', "import { plan } from '../serve/plan.ts';", /src\/serve\/plan\.ts: snapshot may/],
  ['src/snapshot/b.ts', "import { write } from '../../jobs/write.ts';", /jobs\/write\.ts: snapshot may/],
  ['src/snapshot/c.ts', "import { words } from '../calendar/words.ts';"],
  ['src/snapshot/e.ts', "import { packagePath } from '../package.ts';"],
  ['src/calendar/g.ts', "import { packagePath } from '../package.ts';", /src\/package\.ts: calendar may/],
  ['src/snapshot/sqlite.ts', "import sqlite3 from 'sqlite3';"],
  ['src/snapshot/d.ts', "import sqlite3 from 'sqlite3';", /sqlite3: only src\/snapshot\/sqlite\.ts does/],
  ['src/serve/a.ts', "const jobs = await import('../../jobs/write.ts');", /jobs\/write\.ts: serve may/],
  ['src/serve/b.ts', "import { settings } from '../../jobs/settings.ts';", /jobs\/settings\.ts: serve may/],
  ['src/serve/c.ts', "import { main } from '../main.ts';", /src\/main\.ts: serve may/],
  ['src/serve/i.ts', "import { packagePath } from '../package.ts';"],
  ['src/serve/d.ts', "import { open } from '../snapshot/open.ts';"],
  ['src/serve/e.ts', "import { DateTime } from 'luxon';", /luxon: only src\/calendar\/time\.ts does/],
  [
    'src/serve/f.ts',
    "import {\n  processRequest,\n} from 'graphql-helix';",
    /graphql-helix: only src\/serve\/graphql/,
  ],
  [
    'src/serve/g.ts',
    "import 'graphql-helix/send-result/node-http';",
    /graphql-helix: only src\/serve\/graphql/,
  ],
  ['src/serve/graphql/execute.ts', "import { processRequest } from 'graphql-helix';"],
  [
    'src/serve/h.ts',
    "import { x } from '../../test/helpers.ts';",
    /test\/helpers\.ts, which belongs to no layer/,
  ],
  ['jobs/a.ts', "import { plan } from '../src/serve/plan.ts';", /src\/serve\/plan\.ts: jobs may/],
  ['jobs/b.ts', "import { settings } from './settings.ts';", /jobs\/settings\.ts: jobs may/],
  ['jobs/c.ts', "import { build } from './rebuild.ts';", /jobs\/rebuild\.ts: jobs may/],
  ['jobs/d.ts', "import cron from 'node-cron';", /node-cron: only jobs\/annexes\/schedule\/cron\.ts does/],
  ['jobs/f.ts', "import { open } from '../src/snapshot/open.ts';"],
  ['jobs/annexes/schedule/cron.ts', "import cron from 'node-cron';"],
  ['jobs/cli.ts', "import { settings } from './settings.ts';"],
  ['jobs/rebuild.ts', "import { plan } from '../src/serve/plan.ts';", /src\/serve\/plan\.ts: command may/],
  ['jobs/setup/a.mjs', "import { z } from 'zod';", /zod: setup runs before there are packages/],
  [
    'src/runtime/a.ts',
    "import { plan } from '../serve/plan.ts';\nimport { schedule } from '../../jobs/lock.ts';",
    /jobs\/lock\.ts: runtime may/,
  ],
  ['src/runtime/b.ts', "import '../main.ts';", /src\/main\.ts: runtime may/],
  ['src/serve/j.ts', "import { createLog } from '../runtime/log.ts';", /runtime\/log\.ts: serve may/],
  ['jobs/build/a.ts', "import { createLog } from '../../src/runtime/log.ts';", /runtime\/log\.ts: jobs may/],
  ['src/main.ts', "import { schedule } from '../jobs/lock.ts';", /jobs\/lock\.ts: main may/],
  [
    'src/snapshot/f.ts',
    "import { serveByCommand } from '../../jobs/serve.ts';",
    /jobs\/serve\.ts: snapshot may/,
  ],
  [
    'src/serve/query/a.ts',
    "import { b } from '../graphql/b.ts';",
    /src\/serve\/graphql\/b\.ts: within src\/serve/,
  ],
  [
    'src/serve/http/a.ts',
    "import { b } from '../pages/b.ts';",
    /src\/serve\/pages\/b\.ts: within src\/serve/,
  ],
  ['src/serve/pages/a.ts', "import { b } from '../http/b.ts';\nimport { plan } from '../plan.ts';"],
  ['jobs/around/a.ts', "import type { B } from './b.ts';", /imports itself: .*a\.ts → .*b\.ts → .*a\.ts$/],
  ['jobs/around/b.ts', "export { a } from './a.ts';"],
  ['src/stray.ts', '', /belongs to no layer/],
  ['src/annexes/one/annex.ts', "import { plan } from '../../serve/plan.ts';\nimport { b } from './b.ts';"],
  [
    'src/annexes/one/a.ts',
    "import { two } from '../two/b.ts';",
    /src\/annexes\/two\/b\.ts: an annex may import its own folder and kits/,
  ],
  ['src/annexes/two/annex.ts', "import { kit } from '../kit/b.ts';"],
  ['src/annexes/kit/c.ts', "import { words } from '../../calendar/words.ts';"],
  [
    'src/annexes/two/c.ts',
    "import { x } from '../../../jobs/annexes/x/b.ts';",
    /jobs\/annexes\/x\/b\.ts: annex of a server may/,
  ],
  ['src/annexes.ts', "export { one } from './annexes/one/annex.ts';"],
  ['src/serve/k.ts', "import { one } from '../annexes/one/annex.ts';", /one\/annex\.ts: serve may/],
  ['src/serve/l.ts', "import * as annexes from '../annexes.ts';", /src\/annexes\.ts: serve may/],
  ['src/runtime/c.ts', "import * as annexes from '../annexes.ts';"],
  ['src/runtime/e.ts', "import * as annexes from '../../jobs/annexes.ts';", /jobs\/annexes\.ts: runtime may/],
  ['src/runtime/d.ts', "import { one } from '../annexes/one/annex.ts';", /one\/annex\.ts: runtime may/],
  ['jobs/annexes/one/annex.ts', "import { build } from '../../build.ts';"],
  ['jobs/e.ts', "import { one } from './annexes/one/annex.ts';", /one\/annex\.ts: jobs may/],
];

/** What the linter has to refuse, where it stands, and the rule that refuses it. */
const REFUSED: readonly (readonly [file: string, code: string, rule?: string])[] = [
  ['jobs/a.ts', 'export const a = (b: any): string => b;', 'suspicious/noExplicitAny'],
  ['jobs/b.ts', 'export const b = (c: string | undefined): string => c!;', 'style/noNonNullAssertion'],
  ['jobs/c.ts', 'export default 1;', 'style/noDefaultExport'],
  ['jobs/d.ts', "export { readFile } from 'fs';", 'style/useNodejsImportProtocol'],
  ['jobs/e.ts', "export { f } from './f';", 'correctness/useImportExtensions'],
  ['jobs/f.ts', "import { g } from './g.ts';\nexport const f = () => g;", 'suspicious/noImportCycles'],
  ['jobs/g.ts', "import { f } from './f.ts';\nexport const g = () => f;", 'suspicious/noImportCycles'],
  ['jobs/plain.ts', 'export const env = process.env;'],
  ['src/calendar/a.ts', 'export const env = process.env;', 'style/noRestrictedGlobals'],
  ['test/a.test.ts', "import { test } from 'uvu';\n\ntest.only('b', () => {});", 'suspicious/noFocusedTests'],
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

imports('the tree itself should keep every rule', () => {
  for (const script of [RULES, EXPORTS]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' });
    assert.is(stderr, '');
    assert.is(status, 0, stdout);
    assert.is(stdout, '');
  }
});

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

const lint = suite('linter');

lint('should refuse each planted breach of the house style, and nothing else', () => {
  const settings = ['biome.json', '.gitignore'].map(
    (file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const,
  );
  const { status, said } = inFolderOf([...settings, ...REFUSED], () => [BIOME, 'lint', '--reporter=github']);
  assert.is(status, 1);
  for (const [file, code, rule] of REFUSED) {
    const mine = said
      .filter((line) => line.includes(`/${file},`))
      .map((line) => line.match(/lint\/([\w/]+)/)?.[1]);
    assert.equal(mine, rule === undefined ? [] : [rule], `${file} says ${code}`);
  }
});

lint.run();

const tests = suite('tests');

tests('should all be run: every suite that is declared, once', () => {
  for (const file of testFiles(join(ROOT, 'test'))) {
    const text = readFileSync(file, 'utf8');
    const declared = [...text.matchAll(/^const (\w+) = .*\bsuite(?:<.*>)?\(/gm)].map(([, name]) => name);
    const run = [...text.matchAll(/^(\w+)\.run\(\);/gm)].map(([, name]) => name);
    assert.equal(run.sort(), declared.sort(), `${file}: suites declared and suites run`);
  }
});

tests('should not be narrowed to one, nor skipped', () => {
  for (const file of testFiles(join(ROOT, 'test'))) {
    assert.not.match(readFileSync(file, 'utf8'), /^\s*\w+\.(only|skip)\(/m, file);
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
