import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchFolder } from '../../src/snapshot/folder.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';

const watching = suite('watch');

/** Several times what a poll takes here. */
const QUIET_MS = 150;
const NEVER = 600_000;

interface Scene {
  readonly folder: string;
  readonly changes: () => number;
  readonly stop: () => void;
}

function scene(pollMs: number): Scene {
  const folder = temporaryFolder();
  let changes = 0;
  const stop = watchFolder(folder, pollMs, () => {
    changes++;
  });
  return { folder, changes: () => changes, stop };
}

for (const [how, pollMs] of [
  ['by polling', 5],
  ['by events', NEVER],
] as const) {
  watching(`H5: should report changes ${how}, and none once it is stopped`, async () => {
    const { folder, changes, stop } = scene(pollMs);
    writeFileSync(join(folder, 'manifest.json'), '{}');
    await until('a change', () => changes() > 0);
    stop();
    const reported = changes();
    writeFileSync(join(folder, 'manifest.json'), '{ }');
    await pause(QUIET_MS);
    assert.is(changes(), reported);
  });
}

watching(
  'H5: should report nothing for other files, and a manifest that is moved into its place',
  async () => {
    const { folder, changes, stop } = scene(NEVER);
    writeFileSync(join(folder, 'manifest.json.new'), '{}');
    await pause(QUIET_MS);
    assert.is(changes(), 0);
    renameSync(join(folder, 'manifest.json.new'), join(folder, 'manifest.json'));
    await until('a change', () => changes() > 0);
    stop();
  },
);

watching('H5: should wait for a folder that is not there yet', async () => {
  const folder = join(temporaryFolder(), 'later');
  let changes = 0;
  const stop = watchFolder(folder, 5, () => {
    changes++;
  });
  await until('polls', () => changes > 1);
  stop();
});

watching.run();
