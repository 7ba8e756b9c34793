/** A builder and a replica for tests of almanakk-sync: two folders that look like the roots of Debian machines. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { debianFile } from '../helpers/debian-files.ts';
import { contentsOf, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';

export const SCRIPT = debianFile('usr/local/sbin/almanakk-sync');
const FILES = debianFile('usr/local/sbin/almanakk-sync-files');
const STATE = debianFile('usr/local/sbin/almanakk-failover-state');

/** Paths on both machines. */
export const CORRECTIONS = 'srv/almanakk/corrections.json';
export const COPIES = 'var/backups/almanakk-sync';
export const MARK = 'var/backups/almanakk-sync.made';
export const KEYS = 'var/lib/almanakk/keys.json';
export const LIVE = 'etc/letsencrypt/live/kalender.example/fullchain.pem';

/** Settings of the two machines, and those of the replica once it has those of the builder that both share. */
export const OF_BUILDER = `HOST=::
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
export const OF_REPLICA = `# Of this machine.
HOST=::
ALMANAKK_ORIGIN=http://10.0.0.11:4000/snapshots/
ALMANAKK_TRUST=/etc/almanakk/signing.pem.pub
ALMANAKK_TRUST_PROXY=127.0.0.1,10.0.0.11
ALMANAKK_PUBLIC_URL=https://old.example/
ALMANAKK_EDITOR_TOKENS=kari:old
`;
export const MERGED = `# Of this machine.
HOST=::
ALMANAKK_ORIGIN=http://10.0.0.11:4000/snapshots/
ALMANAKK_TRUST=/etc/almanakk/signing.pem.pub
ALMANAKK_TRUST_PROXY=127.0.0.1,10.0.0.11
ALMANAKK_PUBLIC_URL=https://kalender.example/
ALMANAKK_PUBLIC_FILE=true
ALMANAKK_ADMIN_TOKEN_FILE="/etc/almanakk/admin-token"
ALMANAKK_SNAPSHOTS_TOKEN=of-the-snapshots
`;

export type Machines = ReturnType<typeof machines>;

/** In place of ssh, the builder's script runs as its forced command would. */
export function machines() {
  const builder = createBuilder();
  const root = createReplica();
  /** What the builder sends without an input, in place of its script. */
  const saveSsh = (sent: string) =>
    saveProgram(
      root,
      'ssh',
      `echo "$*" > ${root}/ssh.log; PATH=${builder}/bin:$PATH
if [ "$1" = -n ]; then exec < /dev/null; ${sent}; else exec sh ${builder}/script --send; fi`,
    );
  saveSsh(`exec sh ${builder}/script --send`);
  /** With the room that the disk must have left, in MB. Without this, versions of the source are not copied. */
  const saveFiles = (least: number) =>
    saveProgram(root, 'almanakk-sync-files', inReplica(FILES, root).replace('least=1024', `least=${least}`));
  const read = (path: string) => readFileSync(join(root, path), 'utf8');
  return {
    builder,
    root,
    read,
    saveSsh,
    saveFiles,
    versions: () => readdirSync(join(root, COPIES)).sort(),
    sync: (host = '10.0.0.11') => runScript(`cd ${root}\n${inReplica(SCRIPT, root)}`, { root, args: [host] }),
    sayState: () => runScript(inReplica(STATE, root), { root }),
    /** What nginx, systemd and the servers have been told since the last call. */
    ordered: () => {
      const lines = existsSync(join(root, 'log')) ? read('log') : '';
      rmSync(join(root, 'log'), { force: true });
      return lines;
    },
  };
}

function createBuilder(): string {
  const builder = temporaryFolder();
  saveSettings(builder);
  saveKeys(builder);
  saveCertificate(builder, 2, 2_000);
  saveCalendars(builder);
  saveScripts(builder);
  return builder;
}

function saveSettings(builder: string): void {
  save(join(builder, 'etc/almanakk/.env'), OF_BUILDER);
  save(join(builder, 'etc/almanakk/admin-token'), 'of-operators');
  save(join(builder, 'etc/almanakk/signing.pem'), 'of the builder');
  save(join(builder, 'etc/almanakk/4010.conf'), 'ALMANAKK_SOURCE=../../srv/uke-100%d\n');
}

/** Of its own calendar, and of three further ones; the replica has only the last of these. */
function saveKeys(builder: string): void {
  save(join(builder, KEYS), '{"keys":["new"]}');
  utimesSync(join(builder, KEYS), 4_000, 4_000);
  save(join(builder, `${KEYS}.usage`), 'changes all the time');
  for (const [at, name] of ['almanakk/storvik', 'almanakk-storvik', 'almanakk-lillevik'].entries())
    save(join(builder, `var/lib/${name}/keys.json`), `{"keys":["${at}"]}`);
}

/** A certificate as certbot keeps it: a link to the newest of several files. */
export function saveCertificate(root: string, number: number, at: number): void {
  const file = join(root, `etc/letsencrypt/archive/kalender.example/fullchain${number}.pem`);
  save(file, `certificate ${number}`);
  utimesSync(file, at, at);
  mkdirSync(join(root, LIVE, '..'), { recursive: true });
  rmSync(join(root, LIVE), { force: true });
  symlinkSync(`../../archive/kalender.example/fullchain${number}.pem`, join(root, LIVE));
}

/** The sources of two calendars, and what builds have made of one. */
function saveCalendars(builder: string): void {
  for (const path of [CORRECTIONS, 'srv/uke-100%d/corrections.json', 'srv/almanakk/events.json'])
    save(join(builder, path), path);
  utimesSync(join(builder, CORRECTIONS), 3_000, 3_000);
  for (const path of ['feeds/kulturhuset.json', 'manifest.json', 'calendar-1.sqlite'])
    save(join(builder, 'var/lib/almanakk/snapshots', path), path);
}

function saveScripts(builder: string): void {
  const inBuilder = (text: string) => text.replace('cd /\n', `cd ${builder}\n`);
  const backup = debianFile('usr/local/sbin/almanakk-backup').replace('=/var', `=${builder}/var`);
  save(join(builder, 'script'), inBuilder(SCRIPT));
  saveProgram(builder, 'almanakk-sync-files', inBuilder(FILES));
  saveProgram(builder, 'almanakk-backup', inBuilder(backup));
  saveProgram(builder, 'age', '{ echo encrypted && cat "$5"; } > "$4"');
}

function createReplica(): string {
  const root = temporaryFolder();
  save(join(root, 'etc/almanakk/.env'), OF_REPLICA);
  for (const folder of ['run', 'var/backups']) mkdirSync(join(root, folder), { recursive: true });
  save(join(root, KEYS), '{"keys":["old"]}');
  mkdirSync(join(root, 'var/lib/almanakk-lillevik'));
  saveCertificate(root, 1, 1_000);
  saveStandIns(root);
  return root;
}

/** Programs of the replica that write what they are told into a log. `NAME-fails` makes one fail. */
function saveStandIns(root: string): void {
  for (const name of ['systemctl', 'nginx', 'almanakk-restart'])
    saveProgram(root, name, `echo "${name} $*" >> ${root}/log; test ! -e ${root}/${name}-fails`);
  saveProgram(root, 'runuser', `echo "$2" >> ${root}/runuser.log; shift 3; exec "$@"`);
  saveProgram(root, 'almanakk-pictures', 'true');
  saveProgram(root, 'almanakk-sync-files', 'true');
  // One second later each time.
  saveProgram(
    root,
    'date',
    `echo >> ${root}/log.seconds; echo 2026-11-30T09-00-$(wc -l < ${root}/log.seconds)`,
  );
  // The group is not on this machine.
  saveProgram(
    root,
    'install',
    `PATH="${process.env.PATH}"; install $(echo "$*" | sed 's/--group almanakk //')`,
  );
}

/** A script with the paths of the replica's folder. */
function inReplica(script: string, root: string): string {
  return script
    .replaceAll(/(?<![:\w#]|FILE)\/(?=etc\/|root\/|run\/|var\/backups\/|var\/lib\/prometheus\/)/g, `${root}/`)
    .replaceAll('"/$', `"${root}/$`);
}

/** All that a run may change on the replica, without logs, programs and versions of the source. */
export const stateOf = (root: string) =>
  contentsOf(root, /^(?:log|ssh\.log|runuser\.log|bin|run\/almanakk-sync\.lock|var\/backups|\w+-fails)/);
