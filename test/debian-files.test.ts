/** The files of docs/debian: the scripts run in a folder that looks like the machine's root; test/heavy/debian.test.ts installs all of them. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runRestore } from '../jobs/restore.ts';
import { readSettings } from '../jobs/settings.ts';
import { packagePath } from '../src/package.ts';
import { createKeeper } from '../src/snapshot/keeper.ts';
import { parseManifest, readManifestText } from '../src/snapshot/manifest.ts';
import { built, MONTHS, sourceOfEvents } from './helpers/build.ts';
import { BUILD_SETTINGS } from './helpers/build-choices.ts';
import { NOW } from './helpers/calendar.ts';
import { makeCertificate } from './helpers/certificate.ts';
import { debianFile, debianPaths } from './helpers/debian-files.ts';
import { mustRun, runScript, save, saveProgram, scriptIn } from './helpers/debian-root.ts';
import { always, startFeedServer } from './helpers/feed-server.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { logInto, verifyHere } from './helpers/keeper.ts';
import { startMailServer } from './helpers/mail-server.ts';
import { freePort } from './helpers/nginx.ts';
import { runCommand } from './helpers/program.ts';
import { startSilentServer } from './helpers/silent-server.ts';
import { isInstalled, when } from './helpers/when.ts';
import { theBlock } from './readme/blocks.ts';
import { readPage } from './readme/document.ts';

const files = suite('docs/debian');
const withProgram = (name: string) => when(isInstalled(name), `${name} is not installed here`, files);

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

withProgram('gzip')(
  'H14: should fail and keep the archives before if an archive cannot be read',
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
    assert.not.match(namesOf(), /tar\.gz|\.made/);
    rmSync(join(root, 'var/backups'), { recursive: true });
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

/** What listens on the port, and whether it is killed. */
const SERVERS: readonly (readonly [what: string, open: () => Promise<Listening>, isKilled: boolean])[] = [
  ['a server that answers nobody', startSilentServer, true],
  ['a server without a calendar', () => startAnswering(503), false],
  ['a server that is well', () => startAnswering(200), false],
  [
    'nothing, as a server starts',
    async () => ({ port: await freePort(), close: async () => undefined }),
    false,
  ],
];

interface Listening {
  readonly port: number;
  readonly close: () => Promise<void>;
}

async function startAnswering(status: number): Promise<Listening> {
  const { url, close } = await startFeedServer(always(status, '{}'));
  return { port: Number(new URL(url).port), close };
}

withProgram('curl')('should kill a server that hangs and send an email, and kill no other', async () => {
  const text = debianFile('usr/local/sbin/almanakk-watchdog');
  const soon = text.replace('--max-time 30', '--max-time 0.5');
  assert.is.not(soon, text);
  const inRoot = (root: string) => soon.replaceAll('=/run/', `=${root}/`);
  for (const [what, open, isKilled] of SERVERS) {
    const { port, close } = await open();
    const root = temporaryFolder();
    saveProgram(root, 'systemctl', 'echo "$@" >> systemctl.log');
    saveProgram(root, 'almanakk-failed', 'echo mail "$@" >> systemctl.log');
    await mustRun(inRoot(root), { root, args: [`${port}`] });
    if (isKilled) await assertMailedHourly(root, inRoot(root), port);
    await close();
    const asked = `is-active almanakk@${port}\n`;
    const mail = `mail almanakk@${port} almanakk-watchdog@${port}\n`;
    const killed = isKilled ? `kill --signal=SIGKILL almanakk@${port}\n${mail}` : '';
    assert.is(readFileSync(join(root, 'systemctl.log'), 'utf8'), asked + killed, what);
  }
});

withProgram('curl')('should send an email about a server that crashes again and again', async () => {
  const root = temporaryFolder();
  const text = debianFile('usr/local/sbin/almanakk-watchdog').replaceAll('=/run/', `=${root}/`);
  saveProgram(root, 'almanakk-failed', 'echo mail "$@" >> mails');
  const port = await freePort();
  const mails = async (state: string) => {
    rmSync(join(root, 'mails'), { force: true });
    saveProgram(root, 'systemctl', `echo ${state}`);
    await mustRun(text, { root, args: [`${port}`] });
    return existsSync(join(root, 'mails')) ? readFileSync(join(root, 'mails'), 'utf8') : '';
  };
  const age = (name: string, minutes: number) =>
    mustRun(`touch --date '${minutes} minutes ago' almanakk-watchdog@${port}.${name}`, { root });
  const mail = `mail almanakk@${port} almanakk-watchdog@${port}\n`;
  assert.is(await mails('activating'), '', 'the first time');
  await age('down', 8);
  assert.is(await mails('activating'), '', 'after eight minutes');
  await age('down', 11);
  assert.is(await mails('inactive'), '', 'stopped by the operator');
  assert.is(await mails('active'), '', 'started again');
  await age('down', 11);
  assert.is(await mails('activating'), mail);
  assert.is(await mails('failed'), '', 'within the hour');
  await age('mailed', 61);
  assert.is(await mails('failed'), mail, 'after the hour');
  const server = await startAnswering(503);
  await mustRun(text.replaceAll('http://127.0.0.1:$port', `http://127.0.0.1:${server.port}`), {
    root,
    args: [`${port}`],
  });
  await server.close();
  await age('mailed', 61);
  assert.is(await mails('activating'), '', 'after it has answered');
});

/** The same server hangs again within the hour, and after it. */
async function assertMailedHourly(root: string, text: string, port: number): Promise<void> {
  const log = join(root, 'systemctl.log');
  const before = readFileSync(log, 'utf8');
  await mustRun(text, { root, args: [`${port}`] });
  const again = readFileSync(log, 'utf8').slice(before.length);
  assert.equal([/^kill /m.test(again), /^mail /m.test(again)], [true, false]);
  await mustRun(`touch --date '2 hours ago' almanakk-watchdog@${port}.mailed`, { root });
  await mustRun(text, { root, args: [`${port}`] });
  assert.match(readFileSync(log, 'utf8').slice(before.length + again.length), /^mail /m);
  writeFileSync(log, before);
}

files('F13: should hide an event until that is undone, and say why if readers still see it', async () => {
  const root = temporaryFolder();
  const corrections = join(root, 'srv/corrections.json');
  let hidden = /"where":\{"id":"kulturhuset:7"\}/;
  const server = await startFeedServer(async (request, response) => {
    const { variables } = JSON.parse(Buffer.concat(await request.toArray()).toString());
    const isShown = variables.slug === 'sanddans' || variables.id === 'kulturhuset:7';
    const event = isShown && !hidden.test(readFileSync(corrections, 'utf8')) ? { id: 'kulturhuset:7' } : null;
    response.end(JSON.stringify({ data: { eventByID: null, eventBySlug: event } }));
  });
  const own = '[\n  { "where": { "tag": "stengt" },\n    "hide": true }\n]\n';
  save(corrections, own);
  save(join(root, '.env'), `ALMANAKK_SOURCE="${root}/srv"\nALMANAKK_SNAPSHOTS=${root}/snapshots`);
  const { port } = new URL(server.url);
  save(join(root, `${port}.conf`), 'RUN=serve');
  saveProgram(root, 'runuser', 'shift 3\nexec "$@"');
  saveProgram(root, 'systemctl', '');
  const text = debianFile('usr/local/sbin/almanakk-hide')
    .replace('cd /etc/almanakk', `cd ${root}`)
    .replace('patience=300', 'patience=0');
  const hide = (...args: readonly string[]) => runScript(text, { root, args });
  const page = 'https://kalender.example/events/sanddans.html?date=2031-02-16';
  assert.match((await hide(page)).stdout, /^hide: kulturhuset:7, after \d+ s\./);
  const once = readFileSync(corrections, 'utf8');
  assert.equal(
    JSON.parse(once).map(({ where, hide }: Record<string, unknown>) => ({ where, hide })),
    [
      { where: { tag: 'stengt' }, hide: true },
      { where: { id: 'kulturhuset:7' }, hide: true },
    ],
  );
  assert.match((await hide('kulturhuset:7')).stdout, 'hide: kulturhuset:7');
  assert.is(readFileSync(corrections, 'utf8'), once, 'hidden twice');
  assert.match(
    (await hide('kulturhuset:8')).stderr,
    'of a coming event in the calendar, found kulturhuset:8',
  );
  assert.match((await hide('--undo', page)).stdout, 'undo: kulturhuset:7');
  assert.is(readFileSync(corrections, 'utf8'), own, 'undone');
  assert.match((await hide('--undo', page)).stderr, 'expected an entry of this script');
  save(join(root, `${port}.conf`), `ALMANAKK_SOURCE=${root}/srv\nALMANAKK_SNAPSHOTS=${root}/snapshots`);
  assert.match((await hide(page)).stderr, 'expected a running server of this calendar');
  assert.match((await hide('--calendar', port, page)).stdout, 'hide: kulturhuset:7', 'a further calendar');
  assert.match((await hide('--calendar', '4999', page)).stderr, '4999.conf, found none');
  save(join(root, `${port}.conf`), 'RUN=serve');
  save(join(root, 'replicas'), '127.0.0.1\n');
  assert.match((await hide(page)).stdout, /, after \d+ s here and \d+ s on the replicas\. /);
  save(join(root, 'replicas'), '127.0.0.1\n127.0.0.2\n');
  assert.match((await hide(page)).stderr, `the replica http://127.0.0.2:${port} has not followed`);
  hidden = /never/;
  assert.match((await hide(page)).stderr, 'has not followed within 0 s');
  save(join(root, 'snapshots/.held'), 'restored');
  assert.match((await hide(page)).stderr, 'builds are paused');
  save(corrections, '{');
  const damaged = await hide(page);
  assert.match(damaged.stderr, `expected a list of corrections in ${corrections}, found another text`);
  assert.is(readFileSync(corrections, 'utf8'), '{');
  await server.close();
});

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

files(
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

files('should keep the mode of a file that it replaces, and make a new script executable', async () => {
  const { root, update } = setupMachine();
  const shared = join(root, 'etc/almanakk/shared.conf');
  chmodSync(shared, 0o640);
  await update('almanakk-3');
  assert.is(readFileSync(shared, 'utf8'), 'new\n');
  assert.is(statSync(shared).mode & 0o777, 0o640);
  assert.is(statSync(join(root, 'usr/local/sbin/almanakk-new')).mode & 0o777, 0o755);
});

const asRoot = when(process.getuid?.() === 0, 'only root may give files to others', files);

asRoot('should keep the owner and the group of a file that it replaces', async () => {
  const { root, update } = setupMachine();
  const shared = join(root, 'etc/almanakk/shared.conf');
  chownSync(shared, 4_001, 4_002);
  await update('almanakk-3');
  const { uid, gid } = statSync(shared);
  assert.equal([readFileSync(shared, 'utf8'), uid, gid], ['new\n', 4_001, 4_002]);
});

files('should change nothing again, and go back to the setup of the active version', async () => {
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

files('should fail while nginx refuses its files, and reload it in the first run after that', async () => {
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

files('should copy new files of nginx to a machine without it, and not reload it', async () => {
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

/** Mail servers that the settings allow, and addresses as they may be written. */
const MAILED = [
  { server: 'secured', to: 'drift@kalender.example' },
  { server: 'plain', to: 'Drift <drift@kalender.example>, vakt@kalender.example' },
] as const;

for (const { server, to } of MAILED) {
  files(`should send an email about a unit that failed, to ${to}`, async () => {
    const certificate = makeCertificate();
    const isSecured = server === 'secured';
    const secured = { certificate, user: 'navn', password: 'hemmelig' };
    const { port, mails, close } = await startMailServer(isSecured ? { secured } : {});
    const root = temporaryFolder();
    const settings = `ALMANAKK_SMTP_URL=smtp://${isSecured ? 'navn:hemmelig@' : ''}localhost:${port}
ALMANAKK_MAIL_FROM=Kalenderen <kalender@kalender.example>
ALMANAKK_ALERT_TO=${to}
`;
    save(join(root, 'etc/almanakk/.env'), settings);
    saveProgram(root, 'journalctl', 'shift 3; echo "tar: disk full, says $*"');
    // The script of that name does the same as another user.
    const command = `"${process.execPath}" "${packagePath('dist/jobs/cli.js')}" "$@"`;
    saveProgram(root, 'almanakk', `cd "${root}/etc/almanakk" && exec ${command}`);
    const env = { NODE_EXTRA_CA_CERTS: certificate.file };
    const text = debianFile('usr/local/sbin/almanakk-failed');
    await mustRun(text, { root, env, args: ['almanakk-backup.service', 'other'] }).finally(close);
    const addresses = to.match(/[\w.]+@[\w.]+/g) ?? [];
    assert.equal(
      mails.map((mail) => mail.to),
      addresses.map((address) => [address]),
    );
    for (const { from, user, secure, raw } of mails) {
      const expected = ['kalender@kalender.example', isSecured ? 'navn' : undefined, isSecured];
      assert.equal([from, user, secure], expected);
      assert.match(raw, `Subject: almanakk-backup.service failed on ${hostname()}\r\n`);
      assert.match(raw, 'tar: disk full, says --unit almanakk-backup.service --unit other\r\n');
    }
  });
}

files(
  'should send an email about a unit that fails every hour once a day, and again after a success',
  async () => {
    const root = temporaryFolder();
    const text = debianFile('usr/local/sbin/almanakk-failed').replace('=/run/', `=${root}/`);
    saveProgram(root, 'journalctl', 'echo "$*"');
    saveProgram(root, 'almanakk', 'cat >> mails');
    const mailsAfter = async (result: string, hoursAgo = 0) => {
      rmSync(join(root, 'mails'), { force: true });
      const age = `find . -name 'almanakk-failed.*' -exec touch --date '${hoursAgo} hours ago' {} +`;
      await mustRun(age, { root });
      await mustRun(text, {
        root,
        env: { SERVICE_RESULT: result },
        args: ['--daily', 'almanakk-sync@one.service'],
      });
      return existsSync(join(root, 'mails'));
    };
    const found = [
      await mailsAfter('success'),
      await mailsAfter('exit-code'),
      await mailsAfter('exit-code', 1),
      await mailsAfter('timeout', 23),
      await mailsAfter('exit-code', 24),
      await mailsAfter('success'),
      await mailsAfter('exit-code'),
    ];
    assert.equal(found, [false, true, false, false, true, false, true]);
    saveProgram(root, 'almanakk', 'exit 1');
    await mailsAfter('success');
    const { code } = await runScript(text, {
      root,
      env: { SERVICE_RESULT: 'signal' },
      args: ['--daily', 'a'],
    });
    assert.is(code, 1, 'the mail server is down');
    assert.not.ok(existsSync(join(root, 'almanakk-failed.a')), 'the next run tries again');
  },
);

const WORKBOOKS = 'var/lib/almanakk-workbooks';

withProgram('rclone')('should copy workbooks with rclone, each in one step and all or none', async () => {
  const root = temporaryFolder();
  const at = (path: string) => join(root, WORKBOOKS, path);
  const there = (path: string) => join(root, 'sky/Kalender', path);
  save(at('rclone.conf'), `[desk]\ntype = alias\nremote = ${root}/sky\n`);
  const text = debianFile('usr/local/sbin/almanakk-workbooks').replace('cd /var', `cd ${root}/var`);
  const [, FROM = ''] = /^FROM=(.*)$/m.exec(debianFile('etc/default/almanakk-workbooks')) ?? [];
  const run = (from = FROM, settings = {}) =>
    runScript(text, { root, env: { FROM: from, HOME: root, ...settings } });
  const copied = () => readdirSync(at('files')).sort();
  const never = await run('desk:Borte');
  assert.is(never.code, 1, never.stdout);
  for (const name of ['program.xlsx', 'Kino.CSV', '~$program.xlsx', 'notat.docx', 'arkiv/gammel.csv'])
    save(there(name), `first ${name}`);
  assert.is((await run()).code, 0);
  assert.equal(copied(), ['Kino.CSV', 'program.xlsx']);
  const before = openSync(at('files/program.xlsx'), 'r');
  const [kino, mode] = [statSync(at('files/Kino.CSV')).ino, statSync(at('files/program.xlsx')).mode & 0o777];
  assert.is(mode, 0o666 & ~process.umask());
  save(there('program.xlsx'), 'second program, and longer');
  const changed = await run();
  assert.equal([changed.code, changed.stdout], [0, 'copied: program.xlsx\n'], changed.stderr);
  assert.is(
    readFileSync(before, 'utf8'),
    'first program.xlsx',
    'for a build that reads the file at that time',
  );
  closeSync(before);
  assert.is(readFileSync(at('files/program.xlsx'), 'utf8'), 'second program, and longer');
  assert.is(statSync(at('files/Kino.CSV')).ino, kino, 'an unchanged file stays');

  save(there('stor.csv'), 'x'.repeat(5_000));
  const { stdout, stderr } = await run(FROM, { MOST: '4Ki' });
  assert.match(`${stdout}${stderr}`, /transfer limit/, 'more bytes than a run may copy');
  assert.equal(copied(), ['Kino.CSV', 'program.xlsx']);
  rmSync(there('stor.csv'));

  saveProgram(root, 'rclone', `printf half > incoming/program.xlsx\nexit 1`);
  assert.is((await run()).code, 0, 'a failure within the hour');
  assert.is(readFileSync(at('files/program.xlsx'), 'utf8'), 'second program, and longer');
  await mustRun(`touch --date '61 minutes ago' ${at('copied')}`, { root });
  assert.is((await run()).code, 1, 'after the hour');
  rmSync(join(root, 'bin/rclone'));

  rmSync(there('Kino.CSV'));
  const removed = await run();
  assert.match(removed.stdout, 'removed, because it is no longer in desk:Kalender: Kino.CSV\n');
  assert.equal(copied(), ['program.xlsx']);
  assert.is(readFileSync(at('files/program.xlsx'), 'utf8'), 'second program, and longer');
});

withProgram('gpg-agent')('should trust a file with the key of NodeSource alone', async () => {
  const root = temporaryFolder();
  const { text } = theBlock({ language: 'sh', says: /nodesource-repo/ });
  const [, fingerprint = ''] = /= ([0-9A-F]{40}) && cp/.exec(text) ?? [];
  const lines = text.slice(text.indexOf('fingerprints=')).replace('/etc/apt/keyrings', 'keyrings');
  const env = { GNUPGHOME: join(root, 'gnupg') };
  mkdirSync(env.GNUPGHOME, { mode: 0o700 });
  mkdirSync(join(root, 'keyrings'));
  const { stdout } = await mustRun(
    `for name in one two; do
      gpg --quiet --batch --passphrase '' --quick-generate-key $name ed25519
      gpg --armor --export $name > $name.asc
      gpg --list-keys --with-colons $name | awk -F: '/^fpr/ { print $10 }'
    done`,
    { root, env },
  );
  const [own = ''] = stdout.split('\n');
  const copied: string[] = [];
  for (const file of ['two.asc', 'one.asc two.asc', 'two.asc one.asc', 'none.asc', 'one.asc']) {
    const command = `cat ${file} > nodesource.asc\n${lines.replace(fingerprint, own)}`;
    await runScript(command, { root, env });
    if (existsSync(join(root, 'keyrings/nodesource.asc'))) copied.push(file);
  }
  assert.equal(copied, ['one.asc']);
});

withProgram('systemd-analyze')('should have units that systemd accepts', () => {
  const begin = 'etc/systemd/system/';
  const units = debianPaths().filter((path) => path.startsWith(begin));
  const folder = temporaryFolder();
  for (const path of units) {
    // Its program is not on this machine.
    const text = debianFile(path).replaceAll(/^(Exec\w+)=\+?\/usr\/local\/sbin\/.*/gm, '$1=/bin/true');
    save(join(folder, path.slice(begin.length)), text);
  }
  for (const path of units) {
    // A drop-in is read with its unit.
    const unit = path.slice(begin.length).replace(/\.d\/.*/, '');
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, unit)], {
      encoding: 'utf8',
    });
    assert.equal([stderr, status], ['', 0], path);
  }
});

files('should have settings that are known, with valid values', () => {
  const { warnings } = readSettings(parseEnv(debianFile('etc/almanakk/.env')), temporaryFolder());
  assert.equal(warnings, []);
});

files('should have each file in the table of docs/operating.md, and scripts that can be run', () => {
  const linked = [...readPage('docs/operating.md').matchAll(/\]\(debian\/([^)]+)\)/g)].map(
    ([, path]) => path,
  );
  assert.equal(linked.sort(), [...debianPaths()].sort());
  for (const path of debianPaths()) {
    const isScript = (statSync(packagePath(`docs/debian/${path}`)).mode & 0o100) > 0;
    assert.is(isScript, path.startsWith('usr/local/sbin/'), path);
  }
});

files.run();
