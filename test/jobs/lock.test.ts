import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLock } from '../../jobs/lock.ts';
import { rejects } from '../helpers/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { fixtureOf } from '../helpers/program.ts';

const test = suite<{ holders: ChildProcess[] }>('lock', { holders: [] });

test.after.each(({ holders }) => {
  for (const holder of holders.splice(0)) holder.kill('SIGKILL');
});

test('G6: should refuse a second build in the same process, and say who is at work', async () => {
  const folder = temporaryFolder();
  await withLock(folder, async () => {
    await rejects(
      withLock(folder, async () => assert.unreachable()),
      'BUILD_LOCKED',
      new RegExp(`a build is at work there \\(process ${process.pid} on .+\\): start again when it is done`),
    );
  });
  assert.is(await withLock(folder, async () => 'free'), 'free');
});

test('G6: should refuse a second build in another process, until that is done or killed', async ({
  holders,
}) => {
  const folder = temporaryFolder();
  const holder = await heldElsewhere(folder);
  holders.push(holder);
  await rejects(
    withLock(folder, async () => assert.unreachable()),
    'BUILD_LOCKED',
    new RegExp(`process ${holder.pid} on`),
  );
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  assert.is(await withLock(folder, async () => 'free'), 'free');
});

test('G6: should not be blocked by what an earlier build left, whatever process has its number now', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.lock'), '');
  writeFileSync(join(folder, '.lock-holder'), `process ${process.pid} on this machine`);
  assert.is(await withLock(folder, async () => 'free'), 'free');
});

test('G6: should wait for the other build when told to', async () => {
  const folder = temporaryFolder();
  const order: string[] = [];
  let begun = () => {};
  const holding = new Promise<void>((done) => {
    begun = done;
  });
  let end = () => {};
  const first = withLock(folder, async () => {
    begun();
    await new Promise<void>((done) => {
      end = done;
    });
    order.push('first');
  });
  await holding;
  const second = withLock(folder, async () => order.push('second'), { wait: 30 });
  // Begun after the second one, and refused: by then that one waits.
  await rejects(
    withLock(folder, async () => assert.unreachable()),
    'BUILD_LOCKED',
  );
  end();
  await Promise.all([first, second]);
  assert.equal(order, ['first', 'second']);
});

test('G6: should give up when the wait is over', async () => {
  const folder = temporaryFolder();
  await withLock(folder, async () => {
    await rejects(
      withLock(folder, async () => assert.unreachable(), { wait: 0.05 }),
      'BUILD_LOCKED',
      /after 0\.05 s/,
    );
  });
});

test('G6: should let builds of two folders run side by side', async () => {
  const [one, other] = [temporaryFolder(), temporaryFolder()];
  assert.is(await withLock(one, () => withLock(other, async () => 'both')), 'both');
});

test('should be free again after a build that fails', async () => {
  const folder = temporaryFolder();
  const failure = await withLock(folder, async () => {
    throw new Error('the build failed');
  }).catch((cause: unknown) => cause);
  assert.instance(failure, Error);
  assert.is(await withLock(folder, async () => 'free'), 'free');
  assert.equal(readdirSync(folder), ['.lock']);
});

test('should say so when the folder cannot be written to', async () => {
  await rejects(
    withLock(join(temporaryFolder(), 'none'), async () => assert.unreachable()),
    'BUILD_REFUSED',
    /SQLITE_CANTOPEN.*see that the folder is there/,
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
