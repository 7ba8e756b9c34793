/** H1: `jobs/setup.mjs`, which compiles and builds before the programs start. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertAtLeast, assertMissing } from './helpers/assertions.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Functions of the setup step, which is plain JavaScript. */
const programs: {
  readonly PROGRAMS: readonly string[];
  readonly run: (root: string, command: readonly string[], how: object) => Promise<number>;
  readonly removeStale: (lock: string, holder: string) => void;
} = await import(join(ROOT, 'jobs/setup/steps.mjs'));
const STUB = join(ROOT, 'test/fixtures/npm-cli.js');
const LOCKFILE = {
  lockfileVersion: 3,
  packages: {
    '': { name: 'clone' },
    'node_modules/sqlite3': { version: '6.0.1', integrity: 'sha512-a' },
    'node_modules/typescript': { version: '7.0.2', integrity: 'sha512-b', dev: true },
    'node_modules/fsevents': { version: '2.3.3', integrity: 'sha512-c', optional: true },
  },
};

interface Done {
  readonly code: number | null;
  readonly output: string;
}

const test = suite<{ folder: string }>('setup');

/** A clone that is set up, to be copied for tests that begin where something has to be done again. */
let ready = '';

test.before(async () => {
  ready = freshClone();
  const { code, output } = await setUp(ready);
  assert.is(code, 0, output);
});
test.after(() => rmSync(ready, { recursive: true }));

test.before.each((context) => {
  context.folder = freshClone();
});
test.after.each(({ folder }) => {
  rmSync(folder, { recursive: true });
});

test('H1: should install and compile on a fresh clone, then have nothing to do and nothing to say', async ({
  folder,
}) => {
  const first = await setUp(folder);
  assert.is(first.code, 0, first.output);
  assert.equal(calls(folder), ['ci --include=dev']);
  assert.is((await runProgram(folder, ['dist/src/main.js'])).output, 'a stand-in of today\n');

  const built = readdirSync(join(folder, 'node_modules/sqlite3/build'), { recursive: true });
  assert.equal(built, ['Release', 'Release/node_sqlite3.node']);

  assert.equal(await setUp(folder), { code: 0, output: '' });
  assert.equal(await setUp(folder, ['--dev']), { code: 0, output: '' });
  assert.is(calls(folder).length, 1);
  assert.not.match(readdirSync(folder).join('\n'), /^\.setup/m);
});

test('H1: should compile again when the text of a source changed, and not when its time did', async ({
  folder,
}) => {
  takeReady(folder);
  const main = join(folder, 'src/main.ts');
  utimesSync(main, 1, 1);
  assert.is((await setUp(folder)).output, '');

  writeFileSync(main, "console.log('a stand-in of tomorrow');\n");
  assert.match((await setUp(folder)).output, /compiling/);
  assert.is((await runProgram(folder, ['dist/src/main.js'])).output, 'a stand-in of tomorrow\n');
});

test('H1: should name the commit that is packed, also if the sources are those of an earlier one', async ({
  folder,
}) => {
  takeReady(folder);
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
  const commit = () => {
    git('add', 'package.json', 'package-lock.json', 'tsconfig.json', 'src', 'jobs');
    git(
      '-c',
      'user.name=A',
      '-c',
      'user.email=a@lillevik.example',
      'commit',
      '--quiet',
      '--message=All of it',
    );
    return git('rev-parse', '--short=8', 'HEAD');
  };
  git('init', '--quiet');
  commit();
  const named = async () => {
    assert.equal(await setUp(folder, ['--pack']), { code: 0, output: '' });
    return readFileSync(join(folder, 'dist/commit.txt'), 'utf8');
  };
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'clone', type: 'module', version: '1.0.1' }),
  );
  assert.match(await named(), /\+$/);
  const last = commit();
  assert.is(await named(), last);
});

test('H1: should print the error of a source that does not compile, and leave the old dist/ working', async ({
  folder,
}) => {
  takeReady(folder);
  writeFileSync(join(folder, 'src/main.ts'), "export const port: number = 'four';\n");
  const { code, output } = await setUp(folder);
  assert.is(code, 1);
  assert.match(output, /src\/main\.ts.*Type 'string' is not assignable/);
  assert.is((await runProgram(folder, ['dist/src/main.js'])).output, 'a stand-in of today\n');
});

interface Trouble {
  /** What is wrong with the installation, and what setup should do. */
  readonly title: string;
  readonly env: NodeJS.ProcessEnv;
  readonly rebuildsSqlite: boolean;
  /** What the failing setup prints; null where it succeeds. */
  readonly message: RegExp | null;
}

const TROUBLES: readonly Trouble[] = [
  {
    title: 'where sqlite3 has no binary, should build it and succeed',
    env: { STUB_BINDING: 'rebuild' },
    rebuildsSqlite: true,
    message: null,
  },
  {
    title: 'where sqlite3 cannot be loaded even after it was built, should fail and say why',
    env: { STUB_BINDING: 'never' },
    rebuildsSqlite: true,
    message: /sqlite3 was installed, but Node v\S+ cannot load it(?:.|\n)*wrong ELF class/,
  },
  {
    title: 'where npm fails for want of Python, should fail and say what to install',
    env: { STUB_SAYS: 'npm error gyp ERR! find Python' },
    rebuildsSqlite: false,
    message:
      /gyp ERR! find Python(?:.|\n)*npm ci --include=dev failed\.(?:.|\n)*apt-get install python3 make g\+\+/,
  },
];

for (const { title, env, rebuildsSqlite, message } of TROUBLES)
  test(`H1: ${title}`, async ({ folder }) => {
    const { code, output } = await setUp(folder, ['--dev', '--no-compile'], env);
    assert.is(code, message === null ? 0 : 1, output);
    if (message !== null) assert.match(output, message);
    assert.is(calls(folder).includes('rebuild sqlite3'), rebuildsSqlite);
    assertMissing(join(folder, '.setup.lock'));
  });

test('H1: should install no development packages where dist/ is there', async ({ folder }) => {
  takeReady(folder);
  rmSync(join(folder, 'node_modules'), { recursive: true });
  assert.is((await setUp(folder)).code, 0);
  assert.equal(calls(folder).at(-1), 'ci --omit=dev');
  assert.equal(await setUp(folder), { code: 0, output: '' });
});

test('H1: should print that it is at work while a program prints nothing', async ({ folder }) => {
  let times = 0;
  const still = () => {
    times++;
    if (times === 3) writeFileSync(join(folder, 'go'), '');
    return 'sqlite3 is being compiled';
  };
  const wait = `setInterval(() => require('node:fs').existsSync('go') && process.exit(7), 5)`;
  assert.is(await programs.run(folder, [process.execPath, '--eval', wait], { still, sayMs: 100 }), 7);
  assertAtLeast(times, 3, 'times');
});

test('H1: when run twice at once, one should install and the other wait for it', async ({ folder }) => {
  const go = join(folder, 'go');
  const first = start(folder, [], { STUB_WAIT: go });
  await until(() => calls(folder).length === 1);
  const second = start(folder, [], { STUB_WAIT: go });
  await second.hears(/another setup is at work/);
  writeFileSync(go, '');

  assert.equal([(await first.done).code, (await second.done).code], [0, 0]);
  assert.is(calls(folder).length, 1);
});

test('H1: should take over the lock of a process that died', async ({ folder }) => {
  const gone = spawn(process.execPath, ['--version'], { stdio: 'ignore' });
  await once(gone, 'exit');
  writeFileSync(join(folder, '.setup.lock'), `${gone.pid}`);
  const { code, output } = await setUp(folder, ['--no-compile']);
  assert.is(code, 0);
  assert.not.match(output, /another setup/);
});

test('H1: should leave the lock of a process that took over before this one did', ({ folder }) => {
  const lock = join(folder, '.setup.lock');
  writeFileSync(lock, 'new');
  programs.removeStale(lock, 'old');
  assert.is(readFileSync(lock, 'utf8'), 'new');
  programs.removeStale(lock, 'new');
  programs.removeStale(lock, 'new');
  assert.equal(
    readdirSync(folder).filter((name) => name.startsWith('.setup')),
    [],
  );
});

test.run();

/** The setup step beside stand-ins of the programs and a lockfile of three packages; no node_modules/, no dist/. */
function freshClone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'almanakk-setup-'));
  mkdirSync(join(folder, 'src'));
  for (const path of [
    'jobs/setup.mjs',
    'jobs/setup',
    'jobs/bundle.mjs',
    'jobs/tsconfig.build.json',
    'tsconfig.json',
  ]) {
    cpSync(join(ROOT, path), join(folder, path), { recursive: true });
  }
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'clone', type: 'module' }));
  for (const name of programs.PROGRAMS) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, `${name}.ts`), 'export {};\n');
  }
  writeFileSync(join(folder, 'src/main.ts'), "console.log('a stand-in of today');\n");
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(LOCKFILE));
  return folder;
}

/** Makes a folder look set up, to save an installation and a compilation before a test. */
function takeReady(folder: string): void {
  const options = { recursive: true, preserveTimestamps: true, verbatimSymlinks: true };
  for (const name of ['node_modules', 'dist', 'calls.txt'])
    cpSync(join(ready, name), join(folder, name), options);
}

function setUp(folder: string, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<Done> {
  return start(folder, flags, env).done;
}

function start(folder: string, flags: readonly string[] = [], env: NodeJS.ProcessEnv = {}) {
  const stub = { npm_execpath: STUB, STUB_PACKAGES: join(ROOT, 'node_modules'), ...env };
  return program(folder, ['jobs/setup.mjs', ...flags], stub);
}

function runProgram(folder: string, args: readonly string[]): Promise<Done> {
  return program(folder, args).done;
}

/** A Node process; `output` is its stdout and stderr. */
function program(cwd: string, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const child: ChildProcess = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (bytes) => (output += String(bytes)));
  const done: Promise<Done> = once(child, 'close').then(([code]) => ({ code, output }));
  const hears = (what: RegExp) => until(() => what.test(output));
  return { child, done, hears };
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5));
}

function calls(folder: string): readonly string[] {
  const path = join(folder, 'calls.txt');
  return existsSync(path) ? readFileSync(path, 'utf8').trimEnd().split('\n') : [];
}
