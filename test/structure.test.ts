/** The checks in .ci of imports, exports, rules, messages of commits and returned files, each with a violation that it finds. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryFolder } from './helpers/folder.ts';
import { theBlock } from './readme/blocks.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const IMPORT_CHECK = join(ROOT, '.ci/imports.mjs');
const { FAULTS } = await import(join(ROOT, 'test/mutants/faults.mjs'));

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
  const { status, stdout, stderr } = spawnSync(process.execPath, [IMPORT_CHECK, folder], {
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

const rules = suite('rules by their codes');

const printRule = (...codes: readonly string[]) =>
  spawnSync(process.execPath, [join(ROOT, '.ci/rules.mjs'), ...codes], { encoding: 'utf8' });

rules('should print a rule by its code, with its place and its tests, and nothing of the next one', () => {
  const { status, stdout } = printRule('b1');
  const lines = stdout.trim().split('\n');
  const [, at] = /^docs\/rules\.md:(\d+)$/.exec(lines[0] ?? '') ?? [];
  const page = readFileSync(join(ROOT, 'docs/rules.md'), 'utf8').split('\n');
  assert.is(status, 0);
  assert.match(lines[2] ?? '', /^### B1\. /);
  assert.is(page[Number(at) - 1], lines[2]);
  assert.match(lines.at(-1) ?? '', /^Held by test\/.*\.test\.ts$/);
  assert.is(lines.filter((line) => line.startsWith('#')).length, 1);
});

rules('should list the rules that have some words, wherever their lines break', () => {
  const { status, stdout } = printRule('--about', 'a 400', 'whose message');
  assert.is(status, 0);
  assert.match(stdout, /^P2\. Request and response: docs\/rules\.md:\d+\n$/);
});

rules('should refuse a code that no rule has', () => {
  const { status, stdout, stderr } = printRule('B99');
  assert.is(status, 1);
  assert.is(stdout, '');
  assert.match(stderr, /^docs\/rules\.md: expected the code of a rule, .*found B99$/m);
});

rules.run();

const titles = suite('messages of commits');

interface Message {
  readonly title: string;
  readonly body?: string;
  readonly fault?: string;
}

const LONG = 'x'.repeat(49).concat(' ', 'ø'.repeat(50));

/** Commits in this order, with what the check says about their messages; it begins after the first. */
const MESSAGES: readonly Message[] = [
  { title: 'An old title.', body: `${LONG}x` },
  { title: 'x'.repeat(35).concat(' ', 'ø'.repeat(36)) },
  { title: 'x'.repeat(35).concat(' ', 'ø'.repeat(37)), fault: 'expected at most 72 characters, found 73' },
  { title: 'Name the fault.', fault: 'expected no full stop at the end, found one' },
  { title: 'Update', fault: 'expected at least two words, found a placeholder' },
  { title: 'WIP on feeds', fault: 'expected a finished commit, found one that is to be changed' },
  { title: 'Wipe the folder of a failed build' },
  { title: 'Wrap the reason', body: `${LONG}\n\n  https://a.example/${'x'.repeat(99)}` },
  {
    title: 'Wrap no reason',
    body: `A first line.\n${LONG}x`,
    fault: 'expected lines of at most 100 characters in the body, found 101: wrap them',
  },
];

/** A repository with these commits. `start` is the hash of the first one. */
function repositoryWith(all: readonly Message[]) {
  const folder = temporaryFolder();
  const git = (...args: readonly string[]) => {
    const identity = ['-c', 'user.name=a', '-c', 'user.email=a@b.example'];
    const { status, stdout, stderr } = spawnSync('git', [...identity, ...args], {
      cwd: folder,
      encoding: 'utf8',
    });
    assert.is(status, 0, `${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  git('init', '--quiet');
  for (const { title, body = '' } of all)
    git('commit', '--quiet', '--allow-empty', '--message', title, '--message', body);
  return { folder, git, start: git('rev-list', '--max-parents=0', 'HEAD') };
}

function checkTitles(folder: string, start: string) {
  const args = [join(ROOT, '.ci/titles.mjs'), folder, start];
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, stdout, faults: stderr.trim().split('\n').filter(Boolean) };
}

titles('should name each commit whose title or body is at fault, and nothing else', () => {
  const { folder, git, start } = repositoryWith(MESSAGES);
  git('checkout', '--quiet', '--detach');
  const { status, faults } = checkTitles(folder, start);
  const expected = MESSAGES.flatMap(({ title, fault }) =>
    fault === undefined ? [] : [`"${title}": ${fault}`],
  );
  assert.is(status, 1);
  assert.equal(faults.map((line) => line.replace(/^[0-9a-f]+ /, '')).sort(), expected.sort());
});

titles('should not check merges, whose titles have two hashes', () => {
  const { folder, git, start } = repositoryWith(MESSAGES.slice(0, 2));
  git('checkout', '--quiet', '-b', 'other', start);
  git('commit', '--quiet', '--allow-empty', '--message', 'Keep this one');
  const message = `Merge ${'a'.repeat(40)} into ${'b'.repeat(40)}`;
  git('merge', '--quiet', '--no-ff', '--message', message, '-');
  assert.equal(checkTitles(folder, start), { status: 0, stdout: '', faults: [] });
});

titles('should pass, and say so, where the history is missing', () => {
  const { folder, git, start } = repositoryWith(MESSAGES);
  const shallow = join(temporaryFolder(), 'shallow');
  git('clone', '--quiet', '--depth', '1', `file://${folder}`, shallow);
  for (const place of [shallow, temporaryFolder()]) {
    const missing = `are not checked: the history here does not have ${start.slice(0, 8)}`;
    const stdout = ['titles', 'bodies'].map((what) => `${what} of commits ${missing}\n`).join('');
    assert.equal(checkTitles(place, start), { status: 0, stdout, faults: [] });
  }
});

titles.run();

const tests = suite('tests');

tests('should run every declared suite once, and have titles with "should"', () => {
  const names = readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' });
  for (const file of names.filter((name) => name.endsWith('.test.ts') && !name.startsWith('fixtures/'))) {
    const text = readFileSync(join(ROOT, 'test', file), 'utf8');
    const declared = [...text.matchAll(/^const (\w+) = [^;]*?\bsuite(?:<.*>)?\(/gm)].map(([, name]) => name);
    const run = [...text.matchAll(/^(\w+)\.run\(\);/gm)].map(([, name]) => name);
    assert.equal(run.sort(), declared.sort(), `${file}: suites declared and suites run`);
    const others = text.match(/(?<=\(\s*['"`])(?:[A-LP]\d[^'"`]*: )?(?:[^'"`]* )?MUST .*/g) ?? [];
    assert.equal(others, [], `${file}: titles with "MUST": write "should"`);
  }
});

tests('should plant faults in lines that there are (test/mutants/faults.mjs): each once in its file', () => {
  const lost = FAULTS.flatMap(({ file, find }: Readonly<Record<'file' | 'find', string>>) => {
    const path = join(ROOT, file);
    const times = existsSync(path) ? readFileSync(path, 'utf8').split(find).length - 1 : 0;
    return times === 1 ? [] : [`${file}: found ${times} times: ${find}`];
  });
  assert.equal(lost, []);
});

tests.run();

const classes = suite('classes of parts');

const { faults } = await import(join(ROOT, '.ci/classes.mjs'));

classes('should all have an annex or files, and no annex should lack a class', () => {
  assert.equal(faults(ROOT), []);
});

classes('should name an annex without a class, and a class without an annex', () => {
  const folder = temporaryFolder();
  for (const name of ['jobs/annexes', 'src/annexes/mcp', 'src/annexes/new', 'src/annexes/kit'])
    mkdirSync(join(folder, name), { recursive: true });
  for (const name of ['mcp', 'new']) writeFileSync(join(folder, `src/annexes/${name}/annex.ts`), '');
  const found: readonly string[] = faults(folder);
  assert.equal(
    found.filter((line) => /annexes\/(?:mcp|new|kit|quota)/.test(line)),
    [
      'src/annexes/new: expected its class in .ci/classes.mjs, found none',
      '.ci/classes.mjs: expected an annex src/annexes/quota, found none',
    ],
  );
});

classes.run();

const structure = suite('structure');

structure('should be shown in the docs with each folder of the two halves, and with no other', () => {
  const { text: tree } = theBlock({ language: 'text', says: /^jobs\/ [\s\S]*^src\//m });
  const shown: string[] = [];
  let above = '';
  for (const line of tree.split('\n')) {
    const names = line.match(/\S+\/(?= )/g) ?? [];
    if (!line.startsWith(' ')) [above = ''] = names;
    for (const name of names) shown.push((line.startsWith(' ') ? above + name : name).replace(/\/$/, ''));
  }
  const folders = ['jobs', 'src', 'src/serve', 'src/annexes'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => `${folder}/${name}`),
  );
  assert.equal(shown.filter((name) => /^(?:jobs|src)\//.test(name)).sort(), folders.sort());
  const files: readonly string[] = tree.match(/(?:jobs|src)\/[\w-]+\.ts/g) ?? [];
  const beside = readdirSync(join(ROOT, 'src')).filter((name) => name.endsWith('.ts'));
  assert.equal(
    beside.filter((name) => !files.includes(`src/${name}`)),
    [],
    'files of src/ that it does not name',
  );
  const layers = readFileSync(IMPORT_CHECK, 'utf8').matchAll(/files: \/(\^.+)\/,/g);
  const named = [...files, ...shown.map((folder) => `${folder}/a.ts`)];
  const lost = [...layers].filter(
    ([, pattern = '']) => !named.some((path) => new RegExp(pattern).test(path)),
  );
  assert.equal(
    lost.map(([line]) => line),
    [],
    'layers of .ci/imports.mjs of which it names nothing',
  );
});

structure('should have each file that docs/walks.md names, once in a walk, and as many as it says', () => {
  const walks = walksIn(readFileSync(join(ROOT, 'docs/walks.md'), 'utf8'));
  assert.is.not(walks.length, 0);
  for (const { title, total, files } of walks) {
    const lost = files.filter((file) => !existsSync(join(ROOT, file)));
    assert.equal(lost, [], `${title}: files that do not exist; write their new names`);
    const again = files.filter((file, index) => files.indexOf(file) !== index);
    assert.equal(again, [], `${title}: files that it has twice`);
    assert.is(total, files.length, `${title}: the number in brackets, and the files`);
  }
});

interface Walk {
  readonly title: string;
  /** The number in brackets. */
  readonly total: number;
  /** Paths from the root of the project. */
  readonly files: readonly string[];
}

/** A walk is an item of the list, and its steps are the items below. A step that is `as above` is that of the walk before. */
function walksIn(text: string): readonly Walk[] {
  let above = new Map<string, readonly string[]>();
  const [, ...walks] = text.split(/^- \*\*/m);
  return walks.map((walk) => {
    const [opening = '', ...items] = walk.split(/^ {2}- /m);
    const [, title = '', total] = /^([\s\S]*?)\s+\((\d+)\)/.exec(opening) ?? [];
    const steps = new Map<string, readonly string[]>();
    for (const item of items) {
      const [, name = '', files = ''] = /^([^:]+):\s+([\s\S]*)/.exec(item) ?? [];
      const repeated = files.trim() === 'as above.' ? above.get(name) : filesIn(files);
      assert.ok(repeated, `${title}: ${name}: no such step above`);
      steps.set(name, repeated);
    }
    above = steps;
    return { title, total: Number(total), files: [...steps.values()].flat() };
  });
}

/** A folder applies to the names after it, except for those with a whole path. */
function filesIn(step: string): readonly string[] {
  let folder = '';
  const files: string[] = [];
  for (const [, name = ''] of step.matchAll(/`([^`\s]+)`/g)) {
    if (name.endsWith('/')) folder = name;
    else if (/\.(?:ts|mjs)$/.test(name)) files.push(/^(?:src|jobs)\//.test(name) ? name : folder + name);
  }
  return files;
}

structure.run();

const reverts = suite('files that commits return to an earlier state');

/** Three files in their first state, changed by somebody else, and then returned by a commit with this message. */
function repositoryThatReturns(count: number, message: string) {
  const { folder, git, start } = repositoryWith([{ title: 'Begin here' }]);
  const files = ['a.txt', 'b.txt', 'c.txt'];
  const commit = (contents: readonly string[], title: string) => {
    for (const [index, file] of files.entries()) writeFileSync(join(folder, file), contents[index] ?? '');
    git('add', '--all');
    git('commit', '--quiet', '--message', title);
  };
  const first = ['a', 'b', 'c'];
  const second = ['a2', 'b2', 'c2'];
  commit(first, 'Add three files');
  commit(second, 'Change three files');
  commit([...first.slice(0, count), ...second.slice(count)], message);
  const args = [join(ROOT, '.ci/reverts.mjs'), folder, start];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  return { status, found: stderr.trim() };
}

reverts('should name a commit that takes back three files, and the files', () => {
  const { status, found } = repositoryThatReturns(3, 'Correct a sentence');
  assert.is(status, 1);
  assert.match(
    found,
    /^[0-9a-f]+ Correct a sentence: returns 3 of 3 files .+ \(a\.txt, b\.txt, c\.txt\): rebase/,
  );
});

reverts('should pass a commit that takes back two files, or says that it takes back more', () => {
  const passed = { status: 0, found: '' };
  assert.equal(repositoryThatReturns(2, 'Undo two edits'), passed);
  assert.equal(repositoryThatReturns(3, 'Revert it\n\nThis reverts commit 0123456789abcdef.'), passed);
  assert.equal(repositoryThatReturns(3, 'Move it back\n\nReturns files: the folder was right.'), passed);
});

reverts.run();
