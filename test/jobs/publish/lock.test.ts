/** G6: the lock that lets one build at a time work in a folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLock } from '../../../jobs/publish/lock.ts';
import { messageOf } from '../../../src/calendar/errors.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { fixtureOf } from '../../helpers/program.ts';

const test = suite<{ holders: ChildProcess[] }>('lock', { holders: [] });

test.after.each(({ holders }) => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL');
});

const nothing = async () => assert.unreachable();

test('G6: should refuse a second build in the same process, at once or after a wait, and name the first', async () => {
  const folder = temporaryFolder();
  const other = temporaryFolder();
  await withLock(folder, async () => {
    const at = `there \\(process ${process.pid} on .+\\): start again when it has finished`;
    await rejects(withLock(folder, nothing), 'BUILD_LOCKED', new RegExp(`a build is already running ${at}`));
    const waited = /still running there after 0\.05 s/;
    await rejects(withLock(folder, nothing, { wait: 0.05 }), 'BUILD_LOCKED', waited);
    assert.is(await withLock(other, async () => 'both'), 'both');
  });
  assert.is(await withLock(folder, async () => 'free'), 'free');
});

test('G6: should refuse a second build until the process of the first has ended', async ({ holders }) => {
  const folder = temporaryFolder();
  const holder = await heldElsewhere(folder);
  holders.push(holder);
  await rejects(withLock(folder, nothing), 'BUILD_LOCKED', new RegExp(`process ${holder.pid} on`));
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.is(await withLock(folder, async () => 'free'), 'free');
});

test('G6: should not be blocked by the files of an ended build, even if another process has its number', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.lock'), '');
  writeFileSync(join(folder, '.lock-holder'), `process ${process.pid} on this machine`);
  assert.is(await withLock(folder, async () => 'free'), 'free');
});

test('G6: should wait for the other build with a limit', async () => {
  const folder = temporaryFolder();
  const order: string[] = [];
  let second: Promise<unknown> = Promise.resolve();
  await withLock(folder, async () => {
    second = withLock(folder, async () => order.push('second'), { wait: 30 });
    // Begun after the second one, and refused: by then that one waits.
    await rejects(withLock(folder, nothing), 'BUILD_LOCKED');
    order.push('first');
  });
  await second;
  assert.equal(order, ['first', 'second']);
});

test('G6: should release the lock after a failed build', async () => {
  const folder = temporaryFolder();
  const failing = withLock(folder, () => Promise.reject(new Error('the build failed')));
  assert.is(await failing.catch(messageOf), 'the build failed');
  assert.is(await withLock(folder, async () => 'free'), 'free');
  assert.equal(readdirSync(folder), ['.lock']);
});

test('G6: should report a folder that it cannot write to', async () => {
  await rejects(
    withLock(join(temporaryFolder(), 'none'), async () => assert.unreachable()),
    'BUILD_REFUSED',
    /SQLITE_CANTOPEN.*make sure that the folder exists/,
  );
});

async function heldElsewhere(folder: string): Promise<ChildProcess> {
  const holder = spawn(process.execPath, [fixtureOf('hold-lock'), folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(holder.stdout, 'data');
  return holder;
}

test.run();
