/** The ledger of categories from build to build. */
import { readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openWriter } from '../../../src/snapshot/sqlite.ts';
import { built, snapshotsIn, sourceOf, unfinishedIn } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { LICENCE } from '../../helpers/native-source.ts';

const test = suite('ledger from build to build');

const RETIRED = { ...LICENCE, retiredCategories: { OLD: ['MUSIC'] } };
const BACK = {
  ...LICENCE,
  categories: [...LICENCE.categories, { id: 'OLD', name_nb: 'Gml', name_en: 'Old' }],
};

test('G3: should stop at a source that brings back a retired category, and leave the snapshot as it is', async () => {
  const target = temporaryFolder();
  await built(sourceOf(10, { 'licence.json': RETIRED }), target);
  const before = snapshotsIn(target);
  const manifest = readFileSync(join(target, 'manifest.json'), 'utf8');
  const back = sourceOf(10, { 'licence.json': BACK });
  await rejects(
    built(back, target, { now: NOW + 60 }),
    'BUILD_REFUSED',
    /expected no id that an earlier snapshot has retired, found "OLD"/,
  );
  assert.equal(snapshotsIn(target), before);
  assert.is(readFileSync(join(target, 'manifest.json'), 'utf8'), manifest);
  assert.equal(unfinishedIn(target), []);
});

test('G4: should know retired ids from an older snapshot when the current one is unusable', async () => {
  const target = temporaryFolder();
  await built(sourceOf(4, { 'licence.json': RETIRED }), target);
  const { file } = await built(sourceOf(5), target, { now: NOW + 60 });
  truncateSync(join(target, file), 4096);
  const back = sourceOf(5, { 'licence.json': BACK });
  await rejects(built(back, target), 'BUILD_REFUSED', /retired, found "OLD"/);
});

test('G4: should keep the ledger of a snapshot of an older format, which no server opens', async () => {
  const target = temporaryFolder();
  const withoutJazz = {
    ...LICENCE,
    categories: [{ id: 'MUSIC', name_nb: 'Musikk', name_en: 'Music' }],
    retiredCategories: { JAZZ: ['MUSIC'] },
  };
  const { file } = await built(sourceOf(3, { 'licence.json': withoutJazz }), target);
  const writer = await openWriter(join(target, file));
  await writer.exec(`pragma user_version = 1; update meta set value = '1' where key = 'format'`);
  await writer.exec('delete from column_blob; drop table column_blob');
  await writer.close();
  await rejects(built(sourceOf(3), target), 'BUILD_REFUSED', /JAZZ/);
  assert.is((await built(sourceOf(3, { 'licence.json': withoutJazz }), target)).outcome, 'published');
});

test.run();
