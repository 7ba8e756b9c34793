/** G1–G7: whole builds into a folder: published, unchanged, repeated and refused ones. */
import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSnapshotFile } from '../../src/snapshot/folder.ts';
import { textOf } from '../../src/snapshot/reader.ts';
import { openReader } from '../../src/snapshot/sqlite.ts';
import { built, events, invalidEvents, snapshotsIn, sourceOfEvents } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { sourceFolder } from '../helpers/native-source.ts';

const test = suite('build');

/** Compressed copies (J4) are an annex's. */
const isNoCopy = (name: string) => !name.endsWith('.br');

test('G1: should publish the source into a folder that it creates', async () => {
  const target = join(temporaryFolder(), 'data', 'snapshots');
  const result = await built(sourceOfEvents(5), target);
  assert.is(result.outcome, 'published');
  assert.equal(snapshotsIn(target).filter(isNoCopy), [result.file, 'manifest.json']);
  const snapshot = await openSnapshotFile(join(target, result.file));
  assert.is(snapshot.meta.builtAt, '2026-01-01T12:00:00Z');
  assert.is(snapshot.meta.horizonDay, '2027-07-01');
  assert.equal(snapshot.ordinalsByTitle('Hendelse 3', 'nb'), [3]);
  await snapshot.close();
});

test('G2: should keep its report in the snapshot, without timings', async () => {
  const target = temporaryFolder();
  const { file } = await built(sourceFolder({ 'events.json': [...events(4), ...invalidEvents(1)] }), target);
  const reader = await openReader(join(target, file));
  const [text = ''] = await reader.all(`select value from meta where key = 'report'`, [], (row) =>
    textOf(row, 'value'),
  );
  await reader.close();
  const report = JSON.parse(text);
  assert.is(report.lists.events.dropped, 1);
  assert.is(report.findings[0].id, 'bad0');
  assert.is(report.timings, undefined);
});

test('G5: should give the same bytes for the same source, moment and ledger', async () => {
  const bad = [...events(40), { id: 'bad' }];
  const lists = [bad, [{ ...events(1)[0], id: 'new' }, ...bad]];
  const targets = [temporaryFolder(), temporaryFolder()];
  for (const [day, list] of lists.entries()) {
    const source = sourceFolder({ 'events.json': list });
    const files: Buffer[] = [];
    for (const target of targets) {
      const { file } = await built(source, target, { now: NOW + 86_400 * day });
      files.push(readFileSync(join(target, file)));
    }
    assert.equal(files[0], files[1]);
  }
});

test('G7: should publish nothing when source and horizon day are the same', async () => {
  const [source, target] = [sourceOfEvents(3), temporaryFolder()];
  const first = await built(source, target);
  const manifest = readFileSync(join(target, 'manifest.json'), 'utf8');
  const again = await built(source, target, { now: NOW + 3600 });
  assert.is(again.outcome, 'unchanged');
  assert.is(again.id, first.id);
  assert.is(readFileSync(join(target, 'manifest.json'), 'utf8'), manifest);
});

test('G7: should build again on the next Norwegian day, for the horizon', async () => {
  const [source, target] = [sourceOfEvents(3), temporaryFolder()];
  await built(source, target);
  // 23:00 in UTC is midnight in Norway.
  const untilMidnight = 11 * 3600;
  assert.is((await built(source, target, { now: NOW + untilMidnight - 1 })).outcome, 'unchanged');
  assert.is((await built(source, target, { now: NOW + untilMidnight })).outcome, 'published');
});

interface Damage {
  readonly what: string;
  readonly damage: (target: string, file: string) => void;
  /** Whether the next build warns of it. */
  readonly isWarned: boolean;
}

const DAMAGES: readonly Damage[] = [
  {
    what: 'a truncated file',
    damage: (target, file) => truncateSync(join(target, file), 4096),
    isWarned: true,
  },
  { what: 'a missing file', damage: (target, file) => rmSync(join(target, file)), isWarned: true },
  {
    what: 'a truncated manifest',
    damage: (target) => truncateSync(join(target, 'manifest.json'), 20),
    isWarned: true,
  },
  {
    what: 'no manifest',
    damage: (target) => rmSync(join(target, 'manifest.json')),
    isWarned: false,
  },
];

for (const { what, damage, isWarned } of DAMAGES) {
  test(`G7: should build again over a snapshot with ${what}`, async () => {
    const source = sourceOfEvents(3);
    const target = temporaryFolder();
    const first = await built(source, target);
    damage(target, first.file);
    const again = await built(source, target, { force: true });
    assert.equal([again.outcome, again.id], ['published', first.id]);
    assert.is(again.warnings.length > 0, isWarned, again.warnings.join());
    assert.is((await built(source, target)).outcome, 'unchanged', 'the build after that');
  });
}

test('G7: should build with a clock that was set back, and warn', async () => {
  const target = temporaryFolder();
  await built(sourceOfEvents(3), target);
  const { outcome, warnings } = await built(sourceOfEvents(4), target, { now: NOW - 86_400 });
  assert.is(outcome, 'published');
  assert.match(warnings.join(), /built at 2026-01-01T12:00:00Z, later than now \(2025-12-31T12:00:00.000Z\)/);
});

test('G3: should not publish a calendar without events, even with --force', async () => {
  const target = temporaryFolder();
  const source = sourceFolder({ 'events.json': invalidEvents(3) });
  await rejects(built(source, target, { force: true }), 'BUILD_REFUSED', /at least one valid event/);
  assert.equal(snapshotsIn(target), []);
});

test('G6: should let the second of two simultaneous builds wait, and publish nothing', async () => {
  const [source, target] = [sourceOfEvents(30), temporaryFolder()];
  const outcomes = await Promise.all([
    built(source, target, { wait: 30 }),
    built(source, target, { wait: 30 }),
  ]);
  assert.equal(outcomes.map(({ outcome }) => outcome).sort(), ['published', 'unchanged']);
});

test('G1: should refuse a file as the target, and ask for a folder', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  await rejects(built(sourceOfEvents(1), path), 'BUILD_REFUSED', /file: EEXIST.*: name a folder/);
  await rejects(built(sourceOfEvents(1), join(path, 'under')), 'BUILD_REFUSED', /ENOTDIR.*: name a folder/);
});

test.run();
