import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createFile, publish, removeDebris, unfinishedPath } from '../../jobs/publish.ts';
import { writeSnapshot } from '../../jobs/write.ts';
import { parseManifest } from '../../src/snapshot/folder.ts';
import { makeCalendar, NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { contentOf, misleadIndex, publishCalendar, temporaryFolder } from '../helpers/folder.ts';

const test = suite('publish');

const filesIn = (folder: string) => readdirSync(folder).sort();

test('H5: should leave one file and one manifest that describes it', async () => {
  const folder = temporaryFolder();
  const manifest = await publishCalendar(folder);
  assert.equal(filesIn(folder), [manifest.file, 'manifest.json']);
  assert.equal(parseManifest(readFileSync(join(folder, 'manifest.json'), 'utf8')), manifest);
  assert.is(manifest.bytes, readFileSync(join(folder, manifest.file)).length);
  assert.is(manifest.builtAt, '2026-01-01T12:00:00Z');
  assert.is(manifest.counts.events, 3);
});

test('H5: should keep the last three files', async () => {
  const folder = temporaryFolder();
  const files: string[] = [];
  for (let build = 0; build < 5; build++) {
    const { file } = await publishCalendar(folder, { name: `Nummer ${build}` });
    utimesSync(join(folder, file), NOW + build, NOW + build);
    files.push(file);
  }
  assert.equal(filesIn(folder), [...files.slice(2), 'manifest.json'].sort());
});

test('H5: MUST NOT remove the current file, however old its date is', async () => {
  const folder = temporaryFolder();
  for (let build = 0; build < 4; build++) {
    const { file } = await publishCalendar(folder, { name: `Fra fremtiden ${build}` });
    utimesSync(join(folder, file), 4_000_000_000, 4_000_000_000);
  }
  const { file } = await publishCalendar(folder, { name: 'Nå' });
  assert.ok(existsSync(join(folder, file)));
  assert.is(filesIn(folder).length, 4);
});

test('H5: should publish the same content again as the same file', async () => {
  const folder = temporaryFolder();
  const first = await publishCalendar(folder);
  assert.equal(await publishCalendar(folder), first);
  assert.equal(filesIn(folder), [first.file, 'manifest.json']);
});

test('G1: should leave the folder as it was when the file is not what it should be', async () => {
  const folder = temporaryFolder();
  await publishCalendar(folder);
  const before = filesIn(folder);
  const manifest = readFileSync(join(folder, 'manifest.json'), 'utf8');
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(file, contentOf(await makeCalendar({ name: 'Ny' })));
  const bytes = readFileSync(file);
  writeFileSync(file, bytes.subarray(0, bytes.length - 4_096));
  await rejects(publish({ folder, file }), 'SNAPSHOT_UNUSABLE');
  await removeDebris(folder);
  assert.equal(filesIn(folder), before);
  assert.is(readFileSync(join(folder, 'manifest.json'), 'utf8'), manifest);
});

test('G1: should leave nothing but debris when the manifest cannot be written', async () => {
  const folder = temporaryFolder();
  await publishCalendar(folder);
  const before = filesIn(folder);
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(file, contentOf(await makeCalendar({ name: 'Ny' })));
  mkdirSync(unfinishedPath(folder, 'manifest.json'));
  const failure = await publish({ folder, file }).catch((cause: unknown) => cause);
  assert.match(String(failure), /EISDIR/);
  await removeDebris(folder);
  assert.equal(filesIn(folder), before);
});

test('G1, H6: should refuse a file with a wrong index, or another than its origin announced', async () => {
  const folder = temporaryFolder();
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(file, contentOf(await makeCalendar()));
  const expected = { sha256: '0'.repeat(64) };
  await rejects(publish({ folder, file, expected }), 'SNAPSHOT_UNUSABLE', /expected SHA-256 0{64}, found/);
  await misleadIndex(file);
  await rejects(publish({ folder, file }), 'SNAPSHOT_UNUSABLE', /expected integrity_check to say ok/);
});

test('G1: should remove what killed builds left, and nothing else', async () => {
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
  const folder = temporaryFolder();
  const { file } = await publishCalendar(folder);
  for (let nth = 0; nth < 30; nth++) {
    const path = unfinishedPath(folder, `work-${nth}`);
    const failing = new Readable({ read: () => failing.destroy(new Error('at once')) });
    const work = createFile(path).then((draft) => pipeline(failing, draft));
    assert.is(await work.catch(String), 'Error: at once');
    assert.ok(existsSync(path));
    await removeDebris(folder);
  }
  await setTimeout(20);
  assert.equal(filesIn(folder), [file, 'manifest.json']);
});

test.run();
