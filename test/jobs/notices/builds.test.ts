/** The ledger of categories from build to build, and from a newer version back to this one. */
import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built, sourceOfEvents } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { makeNewer } from '../../helpers/formats.ts';
import { LICENCE } from '../../helpers/native-source.ts';
import { startServer } from '../../helpers/running.ts';

const test = suite('ledger from build to build');

const REFUSAL = /expected no id that an earlier snapshot has retired, found "OLD"/;
const RETIRED = { ...LICENCE, retiredCategories: { OLD: ['MUSIC'] } };
const BACK = {
  ...LICENCE,
  categories: [...LICENCE.categories, { id: 'OLD', name_nb: 'Gml', name_en: 'Old' }],
};

test('G4: should know retired ids from an older snapshot when the current one is unusable', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(4, { 'licence.json': RETIRED }), target);
  const { file } = await built(sourceOfEvents(5), target, { now: NOW + 60 });
  truncateSync(join(target, file), 4096);
  await rejects(built(sourceOfEvents(5, { 'licence.json': BACK }), target), 'BUILD_REFUSED', REFUSAL);
});

test('H5, G4: should go back from a newer version: serve the newest of its own format, and build on from it', async () => {
  const target = temporaryFolder();
  const { id } = await built(sourceOfEvents(8, { 'licence.json': RETIRED }), target);
  await built(sourceOfEvents(9, { 'licence.json': RETIRED }), target, { now: NOW + 60 });
  makeNewer(target);
  const server = await startServer({ snapshots: target, clock: () => NOW * 1_000 });
  const ready = JSON.parse((await server.send('/readyz')).text);
  await server.close();
  assert.equal([ready.ready, ready.snapshot.id], [true, id]);
  const now = NOW + 120;
  await rejects(
    built(sourceOfEvents(8, { 'licence.json': BACK }), target, { now }),
    'BUILD_REFUSED',
    REFUSAL,
  );
  const { outcome, warnings } = await built(sourceOfEvents(8, { 'licence.json': RETIRED }), target, { now });
  assert.is(outcome, 'published');
  assert.match(warnings.join(), 'format');
});

test.run();
