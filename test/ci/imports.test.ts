/** `.ci/imports.mjs`: the rules for imports, each with a violation that it finds. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { temporaryFolder } from '../helpers/folder.ts';

interface Planted {
  readonly file: string;
  readonly code: string;
  readonly finding?: RegExp;
}

/** A file, an import in it, and the finding; none where the import is allowed: each kind of rule once. */
const PLANTED: readonly Planted[] = [
  {
    file: 'src/calendar/a.ts',
    code: "import type { Plan } from '../serve/plan.ts';",
    finding: /src\/serve\/plan\.ts: calendar may/,
  },
  {
    file: 'src/calendar/b.ts',
    code: "import { readFile } from 'fs/promises';",
    finding: /fs\/promises: calendar is pure/,
  },
  { file: 'src/calendar/c.ts', code: "import { inspect } from 'node:util';" },
  {
    file: 'src/snapshot/a.ts',
    code: "import sqlite3 from 'sqlite3';",
    finding: /sqlite3: only src\/snapshot\/sqlite\.ts does/,
  },
  { file: 'src/snapshot/sqlite.ts', code: "import sqlite3 from 'sqlite3';" },
  {
    file: 'src/serve/a.ts',
    code: "const jobs = await import('../../jobs/write.ts');",
    finding: /jobs\/write\.ts: serve may/,
  },
  {
    file: 'src/serve/b.ts',
    code: "import { x } from '../../test/a.ts';",
    finding: /test\/a\.ts, which belongs to no layer/,
  },
  {
    file: 'src/serve/c.ts',
    code: "import * as annexes from '../annexes.ts';",
    finding: /src\/annexes\.ts: serve may/,
  },
  {
    file: 'src/serve/query/a.ts',
    code: "import { b } from '../graphql/b.ts';",
    finding: /graphql\/b\.ts: within src\/serve/,
  },
  {
    file: 'src/main.ts',
    code: "import { schedule } from '../jobs/lock.ts';",
    finding: /jobs\/lock\.ts: main may/,
  },
  { file: 'src/stray.ts', code: '', finding: /belongs to no layer/ },
  {
    file: 'jobs/a.ts',
    code: "export * from '../src/serve/plan.ts';",
    finding: /src\/serve\/plan\.ts: jobs may/,
  },
  {
    file: 'jobs/b.ts',
    code: "import { one } from './annexes/one/annex.ts';",
    finding: /one\/annex\.ts: jobs may/,
  },
  {
    file: 'jobs/setup/a.mjs',
    code: "import { z } from 'zod';",
    finding: /zod: setup runs before there are packages/,
  },
  {
    file: 'jobs/around/a.ts',
    code: "import type { B } from './b.ts';",
    finding: /imports itself: .*a\.ts → .*b\.ts → .*a\.ts$/,
  },
  { file: 'jobs/around/b.ts', code: "export { a } from './a.ts';" },
  {
    file: 'jobs/earlier/a.ts',
    code: "import type { D } from '../later/d.ts';",
    finding: /imports .*d\.ts, but jobs\/later\/c\.ts imports .*b\.ts: one of the folders comes first/,
  },
  { file: 'jobs/earlier/b.ts', code: '' },
  { file: 'jobs/later/c.ts', code: "import { b } from '../earlier/b.ts';" },
  { file: 'jobs/later/d.ts', code: '' },
  { file: 'jobs/annexes/one/annex.ts', code: "import { build } from '../../build.ts';" },
  { file: 'src/annexes/one/annex.ts', code: "import { kit } from '../kit/b.ts';" },
  { file: 'src/annexes/kit/b.ts', code: "import { words } from '../../calendar/words.ts';" },
  {
    file: 'src/annexes/one/a.ts',
    code: "import { two } from '../two/b.ts';",
    finding: /an annex may import its own folder/,
  },
  {
    file: 'src/annexes/two/annex.ts',
    code: "import '../../../jobs/lock.ts';",
    finding: /jobs\/lock\.ts: annex of a server may/,
  },
];

const imports = suite('import rules');

imports('should name each planted violation, and nothing else', () => {
  const folder = temporaryFolder();
  for (const { file, code } of PLANTED) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${code}\n`);
  }
  const { status, stdout, stderr } = spawnSync(process.execPath, [packagePath('.ci/imports.mjs'), folder], {
    cwd: folder,
    encoding: 'utf8',
  });
  const findings = `${stdout}${stderr}`.split('\n').filter(Boolean);
  assert.is(status, 1);
  for (const { file, code, finding } of PLANTED) {
    const mine = findings.filter((line) => line.startsWith(`${file}: `));
    if (finding === undefined) assert.equal(mine, [], `${file} may say ${code}`);
    else assert.match(mine.join('\n'), finding, `${file} must not say ${code}`);
  }
  assert.is(findings.length, PLANTED.filter(({ finding }) => finding !== undefined).length, 'findings');
});

imports.run();
