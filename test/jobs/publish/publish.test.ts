/** G1, H5: publishing a snapshot: its manifest, and the older files that are kept and removed. */
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type PublicDraft, verifyAndPublish } from '../../../jobs/publish/publish.ts';
import { createFile, removeDebris, unfinishedPath } from '../../../jobs/publish/unfinished.ts';
import { writeSnapshot } from '../../../jobs/write.ts';
import { parseManifest, renderManifest } from '../../../src/snapshot/manifest.ts';
import { verifyFile } from '../../../src/snapshot/verify.ts';
import { assertExists } from '../../helpers/assertions.ts';
import { makeCalendar, NOW } from '../../helpers/calendar.ts';
import { misleadIndex } from '../../helpers/damaged-snapshots.ts';
import { rejects } from '../../helpers/errors.ts';
import {
  filesIn,
  manifestTextIn,
  publishCalendar,
  snapshotContentOf,
  temporaryFolder,
} from '../../helpers/folder.ts';

const test = suite('publish');

test('H5: should publish one file and a manifest of it, the same for the same content', async () => {
  const folder = temporaryFolder();
  const manifest = await publishCalendar(folder);
  for (const again of [manifest, await publishCalendar(folder)]) {
    assert.equal(again, manifest);
    assert.equal(filesIn(folder), [manifest.file, 'manifest.json']);
  }
  assert.equal(parseManifest(readFileSync(join(folder, 'manifest.json'), 'utf8')), manifest);
  assert.is(manifest.bytes, readFileSync(join(folder, manifest.file)).length);
  assert.equal([manifest.builtAt, manifest.counts.events], ['2026-01-01T12:00:00Z', 3]);
});

test('H5: should keep the last three files, and should not remove the current one, whatever its date', async () => {
  for (const date of [NOW, 4_000_000_000]) {
    const folder = temporaryFolder();
    const files: string[] = [];
    for (let build = 0; build < 5; build++) {
      const { file } = await publishCalendar(folder, { name: `Nummer ${date} ${build}` });
      files.push(file);
      // The last one keeps its own date, which may be before the others'.
      if (build < 4) utimesSync(join(folder, file), date + build, date + build);
    }
    assert.equal(filesIn(folder), [...files.slice(2), 'manifest.json'].sort());
  }
});

test('H5: should keep the last snapshot of another format for a week, with its manifest', async () => {
  const folder = temporaryFolder();
  const { file: old } = await publishCalendar(folder, { name: 'Gammel' });
  const manifest = parseManifest(manifestTextIn(folder));
  const text = renderManifest({ ...manifest, format: 99 });
  writeFileSync(join(folder, 'manifest.json'), text);
  const publish = async (name: string, builtAt: number) => {
    const file = unfinishedPath(folder, 'calendar.sqlite');
    await writeSnapshot(file, snapshotContentOf(await makeCalendar({ name }), builtAt));
    await verifyAndPublish({ folder, file });
  };
  for (let build = 1; build <= 4; build++) await publish(`Ny ${build}`, NOW + build);
  assert.is(readFileSync(join(folder, 'manifest-99.json'), 'utf8'), text);
  assertExists(join(folder, old));
  assert.is(filesIn(folder).length, 6);
  await publish('Senere', NOW + 8 * 86_400);
  assert.equal(
    filesIn(folder).filter((name) => [old, 'manifest-99.json'].includes(name)),
    [],
  );
});

/** Faults of a finished file, each with the message that it must cause. */
const FAULTS: Readonly<
  Record<string, readonly [spoil: (file: string, folder: string) => void, message: RegExp]>
> = {
  'is not what it should be': [(file) => truncateSync(file, 40_960), /expected/],
  'cannot have a manifest': [(_, folder) => mkdirSync(unfinishedPath(folder, 'manifest.json')), /EISDIR/],
};

test('G1: should not change the published files if it cannot publish', async () => {
  for (const [what, [spoil, message]] of Object.entries(FAULTS)) {
    const folder = temporaryFolder();
    await publishCalendar(folder);
    const before = filesIn(folder);
    const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
    const file = unfinishedPath(folder, 'calendar.sqlite');
    await writeSnapshot(file, snapshotContentOf(await makeCalendar({ name: 'Ny' })));
    spoil(file, folder);
    assert.match(await verifyAndPublish({ folder, file }).then(() => 'published', String), message, what);
    await removeDebris(folder);
    assert.equal(filesIn(folder), before, what);
    assert.is(readFileSync(join(folder, 'manifest.json'), 'utf8'), manifest, what);
  }
});

test('G1: should leave no file of a snapshot when one of its files cannot take its name', async () => {
  const elsewhere = temporaryFolder();
  const { file: named } = await publishCalendar(elsewhere);
  const edition = 'public-00000000000000aa.sqlite';
  for (const taken of [`${named}.br`, edition, `${edition}.br`, named, 'manifest.json']) {
    const folder = temporaryFolder();
    await publishCalendar(folder, { name: 'Gammel' });
    // A folder of that name stops the rename.
    rmSync(join(folder, taken), { force: true });
    mkdirSync(join(folder, taken));
    const before = filesIn(folder);
    const file = unfinishedPath(folder, 'calendar.sqlite');
    copyFileSync(join(elsewhere, named), file);
    const publicDraft = publicDraftIn(folder, edition);
    const publishing = verifyAndPublish({ folder, file, compress: copyOfOneByte, publicDraft });
    assert.match(await publishing.then(() => 'published', String), /EISDIR|ENOTEMPTY|EEXIST/, taken);
    await removeDebris(folder);
    assert.equal(filesIn(folder), before, taken);
  }
});

test('G1: should keep a file that had its name already when it cannot publish it again', async () => {
  const folder = temporaryFolder();
  const { file } = await publishCalendar(folder);
  rmSync(join(folder, 'manifest.json'));
  mkdirSync(join(folder, 'manifest.json'));
  const publishing = verifyAndPublish({ folder, file: join(folder, file) });
  assert.match(await publishing.then(() => 'published', String), /EISDIR/);
  assertExists(join(folder, file));
});

test('G1, H5: should publish, with a warning, when an old file cannot be removed', async () => {
  const folder = temporaryFolder();
  const stray = join(folder, 'calendar-0000000000000000.sqlite');
  mkdirSync(stray);
  const old = ['calendar-1111111111111111.sqlite.br', 'calendar-2222222222222222.sqlite.br'];
  for (const name of old) writeFileSync(join(folder, name), '');
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(file, snapshotContentOf(await makeCalendar()));
  const warnings: string[] = [];
  const manifest = await verifyAndPublish({ folder, file, warn: (warning) => warnings.push(warning) });
  assert.equal(parseManifest(manifestTextIn(folder)), manifest);
  assert.equal(filesIn(folder), [basename(stray), manifest.file, 'manifest.json'].sort());
  const [warning = '', ...others] = warnings;
  assert.match(warning, 'old file not removed: ');
  assert.match(warning, stray);
  assert.equal(others, []);
});

async function copyOfOneByte(_: string, to: string) {
  writeFileSync(to, 'x');
  return { bytes: 1, sha256: '0'.repeat(64) };
}

function publicDraftIn(folder: string, file: string): PublicDraft {
  const path = unfinishedPath(folder, file);
  const copy = `${path}.br`;
  for (const draft of [path, copy]) writeFileSync(draft, 'x');
  return { path, copy, entry: { file, bytes: 1, sha256: '0'.repeat(64) } };
}

test('G1, H6: should refuse a file with a wrong index, or another hash than that of its origin', async () => {
  const folder = temporaryFolder();
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(file, snapshotContentOf(await makeCalendar()));
  const expected = { sha256: '0'.repeat(64) };
  const manifest = await publishCalendar(temporaryFolder());
  const origin = { manifest, compressed: null, verify: (path: string) => verifyFile(path, expected) };
  await rejects(
    verifyAndPublish({ folder, file, origin }),
    'SNAPSHOT_UNUSABLE',
    /expected SHA-256 0{64}, found/,
  );
  await misleadIndex(file);
  await rejects(
    verifyAndPublish({ folder, file }),
    'SNAPSHOT_UNUSABLE',
    /expected integrity_check to say ok/,
  );
});

test('G1: should remove the files of killed builds, and no others', async () => {
  const folder = temporaryFolder();
  const { file } = await publishCalendar(folder);
  writeFileSync(unfinishedPath(folder, 'calendar.sqlite'), 'half');
  writeFileSync(unfinishedPath(folder, 'calendar.sqlite-journal'), 'half');
  writeFileSync(unfinishedPath(folder, 'manifest.json'), '{');
  mkdirSync(unfinishedPath(folder, 'texts'));
  writeFileSync(join(folder, 'notes.txt'), 'mine');
  await removeDebris(folder);
  assert.equal(filesIn(folder), [file, 'manifest.json', 'notes.txt']);
});

test('G1: should create a file before the work that may fail', async () => {
  const path = unfinishedPath(temporaryFolder(), 'work');
  const draft = await createFile(path);
  assertExists(path);
  draft.destroy();
});

test.run();
