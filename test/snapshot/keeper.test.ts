import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Manifest, renderManifest } from '../../src/snapshot/folder.ts';
import { createKeeper, type Keeper, type Log } from '../../src/snapshot/keeper.ts';
import { pollFolder, type WatchFolder, watchFolder } from '../../src/snapshot/watch.ts';
import { NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { publishCalendar, temporaryFolder } from '../helpers/folder.ts';
import { until } from '../helpers/until.ts';

const keeping = suite<{ keepers: Keeper[] }>('keeper', { keepers: [] });

keeping.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

interface Line {
  readonly level: 'info' | 'warn';
  readonly message: string;
  readonly fields: object;
}

function logInto(lines: Line[]): Log {
  return {
    info: (fields, message) => lines.push({ level: 'info', message, fields }),
    warn: (fields, message) => lines.push({ level: 'warn', message, fields }),
  };
}

const unwatched: WatchFolder = () => ({ stop: () => undefined });

interface Scene {
  readonly folder: string;
  readonly lines: Line[];
  readonly keeper: Keeper;
  /** Milliseconds, to be moved by the test. */
  readonly time: { now: number };
  readonly publish: (name: string) => Promise<Manifest>;
}

/** A keeper that looks only when it is told to, and whose clock stands still. */
async function scene(
  { keepers }: { keepers: Keeper[] },
  prepare: (folder: string) => Promise<unknown> = async () => undefined,
): Promise<Scene> {
  const folder = temporaryFolder();
  await prepare(folder);
  const lines: Line[] = [];
  const time = { now: 1_000_000 };
  const keeper = await createKeeper({
    folder,
    log: logInto(lines),
    pollMs: 1_000,
    clock: () => time.now,
    watch: unwatched,
  });
  keepers.push(keeper);
  return { folder, lines, keeper, time, publish: (name) => publishCalendar(folder, { name }) };
}

const idOf = (keeper: Keeper) => keeper.state().current?.id ?? null;
const reasons = (lines: readonly Line[]) =>
  lines.flatMap(({ fields }) => ('reason' in fields ? [String(fields.reason)] : []));

keeping('H5: should adopt the snapshot of the manifest at its start', async (context) => {
  let manifest: Manifest | undefined;
  const { keeper, lines } = await scene(context, async (folder) => {
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

keeping('D8: should have nothing, and say why, until the first delivery', async (context) => {
  const { keeper, publish } = await scene(context);
  assert.is(keeper.state().current, null);
  await rejects(
    (async () => keeper.pin())(),
    'SERVICE_UNAVAILABLE',
    /No snapshot is open: no manifest\.json in the folder yet/,
  );
  const manifest = await publish('Første');
  await keeper.look();
  assert.is(idOf(keeper), manifest.id);
});

keeping('H5: should start in a folder that is made later', async ({ keepers }) => {
  const folder = join(temporaryFolder(), 'later');
  const keeper = await createKeeper({ folder, log: logInto([]), pollMs: 10 });
  keepers.push(keeper);
  assert.is(keeper.state().current, null);
  mkdirSync(folder);
  const { id } = await publishCalendar(folder);
  await until('the first snapshot is adopted', () => idOf(keeper) === id);
});

keeping('H5: should swap at the next look and tell its listeners', async (context) => {
  const { keeper, publish } = await scene(context, (folder) => publishCalendar(folder));
  const told: string[] = [];
  const stop = keeper.onSwap(({ id }) => told.push(id));
  const second = await publish('To');
  await keeper.look();
  await keeper.look();
  stop();
  const third = await publish('Tre');
  await keeper.look();
  assert.equal(told, [second.id]);
  assert.is(idOf(keeper), third.id);
});

keeping('H5: should let a request go on with the snapshot it began with', async (context) => {
  const { keeper, publish } = await scene(context, (folder) => publishCalendar(folder, { name: 'Gammel' }));
  const early = keeper.pin();
  await publish('Ny');
  await keeper.look();
  const late = keeper.pin();
  const titles = async ({ snapshot }: typeof early) => (await snapshot.eventBodies([0]))[0]?.split('\n')[3];
  assert.is(await titles(early), '"Gammel på event-000000"');
  assert.is(await titles(late), '"Ny på event-000000"');
  early.release();
  late.release();
});

keeping('H5: should close the old snapshot with its last request, and not before', async (context) => {
  const { keeper, publish } = await scene(context, (folder) => publishCalendar(folder, { name: 'Gammel' }));
  const old = keeper.state().current?.path ?? '';
  const [first, second] = [keeper.pin(), keeper.pin()];
  await publish('Ny');
  await keeper.look();
  first.release();
  first.release();
  assert.is(openFiles().includes(old), existsSync(OPEN_FILES), 'a request still holds it');
  for (let turn = 0; turn < 3; turn++) await first.snapshot.eventBodies([0]);
  second.release();
  await until('the old file is closed', () => !openFiles().includes(old));
});

const manifestPath = (folder: string) => join(folder, 'manifest.json');

/** Bad deliveries: what becomes of a good one on its way into the folder. */
const SPOILED: Readonly<Record<string, SpoiledDelivery>> = {
  'a truncated file': [({ file }) => truncateSync(file, 4_096), /expected \d+ bytes, found 4096/],
  'a flipped bit': [({ file }) => alter(file, 9_000), /expected SHA-256/],
  'an empty file': [({ file }) => truncateSync(file, 0), /expected \d+ bytes, found 0/],
  'a wrong application_id': [({ file }) => alter(file, 68), /expected application_id/],
  'a newer format': [({ file }) => alter(file, 63), /expected format 1, found 254/],
  'a missing file': [({ file }) => rmSync(file), /expected a file, found none/],
  'half a manifest': [
    ({ manifest }) => truncateSync(manifest, Math.floor(fileSize(manifest) / 2)),
    /manifest\.json: expected JSON/,
  ],
  'an empty manifest': [({ manifest }) => truncateSync(manifest, 0), /found an empty file/],
  'a folder in place of the manifest': [
    ({ manifest }) => {
      rmSync(manifest);
      mkdirSync(manifest);
    },
    /manifest\.json: EISDIR/,
  ],
  'a manifest of a newer format': [
    ({ manifest }) => {
      const text = readFileSync(manifest, 'utf8');
      writeFileSync(manifest, text.replace('"format": 1', '"format": 9'));
    },
    /expected format 1, found 9/,
  ],
};

type SpoiledDelivery = readonly [
  spoil: (paths: { readonly file: string; readonly manifest: string }) => void,
  complaint: RegExp,
];

for (const [what, [spoil, complaint]] of Object.entries(SPOILED)) {
  keeping(`H5: should refuse ${what}, keep what it has, and take the next good one`, async (context) => {
    const { keeper, folder, lines, publish } = await scene(context, (at) => publishCalendar(at));
    const before = idOf(keeper);
    const bad = await publish('Dårlig');
    spoil({ file: join(folder, bad.file), manifest: manifestPath(folder) });
    await keeper.look();
    assert.is(idOf(keeper), before);
    assert.match(keeper.state().lastRefusal?.reason ?? '', complaint);
    assert.is(keeper.state().lastRefusal?.at, 1_000_000);
    assert.match(reasons(lines).join(), complaint);
    rmSync(manifestPath(folder), { recursive: true });
    const good = await publish('God');
    await keeper.look();
    assert.is(idOf(keeper), good.id);
  });

  keeping(`H5: should start with the newest good file where it finds ${what}`, async (context) => {
    let good = '';
    const { keeper, lines } = await scene(context, async (folder) => {
      await publishCalendar(folder, { name: 'Eldst', builtAt: NOW - 120 });
      good = (await publishCalendar(folder, { name: 'Nest nyest', builtAt: NOW - 60 })).id;
      const bad = await publishCalendar(folder, { name: 'Nyest', builtAt: NOW });
      spoil({ file: join(folder, bad.file), manifest: manifestPath(folder) });
      if (/manifest/.test(what)) rmSync(join(folder, bad.file));
    });
    assert.is(idOf(keeper), good);
    assert.match(reasons(lines).join(), complaint);
  });
}

keeping('H5: should log a bad delivery once and not hash it again at every look', async (context) => {
  const { keeper, folder, lines, time, publish } = await scene(context, (at) => publishCalendar(at));
  const bad = await publish('Dårlig');
  alter(join(folder, bad.file), 9_000);
  for (let look = 0; look < 5; look++) await keeper.look();
  assert.is(reasons(lines).length, 1);
  const refusedAt = keeper.state().lastRefusal?.at;
  time.now += 999;
  await keeper.look();
  assert.is(keeper.state().lastRefusal?.at, refusedAt, 'not due yet');
  time.now += 1;
  await keeper.look();
  assert.is(keeper.state().lastRefusal?.at, time.now, 'tried again when due');
  time.now += 1_999;
  await keeper.look();
  assert.is.not(keeper.state().lastRefusal?.at, time.now, 'waits twice as long the next time');
  assert.is(reasons(lines).length, 1);
});

keeping('H5: should take a file that was still being copied as soon as it is whole', async (context) => {
  const { keeper, folder, lines, publish } = await scene(context, (at) => publishCalendar(at));
  const late = await publish('Sen');
  const file = join(folder, late.file);
  const whole = readFileSync(file);
  for (const length of [0, 4_096, 8_192, whole.length - 1]) {
    writeFileSync(file, whole.subarray(0, length));
    await keeper.look();
    assert.is.not(idOf(keeper), late.id);
  }
  writeFileSync(file, whole);
  await keeper.look();
  assert.is(idOf(keeper), late.id);
  assert.is(reasons(lines).length, 1);
});

keeping('should go back to an older snapshot when its manifest says so', async (context) => {
  const { keeper, folder, publish } = await scene(context);
  const first = await publish('En');
  copyFileSync(manifestPath(folder), join(folder, 'first.json'));
  await publish('To');
  await keeper.look();
  renameSync(join(folder, 'first.json'), manifestPath(folder));
  await keeper.look();
  assert.is(idOf(keeper), first.id);
});

keeping('should stay on what it has when the whole folder goes', async (context) => {
  const { keeper, folder } = await scene(context, (at) => publishCalendar(at));
  rmSync(folder, { recursive: true });
  await keeper.look();
  const { snapshot, release } = keeper.pin();
  assert.is((await snapshot.eventBodies([2])).length, 1);
  release();
});

keeping('should close when the last request is done', async () => {
  const { keeper } = await scene({ keepers: [] }, (folder) => publishCalendar(folder));
  const pin = keeper.pin();
  let closed = false;
  const closing = keeper.close().then(() => {
    closed = true;
  });
  await pin.snapshot.eventBodies([0]);
  assert.not.ok(closed);
  pin.release();
  await closing;
  await rejects((async () => keeper.pin())(), 'SERVICE_UNAVAILABLE');
});

keeping('H5: should hold as many files after 40 swaps as before', async (context) => {
  const { keeper, publish } = await scene(context, (folder) => publishCalendar(folder));
  const before = openFiles().length;
  for (let swap = 0; swap < 40; swap++) {
    const { release } = keeper.pin();
    const { id } = await publish(`Nummer ${swap}`);
    await keeper.look();
    assert.is(idOf(keeper), id);
    release();
  }
  await until('the old files are closed', () => openFiles().length <= before);
});

keeping('H5: should notice a new manifest by polling', async ({ keepers }) => {
  const folder = temporaryFolder();
  const keeper = await createKeeper({ folder, log: logInto([]), pollMs: 10, watch: pollFolder });
  keepers.push(keeper);
  const { id } = await publishCalendar(folder);
  await until('the new snapshot is adopted', () => idOf(keeper) === id);
});

keeping('H5: should notice a new manifest by the events of the file system', async ({ keepers }) => {
  const folder = temporaryFolder();
  let changes = 0;
  const counting: WatchFolder = (path, options) => {
    const onChange = () => {
      changes++;
      options.onChange();
    };
    return watchFolder(path, { ...options, onChange });
  };
  const keeper = await createKeeper({ folder, log: logInto([]), pollMs: 600_000, watch: counting });
  keepers.push(keeper);
  await until('the watcher is there', () => changes === 1);
  const { id } = await publishCalendar(folder);
  await until('the new snapshot is adopted', () => idOf(keeper) === id);
});

keeping('H5: should go on when the folder is replaced by another of its name', async ({ keepers }) => {
  const folder = join(temporaryFolder(), 'snapshots');
  mkdirSync(folder);
  await publishCalendar(folder);
  const keeper = await createKeeper({ folder, log: logInto([]), pollMs: 20 });
  keepers.push(keeper);
  rmSync(folder, { recursive: true });
  mkdirSync(folder);
  const { id } = await publishCalendar(folder, { name: 'Annen' });
  await until('the snapshot of the new folder is adopted', () => idOf(keeper) === id);
});

function alter(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ 0xff;
  writeFileSync(path, bytes);
}

function fileSize(path: string): number {
  const file = openSync(path, 'r');
  try {
    return fstatSync(file).size;
  } finally {
    closeSync(file);
  }
}

/** Only Linux has it; elsewhere nothing counts as open. */
const OPEN_FILES = '/proc/self/fd';

function openFiles(): readonly string[] {
  if (!existsSync(OPEN_FILES)) return [];
  return readdirSync(OPEN_FILES).flatMap((name) => {
    try {
      return readlinkSync(join(OPEN_FILES, name)).replace(/ \(deleted\)$/, '');
    } catch {
      return [];
    }
  });
}

keeping.run();
