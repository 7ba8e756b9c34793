/** J5, J6: publishing snapshots to a folder, and public editions to another one. */
import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ForeignThere } from '../../../../jobs/annexes/store/foreign.ts';
import { replicateAll } from '../../../../jobs/annexes/store/replicate.ts';
import { openFolderStore } from '../../../../jobs/kit/folder-store.ts';
import { type Store, StoreProblem } from '../../../../jobs/kit/s3.ts';
import { MANIFEST } from '../../../../src/snapshot/files.ts';
import { parseManifest, renderManifest } from '../../../../src/snapshot/manifest.ts';
import { assertAbove, assertExists, assertMissing, assertSameBytes } from '../../../helpers/assertions.ts';
import { built, sourceOfEvents } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { filesIn, temporaryFolder } from '../../../helpers/folder.ts';
import { LICENCE } from '../../../helpers/native-source.ts';
import { spawned } from '../../../helpers/rebuild.ts';

const folders = suite('publishing to folders');

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

/** A snapshot folder with a public edition, and two targets that do not exist yet. */
async function folderWithTargets() {
  const folder = temporaryFolder();
  const place = temporaryFolder();
  const privateFolder = join(place, 'private');
  const webRoot = join(place, 'www', 'kalender');
  const targets = {
    store: openFolderStore(pathToFileURL(privateFolder), 'owner'),
    publicStore: openFolderStore(pathToFileURL(webRoot), 'everybody'),
  };
  const build = async (events: number, more = 0) => {
    await built(sourceOfEvents(events), folder, { isPublic: true, force: true, now: NOW + more });
    return parseManifest(readFileSync(join(folder, MANIFEST), 'utf8'));
  };
  return { folder, privateFolder, webRoot, targets, build, replicate: () => replicateAll(folder, targets) };
}

folders('J6: should copy the files and then the manifest, readable by their owner alone', async () => {
  const { folder, privateFolder, build, replicate } = await folderWithTargets();
  const manifest = await build(3);
  const { id, bytes } = await replicate();
  assert.is(id, manifest.id);
  assertAbove(bytes, manifest.bytes, 'bytes');
  const { file, public: edition } = manifest;
  const names = [file, `${file}.br`, edition?.file ?? '', `${edition?.file}.br`, MANIFEST];
  assert.equal(filesIn(privateFolder), names.sort());
  for (const name of names)
    assertSameBytes(readFileSync(join(privateFolder, name)), readFileSync(join(folder, name)));
  assert.is(modeOf(privateFolder), '700');
  assert.is(modeOf(join(privateFolder, file)), '600');
  assert.is((await replicate()).bytes, 0);
});

folders('J5: should give a web root the public edition and nothing else', async () => {
  const { webRoot, build, replicate } = await folderWithTargets();
  const { public: edition, id, builtAt } = await build(3);
  await replicate();
  const file = edition?.file ?? '';
  assert.equal(filesIn(webRoot), ['calendar.sqlite', MANIFEST, file, `${file}.br`].sort());
  assertSameBytes(readFileSync(join(webRoot, 'calendar.sqlite')), readFileSync(join(webRoot, file)));
  const stated = readFileSync(join(webRoot, MANIFEST), 'utf8');
  assert.equal([JSON.parse(stated).sha256, JSON.parse(stated).builtAt], [edition?.sha256, builtAt]);
  assert.not.match(stated, id);
  assert.is(modeOf(join(webRoot, file)), '644');
});

folders('J5: should publish a public edition again if calendar.sqlite was not written', async () => {
  const { folder, webRoot, targets, build, replicate } = await folderWithTargets();
  await build(3);
  await replicate();
  const { public: edition } = await build(4, 60);
  const { publicStore } = targets;
  const failing: Store = {
    ...publicStore,
    put: async (name, content) => {
      if (name === 'calendar.sqlite') throw new StoreProblem('disk', 'expected room, found none');
      return publicStore.put(name, content);
    },
  };
  const failed = await replicateAll(folder, { store: null, publicStore: failing }).then(() => '', String);
  assert.match(failed, 'expected room');
  // Editions are whole pages, so that two of them often have the same size.
  assert.is(statSync(join(webRoot, 'calendar.sqlite')).size, edition?.bytes);
  await replicate();
  assertSameBytes(
    readFileSync(join(webRoot, 'calendar.sqlite')),
    readFileSync(join(webRoot, edition?.file ?? '')),
  );
});

folders('J5, J6: should keep three snapshots and three public editions', async () => {
  const { privateFolder, webRoot, build, replicate } = await folderWithTargets();
  for (let nth = 0; nth < 5; nth++) {
    await build(3 + nth, 60 * nth);
    await replicate();
  }
  const count = (folder: string, beginning: string) =>
    filesIn(folder).filter((name) => name.startsWith(beginning) && name.endsWith('.sqlite')).length;
  assert.equal(
    [count(privateFolder, 'calendar-'), count(privateFolder, 'public-'), count(webRoot, 'public-')],
    [3, 3, 3],
  );
});

folders('H5, J1: should keep the last snapshot of another format in the store', async () => {
  const { privateFolder, build, replicate } = await folderWithTargets();
  const old = await build(3);
  await replicate();
  const text = renderManifest({ ...old, format: 99 });
  writeFileSync(join(privateFolder, MANIFEST), text);
  for (let nth = 1; nth < 5; nth++) {
    await build(3 + nth, 60 * nth);
    await replicate();
  }
  assert.is(readFileSync(join(privateFolder, 'manifest-99.json'), 'utf8'), text);
  for (const name of [old.file, `${old.file}.br`]) assertExists(join(privateFolder, name));
  await build(9, 8 * 86_400);
  await replicate();
  for (const name of ['manifest-99.json', old.file, `${old.file}.br`])
    assertMissing(join(privateFolder, name));
});

const ANOTHER_CALENDAR = sourceOfEvents(3, { 'licence.json': { ...LICENCE, id: 'lillevik' } });
const LATER = { isPublic: true, force: true, now: NOW + 60 };

folders('J1, J5: should not replace another calendar, unless it was built in this folder', async () => {
  const { folder, targets, privateFolder, webRoot, build, replicate } = await folderWithTargets();
  const { public: edition } = await build(3);
  await replicate();
  const manifests = () =>
    [privateFolder, webRoot].map((place) => readFileSync(join(place, MANIFEST), 'utf8'));
  const before = manifests();
  const elsewhere = temporaryFolder();
  await built(ANOTHER_CALENDAR, elsewhere, LATER);
  const editionAlone = { ...targets, store: null };
  for (const target of [targets, editionAlone]) {
    const problem = await replicateAll(elsewhere, target).catch((cause: unknown) => cause);
    assert.instance(problem, ForeignThere);
    const expected = `licence id "lillevik", found "${LICENCE.id}": publish each calendar to a place`;
    assert.match(String(problem), expected);
  }
  assert.equal(manifests(), before);
  // The machine cannot read what it published last.
  for (const { record, target } of [
    { record: '.last-put', target: targets },
    { record: '.last-put-public', target: editionAlone },
  ]) {
    symlinkSync(record, join(elsewhere, record));
    const fault = await replicateAll(elsewhere, target).then(() => '', String);
    assert.match(fault, 'ELOOP', record);
  }
  // As by builds while the targets were out of reach.
  rmSync(join(folder, edition?.file ?? ''));
  await built(ANOTHER_CALENDAR, folder, LATER);
  await replicate();
  for (const text of manifests()) assert.is(JSON.parse(text).licence, 'lillevik');
});

folders('J5: should notice another calendar that comes while the public edition is on its way', async () => {
  const { folder, webRoot, targets, build } = await folderWithTargets();
  const { public: edition } = await build(3);
  const { publicStore } = targets;
  const other = JSON.stringify({ file: 'public-0123456789abcdef.sqlite', licence: 'lillevik' });
  const contested: Store = {
    ...publicStore,
    put: async (name, content) => {
      const bytes = await publicStore.put(name, content);
      if (name === edition?.file) writeFileSync(join(webRoot, MANIFEST), other);
      return bytes;
    },
  };
  const problem = await replicateAll(folder, { store: null, publicStore: contested }).then(() => '', String);
  assert.match(problem, `licence id "${LICENCE.id}", found "lillevik"`);
  assert.is(readFileSync(join(webRoot, MANIFEST), 'utf8'), other);
  assert.not.ok(filesIn(webRoot).includes('calendar.sqlite'));
});

folders('J6: should name the folder that it cannot write to', async () => {
  const { webRoot, build, replicate } = await folderWithTargets();
  await build(3);
  mkdirSync(join(webRoot, '..'), { recursive: true });
  writeFileSync(webRoot, 'a file in its place');
  const problem = await replicate().catch((cause: unknown) => cause);
  assert.instance(problem, StoreProblem);
  assert.match(String(problem), webRoot);
});

/** Builds with the command and these settings of the targets. */
function buildTo(targets: Readonly<Record<string, string>>) {
  const env = { ALMANAKK_SOURCE: sourceOfEvents(3), ALMANAKK_SNAPSHOTS: temporaryFolder(), ...targets };
  return spawned(['--now', '2026-01-01T12:00:00Z'], { env });
}

const newTarget = () => pathToFileURL(temporaryFolder()).href;

folders('J5: should refuse a public target without a public edition', async () => {
  const { code, stderr } = await buildTo({ ALMANAKK_PUBLISH_PUBLIC: newTarget() });
  assert.is(code, 1);
  assert.match(stderr, /ALMANAKK_PUBLISH_PUBLIC: expected ALMANAKK_PUBLIC_FILE=true beside this setting/);
});

folders(
  'J5: should refuse a public target within the private one, and accept one outside of it',
  async () => {
    const place = newTarget();
    const settings = { ALMANAKK_PUBLIC_FILE: 'true', ALMANAKK_PUBLISH: place };
    const within = await buildTo({ ...settings, ALMANAKK_PUBLISH_PUBLIC: `${place}/www` });
    assert.is(within.code, 1);
    assert.match(within.stderr, /expected a place outside ALMANAKK_PUBLISH/);
    const outside = await buildTo({ ...settings, ALMANAKK_PUBLISH_PUBLIC: newTarget() });
    assert.is(outside.code, 0, outside.stderr);
  },
);

folders.run();
