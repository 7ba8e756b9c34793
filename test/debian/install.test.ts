/** almanakk-install and almanakk-prepare: a run that was cut off is continued, and one that has ended is not done again. */
import { readdirSync, readFileSync, readlinkSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertIncludes, assertMissing } from '../helpers/assertions.ts';
import { debianPaths } from '../helpers/debian-files.ts';
import { contentsOf, mustRun, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';
import { theBlock } from '../readme/blocks.ts';
import { createMachine, scriptAt, setupFile } from './active-machine.ts';

type Run = (...args: readonly string[]) => ReturnType<typeof runScript>;

interface Installation {
  readonly root: string;
  /** Where versions are installed. */
  readonly folder: string;
  readonly install: Run;
}

interface Context {
  /** With the version almanakk-1, which is active. Tests leave it complete. */
  readonly installed: Installation;
}

const scripts = when(isExpected('openssl'), 'openssl is not installed here', suite<Context>('installation'));

scripts.before(async (context) => {
  const installation = await createInstallation();
  await installation.install('almanakk-1.tgz');
  Object.assign(context, { installed: installation });
});

/** A machine with the package of almanakk-1, on which nothing is installed. Its npm notes each call, and fails without the file `online`. */
async function createInstallation({ isOnline = true } = {}): Promise<Installation> {
  const root = temporaryFolder();
  await makePackage(root, 'first');
  saveProgram(root, 'npm', 'echo "$*" >> npm.log; shift 6; mkdir "$1/node_modules"; test -e online');
  if (isOnline) save(join(root, 'online'), '');
  const text = scriptAt(root, 'almanakk-install');
  return {
    root,
    folder: join(root, 'opt/almanakk'),
    install: (...args) => runScript(text, { root, args }),
  };
}

/** Puts a package with this line in it into the folder, with a program that activates it. */
async function makePackage(root: string, line: string): Promise<void> {
  save(join(root, 'package/line'), line);
  save(join(root, 'package/docs/install-sqlite3.sh'), 'test -e "$1/node_modules"\n');
  const activate = scriptAt(root, 'almanakk-activate').replace(
    /^is_complete\(\) \{[^}]+\}/m,
    'is_complete() { true; }',
  );
  save(join(root, 'package/docs/debian/usr/local/sbin/almanakk-activate'), activate);
  await mustRun('tar --create --gzip --file almanakk-1.tgz package', { root });
}

const EACH_FILE = /^$/;

scripts(
  'H17: should start over with a version whose installation was interrupted, and leave a complete one',
  async () => {
    const { root, folder, install } = await createInstallation({ isOnline: false });
    assert.is((await install('almanakk-1.tgz')).code, 1, 'without a network');
    assertMissing(join(folder, 'current'));
    save(join(root, 'online'), '');
    const { code, stdout, stderr } = await install('almanakk-1.tgz');
    assert.equal([code, stdout], [0, 'installed, and active: almanakk-1\n'], stderr);
    assert.is(readlinkSync(join(folder, 'current')), 'almanakk-1');
    assert.equal(readdirSync(folder).sort(), ['almanakk-1', 'current']);
    const complete = contentsOf(folder, EACH_FILE);
    assert.is((await install('almanakk-1.tgz')).stdout, stdout);
    assert.equal(contentsOf(folder, EACH_FILE), complete);
    const calls = readFileSync(join(root, 'npm.log'), 'utf8').trimEnd().split('\n');
    assert.is(calls.length, 2, 'calls of npm: one that failed, and one that succeeded');
  },
);

scripts('H17: should refuse another package of an installed version', async ({ installed }) => {
  const { root, folder, install } = installed;
  const before = contentsOf(folder, EACH_FILE);
  await makePackage(root, 'another');
  const another = await install('almanakk-1.tgz');
  assert.is(another.code, 1);
  assert.match(another.stderr, 'expected the package that ');
  assert.equal(contentsOf(folder, EACH_FILE), before);
});

scripts('H17: should refuse a version without a note of its package', async ({ installed }) => {
  const { root, folder, install } = installed;
  save(join(folder, 'almanakk-0/line'), 'without a note of its package');
  save(join(root, 'almanakk-0.tgz'), '');
  const { stderr } = await install('almanakk-0.tgz');
  assert.match(stderr, 'was installed by an earlier version of this script');
  rmSync(join(folder, 'almanakk-0'), { recursive: true });
});

scripts('H17: should refuse no package, a missing one, and several', async ({ installed }) => {
  const { folder, install } = installed;
  const before = contentsOf(folder, EACH_FILE);
  for (const args of [[], ['missing.tgz'], ['almanakk-1.tgz', 'missing.tgz']]) {
    const { code, stderr } = await install(...args);
    assert.is(code, 1, `arguments ${args}`);
    assert.match(stderr, `expected a package, such as almanakk-2.0.0.tgz, found: ${args.join(' ')}\n`);
  }
  assert.equal(contentsOf(folder, EACH_FILE), before);
});

scripts(
  'H17: should leave the active version as it is beside a new one, and print the documented commands',
  async ({ installed }) => {
    const { root, folder, install } = installed;
    renameSync(join(root, 'almanakk-1.tgz'), join(root, 'almanakk-2.tgz'));
    const { stdout } = await install('almanakk-2.tgz');
    assert.is(readlinkSync(join(folder, 'current')), 'almanakk-1');
    const lines = stdout.replaceAll(root, '').split('\n');
    const [trial = '', ...others] = lines.filter((line) => line.startsWith('  '));
    const { text: documented } = theBlock({ language: 'sh', says: /^AT=\S+ almanakk rebuild --trial /m });
    assertIncludes(documented.replaceAll('NEXT', '2'), `${trial.trim()}\n`);
    assert.equal(others, ['  almanakk-setup almanakk-2', '  almanakk-switch almanakk-2']);
  },
);

const DOMAIN = 'kalender.lillevik.example';
const OF_OPERATOR = 'a text of the operator';
/** Files of the setup that name the machine. */
const WITH_DOMAIN = ['etc/almanakk/.env', 'etc/nginx/conf.d/almanakk.conf'];

interface Preparation {
  readonly root: string;
  /** The path of `.env`. */
  readonly settings: string;
  readonly prepare: Run;
}

/** A machine whose files of the setup are missing. */
function createPreparation(): Preparation {
  const root = createMachine();
  const text = scriptAt(root, 'almanakk-prepare');
  return {
    root,
    settings: join(root, 'etc/almanakk/.env'),
    prepare: (...args) => runScript(text, { root, args }),
  };
}

scripts('H17: should create no settings without random tokens', async () => {
  const { root, settings, prepare } = createPreparation();
  saveProgram(root, 'openssl', 'exit 1');
  assert.is((await prepare(DOMAIN)).code, 1);
  assertMissing(settings);
});

scripts('H17: should continue to prepare a machine after a run that was cut off', async () => {
  const { root, settings, prepare } = createPreparation();
  // Cut off at the third file.
  saveProgram(root, 'mv', `echo >> ${root}/moved; test "$(wc -l < ${root}/moved)" != 3 && exec /bin/mv "$@"`);
  assert.is((await prepare(DOMAIN)).code, 1);
  assertMissing(join(root, 'srv/almanakk'));
  const first = readFileSync(settings, 'utf8');
  const { code, stdout, stderr } = await prepare(DOMAIN);
  assert.is(code, 0, stderr);
  assert.match(stdout, 'not created yet: the files in ');
  // They need a certificate.
  assertMissing(join(root, 'etc/nginx'));
  assert.is(readFileSync(settings, 'utf8'), first);
  assert.match(first, /^ALMANAKK_ADMIN_TOKEN=([0-9a-f]{48})\nALMANAKK_METRICS_TOKEN=(?!\1)[0-9a-f]{48}$/m);
  const modeOf = (path: string) => statSync(join(root, path)).mode & 0o777;
  assert.is(modeOf('etc/almanakk/.env'), 0o640);
  assert.is(modeOf('usr/local/sbin/almanakk'), 0o755);
  assert.is(modeOf('var/lib/almanakk'), 0o750);
  assert.match(readFileSync(join(root, 'users'), 'utf8'), /--shell \/usr\/sbin\/nologin almanakk$/m);
});

scripts('H17: should create the missing files of the setup, and change none that exists', async () => {
  const { root, settings, prepare } = createPreparation();
  await prepare(DOMAIN);
  save(settings, OF_OPERATOR);
  save(join(root, 'srv/almanakk/events.json'), OF_OPERATOR);
  save(join(root, 'etc/letsencrypt/live', DOMAIN, 'fullchain.pem'), '');
  const withoutNginx = () => contentsOf(root, /^etc\/nginx/);
  const before = withoutNginx();
  const { stdout } = await prepare(DOMAIN);
  assert.match(stdout, /^(?:created: \S+\/etc\/nginx\/\S+\n)+$/);
  assert.equal(withoutNginx(), before);
  for (const path of debianPaths()) {
    const there = readFileSync(join(root, path), 'utf8');
    if (path === 'etc/almanakk/.env') assert.is(there, OF_OPERATOR);
    else if (WITH_DOMAIN.includes(path)) assert.match(there, `server_name ${DOMAIN};`);
    else assert.is(there, setupFile(path), path);
  }
  assert.is((await prepare(DOMAIN)).stdout, '', 'once all files are there');
});

scripts('H17: should prepare no machine for what is no domain name', async () => {
  const { settings, prepare } = createPreparation();
  for (const domain of ['', 'https://kalender.example', 'kalender', '../etc', 'a b.example']) {
    const { code, stderr } = await prepare(domain);
    assert.is(code, 1, domain);
    assert.match(stderr, `almanakk-prepare: expected a domain name`);
  }
  assertMissing(settings);
});

scripts.run();
