/** H14: the keeper hashes the file that it serves again, and leaves a damaged one. */
import {
  appendFileSync,
  closeSync,
  futimesSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { PAGE_SIZE } from '../../../src/snapshot/format.ts';
import type { Keeper } from '../../../src/snapshot/keeper.ts';
import { Unverified } from '../../../src/snapshot/unusable.ts';
import { verifyFile } from '../../../src/snapshot/verify.ts';
import { deliverSpoiled, NEWER_FORMAT } from '../../helpers/bad-deliveries.ts';
import { rejects } from '../../helpers/errors.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { idOf, reasonsIn, startKeeper, whyUnavailable } from '../../helpers/keeper.ts';

const rehashing = suite<{ keepers: Keeper[] }>('damage while it is served', { keepers: [] });

rehashing.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

/** With times that can be set to what they were. */
async function publishOldest(folder: string): Promise<void> {
  const { file } = await publishCalendar(folder);
  utimesSync(join(folder, file), 0, 0);
}

/** Overwrites all but the first page, in place, as a failing disk might: its times are what they were. */
function spoil(path: string): void {
  const file = openSync(path, 'r+');
  const { size, atime, mtime } = statSync(path);
  writeSync(file, Buffer.alloc(size - PAGE_SIZE, 0xff), 0, size - PAGE_SIZE, PAGE_SIZE);
  futimesSync(file, atime, mtime);
  closeSync(file);
}

rehashing(
  'H14: should leave a damaged file for the newest good one until it is rewritten',
  async (context) => {
    const { keeper, lines, folder, publish } = await startKeeper(context, (at) =>
      publishCalendar(at, { name: 'God' }),
    );
    const good = idOf(keeper);
    const { id, file } = await publish('Skadet');
    await keeper.check();
    const path = join(folder, file);
    const whole = readFileSync(path);
    const { snapshot, release } = keeper.pin();
    spoil(path);
    await rejects(snapshot.eventBodies([0, 1, 2]), 'SNAPSHOT_UNUSABLE', /malformed/);
    await keeper.check();
    assert.is(idOf(keeper), good);
    const { damage, lastRefusal } = keeper.state();
    assert.match(
      damage?.reason ?? '',
      new RegExp(`^${file}: found damaged while it was served: .*malformed`),
    );
    assert.is(lastRefusal, damage);
    assert.equal(reasonsIn(lines), [damage?.reason]);
    assert.is(await keeper.isDamaged(file), true);
    assert.is(await keeper.isDamaged(`calendar-${good}.sqlite`), false);
    release();
    await keeper.check();
    assert.is(idOf(keeper), good, 'what was damaged is not tried again');
    writeFileSync(path, whole);
    await keeper.check();
    assert.is(idOf(keeper), id);
    assert.is(keeper.state().damage, null);
    assert.is(await keeper.isDamaged(file), false);
  },
);

rehashing(
  'H14: should say why a later delivery is refused, and then that its file is damaged',
  async (context) => {
    const { keeper, folder } = await startKeeper(context, (at) => publishCalendar(at));
    const aside = temporaryFolder();
    await publishCalendar(aside, { name: 'Nyere' });
    truncateSync(keeper.path ?? '', 2 * PAGE_SIZE);
    await keeper.check();
    const { damage } = keeper.state();
    deliverSpoiled(aside, folder, NEWER_FORMAT);
    await keeper.check();
    const { lastRefusal } = keeper.state();
    assert.match(lastRefusal?.reason ?? '', NEWER_FORMAT.finding);
    assert.is(keeper.state().damage, damage);
    assert.is(whyUnavailable(keeper), `No snapshot is open: ${lastRefusal?.reason}; ${damage?.reason}`);
  },
);

/** Changes to a file that is served. */
const HARM: Readonly<Record<string, (path: string) => void>> = {
  'was written to': (path) => appendFileSync(path, 'x'),
  'was cut': (path) => truncateSync(path, 2 * PAGE_SIZE),
};

for (const [change, harm] of Object.entries(HARM)) {
  rehashing(`H14: should leave a file that ${change} at the next look`, async (context) => {
    let damages = 0;
    const { keeper } = await startKeeper(context, (at) => publishCalendar(at), { onDamage: () => damages++ });
    harm(keeper.path ?? '');
    await keeper.check();
    assert.is(keeper.state().current, null);
    assert.is(damages, 1);
    const reason = /No snapshot is open: .* damaged while it was served: expected it not to change/;
    assert.match(whyUnavailable(keeper), reason);
  });
}

rehashing('H14: should stay with a sound file that was reported, and open it again', async (context) => {
  let verified = 0;
  const { keeper, time, lines } = await startKeeper(context, (at) => publishCalendar(at), {
    verify: (path, expected) => {
      verified++;
      return verifyFile(path, expected);
    },
  });
  const { current } = keeper.state();
  // A doubt, how much later it comes, and how many files were verified then: not again within a minute.
  for (const { doubt, later, expected } of [
    { doubt: 'nothing', later: 0, expected: 3 },
    { doubt: 'nothing again', later: 0, expected: 3 },
    { doubt: null, later: 60_000, expected: 5 },
  ] as const) {
    if (doubt !== null) keeper.doubt(doubt);
    time.now += later;
    await keeper.check();
    assert.is(idOf(keeper), current?.id);
    assert.is.not(keeper.state().current, current);
    assert.is(verified, expected);
  }
  rmSync(keeper.path ?? '');
  time.now += 2 * 86_400_000;
  await keeper.check();
  assert.is(idOf(keeper), current?.id, 'what was removed is still open');
  assert.equal(reasonsIn(lines), []);
});

rehashing('H14: should stay with a file that no process could verify', async (context) => {
  const unverified = new Unverified('SNAPSHOT_UNUSABLE', 'its process was not begun');
  let isUp = true;
  const { keeper, time, lines } = await startKeeper(context, (at) => publishCalendar(at), {
    verify: (path, expected) => (isUp ? verifyFile(path, expected) : Promise.reject(unverified)),
  });
  isUp = false;
  time.now += 86_400_000;
  await keeper.check();
  keeper.doubt('a byte');
  await keeper.check();
  assert.is.not(idOf(keeper), null);
  assert.is(reasonsIn(lines)[0], unverified.message);
});

rehashing('H14: should hash its file again after a day, and leave a damaged one', async (context) => {
  const slow: unknown[] = [];
  const { keeper, time } = await startKeeper(context, publishOldest, {
    verify: (path, expected, { isSlow }) => {
      slow.push(isSlow === true);
      return verifyFile(path, expected);
    },
  });
  // The check that starting begins may still look at the file.
  await keeper.check();
  spoil(keeper.path ?? '');
  time.now += 86_399_000;
  await keeper.check();
  assert.ok(keeper.state().current !== null, 'not yet');
  time.now += 1_000;
  await keeper.check();
  assert.is(keeper.state().current, null);
  assert.equal(slow, [false, true]);
  assert.match(
    whyUnavailable(keeper),
    /No snapshot is open: .* damaged while it was served: .*expected a SHA-256/,
  );
});

rehashing.run();
