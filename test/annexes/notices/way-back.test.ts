/** From a newer version back to this one: its files are passed over, and what this version left is gone on from. */
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built, sourceOf } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { LICENCE } from '../../helpers/native-source.ts';
import { startServer } from '../../helpers/running.ts';

const test = suite('the way back');

/** Makes of the folder's newest snapshot one of a newer format, as a newer version would have published it. */
function renew(folder: string, file: string): void {
  const bytes = readFileSync(join(folder, file));
  bytes.writeUInt32BE(99, 60);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const id = sha256.slice(0, 16);
  const newer = `calendar-${id}.sqlite`;
  const path = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8'));
  writeFileSync(join(folder, newer), bytes);
  writeFileSync(path, JSON.stringify({ ...manifest, id, file: newer, sha256, format: 99 }));
  rmSync(join(folder, file));
}

test('H5, G4: should serve the newest snapshot of its own format at once, and build on from its ledger', async () => {
  const target = temporaryFolder();
  const retired = { ...LICENCE, retiredCategories: { OLD: ['MUSIC'] } };
  const { id } = await built(sourceOf(8, { 'licence.json': retired }), target);
  const next = await built(sourceOf(9, { 'licence.json': retired }), target, { now: NOW + 60 });
  renew(target, next.file);

  const server = await startServer({ snapshots: target, clock: () => NOW * 1_000 });
  const ready = JSON.parse((await server.send('/readyz')).text);
  await server.close();
  assert.equal([ready.ready, ready.snapshot.id], [true, id]);

  const back = {
    ...LICENCE,
    categories: [...LICENCE.categories, { id: 'OLD', name_nb: 'Gml', name_en: 'Old' }],
  };
  const refused = sourceOf(8, { 'licence.json': back });
  await rejects(built(refused, target, { now: NOW + 120 }), 'BUILD_REFUSED', /retired, found "OLD"/);
  const { outcome, warnings } = await built(sourceOf(8, { 'licence.json': retired }), target, {
    now: NOW + 120,
  });
  assert.is(outcome, 'published');
  assert.match(warnings.join(), 'format');
});

test.run();
