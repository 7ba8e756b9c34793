/** H5: how the arrays that a server loads get to it from the process that has verified the file. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Manifest } from '../../src/snapshot/folder.ts';
import { createKeeper, type Keeper, type KeeperOptions } from '../../src/snapshot/keeper.ts';
import { type Lift, readLift, storeLift } from '../../src/snapshot/lift.ts';
import { openSnapshot, type Snapshot } from '../../src/snapshot/open.ts';
import { verifyInThread } from '../../src/snapshot/verify-apart.ts';
import { publishCalendar, temporaryFolder } from '../helpers/folder.ts';
import { idOf, type Line, logInto, reasons, unwatched } from '../helpers/keeper.ts';
import { childrenOf } from '../helpers/program.ts';
import { until } from '../helpers/until.ts';
import { openFilesOf, whereProcIs } from '../helpers/usage.ts';

const lifting = suite<{ keepers: Keeper[] }>('lift', { keepers: [] });
const folder = temporaryFolder();
let manifest: Manifest;
let path: string;
let own: Lift;

const liftOf = ({ columns, searchIndex: { words, parts } }: Snapshot): Lift => ({ columns, words, parts });

lifting.before(async () => {
  manifest = await publishCalendar(folder);
  path = join(folder, manifest.file);
  const snapshot = await openSnapshot(path);
  own = liftOf(snapshot);
  await snapshot.close();
});

lifting.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

lifting('H5: should hand over the very arrays that the file holds, in one piece of memory', async () => {
  const { lift, sha256 } = await verifyInThread(path, manifest, new AbortController());
  assert.is(sha256, manifest.sha256);
  assert.equal(lift, own);
  const memory = new Set(Object.values(lift?.columns ?? {}).map(({ buffer }) => buffer));
  assert.is(memory.size, 1);
});

for (const size of [1, 7, 4_096]) {
  lifting(`H5: should read a lift from pieces of ${size} bytes, and none from a part of it`, async () => {
    const whole = Buffer.concat(storeLift(own));
    const inPieces = function* (length: number) {
      for (let at = 0; at < length; at += size) yield whole.subarray(at, Math.min(at + size, length));
    };
    const read = (length: number) => readLift(Readable.from(inPieces(length)));
    assert.equal(await read(whole.length), own);
    for (const length of [0, 10, whole.length - 1]) assert.is(await read(length), null);
  });
}

lifting('H5: should read no lift of another version, which lacks a column', async () => {
  const { start: _, ...columns } = own.columns;
  const read = (lift: object) => readLift(Readable.from([Buffer.concat(storeLift(lift as Lift))]));
  assert.is(await read({ ...own, columns }), null);
  assert.is.not(await read({ ...own, columns: { ...columns, start: own.columns.start } }), null);
});

whereProcIs(lifting)(
  'H7: should open no file in the server before all of it was verified',
  async (context) => {
    const seen: boolean[] = [];
    const verify: Verify = async (file, expected, options) => {
      const looking = setInterval(() => seen.push(openFilesOf(process.pid).includes(file)), 1);
      return verifyInThread(file, expected, options).finally(() => clearInterval(looking));
    };
    const { keeper } = await scene(context, { verify });
    assert.is(idOf(keeper), manifest.id);
    assert.ok(seen.length > 0);
    assert.not.ok(seen.includes(true));
    assert.ok(openFilesOf(process.pid).includes(path), 'it is open now');
  },
);

whereProcIs(lifting)('H5: should keep what it has when the verifier is killed', async (context) => {
  const { keeper, lines } = await scene(context);
  const before = idOf(keeper);
  await publishCalendar(folder, { name: 'Drept' });
  const looking = keeper.look();
  await until('the verifier runs', () => verifiers().length === 1);
  for (const pid of verifiers()) process.kill(pid, 'SIGKILL');
  await looking;
  assert.match(reasons(lines)[0] ?? '', /expected to be verified, found its process ended by SIGKILL/);
  assert.is(idOf(keeper), before);
});

whereProcIs(lifting)('H4: should leave neither thread nor verifier when it stops', async (context) => {
  const { keeper, lines } = await scene(context);
  await publishCalendar(folder, { name: 'Stanset' });
  void keeper.look();
  await until('the verifier runs', () => verifiers().length === 1);
  await keeper.close();
  await until('the verifier has ended', () => verifiers().length === 0);
  assert.equal(reasons(lines), []);
});

lifting('H5: should come to the last of two publications in quick succession', async (context) => {
  const { keeper } = await scene(context);
  await publishCalendar(folder, { name: 'Første' });
  const looking = keeper.look();
  const last = await publishCalendar(folder, { name: 'Andre' });
  await Promise.all([looking, keeper.look()]);
  const { current } = keeper.state();
  assert.is(current?.id, last.id);
  const snapshot = await openSnapshot(join(folder, last.file));
  assert.equal(current && liftOf(current), liftOf(snapshot));
  await snapshot.close();
});

lifting(
  'D14, H5: should free the memory of a snapshot with the last request that began with it',
  async (context) => {
    const { keeper } = await scene(context, { verify: verifyInThread });
    const { snapshot, release } = keeper.pin();
    const { start } = snapshot.columns;
    const before = start.length;
    assert.ok(before > 0);
    const toClose: Uint8Array[] = [new Uint8Array(8)];
    snapshot.onClose(() => toClose.pop());
    await publishCalendar(folder, { name: 'Neste' });
    await keeper.look();
    assert.is.not(idOf(keeper), snapshot.id);
    assert.is(start.length, before);
    assert.is(toClose.length, 1);
    release();
    await until('its memory is free', () => start.length === 0);
    assert.is(toClose.length, 0);
    assert.ok((keeper.state().current?.columns.start.length ?? 0) > 0);
  },
);

type Verify = NonNullable<KeeperOptions['verify']>;

/** A keeper that looks only when it is told to, and verifies as a server does. */
async function scene({ keepers }: { keepers: Keeper[] }, options: Partial<KeeperOptions> = {}) {
  const lines: Line[] = [];
  const log = logInto(lines);
  const keeper = await createKeeper({ folder, log, pollMs: 1_000, watch: unwatched, ...options });
  keepers.push(keeper);
  return { keeper, lines };
}

const verifiers = () => childrenOf(process.pid, 'snapshot/verify-child');

lifting.run();
