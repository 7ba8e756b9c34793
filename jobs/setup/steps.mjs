import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * Flags. Without any: whatever `npm start` and the jobs need.
 *   --dev         the development packages too (tests, checks, benchmarks)
 *   --no-compile  packages only
 */
const FLAGS = new Set(['--dev', '--no-compile']);

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
  await withLock(`${root}/.setup.lock`, async () => {
    // Another process may have done the work while this one waited for the lock.
    const todo = missing(root, flags);
    if (isReady(todo)) return;
    if (todo.packages) await install(root, { dev: todo.dev });
    if (todo.compiled) await compile(root);
    say('ready');
  });
}

function missing(root, flags) {
  const compiled = !flags.has('--no-compile') && !isCompiled(root);
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
/** The entry points of programs and children; each `child.ts` of an annex is added. */
export const PROGRAMS = ['jobs/cli', 'src/main', 'src/snapshot/verify-child'];
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
async function compile(root) {
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
    if ((await run(root, [process.execPath, ...args])) === 0) continue;
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

const POLL_MS = 200;

const SAY_MS = 10_000;

/**
 * Runs one program in the package's folder; all of its output goes to stderr. Resolves to its exit code. `still`: what the program is
 * doing, to be said every `sayMs` milliseconds.
 */
export function run(root, [file, ...args], { env = process.env, still, sayMs = SAY_MS } = {}) {
  const begun = Date.now();
  const saying = still && setInterval(() => say(`${still()}, for ${seconds(begun)} s so far`), sayMs);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
    child.on('error', ({ message }) => reject(new SetupProblem(`${file} cannot be started: ${message}`)));
    child.on('close', (status) => resolve(status ?? 1));
  }).finally(() => clearInterval(saying));
}

function seconds(begun) {
  return Math.round((Date.now() - begun) / 1_000);
}

/** A problem that a person must solve; only its message is printed. */
export class SetupProblem extends Error {}

/** Prints to stderr, so that a job's own output on stdout (`--json`) stays clean. */
export function say(text) {
  for (const line of text.split('\n')) process.stderr.write(`setup: ${line}\n`);
}

/** Runs `work` while this process holds the lock file; another process waits. The lock of a process that died is taken over. */
export async function withLock(path, work) {
  const own = `${process.pid}`;
  for (let turn = 0; !create(path, own); turn++) {
    const holder = read(path);
    if (holder === null) continue;
    if (!isAlive(Number(holder))) {
      takeAway(path, holder);
      continue;
    }
    if (turn === 0) say(`another setup is at work here (process ${holder}, ${path}), waiting for it`);
    await sleep(POLL_MS);
  }
  try {
    await work();
  } finally {
    if (read(path) === own) rmSync(path, { force: true });
  }
}

function create(path, own) {
  try {
    writeFileSync(path, own, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupProblem(`there is work to do, but this folder cannot be written: ${error.message}`);
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** An empty file is just being written, and its process is alive. */
function isAlive(pid) {
  try {
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moves the stale lock aside first: of several processes only one succeeds, and a fresh lock is put back. */
function takeAway(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
    if (readFileSync(aside, 'utf8') !== holder) linkSync(aside, path);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  } finally {
    rmSync(aside, { force: true });
  }
}

const LOCKFILE = 'package-lock.json';
/** The file that npm writes last, about the tree that it installed. */
const INSTALLED = 'node_modules/.package-lock.json';
const BINDING = 'node_modules/sqlite3/build/Release/node_sqlite3.node';

/** npm has printed the error above; these are its usual causes on a new machine. */
const NEEDED = `Packages come from the registry that npm is set to ("npm config get registry"), once; afterwards no network is needed.
Where sqlite3 has no binary for this platform, it is compiled: that needs Python 3, make and a C++ compiler
("apt-get install python3 make g++" on Debian), and the C headers of Node, from nodejs.org or from npm_config_nodedir.`;

/** Whether the packages of package-lock.json are installed, whoever did it. The binary of sqlite3 suits every Node (Node-API). */
export function isInstalled(root, { dev }) {
  return existsSync(join(root, BINDING)) && matchesLockfile(root, { dev });
}

/** Runs `npm ci`, or only rebuilds sqlite3 if nothing but its binary is wrong. */
export async function install(root, { dev }) {
  if (!matchesLockfile(root, { dev })) {
    say(`installing packages with npm ci${dev ? '' : ', without the development ones'}`);
    // NODE_ENV=production or npm's own settings may exclude the development packages: so this is explicit.
    await npm(root, ['ci', dev ? '--include=dev' : '--omit=dev']);
  }
  if (sqliteFailure(root) !== undefined) {
    say(`sqlite3 has no binary that Node ${process.version} can load, building it (takes a few minutes)`);
    await npm(root, ['rebuild', 'sqlite3', '--ignore-scripts=false']);
  }
  const failure = sqliteFailure(root);
  if (failure !== undefined) {
    throw new SetupProblem(`sqlite3 was installed, but Node ${process.version} cannot load it:\n${failure}`);
  }
}

async function npm(root, args) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const still = () => (isCompiling(root) ? 'sqlite3 is being compiled' : 'npm is at work');
  if ((await run(root, [...npmCommand(), ...args, ...quiet], { env: buildEnv(), still })) === 0) return;
  throw new SetupProblem(`npm ${args.join(' ')} failed.\n${NEEDED}`);
}

/** npm prints nothing of a package's scripts before they fail; sqlite3's make this folder before they compile for minutes. */
function isCompiling(root) {
  return existsSync(join(root, 'node_modules/sqlite3/build')) && !existsSync(join(root, BINDING));
}

/** The npm that runs this script, else the one on the path. */
function npmCommand() {
  const cli = process.env.npm_execpath;
  return cli && basename(cli) === 'npm-cli.js' ? [process.execPath, cli] : ['npm'];
}

/** Node's own C headers, if they are installed with it: node-gyp then has nothing to download. */
function buildEnv() {
  const prefix = dirname(dirname(process.execPath));
  const shipped = existsSync(join(prefix, 'include/node/node.h'));
  return shipped ? { npm_config_nodedir: prefix, ...process.env } : process.env;
}

function matchesLockfile(root, { dev }) {
  const installed = readPackages(join(root, INSTALLED));
  return Object.entries(readPackages(join(root, LOCKFILE))).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found !== undefined) return found.version === wanted.version && found.integrity === wanted.integrity;
    return wanted.optional || (!dev && (wanted.dev || wanted.devOptional));
  });
}

function readPackages(path) {
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')).packages : {};
}

/** In its own process: a binary for another Node or libc may crash the process that loads it. */
function sqliteFailure(root) {
  const { status, stderr } = spawnSync(process.execPath, ['--require', 'sqlite3', '--eval', '0'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? undefined : stderr.trim() || `node ended with status ${status}`;
}
