import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pollFolder, type WatchFolder, watchFolder } from '../../src/snapshot/folder.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';

const watching = suite('watch');

/** Several times what a poll and a settling take here. */
const QUIET_MS = 150;

interface Scene {
  readonly folder: string;
  readonly changes: () => number;
  readonly stop: () => void;
}

function scene(watch: WatchFolder, pollMs: number): Scene {
  const folder = temporaryFolder();
  let changes = 0;
  const onChange = () => {
    changes++;
  };
  const { stop } = watch(folder, { pollMs, onChange });
  return { folder, changes: () => changes, stop };
}

for (const [how, watch, pollMs] of [
  ['by polling', pollFolder, 5],
  ['by events and polling', watchFolder, 5],
  ['by events', watchFolder, 600_000],
] as const) {
  watching(`H5: should tell of changes ${how}, and of none once it is stopped`, async () => {
    const { folder, changes, stop } = scene(watch, pollMs);
    await until('the first look', () => changes() > 0);
    const begun = changes();
    writeFileSync(join(folder, 'manifest.json'), '{}');
    await until('a change', () => changes() > begun);
    stop();
    const told = changes();
    writeFileSync(join(folder, 'manifest.json'), '{ }');
    await pause(QUIET_MS);
    assert.is(changes(), told);
  });

  watching(`H5: should tell of nothing ${how} when it is stopped at once`, async () => {
    const { changes, stop } = scene(watch, pollMs);
    stop();
    await pause(QUIET_MS);
    assert.is(changes(), 0);
  });
}

watching('H5: should tell of nothing when it is stopped while a change settles', async () => {
  const { folder, changes, stop } = scene(watchFolder, 600_000);
  await until('the first look', () => changes() > 0);
  const told = changes();
  writeFileSync(join(folder, 'manifest.json'), '{}');
  await pause(1);
  stop();
  await pause(QUIET_MS);
  assert.is(changes(), told);
});

watching.run();
