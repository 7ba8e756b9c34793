/** almanakk-sync: a replica gets the keys, certificates, shared settings and source of its builder, and keeps what is its own. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { SETTINGS } from '../../jobs/settings.ts';
import { resizedWith } from '../../src/annexes/resized/resized.ts';
import { packagePath } from '../../src/package.ts';
import { debianFile, debianPaths } from '../helpers/debian-files.ts';
import { contentsOf, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';

const syncing = suite('almanakk-sync');

const SCRIPT = debianFile('usr/local/sbin/almanakk-sync');
const FILES = debianFile('usr/local/sbin/almanakk-sync-files');
const STATE = debianFile('usr/local/sbin/almanakk-failover-state');
const CORRECTIONS = 'srv/almanakk/corrections.json';
const COPIES = 'var/backups/almanakk-sync';
const MARK = 'var/backups/almanakk-sync.made';
const METRICS = 'var/lib/prometheus/node-exporter/almanakk.prom';
const HOLDER = 'var/lib/prometheus/node-exporter/almanakk-failover.prom';
const KEYS = 'var/lib/almanakk/keys.json';
const LIVE = 'etc/letsencrypt/live/kalender.example/fullchain.pem';

const OF_BUILDER = `HOST=::
ALMANAKK_SOURCE=/srv/almanakk
ALMANAKK_PUBLIC_URL=https://kalender.example/
ALMANAKK_PUBLIC_FILE=true
ALMANAKK_ADMIN_TOKEN_FILE="/etc/almanakk/admin-token"
ALMANAKK_SNAPSHOTS_TOKEN=of-the-snapshots
ALMANAKK_SIGNING_KEY=/etc/almanakk/signing.pem
ALMANAKK_HOOK_SECRET=of-builds
AWS_SECRET_ACCESS_KEY=of-the-store
FEED_KEY=of-a-feed
`;
const OF_REPLICA = `# Of this machine.
HOST=::
ALMANAKK_ORIGIN=http://10.0.0.11:4000/snapshots/
ALMANAKK_TRUST=/etc/almanakk/signing.pem.pub
ALMANAKK_TRUST_PROXY=127.0.0.1,10.0.0.11
ALMANAKK_PUBLIC_URL=https://old.example/
ALMANAKK_EDITOR_TOKENS=kari:old
`;
const MERGED = `# Of this machine.
HOST=::
ALMANAKK_ORIGIN=http://10.0.0.11:4000/snapshots/
ALMANAKK_TRUST=/etc/almanakk/signing.pem.pub
ALMANAKK_TRUST_PROXY=127.0.0.1,10.0.0.11
ALMANAKK_PUBLIC_URL=https://kalender.example/
ALMANAKK_PUBLIC_FILE=true
ALMANAKK_ADMIN_TOKEN_FILE="/etc/almanakk/admin-token"
ALMANAKK_SNAPSHOTS_TOKEN=of-the-snapshots
`;

/** A certificate as certbot keeps it: a link to the newest of several files. */
function saveCertificate(root: string, number: number, at: number): void {
  const file = join(root, `etc/letsencrypt/archive/kalender.example/fullchain${number}.pem`);
  save(file, `certificate ${number}`);
  utimesSync(file, at, at);
  mkdirSync(join(root, LIVE, '..'), { recursive: true });
  rmSync(join(root, LIVE), { force: true });
  symlinkSync(`../../archive/kalender.example/fullchain${number}.pem`, join(root, LIVE));
}

/** A builder and a replica in two folders. In place of ssh, the builder's script runs as its forced command would. */
function machines() {
  const builder = temporaryFolder();
  save(join(builder, 'etc/almanakk/.env'), OF_BUILDER);
  save(join(builder, 'etc/almanakk/admin-token'), 'of-operators');
  save(join(builder, 'etc/almanakk/signing.pem'), 'of the builder');
  save(join(builder, KEYS), '{"keys":["new"]}');
  for (const [at, name] of ['almanakk/storvik', 'almanakk-storvik', 'almanakk-lillevik'].entries())
    save(join(builder, `var/lib/${name}/keys.json`), `{"keys":["${at}"]}`);
  saveCertificate(builder, 2, 2_000);
  save(join(builder, 'etc/almanakk/4010.conf'), 'ALMANAKK_SOURCE=../../srv/uke-100%d\n');
  for (const path of [CORRECTIONS, 'srv/uke-100%d/corrections.json', 'srv/almanakk/events.json'])
    save(join(builder, path), path);
  utimesSync(join(builder, CORRECTIONS), 3_000, 3_000);
  utimesSync(join(builder, KEYS), 4_000, 4_000);
  for (const path of ['feeds/kulturhuset.json', 'manifest.json', 'calendar-1.sqlite'])
    save(join(builder, 'var/lib/almanakk/snapshots', path), path);
  save(join(builder, `${KEYS}.usage`), 'changes all the time');
  save(join(builder, 'script'), SCRIPT.replace('cd /\n', `cd ${builder}\n`));
  for (const [name, text] of [
    ['almanakk-sync-files', FILES],
    ['almanakk-backup', debianFile('usr/local/sbin/almanakk-backup').replace('=/var', `=${builder}/var`)],
  ] as const)
    saveProgram(builder, name, text.replace('cd /\n', `cd ${builder}\n`));
  saveProgram(builder, 'age', '{ echo encrypted && cat "$5"; } > "$4"');

  const root = temporaryFolder();
  save(join(root, 'etc/almanakk/.env'), OF_REPLICA);
  for (const folder of ['run', 'var/backups']) mkdirSync(join(root, folder), { recursive: true });
  save(join(root, KEYS), '{"keys":["old"]}');
  mkdirSync(join(root, 'var/lib/almanakk-lillevik'));
  saveCertificate(root, 1, 1_000);
  /** What the builder sends without an input, in place of its script. */
  const saveSsh = (sent: string) =>
    saveProgram(
      root,
      'ssh',
      `echo "$*" > ${root}/ssh.log; PATH=${builder}/bin:$PATH
if [ "$1" = -n ]; then exec < /dev/null; ${sent}; else exec sh ${builder}/script --send; fi`,
    );
  saveSsh(`exec sh ${builder}/script --send`);
  saveProgram(root, 'almanakk-pictures', 'true');
  // One second later each time.
  saveProgram(
    root,
    'date',
    `echo >> ${root}/log.seconds; echo 2026-11-30T09-00-$(wc -l < ${root}/log.seconds)`,
  );
  saveProgram(root, 'runuser', `echo "$2" >> ${root}/runuser.log; shift 3; exec "$@"`);
  for (const name of ['systemctl', 'nginx', 'almanakk-restart'])
    saveProgram(root, name, `echo "${name} $*" >> ${root}/log; test ! -e ${root}/${name}-fails`);
  // The group is not on this machine.
  saveProgram(
    root,
    'install',
    `PATH="${process.env.PATH}"; install $(echo "$*" | sed 's/--group almanakk //')`,
  );
  const inRoot = (script: string) =>
    script
      .replaceAll(
        /(?<![:\w#]|FILE)\/(?=etc\/|root\/|run\/|var\/backups\/|var\/lib\/prometheus\/)/g,
        `${root}/`,
      )
      .replaceAll('"/$', `"${root}/$`);
  const text = inRoot(SCRIPT);
  /** With the room that the disk must have left, in MB. */
  const saveFiles = (least: number) =>
    saveProgram(root, 'almanakk-sync-files', inRoot(FILES).replace('least=1024', `least=${least}`));
  // Most tests are about the rest.
  saveProgram(root, 'almanakk-sync-files', 'true');
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  return {
    builder,
    root,
    read,
    saveSsh,
    saveFiles,
    versions: () => readdirSync(join(root, COPIES)).sort(),
    sync: (host = '10.0.0.11') => runScript(`cd ${root}\n${text}`, { root, args: [host] }),
    sayState: () => runScript(inRoot(STATE), { root }),
    ordered: () => {
      const lines = existsSync(join(root, 'log')) ? read('log') : '';
      rmSync(join(root, 'log'), { force: true });
      return lines;
    },
  };
}

const state = (root: string) =>
  contentsOf(root, /^(?:log|ssh\.log|runuser\.log|bin|run\/almanakk-sync\.lock|var\/backups|\w+-fails)/);

syncing(
  'H18: should copy keys, certificates and shared settings, and change nothing the second time',
  async () => {
    const { root, read, sync, ordered } = machines();
    const { code, stdout, stderr } = await sync();
    assert.is(code, 0, stdout + stderr);
    assert.is(read('etc/almanakk/.env'), MERGED);
    assert.is(read('etc/almanakk/admin-token'), 'of-operators');
    assert.is(read(KEYS), '{"keys":["new"]}');
    assert.is(read(LIVE), 'certificate 2');
    // almanakk-restore --keep-newer compares it with that of an archive.
    assert.is(statSync(join(root, KEYS)).mtimeMs, 4_000_000);
    for (const path of ['etc/almanakk/.env', 'etc/almanakk/admin-token'])
      assert.is(statSync(join(root, path)).mode & 0o777, 0o640, path);
    assert.is(statSync(join(root, KEYS)).mode & 0o777, 0o600);
    assert.not.ok(existsSync(join(root, 'etc/almanakk/signing.pem')));
    assert.is(read('var/lib/almanakk-lillevik/keys.json'), '{"keys":["2"]}');
    for (const name of ['almanakk/storvik', 'almanakk-storvik'])
      assert.not.ok(existsSync(join(root, 'var/lib', name)), 'this machine lacks that calendar');
    assert.is(read('runuser.log').split('\n').sort().join(' '), ' almanakk almanakk-lillevik');
    assert.is(ordered(), 'nginx -t\nsystemctl reload nginx\nalmanakk-restart \n');
    assert.ok(existsSync(join(root, MARK)), 'servers warn when it is old');
    utimesSync(join(root, MARK), 1_000, 1_000);
    assert.match(
      read('ssh.log'),
      /^-n .* -o BatchMode=yes .* almanakk-sync@10\.0\.0\.11 almanakk-sync --send\n$/,
    );

    const before = state(root);
    const again = await sync();
    assert.equal([again.code, again.stdout, ordered()], [0, '', ''], again.stderr);
    assert.equal(state(root), before);
    assert.ok(statSync(join(root, MARK)).mtimeMs > 1_000_000, 'also after a run that copies nothing');
  },
);

syncing('H18: should let a replica’s key run one command, as a user who can add no key', async () => {
  const root = temporaryFolder();
  for (const folder of ['etc/sudoers.d', 'var/lib']) mkdirSync(join(root, folder), { recursive: true });
  saveProgram(root, 'getent', `test -e ${root}/user`);
  saveProgram(root, 'useradd', `echo "$*" > ${root}/user`);
  saveProgram(root, 'sudo', 'true');
  const text = SCRIPT.replace('=/var/lib/', `=${root}/var/lib/`).replaceAll(
    / \/(?=etc\/sudoers)/g,
    ` ${root}/`,
  );
  const allow = (key: string) => {
    save(join(root, 'key.pub'), key);
    return runScript(`cd ${root}\n${text}`, { root, args: ['--allow', 'key.pub'] });
  };
  const KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOfD root@replica';
  for (const key of ['', 'a key', `${KEY}\n${KEY}\n`, `command="sh" ${KEY}\n`]) {
    const { code, stderr } = await allow(key);
    assert.is(code, 1, key);
    assert.match(stderr, 'almanakk-sync: expected one public ssh key in key.pub, found another text\n');
  }
  for (const _ of ['first', 'again']) {
    const { code, stderr } = await allow(`${KEY}\n`);
    assert.is(code, 0, stderr);
  }
  const command = 'sudo --non-interactive /usr/local/sbin/almanakk-sync --send';
  const authorized = join(root, 'var/lib/almanakk-sync/.ssh/authorized_keys');
  assert.is(readFileSync(authorized, 'utf8'), `restrict,command="${command}" ${KEY}\n`);
  assert.is(statSync(authorized).mode & 0o777, 0o644);
  const rule = join(root, 'etc/sudoers.d/almanakk-sync');
  assert.is(
    readFileSync(rule, 'utf8'),
    `almanakk-sync ALL=(root) NOPASSWD: ${command.replace('sudo --non-interactive ', '')}\n`,
  );
  assert.is(statSync(rule).mode & 0o777, 0o440);
  assert.match(readFileSync(join(root, 'user'), 'utf8'), /--system .* almanakk-sync$/m);
});

/** What is wrong, and what the script says. The replica is then as it was. */
const REFUSED = [
  {
    what: 'the connection ends early',
    spoil: ({ builder, saveSsh }: Machines) => saveSsh(`sh ${builder}/script --send | head --bytes 100`),
    said: /unexpected end of file/,
  },
  {
    what: 'the builder has no settings',
    spoil: ({ builder }: Machines) => save(join(builder, 'etc/almanakk/.env'), 'HOST=::\n'),
    said: /expected settings in \/etc\/almanakk\/\.env, found none/,
  },
  {
    what: 'a secret is elsewhere',
    spoil: ({ builder }: Machines) =>
      save(join(builder, 'etc/almanakk/.env'), 'ALMANAKK_ADMIN_TOKEN_FILE=/etc/almanakk/../shadow\n'),
    said: /expected secrets in files of \/etc\/almanakk, found \/etc\/almanakk\/\.\.\/shadow/,
  },
  {
    what: 'a secret is missing',
    spoil: ({ builder }: Machines) => rmSync(join(builder, 'etc/almanakk/admin-token')),
    said: /expected the file \/etc\/almanakk\/admin-token, which a setting names, found none/,
  },
  {
    what: 'only this machine has one of the certificates',
    spoil: ({ root }: Machines) => save(join(root, LIVE.replace('kalender', 'annen')), 'of this machine'),
    said: /expected the certificate annen\.example of this machine on 10\.0\.0\.11 too, found none/,
  },
  {
    what: 'this machine builds',
    spoil: ({ root }: Machines) => save(join(root, 'etc/almanakk/.env'), OF_BUILDER),
    said: /expected a replica, whose \.env has ALMANAKK_ORIGIN, found none/,
  },
];

type Machines = ReturnType<typeof machines>;

for (const { what, spoil, said } of REFUSED) {
  syncing(`H18: should change nothing if ${what}`, async () => {
    const both = machines();
    spoil(both);
    const before = state(both.root);
    const { code, stderr } = await both.sync();
    assert.is.not(code, 0);
    assert.match(stderr, said);
    assert.equal([state(both.root), both.ordered()], [before, '']);
  });
}

syncing('H18: should reload nginx after a run that was killed before', async () => {
  const { root, read, sync, ordered } = machines();
  saveProgram(root, 'nginx', 'kill -KILL "$PPID"');
  assert.is.not((await sync()).code, 0);
  saveProgram(root, 'nginx', 'exit 1');
  assert.is((await sync()).code, 1);
  assert.is(read(LIVE), 'certificate 1');
  saveProgram(root, 'nginx', 'kill -KILL "$PPID"');
  assert.is.not((await sync()).code, 0);
  saveProgram(root, 'nginx', 'true');
  const { code, stderr } = await sync();
  assert.is(code, 0, stderr);
  assert.is(read(LIVE), 'certificate 2');
  assert.is(ordered(), 'systemctl reload nginx\nalmanakk-restart \n');
  assert.is((await sync()).code, 0);
  assert.is(ordered(), '');
});

syncing('H18: should keep what nginx or a server refuses, and a certificate that is newer here', async () => {
  const { root, read, sync, ordered } = machines();
  save(join(root, 'nginx-fails'), '');
  assert.is((await sync()).code, 1);
  assert.equal([read(LIVE), read('etc/almanakk/.env')], ['certificate 1', OF_REPLICA]);
  rmSync(join(root, 'nginx-fails'));
  saveCertificate(root, 3, 3_000);
  save(join(root, 'almanakk-restart-fails'), '');
  ordered();
  const { code, stdout, stderr } = await sync();
  assert.is(code, 1);
  assert.match(stdout, 'because this machine has a newer certificate');
  assert.match(stderr, 'the previous settings and secrets are in ');
  assert.equal([read(LIVE), read('etc/almanakk/.env')], ['certificate 3', OF_REPLICA]);
  assert.is(ordered(), 'almanakk-restart \n');
});

const PICTURES = 'etc/nginx/almanakk-pictures.d';
const SECRET = 'of-both-machines';

/** Gives a machine a picture server, and almanakk-remove-picture. */
function savePictures(machine: string) {
  save(join(machine, `${PICTURES}/machine.conf`), `map "" $picture_secret { default "${SECRET}"; }\n`);
  const script = debianFile('usr/local/sbin/almanakk-remove-picture');
  saveProgram(
    machine,
    'almanakk-remove-picture',
    script.replaceAll(/(?<![\w.])\/(?=etc\/|var\/)/g, `${machine}/`),
  );
  return async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await runScript('almanakk-remove-picture "$@"', { root: machine, args });
    assert.is(code, 0, stderr);
    return stdout;
  };
}

/** The pictures that a machine's picture server refuses. */
function removedOn(machine: string): readonly string[] {
  const folder = join(machine, PICTURES, 'removed');
  const marks = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8').trim());
  return [...new Set(marks)].sort();
}

syncing('H18: should delete the copies of pictures that the builder has removed', async () => {
  const { root, builder, sync } = machines();
  const remove = savePictures(builder);
  save(join(builder, 'etc/almanakk/replicas'), '10.0.0.12\n');
  const original = 'bilder.example/konsert.jpg';
  const path = resizedWith(SECRET)(`https://${original}`, 640, '') ?? '';
  const told = await remove(`https://kalender.example${path}`);
  assert.match(told, `remove: ${original}\nreplicas: 10.0.0.12 delete their copies within five minutes`);
  // A replica without a picture server has no copies.
  assert.is((await sync()).code, 0);
  assert.not.ok(existsSync(join(root, PICTURES)));

  const removeHere = savePictures(root);
  assert.match(
    await removeHere('https://bilder.example/own.jpg'),
    'only on this machine, which is a replica',
  );
  const key = createHash('md5').update(path).digest('hex');
  const copy = `var/cache/almanakk-pictures/copies/${key.slice(-1)}/${key.slice(-3, -1)}/${key}`;
  save(join(root, copy), 'a copy');
  assert.is((await sync()).stdout, `remove: ${original}\n`);
  assert.not.ok(existsSync(join(root, copy)));
  assert.equal(removedOn(root), ['bilder.example/konsert.jpg', 'bilder.example/own.jpg']);
  assert.is((await sync()).stdout, '');

  // To show a removed picture by mistake is worse than to hide one for too long.
  const undone = await remove('--undo', original);
  assert.match(undone, `undo: ${original}\nreplicas: 10.0.0.12 still refuse it. Run the same command there`);
  assert.is((await sync()).stdout, '');
  await removeHere('--undo', original);
  assert.is((await sync()).stdout, '');
  assert.equal(removedOn(root), ['bilder.example/own.jpg']);
});

syncing('H18: should take no options for tar from the names of folders on the builder', async () => {
  const { root, builder, read, sync } = machines();
  const hostile = 'x --checkpoint=1 --checkpoint-action=exec=id>owned ';
  save(join(builder, 'var/lib/almanakk', hostile, 'keys.json'), '{}');
  save(join(builder, 'var/lib/almanakk/i sommer/keys.json'), '{"keys":["of summer"]}');
  mkdirSync(join(root, 'var/lib/almanakk/i sommer'));
  const { code, stderr } = await sync();
  assert.not.ok(existsSync(join(builder, 'owned')), 'the command in the name ran');
  assert.is(code, 0, stderr);
  assert.is(read('var/lib/almanakk/i sommer/keys.json'), '{"keys":["of summer"]}');
});

/** What a version of the source has, without the folders above. */
const inVersion = (root: string, version: string) =>
  Object.keys(contentsOf(join(root, COPIES, version), /^(?:\.list|srv|var|var\/lib|var\/backups)$/));

syncing('H18: should keep versions of the files that the builder builds from', async () => {
  const { root, builder, read, sync, saveFiles, versions } = machines();
  saveFiles(0);
  const at = (path: string) => join(builder, path);
  save(at('srv/almanakk/bilder/a.jpg'), 'a picture');
  save(at('srv/almanakk/becomes-a-folder'), 'a file');
  mkdirSync(at('srv/almanakk/empty'));
  symlinkSync('events.json', at('srv/almanakk/link'));
  const first = await sync();
  assert.match(
    first.stdout,
    /^copied: .*\nnot copied: the newest backup, because 10\.0\.0\.11 has none, or no /,
  );
  const [one = ''] = versions();
  assert.equal(inVersion(root, one), [
    'srv/almanakk',
    'srv/almanakk/becomes-a-folder',
    'srv/almanakk/bilder',
    'srv/almanakk/bilder/a.jpg',
    'srv/almanakk/corrections.json',
    'srv/almanakk/empty',
    'srv/almanakk/events.json',
    'srv/almanakk/link',
    'srv/uke-100%d',
    'srv/uke-100%d/corrections.json',
    'var/lib/almanakk',
    'var/lib/almanakk/keys.json',
    'var/lib/almanakk/snapshots',
    'var/lib/almanakk/snapshots/feeds',
    'var/lib/almanakk/snapshots/feeds/kulturhuset.json',
    'var/lib/almanakk/storvik',
    'var/lib/almanakk/storvik/keys.json',
  ]);
  assert.is(statSync(join(root, COPIES)).mode & 0o777, 0o700, 'only root reads unpublished events');
  assert.is(statSync(join(root, COPIES, one, CORRECTIONS)).mtimeMs, 3_000_000);
  utimesSync(join(root, COPIES, one), 1_000, 1_000);
  assert.is((await sync()).stdout, '');
  assert.equal(versions(), [one]);
  assert.ok(statSync(join(root, COPIES, one)).mtimeMs > 1_000_000, 'the last time that the builder had it');

  save(at('srv/almanakk/events.json'), 'edited');
  for (const path of ['becomes-a-folder', 'bilder/a.jpg', 'link']) rmSync(at(`srv/almanakk/${path}`));
  rmSync(at('srv/almanakk/bilder'), { recursive: true });
  for (const path of ['bilder', 'becomes-a-folder/b', 'link/c']) save(at(`srv/almanakk/${path}`), path);
  save(at('etc/almanakk/backup-recipients.txt'), 'age1');
  utimesSync(at('etc/almanakk/backup-recipients.txt'), 1_000, 1_000);
  save(at('var/backups/almanakk/2026-11-30T03-30-00.tar.gz'), 'with all secrets');
  assert.match((await sync()).stdout, /^copied: .*09-00-2\n$/);
  const [, two = ''] = versions();
  const source = 'srv/almanakk';
  assert.equal(
    contentsOf(join(root, COPIES, two, source), /^$/),
    contentsOf(join(builder, source), /^$/),
    'the same as on the builder',
  );
  const encrypted = 'var/backups/almanakk-encrypted/2026-11-30T03-30-00.tar.gz.age';
  assert.is(read(`${COPIES}/${two}/${encrypted}`), 'encrypted\nwith all secrets');
  assert.is(read(`${COPIES}/${one}/${source}/events.json`), 'srv/almanakk/events.json', 'as it was');
  const inode = (version: string) => statSync(join(root, COPIES, version, CORRECTIONS)).ino;
  assert.is(inode(two), inode(one), 'unchanged files take no room');

  for (const name of readdirSync(at(source))) rmSync(at(`${source}/${name}`), { recursive: true });
  await sync();
  const [, , three = ''] = versions();
  assert.equal(readdirSync(join(root, COPIES, three, source)), [], 'emptied by mistake');
  assert.is(read(`${COPIES}/${two}/${source}/events.json`), 'edited');
});

syncing('H18: should keep 24 versions and one a day for 14 days, fewer if the disk is full', async () => {
  const { root, sync, saveFiles, versions } = machines();
  saveFiles(0);
  const days = Array.from({ length: 20 }, (_, index) => `2026-11-${`${10 + index}`}`);
  for (const day of days)
    for (const time of ['08', '22'])
      mkdirSync(join(root, COPIES, `${day}T${time}-00-00`), { recursive: true });
  for (const name of versions()) save(join(root, COPIES, name, '.list'), '');
  await sync();
  const newest = days.flatMap((day) => [`${day}T08-00-00`, `${day}T22-00-00`]).slice(-23);
  const daily = days.slice(-13).map((day) => `${day}T22-00-00`);
  assert.equal(versions(), [...new Set([...daily, ...newest, '2026-11-30T09-00-1'])].sort());
  rmSync(join(root, MARK));
  saveFiles(1e12);
  const { code, stderr } = await sync();
  assert.is(code, 1);
  assert.match(stderr, /expected 1000000000000 MB of free space on the disk with .*almanakk-sync, found/);
  assert.match(stderr, 'almanakk-sync: all has been copied except the files of builds, see above\n');
  assert.equal(versions(), ['2026-11-30T09-00-1']);
  assert.not.ok(existsSync(join(root, MARK)), 'servers warn when it is old');
});

syncing('H18: should not follow a link of an earlier version', async () => {
  const { root, builder, sync, saveFiles, versions } = machines();
  saveFiles(0);
  save(join(root, 'outside/here'), 'of this machine');
  symlinkSync(join(root, 'outside'), join(builder, 'srv/almanakk/link'));
  await sync();
  const before = contentsOf(join(root, COPIES), /^$/);
  // A list that still has the link, and a file below it.
  const list = `cp ${root}/${COPIES}/2*/.list forged/.list && printf 'f 1 1 600 root root srv/almanakk/link/x\\0' >> forged/.list`;
  save(join(root, 'forged/srv/almanakk/link/here'), 'of the builder');
  saveProgram(
    root,
    'ssh',
    `test "$1" = -n || { cd ${root}; ${list}; cd forged; tar --create --gzip .list srv; }`,
  );
  assert.is((await sync()).code, 1);
  assert.is(readFileSync(join(root, 'outside/here'), 'utf8'), 'of this machine');
  for (const name of versions().filter((name) => name.startsWith('.')))
    rmSync(join(root, COPIES, name), { recursive: true });
  assert.equal(contentsOf(join(root, COPIES), /^$/), before);
});

syncing('H18: should not follow a link that the archive has in place of the keys', async () => {
  const { root, builder, read, sync, saveSsh } = machines();
  save(join(root, 'root-only'), 'a secret of root');
  rmSync(join(builder, KEYS));
  symlinkSync(join(root, 'root-only'), join(builder, KEYS));
  save(join(builder, 'settings'), 'ALMANAKK_PUBLIC_URL=https://kalender.example/\n');
  saveSsh(`cd ${builder}; tar --create --gzip var settings`);
  const { code, stderr } = await sync();
  assert.is(code, 0, stderr);
  assert.is(read(KEYS), '{"keys":["old"]}');
});

syncing('H18: should copy secrets with relative paths and from links, and no other file', async () => {
  const { root, builder, read, sync, saveSsh } = machines();
  const settings = 'ALMANAKK_ADMIN_TOKEN_FILE=admin.token\nALMANAKK_SMTP_URL_FILE=/etc/almanakk/smtp-url\n';
  save(join(builder, 'etc/almanakk/.env'), settings);
  save(join(builder, 'etc/almanakk/admin.token'), 'relative');
  save(join(builder, 'srv/secret'), 'of a link');
  symlinkSync('../../srv/secret', join(builder, 'etc/almanakk/smtp-url'));
  const { code, stderr } = await sync();
  assert.is(code, 0, stderr);
  assert.equal([read('etc/almanakk/admin.token'), read('etc/almanakk/smtp-url')], ['relative', 'of a link']);

  save(join(builder, 'etc/almanakk/4000.conf'), 'RUN=build\n');
  save(join(builder, 'settings'), `${settings}HOST=127.0.0.1\n`);
  saveSsh(`cd ${builder}; tar --create --gzip --dereference settings etc/almanakk 'srv/uke-100%d'`);
  const before = state(root);
  const again = await sync();
  assert.is(again.code, 0, again.stderr);
  assert.is(again.stdout, 'not copied, because this version does not share it: HOST\n');
  assert.equal(state(root), before);
});

syncing('H18: should give the picture server the secret that the settings have', async () => {
  const { root, sync, ordered } = machines();
  saveProgram(root, 'almanakk-pictures', `echo "almanakk-pictures $*" >> ${root}/log; exit 1`);
  assert.is((await sync()).code, 1);
  assert.match(ordered(), /^almanakk-restart \nalmanakk-pictures --if-changed\n$/m);
});

syncing('H18: should restart after a run that was killed, and put all files back if that fails', async () => {
  const { root, read, sync, ordered } = machines();
  save(join(root, 'etc/almanakk/admin-token'), 'of before');
  saveProgram(root, 'almanakk-restart', 'kill -KILL "$PPID"');
  assert.is.not((await sync()).code, 0);
  assert.is(read('etc/almanakk/.env'), MERGED);
  ordered();
  saveProgram(root, 'almanakk-restart', `echo restart >> ${root}/log; exit 1`);
  assert.is((await sync()).code, 1);
  assert.is(ordered(), 'restart\n');
  assert.equal([read('etc/almanakk/.env'), read('etc/almanakk/admin-token')], [OF_REPLICA, 'of before']);
  saveProgram(root, 'almanakk-restart', `echo restart >> ${root}/log`);
  assert.is((await sync()).code, 0);
  assert.equal([ordered(), read('etc/almanakk/.env')], ['restart\n', MERGED]);
  assert.is((await sync()).code, 0);
  assert.is(ordered(), '');
});

const DIRECTIVES = 'etc/nginx/almanakk.d';

syncing(
  'H18: should copy files in almanakk.d, remove those that the builder has removed, and no other',
  async () => {
    const { root, builder, read, sync, ordered } = machines();
    await sync();
    ordered();
    for (const name of ['callers', 'deny'])
      save(join(builder, `${DIRECTIVES}/${name}.conf`), `${name} of the builder`);
    save(join(root, `${DIRECTIVES}/deny.conf`), 'deny of the replica');
    save(join(root, `${DIRECTIVES}/own.conf`), 'own');
    save(join(root, 'nginx-fails'), '');
    const before = state(root);
    const refused = await sync();
    assert.is(refused.code, 1);
    assert.match(refused.stderr, /nginx refused the new .*almanakk\.d, see above/);
    assert.equal(state(root), before);
    rmSync(join(root, 'nginx-fails'));
    ordered();

    saveProgram(root, 'systemctl', 'kill -KILL "$PPID"');
    assert.is.not((await sync()).code, 0);
    saveProgram(root, 'systemctl', `echo "systemctl $*" >> ${root}/log`);
    assert.is((await sync()).code, 0);
    assert.match(ordered(), /^nginx -t\nnginx -t\nsystemctl reload nginx\n$/);
    assert.equal(
      ['callers', 'deny', 'own'].map((name) => read(`${DIRECTIVES}/${name}.conf`)),
      ['callers of the builder', 'deny of the builder', 'own'],
    );
    assert.is((await sync()).code, 0);
    assert.is(ordered(), '');

    for (const name of ['callers', 'deny']) rmSync(join(builder, `${DIRECTIVES}/${name}.conf`));
    assert.is((await sync()).code, 0);
    assert.is(ordered(), 'nginx -t\nsystemctl reload nginx\n');
    assert.equal(readdirSync(join(root, DIRECTIVES)).sort(), ['.copied', 'own.conf']);
  },
);

/**
 * What keepalived does here and on the builder, on how many machines it runs, whether this machine has the address, and what almanakk-sync says when
 * it finds this twice in a row.
 */
const FAILOVERS = [
  {
    here: 'active\neth0 UP 10.0.0.12/24',
    there: 'active\neth0 UP 10.0.0.11/24 10.0.0.10/24',
    running: 2,
    holds: 0,
    said: '',
  },
  {
    here: 'active\neth0 UP 10.0.0.12/24 10.0.0.10/24',
    there: 'active\neth0 UP 10.0.0.11/24',
    running: 2,
    holds: 1,
    said: '',
  },
  {
    here: 'inactive\neth0 UP 10.0.0.12/24',
    there: 'active\neth0 UP 10.0.0.11/24 10.0.0.10/24',
    running: 1,
    holds: 0,
    said: 'keepalived on this machine and 10.0.0.11: active active, found inactive active in two runs',
  },
  {
    here: 'active\neth0 UP 10.0.0.12/24 10.0.0.10/24',
    there: '',
    running: 1,
    holds: 1,
    said: 'keepalived on this machine and 10.0.0.11: active active, found active in two runs',
  },
  {
    here: 'active\neth0 UP 10.0.0.12/24 10.0.0.10/24',
    there: 'active\neth0 UP 10.0.0.11/24 10.0.0.10/24',
    running: 2,
    holds: 1,
    said: 'machines with the address 10.0.0.10: 1, found 2 in two runs',
  },
  {
    here: 'active\neth0 UP 10.0.0.12/24',
    there: 'active\neth0 UP 10.0.0.11/24 10.0.0.100/24',
    running: 2,
    holds: 0,
    said: 'machines with the address 10.0.0.10: 1, found 0 in two runs',
  },
];

syncing('H18: should fail after it has copied if the failover does not work twice in a row', async () => {
  const { builder, root, read, sync, sayState } = machines();
  const EXAMPLE = readFileSync(packagePath('docs/examples/keepalived.conf'), 'utf8');
  for (const machine of [builder, root]) save(join(machine, 'etc/keepalived/keepalived.conf'), EXAMPLE);
  const file = `$(test "$PWD" = ${builder} && echo ${root}/there || echo ${root}/here)`;
  saveProgram(
    root,
    'systemctl',
    `test "$1" != is-active || { sed -n 1p ${file}; ! grep -q inactive ${file}; }`,
  );
  saveProgram(root, 'ip', `sed 1d ${file}; echo`);
  const set = ({ here, there }: { readonly here: string; readonly there: string }) => {
    save(join(root, 'here'), here);
    save(join(root, 'there'), there);
  };
  const [works, ...others] = FAILOVERS;
  mkdirSync(join(root, METRICS, '..'), { recursive: true });
  for (const { said, running, holds, ...states } of others) {
    set(states);
    const once = await sync();
    assert.equal([once.code, once.stderr], [0, ''], `${said}, once`);
    rmSync(join(root, MARK));
    const { code, stderr } = await sync();
    const line = said && `almanakk-sync: expected ${said}. See: systemctl status keepalived\n`;
    assert.equal([code, stderr], [said === '' ? 0 : 1, line]);
    assert.ok(existsSync(join(root, MARK)), 'it has copied everything');
    assert.is(read(METRICS), `almanakk_failover_keepalived_machines ${running}\n`);
    assert.is((await sayState()).code, 0);
    assert.is(read(HOLDER), `almanakk_failover_holds_address{address="10.0.0.10"} ${holds}\n`);
    set(works ?? states);
    assert.is((await sync()).code, 0, 'and again after a success');
  }
  rmSync(join(root, 'etc/keepalived'), { recursive: true });
  set({ here: 'inactive', there: 'active' });
  for (const code of [0, 1]) assert.is((await sync()).code, code, 'only the builder has keepalived');
  rmSync(join(builder, 'etc/keepalived'), { recursive: true });
  for (const _ of ['first', 'again']) assert.is((await sync()).code, 0, 'without keepalived');
  assert.is((await sayState()).code, 0);
  for (const file of [METRICS, HOLDER]) assert.not.ok(existsSync(join(root, file)), `${file} of before`);
});

/** Settings that the script leaves to each machine: places, sizes, proxies, builds and their deliveries. */
const OWN =
  /^(?:HOST|PORT|AWS_\w+|ALMANAKK_(?:SOURCE|SOURCE_FILES|SNAPSHOTS|KEYS|CRON|ORIGIN|TRUST|TRUST_PROXY|MEMORY_MB|CACHE_MB|WORKERS|MAX_CONNECTIONS|STOP_DELAY|POLL_SECONDS|LOG_LEVEL|LOG_FORMAT|HORIZON_MONTHS|BUILD_TIMEOUT|KEEP_DAYS|WATCH|ALLOW_PRIVATE_FEEDS|HOOKS|HOOK_SECRET|S3_ENDPOINT|SIGNING_KEY|PUBLISH|PUBLISH_PUBLIC|ADMIN_PORT|ADMIN_HOST|BACKUP_MARK|STATUS_URL|SERVE_SNAPSHOTS))$/;

syncing('H18: should know of each setting whether both machines share it', () => {
  const shared = /^shared='([^']+)'/m.exec(SCRIPT)?.[1]?.split(/\s+/) ?? [];
  const names: readonly string[] = Object.values(SETTINGS).map(({ name }) => name);
  const unknown = names.filter((name) => !OWN.test(name) && !shared.includes(name.replace('ALMANAKK_', '')));
  assert.equal(unknown, [], 'expected them in `shared` of almanakk-sync, or in OWN of this test');
  for (const name of shared) assert.ok(names.includes(`ALMANAKK_${name}`), name);
});

/** Not the loopback, which keepalived refuses. */
const [card] = Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
  addresses.some(({ internal }) => !internal) ? [name] : [],
);
const withKeepalived = when(
  isExpected('keepalived') && card !== undefined,
  'keepalived is not installed here, or there is no network',
  syncing,
);

withKeepalived('should have an example for a floating address that keepalived accepts', () => {
  const text = readFileSync(packagePath('docs/examples/keepalived.conf'), 'utf8');
  const [script, program = ''] = /(?<=script ")\/(\S+) 10\.0\.0\.12(?=")/.exec(text) ?? [];
  assert.ok(debianPaths().includes(program), `${program} in docs/debian`);
  const objections = (configuration: string) => {
    const file = join(temporaryFolder(), 'keepalived.conf');
    // The script is not on this machine.
    const here = configuration.replace(script ?? '', '/usr/bin/true');
    writeFileSync(file, here.replace('interface eth0', `interface ${card}`));
    // It may end by a signal to its process group.
    const { stderr } = spawnSync('setsid', ['--wait', 'keepalived', '--config-test', '--use-file', file], {
      encoding: 'utf8',
    });
    return stderr;
  };
  assert.is(objections(text), '');
  assert.match(
    objections(text.replace('track_script {', 'track_scripts {')),
    "Unknown keyword 'track_scripts'",
  );
});

syncing.run();
