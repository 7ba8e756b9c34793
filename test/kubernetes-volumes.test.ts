/** The volumes of docs/kubernetes.yaml: sources and keys that change while pods run, backups, and their restoration. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { hashKey, KEY_ENTROPY, makeKey } from '../src/annexes/common/keys.ts';
import { openKeyRing } from '../src/annexes/keys/key-ring.ts';
import { packagePath } from '../src/package.ts';
import { createLog } from '../src/runtime/log.ts';
import { imageVariables } from './helpers/containerfile.ts';
import { runIn, runs, save, saveProgram } from './helpers/debian-root.ts';
import { builtWithFeeds } from './helpers/feeds.ts';
import { temporaryFolder } from './helpers/folder.ts';
import { builder, type Named, named, replica } from './helpers/kubernetes.ts';
import { isInstalled, when } from './helpers/when.ts';
import { runShell } from './readme/shell.ts';

const test = suite('volumes of kubernetes.yaml');

const CREATED = '2026-11-28T12:00:00Z';

/** As the kubelet fills a volume: each file is a link, and a new version of them all turns one link. */
function mountVersion(folder: string, version: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(folder, version));
  rmSync(join(folder, '..data'), { force: true });
  symlinkSync(version, join(folder, '..data'));
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder, version, name), text);
    if (!existsSync(join(folder, name))) symlinkSync(`..data/${name}`, join(folder, name));
  }
}

test('F1: should build the calendar of a ConfigMap with a feed, and again after a new version of it', async () => {
  const { containers, volumes } = builder.template.spec;
  const { configMap } = volumes.find(({ name }: Named) => name === 'calendar');
  const { mountPath } = containers[0].volumeMounts.find(({ name }: Named) => name === 'calendar');
  assert.is(mountPath, imageVariables().ALMANAKK_SOURCE);
  assert.equal(configMap, { name: 'calendar' }, 'it has to be there');
  const source = temporaryFolder();
  const target = temporaryFolder();
  const sources = [{ id: 'fest', kind: 'csv', file: 'fest.csv' }];
  const table = 'Tittel;Start\nFakkeltog;14.02.2031 kl. 18.00\n';
  const files = {
    'licence.json': '{ "id": "lillevik", "name": "Lillevik", "categories": [] }',
    'sources.json': JSON.stringify(sources),
    'fest.csv': table,
  };
  mountVersion(source, '..one', files);
  const eventsBuilt = async () => (await builtWithFeeds(source, target)).result.counts.events;
  assert.is(await eventsBuilt(), 1);
  mountVersion(source, '..two', { ...files, 'fest.csv': `${table}Sanddans;15.02.2031 kl. 20.00\n` });
  assert.is(await eventsBuilt(), 2);
});

test('K1: should give replicas the keys of a secret that need not be there', async () => {
  const { containers, volumes } = replica.template.spec;
  const volume = volumes.find(({ name }: Named) => name === 'issued');
  assert.is(volume.secret.optional, true);
  const { mountPath, readOnly } = containers[0].volumeMounts.find(({ name }: Named) => name === 'issued');
  const [{ path }] = volume.secret.items;
  const setting = containers[0].env.find(({ name }: Named) => name === 'ALMANAKK_KEYS');
  assert.equal([setting.value, readOnly], [`${mountPath}/${path}`, true]);

  const folder = temporaryFolder();
  const log = createLog({ level: 'silent', format: 'text' });
  const ring = await openKeyRing({ path: join(folder, path), log });
  const key = makeKey(Buffer.alloc(KEY_ENTROPY, 7));
  assert.is(ring.applicationOf(key), undefined, 'no secret yet');
  const put = async (version: string, revoked: string | null) => {
    const entry = { id: 'abcd', app: 'Avisa', hash: hashKey(key), created: CREATED, revoked };
    mountVersion(folder, version, { [path]: JSON.stringify({ keys: [entry] }) });
    await ring.refresh();
  };
  await put('one', null);
  assert.is(ring.applicationOf(key), 'Avisa');
  await put('two', CREATED);
  assert.is(ring.applicationOf(key), undefined, 'revoked');
  ring.close();
});

test('H14: should archive the snapshot of the builder that is served, and keep fourteen archives', async () => {
  const { template } = named('CronJob', 'backup').spec.jobTemplate.spec;
  const [{ command, args, image, volumeMounts }] = template.spec.containers;
  const claims = (volumes: readonly { readonly name: string; readonly persistentVolumeClaim?: object }[]) =>
    volumes.filter(({ persistentVolumeClaim }) => persistentVolumeClaim !== undefined);
  assert.equal(claims(template.spec.volumes), claims(builder.template.spec.volumes));
  assert.is(image, builder.template.spec.containers[0].image);
  const [{ labelSelector }] =
    template.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  assert.equal(labelSelector, builder.selector);

  const folder = temporaryFolder();
  const [data, backup] = volumeMounts.map(({ mountPath }: { readonly mountPath: string }) => mountPath);
  for (const path of [data, backup, `${data}/lost+found`, `${data}/snapshots`]) mkdirSync(join(folder, path));
  for (const name of ['keys.json', 'snapshots/calendar-old.sqlite', 'snapshots/calendar-served.sqlite'])
    writeFileSync(join(folder, data, name), '{}');
  const manifest = '{\n  "file": "calendar-served.sqlite",\n  "bytes": 2\n}\n';
  writeFileSync(join(folder, data, 'snapshots/manifest.json'), manifest);
  for (let day = 10; day < 26; day += 1) writeFileSync(join(folder, backup, `2020-01-${day}.tar.gz`), '');
  const script = args[0]
    .replace('docs/archive.sh', packagePath('docs/archive.sh'))
    .replace(data, join(folder, data))
    .replaceAll(/(?<= )\/backup/g, join(folder, backup));
  writeFileSync(join(folder, 'script'), script);
  assert.equal(command, ['sh', '-eu', '-c']);
  const { code, stdout, stderr } = await runShell(
    `sh -eu -c "$(cat script)" && ls .${backup} && tar --list --file "$(ls .${backup}/*.gz | tail -n 1)"`,
    { folder },
  );
  assert.is(code, 0, stderr);
  const lines = stdout.trim().split('\n');
  const archives = lines.filter((line) => line.endsWith('.tar.gz'));
  assert.equal([archives.length, archives[0]], [14, '2020-01-13.tar.gz']);
  assert.equal(lines.slice(14).sort(), [
    './keys.json',
    './snapshots/calendar-served.sqlite',
    './snapshots/manifest.json',
  ]);
});

/** What `kubectl get` prints of several objects, and of a single one. */
const SECRETS = `apiVersion: v1
items:
- apiVersion: v1
  data:
    signing.pem: a2V5
  kind: Secret
  metadata:
    creationTimestamp: "2026-11-28T12:00:00Z"
    name: signing
    namespace: almanakk
    resourceVersion: "7"
    uid: 0b1c
kind: List
metadata:
  resourceVersion: ""
`;
const CALENDAR = `apiVersion: v1
data:
  sources.json: |
    text: of the calendar
kind: ConfigMap
metadata:
  name: calendar
  resourceVersion: "8"
  uid: 0b1d
`;

when(
  isInstalled('age'),
  'age is not installed here',
  test,
)('H14: should write an encrypted copy of the volume, the calendar and the secrets', async () => {
  const root = temporaryFolder();
  const at = (name: string) => join(root, name);
  save(at('data/snapshots/calendar-1.sqlite'), '{}');
  save(at('data/snapshots/manifest.json'), '  "file": "calendar-1.sqlite",\n');
  save(at('secrets'), SECRETS);
  save(at('calendar'), CALENDAR);
  saveProgram(
    root,
    'kubectl',
    `shift 2
case "$*" in
  'exec deploy/builder -- sh docs/archive.sh /data') sh ${packagePath('docs/archive.sh')} data ;;
  'get secret/signing secret/builder secret/replica') test -e secrets ;;
  'get secret/signing secret/builder secret/replica secret/keys --ignore-not-found --output yaml') cat secrets ;;
  'get configmap/calendar --ignore-not-found --output yaml') cat calendar ;;
  'exec deploy/builder -- touch /data/backup.copied') ls copies > mark ;;
  *) exit 1 ;;
esac`,
  );
  for (let day = 10; day < 26; day += 1) save(at(`copies/almanakk-2020-01-${day}.tar.gz.age`), '');
  const script = readFileSync(packagePath('docs/kubernetes-backup.sh'), 'utf8');
  await runs('age-keygen -o identity.txt && age-keygen -y identity.txt > backup-recipients.txt', { root });
  await runs(script, { root, args: ['copies'] });
  const copies = readdirSync(at('copies')).sort();
  assert.equal([copies.length, copies[0]], [14, 'almanakk-2020-01-13.tar.gz.age']);
  const copy = copies.at(-1);
  assert.match(copy ?? '', /^almanakk-20(?!20)\d\d-\d\d-\d\dT\d\d-\d\d-\d\d\.tar\.gz\.age$/);
  assert.match(readFileSync(at('mark'), 'utf8'), copy ?? '', 'marked once the copy is complete');
  rmSync(at('mark'));
  const unpack = `age --decrypt --identity identity.txt copies/${copy} | tar --extract --gzip`;
  await runs(`${unpack}; tar --list --file builder.tar.gz | sort > names`, { root });
  const read = (name: string) => readFileSync(at(name), 'utf8');
  assert.is(read('names'), './snapshots/calendar-1.sqlite\n./snapshots/manifest.json\n');
  const [signing] = parse(read('secrets.yaml')).items;
  assert.equal(signing.metadata, { name: 'signing', namespace: 'almanakk' });
  assert.equal(signing.data, { 'signing.pem': 'a2V5' });
  const calendar = parse(read('calendar.yaml'));
  assert.equal(calendar.metadata, { name: 'calendar' });
  assert.equal(calendar.data, { 'sources.json': 'text: of the calendar\n' });
  rmSync(at('secrets'));
  const { code } = await runIn(script, { root, args: ['copies'] });
  assert.is(code, 1, 'a secret is missing');
  assert.equal(readdirSync(at('copies')).sort(), copies);
  assert.not.ok(existsSync(at('mark')));
});

/** Runs the job's script on the folders `data` and `backup` in a folder. */
async function restoreIn(folder: string, env: Readonly<Record<string, string>> = {}): Promise<void> {
  const [{ command, args }] = named('CronJob', 'restore').spec.jobTemplate.spec.template.spec.containers;
  const script = args[0].replaceAll(/\/(?=data\b|backup\b)/g, `${folder}/`);
  const [program = '', ...options] = command;
  const { status, stderr } = spawnSync(program, [...options, script], { env: { ...process.env, ...env } });
  assert.is(status, 0, `${stderr}`);
}

/** Fills `data` with these files, archives it under the name, and empties it. */
function archive(folder: string, name: string, files: Readonly<Record<string, string>>): void {
  const data = join(folder, 'data');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(data, path), text);
  spawnSync('tar', ['--create', '--gzip', '--file', join(folder, name), '--directory', data, '.']);
  for (const path of Object.keys(files)) rmSync(join(data, path));
}

test('H14: should restore an archive, and keep nothing that is not in it', async () => {
  const { suspend, jobTemplate } = named('CronJob', 'restore').spec;
  assert.is(suspend, true);
  assert.equal(
    jobTemplate.spec.template.spec.volumes,
    named('CronJob', 'backup').spec.jobTemplate.spec.template.spec.volumes,
  );
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  for (const path of ['data', 'data/lost+found', 'backup']) mkdirSync(join(folder, path));
  archive(folder, 'copy.tar.gz', { 'keys.json': 'copy' });
  cpSync(join(folder, 'copy.tar.gz'), join(data, 'restore.tar.gz'));
  const restored = () => [readdirSync(data).sort(), readFileSync(join(data, 'keys.json'), 'utf8')];
  await restoreIn(folder);
  assert.equal(restored(), [['keys.json', 'lost+found'], 'copy'], 'no archive in the volume');

  archive(folder, 'backup/2026-11-20T03-30-00.tar.gz', { 'keys.json': 'older' });
  archive(folder, 'backup/2026-11-21T03-30-00.tar.gz', { 'keys.json': 'newer' });
  writeFileSync(join(data, '.held'), '');
  await restoreIn(folder);
  assert.equal(restored(), [['keys.json', 'lost+found'], 'newer']);
  await restoreIn(folder, { ARCHIVE: join(folder, 'backup/2026-11-20T03-30-00.tar.gz') });
  assert.equal(restored(), [['keys.json', 'lost+found'], 'older']);
});

test.run();
