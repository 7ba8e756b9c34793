/** `almanakk-setup` of docs/debian, and the binary of sqlite3: what becomes of the files of a machine when a version is installed. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { packagePath } from '../../src/package.ts';
import { debianFile } from '../helpers/debian-files.ts';
import { mustRun, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { runCommand } from '../helpers/program.ts';
import { isExpected, when } from '../helpers/when.ts';

const scripts = suite('almanakk-setup');
const withProgram = (name: string) => when(isExpected(name), `${name} is not installed here`, scripts);

/** A file of the setup in each version that has it, and on the machine; and what the script says of it. */
interface SetupFile {
  readonly path: string;
  readonly before?: string;
  readonly active?: string;
  readonly next?: string;
  readonly machine?: string;
  readonly said: string;
}

const SETUP: readonly SetupFile[] = [
  { path: 'etc/almanakk/.env', active: 'A=1', next: 'A=1\nB=2', machine: 'A=mine', said: 'edited' },
  { path: 'etc/almanakk/4000.conf', active: 'same', next: 'same', machine: 'mine', said: '' },
  { path: 'etc/almanakk/4001.conf', active: 'old', next: 'new', said: 'missing' },
  { path: 'etc/almanakk/4002.conf', active: 'same', next: 'same', said: '' },
  { path: 'etc/almanakk/own.conf', next: 'new', machine: 'mine', said: 'edited' },
  { path: 'etc/almanakk/shared.conf', active: 'old', next: 'new', machine: 'old', said: 'copied' },
  { path: 'etc/almanakk/used.conf', active: 'old', machine: 'old', said: 'no longer used' },
  { path: 'etc/nginx/conf.d/new.conf', next: 'new', said: 'copied' },
  {
    path: 'etc/systemd/system/a@.service',
    before: 'A',
    active: 'B',
    next: 'C',
    machine: 'A',
    said: 'copied',
  },
  { path: 'usr/local/sbin/almanakk', active: 'old', next: 'new', machine: 'old', said: 'copied' },
  { path: 'usr/local/sbin/almanakk-new', next: 'new', said: 'copied' },
];

interface SetupMachine {
  readonly root: string;
  readonly update: (name: string) => ReturnType<typeof runCommand>;
  /** What the script ordered from systemd and nginx since the last look. */
  readonly ordered: () => string;
}

interface SetupOptions {
  /** The program `nginx`; null for a machine without it. */
  readonly nginx?: string | null;
}

/** A machine with three versions, of which the second is active. */
function setupMachine({ nginx = '' }: SetupOptions = {}): SetupMachine {
  const root = temporaryFolder();
  const versions = { before: 'almanakk-1', active: 'almanakk-2', next: 'almanakk-3' } as const;
  for (const file of SETUP) {
    for (const kind of ['before', 'active', 'next'] as const) {
      const text = file[kind];
      if (text !== undefined)
        save(join(root, 'opt/almanakk', versions[kind], 'docs/debian', file.path), `${text}\n`);
    }
    if (file.machine !== undefined) save(join(root, file.path), `${file.machine}\n`);
  }
  symlinkSync(versions.active, join(root, 'opt/almanakk/current'));
  saveProgram(root, 'systemctl', 'echo "systemctl $@" >> log');
  if (nginx !== null) saveProgram(root, 'nginx', `echo "nginx $@" >> log\n${nginx}`);
  const text = debianFile('usr/local/sbin/almanakk-setup')
    .replaceAll('/opt/almanakk', `${root}/opt/almanakk`)
    .replace('/run/', `${root}/run/`)
    .replaceAll('"/$', `"${root}/$`)
    .replace('before=/$', `before=${root}/$`)
    .replace(/^if \[ -e "\$pending/m, `cd ${root}\n$&`);
  // Debian has nginx, which this machine may have, in /usr/sbin.
  const env = { PATH: `${root}/bin:/usr/bin:/bin` };
  const log = join(root, 'log');
  return {
    root,
    update: (name) => runCommand('sh', ['-c', text, 'script', name], { cwd: root, env }),
    ordered: () => {
      const lines = existsSync(log) ? readFileSync(log, 'utf8') : '';
      rmSync(log, { force: true });
      return lines;
    },
  };
}

const RELOAD_NGINX = 'nginx -t\nsystemctl reload nginx\n';

scripts(
  'should copy files of the next setup that are not edited, and say what becomes of the others',
  async () => {
    const { root, update, ordered } = setupMachine();
    const { code, stdout, stderr } = await update('almanakk-3');
    assert.is(code, 0, stderr);
    for (const { path, next, machine, said } of SETUP) {
      const line = stdout.split('\n').find((text) => text.includes(`: /${path}`)) ?? '';
      assert.is(line.split(/,|:/)[0], said, path);
      const expected = said === 'copied' ? next : machine;
      const there = existsSync(join(root, path)) ? readFileSync(join(root, path), 'utf8') : undefined;
      assert.is(there, expected === undefined ? undefined : `${expected}\n`, path);
    }
    const changes = stdout.split('\n').filter((line) => /^[+-](?![+-])/.test(line));
    assert.equal(changes, ['+B=2', '-old', '+new', '-mine', '+new']);
    assert.is(ordered(), `systemctl daemon-reload\n${RELOAD_NGINX}`);
    const names = readdirSync(join(root, 'etc/almanakk'));
    assert.equal(names.sort(), ['.env', '4000.conf', 'own.conf', 'shared.conf', 'used.conf']);
  },
);

scripts('should keep the mode of a file that it replaces, and make a new script executable', async () => {
  const { root, update } = setupMachine();
  const shared = join(root, 'etc/almanakk/shared.conf');
  chmodSync(shared, 0o640);
  await update('almanakk-3');
  assert.is(readFileSync(shared, 'utf8'), 'new\n');
  assert.is(statSync(shared).mode & 0o777, 0o640);
  assert.is(statSync(join(root, 'usr/local/sbin/almanakk-new')).mode & 0o777, 0o755);
});

const asRoot = when(process.getuid?.() === 0, 'only root may give files to others', scripts);

asRoot('should keep the owner and the group of a file that it replaces', async () => {
  const { root, update } = setupMachine();
  const shared = join(root, 'etc/almanakk/shared.conf');
  chownSync(shared, 4_001, 4_002);
  await update('almanakk-3');
  const { uid, gid } = statSync(shared);
  assert.equal([readFileSync(shared, 'utf8'), uid, gid], ['new\n', 4_001, 4_002]);
});

scripts('should change nothing again, and go back to the setup of the active version', async () => {
  const { root, update, ordered } = setupMachine();
  await update('almanakk-3');
  ordered();
  const { stdout } = await update('almanakk-3');
  assert.not.match(stdout, /^copied:/m);
  assert.is(ordered(), '');
  const { code, stdout: back, stderr } = await update('almanakk-2');
  assert.is(code, 0, stderr);
  assert.is(readFileSync(join(root, 'etc/almanakk/shared.conf'), 'utf8'), 'old\n');
  assert.match(back, 'no longer used, not removed: /usr/local/sbin/almanakk-new\n');
  assert.match(ordered(), 'systemctl daemon-reload\n');
});

scripts('should fail while nginx refuses its files, and reload it in the first run after that', async () => {
  const { root, update, ordered } = setupMachine({ nginx: 'test -e accepts' });
  for (const before of ['systemctl daemon-reload\n', '']) {
    const { code, stderr } = await update('almanakk-3');
    assert.is(code, 1);
    assert.match(stderr, 'Correct its configuration, and run almanakk-setup almanakk-3 again.');
    assert.is(ordered(), `${before}nginx -t\n`);
  }
  save(join(root, 'accepts'), '');
  assert.is((await update('almanakk-3')).code, 0);
  assert.is(ordered(), RELOAD_NGINX);
  await update('almanakk-3');
  assert.is(ordered(), '');
});

scripts('should copy new files of nginx to a machine without it, and not reload it', async () => {
  const { root, update, ordered } = setupMachine({ nginx: null });
  const { code, stdout, stderr } = await update('almanakk-3');
  assert.is(code, 0, stderr);
  assert.match(stdout, 'not reloaded: nginx, which is not installed');
  assert.is(readFileSync(join(root, 'etc/nginx/conf.d/new.conf'), 'utf8'), 'new\n');
  assert.is(ordered(), 'systemctl daemon-reload\n');
});

/** A package with another sqlite3.sha256, or another environment, and what becomes of the binary. */
interface Installation {
  readonly what: string;
  /** The lines of sqlite3.sha256, from the right hash; null for a package without it. */
  readonly record: ((hash: string, archive: string) => string) | null;
  readonly env?: Readonly<Record<string, string>>;
  readonly isInstalled?: boolean;
  /** The order to npm. */
  readonly ordered?: string;
  readonly said: string;
  readonly code?: number;
}

const ARCHIVE = `sqlite3-v6.0.1-napi-v6-${process.platform}-${process.arch}.tar.gz`;
const OTHER_HASH = 'a'.repeat(64);
const REBUILD = 'rebuild sqlite3 --ignore-scripts=false --foreground-scripts';

const INSTALLATIONS: readonly Installation[] = [
  {
    what: 'the published binary',
    record: (hash, archive) => `${OTHER_HASH}  other.tar.gz\n${hash}  ${archive}\n`,
    isInstalled: true,
    said: '',
  },
  {
    what: 'another binary than the published one',
    record: (_, archive) => `${OTHER_HASH}  ${archive}\n`,
    said: `sqlite3: expected ${OTHER_HASH}  ${ARCHIVE}, found `,
    code: 1,
  },
  {
    what: 'a package without hashes',
    record: null,
    ordered: `build_from_source=sqlite3 ${REBUILD}\n`,
    said: 'this package has no sqlite3.sha256, so npm compiles it',
  },
  {
    what: 'a package without hashes, on a machine without a compiler',
    record: null,
    env: { NPM_EXITS_WITH: '1' },
    ordered: `build_from_source=sqlite3 ${REBUILD}\n`,
    said: 'npm could not compile it. This needs python3, make and g++',
    code: 1,
  },
  {
    what: 'a package without hashes, whose operator accepts any binary',
    record: null,
    env: { SQLITE3_UNCHECKED: 'yes' },
    ordered: `build_from_source= ${REBUILD}\n`,
    said: 'nothing checks the binary that npm downloads',
  },
  {
    what: 'an operator who accepts any binary, but has hashes',
    record: (_, archive) => `${OTHER_HASH}  ${archive}\n`,
    env: { SQLITE3_UNCHECKED: 'yes' },
    said: `sqlite3: expected ${OTHER_HASH}  ${ARCHIVE}, found `,
    code: 1,
  },
  {
    what: 'a platform without a hash',
    record: () => `${OTHER_HASH}  other.tar.gz\n`,
    ordered: `build_from_source=sqlite3 ${REBUILD}\n`,
    said: `sqlite3.sha256 has no hash of ${ARCHIVE}, so npm compiles it`,
  },
  {
    what: 'a compilation that the operator wants',
    record: (_, archive) => `${OTHER_HASH}  ${archive}\n`,
    env: { npm_config_build_from_source: 'sqlite3' },
    ordered: `build_from_source=sqlite3 ${REBUILD}\n`,
    said: '',
  },
];

for (const { what, record, env = {}, isInstalled = false, ordered, said, code = 0 } of INSTALLATIONS) {
  withProgram('curl')(`should check the binary of sqlite3 by the hash of the release: ${what}`, async () => {
    const root = temporaryFolder();
    const binary = 'build/Release/node_sqlite3.node';
    save(join(root, 'mirror', binary), 'published');
    mkdirSync(join(root, 'mirror/v6.0.1'));
    await mustRun(`tar --create --gzip --file v6.0.1/${ARCHIVE} build`, { root: join(root, 'mirror') });
    const { stdout } = await mustRun(`sha256sum mirror/v6.0.1/${ARCHIVE}`, { root });
    const folder = join(root, 'package');
    save(join(folder, 'node_modules/sqlite3/package.json'), '{"version":"6.0.1"}');
    save(join(folder, 'node_modules/sqlite3/index.js'), '');
    if (record !== null) save(join(folder, 'sqlite3.sha256'), record(stdout.slice(0, 64), ARCHIVE));
    const order = `echo "build_from_source=\${npm_config_build_from_source:-} $*" >> ${root}/log`;
    saveProgram(root, 'npm', `${order}; exit "\${NPM_EXITS_WITH:-0}"`);
    const done = await runCommand('sh', [packagePath('docs/install-sqlite3.sh'), folder], {
      env: {
        ...env,
        PATH: `${root}/bin:${process.env.PATH}`,
        npm_config_sqlite3_binary_host: `file://${root}/mirror`,
      },
    });
    assert.is(done.code, code, done.stderr);
    assert.match(done.stderr, said);
    if (said === '') assert.is(done.stderr, '');
    assert.is(existsSync(join(folder, 'node_modules/sqlite3', binary)), isInstalled);
    const log = join(root, 'log');
    assert.is(existsSync(log) ? readFileSync(log, 'utf8') : undefined, ordered);
    assert.not.ok(existsSync(join(folder, ARCHIVE)));
  });
}

scripts.run();
