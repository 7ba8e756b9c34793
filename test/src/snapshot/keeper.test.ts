/** H5: the keeper adopts each published snapshot, and keeps it open while requests need it. */
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createKeeper, type Keeper } from '../../../src/snapshot/keeper.ts';
import { type Manifest, renderManifest } from '../../../src/snapshot/manifest.ts';
import { Unverified } from '../../../src/snapshot/unusable.ts';
import { verifyFile } from '../../../src/snapshot/verify.ts';
import { assertIncludes } from '../../helpers/assertions.ts';
import { NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { publishCalendar, temporaryFolder } from '../../helpers/folder.ts';
import { idOf, logInto, reasonsIn, startKeeper, whyUnavailable } from '../../helpers/keeper.ts';
import { until } from '../../helpers/until.ts';
import { openFilesOf, whereProcIs } from '../../helpers/usage.ts';

const keeping = suite<{ keepers: Keeper[] }>('keeper', { keepers: [] });

keeping.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

keeping('H5: should adopt the snapshot of the manifest at its start', async (context) => {
  let manifest: Manifest | undefined;
  const { keeper, lines } = await startKeeper(context, async (folder) => {
    manifest = await publishCalendar(folder, { name: 'Ny', builtAt: NOW });
    // A newer one that nobody published.
    const orphan = await publishCalendar(folder, { name: 'Løs', builtAt: NOW + 60 });
    writeFileSync(join(folder, 'manifest.json'), renderManifest(manifest));
    assert.is.not(orphan.id, manifest.id);
  });
  assert.is(idOf(keeper), manifest?.id);
  assert.is(keeper.state().adoptedAt, 1_000_000);
  assert.equal(
    lines.map(({ message }) => message),
    ['snapshot adopted'],
  );
});

keeping('H5: should have no snapshot until the first delivery, and say why', async (context) => {
  const { keeper, publish } = await startKeeper(context);
  assert.is(keeper.state().current, null);
  await rejects(
    (async () => keeper.pin())(),
    'SERVICE_UNAVAILABLE',
    /No snapshot is open: no manifest\.json in the folder yet/,
  );
  const manifest = await publish('Første');
  await keeper.check();
  assert.is(idOf(keeper), manifest.id);
});

keeping('H5: should say why it has no snapshot if all files are damaged', async (context) => {
  const { keeper, lines, publish } = await startKeeper(context, async (at) => {
    const { file } = await publishCalendar(at);
    rmSync(join(at, 'manifest.json'));
    truncateSync(join(at, file), 8_192);
    writeFileSync(join(at, 'calendar-0000000000000000.sqlite'), 'not one');
  });
  assert.is(lines.filter(({ message }) => message === 'snapshot refused').length, 2);
  const refusals = reasonsIn(lines).join();
  assert.match(refusals, /expected bytes \d+, found 8192/);
  assert.match(refusals, /calendar-0{16}\.sqlite: expected an SQLite file, found something else/);
  assert.match(keeper.state().lastRefusal?.reason ?? '', /^calendar-\w+\.sqlite: expected/);
  assert.match(whyUnavailable(keeper), /No snapshot is open: calendar-\w+\.sqlite: expected/);
  const { id } = await publish('God');
  await keeper.check();
  assert.is(idOf(keeper), id);
});

keeping('H5: should swap at the next look and tell its listeners', async (context) => {
  const { keeper, publish } = await startKeeper(context, (folder) => publishCalendar(folder));
  const swapped: string[] = [];
  const stop = keeper.onSwap(({ id }) => swapped.push(id));
  const second = await publish('To');
  await keeper.check();
  await keeper.check();
  stop();
  const third = await publish('Tre');
  await keeper.check();
  assert.equal(swapped, [second.id]);
  assert.is(idOf(keeper), third.id);
});

whereProcIs(keeping)('H5: should close the old snapshot with its last request', async (context) => {
  const { keeper, publish } = await startKeeper(context, (folder) =>
    publishCalendar(folder, { name: 'Gammel' }),
  );
  const old = keeper.path ?? '';
  const [early, other] = [keeper.pin(), keeper.pin()];
  await publish('Ny');
  await keeper.check();
  const late = keeper.pin();
  early.release();
  early.release();
  const title = async ({ snapshot }: typeof early) => (await snapshot.eventBodies([0]))[0]?.split('\n')[3];
  try {
    assert.is(await title(late), '"Ny på event-000000"');
    // A request still holds the file. If it was closed, the snapshot would not answer.
    assertIncludes(openFiles(), old);
    for (let turn = 0; turn < 3; turn++) assert.is(await title(other), '"Gammel på event-000000"');
    other.release();
    await until('the old file is closed', () => !openFiles().includes(old));
  } finally {
    // The keeper closes after the test, once nothing is pinned.
    for (const pin of [other, late]) pin.release();
  }
});

keeping('H5: should go back to an older snapshot when the manifest names it', async (context) => {
  const { keeper, folder, publish } = await startKeeper(context);
  const first = await publish('En');
  copyFileSync(join(folder, 'manifest.json'), join(folder, 'first.json'));
  await publish('To');
  await keeper.check();
  renameSync(join(folder, 'first.json'), join(folder, 'manifest.json'));
  await keeper.check();
  assert.is(idOf(keeper), first.id);
});

keeping('H5: should keep its snapshot when the whole folder disappears', async (context) => {
  const { keeper, folder } = await startKeeper(context, (at) => publishCalendar(at));
  rmSync(folder, { recursive: true });
  await keeper.check();
  const { snapshot, release } = keeper.pin();
  assert.is((await snapshot.eventBodies([2])).length, 1);
  release();
});

keeping('H4: should close when the last request is done', async () => {
  const { keeper } = await startKeeper({ keepers: [] }, (folder) => publishCalendar(folder));
  const pin = keeper.pin();
  let closed = false;
  const closing = keeper.close().then(() => {
    closed = true;
  });
  await pin.snapshot.eventBodies([0]);
  assert.is(closed, false);
  pin.release();
  await closing;
  await rejects((async () => keeper.pin())(), 'SERVICE_UNAVAILABLE');
});

interface Notice {
  readonly title: string;
  /** Milliseconds from look to look. */
  readonly pollMs: number;
  /** Whether there is a folder at the start. */
  readonly isThere: boolean;
  /** Changes the folder before the publication. */
  readonly change?: (folder: string) => void;
}

const NOTICES: readonly Notice[] = [
  {
    title: 'by polling',
    pollMs: 10,
    isThere: true,
  },
  {
    title: 'by the events of the file system',
    pollMs: 600_000,
    isThere: true,
  },
  {
    title: 'in a folder that is made later',
    pollMs: 10,
    isThere: false,
    change: (folder) => mkdirSync(folder),
  },
  {
    title: 'in another folder that replaces the first one',
    pollMs: 20,
    isThere: true,
    change: (folder) => {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
    },
  },
];

for (const { title, pollMs, isThere, change } of NOTICES) {
  keeping(`H5: should notice a new manifest ${title}`, async ({ keepers }) => {
    const folder = join(temporaryFolder(), 'snapshots');
    if (isThere) mkdirSync(folder);
    const keeper = await createKeeper({ folder, log: logInto([]), pollMs });
    keepers.push(keeper);
    change?.(folder);
    const { id } = await publishCalendar(folder);
    await until('the new snapshot is adopted', () => idOf(keeper) === id);
  });
}

function openFiles(): readonly string[] {
  return openFilesOf(process.pid).map((path) => path.replace(/ \(deleted\)$/, ''));
}

keeping('H5: should verify a snapshot once, however often it looks', async (context) => {
  const verified: string[] = [];
  const { keeper } = await startKeeper(context, (folder) => publishCalendar(folder), {
    verify: (path, expected) => {
      verified.push(path);
      return verifyFile(path, expected);
    },
  });
  for (let look = 0; look < 3; look++) await keeper.check();
  assert.is(verified.length, 1);
});

keeping('H5: should not open another file than the one it verified', async (context) => {
  const aside = temporaryFolder();
  const other = join(aside, (await publishCalendar(aside, { name: 'Byttet' })).file);
  const { keeper, lines } = await startKeeper(
    context,
    (folder) => publishCalendar(folder, { name: 'Ekte' }),
    {
      verify: async (path, expected) => {
        const found = await verifyFile(path, expected);
        if (existsSync(other)) renameSync(other, path);
        return found;
      },
    },
  );
  assert.is(keeper.state().current, null);
  assert.match(reasonsIn(lines)[0] ?? '', /expected it not to change while it is checked, found that it did/);
});

keeping('H4: should stop in the middle of a check', async (context) => {
  let isChecking = false;
  const { keeper, lines, publish } = await startKeeper(context, undefined, {
    verify: (_path, _expected, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new Error('stopped')));
        isChecking = true;
      }),
  });
  await publish('Sen');
  void keeper.check();
  await until('it is checked', () => isChecking);
  await keeper.close();
  assert.equal(lines, []);
});

interface SecondHash {
  readonly title: string;
  /** The part of a file that a request doubts; null if a day has passed instead. */
  readonly doubt: string | null;
  readonly later: number;
}

const SECOND_HASHES: readonly SecondHash[] = [
  { title: 'after a doubt', doubt: 'a byte', later: 0 },
  { title: 'after a day', doubt: null, later: 86_400_000 },
];

for (const { title, doubt, later } of SECOND_HASHES) {
  keeping(
    `H4: should stop without a line in the log while it hashes its file again ${title}`,
    async (context) => {
      let isHung = false;
      let verified = 0;
      const { keeper, lines, time } = await startKeeper(context, (at) => publishCalendar(at), {
        verify: async (path, expected, { signal }) => {
          verified++;
          if (!isHung) return verifyFile(path, expected);
          if (!signal.aborted) await once(signal, 'abort');
          throw new Unverified('SNAPSHOT_UNUSABLE', 'the program is stopping');
        },
      });
      await keeper.check();
      isHung = true;
      time.now += later;
      if (doubt === null) void keeper.check();
      else keeper.doubt(doubt);
      await until('it is hashed', () => verified === 2);
      await keeper.close();
      assert.equal(reasonsIn(lines), []);
      assert.is(verified, 2, 'times that it was hashed');
    },
  );
}

keeping.run();
