/** almanakk-restore: what a machine has once an archive is restored on it. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mustRun, runScript, save, saveProgram, scriptIn, textOrMode } from '../helpers/debian-root.ts';
import {
  archiveIn,
  backUp,
  backUpWithOutput,
  type Context,
  fakeOf,
  log,
  machineWithoutDeliveries,
  manifestOf,
  mustRestore,
  OF_ARCHIVE,
  PICTURES,
  prepare,
  previousFiles,
  readIn,
  SERVICES,
  SETTINGS,
  STATE,
  tryRestore,
  withTar,
} from './restore-machine.ts';

interface RestoredContext extends Context {
  /** The folder with the previous files. */
  previous: string;
}

/** The machine after a restore, at which the tests look. */
const restored = withTar(suite<RestoredContext>('almanakk-restore: a restored machine'));

restored.before(async (context) => {
  await prepare(context);
  const { root, archive } = context;
  // As a run leaves it that was killed after it had moved these files.
  for (const name of ['.env', '4000.conf', '4001.conf', 'build.conf'])
    rmSync(join(root, 'etc/almanakk', name));
  const { stdout } = await mustRestore(root, archive);
  context.previous = previousFiles(stdout);
});

restored('H14: should have the files of the archive', ({ root }) => {
  for (const path of [...OF_ARCHIVE.slice(1), 'deliveries/kirken/alle.ics'])
    assert.is(readIn(root)(path), 'of the archive', path);
  assert.equal(
    ['srv/almanakk', STATE].map((path) => readdirSync(join(root, path), { recursive: true }).sort()),
    [['sources.json'], ['builder.json', 'calendar-1.sqlite', 'manifest.json']],
    'without the files that the archive lacks',
  );
  assert.is(textOrMode(join(root, 'srv/almanakk')), 'mode 775');
});

restored('H14: should keep its own settings of nginx, and the use of keys', ({ root }) => {
  for (const path of ['etc/nginx/nginx.conf', 'var/lib/almanakk/keys.json.usage'])
    assert.is(readIn(root)(path), 'of this machine', path);
});

restored('H14: should have its previous files in a folder for root alone', ({ root, previous }) => {
  const moved = [
    'srv/almanakk/pictures/fjord.jpg',
    `${STATE}/calendar-2.sqlite`,
    'var/lib/almanakk/keys.json',
  ];
  for (const path of moved) assert.is(readIn(root)(`${previous}/${path}`), 'of this machine', path);
  assert.is(textOrMode(join(root, previous)), 'mode 700');
});

restored('H14: should have stopped its services, started them, and waited for the servers', ({ root }) => {
  const said = readIn(root)('log').replaceAll(
    /^(?:curl .* |systemctl is-enabled.*\n|chown --reference.*\n)/gm,
    '',
  );
  assert.is(
    said,
    `systemctl stop ${SERVICES}
chown --recursive almanakk:almanakk var/lib/almanakk
systemctl start ${SERVICES}
http://127.0.0.1:4000/readyz
http://127.0.0.1:4001/readyz
`,
  );
});

restored('H14: should refuse the pictures that the other machine had removed', ({ root }) => {
  const listed = readIn(root)(`${PICTURES}/removed/restored`);
  assert.is(listed, 'bilder.example/konsert.jpg\n', 'for almanakk-pictures');
});

/** It restores the machine a second time, so it is the last test of this machine. */
restored('H14: should say that its builder does not stay up', async ({ root, archive, previous }) => {
  // Another restore in the same second would have a folder of the same name.
  rmSync(join(root, previous), { recursive: true });
  save(join(root, PICTURES, 'machine.conf'), '');
  saveProgram(root, 'almanakk-remove-picture', log(root, 'almanakk-remove-picture'));
  saveProgram(root, 'systemctl', fakeOf(root, 'systemctl', 1));
  const again = await tryRestore(root, archive);
  assert.match(again.stdout, /^restored\. /);
  const isDown =
    'almanakk-restore: expected the builder to report within a minute and to stay up: almanakk@build. ' +
    'The servers use the restored snapshot. Read the log: journalctl --unit almanakk@build\n';
  assert.equal([again.code, again.stderr], [1, isDown], 'a builder that systemd has started again');
  assert.match(readIn(root)('log'), /\nalmanakk-remove-picture\n/);
});

restored.run();

const restore = suite<Context>('almanakk-restore');
const here = withTar(restore);

restore.before.each(prepare);

here('H14: should be preceded by a backup that says which files it lacks', async () => {
  const root = machineWithoutDeliveries();
  const { code, stderr } = await runScript(scriptIn(root, 'almanakk-backup'), { root });
  const lack = 'settings name files that do not exist, so the archive lacks them: /deliveries\n';
  assert.equal([code, stderr], [1, `almanakk-backup: ${lack}`]);
  assert.not.ok(existsSync(join(root, 'var/backups/almanakk.made')), 'servers warn without this mark');
});

const FURTHER = 'var/lib/almanakk-lillevik';

/** Adds a second calendar to the machine, and returns the archive of both. */
async function archiveOfTwo(root: string): Promise<string> {
  const at = (path: string) => join(root, path);
  const settings = `ALMANAKK_SOURCE=/srv/lillevik\nALMANAKK_SNAPSHOTS=/${FURTHER}/snapshots\n`;
  save(at('etc/almanakk/4010.conf'), settings);
  save(at('srv/lillevik/events.json'), '[]');
  save(at(`${FURTHER}/keys.json`), 'of Lillevik');
  save(at(`${FURTHER}/snapshots/manifest.json`), manifestOf('calendar-3.sqlite', 'of Lillevik'));
  save(at(`${FURTHER}/snapshots/calendar-3.sqlite`), 'of Lillevik');
  saveLacking(root);
  return backUp(root);
}

/** The files that the settings name and that this machine lacks. */
function saveLacking(root: string): void {
  save(join(root, 'srv/secrets/hook'), 'a secret');
  save(join(root, 'deliveries/a.ics'), 'of this machine');
}

/** Whether the user of the further calendar exists, and whose its files then are. */
const OWNERS = [
  { getent: 'true', owner: 'almanakk-lillevik:almanakk-lillevik' },
  { getent: 'false', owner: 'root:root' },
] as const;

here('H14, H19: should keep a further calendar from others until its user exists', async ({ root }) => {
  const archive = await archiveOfTwo(root);
  for (const { getent, owner } of OWNERS) {
    saveProgram(root, 'getent', getent);
    rmSync(join(root, FURTHER), { recursive: true });
    rmSync(join(root, 'log'), { force: true });
    const { stdout } = await mustRestore(root, archive);
    assert.is(readIn(root)(`${FURTHER}/keys.json`), 'of Lillevik');
    assert.match(readIn(root)('log'), `chown --recursive ${owner} ${FURTHER}\n`);
    // Another restore in the same second would have a folder of the same name.
    rmSync(join(root, previousFiles(stdout)), { recursive: true });
  }
  assert.is(textOrMode(join(root, FURTHER)), 'mode 700');
});

const KEYS = 'var/lib/almanakk/keys.json';
const CORRECTIONS = 'srv/almanakk/corrections.json';
const EDITED = 'srv/almanakk/venues.json';
const REMOVED_SINCE = 'srv/almanakk/removed-since';
const HELD = `${STATE}/.held`;
const RECORDS = `${STATE}/feeds/kulturhuset.json`;
/** The source of the builder, as almanakk-sync has copied it to the replica. */
const VERSION = 'var/backups/almanakk-sync/2026-11-30T09-00-00';

/** Seconds since 1970. */
const OF_BUILDER = 1_000;

/** Saves a file with its time. `at`: seconds since 1970. */
function saveAt(path: string, text: string, at: number): void {
  save(path, text);
  utimesSync(path, at, at);
}

function saveSnapshot(root: string, of: string, at: number): void {
  const manifest = manifestOf(`calendar-${at}.sqlite`, of);
  const builtAt = new Date(at * 1_000).toISOString();
  saveAt(join(root, STATE, 'manifest.json'), `  "builtAt": "${builtAt}",\n${manifest}`, at);
  saveAt(join(root, STATE, `calendar-${at}.sqlite`), of, at);
}

/** The archive of a builder, all of whose files are of one time. */
async function archiveOfBuilder(root: string): Promise<string> {
  for (const path of [KEYS, CORRECTIONS, RECORDS, HELD, REMOVED_SINCE])
    saveAt(join(root, path), 'of the archive', OF_BUILDER);
  const source = join(root, 'srv/almanakk');
  for (const name of ['', ...readdirSync(source, { recursive: true, encoding: 'utf8' })])
    utimesSync(join(source, name), OF_BUILDER, OF_BUILDER);
  saveSnapshot(root, 'of the archive', OF_BUILDER);
  saveLacking(root);
  return backUp(root);
}

/** In its place a replica, with copies that almanakk-sync made at this time. */
function becomeReplica(root: string, at: number): void {
  for (const path of ['srv/almanakk', STATE]) rmSync(join(root, path), { recursive: true });
  for (const path of [KEYS, ...[EDITED, CORRECTIONS, RECORDS].map((name) => `${VERSION}/${name}`)])
    saveAt(join(root, path), 'of the replica', at);
  save(join(root, VERSION.replace('09-00', '08-55'), EDITED), 'of an earlier version');
  saveSnapshot(root, 'of the replica', at);
  chmodSync(join(root, VERSION, CORRECTIONS), 0o640);
  utimesSync(join(root, VERSION), at, at);
}

here('H14: should leave a replica its copies if they are newer than the archive', async ({ root }) => {
  const archive = await archiveOfBuilder(root);
  becomeReplica(root, OF_BUILDER + 1_000);
  const { stdout } = await mustRestore(root, '--keep-newer', archive);
  const snapshot = `${STATE}/calendar-${OF_BUILDER + 1_000}.sqlite`;
  const kept = [...stdout.matchAll(/^kept, because it is newer than the archive: \/(.*)$/gm)];
  assert.equal(
    kept.map(([, path]) => path),
    [KEYS, snapshot, `${STATE}/manifest.json`, `${VERSION}/srv/almanakk`],
  );
  const copies = [KEYS, snapshot, CORRECTIONS, RECORDS, EDITED];
  for (const path of copies) assert.is(readIn(root)(path), 'of the replica', path);
  assert.match(readIn(root)(`${STATE}/manifest.json`), `calendar-${OF_BUILDER + 1_000}.sqlite`);
  for (const path of [REMOVED_SINCE, HELD]) assert.not.ok(existsSync(join(root, path)), path);
  assert.is(statSync(join(root, CORRECTIONS)).mode & 0o777, 0o640);
});

here('H14: should replace the copies of a replica if the archive is newer', async ({ root }) => {
  const archive = await archiveOfBuilder(root);
  becomeReplica(root, OF_BUILDER - 500);
  const { stdout } = await mustRestore(root, '--keep-newer', archive);
  const snapshot = `${STATE}/calendar-${OF_BUILDER}.sqlite`;
  assert.not.match(stdout, 'newer than the archive');
  const restoredFiles = [KEYS, snapshot, CORRECTIONS, RECORDS, REMOVED_SINCE, HELD];
  for (const path of restoredFiles) assert.is(readIn(root)(path), 'of the archive', path);
  assert.match(readIn(root)(`${STATE}/manifest.json`), `calendar-${OF_BUILDER}.sqlite`);
  assert.not.ok(existsSync(join(root, EDITED)));
  assert.is(statSync(join(root, CORRECTIONS)).mode & 0o777, 0o644);
});

here(
  'H14: should restore a replica, and make it the builder with the archive of one',
  async ({ root, archive }) => {
    const at = (path: string) => join(root, path);
    const read = readIn(root);
    renameSync(archive, at('bin/builder.tar.gz'));
    const settings = 'ALMANAKK_ORIGIN=http://builder.example:4000/snapshots/\n';
    save(at('etc/almanakk/.env'), settings);
    await mustRun(`${scriptIn(root, 'almanakk-backup')}\nmv "$folder"/*.gz bin/replica.tar.gz`, { root });
    save(at('etc/almanakk/.env'), 'ALMANAKK_SOURCE=/srv/almanakk\n');
    await mustRestore(root, at('bin/replica.tar.gz'));
    assert.equal(
      [read('etc/almanakk/.env'), read('srv/almanakk/sources.json')],
      [settings, 'of this machine'],
    );
    rmSync(at('var/backups'), { recursive: true });
    saveProgram(root, 'systemctl', `${log(root, 'systemctl')}\ntest "$3" != almanakk@build`);
    const { stdout } = await mustRestore(root, at('bin/builder.tar.gz'));
    assert.equal(
      [read('etc/almanakk/.env'), read('srv/almanakk/sources.json')],
      [SETTINGS, 'of the archive'],
    );
    assert.match(stdout, /^not started, because it is not enabled: almanakk@build$/m);
  },
);

/** Files of the machine. Earlier versions archived them if an editor had a link to them. */
const LINKED = ['etc/shadow', 'usr/lib/libc.so'];
/** A file of the source. In a list with a name a line, its second line is no path of the source. */
const TWO_LINES = 'srv/almanakk/a\nvar/lib/almanakk/ etc snapshots/manifest.json';
const ADD = `gunzip --stdout "$1" > bin/a.tar
tar --append --file bin/a.tar ${LINKED.join(' ')} '${TWO_LINES}'
gzip --stdout bin/a.tar > "$1"`;

here('H14: should leave files alone that an editor has linked or named into the archive', async (context) => {
  const { root, archive } = context;
  const at = (path: string) => join(root, path);
  for (const path of [...LINKED, TWO_LINES]) save(at(path), 'of the archive');
  await mustRun(ADD, { root, args: [archive] });
  for (const path of LINKED) save(at(path), 'of this machine');
  const { stdout, stderr } = await mustRestore(root, archive);
  for (const path of LINKED) {
    assert.is(readFileSync(at(path), 'utf8'), 'of this machine', path);
    assert.match(stderr, `not restored, because it is in no folder of the settings: /${path}\n`);
  }
  assert.is(readFileSync(at(TWO_LINES), 'utf8'), 'of the archive');
  const previous = previousFiles(stdout);
  assert.equal(readdirSync(at(previous)).sort(), ['etc', 'srv', 'var']);
  assert.equal(readdirSync(at(`${previous}/etc`)), ['almanakk']);
});

/** A link that a setting names, and one in a folder to which others may write. */
const LINKS = {
  'srv/secrets/hook': '../../mnt/hook',
  'deliveries/huset.ics': '../mnt/huset.ics',
  'srv/almanakk/shadow.json': '../../mnt/shadow',
} as const;
const TARGETS = ['mnt/hook', 'mnt/huset.ics', 'mnt/shadow'];

here(
  'H14: should restore the file of a link that settings name, and that of no other link',
  async ({ root }) => {
    const at = (path: string) => join(root, path);
    for (const path of TARGETS) save(at(path), 'of the archive');
    for (const folder of ['srv/secrets', 'deliveries']) mkdirSync(at(folder));
    for (const [path, target] of Object.entries(LINKS)) symlinkSync(target, at(path));
    const { stderr } = await backUpWithOutput(root);
    const named = [...stderr.matchAll(/ without the file in another folder to which it leads: \/(.*)\n/g)];
    assert.equal(named.map(([, path]) => path).sort(), ['deliveries/huset.ics', 'srv/almanakk/shadow.json']);
    for (const path of TARGETS) save(at(path), 'of this machine');
    for (const path of Object.keys(LINKS)) rmSync(at(path));
    await mustRestore(root, archiveIn(root));
    for (const [path, target] of Object.entries(LINKS)) assert.is(readlinkSync(at(path)), target);
    const expected = ['of the archive', 'of this machine', 'of this machine'];
    assert.equal(
      TARGETS.map((path) => readFileSync(at(path), 'utf8')),
      expected,
    );
  },
);

restore.run();
