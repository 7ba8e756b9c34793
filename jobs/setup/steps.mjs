import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, isInstalled } from './install.mjs';
import { run, SetupProblem, say, withLock } from './run.mjs';

/**
 * Flags. Without any: whatever `npm start` and the jobs need.
 *   --dev         the development packages too (tests, checks, benchmarks)
 *   --no-compile  packages only
 *   --production  never the development packages: dist/ has to be there already (a container image's last stage)
 */
const FLAGS = new Set(['--dev', '--no-compile', '--production']);

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export async function main(args) {
  try {
    await setUp({ root: ROOT, flags: parseFlags(args) });
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

async function setUp({ root, flags }) {
  if (isReady(missing(root, flags))) return;
  await withLock(`${root}/.setup.lock`, () => {
    // Another process may have done the work while this one waited for the lock.
    const todo = missing(root, flags);
    if (isReady(todo)) return;
    if (todo.packages) install(root, { dev: todo.dev });
    if (todo.compiled) compile(root);
    say('ready');
  });
}

function missing(root, flags) {
  const compiled = !flags.has('--no-compile') && !isCompiled(root);
  if (compiled && flags.has('--production')) {
    throw new SetupProblem(
      'dist/ is missing or does not belong to these sources, and --production may not compile.\n' +
        'Run "node jobs/setup.mjs" where the development packages may be installed, and bring its dist/ along.',
    );
  }
  const dev = compiled || flags.has('--dev');
  return { compiled, dev, packages: !isInstalled(root, { dev }) };
}

function isReady(todo) {
  return !todo.compiled && !todo.packages;
}

function parseFlags(args) {
  const unknown = args.filter((arg) => !FLAGS.has(arg));
  if (unknown.length > 0) {
    throw new SetupProblem(`expected only ${[...FLAGS].join(', ')}, found ${unknown.join(' ')}`);
  }
  return new Set(args);
}

const CONFIG = 'jobs/tsconfig.build.json';
const BUNDLE = 'jobs/bundle.mjs';
/** Files besides src/ and jobs/ that determine the compiled code. */
const INPUTS = ['package-lock.json', 'tsconfig.json', CONFIG, BUNDLE];
/** The entry points of programs, children and threads; each `child.ts` of an annex is added. */
export const PROGRAMS = [
  'jobs/cli',
  'jobs/search/thread',
  'src/main',
  'src/runtime/watchdog',
  'src/snapshot/verify-child',
];
const STAMP = '.sources.sha256';

/** Whether dist/ was compiled from exactly these sources. By content: a checkout moves every mtime. */
export function isCompiled(root) {
  try {
    return readFileSync(join(root, 'dist', STAMP), 'utf8') === fingerprint(root);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Compiles beside dist/ and swaps the finished folder in, so that a failure leaves the old one working. */
function compile(root) {
  const fresh = join(root, '.setup.dist');
  const old = join(root, '.setup.old');
  const dist = join(root, 'dist');
  for (const debris of [fresh, old]) rmSync(debris, { recursive: true, force: true });

  say('compiling src/ and jobs/ to dist/');
  const stamp = fingerprint(root);
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  for (const args of [
    [tsc, '-p', CONFIG],
    [BUNDLE, fresh, ...PROGRAMS, ...childrenOfAnnexes(root)],
  ]) {
    if (run(root, [process.execPath, ...args]) === 0) continue;
    rmSync(fresh, { recursive: true, force: true });
    throw new SetupProblem('the sources do not compile');
  }
  writeFileSync(join(fresh, STAMP), stamp);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

function childrenOfAnnexes(root) {
  const annexes = join(root, 'jobs/annexes');
  const names = existsSync(annexes) ? readdirSync(annexes) : [];
  return names
    .map((name) => `jobs/annexes/${name}/child`)
    .filter((child) => existsSync(join(root, `${child}.ts`)));
}

function fingerprint(root) {
  const hash = createHash('sha256');
  for (const path of [...INPUTS, ...sources(root, 'src'), ...sources(root, 'jobs')]) {
    const bytes = readFileSync(join(root, path));
    hash.update(`${path}\n${bytes.length}\n`).update(bytes);
  }
  return hash.digest('hex');
}

function sources(root, folder) {
  return readdirSync(join(root, folder), { recursive: true })
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path}`)
    .sort();
}
