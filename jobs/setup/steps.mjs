/** The steps of `npm run setup`: packages and compilation, each only if it is not up to date. */
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/**
 * `--dev`: the development packages, too (tests, checks, benchmarks). `--no-compile`: packages only. `--pack`: before `npm pack`, names the commit
 * again, which may be another one with the same sources.
 */
const FLAGS = ['--dev', '--no-compile', '--pack'];

const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Without flags: whatever `npm start` and the jobs need. */
export async function main(flags) {
  try {
    const unknown = flags.filter((flag) => !FLAGS.includes(flag));
    if (unknown.length > 0)
      throw new SetupProblem(`expected only ${FLAGS.join(', ')}, found ${unknown.join(' ')}`);
    await setUp(ROOT, flags);
    if (flags.includes('--pack')) nameCommit(ROOT, join(ROOT, 'dist'), [COMPILED, ['--untracked-files=no']]);
  } catch (error) {
    if (!(error instanceof SetupProblem)) throw error;
    say(error.message);
    process.exitCode = 1;
  }
}

async function setUp(root, flags) {
  if (isReady(missing(root, flags))) return;
  await withLock(`${root}/.setup.lock`, async () => {
    // Another process may have done the work while this one waited for the lock.
    const todo = missing(root, flags);
    if (todo.needsPackages) await install(root, todo.withDev);
    if (todo.needsCompile) await compile(root);
    if (!isReady(todo)) say('ready');
  });
}

/** What has to be done here. `withDev`: whether the development packages are needed, too; the compiler is one of them. */
function missing(root, flags) {
  const needsCompile = !flags.includes('--no-compile') && !isCompiled(root);
  const withDev = needsCompile || flags.includes('--dev');
  const needsPackages = !existsSync(join(root, BINDING)) || !matchesLockfile(root, withDev);
  return { needsCompile, needsPackages, withDev };
}

const isReady = ({ needsCompile, needsPackages }) => !needsCompile && !needsPackages;

const CONFIG = 'jobs/tsconfig.build.json';
const BUNDLE = 'jobs/bundle.mjs';
/** Files besides src/ and jobs/ that determine the compiled code. */
const INPUTS = ['package-lock.json', 'tsconfig.json', CONFIG, BUNDLE];
const COMPILED = ['--', 'src', 'jobs', ...INPUTS];
/** The entry points of programs and children; each `child.ts` of an annex is added. */
export const PROGRAMS = ['jobs/cli', 'src/main', 'src/snapshot/verify-child'];
const STAMP = '.sources.sha256';
/** `packageCommit` in src/package.ts reads it. */
const COMMIT = 'commit.txt';

/** Whether dist/ was compiled from exactly these sources. By content: a checkout moves every mtime. */
export function isCompiled(root) {
  return readIfThere(join(root, 'dist', STAMP)) === fingerprint(root);
}

/** Compiles into a folder next to dist/ and swaps the finished folder in, so that a failure leaves the old one working. */
async function compile(root) {
  const fresh = join(root, '.setup.dist');
  const old = join(root, '.setup.old');
  const dist = join(root, 'dist');
  for (const debris of [fresh, old]) rmSync(debris, { recursive: true, force: true });

  say('compiling src/ and jobs/ to dist/');
  const stamp = fingerprint(root);
  const children = sources(root, 'jobs')
    .filter((path) => /^jobs\/annexes\/[^/]+\/child\.ts$/.test(path))
    .map((path) => path.slice(0, -'.ts'.length));
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  for (const args of [
    [tsc, '-p', CONFIG],
    [BUNDLE, fresh, ...PROGRAMS, ...children],
  ]) {
    if ((await run(root, [process.execPath, ...args])) === 0) continue;
    rmSync(fresh, { recursive: true, force: true });
    throw new SetupProblem('the sources do not compile');
  }
  writeFileSync(join(fresh, STAMP), stamp);
  nameCommit(root, fresh, [COMPILED]);
  if (existsSync(dist)) renameSync(dist, old);
  renameSync(fresh, dist);
  rmSync(old, { recursive: true, force: true });
}

/** `looks`: the arguments of `git status` that find changes to the commit. */
function nameCommit(root, folder, looks) {
  const commit = commitOf(root, looks);
  if (commit !== null) writeFileSync(join(folder, COMMIT), commit);
}

/** The commit of the sources, with "+" if they differ from it; null without a repository of its own, as in an archive. */
function commitOf(root, looks) {
  const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? '';
  const isInsideAnother = git('rev-parse', '--show-cdup') !== '';
  const commit = git('rev-parse', '--short=8', 'HEAD');
  if (isInsideAnother || commit === '') return null;
  return looks.every((look) => git('status', '--porcelain', ...look) === '') ? commit : `${commit}+`;
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

/**
 * Runs one program in the package's folder; all of its output goes to stderr. Resolves to its exit code. `still`: what the program is
 * doing, to be said every `sayMs` milliseconds.
 */
export function run(root, [file, ...args], { env = process.env, still, sayMs = 10_000 } = {}) {
  const begun = Date.now();
  const seconds = () => Math.round((Date.now() - begun) / 1_000);
  const saying = still && setInterval(() => say(`${still()}, for ${seconds()} s so far`), sayMs);
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, env, stdio: ['ignore', 2, 2] });
    child.on('error', ({ message }) => reject(new SetupProblem(`${file} cannot be started: ${message}`)));
    child.on('close', (status) => resolve(status ?? 1));
  }).finally(() => clearInterval(saying));
}

/** A problem that a person must solve; only its message is printed. */
class SetupProblem extends Error {}

/** Prints to stderr, so that a job's own output on stdout (`--json`) stays clean. */
function say(text) {
  for (const line of text.split('\n')) process.stderr.write(`setup: ${line}\n`);
}

/** Runs `work` while this process holds the lock file; another process waits. The lock of a process that died is removed. */
async function withLock(path, work) {
  for (let turn = 0; !create(path); turn++) {
    const holder = readIfThere(path);
    if (holder !== null && !isAlive(Number(holder))) removeStale(path, holder);
    else if (turn === 0) say(`another setup is at work here (process ${holder}, ${path}), waiting for it`);
    await sleep(200);
  }
  try {
    await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * Removes the lock of `holder`, a process that died. Another waiter may have removed it first and created its own: so this one takes the
 * file away, and puts it back if it is not the one that it has read.
 */
export function removeStale(path, holder) {
  const taken = `${path}.${process.pid}`;
  try {
    renameSync(path, taken);
  } catch (error) {
    if (error.code === 'ENOENT') return;
    throw error;
  }
  if (readIfThere(taken) === holder) rmSync(taken, { force: true });
  else renameSync(taken, path);
}

function create(path) {
  try {
    writeFileSync(path, `${process.pid}`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw new SetupProblem(`there is work to do, but this folder cannot be written: ${error.message}`);
  }
}

function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}

/** Whether a process exists. 0 is read from an empty file, which its process is just writing. */
function isAlive(pid) {
  try {
    return pid === 0 || process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
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

/** Runs `npm ci`, or only rebuilds sqlite3 if nothing but its binary is wrong. The binary suits every Node (Node-API). */
async function install(root, dev) {
  if (!matchesLockfile(root, dev)) {
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
  removeLeftovers(root);
}

/** A compilation of sqlite3 leaves 18 MB of object files around its binary. */
function removeLeftovers(root) {
  const release = dirname(join(root, BINDING));
  for (const kept of [join(root, BINDING), release]) {
    const others = readdirSync(dirname(kept)).filter((name) => name !== basename(kept));
    for (const name of others) rmSync(join(dirname(kept), name), { recursive: true });
  }
}

async function npm(root, args) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  // npm prints nothing of a package's scripts before they fail; sqlite3's make this folder before they compile for minutes.
  const isCompiling = () =>
    existsSync(join(root, 'node_modules/sqlite3/build')) && !existsSync(join(root, BINDING));
  const still = () => (isCompiling() ? 'sqlite3 is being compiled' : 'npm is at work');
  if ((await run(root, [...npmCommand(), ...args, ...quiet], { env: buildEnv(), still })) === 0) return;
  throw new SetupProblem(`npm ${args.join(' ')} failed.\n${NEEDED}`);
}

/** The npm that runs this script, else the one on the path. */
function npmCommand() {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('npm-cli.js') ? [process.execPath, cli] : ['npm'];
}

/** Node's own C headers, if they are installed with it: node-gyp then has nothing to download. */
function buildEnv() {
  const prefix = dirname(dirname(process.execPath));
  const shipped = existsSync(join(prefix, 'include/node/node.h'));
  return shipped ? { npm_config_nodedir: prefix, ...process.env } : process.env;
}

/** Whether the packages of package-lock.json are installed, by this script or otherwise. */
function matchesLockfile(root, dev) {
  const packagesOf = (path) => JSON.parse(readIfThere(join(root, path)) ?? '{"packages":{}}').packages;
  const installed = packagesOf(INSTALLED);
  return Object.entries(packagesOf(LOCKFILE)).every(([path, wanted]) => {
    if (path === '') return true;
    const found = installed[path];
    if (found !== undefined) return found.version === wanted.version && found.integrity === wanted.integrity;
    return wanted.optional || (!dev && (wanted.dev || wanted.devOptional));
  });
}

/** In its own process: a binary for another Node or libc may crash the process that loads it. */
function sqliteFailure(root) {
  const { status, stderr } = spawnSync(process.execPath, ['--require', 'sqlite3', '--eval', '0'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? undefined : stderr.trim() || `node ended with status ${status}`;
}
