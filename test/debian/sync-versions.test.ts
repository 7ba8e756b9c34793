/** almanakk-sync: a replica has versions of the files that its builder builds from. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { contentsOf, save, saveProgram } from '../helpers/debian-root.ts';
import { COPIES, CORRECTIONS, MARK, type Machines, machines } from './sync-machines.ts';

const SOURCE = 'srv/almanakk';

interface Context {
  pair: Machines;
  /** Standard output of the first run. */
  said: string;
}

/** Each test goes on from the versions that the one before it has left. */
const versions = suite<Context>('almanakk-sync: versions of the source');

versions.before(async (context) => {
  context.pair = machines();
  const { builder, saveFiles, sync } = context.pair;
  saveFiles(0);
  save(join(builder, SOURCE, 'bilder/a.jpg'), 'a picture');
  save(join(builder, SOURCE, 'becomes-a-folder'), 'a file');
  mkdirSync(join(builder, SOURCE, 'empty'));
  symlinkSync('events.json', join(builder, SOURCE, 'link'));
  context.said = (await sync()).stdout;
});

/** What a version of the source has, without the folders above. */
const inVersion = (root: string, version: string) =>
  Object.keys(contentsOf(join(root, COPIES, version), /^(?:\.list|srv|var|var\/lib|var\/backups)$/));

versions('H18: should have what builds read and cannot read again, and say what is lacking', (context) => {
  const { root, versions } = context.pair;
  assert.match(
    context.said,
    /^copied: .*\nnot copied: the newest backup, because 10\.0\.0\.11 has none, or no /,
  );
  const [first = ''] = versions();
  assert.equal(inVersion(root, first), [
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
});

versions('H18: should be for root alone, and have the times of the files', ({ pair }) => {
  const { root, versions } = pair;
  const [first = ''] = versions();
  assert.is(statSync(join(root, COPIES)).mode & 0o777, 0o700, 'only root reads unpublished events');
  assert.is(statSync(join(root, COPIES, first, CORRECTIONS)).mtimeMs, 3_000_000);
});

versions('H18: should not be more of them if nothing has changed', async ({ pair }) => {
  const { root, versions, sync } = pair;
  const [first = ''] = versions();
  utimesSync(join(root, COPIES, first), 1_000, 1_000);
  assert.is((await sync()).stdout, '');
  assert.equal(versions(), [first]);
  assert.ok(statSync(join(root, COPIES, first)).mtimeMs > 1_000_000, 'the last time that the builder had it');
});

versions('H18: should have an edited source as it is, with the newest backup', async ({ pair }) => {
  const { root, builder, read, sync, versions } = pair;
  editSource(builder);
  saveBackup(builder);
  assert.match((await sync()).stdout, /^copied: .*09-00-2\n$/);
  const [, second = ''] = versions();
  assert.equal(
    contentsOf(join(root, COPIES, second, SOURCE), /^$/),
    contentsOf(join(builder, SOURCE), /^$/),
    'the same as on the builder',
  );
  const encrypted = 'var/backups/almanakk-encrypted/2026-11-30T03-30-00.tar.gz.age';
  assert.is(read(`${COPIES}/${second}/${encrypted}`), 'encrypted\nwith all secrets');
});

/** A file becomes a folder, a folder and a link become others, and a text changes. */
function editSource(builder: string): void {
  const at = (path: string) => join(builder, SOURCE, path);
  save(at('events.json'), 'edited');
  for (const path of ['becomes-a-folder', 'bilder/a.jpg', 'link']) rmSync(at(path));
  rmSync(at('bilder'), { recursive: true });
  for (const path of ['bilder', 'becomes-a-folder/b', 'link/c']) save(at(path), path);
}

function saveBackup(builder: string): void {
  const recipients = join(builder, 'etc/almanakk/backup-recipients.txt');
  save(recipients, 'age1');
  utimesSync(recipients, 1_000, 1_000);
  save(join(builder, 'var/backups/almanakk/2026-11-30T03-30-00.tar.gz'), 'with all secrets');
}

versions('H18: should stay as they were, and share the files that have not changed', ({ pair }) => {
  const { root, read, versions } = pair;
  const [first = '', second = ''] = versions();
  assert.is(read(`${COPIES}/${first}/${SOURCE}/events.json`), 'srv/almanakk/events.json', 'as it was');
  const inode = (version: string) => statSync(join(root, COPIES, version, CORRECTIONS)).ino;
  assert.is(inode(second), inode(first), 'unchanged files take no room');
});

versions('H18: should still have a source that was emptied by mistake', async ({ pair }) => {
  const { root, builder, read, sync, versions } = pair;
  for (const name of readdirSync(join(builder, SOURCE)))
    rmSync(join(builder, SOURCE, name), { recursive: true });
  await sync();
  const [, second = '', third = ''] = versions();
  assert.equal(readdirSync(join(root, COPIES, third, SOURCE)), []);
  assert.is(read(`${COPIES}/${second}/${SOURCE}/events.json`), 'edited');
});

versions.run();

/** The second test goes on from the versions that the first one has left. */
const room = suite<Pick<Context, 'pair'>>('almanakk-sync: how many versions are kept');

const DAYS = Array.from({ length: 20 }, (_, index) => `2026-11-${10 + index}`);

room.before((context) => {
  context.pair = machines();
  // Two versions a day.
  for (const day of DAYS)
    for (const time of ['08', '22'])
      save(join(context.pair.root, COPIES, `${day}T${time}-00-00`, '.list'), '');
});

room('H18: should be 24, and one a day for 14 days', async ({ pair }) => {
  const { sync, saveFiles, versions } = pair;
  saveFiles(0);
  await sync();
  const newest = DAYS.flatMap((day) => [`${day}T08-00-00`, `${day}T22-00-00`]).slice(-23);
  const daily = DAYS.slice(-13).map((day) => `${day}T22-00-00`);
  assert.equal(versions(), [...new Set([...daily, ...newest, '2026-11-30T09-00-1'])].sort());
});

room('H18: should be the newest alone if the disk is full, and the run should fail', async ({ pair }) => {
  const { root, sync, saveFiles, versions } = pair;
  rmSync(join(root, MARK));
  saveFiles(1e12);
  const { code, stderr } = await sync();
  assert.is(code, 1);
  assert.match(stderr, /expected 1000000000000 MB of free space on the disk with .*almanakk-sync, found/);
  assert.match(stderr, 'almanakk-sync: all has been copied except the files of builds, see above\n');
  assert.equal(versions(), ['2026-11-30T09-00-1']);
  assert.not.ok(existsSync(join(root, MARK)), 'servers warn when it is old');
});

room.run();

const links = suite('almanakk-sync: links in versions');

links('H18: should not follow a link of an earlier version', async () => {
  const { root, builder, sync, saveFiles, versions } = machines();
  saveFiles(0);
  save(join(root, 'outside/here'), 'of this machine');
  symlinkSync(join(root, 'outside'), join(builder, SOURCE, 'link'));
  await sync();
  const before = contentsOf(join(root, COPIES), /^$/);
  sendForged(root);
  assert.is((await sync()).code, 1);
  assert.is(readFileSync(join(root, 'outside/here'), 'utf8'), 'of this machine');
  for (const name of versions().filter((name) => name.startsWith('.')))
    rmSync(join(root, COPIES, name), { recursive: true });
  assert.equal(contentsOf(join(root, COPIES), /^$/), before);
});

/** In place of the builder's files: a list that still has the link, and a file below it. */
function sendForged(root: string): void {
  const list = `cp ${root}/${COPIES}/2*/.list forged/.list && printf 'f 1 1 600 root root ${SOURCE}/link/x\\0' >> forged/.list`;
  save(join(root, `forged/${SOURCE}/link/here`), 'of the builder');
  saveProgram(
    root,
    'ssh',
    `test "$1" = -n || { cd ${root}; ${list}; cd forged; tar --create --gzip .list srv; }`,
  );
}

links.run();
