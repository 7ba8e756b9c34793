/** G3, G4: a build that would take away most of a calendar stops. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built, events, invalid, snapshotsIn, sourceOf, unfinishedIn } from '../../helpers/build.ts';
import { NOW } from '../../helpers/calendar.ts';
import { rejects } from '../../helpers/errors.ts';
import { temporaryFolder } from '../../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../../helpers/native-source.ts';

const stopping = suite('guards');
const DAY = 86_400;

/** Sources that stop a build, and what is said. None of them may change the folder. */
const STOPPED: Readonly<Record<string, readonly [files: Files, finding: RegExp]>> = {
  'with too many invalid events': [
    { 'events.json': [...events(11), ...invalid(4)] },
    /at most a quarter of the events to be rejected, found 4 of 15: .*--force/,
  ],
  'with too many invalid records': [
    { 'events.json': events(11), 'venues.json': [{}, {}, {}, {}] },
    /at most a quarter of the records to be rejected, found 4 of 15: .*--force/,
  ],
  'that lost more than half of its events': [
    { 'events.json': events(4) },
    /at most half of the upcoming events of calendar-[0-9a-f]+\.sqlite to be gone, found 6 of 10: .*--force/,
  ],
};

for (const [what, [files, finding]] of Object.entries(STOPPED)) {
  stopping(`G3: should stop at a source ${what}, and leave the snapshot as it is`, async () => {
    const target = temporaryFolder();
    await built(sourceOf(10), target);
    const before = snapshotsIn(target);
    await rejects(built(sourceOf(10, files), target, { now: NOW + 60 }), 'BUILD_REFUSED', finding);
    assert.equal(snapshotsIn(target), before);
    assert.equal(unfinishedIn(target), []);
  });
}

stopping('G3: should publish what was refused when it is forced', async () => {
  for (const records of [[...events(10), ...invalid(9)], events(1)]) {
    const target = temporaryFolder();
    await built(sourceOf(10), target);
    const source = sourceFolder({ 'events.json': records });
    await rejects(built(source, target), 'BUILD_REFUSED');
    assert.is((await built(source, target, { force: true })).outcome, 'published');
  }
});

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

stopping('G4: should stop at a mistyped category that many events carry, until mended', async () => {
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
});

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

const withOwn = (own: object, count: number) =>
  events(8).map((event, at) => (at < count ? { ...event, ...own } : event));

for (const [what, [before, now, files, isLost]] of Object.entries(LOSSES)) {
  const stops = isLost ? 'stop' : 'go on';
  stopping(`G4: should ${stops} when more than a quarter of the events lose ${what}`, async () => {
    const target = temporaryFolder();
    await built(sourceFolder({ ...PLACES, 'events.json': withOwn(before, 3) }), target);
    const next = sourceFolder({ ...PLACES, ...files, 'events.json': withOwn(now, 3) });
    const building = built(next, target, { now: NOW + 60 });
    if (isLost) await rejects(building, 'BUILD_REFUSED', /found 3 of 8, most often/);
    else assert.is((await building).outcome, 'published');
  });
}

stopping('G4: should let exactly a quarter of the events lose a reference', async () => {
  const target = temporaryFolder();
  await built(sourceFolder({ ...PLACES, 'events.json': withOwn({ venue: 'hall' }, 2) }), target);
  const next = sourceFolder({ ...PLACES, 'events.json': events(8) });
  assert.is((await built(next, target, { now: NOW + 60 })).outcome, 'published');
});

stopping.run();
