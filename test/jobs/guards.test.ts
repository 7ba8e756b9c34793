/** G3, G4: guards: builds that would remove much of a calendar are refused, unless forced. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built, events, invalidEvents, snapshotsIn, unfinishedIn } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../helpers/native-source.ts';

const guards = suite('guards');
const DAY = 86_400;

const BASE = {
  'venues.json': [{ id: 'hall', name: 'Salen' }],
  'organizers.json': ['a', 'b'].map((id) => ({ id, name: id })),
};

/** A source of these events. */
const sourceOf = (records: readonly object[]): Files => ({ 'events.json': records });

/** A source of eight events. The first three, or so many, also have these fields. */
const eightEvents = (fields: object, count = 3) =>
  sourceOf(events(8).map((event, at) => (at < count ? { ...event, ...fields } : event)));

const GONE = /at most half of the upcoming events of calendar-[0-9a-f]+\.sqlite to be gone, found 12 of 20: /;
const TOO_MANY_EVENTS = /at most a quarter of the events to be rejected, found 7 of 27: /;
const TOO_MANY_RECORDS = /at most a quarter of the records to be rejected, found 8 of 29: /;
const LOST = /to lose a category, venue or organizer, found 3 of 8, most often /;
const LOST_MUSIC =
  /to lose a category, venue or organizer, found 10 of 10, most often category "MUSIC" \(10\): /;

const MISTYPED = { ...LICENCE, categories: [{ id: 'MUSCI', name_nb: 'Musikk', name_en: 'Music' }] };
const WITHOUT_ART = {
  ...LICENCE,
  categories: LICENCE.categories.slice(0, 1),
  retiredCategories: { ART: [] },
};
const IN_MUSIC_AND_ART = eightEvents({ categories: ['MUSIC', 'ART'] });

/** The sources of a first build, and of a second one. */
interface TwoBuilds {
  readonly before: Files;
  readonly now: Files;
}

const REFUSED: Readonly<Record<string, TwoBuilds & { readonly refusal: RegExp }>> = {
  'G3: too many invalid events': {
    before: sourceOf(events(20)),
    now: sourceOf([...events(20), ...invalidEvents(7)]),
    refusal: TOO_MANY_EVENTS,
  },
  'G3: too many invalid records': {
    before: sourceOf(events(19)),
    now: { ...sourceOf(events(19)), 'venues.json': [{}, {}, {}, {}, {}, {}, {}, {}] },
    refusal: TOO_MANY_RECORDS,
  },
  'G3: more than half of the events gone': {
    before: sourceOf(events(20)),
    now: sourceOf(events(8)),
    refusal: GONE,
  },
  'G4: a mistyped category': {
    before: sourceOf(events(10)),
    now: { ...sourceOf(events(10)), 'licence.json': MISTYPED },
    refusal: LOST_MUSIC,
  },
  'G4: a venue that is no longer there': {
    before: eightEvents({ venue: 'hall' }),
    now: { ...eightEvents({ venue: 'hall' }), 'venues.json': [] },
    refusal: LOST,
  },
  'G4: one of two organizers lost': {
    before: eightEvents({ organizers: ['a', 'b'] }),
    now: eightEvents({ organizers: ['a', 'c'] }),
    refusal: LOST,
  },
  'G4: a subcategory lost, but not its parent': {
    before: eightEvents({ categories: ['MUSIC', 'JAZZ'] }),
    now: eightEvents({ categories: ['MUSIC'] }),
    refusal: LOST,
  },
  'G4: a subcategory lost to its parent': {
    before: eightEvents({ categories: ['JAZZ'] }),
    now: eightEvents({ categories: ['MUSIC'] }),
    refusal: LOST,
  },
};

for (const [what, { before, now, refusal }] of Object.entries(REFUSED)) {
  guards(`${what} should stop the build, unless forced`, async () => {
    const target = temporaryFolder();
    await built(sourceFolder({ ...BASE, ...before }), target);
    const published = snapshotsIn(target);
    const next = sourceFolder({ ...BASE, ...now });
    const { message } = await rejects(built(next, target, { now: NOW + 60 }), 'BUILD_REFUSED', refusal);
    assert.match(message, 'if this is intended, build again with --force');
    assert.equal(snapshotsIn(target), published);
    assert.equal(unfinishedIn(target), []);
    const { outcome } = await built(next, target, { now: NOW + 120, force: true });
    assert.is(outcome, 'published');
  });
}

const PUBLISHED: Readonly<Record<string, TwoBuilds>> = {
  'G3: a quarter of invalid events': {
    before: sourceOf(events(15)),
    now: sourceOf([...events(15), ...invalidEvents(5)]),
  },
  'G3: one invalid event of two': {
    before: sourceOf(events(1)),
    now: sourceOf([...events(1), ...invalidEvents(1)]),
  },
  'G3: most of 16 events, and of 19 records, invalid': {
    before: sourceOf(events(1)),
    now: sourceOf([...events(1), ...invalidEvents(15)]),
  },
  'G3: half of the events gone': {
    before: sourceOf(events(20)),
    now: sourceOf(events(10)),
  },
  'G3: most of 19 events gone': {
    before: sourceOf(events(19)),
    now: sourceOf(events(1)),
  },
  'G4: a venue lost by a quarter': {
    before: eightEvents({ venue: 'hall' }, 2),
    now: eightEvents({}),
  },
  'G4: another organizer': {
    before: eightEvents({ organizers: ['a'] }),
    now: eightEvents({ organizers: ['b'] }),
  },
  'G4: another category': {
    before: eightEvents({ categories: ['MUSIC'] }),
    now: eightEvents({ categories: ['ART'] }),
  },
  'G4: a category that is retired': {
    before: IN_MUSIC_AND_ART,
    now: { ...IN_MUSIC_AND_ART, 'licence.json': WITHOUT_ART },
  },
};

for (const [what, { before, now }] of Object.entries(PUBLISHED)) {
  guards(`${what} should not stop the build`, async () => {
    const target = temporaryFolder();
    await built(sourceFolder({ ...BASE, ...before }), target);
    const next = sourceFolder({ ...BASE, ...now });
    const { outcome } = await built(next, target, { now: NOW + 120 });
    assert.is(outcome, 'published');
  });
}

guards('G3: should end a refusal with the first finding', async () => {
  const bad = { id: 'concert', title_nb: 'Konsert', startDate: '2026-02-01 19:00' };
  const expected = 'dropped record, expected at least one valid date or repeat';
  const found = 'found nothing; "startDate" is not a field of an event: write dates: [{ start, end }]';
  const finding = `. First finding: events.json:1 "concert" dates: ${expected}, ${found}`;
  for (const records of [[bad], [bad, ...events(20), ...invalidEvents(7)]]) {
    const refused = await rejects(
      built(sourceFolder(sourceOf(records)), temporaryFolder()),
      'BUILD_REFUSED',
      /./,
    );
    assert.ok(refused.message.endsWith(finding), refused.message);
  }
});

guards('G4: should publish once a misspelled category is corrected', async () => {
  const target = temporaryFolder();
  await built(sourceFolder({ ...sourceOf(events(10)), 'licence.json': MISTYPED }), target);
  assert.is(
    (await built(sourceFolder(sourceOf(events(10))), target, { now: NOW + 60 })).outcome,
    'published',
  );
});

guards('G3: should not count events that are over by now as gone', async () => {
  const target = temporaryFolder();
  await built(sourceFolder(sourceOf(events(10))), target);
  const march = sourceOf([{ id: 'new', title_nb: 'Ny', dates: [{ start: '2026-03-20 19:00' }] }]);
  assert.is((await built(sourceFolder(march), target, { now: NOW + 60 * DAY })).outcome, 'published');
});

guards.run();
