/** The volumes of docs/kubernetes.yaml: sources and keys that change while pods run, backups, and their restoration. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parse } from 'yaml';
import { hashKey, KEY_ENTROPY, makeKey } from '../../src/annexes/common/keys.ts';
import { openKeyRing } from '../../src/annexes/keys/key-ring.ts';
import { packagePath } from '../../src/package.ts';
import { createLog } from '../../src/runtime/log.ts';
import { imageVariables } from '../helpers/containerfile.ts';
import { mustRun, runScript, save, saveProgram } from '../helpers/debian-root.ts';
import { builtWithFeeds } from '../helpers/feeds.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { builder, type Named, objectNamed, replica } from '../helpers/kubernetes.ts';
import { isExpected, when } from '../helpers/when.ts';
import { runShell } from '../readme/shell.ts';

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
  const { template } = objectNamed('CronJob', 'backup').spec.jobTemplate.spec;
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
  for (const path of [data, backup, `${data}/lost+found`, `${data}/snapshots`, `${data}/.before`])
    mkdirSync(join(folder, path));
  for (const name of [
    'keys.json',
    '.before/keys.json',
    'snapshots/calendar-old.sqlite',
    'snapshots/calendar-served.sqlite',
  ])
    writeFileSync(join(folder, data, name), '{}');
  const manifest = '{\n  "file": "calendar-served.sqlite",\n  "bytes": 2\n}\n';
  writeFileSync(join(folder, data, 'snapshots/manifest.json'), manifest);
  for (let day = 10; day < 26; day += 1) writeFileSync(join(folder, backup, `2020-01-${day}.tar.gz`), '');
  const script = args[0]
    .replaceAll('docs/archive.sh', packagePath('docs/archive.sh'))
    .replaceAll(` ${data}`, ` ${join(folder, data)}`)
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

  const before = readdirSync(join(folder, backup));
  for (const [name, text, said] of FAILURES) {
    saveProgram(folder, name, text);
    // As a job leaves it that was killed.
    save(join(folder, backup, '.unfinished'), 'half');
    const failed = await runScript('sh -eu -c "$(cat script)"', { root: folder });
    assert.is.not(failed.code, 0, said);
    assert.match(failed.stderr, said);
    assert.equal(readdirSync(join(folder, backup)), before, said);
  }
});

/** A program that fails, and what the script says: `tar` as on a full volume, and `df` for one that is nearly full. */
const FAILURES = [
  ['tar', 'echo half; echo "No space left on device" >&2; exit 2', 'No space left on device\n'],
  ['df', "printf 'Avail\\n    4\\n'", ' bytes in the volume of '],
] as const;

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
  isExpected('age'),
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
    `test "$1 $2" = '--namespace lillevik' || exit 1
shift 2
case "$*" in
  'exec deploy/builder -- sh docs/archive.sh /data --size') echo 512 ;;
  'exec deploy/builder -- sh docs/archive.sh /data') echo >> archived; sh ${packagePath('docs/archive.sh')} data ;;
  'get secret --field-selector type=Opaque --ignore-not-found --output yaml') cat secrets ;;
  'get configmap/calendar --ignore-not-found --output yaml') cat calendar ;;
  'exec deploy/builder -- touch /data/backup.copied') ls copies > mark ;;
  *) exit 1 ;;
esac`,
  );
  for (let day = 10; day < 26; day += 1) save(at(`copies/almanakk-2020-01-${day}.tar.gz.age`), '');
  const script = readFileSync(packagePath('docs/kubernetes-backup.sh'), 'utf8');
  await mustRun('age-keygen -o identity.txt && age-keygen -y identity.txt > backup-recipients.txt', { root });
  await mustRun(script, { root, args: ['copies', 'lillevik'] });
  const copies = readdirSync(at('copies')).sort();
  assert.equal([copies.length, copies[0]], [14, 'almanakk-2020-01-13.tar.gz.age']);
  const copy = copies.at(-1);
  assert.match(copy ?? '', /^almanakk-20(?!20)\d\d-\d\d-\d\dT\d\d-\d\d-\d\d\.tar\.gz\.age$/);
  assert.match(readFileSync(at('mark'), 'utf8'), copy ?? '', 'marked once the copy is complete');
  rmSync(at('mark'));
  const unpack = `age --decrypt --identity identity.txt copies/${copy} | tar --extract --gzip`;
  await mustRun(`${unpack}; tar --list --file builder.tar.gz | sort > names`, { root });
  const read = (name: string) => readFileSync(at(name), 'utf8');
  assert.is(read('names'), './snapshots/calendar-1.sqlite\n./snapshots/manifest.json\n');
  const [signing] = parse(read('secrets.yaml')).items;
  assert.equal(signing.metadata, { name: 'signing', namespace: 'almanakk' });
  assert.equal(signing.data, { 'signing.pem': 'a2V5' });
  const calendar = parse(read('calendar.yaml'));
  assert.equal(calendar.metadata, { name: 'calendar' });
  assert.equal(calendar.data, { 'sources.json': 'text: of the calendar\n' });
  rmSync(at('secrets'));
  const { code } = await runScript(script, { root, args: ['copies', 'lillevik'] });
  assert.is(code, 1, 'the secrets could not be read');
  rmSync(at('archived'));
  saveProgram(root, 'df', `printf 'Avail\\n    4\\n'`);
  const refused = await runScript(script, { root, args: ['copies', 'lillevik'] });
  assert.is(refused.code, 1);
  assert.match(refused.stderr, /^kubernetes-backup\.sh: expected room for 1024 bytes .*, found 4\. .*\n$/);
  assert.not.ok(existsSync(at('archived')), 'with too little room');
  assert.equal(readdirSync(at('copies')).sort(), copies);
  assert.not.ok(existsSync(at('mark')));
});

/** Runs the job's script on the folders `data` and `backup` in a folder. */
function restoreIn(folder: string, env: Readonly<Record<string, string>> = {}) {
  const [{ command, args }] = objectNamed('CronJob', 'restore').spec.jobTemplate.spec.template.spec
    .containers;
  const script = args[0]
    .replaceAll(/\/(?=data\b|backup\b)/g, `${folder}/`)
    .replace('docs/unarchive.sh', packagePath('docs/unarchive.sh'));
  const [program = '', ...options] = command;
  const variables = { ...process.env, ...env, PATH: `${folder}/bin:${process.env.PATH}` };
  return spawnSync(program, [...options, script], { env: variables, encoding: 'utf8' });
}

/** The manifest of a snapshot with this text, as a builder writes it. */
function manifestOf(text: string): string {
  const sha256 = createHash('sha256').update(text).digest('hex');
  return JSON.stringify({ file: 'calendar-1.sqlite', bytes: text.length, sha256, format: 1 }, null, 2);
}

/** Archives a volume that has these keys and a snapshot. */
function archive(folder: string, name: string, keys: string, manifest = manifestOf(keys)): void {
  const data = join(folder, 'archived');
  save(join(data, 'keys.json'), keys);
  save(join(data, 'snapshots/calendar-1.sqlite'), keys);
  save(join(data, 'snapshots/manifest.json'), manifest);
  mkdirSync(join(folder, 'backup'), { recursive: true });
  spawnSync('tar', ['--create', '--gzip', '--file', join(folder, name), '--directory', data, '.']);
  rmSync(data, { recursive: true });
}

/** The files of the volume, and the text of `keys.json`. */
function volumeIn(folder: string) {
  const data = join(folder, 'data');
  return [readdirSync(data).sort().join(' '), readFileSync(join(data, 'keys.json'), 'utf8')];
}

/** Files besides those that a restore keeps. */
const RESTORED = '.before keys.json lost+found snapshots';

test('H14: should restore an archive, keep nothing that is not in it, and undo this', () => {
  const { suspend, jobTemplate } = objectNamed('CronJob', 'restore').spec;
  assert.is(suspend, true);
  assert.equal(
    jobTemplate.spec.template.spec.volumes,
    objectNamed('CronJob', 'backup').spec.jobTemplate.spec.template.spec.volumes,
  );
  const folder = temporaryFolder();
  const data = join(folder, 'data');
  mkdirSync(join(data, 'lost+found'), { recursive: true });
  const restores = (env = {}) => {
    const { status, stderr } = restoreIn(folder, env);
    assert.is(status, 0, stderr);
    return volumeIn(folder);
  };
  archive(folder, 'data/restore.tar.gz', 'copy');
  assert.equal(restores(), [RESTORED, 'copy'], 'no archive in the volume');

  archive(folder, 'backup/2026-11-20T03-30-00.tar.gz', 'older');
  archive(folder, 'backup/2026-11-21T03-30-00.tar.gz', 'newer');
  save(join(data, '.held'), '');
  assert.equal(restores(), [RESTORED, 'newer']);
  assert.equal(restores({ ARCHIVE: 'previous' }), [RESTORED.replace(' ', ' .held '), 'copy'], 'undone');
  assert.equal(restores({ ARCHIVE: 'previous' }), [RESTORED, 'newer'], 'undone twice');
  assert.equal(restores({ ARCHIVE: join(folder, 'backup/2026-11-20T03-30-00.tar.gz') }), [RESTORED, 'older']);

  // A run that was killed: some of the present files are out of place, and one of the archive is in place.
  mkdirSync(join(data, '.replaced'));
  renameSync(join(data, 'keys.json'), join(data, '.replaced/keys.json'));
  save(join(data, 'keys.json'), 'newer');
  assert.equal(restores(), [RESTORED, 'newer']);
  assert.equal(restores({ ARCHIVE: 'previous' }), [RESTORED, 'older'], 'nothing of it was lost');
});

/** Archives that must not replace anything. */
const REFUSED = [
  {
    what: 'that is damaged',
    spoil: (folder: string) => truncateSync(join(folder, 'backup/1.tar.gz'), 100),
    says: /1\.tar\.gz is damaged/,
  },
  {
    what: 'without a manifest',
    spoil: (folder: string) => {
      const path = join(folder, 'backup/1.tar.gz');
      spawnSync('tar', [
        '--create',
        '--gzip',
        '--file',
        path,
        '--directory',
        join(folder, 'data'),
        'keys.json',
      ]);
    },
    says: /expected snapshots\/manifest\.json/,
  },
  {
    what: 'whose snapshot is another than the manifest says',
    spoil: (folder: string) => archive(folder, 'backup/1.tar.gz', 'other', manifestOf('newer')),
    says: /expected the files of manifest\.json/,
  },
  {
    what: 'that does not fit',
    spoil: (folder: string) => saveProgram(folder, 'df', 'printf "Avail\\n 100\\n"'),
    says: /expected room for \d+ bytes in the volume, found 100/,
  },
];

for (const { what, spoil, says } of REFUSED) {
  test(`H14: should leave the volume as it is for an archive ${what}`, () => {
    const folder = temporaryFolder();
    save(join(folder, 'data/keys.json'), 'present');
    archive(folder, 'backup/1.tar.gz', 'newer');
    spoil(folder);
    const { status, stderr } = restoreIn(folder);
    assert.is(status, 1);
    assert.match(stderr, says);
    assert.match(stderr, 'Nothing has been changed');
    assert.equal(volumeIn(folder), ['keys.json', 'present']);
  });
}

test.run();
