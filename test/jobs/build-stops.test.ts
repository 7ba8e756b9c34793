import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withLock } from '../../jobs/lock.ts';
import type { ErrorCode } from '../../src/calendar/errors.ts';
import { built, events, invalid, snapshotsIn, sourceOf, unfinishedIn } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../helpers/native-source.ts';

const stopping = suite('build stops');
const DAY = 86_400;

/** Sources that stop a build, and what is said. None of them may change the folder. */
const STOPPED: Readonly<Record<string, readonly [files: Files, code: ErrorCode, finding: RegExp]>> = {
  'without a licence': [{ 'licence.json': undefined }, 'INVALID_SOURCE', /licence\.json/],
  'without events': [{ 'events.json': undefined }, 'INVALID_SOURCE', /events\.json or events\.ndjson/],
  'whose events are cut short': [{ 'events.json': '[{"id":"e1"' }, 'INVALID_SOURCE', /events\.json/],
  'whose licence is no JSON': [{ 'licence.json': '{' }, 'INVALID_SOURCE', /licence\.json/],
  'with no event at all': [
    { 'events.json': [] },
    'BUILD_REFUSED',
    /at least one valid event, found none among 0/,
  ],
  'with no valid event': [
    { 'events.json': invalid(3) },
    'BUILD_REFUSED',
    /at least one valid event, found none among 3/,
  ],
  'with too many invalid events': [
    { 'events.json': [...events(11), ...invalid(4)] },
    'BUILD_REFUSED',
    /at most a quarter of the events to be rejected, found 4 of 15: .*--force/,
  ],
  'with too many invalid records': [
    { 'events.json': events(11), 'venues.json': [{}, {}, {}, {}] },
    'BUILD_REFUSED',
    /at most a quarter of the records to be rejected, found 4 of 15: .*--force/,
  ],
  'that lost more than half of its events': [
    { 'events.json': events(4) },
    'BUILD_REFUSED',
    /at most half of the upcoming events of calendar-[0-9a-f]+\.sqlite to be gone, found 6 of 10: .*--force/,
  ],
  'that brings back a retired category': [
    {
      'events.json': events(10),
      'licence.json': {
        ...LICENCE,
        categories: [...LICENCE.categories, { ...LICENCE.categories[1], id: 'OLD' }],
      },
    },
    'BUILD_REFUSED',
    /expected no id that an earlier snapshot has retired, found "OLD"/,
  ],
};

for (const [what, [files, code, finding]] of Object.entries(STOPPED)) {
  stopping(`G3: should stop at a source ${what}, and leave the snapshot as it is`, async () => {
    const target = temporaryFolder();
    const licence = { ...LICENCE, retiredCategories: { OLD: ['MUSIC'] } };
    await built(sourceOf(10, { 'licence.json': licence }), target);
    const before = snapshotsIn(target);
    const manifest = readFileSync(join(target, 'manifest.json'), 'utf8');
    await rejects(built(sourceOf(10, files), target, { now: NOW + 60 }), code, finding);
    assert.equal(snapshotsIn(target), before);
    assert.is(readFileSync(join(target, 'manifest.json'), 'utf8'), manifest);
    assert.equal(unfinishedIn(target), []);
  });
}

const FORCED: Readonly<Record<string, Files>> = {
  'many invalid records': { 'events.json': [...events(10), ...invalid(9)] },
  'many events that are gone': { 'events.json': events(1) },
};

for (const [what, files] of Object.entries(FORCED)) {
  stopping(`G3: should publish ${what} when forced`, async () => {
    const target = temporaryFolder();
    await built(sourceOf(10), target);
    const source = sourceFolder(files);
    await rejects(built(source, target), 'BUILD_REFUSED');
    assert.is((await built(source, target, { force: true })).outcome, 'published');
  });
}

stopping('G3: should let exactly half of the events go, and exactly a quarter be rejected', async () => {
  const target = temporaryFolder();
  await built(sourceOf(10), target);
  assert.is((await built(sourceOf(5), target)).outcome, 'published');
  const source = sourceFolder({ 'events.json': [...events(6), ...invalid(2)] });
  assert.is((await built(source, target)).outcome, 'published');
});

stopping('G3: should not count events that are over by now as gone', async () => {
  const target = temporaryFolder();
  await built(sourceOf(10), target);
  const march = [{ id: 'new', title_nb: 'Ny', dates: [{ start: '2026-03-20 19:00' }] }];
  const result = await built(sourceFolder({ 'events.json': march }), target, { now: NOW + 60 * DAY });
  assert.is(result.outcome, 'published');
});

const MISTYPED = { ...LICENCE, categories: [{ id: 'MUSCI', name_nb: 'Musikk', name_en: 'Music' }] };

stopping(
  'G4: should stop at a mistyped category id that many events carry, and go on when it is mended',
  async () => {
    const target = temporaryFolder();
    await built(sourceOf(10), target);
    const mistyped = sourceOf(10, { 'licence.json': MISTYPED });
    await rejects(
      built(mistyped, target, { now: NOW + 60 }),
      'BUILD_REFUSED',
      /at most a quarter of the upcoming events of calendar-\w+\.sqlite to lose a category, venue or organizer, found 10 of 10, most often category "MUSIC" \(10\): .*--force/,
    );
    assert.is((await built(mistyped, target, { now: NOW + 120, force: true })).outcome, 'published');
    assert.is((await built(sourceOf(10), target, { now: NOW + 180 })).outcome, 'published');
  },
);

/** Of eight events, what the first three have, then and now, and whether that many lose a reference. */
const LOSSES: Readonly<
  Record<string, readonly [before: object, now: object, files: Files, isLost: boolean]>
> = {
  'its venue': [{ venue: 'hall' }, { venue: 'hall' }, { 'venues.json': [] }, true],
  'one of two organizers': [{ organizers: ['a', 'b'] }, { organizers: ['a', 'c'] }, {}, true],
  'a subcategory, but not its parent': [
    { categories: ['MUSIC', 'JAZZ'] },
    { categories: ['MUSIC'] },
    {},
    true,
  ],
  'a category for another one': [{ categories: ['MUSIC'] }, { categories: ['ART'] }, {}, false],
  'a subcategory for its parent': [{ categories: ['JAZZ'] }, { categories: ['MUSIC'] }, {}, true],
  'a category that is retired': [
    { categories: ['MUSIC', 'ART'] },
    { categories: ['MUSIC', 'ART'] },
    {
      'licence.json': {
        ...LICENCE,
        categories: LICENCE.categories.slice(0, 1),
        retiredCategories: { ART: [] },
      },
    },
    false,
  ],
  'an organizer for another one': [{ organizers: ['a'] }, { organizers: ['b'] }, {}, false],
};
const PLACES = {
  'venues.json': [{ id: 'hall', name: 'Salen' }],
  'organizers.json': ['a', 'b'].map((id) => ({ id, name: id })),
};

for (const [what, [before, now, files, isLost]] of Object.entries(LOSSES)) {
  stopping(
    `G4: should ${isLost ? 'stop when' : 'go on when'} more than a quarter of the events lose ${what}`,
    async () => {
      const target = temporaryFolder();
      const with3 = (own: object, count = 3) =>
        events(8).map((event, at) => (at < count ? { ...event, ...own } : event));
      await built(sourceFolder({ ...PLACES, 'events.json': with3(before) }), target);
      const next = sourceFolder({ ...PLACES, ...files, 'events.json': with3(now) });
      const building = built(next, target, { now: NOW + 60 });
      if (isLost) await rejects(building, 'BUILD_REFUSED', /found 3 of 8, most often/);
      else assert.is((await building).outcome, 'published');
    },
  );
}

stopping('G4: should let exactly a quarter of the events lose a reference', async () => {
  const target = temporaryFolder();
  const at = (count: number) =>
    events(8).map((event, place) => (place < count ? { ...event, venue: 'hall' } : event));
  await built(sourceFolder({ ...PLACES, 'events.json': at(2) }), target);
  const { outcome } = await built(sourceFolder({ ...PLACES, 'events.json': at(0) }), target, {
    now: NOW + 60,
  });
  assert.is(outcome, 'published');
});

stopping('G3: MUST NOT publish a calendar of nothing, even when forced', async () => {
  const target = temporaryFolder();
  const source = sourceFolder({ 'events.json': invalid(3) });
  await rejects(built(source, target, { force: true }), 'BUILD_REFUSED', /at least one valid event/);
  assert.equal(snapshotsIn(target), []);
});

stopping('G4: should know retired ids from an older snapshot when the current one is unusable', async () => {
  const target = temporaryFolder();
  const retired = { ...LICENCE, retiredCategories: { OLD: ['MUSIC'] } };
  await built(sourceOf(4, { 'licence.json': retired }), target);
  const { file } = await built(sourceOf(5), target, { now: NOW + 60 });
  truncateSync(join(target, file), 4096);
  const back = {
    ...LICENCE,
    categories: [...LICENCE.categories, { id: 'OLD', name_nb: 'Gml', name_en: 'Old' }],
  };
  await rejects(
    built(sourceOf(5, { 'licence.json': back }), target),
    'BUILD_REFUSED',
    /retired, found "OLD"/,
  );
});

stopping('should stop when the source changes while it is read', async () => {
  for (const name of ['events.json', 'licence.json']) {
    const [source, target] = [sourceOf(50), temporaryFolder()];
    let told = false;
    const change = () => {
      if (!told) appendFileSync(join(source, name), ' ');
      told = true;
    };
    const progress = { start: () => {}, bytes: change, record: () => {}, end: () => {} };
    await rejects(built(source, target, { progress }), 'INVALID_SOURCE', /chang/);
    assert.ok(told);
    assert.equal(snapshotsIn(target), []);
  }
});

stopping('G6: should refuse to build where another build is at work', async () => {
  const [source, target] = [sourceOf(3), temporaryFolder()];
  await withLock(target, async () => {
    await rejects(built(source, target), 'BUILD_LOCKED', /a build is at work there/);
  });
  assert.is((await built(source, target)).outcome, 'published');
});

stopping('G6: should let the second of two builds at once wait, and find nothing to do', async () => {
  const [source, target] = [sourceOf(30), temporaryFolder()];
  const outcomes = await Promise.all([
    built(source, target, { wait: 30 }),
    built(source, target, { wait: 30 }),
  ]);
  assert.equal(outcomes.map(({ outcome }) => outcome).sort(), ['published', 'unchanged']);
});

stopping('should say what to do about a target that is a file', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  await rejects(built(sourceOf(1), path), 'BUILD_REFUSED', /file: EEXIST.*: name a folder/);
  await rejects(built(sourceOf(1), join(path, 'under')), 'BUILD_REFUSED', /ENOTDIR.*: name a folder/);
});

stopping.run();
