/** H5: the manifest and the files of a snapshot folder. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { systemCodeOf } from '../../../src/calendar/errors.ts';
import { makeFolder, openRegular } from '../../../src/snapshot/files.ts';
import { listByBuild, listSnapshots } from '../../../src/snapshot/folder.ts';
import { parseManifest, readManifestText, renderManifest } from '../../../src/snapshot/manifest.ts';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { verifyFile } from '../../../src/snapshot/verify.ts';
import { NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { when } from '../../helpers/when.ts';

const folders = suite('folder');

const GOOD = {
  format: 1,
  id: '0123456789abcdef',
  file: 'calendar-0123456789abcdef.sqlite',
  bytes: 4096,
  sha256: `0123456789abcdef${'0'.repeat(48)}`,
  builtAt: '2026-01-01T12:00:00Z',
  counts: { events: 1, occurrences: 2, venues: 3, organizers: 4, categories: 5 },
};

folders('H5: should read back the manifest that it renders', () => {
  assert.equal(parseManifest(renderManifest(GOOD)), GOOD);
});

folders('should create a folder with those above it, and say why the disk refuses one', async () => {
  const folder = join(temporaryFolder(), 'a/b');
  await Promise.all([makeFolder(folder), makeFolder(folder)]);
  writeFileSync(join(folder, 'file'), '');
  const codeOf = (path: string) => makeFolder(path).then(() => null, systemCodeOf);
  assert.is(await codeOf(folder), null);
  assert.is(await codeOf(join(folder, 'file')), 'EEXIST');
  assert.is(await codeOf(join(folder, 'file/c')), 'ENOTDIR');
  // Node's own recursive function never ends here.
  if (process.platform !== 'linux') return;
  assert.is(await codeOf('/proc/almanakk/c'), 'ENOENT');
});

folders('H5: should refuse half a manifest, wherever it breaks off', async () => {
  const text = renderManifest(GOOD).trim();
  for (let length = 0; length < text.length; length++)
    await rejects(
      parsing(text.slice(0, length)),
      'SNAPSHOT_UNUSABLE',
      /manifest\.json: expected JSON, found/,
    );
});

interface BadCase {
  readonly bad: string | Readonly<Record<string, unknown>>;
  readonly finding: RegExp;
}

/** Wrong manifests, or changes to a good one. */
const BAD: readonly BadCase[] = [
  { bad: '', finding: /expected JSON, found an empty file/ },
  { bad: '[]', finding: /expected an object, found/ },
  { bad: 'null', finding: /expected an object, found null/ },
  { bad: '"calendar"', finding: /expected an object/ },
  { bad: '\0\x01\x02', finding: /expected JSON/ },
  { bad: { id: undefined }, finding: /"id" to be 16 hex digits, found nothing/ },
  { bad: { id: '0123456789abcdef0' }, finding: /"id" to be 16 hex digits/ },
  {
    bad: { file: '../calendar-0123456789abcdef.sqlite' },
    finding: /"file" to be calendar-<id>/,
  },
  {
    bad: { file: '/etc/passwd' },
    finding: /"file" to be calendar-<id>\.sqlite, found \/etc\/passwd/,
  },
  {
    bad: { file: 'calendar-ffffffffffffffff.sqlite' },
    finding: /"file" to be calendar-0123456789abcdef\.sqlite/,
  },
  { bad: { sha256: 'f'.repeat(64) }, finding: /"sha256" to begin with the id/ },
  { bad: { sha256: '0123456789abcdef' }, finding: /"sha256" to be 64 hex digits/ },
  { bad: { bytes: -1 }, finding: /"bytes" to be a whole number/ },
  { bad: { bytes: '4096' }, finding: /"bytes" to be a whole number, found 4096/ },
  { bad: { counts: { events: 1 } }, finding: /"counts" to be counts by name/ },
  { bad: { builtAt: 'yesterday' }, finding: /"builtAt" to be an ISO 8601 moment/ },
  {
    bad: { builtAt: '2026-13-01T12:00:00Z' },
    finding: /"builtAt" to be an ISO 8601 moment/,
  },
];

for (const { bad, finding } of BAD) {
  folders(`H5: should refuse a manifest that is or has ${JSON.stringify(bad)}`, async () => {
    const text = typeof bad === 'string' ? bad : JSON.stringify({ ...GOOD, ...bad });
    await rejects(parsing(text), 'SNAPSHOT_UNUSABLE', finding);
  });
}

folders('should find no manifest and no files in a folder that is empty or not there', async () => {
  const folder = temporaryFolder();
  for (const path of [folder, join(folder, 'none')]) {
    assert.is(await readManifestText(path), null, path);
    assert.equal(await listSnapshots(path), [], path);
    assert.equal(await listByBuild(path), []);
  }
});

folders('H7: should not read a manifest beyond its greatest length', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'manifest.json'), ' '.repeat(8_193));
  const finding = /manifest\.json: expected 8192 bytes at most, found 8193/;
  await rejects(readManifestText(folder), 'SNAPSHOT_UNUSABLE', finding);
});

folders('H5: should list the newest build first, not the file that was written last', async () => {
  const folder = temporaryFolder();
  const newest = await publishCalendar(folder, { builtAt: NOW + 60 });
  const oldest = await publishCalendar(folder, { builtAt: NOW - 60 });
  writeFileSync(join(folder, 'calendar-0000000000000000.sqlite'), 'not one');
  writeFileSync(join(folder, 'calendar-1.sqlite'), 'not even the name of one');
  const ids = (await listByBuild(folder)).map(({ id }) => id);
  assert.equal(ids, [newest.id, oldest.id]);
  assert.is((await listSnapshots(folder)).length, 3);
});

folders('H5: should list the newest build first, also where builds differ by milliseconds', async () => {
  const folder = temporaryFolder();
  const later = await publishCalendar(folder, { name: 'Senere' });
  const earlier = await publishCalendar(folder, { name: 'Tidligere' });
  const writer = await openWriter(join(folder, later.file));
  await writer.exec("update meta set value = replace(value, 'Z', '.500Z') where key = 'builtAt'");
  await writer.close();
  const ids = (await listByBuild(folder)).map(({ id }) => id);
  assert.equal(ids, [later.id, earlier.id]);
});

folders('H5: should list snapshots from the latest written to the first', async () => {
  const folder = temporaryFolder();
  const files = ['00', '0a', '05'].map((end) => join(folder, `calendar-00000000000000${end}.sqlite`));
  for (const [second, path] of files.entries()) {
    writeFileSync(path, '');
    utimesSync(path, second, second);
  }
  const listed = await listSnapshots(folder);
  assert.equal(
    listed.map(({ path }) => path),
    files.toReversed(),
  );
});

/** Things that are no regular files under the name of one, such as a pipe by `mkfifo`. */
const NO_FILES: Readonly<Record<string, (path: string) => void>> = {
  'a pipe': (path) => void execFileSync('mkfifo', [path]),
  'a link to a file': (path) => symlinkSync('/etc/hostname', path),
  'a link to a pipe': (path) => {
    execFileSync('mkfifo', [`${path}.pipe`]);
    symlinkSync(`${path}.pipe`, path);
  },
  'a folder': (path) => mkdirSync(path),
  'a socket': (path) => void execFileSync('python3', ['-c', BIND, path]),
};
const BIND = 'import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])';

for (const [what, make] of Object.entries(NO_FILES)) {
  const python = spawnSync('python3', ['--version']).status === 0;
  const here = when(what !== 'a socket' || python, 'there is no Python here', folders);
  here(
    `H5: should open neither a snapshot nor a manifest that is ${what}, and wait for neither`,
    async () => {
      const folder = temporaryFolder();
      const path = join(folder, 'calendar-0123456789abcdef.sqlite');
      make(path);
      make(join(folder, 'manifest.json'));
      const openings = [() => openRegular(path), () => readManifestText(folder), () => verifyFile(path, {})];
      for (const open of openings)
        await rejects(open(), 'SNAPSHOT_UNUSABLE', /expected a file, found something else$/);
      assert.equal(await listSnapshots(folder), []);
    },
  );
}

async function parsing(text: string): Promise<unknown> {
  return parseManifest(text);
}

folders.run();
