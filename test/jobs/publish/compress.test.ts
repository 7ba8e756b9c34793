/** J4: compressed copies beside snapshots. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compress } from '../../../jobs/publish/compress.ts';
import { verifyAndPublish } from '../../../jobs/publish/publish.ts';
import { removeDebris, unfinishedPath } from '../../../jobs/publish/unfinished.ts';
import { writeSnapshot } from '../../../jobs/write.ts';
import { assertBelow, assertIncludes } from '../../helpers/assertions.ts';
import { makeCalendar, NOW } from '../../helpers/calendar.ts';
import { filesIn, snapshotContentOf, temporaryFolder } from '../../helpers/folder.ts';

const test = suite('compressed copies');

async function publishBoth(folder: string, name: string) {
  const file = unfinishedPath(folder, 'calendar.sqlite');
  await writeSnapshot(file, snapshotContentOf(await makeCalendar({ name })));
  return verifyAndPublish({ folder, file, compress });
}

test('J4: should publish a compressed copy of the file, with its size and hash', async () => {
  const folder = temporaryFolder();
  const { file, bytes, compressed } = await publishBoth(folder, 'Pakket');
  const copy = readFileSync(join(folder, `${file}.br`));
  const sha256 = createHash('sha256').update(copy).digest('hex');
  assert.equal(compressed, { file: `${file}.br`, bytes: copy.length, sha256 });
  assert.equal(brotliDecompressSync(copy), readFileSync(join(folder, file)));
  assertBelow(copy.length, bytes / 4, 'bytes');
});

test('J4: should remove a copy with its file', async () => {
  const folder = temporaryFolder();
  for (let build = 0; build < 5; build++) {
    const { file } = await publishBoth(folder, `Nummer ${build}`);
    utimesSync(join(folder, file), NOW + build, NOW + build);
  }
  const names = filesIn(folder).filter((name) => name !== 'manifest.json');
  assert.is(names.length, 6);
  for (const name of names) assertIncludes(names, `${name.replace('.br', '')}.br`);
});

test('J4: should publish without a copy if compressing fails', async () => {
  const folder = temporaryFolder();
  mkdirSync(unfinishedPath(folder, 'copy.br'));
  const { file, compressed } = await publishBoth(folder, 'Uten kopi');
  assert.is(compressed, undefined);
  await removeDebris(folder);
  assert.equal(filesIn(folder), [file, 'manifest.json']);
});

test.run();
