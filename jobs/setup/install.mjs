import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, delimiter, dirname, join } from 'node:path';
import { run, SetupProblem, say } from './run.mjs';

const LOCKFILE = 'package-lock.json';
/** What npm itself writes, last of all, about the tree that it installed. */
const INSTALLED = 'node_modules/.package-lock.json';
const MARKER = 'node_modules/.almanakk-setup.json';
const BINDING = 'node_modules/sqlite3/build/Release/node_sqlite3.node';
const PROGRESS_MS = 15_000;

/**
 * Whether the packages of package-lock.json are there and work on this Node. The marker answers in a millisecond;
 * without it (somebody ran npm by hand, Node was replaced) the tree is compared and sqlite3 tried, and if all is
 * well the marker is written.
 */
export function isInstalled(root, { dev }) {
  if (!existsSync(join(root, INSTALLED))) return false;
  const state = stateOf(root);
  const marker = readMarker(root);
  if (marker?.state === state && (marker.dev || !dev) && existsSync(join(root, BINDING))) return true;
  if (!matchesLockfile(root, { dev }) || sqliteFailure(root) !== undefined) return false;
  writeMarker(root, { state, dev: matchesLockfile(root, { dev: true }) });
  return true;
}

/** `npm ci`, or only a rebuild of sqlite3 where the packages are right and its binary is not. */
export async function install(root, { dev, lock }) {
  if (!matchesLockfile(root, { dev })) {
    say(`installing packages with npm ci${dev ? '' : ', without the development ones'}`);
    // NODE_ENV=production or npm's own settings may leave the development packages out: say which are meant.
    await npm(['ci', dev ? '--include=dev' : '--omit=dev'], { root, lock });
  }
  if (sqliteFailure(root) !== undefined) {
    say(`sqlite3 has no binary that Node ${process.version} can load, building it`);
    await npm(['rebuild', 'sqlite3', '--ignore-scripts=false'], { root, lock });
  }
  const failure = sqliteFailure(root);
  if (failure !== undefined) {
    throw new SetupProblem(`sqlite3 was installed, but Node ${process.version} cannot load it:\n${failure}`);
  }
  writeMarker(root, { state: stateOf(root), dev });
}

async function npm(args, { root, lock }) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  const started = Date.now();
  const progress = setInterval(() => {
    const seconds = Math.round((Date.now() - started) / 1000);
    const compiling = existsSync(join(root, 'node_modules/sqlite3/build'));
    say(`… ${seconds} s${compiling ? ', compiling sqlite3 (takes a few minutes)' : ''}`);
  }, PROGRESS_MS);
  try {
    const { code, output } = await run([...npmCommand(), ...args, ...quiet], { root, lock, env: buildEnv() });
    if (code !== 0) throw new SetupProblem(explain(output, { command: `npm ${args.join(' ')}` }));
  } finally {
    clearInterval(progress);
  }
}

/** The npm that runs this script, else the one on the path. */
function npmCommand() {
  const cli = process.env.npm_execpath;
  return cli && basename(cli) === 'npm-cli.js' ? [process.execPath, cli] : ['npm'];
}

/** Node's own C headers, where they came with it: node-gyp then has nothing to download. */
function buildEnv() {
  const prefix = dirname(dirname(process.execPath));
  const shipped = existsSync(join(prefix, 'include/node/node.h'));
  return shipped ? { npm_config_nodedir: prefix, ...process.env } : process.env;
}

function stateOf(root) {
  const hash = createHash('sha256');
  for (const path of [LOCKFILE, INSTALLED]) hash.update(readFileSync(join(root, path)));
  const { platform, arch, versions } = process;
  return [platform, arch, `abi${versions.modules}`, hash.digest('hex')].join('-');
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

/** In a process of its own: a binary for another Node or libc may crash the one that loads it. */
function sqliteFailure(root) {
  const { status, stderr } = spawnSync(process.execPath, ['--require', 'sqlite3', '--eval', '0'], {
    cwd: root,
    encoding: 'utf8',
  });
  return status === 0 ? undefined : stderr.trim() || `node ended with status ${status}`;
}

function readMarker(root) {
  try {
    return JSON.parse(readFileSync(join(root, MARKER), 'utf8'));
  } catch {
    return undefined;
  }
}

function writeMarker(root, marker) {
  try {
    writeFileSync(join(root, MARKER), JSON.stringify(marker));
  } catch {
    // A read-only file system: the slower look is taken each time.
  }
}

/** Lines shown of the beginning and of the end: npm names the cause first, a compiler last. */
const SHOWN_LINES = 12;

const UNREACHABLE =
  'ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_SOCKET_TIMEOUT|E50\\d|E403';

/** What node-gyp needs, any name of a row will do, and the environment variable that may name it instead. */
const BUILD_TOOLS = [
  {
    tool: 'Python 3',
    names: ['python3', 'python'],
    variables: ['NODE_GYP_FORCE_PYTHON', 'npm_config_python'],
  },
  { tool: 'make', names: ['make', 'gmake'], variables: ['MAKE'] },
  { tool: 'a C++ compiler', names: ['g++', 'c++', 'clang++'], variables: ['CXX'] },
];

const GET_BUILD_TOOLS = `  Debian, Ubuntu:  apt-get install python3 make g++
  Fedora:          dnf install python3 make gcc-c++
  Alpine:          apk add python3 make g++
  macOS:           xcode-select --install`;

/** Failures of npm that a person can put right, the most particular first. */
const CAUSES = [
  {
    when: (output) => isCompiling(output) && missingTools().length > 0,
    say: () =>
      `sqlite3 has to be compiled here, and this is missing: ${missingTools().join(', ')}.\n${GET_BUILD_TOOLS}`,
  },
  {
    when: (output) => isCompiling(output) && /gyp ERR!.*(-headers\.tar|nodejs\.org)/.test(output),
    say: () =>
      'sqlite3 has to be compiled here, and the C headers of Node could not be downloaded from nodejs.org.\n' +
      'Set npm_config_nodedir to a folder that has include/node/node.h of this Node (the .tar.xz of Node has it).',
  },
  {
    when: (output) => isCompiling(output),
    say: () => 'sqlite3 has to be compiled here, and that failed.',
  },
  {
    when: (output) => new RegExp(`npm (ERR!|error) code (${UNREACHABLE})`).test(output),
    say: () =>
      'the package registry cannot be reached. Is there a network, a proxy to be set (npm config set proxy), ' +
      'a mirror (npm config set registry)?\nOnce the packages are installed, no network is needed any more.',
  },
  {
    when: (output) => /npm (ERR!|error) code E404/.test(output),
    say: () => 'the package registry does not have a package that package-lock.json names.',
  },
  {
    when: (output) => /can only install packages when .* in sync/.test(output),
    say: () => 'package.json and package-lock.json do not belong together: run npm install.',
  },
  {
    when: (output) => /npm (ERR!|error) code (EACCES|EPERM|EROFS)/.test(output),
    say: () => 'node_modules/ cannot be written by this user.',
  },
  {
    when: (output) => /ENOSPC/.test(output),
    say: () => 'the disk is full.',
  },
];

/** In words what stopped `command`, then what it printed, shortened. */
function explain(output, { command }) {
  const cause = CAUSES.find(({ when }) => when(output));
  const lines = output.trimEnd().split('\n');
  const shown =
    lines.length <= 2 * SHOWN_LINES
      ? lines
      : [...lines.slice(0, SHOWN_LINES), '…', ...lines.slice(-SHOWN_LINES)];
  return [`${command} failed${cause ? `: ${cause.say()}` : '.'}`, ...shown.map((line) => `  | ${line}`)].join(
    '\n',
  );
}

/** Only the compiler's own words count: prebuild-install also reports a finding of the network before it gives way. */
function isCompiling(output) {
  return /gyp ERR!/.test(output);
}

function missingTools() {
  return BUILD_TOOLS.filter(
    ({ names, variables }) => !variables.some((name) => process.env[name]) && !names.some(isOnPath),
  ).map(({ tool }) => tool);
}

function isOnPath(name) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
