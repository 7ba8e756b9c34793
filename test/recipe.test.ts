/**
 * The recipes of docs/contributing.md, followed in one copy of the tree: fields, a filter with a column of its own, a feed, a message, an
 * annex with a setting. There runs what a contributor runs: the formatter, the checks, `npm run generate`, and the tests.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../src/package.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { runCommand, SHORT_LIVED } from './helpers/program.ts';
import { ADDED, ENTRIES, NEW, SCRIPT } from './helpers/recipes.ts';
import { KINDS } from './readme/fingerprints.ts';

interface Context {
  copy: string;
}

const recipe = suite<Context>('recipe');

/** Names of files and folders that are no source, at the top and below. */
const LEFT_OUT = /^(?:node_modules|dist|data|\.git|\.core-.*|\.tests-.*)$/;
const MADE = /\/bench\/work\//;

/** Tests that know every field, filter, annex or column, and fail where a step of a recipe is missing. */
const TESTS = [
  'changelog',
  'native-schema',
  'settings',
  'jobs/validate/values',
  'src/serve/filters',
  'src/annexes/feeds/lists',
].map((name) => `${name}.test.ts`);
/** What is compiled: `npm run generate`, the script, the process that reads feeds for it, and the tests. */
const PROGRAMS = [
  'test/generate.ts',
  'script.ts',
  'jobs/annexes/feeds/child.ts',
  ...TESTS.map((name) => `test/${name}`),
];
/** The folder of what is compiled in the copy, where a program looks for the processes that it starts. */
const COMPILED = 'dist';

recipe.before((context) => {
  context.copy = temporaryFolder();
  const top = readdirSync(packagePath('.')).filter((name) => !LEFT_OUT.test(name));
  const copying = { recursive: true, filter: (from: string) => !MADE.test(from) };
  for (const path of [...top, 'data/sample']) cpSync(packagePath(path), join(context.copy, path), copying);
  symlinkSync(packagePath('node_modules'), join(context.copy, 'node_modules'));
  follow(context.copy);
});

function follow(copy: string): void {
  const edit = (path: string, change: (text: string) => string) => {
    writeFileSync(join(copy, path), change(readFileSync(join(copy, path), 'utf8')));
  };
  for (const [name, entry] of Object.entries(ENTRIES)) {
    edit('src/calendar/fields.ts', (text) => {
      const end = text.indexOf('} as const', text.indexOf(`export const ${name} = {`));
      return `${text.slice(0, end)}${entry}\n${text.slice(end)}`;
    });
  }
  for (const [path, additions] of Object.entries(ADDED)) {
    edit(path, (text) =>
      additions.reduce((whole, [before, more]) => {
        assert.is(whole.split(before).length, 2, `${path}: expected once ${before}`);
        return whole.replace(before, () => more + before);
      }, text),
    );
  }
  for (const [path, text] of Object.entries(NEW)) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  }
}

/** Compiles files of the copy as the runner does, in a process whose modules are the copy's, all at once. */
async function compile(copy: string): Promise<void> {
  const program = `import { compileTests } from './test/compile.mjs';
await compileTests(process.cwd(), ${JSON.stringify(PROGRAMS)}, '${COMPILED}');`;
  writeFileSync(join(copy, 'compile.mjs'), program);
  await run(copy, ['compile.mjs']);
}

/** Runs tests that are compiled. */
async function runTests(copy: string, names: readonly string[]): Promise<string> {
  return run(copy, ['test/run-file.mjs', `${COMPILED}/test`, ...names]);
}

/** Runs a program of Node in the copy. Rejects with all that it said. */
async function run(copy: string, args: readonly string[], env = process.env): Promise<string> {
  const { code, stdout, stderr } = await runCommand(process.execPath, [...SHORT_LIVED, ...args], {
    cwd: copy,
    env,
  });
  if (code === 0) return stdout;
  const failed = stdout.slice(Math.max(0, stdout.indexOf('FAIL')));
  throw new Error(`${args.join(' ')}:\n${failed.slice(0, 4_000)}\n${stderr.slice(-2_000)}`);
}

recipe('should pass the checks', async ({ copy }) => {
  const changed = [...Object.keys(ADDED), ...Object.keys(NEW)].filter((path) => path.endsWith('.ts'));
  // Parts of test/ that nobody has changed need no second look.
  const unchanged = readdirSync(join(copy, 'test')).filter((name) => !changed.some(isIn(`test/${name}`)));
  const config = JSON.parse(readFileSync(join(copy, 'biome.json'), 'utf8'));
  config.files.includes.push(...unchanged.map((name) => `!!test/${name}`));
  writeFileSync(join(copy, 'biome.json'), JSON.stringify(config));
  const biome = 'node_modules/@biomejs/biome/bin/biome';
  await run(copy, [biome, 'check', '--write', 'src/calendar/fields.ts', ...changed]);
  const project = { extends: './tsconfig.json', include: ['src', 'jobs', ...changed] };
  writeFileSync(join(copy, 'tsconfig.recipe.json'), JSON.stringify(project));
  // One checker: each of several would look at the same libraries.
  // It collects garbage only near a gigabyte, which saves it a quarter of its CPU.
  const env = { ...process.env, GOGC: 'off', GOMEMLIMIT: '1GiB' };
  const checker = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.recipe.json', '--singleThreaded'];
  await run(copy, checker, env);
  for (const check of ['imports', 'exports', 'rules']) await run(copy, [`.ci/${check}.mjs`]);
  const { faults } = await import(join(copy, '.ci/classes.mjs'));
  assert.equal(faults(), [], 'classes of parts');
});

const isIn = (folder: string) => (path: string) => path.startsWith(folder);

recipe('should show the new field and filter wherever they belong', async ({ copy }) => {
  writeFileSync(join(copy, 'script.ts'), SCRIPT);
  await compile(copy);
  await run(copy, [`${COMPILED}/test/generate.js`]);
  const output = await run(copy, [`${COMPILED}/script.js`]);
  const docs = readdirSync(join(copy, 'docs')).map((name) => `docs/${name}`);
  const pages = ['README.md', ...docs.filter((path) => path.endsWith('.md'))];
  const isListed = (path: string) =>
    readFileSync(join(copy, path), 'utf8').includes('| `ALMANAKK_GREETING` |');
  assert.is(pages.filter(isListed).length, 1, 'the table of settings');
  const differs = (path: string) =>
    readFileSync(join(copy, path), 'utf8') !== readFileSync(packagePath(path), 'utf8');
  const schemas = ['events', 'venues', 'organizers', 'licence', 'notices', 'sources'];
  assert.equal(
    schemas.filter((name) => differs(`docs/${name}.schema.json`)),
    ['events', 'venues', 'sources'],
  );
  assert.equal(JSON.parse(output.trim().split('\n').at(-1) ?? ''), {
    fields: [
      ['18.45', '73 00 00 02'],
      [null, '73 00 00 01'],
    ],
    linked: ['18.45', '73 00 00 02'],
    csv: ['recipeDoors', '18.45'],
    onPage: [true, true, true],
    texts: ['Kor\n', 'Goddag'],
    status: 418,
  });
});

recipe('should pass the tests, with lines and fingerprints in the changelog', async ({ copy }) => {
  const path = join(copy, 'CHANGELOG.md');
  const generated = readFileSync(path, 'utf8');
  const [now, before] = [generated, readFileSync(packagePath('CHANGELOG.md'), 'utf8')].map((changelog) =>
    KINDS.map(({ line }) => new RegExp(`^- ${line}: .*`, 'm').exec(changelog)?.[0]),
  );
  for (const [at] of KINDS.entries()) assert.is.not(now?.[at], before?.[at]);
  const lines = '- **Interface**: `Filter.refundable`.\n- **Snapshot**: the column `refundable`.\n';
  writeFileSync(
    path,
    generated.replace(/^## \[.*\n/m, (heading) => `${heading}\n${lines}`),
  );
  await runTests(copy, TESTS);
});

recipe.run();
