import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { run, SetupProblem, say } from './run.mjs';

const LOCKFILE = 'package-lock.json';
/** The file that npm writes last, about the tree that it installed. */
const INSTALLED = 'node_modules/.package-lock.json';
const MARKER = 'node_modules/.almanakk-setup.json';
const BINDING = 'node_modules/sqlite3/build/Release/node_sqlite3.node';

/** npm has printed the error above; these are its usual causes on a new machine. */
const NEEDED = `Packages come from the registry that npm is set to ("npm config get registry"), once; afterwards no network is needed.
Where sqlite3 has no binary for this platform, it is compiled: that needs Python 3, make and a C++ compiler
("apt-get install python3 make g++" on Debian), and the C headers of Node, from nodejs.org or from npm_config_nodedir.`;

/**
 * Whether the packages of package-lock.json are installed and work on this Node. The marker answers in a millisecond; without it (npm was
 * run by hand, Node was replaced) the tree is compared and sqlite3 tried, and the marker is written if both are good.
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

/** Runs `npm ci`, or only rebuilds sqlite3 if nothing but its binary is wrong. */
export function install(root, { dev }) {
  if (!matchesLockfile(root, { dev })) {
    say(`installing packages with npm ci${dev ? '' : ', without the development ones'}`);
    // NODE_ENV=production or npm's own settings may exclude the development packages: so this is explicit.
    npm(root, ['ci', dev ? '--include=dev' : '--omit=dev']);
  }
  if (sqliteFailure(root) !== undefined) {
    say(`sqlite3 has no binary that Node ${process.version} can load, building it (takes a few minutes)`);
    npm(root, ['rebuild', 'sqlite3', '--ignore-scripts=false']);
  }
  const failure = sqliteFailure(root);
  if (failure !== undefined) {
    throw new SetupProblem(`sqlite3 was installed, but Node ${process.version} cannot load it:\n${failure}`);
  }
  writeMarker(root, { state: stateOf(root), dev });
}

function npm(root, args) {
  const quiet = ['--no-audit', '--no-fund', '--no-update-notifier', '--loglevel=error'];
  if (run(root, [...npmCommand(), ...args, ...quiet], buildEnv()) === 0) return;
  throw new SetupProblem(`npm ${args.join(' ')} failed.\n${NEEDED}`);
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

/** In its own process: a binary for another Node or libc may crash the process that loads it. */
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
    // On a read-only file system the slower check runs each time.
  }
}
