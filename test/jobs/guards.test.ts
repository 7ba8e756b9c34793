/** G3, G4: guards: builds that would remove much of a calendar are refused, unless forced. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { built, events, invalidEvents, snapshotsIn, unfinishedIn } from '../helpers/build.ts';
import { NOW } from '../helpers/calendar.ts';
import { rejects } from '../helpers/errors.ts';
import { temporaryFolder } from '../helpers/folder.ts';
import { type Files, LICENCE, sourceFolder } from '../helpers/native-source.ts';

const stopping = suite('guards');
const DAY = 86_400;

const BASE = {
  'venues.json': [{ id: 'hall', name: 'Salen' }],
  'organizers.json': ['a', 'b'].map((id) => ({ id, name: id })),
};
const of = (records: readonly object[]): Files => ({ 'events.json': records });

/** Eight events; the first `count` also have `own`. */
const eight = (own: object, count = 3) =>
  of(events(8).map((event, at) => (at < count ? { ...event, ...own } : event)));

const GONE = /at most half of the upcoming events of calendar-[0-9a-f]+\.sqlite to be gone, found 12 of 20: /;
const REJECTED = /at most a quarter of the events to be rejected, found 7 of 27: /;
const RECORDS = /at most a quarter of the records to be rejected, found 8 of 29: /;
const LOST = /to lose a category, venue or organizer, found 3 of 8, most often /;
const MUSIC = /to lose a category, venue or organizer, found 10 of 10, most often category "MUSIC" \(10\): /;

const MISTYPED = { ...LICENCE, categories: [{ id: 'MUSCI', name_nb: 'Musikk', name_en: 'Music' }] };
const WITHOUT_ART = {
  ...LICENCE,
  categories: LICENCE.categories.slice(0, 1),
  retiredCategories: { ART: [] },
};
const BOTH = { categories: ['MUSIC', 'ART'] };

interface TwoBuilds {
  readonly before: Files;
  readonly now: Files;
  readonly refusal: RegExp | null;
}

/** A first build, a second one, and the refusal of the second; null where it is published. */
const CASES: Readonly<Record<string, TwoBuilds>> = {
  'G3: too many invalid events': {
    before: of(events(20)),
    now: of([...events(20), ...invalidEvents(7)]),
    refusal: REJECTED,
  },
  'G3: too many invalid records': {
    before: of(events(19)),
    now: { ...of(events(19)), 'venues.json': [{}, {}, {}, {}, {}, {}, {}, {}] },
    refusal: RECORDS,
  },
  'G3: a quarter of invalid events': {
    before: of(events(15)),
    now: of([...events(15), ...invalidEvents(5)]),
    refusal: null,
  },
  'G3: one invalid event of two': {
    before: of(events(1)),
    now: of([...events(1), ...invalidEvents(1)]),
    refusal: null,
  },
  'G3: most of 16 events, and of 19 records, invalid': {
    before: of(events(1)),
    now: of([...events(1), ...invalidEvents(15)]),
    refusal: null,
  },
  'G3: more than half of the events gone': { before: of(events(20)), now: of(events(8)), refusal: GONE },
  'G3: half of the events gone': { before: of(events(20)), now: of(events(10)), refusal: null },
  'G3: most of 19 events gone': { before: of(events(19)), now: of(events(1)), refusal: null },
  'G4: a mistyped category': {
    before: of(events(10)),
    now: { ...of(events(10)), 'licence.json': MISTYPED },
    refusal: MUSIC,
  },
  'G4: its venue lost': {
    before: eight({ venue: 'hall' }),
    now: { ...eight({ venue: 'hall' }), 'venues.json': [] },
    refusal: LOST,
  },
  'G4: a venue lost by a quarter': { before: eight({ venue: 'hall' }, 2), now: eight({}), refusal: null },
  'G4: one of two organizers lost': {
    before: eight({ organizers: ['a', 'b'] }),
    now: eight({ organizers: ['a', 'c'] }),
    refusal: LOST,
  },
  'G4: another organizer': {
    before: eight({ organizers: ['a'] }),
    now: eight({ organizers: ['b'] }),
    refusal: null,
  },
  'G4: a subcategory lost, but not its parent': {
    before: eight({ categories: ['MUSIC', 'JAZZ'] }),
    now: eight({ categories: ['MUSIC'] }),
    refusal: LOST,
  },
  'G4: a subcategory lost to its parent': {
    before: eight({ categories: ['JAZZ'] }),
    now: eight({ categories: ['MUSIC'] }),
    refusal: LOST,
  },
  'G4: another category': {
    before: eight({ categories: ['MUSIC'] }),
    now: eight({ categories: ['ART'] }),
    refusal: null,
  },
  'G4: a category that is retired': {
    before: eight(BOTH),
    now: { ...eight(BOTH), 'licence.json': WITHOUT_ART },
    refusal: null,
  },
};

for (const [what, { before, now, refusal }] of Object.entries(CASES)) {
  stopping(
    `${what} should ${refusal === null ? 'be published' : 'stop the build, unless forced'}`,
    async () => {
      const target = temporaryFolder();
      await built(sourceFolder({ ...BASE, ...before }), target);
      const next = sourceFolder({ ...BASE, ...now });
      if (refusal !== null) {
        const there = snapshotsIn(target);
        const { message } = await rejects(built(next, target, { now: NOW + 60 }), 'BUILD_REFUSED', refusal);
        assert.match(message, 'if this is intended, build again with --force');
        assert.equal([snapshotsIn(target), unfinishedIn(target)], [there, []]);
      }
      const { outcome } = await built(next, target, { now: NOW + 120, force: refusal !== null });
      assert.is(outcome, 'published');
    },
  );
}

stopping('G3: should end a refusal with the first finding', async () => {
  const bad = { id: 'concert', title_nb: 'Konsert', startDate: '2026-02-01 19:00' };
  const expected = 'dropped record, expected at least one valid date or repeat';
  const found = 'found nothing; "startDate" is not a field of an event: write dates: [{ start, end }]';
  const finding = `. First finding: events.json:1 "concert" dates: ${expected}, ${found}`;
  for (const records of [[bad], [bad, ...events(20), ...invalidEvents(7)]]) {
    const refused = await rejects(built(sourceFolder(of(records)), temporaryFolder()), 'BUILD_REFUSED', /./);
    assert.ok(refused.message.endsWith(finding), refused.message);
  }
});

stopping('G4: should publish once a misspelled category is corrected', async () => {
  const target = temporaryFolder();
  await built(sourceFolder({ ...of(events(10)), 'licence.json': MISTYPED }), target);
  assert.is((await built(sourceFolder(of(events(10))), target, { now: NOW + 60 })).outcome, 'published');
});

stopping('G3: should not count events that are over by now as gone', async () => {
  const target = temporaryFolder();
  await built(sourceFolder(of(events(10))), target);
  const march = of([{ id: 'new', title_nb: 'Ny', dates: [{ start: '2026-03-20 19:00' }] }]);
  assert.is((await built(sourceFolder(march), target, { now: NOW + 60 * DAY })).outcome, 'published');
});

stopping.run();
