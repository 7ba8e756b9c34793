import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Keeper } from '../../src/snapshot/keeper.ts';
import { NOW } from '../helpers/calendar.ts';
import { publishCalendar } from '../helpers/folder.ts';
import { idOf, reasons, scene } from '../helpers/keeper.ts';

const keeping = suite<{ keepers: Keeper[] }>('bad deliveries', { keepers: [] });

keeping.after.each(async ({ keepers }) => {
  for (const keeper of keepers.splice(0)) await keeper.close();
});

const manifestPath = (folder: string) => join(folder, 'manifest.json');

/** Bad deliveries: what becomes of a good one on its way into the folder. */
const SPOILED: Readonly<Record<string, SpoiledDelivery>> = {
  'a truncated file': [({ file }) => truncateSync(file, 4_096), /expected \d+ bytes, found 4096/],
  'a flipped bit': [({ file }) => alter(file, 9_000), /expected SHA-256/],
  'an empty file': [({ file }) => truncateSync(file, 0), /expected \d+ bytes, found 0/],
  'a wrong application_id': [({ file }) => alter(file, 68), /expected application_id/],
  'a newer format': [({ file }) => alter(file, 63), /expected format \d+, found 251/],
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
    /manifest\.json: expected a file, found something else/,
  ],
  'a manifest of a newer format': [
    ({ manifest }) => {
      const text = readFileSync(manifest, 'utf8');
      writeFileSync(manifest, text.replace(/"format": \d+/, '"format": 9'));
    },
    /expected format \d+, found 9/,
  ],
};

type SpoiledDelivery = readonly [
  spoil: (paths: { readonly file: string; readonly manifest: string }) => void,
  finding: RegExp,
];

for (const [what, [spoil, finding]] of Object.entries(SPOILED)) {
  keeping(`H5: should refuse ${what}, keep what it has, and take the next good one`, async (context) => {
    const { keeper, folder, lines, publish } = await scene(context, (at) => publishCalendar(at));
    const before = idOf(keeper);
    const bad = await publish('Dårlig');
    spoil({ file: join(folder, bad.file), manifest: manifestPath(folder) });
    await keeper.check();
    assert.is(idOf(keeper), before);
    assert.match(keeper.state().lastRefusal?.reason ?? '', finding);
    assert.is(keeper.state().lastRefusal?.at, 1_000_000);
    assert.match(reasons(lines).join(), finding);
    rmSync(manifestPath(folder), { recursive: true });
    const good = await publish('God');
    await keeper.check();
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
    assert.match(reasons(lines).join(), finding);
  });
}

keeping('H5: should log a bad delivery once and not hash it again at every look', async (context) => {
  const { keeper, folder, lines, time, publish } = await scene(context, (at) => publishCalendar(at));
  const bad = await publish('Dårlig');
  alter(join(folder, bad.file), 9_000);
  for (let look = 0; look < 5; look++) await keeper.check();
  assert.is(reasons(lines).length, 1);
  const refusedAt = keeper.state().lastRefusal?.at;
  time.now += 999;
  await keeper.check();
  assert.is(keeper.state().lastRefusal?.at, refusedAt, 'not due yet');
  time.now += 1;
  await keeper.check();
  assert.is(keeper.state().lastRefusal?.at, time.now, 'tried again when due');
  time.now += 1_999;
  await keeper.check();
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
    await keeper.check();
    assert.is.not(idOf(keeper), late.id);
  }
  writeFileSync(file, whole);
  await keeper.check();
  assert.is(idOf(keeper), late.id);
  assert.is(reasons(lines).length, 1);
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

keeping.run();
