/** H14: `almanakk restore`. */
import { appendFileSync, copyFileSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { CommandContext } from '../../../jobs/commands/build-command.ts';
import { runRestore } from '../../../jobs/commands/restore.ts';
import { lastOfDays } from '../../../jobs/publish/retention.ts';
import { unfinishedPath } from '../../../jobs/publish/unfinished.ts';
import { assertExists, assertMissing } from '../../helpers/assertions.ts';
import { built, events, MONTHS, snapshotsIn, sourceOfEvents, unfinishedIn } from '../../helpers/build.ts';
import { BUILD_SETTINGS } from '../../helpers/build-choices.ts';
import { NOW } from '../../helpers/calendar.ts';
import { misleadIndex } from '../../helpers/damaged-snapshots.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { LICENCE } from '../../helpers/native-source.ts';
import { publicPath, publicRows } from '../../helpers/public-file.ts';

const test = suite('H14: restore');

/** A folder with two snapshots, the one of more events built last. */
async function twoBuilds() {
  const target = temporaryFolder();
  const older = await built(sourceOfEvents(3), target);
  const newer = await built(sourceOfEvents(4), target, { now: NOW + 60 });
  return { target, older, newer };
}

interface Choices extends Partial<Pick<CommandContext['defaults'], 'isPublic' | 'sign'>> {
  readonly now?: number;
}

async function restored(
  target: string,
  args: readonly string[],
  { isPublic = false, now = NOW + 120, ...signing }: Choices = {},
) {
  let stdout = '';
  const code = await runRestore(args, {
    defaults: { ...BUILD_SETTINGS, source: '/nowhere', target, horizonMonths: MONTHS, isPublic, ...signing },
    now,
    clock: Date.now,
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
  assert.match(stdout, `restored: ${older.id}  built at ${older.builtAt}  3 events, 3 dates, 0 venues`);
  assert.is(currentIn(target), older.id);
  const held = snapshotsIn(target);
  for (const force of [false, true])
    await rejects(
      built(sourceOfEvents(4), target, { now: NOW + 180, force }),
      'BUILD_REFUSED',
      new RegExp(`restored ${older.id} at .*\\. "npm run restore -- --resume" resumes them`),
    );
  assert.equal(snapshotsIn(target), held);
  assert.match((await restored(target, ['--resume'])).stdout, 'builds resumed');
  const again = await built(sourceOfEvents(4), target, { now: NOW + 240 });
  assert.is(again.outcome, 'published');
  assert.is(again.counts.events, newer.counts.events);
});

test('H14: should list the events that would appear again, and those that would differ, among more than a page of them', async () => {
  const target = temporaryFolder();
  const all = events(1_200);
  const sources = [{ id: 'lag', kind: 'csv', file: 'lag.csv' }];
  const table = 'id,title,start\nx7,Hendelse fra lag,2026-02-08 19:00\n';
  const older = await built(
    sourceOfEvents(0, { 'events.json': all, 'sources.json': sources, 'lag.csv': table }),
    target,
  );
  const hidden = new Set(['e1', 'e1199', 'e640']);
  const left = all
    .filter(({ id }) => !hidden.has(id))
    .map((event) => (event.id === 'e999' ? { ...event, desc_nb: 'Rettet' } : event));
  const newer = await built(sourceOfEvents(0, { 'events.json': left }), target, {
    now: NOW + 60,
    force: true,
  });
  const before = snapshotsIn(target);
  const { code, stdout } = await restored(target, [older.id, '--compare']);
  assert.equal(stdout.split('\n'), [
    'appears again: e1  Hendelse 1  2026-02-02',
    'appears again: e1199  Hendelse 1199  2026-02-24',
    'appears again: e640  Hendelse 640  2026-02-25',
    'differs: e999  Hendelse 999  desc_nb, summary_nb',
    'appears again: lag:x7  Hendelse fra lag  2026-02-08',
    `4 events only in the older snapshot (built at ${older.builtAt}); 1 event with other values in the one that is served (built at ${newer.builtAt}). Nothing was published`,
    '',
  ]);
  assert.is(code, 2);
  const over = await restored(target, [older.id, '--compare'], { now: Date.parse('2026-02-28') / 1_000 });
  assert.is(over.stdout.split('\n').length, 2, over.stdout);
  assert.is((await restored(target, [join(target, newer.file), '--compare'])).code, 0);
  assert.equal([currentIn(target), snapshotsIn(target)], [newer.id, before]);
  await rejects(
    restored(target, ['--compare']),
    'INVALID_SETTING',
    /expected one id or file, with or without/,
  );
});

test('H14, J3: should build the source of a restored snapshot anew, so that no replica keeps the later one', async () => {
  const { target, older, newer } = await twoBuilds();
  await restored(target, [older.id]);
  await restored(target, ['--resume']);
  const again = await built(sourceOfEvents(3), target, { now: NOW + 240 });
  assert.is(again.outcome, 'published');
  assert.is(again.counts.events, older.counts.events);
  assert.ok(again.builtAt > newer.builtAt, again.builtAt);
  assert.is((await built(sourceOfEvents(3), target, { now: NOW + 300 })).outcome, 'unchanged');
});

test('H14: should leave a source unchanged beside a snapshot of the future, which no build is later than', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(4), target, { now: NOW + 86_400 });
  const { id } = await built(sourceOfEvents(3), target);
  const again = await built(sourceOfEvents(3), target, { now: NOW + 60 });
  assert.equal([again.outcome, again.id], ['unchanged', id]);
});

test('H14, J5: should publish the public edition of the restored snapshot for the present moment', async () => {
  const target = temporaryFolder();
  const [first, second] = events(2);
  const embargoed = { ...second, publishingDate: '2026-01-20 08:00' };
  const older = await built(sourceOfEvents(0, { 'events.json': [first, embargoed] }), target, {
    isPublic: true,
  });
  await built(sourceOfEvents(4), target, { now: NOW + 60, isPublic: true });
  const countIn = async () =>
    (await publicRows(await publicPath(target), 'select count(*) as count from event'))[0]?.count;
  assert.is(await countIn(), 4);
  await restored(target, [older.id], { isPublic: true });
  assert.is(await countIn(), 1);
  await restored(target, [older.id], { isPublic: true, now: Date.parse('2026-01-20T12:00:00Z') / 1_000 });
  assert.is(await countIn(), 2);
  await restored(target, [older.id]);
  const { public: edition } = JSON.parse(readFileSync(join(target, 'manifest.json'), 'utf8'));
  assert.is(edition, undefined, 'none where the setting is off');
});

test('H14: should pause builds before it publishes, and resume them if that fails', async () => {
  const { target, older, newer } = await twoBuilds();
  const hold = join(target, '.held');
  const sign = () => {
    assertExists(hold);
    throw new Error('the key cannot be read');
  };
  const outcome = await restored(target, [older.id], { sign }).catch(String);
  assert.match(String(outcome), 'the key cannot be read');
  assertMissing(hold);
  assert.is(currentIn(target), newer.id);
});

test('H14: should neither publish nor pause builds if the disk is full', async () => {
  const { target, older, newer } = await twoBuilds();
  symlinkSync('/dev/full', unfinishedPath(target, '.held'));
  const outcome = await restored(target, [older.id]).catch(String);
  assert.match(String(outcome), 'ENOSPC');
  assertMissing(join(target, '.held'));
  assert.is(currentIn(target), newer.id);
});

test('H14: should put back no file that is damaged, unknown or not named', async () => {
  const { target, older, newer } = await twoBuilds();
  appendFileSync(join(target, older.file), 'x');
  for (const [args, code, message] of [
    [[older.id], 'SNAPSHOT_UNUSABLE', /./],
    [
      ['0123456789abcdef'],
      'INVALID_SETTING',
      new RegExp(`expected an id or the path of a file, found "0123456789abcdef"; there are\n${newer.id} `),
    ],
    [
      ['/nowhere/calendar.sqlite'],
      'INVALID_SETTING',
      /^\/nowhere\/calendar\.sqlite: expected a snapshot, found no file$/,
    ],
    [[older.id, newer.id], 'INVALID_SETTING', /Usage: npm run restore/],
    [['--retry'], 'INVALID_SETTING', /Usage: npm run restore/],
  ] as const) {
    await rejects(restored(target, args), code, message);
    assert.is(currentIn(target), newer.id, `current after restore ${args.join(' ')}`);
  }
  // A refused restore has left no lock: the next build begins.
  const next = await built(sourceOfEvents(5, { 'events.json': events(5) }), target, { now: NOW + 240 });
  assert.is(next.outcome, 'published');
});

test('H14: should list the snapshots with their build times and counts, the latest first', async () => {
  const { target, older, newer } = await twoBuilds();
  const { stdout } = await restored(target, []);
  const [first = '', second = ''] = stdout.split('\n');
  assert.is(first, `${newer.id}  built at ${newer.builtAt}  4 events, 4 dates, 0 venues  served now`);
  assert.is(second, `${older.id}  built at ${older.builtAt}  3 events, 3 dates, 0 venues`);
  assert.match((await restored(temporaryFolder(), [])).stdout, 'there are no snapshots');
});

test('H14: should put back a snapshot of a backup by its path, and nothing else of it', async () => {
  const { target, older } = await twoBuilds();
  const backup = join(temporaryFolder(), older.file);
  copyFileSync(join(target, older.file), backup);
  for (let nth = 1; nth <= 3; nth++) await built(sourceOfEvents(4 + nth), target, { now: NOW + nth * 600 });
  assertMissing(join(target, older.file));
  const { stdout } = await restored(target, [backup]);
  assert.match(stdout, `restored: ${older.id}  built at ${older.builtAt}`);
  assert.is(currentIn(target), older.id);
  assert.equal(unfinishedIn(target), []);
  assertExists(backup);
});

test('H14: should refuse a file of another calendar, and one with another content than its name', async () => {
  const { target, newer } = await twoBuilds();
  const other = temporaryFolder();
  const licence = { ...LICENCE, id: 'bergen' };
  const { file } = await built(sourceOfEvents(3, { 'licence.json': licence }), other);
  await rejects(
    restored(target, [join(other, file)]),
    'INVALID_SETTING',
    /expected a snapshot of "trondheim", as \w+ is, found "bergen"/,
  );
  const misled = join(other, 'misled.sqlite');
  copyFileSync(join(target, newer.file), misled);
  await misleadIndex(misled);
  await rejects(restored(target, [misled, '--compare']), 'SNAPSHOT_UNUSABLE', /misled\.sqlite: /);
  appendFileSync(join(other, file), 'x');
  await rejects(restored(target, [join(other, file)]), 'SNAPSHOT_UNUSABLE', /expected bytes|found/);
  assert.is(currentIn(target), newer.id);
  assert.equal(unfinishedIn(target), []);
});

test('H5: should keep the last file of each of seven days besides the last three, and none on request', async () => {
  const target = temporaryFolder();
  const buildAt = (day: number, hour: number, keepDays: number) =>
    built(sourceOfEvents(3 + day + hour), target, {
      now: NOW + day * 86_400 + hour * 3_600,
      keepDays,
      force: true,
    });
  const assertLeft = (files: number) => {
    const names = snapshotsIn(target);
    assert.is(names.filter((name) => name.endsWith('.sqlite')).length, files, 'snapshots');
    assert.is(names.filter((name) => name.endsWith('.br')).length, 3, 'compressed copies');
  };
  // A build a day for eight days, two on the last of these, then three of the ninth.
  for (let day = 0; day < 8; day++) await buildAt(day, 0, 7);
  await buildAt(7, 3, 7);
  for (const hour of [0, 1, 2]) await buildAt(8, hour, 7);
  assertLeft(3 + 7);
  await buildAt(8, 3, 2);
  assertLeft(3 + 2);
  await buildAt(8, 4, 0);
  assertLeft(3);
});

test('H5: should take the last build of each Norwegian day before the latest', () => {
  const of = (id: string, builtAt: string) => ({ id, builtAt });
  const builds = [
    of('g', '2026-07-10T10:00:00Z'),
    of('f', '2026-07-09T22:30:00Z'),
    of('e', '2026-07-09T21:30:00Z'),
    of('d', '2026-07-09T09:00:00Z'),
    of('c', '2026-07-05T09:00:00Z'),
    of('b', '2026-07-03T09:00:00Z'),
    of('a', '2026-07-02T09:00:00Z'),
  ];
  assert.equal(lastOfDays(builds, 7), ['e', 'c', 'b']);
  assert.equal(lastOfDays(builds, 1), ['e']);
});

test.run();
