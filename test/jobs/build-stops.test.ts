import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ErrorCode } from '../../src/calendar/errors.ts';
import { built, invalid, snapshotsIn, sourceOf, unfinishedIn } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type Files, sourceFolder } from '../helpers/native-source.ts';

const test = suite('build stops');

const NONE_VALID = 'expected at least one valid event, found none among ';

/** Sources that stop a build, and what is said. None of them may change the folder. */
const STOPPED: Readonly<Record<string, readonly [files: Files, code: ErrorCode, finding: string]>> = {
  'without a licence': [{ 'licence.json': undefined }, 'INVALID_SOURCE', 'licence.json'],
  'without events': [{ 'events.json': undefined }, 'INVALID_SOURCE', 'events.json or events.ndjson'],
  'whose events are cut short': [{ 'events.json': '[{"id":"e1"' }, 'INVALID_SOURCE', 'events.json'],
  'whose licence is no JSON': [{ 'licence.json': '{' }, 'INVALID_SOURCE', 'licence.json'],
  'with no event at all': [{ 'events.json': [] }, 'BUILD_REFUSED', `${NONE_VALID}0`],
  'with no valid event': [{ 'events.json': invalid(3) }, 'BUILD_REFUSED', `${NONE_VALID}3`],
};

for (const [what, [files, code, finding]] of Object.entries(STOPPED)) {
  test(`G3: should stop at a source ${what}, and leave the snapshot as it is`, async () => {
    const target = temporaryFolder();
    await built(sourceOf(10), target);
    const before = snapshotsIn(target);
    const manifest = readFileSync(join(target, 'manifest.json'), 'utf8');
    await rejects(built(sourceOf(10, files), target, { now: NOW + 60 }), code, new RegExp(finding));
    assert.equal(snapshotsIn(target), before);
    assert.is(readFileSync(join(target, 'manifest.json'), 'utf8'), manifest);
    assert.equal(unfinishedIn(target), []);
  });
}

test('G3: MUST NOT publish a calendar of nothing, even when forced', async () => {
  const target = temporaryFolder();
  const source = sourceFolder({ 'events.json': invalid(3) });
  await rejects(built(source, target, { force: true }), 'BUILD_REFUSED', /at least one valid event/);
  assert.equal(snapshotsIn(target), []);
});

test('G6: should let the second of two builds at once wait, and find nothing to do', async () => {
  const [source, target] = [sourceOf(30), temporaryFolder()];
  const outcomes = await Promise.all([
    built(source, target, { wait: 30 }),
    built(source, target, { wait: 30 }),
  ]);
  assert.equal(outcomes.map(({ outcome }) => outcome).sort(), ['published', 'unchanged']);
});

test('should say what to do about a target that is a file', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  await rejects(built(sourceOf(1), path), 'BUILD_REFUSED', /file: EEXIST.*: name a folder/);
  await rejects(built(sourceOf(1), join(path, 'under')), 'BUILD_REFUSED', /ENOTDIR.*: name a folder/);
});

test.run();
