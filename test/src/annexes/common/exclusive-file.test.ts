/** A file that several processes change, one at a time. */
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { replaceFile } from '../../../../src/annexes/common/exclusive-file.ts';
import { assertMissing } from '../../../helpers/assertions.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';

const test = suite('exclusive file');

const MOMENT = { now: 1_000_000, staleMs: 10_000 };

test('should leave the file of a process that took over from a slow one, and keep the old text', async () => {
  const path = join(temporaryFolder(), 'keys.json');
  writeFileSync(path, 'old');
  const isReplaced = await replaceFile(path, MOMENT, async () => {
    rmSync(`${path}.next`);
    writeFileSync(`${path}.next`, 'half of the oth');
    return 'late';
  });
  assert.is(isReplaced, false);
  assert.is(readFileSync(path, 'utf8'), 'old');
  assert.is(readFileSync(`${path}.next`, 'utf8'), 'half of the oth');
});

test('should leave the file of another process if the change fails', async () => {
  const path = join(temporaryFolder(), 'keys.json');
  const change = async () => {
    rmSync(`${path}.next`);
    writeFileSync(`${path}.next`, 'half of the oth');
    throw new Error('no disk');
  };
  const thrown = await replaceFile(path, MOMENT, change).catch((cause: unknown) => String(cause));
  assert.is(thrown, 'Error: no disk');
  assert.is(readFileSync(`${path}.next`, 'utf8'), 'half of the oth');
});

test('should take over from a process that died', async () => {
  const path = join(temporaryFolder(), 'keys.json');
  writeFileSync(`${path}.next`, 'half of the oth');
  utimesSync(`${path}.next`, 0, 0);
  assert.is(await replaceFile(path, MOMENT, async () => 'new'), true);
  assert.is(readFileSync(path, 'utf8'), 'new');
  assertMissing(`${path}.next`);
});

test.run();
