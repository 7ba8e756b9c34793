/** A machine for tests of almanakk-restore, and the archive of another one. */
import { createHash } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Test } from 'uvu';
import * as assert from 'uvu/assert';
import { mustRun, runScript, save, saveProgram, scriptIn } from '../helpers/debian-root.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { isExpected, when } from '../helpers/when.ts';

export interface Context {
  root: string;
  archive: string;
}

/** A suite that needs the programs that pack archives. */
export const withTar = <T>(suite: Test<T>): Test<T> =>
  when(isExpected('tar') && isExpected('gzip'), 'tar or gzip is not installed here', suite);

export const STATE = 'var/lib/almanakk/snapshots';
export const PICTURES = 'etc/nginx/almanakk-pictures.d';

/** Settings of a machine whose calendar has only feeds. */
export const SETTINGS = `ALMANAKK_SOURCE_FILES=/deliveries
ALMANAKK_HOOK_SECRET_FILE=/srv/secrets/hook
  ALMANAKK_SOURCE = "../../srv/almanakk/"`;

export const OF_ARCHIVE = [
  'etc/nginx/nginx.conf',
  'srv/almanakk/sources.json',
  'srv/secrets/hook',
  'var/lib/almanakk/keys.json',
];
/** As an installation leaves it, with the sample. */
const OF_MACHINE = [
  'etc/almanakk/backup-recipients.txt',
  'etc/nginx/nginx.conf',
  'srv/almanakk/events.json',
  'srv/almanakk/pictures/fjord.jpg',
  'srv/almanakk/sources.json',
  'var/lib/almanakk/keys.json',
  'var/lib/almanakk/keys.json.usage',
];

export const SERVICES = 'almanakk@4000 almanakk@4001 almanakk@build';

/** Archives, programs of the test, and folders without files that unpacking has made. */
export const NOT_OF_MACHINE =
  /^(?:(?:bin|log|var\/lib\/almanakk\/snapshots\/builder\.json|var\/backups\/almanakk(?:\.made)?)(?:\/|$)|(?:deliveries(?:\/kirken)?|srv\/secrets)$)/;

/** Programs that write their arguments to the log, and do nothing else. */
export const FAKES = ['systemctl', 'chown', 'curl'];

/** The archive of a machine, and then another machine, with the sample, in the same folder. */
export async function prepare(context: Context): Promise<void> {
  const root = machineWithoutDeliveries();
  save(join(root, 'deliveries/kirken/alle.ics'), 'of the archive');
  context.root = root;
  context.archive = await backUp(root);
  becomeAnother(root);
}

/** A machine that lacks a folder which its settings name. */
export function machineWithoutDeliveries(): string {
  const root = temporaryFolder();
  saveStandIns(root);
  saveArchived(root);
  return root;
}

/** The programs of the machine that the script calls. */
export function saveStandIns(root: string): void {
  for (const name of FAKES) saveProgram(root, name, fakeOf(root, name));
  saveProgram(root, 'sleep', '');
  saveProgram(root, 'almanakk-pictures', '');
}

function saveArchived(root: string): void {
  const at = (path: string) => join(root, path);
  save(at('etc/almanakk/.env'), SETTINGS);
  for (const name of ['4000', '4001', 'build']) save(at(`etc/almanakk/${name}.conf`), `RUN=${name}\n`);
  save(at(`${STATE}/manifest.json`), manifestOf('calendar-1.sqlite', 'of the archive'));
  save(at(`${STATE}/calendar-1.sqlite`), 'of the archive');
  for (const path of OF_ARCHIVE) save(at(path), 'of the archive');
  save(at(`${PICTURES}/removed/a-mark`), 'bilder.example/konsert.jpg\n');
  chmodSync(at('srv/almanakk'), 0o775);
}

/** Makes the only archive of the machine, and returns its path. */
export async function backUp(root: string): Promise<string> {
  await backUpWithOutput(root);
  return archiveIn(root);
}

/** What almanakk-backup says. */
export function backUpWithOutput(root: string) {
  rmSync(join(root, 'var/backups'), { recursive: true, force: true });
  return mustRun(scriptIn(root, 'almanakk-backup'), { root });
}

export function archiveIn(root: string): string {
  const folder = join(root, 'var/backups/almanakk');
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.gz'));
  return join(folder, name);
}

/** The machine on which the archive will be restored. */
function becomeAnother(root: string): void {
  const at = (path: string) => join(root, path);
  chmodSync(at('srv/almanakk'), 0o755);
  for (const path of ['srv/secrets', 'deliveries', STATE, PICTURES]) rmSync(at(path), { recursive: true });
  for (const path of OF_MACHINE) save(at(path), 'of this machine');
  save(at(`${STATE}/manifest.json`), manifestOf('calendar-2.sqlite', 'of this machine'));
  save(at(`${STATE}/calendar-2.sqlite`), 'of this machine');
}

/** Runs almanakk-restore, which may fail. */
export const tryRestore = (root: string, ...args: readonly string[]) =>
  runScript(scriptIn(root, 'almanakk-restore'), { root, args });

/** Runs almanakk-restore, which must succeed. */
export const mustRestore = (root: string, ...args: readonly string[]) =>
  mustRun(scriptIn(root, 'almanakk-restore'), { root, args });

/** The folder with the previous files, by what almanakk-restore says. */
export function previousFiles(stdout: string): string {
  const [, folder = ''] = /^restored\. The previous files are in \/(\S+)\. /m.exec(stdout) ?? [];
  assert.is.not(folder, '', stdout);
  return folder;
}

export const readIn = (root: string) => (path: string) => readFileSync(join(root, path), 'utf8');

export const manifestOf = (file: string, text: string) =>
  `  "file": "${file}",\n  "sha256": "${sha256Of(text)}",\n  "compressed": {\n  }\n`;

export const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');

/** When systemd has started the builder, that writes its state. */
export function fakeOf(root: string, name: string, restarts = 0): string {
  const reports = `if [ "$1" = start ]; then mkdir -p ${STATE} && touch ${STATE}/builder.json; fi`;
  const counts = `if [ "$1" = show ]; then echo ${restarts}; exit; fi`;
  return name === 'systemctl' ? `${counts}\n${reports}\n${log(root, name)}` : log(root, name);
}

export function log(root: string, name: string): string {
  return `echo ${name} "$@" >> ${root}/log`;
}
