/** The folders and files that the docs name, and what all tests have in common. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { theBlock } from './readme/blocks.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const { FAULTS } = await import(join(ROOT, 'test/mutants/faults.mjs'));

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
  const layers = readFileSync(join(ROOT, '.ci/imports.mjs'), 'utf8').matchAll(/files: \/(\^.+)\/,/g);
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

structure(
  'should have each file that docs/walks.md names, once in a walk, as many as it says, and where to begin',
  () => {
    const walks = walksIn(readFileSync(join(ROOT, 'docs/walks.md'), 'utf8'));
    assert.is.not(walks.length, 0);
    for (const { title, total, files, beginning } of walks) {
      const lost = files.filter((file) => !existsSync(join(ROOT, file)));
      assert.equal(lost, [], `${title}: files that do not exist; write their new names`);
      const again = files.filter((file, index) => files.indexOf(file) !== index);
      assert.equal(again, [], `${title}: files that it has twice`);
      assert.is(total, files.length, `${title}: the number in brackets, and the files`);
      const [fewest, most] = [5, 10];
      const isShort = beginning.length >= fewest && beginning.length <= most;
      assert.ok(
        isShort,
        `${title}: ${BEGINNING}: expected ${fewest} to ${most} files, found ${beginning.length}`,
      );
      const elsewhere = beginning.filter((file) => !files.includes(file));
      assert.equal(elsewhere, [], `${title}: ${BEGINNING}: files that the walk does not have`);
    }
  },
);

interface Walk {
  readonly title: string;
  /** The number in brackets. */
  readonly total: number;
  /** Paths from the root of the project. */
  readonly files: readonly string[];
  /** Those that somebody who changes the value edits. */
  readonly beginning: readonly string[];
}

/** The name of the item that repeats these. */
const BEGINNING = 'Begin here';

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
    const beginning = steps.get(BEGINNING) ?? [];
    const others = [...steps].filter(([name]) => name !== BEGINNING);
    return { title, total: Number(total), files: others.flatMap(([, files]) => files), beginning };
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
