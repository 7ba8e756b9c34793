/** H5: a keeper refuses a damaged delivery, and takes the good one after it. */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Keeper } from '../../../src/snapshot/keeper.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { BAD_DELIVERIES, deliverSpoiled } from '../../helpers/bad-deliveries.ts';
import { NOW } from '../../helpers/calendar.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { idOf, reasonsIn, startKeeper } from '../../helpers/keeper.ts';

const keeping = suite<{ keepers: Keeper[] }>('bad deliveries', { keepers: [] });

keeping.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

for (const delivery of BAD_DELIVERIES) {
  keeping(`H5: should refuse ${delivery.what}, and take the next good one`, async (context) => {
    const { keeper, folder, lines, publish } = await startKeeper(context, (at) => publishCalendar(at));
    const before = idOf(keeper);
    const aside = temporaryFolder();
    await publishCalendar(aside, { name: 'Dårlig' });
    deliverSpoiled(aside, folder, delivery);
    await keeper.check();
    assert.is(idOf(keeper), before);
    assert.equal(reasonsIn(lines), [keeper.state().lastRefusal?.reason]);
    assert.match(reasonsIn(lines).join().replaceAll('"', '\\"'), delivery.finding);
    assert.is(keeper.state().lastRefusal?.at, 1_000_000);
    const good = await publish('God');
    await keeper.check();
    assert.is(idOf(keeper), good.id);
  });
}

for (const { title, damage } of [
  {
    title: 'if the newest file is cut off',
    damage: (_manifest: string, newest: string) => truncateSync(newest, 4_096),
  },
  {
    title: 'if the newest file and the manifest are empty',
    damage: (manifest: string, newest: string) => [truncateSync(newest), truncateSync(manifest)],
  },
] as const) {
  keeping(`H5: should start with the newest good file ${title}`, async (context) => {
    let good = '';
    const { keeper, lines } = await startKeeper(context, async (folder) => {
      await publishCalendar(folder, { name: 'Eldst', builtAt: NOW - 120 });
      good = (await publishCalendar(folder, { name: 'Nest nyest', builtAt: NOW - 60 })).id;
      const { file } = await publishCalendar(folder, { name: 'Nyest', builtAt: NOW });
      damage(join(folder, 'manifest.json'), join(folder, file));
    });
    assert.is(idOf(keeper), good);
    assertAbove(reasonsIn(lines).length, 0, 'reasons in the log');
  });
}

keeping('H5: should log a bad delivery once and not hash it again at every look', async (context) => {
  const { keeper, folder, lines, time, publish } = await startKeeper(context, (at) => publishCalendar(at));
  const manifest = join(folder, 'manifest.json');
  const good = readFileSync(manifest);
  const { file } = await publish('Dårlig');
  const bad = readFileSync(manifest);
  truncateSync(join(folder, file), 4_096);
  for (const delivered of [bad, bad, good, bad]) {
    writeFileSync(manifest, delivered);
    await keeper.check();
  }
  // After a second it is tried again, then after two.
  for (const { milliseconds, isDue } of [
    { milliseconds: 999, isDue: false },
    { milliseconds: 1, isDue: true },
    { milliseconds: 1_999, isDue: false },
    { milliseconds: 1, isDue: true },
  ] as const) {
    time.now += milliseconds;
    await keeper.check();
    assert.is(keeper.state().lastRefusal?.at === time.now, isDue, `${milliseconds} ms later`);
  }
  assert.is(reasonsIn(lines).length, 1);
});

keeping('H5: should take a file that was still being copied as soon as it is whole', async (context) => {
  const { keeper, folder, lines, publish } = await startKeeper(context, (at) => publishCalendar(at));
  const late = await publish('Sen');
  const file = join(folder, late.file);
  const whole = readFileSync(file);
  for (const length of [0, 4_096, whole.length - 1, whole.length]) {
    writeFileSync(file, whole.subarray(0, length));
    await keeper.check();
    assert.is(idOf(keeper) === late.id, length === whole.length);
  }
  assert.is(reasonsIn(lines).length, 1);
});

keeping.run();
