/** H14: `almanakk-backup` of docs/debian, run in a folder that looks like the root of a machine. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runRestore } from '../../jobs/commands/restore.ts';
import { packagePath } from '../../src/package.ts';
import { createKeeper } from '../../src/snapshot/keeper.ts';
import { parseManifest, readManifestText } from '../../src/snapshot/manifest.ts';
import { built, MONTHS, sourceOfEvents } from '../helpers/build.ts';
import { BUILD_SETTINGS } from '../helpers/build-choices.ts';
import { NOW } from '../helpers/calendar.ts';
import { mustRun, runScript, save, saveProgram, scriptIn } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { logInto, verifyHere } from '../helpers/keeper.ts';
import { runCommand } from '../helpers/program.ts';
import { isExpected, when } from '../helpers/when.ts';

const scripts = suite('almanakk-backup');
const withProgram = (name: string) => when(isExpected(name), `${name} is not installed here`, scripts);

const STATE = 'var/lib/almanakk/snapshots';

/** Of a further calendar. */
const SECOND = 'var/lib/almanakk-lillevik/snapshots';

/** Files that no build makes. Some have names that snapshots, or other files of a builder, have. */
const KEPT = [
  'deliveries/kirken.ics',
  'etc/almanakk/.env',
  'etc/nginx/conf.d/almanakk.conf',
  'etc/systemd/system/almanakk-backup.service.d/override.conf',
  'etc/systemd/system/almanakk@.service',
  'srv/almanakk/builder.json',
  'srv/almanakk/calendar-2027.csv',
  'srv/almanakk/manifest.json',
  'srv/almanakk/pictures/calendar-uke 1\\2.jpg',
  'srv/almanakk/public-events.ics',
  'mnt/hook',
  'srv/lillevik/events.json',
  'var/lib/almanakk/keys.json',
  'var/lib/almanakk/older/keys.json',
  'var/lib/almanakk-lillevik/keys.json',
  `${STATE}/feeds/calendar-kirken.json`,
];

/** Symbolic links. The first is named by a setting, the next are in folders to which others may write, and the last lead to files of packages. */
const LINKS = {
  'srv/secrets/hook': '../../mnt/hook',
  'deliveries/shadow.ics': '../etc/shadow',
  'srv/almanakk/events.json': '../lillevik/events.json',
  'srv/almanakk/pictures/shadow.jpg': '../../../etc/shadow',
  'var/lib/almanakk/shadow': '../../../etc/shadow',
  'etc/nginx/modules-enabled/geoip.conf': '../../../srv/other/events.json',
  'etc/systemd/system/almanakk@.service.d/other.conf': '../other.service',
};

const FOLDERS = ['srv/almanakk/', 'srv/almanakk/pictures/', 'srv/lillevik/'];

/** Beside the snapshots of other builds. */
const LEFT_OUT = [
  `${STATE}/.unfinished-7-calendar.sqlite`,
  `${STATE}/builder.json`,
  'var/lib/almanakk/trial/feeds/kirken.json',
  'var/lib/almanakk/older/snapshots/calendar-0123456789abcdef.sqlite',
  `${SECOND}/calendar-0123456789abcdef.sqlite`,
  'var/lib/almanakk-workbooks/rclone.conf',
  'srv/other/events.json',
  'etc/shadow',
  'etc/letsencrypt/live/kalender.example/privkey.pem',
  'etc/systemd/system/other.service',
];

withProgram('tar')('H14: should archive the snapshot that is served, older than the newest', async () => {
  const root = temporaryFolder();
  const folder = join(root, STATE);
  mkdirSync(folder, { recursive: true });
  const older = await built(sourceOfEvents(3), folder, { isPublic: true });
  const newer = await built(sourceOfEvents(4), folder, { isPublic: true, now: NOW + 60 });
  await putBack(older.id, folder);
  for (const path of [...KEPT, ...LEFT_OUT]) save(join(root, path), path);
  save(
    join(root, 'etc/almanakk/.env'),
    `ALMANAKK_SOURCE_FILES=/etc/almanakk, /deliveries/
ALMANAKK_HOOK_SECRET_FILE="/srv/secrets/hook"
ALMANAKK_ADMIN_TOKEN_FILE=/run/admin-token
ALMANAKK_PUBLIC_FILE=true
#ALMANAKK_SIGNING_KEY=/srv/other
  ALMANAKK_SOURCE=/srv/almanakk`,
  );
  save(
    join(root, 'etc/almanakk/4010.conf'),
    `RUN=start --port 4010\nALMANAKK_SOURCE=../../srv/lillevik/\nALMANAKK_SNAPSHOTS=/${SECOND}\n`,
  );
  for (const [link, target] of Object.entries(LINKS)) {
    mkdirSync(dirname(join(root, link)), { recursive: true });
    symlinkSync(target, join(root, link));
  }
  const second = join(root, SECOND);
  const { id: secondId } = await built(sourceOfEvents(5), second);
  const text = scriptIn(root, 'almanakk-backup');
  const { stderr } = await mustRun(text, { root });
  const left = [...stderr.matchAll(/without the file in another folder to which it leads: \/(.*)\n/g)];
  assert.equal(
    left.map(([, path]) => path).sort(),
    Object.keys(LINKS).filter((path) => path.includes('/shadow')),
  );
  const list = 'tar --list --gzip --quoting-style=literal --file var/backups/almanakk/*.tar.gz';
  const names = (await mustRun(list, { root })).stdout.trim().split('\n');
  const { file, compressed, public: edition } = parseManifest((await readManifestText(folder)) ?? '');
  const served = [
    'manifest.json',
    '.held',
    '.lock',
    file,
    compressed?.file,
    edition?.file,
    edition?.compressed?.file,
  ];
  const ofSecond = [
    'manifest.json',
    '.lock',
    `calendar-${secondId}.sqlite`,
    `calendar-${secondId}.sqlite.br`,
  ].map((name) => `${SECOND}/${name}`);
  const ofFirst = served.map((name) => `${STATE}/${name}`);
  const ofSettings = ['etc/almanakk/4010.conf', ...Object.keys(LINKS)];
  assert.equal(names.sort(), [...KEPT, ...FOLDERS, ...ofSettings, ...ofFirst, ...ofSecond].sort());
  assert.ok(existsSync(join(root, 'var/backups/almanakk.made')));
  const state = join(root, 'var/lib/almanakk');
  rmSync(join(state, 'older'), { recursive: true });
  await mustRun(`sh ${packagePath('docs/archive.sh')} ${state} > data.tar.gz`, { root });
  const inContainer = await mustRun('tar --list --gzip --file data.tar.gz', { root });
  const own = names.filter((name) => /^var\/lib\/almanakk\/(?!older)/.test(name));
  const expected = own.map((name) => name.replace('var/lib/almanakk', '.'));
  assert.equal(inContainer.stdout.trim().split('\n').sort(), expected.sort(), 'in a container');
  rmSync(folder, { recursive: true });
  await mustRun('tar --extract --file var/backups/almanakk/*.tar.gz', { root });
  const keeper = await createKeeper({ folder, log: logInto([]), pollMs: 60_000, verify: verifyHere });
  assert.is(keeper.state().current?.id, older.id, `not ${newer.id}`);
  await keeper.close();
});

withProgram('tar')('H14: should start over if a build ends while it archives', async () => {
  const root = temporaryFolder();
  const folder = join(root, STATE);
  const manifest = join(folder, 'manifest.json');
  mkdirSync(folder, { recursive: true });
  await built(sourceOfEvents(1), folder);
  const before = readFileSync(manifest, 'utf8');
  const { file } = await built(sourceOfEvents(2), folder, { now: NOW + 60 });
  const after = readFileSync(manifest, 'utf8');
  save(join(root, 'etc/almanakk/.env'), 'ALMANAKK_SOURCE=/srv/almanakk\n');
  save(join(root, 'etc/almanakk/build.conf'), 'RUN=build\n');
  save(join(root, 'srv/almanakk/events.json'), '[]');
  save(join(root, 'after.json'), after);
  const text = scriptIn(root, 'almanakk-backup');
  /** What the end of a build does: it removes the note of the lock, or replaces the manifest. */
  const ENDS = { [`rm -f ${STATE}/.lock-holder`]: before, [`cp ${root}/after.json ${manifest}`]: after };
  for (const [end, served] of Object.entries(ENDS)) {
    save(manifest, before);
    save(join(folder, '.lock-holder'), 'process 7');
    saveProgram(root, 'tar', `echo >> ${root}/calls\n${end}\nPATH="${process.env.PATH}"\nexec tar "$@"`);
    await mustRun(text, { root });
    assert.is(readFileSync(join(root, 'calls'), 'utf8'), '\n\n', end);
    const extract = `tar --extract --to-stdout --file var/backups/almanakk/*.gz ${STATE}/manifest.json`;
    assert.is((await mustRun(extract, { root })).stdout, served, end);
    for (const name of ['calls', 'var/backups']) rmSync(join(root, name), { recursive: true });
  }
  assert.match(after, file);
  save(manifest, before);
  const env = { PATH: `${root}/bin:${process.env.PATH}` };
  const archiving = [packagePath('docs/archive.sh'), join(root, 'var/lib/almanakk')];
  const { code, stderr } = await runCommand('sh', archiving, { cwd: root, env });
  assert.is(code, 1, 'in a container');
  assert.match(stderr, 'expected the same snapshot to be served until the end, found another');
});

/** What fails, with a program in place of `tar` and the bytes that are free; and what the script says. */
const FAILURES = [
  {
    what: 'the disk becomes full',
    tar: 'echo half > "$4"; echo "No space left on device" >&2; exit 2',
    left: '99999999',
    said: /^No space left on device$/m,
  },
  { what: 'it is stopped', tar: 'echo half > "$4"; kill "$PPID"', left: '99999999', said: /^$/ },
  {
    what: 'the disk has too little room',
    tar: 'echo tar >&2',
    left: '4096',
    said: /^almanakk-backup: expected room for \d{5,} bytes on the disk with \S*\/var\/backups\/almanakk, found 4096\. [^\n]+\n$/,
  },
];

withProgram('gzip')(
  'H14: should fail and keep the archives before, and no more, if an archive cannot be made or read',
  async () => {
    const root = temporaryFolder();
    const folder = join(root, STATE);
    mkdirSync(folder, { recursive: true });
    await built(sourceOfEvents(1), folder);
    save(join(root, 'etc/almanakk/.env'), 'ALMANAKK_SOURCE=/srv/almanakk\n');
    save(join(root, 'etc/almanakk/build.conf'), 'RUN=build\n');
    save(join(root, 'srv/almanakk/events.json'), '[]');
    saveProgram(root, 'tar', 'echo damaged > "$4"');
    const text = scriptIn(root, 'almanakk-backup');
    const env = { PATH: `${root}/bin:${process.env.PATH}` };
    const { code, stderr } = await runCommand('sh', ['-c', text], { cwd: root, env });
    assert.is(code, 1);
    assert.match(stderr, 'not in gzip format');
    const namesOf = () => readdirSync(join(root, 'var/backups'), { recursive: true }).join(' ');
    assert.is(namesOf(), 'almanakk', 'nothing is left of it');
    save(join(root, 'var/backups/almanakk/2026-11-28.tar.gz'), 'earlier');
    for (const { what, tar, left, said } of FAILURES) {
      // As a run leaves it that was killed.
      save(join(root, 'var/backups/almanakk/.unfinished'), 'half');
      saveProgram(root, 'tar', tar);
      saveProgram(root, 'df', `test ! -e "$3/.unfinished" && printf 'Avail\\n%s\\n' ${left}`);
      const failed = await runScript(text, { root });
      assert.is.not(failed.code, 0, what);
      assert.match(failed.stderr, said, what);
      assert.is(namesOf(), 'almanakk almanakk/2026-11-28.tar.gz', what);
    }
    for (const name of ['bin/df', 'var/backups']) rmSync(join(root, name), { recursive: true });
    save(join(root, 'etc/almanakk/.env'), '#ALMANAKK_SOURCE=/srv/almanakk\n');
    const without = await runCommand('sh', ['-c', text], { cwd: root, env });
    assert.is(without.code, 2, 'without a source folder');
    assert.match(without.stderr, /expected ALMANAKK_SOURCE in \.env, found none\n$/);
    assert.is(namesOf(), 'almanakk');
    save(join(root, 'etc/almanakk/.env'), 'ALMANAKK_SOURCE=/srv/almanakk\n');
    save(join(root, 'script'), 'w owned\n');
    save(join(root, 'var/lib/almanakk/x'), '  "file": "a",\n');
    const hostile = join(root, 'var/lib/almanakk/x --file=script ');
    save(join(hostile, 'snapshots/manifest.json'), '  "file": "a",\n');
    const refused = await runCommand('sh', ['-c', text], { cwd: root, env });
    assert.not.ok(existsSync(join(root, 'owned')), 'sed ran the script of another user');
    assert.is(refused.code, 1);
    assert.match(refused.stderr, 'expected only letters, digits, dots, hyphens and underscores in ');
    rmSync(hostile, { recursive: true });
    save(join(folder, 'manifest.json'), '  "file": "../../../../etc/shadow",\n');
    const outside = await runCommand('sh', ['-c', text], { cwd: root, env });
    assert.is(outside.code, 1);
    assert.match(outside.stderr, `${STATE}/manifest.json, found ../../../../etc/shadow\n`);
  },
);

async function putBack(id: string, target: string): Promise<void> {
  const quiet = () => undefined;
  const defaults = { source: '/nowhere', target, horizonMonths: MONTHS, ...BUILD_SETTINGS, isPublic: true };
  await runRestore([id], { defaults, now: NOW + 120, clock: Date.now, stdout: quiet, stderr: quiet });
}

scripts.run();
