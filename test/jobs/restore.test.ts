/** H14: `almanakk restore`. */
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runRestore } from '../../jobs/restore.ts';
import { built, events, MONTHS, snapshotsIn, sourceOf } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';

const test = suite('H14: restore');

/** A folder with two snapshots, the one of more events built last. */
async function twoBuilds() {
  const target = temporaryFolder();
  const older = await built(sourceOf(3), target);
  const newer = await built(sourceOf(4), target, { now: NOW + 60 });
  return { target, older, newer };
}

async function restored(target: string, args: readonly string[]) {
  let stdout = '';
  const code = await runRestore(args, {
    defaults: { source: '/nowhere', target, horizonMonths: MONTHS },
    now: NOW + 120,
    stdout: (text) => {
      stdout += text;
    },
    stderr: () => undefined,
  });
  return { code, stdout };
}

const currentIn = (target: string) => JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8')).id;

test('H14: should put an older snapshot back, and hold builds until they are resumed', async () => {
  const { target, older, newer } = await twoBuilds();
  const { code, stdout } = await restored(target, [older.id]);
  assert.is(code, 0);
  assert.match(stdout, `restored: ${older.file}, built at ${older.builtAt}, 3 events`);
  assert.is(currentIn(target), older.id);
  const held = snapshotsIn(target);
  for (const force of [false, true])
    await rejects(
      built(sourceOf(4), target, { now: NOW + 180, force }),
      'BUILD_REFUSED',
      new RegExp(`restored ${older.id} at .*: "npm run restore -- --resume" lets builds go on`),
    );
  assert.equal(snapshotsIn(target), held);
  assert.match((await restored(target, ['--resume'])).stdout, 'builds go on');
  const again = await built(sourceOf(4), target, { now: NOW + 240 });
  assert.is(again.outcome, 'published');
  assert.is(again.counts.events, newer.counts.events);
});

test('H14: should put back no file that is damaged, unknown or not named, and hold nothing for it', async () => {
  const { target, older, newer } = await twoBuilds();
  appendFileSync(join(target, older.file), 'x');
  for (const [args, code, message] of [
    [[older.id], 'SNAPSHOT_UNUSABLE', /./],
    [
      ['0123456789abcdef'],
      'INVALID_SETTING',
      new RegExp(`expected one id of .*${newer.id}.*, found "0123456789abcdef"`),
    ],
    [[], 'INVALID_SETTING', /Usage: npm run restore/],
    [['--retry'], 'INVALID_SETTING', /Usage: npm run restore/],
  ] as const)
    await rejects(restored(target, args), code, message);
  assert.is(currentIn(target), newer.id);
  const next = await built(sourceOf(5, { 'events.json': events(5) }), target, { now: NOW + 240 });
  assert.is(next.outcome, 'published');
});

test.run();
