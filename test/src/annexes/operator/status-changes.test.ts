/** G10: the changes of a build in its report, in its JSON, and on `/status`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runRebuild } from '../../../../jobs/commands/rebuild.ts';
import { createReport } from '../../../../jobs/report/report.ts';
import { changesIn } from '../../../../src/annexes/operator/build-sections.ts';
import { publicAsBuilt } from '../../../../src/annexes/operator/reports.ts';
import { wordsIn } from '../../../../src/annexes/operator/status-parts.ts';
import { annexSteps } from '../../../helpers/annex.ts';
import { assertIncludes } from '../../../helpers/assertions.ts';
import { built } from '../../../helpers/build.ts';
import { BUILD_SETTINGS } from '../../../helpers/build-choices.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { closedAfterEach } from '../../../helpers/closing.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Files, sourceFolder } from '../../../helpers/native-source.ts';
import { startServer } from '../../../helpers/running.ts';

/** `snapshots`: a folder after THREE_BUILDS. */
const test = suite<{ snapshots: string }>('changes of builds');
const opened = closedAfterEach(test);
const DAY = 86_400;
const dates = [{ start: '2026-06-01 20:00', duration: 60, venue: 'v' }];
const event = (id: string, more: object = {}) => ({
  id,
  title_nb: `Tittel ${id}`,
  categories: ['ART'],
  dates,
  ...more,
});
const source = (events: readonly object[], venue = 'Sal', more: Files = {}) =>
  sourceFolder({ 'venues.json': [{ id: 'v', name: venue }], 'events.json': events, ...more });

const FIRST = source([event('a'), event('b'), event('c')]);
const SECOND = source([event('a', { title_nb: 'Ny <b>tittel</b>', desc_nb: 'Mer' }), event('c'), event('d')]);

/** Runs the command `rebuild` on a day of January, and gives its output. */
async function rebuild(
  folder: string,
  target: string,
  day: number,
  ...args: readonly string[]
): Promise<string> {
  let output = '';
  const stdout = (text: string) => {
    output += text;
  };
  const now = `2026-01-0${day}T12:00:00Z`;
  const steps = await annexSteps();
  const defaults = { ...BUILD_SETTINGS, source: '', target: '', horizonMonths: 18, ...steps };
  await runRebuild(['--source', folder, '--target', target, '--now', now, '--force', ...args], {
    defaults,
    now: NOW,
    clock: Date.now,
    stdout,
    stderr: () => true,
  });
  return output;
}

test('G10: should report no changes of a first build, which adds all events', async () => {
  const { isFirst, changes, report } = JSON.parse(await rebuild(FIRST, temporaryFolder(), 1, '--json'));
  assert.is(isFirst, true);
  assert.is(changes.added, 3);
  assert.is(report.changes, null);
});

test('G10: should list added, removed, changed and renamed events in the output of a build', async () => {
  const target = temporaryFolder();
  await rebuild(FIRST, target, 1);
  const output = await rebuild(SECOND, target, 2);
  for (const line of [
    'since the last build: 1 added, 1 removed, 1 changed (1 renamed)',
    '  added "d" Tittel d',
    '  removed "b" Tittel b',
    '  changed "a" Ny tittel: desc_nb, summary_nb, title_nb',
    '  renamed "a" Ny tittel, before: Tittel a',
  ])
    assertIncludes(output.split('\n'), line);
});

test('G10: should list changed and removed events in the JSON of a build', async () => {
  const target = temporaryFolder();
  await rebuild(SECOND, target, 1);
  const last = source([event('a')], 'Ny sal');
  const { changes, report } = JSON.parse(await rebuild(last, target, 2, '--json'));
  assert.equal(changes, { added: 0, changed: 1, removed: 2, renamed: 1 });
  const { changed, removed } = report.changes.lists;
  assert.equal(changed, [
    { id: 'a', title: 'Tittel a', fields: ['desc_nb', 'summary_nb', 'title_nb', 'venue'] },
  ]);
  const removedIds = removed.map(({ id }: { readonly id: string }) => id);
  assert.equal(removedIds, ['c', 'd']);
});

test('G10: should count no change for events that are over and for new dates of rules', async () => {
  const target = temporaryFolder();
  const festival = { id: 'f', title_nb: 'Festival', isSuperEvent: true };
  const records = [
    event('past', { dates: [{ start: '2026-01-02 20:00', duration: 60 }] }),
    event('rule', {
      dates: [],
      repeats: [{ rule: 'FREQ=WEEKLY', start: '2025-01-02 20:00' }],
      superEvent: 'f',
    }),
    event('far', { dates: [{ start: '2035-01-02 20:00' }] }),
    festival,
  ];
  await built(source(records), target);
  for (const days of [40, 80]) {
    const report = createReport();
    await built(source(records), target, { now: NOW + days * DAY, report, force: true });
    assert.equal(report.summary().changes?.counts, { added: 0, changed: 0, removed: 0, renamed: 0 });
  }
});

const [EVENING = {}] = dates;

interface ChangedFields {
  /** Additions to a record. */
  readonly more: object;
  /** The fields that the report names. */
  readonly fields: readonly string[];
}

const FIELDS: readonly ChangedFields[] = [
  { more: { venueNote: 'Bak' }, fields: ['venueNote'] },
  { more: { organizers: ['o'] }, fields: ['organizers'] },
  { more: { images: [{ urlSmall: 'https://x.example/1.jpg' }] }, fields: ['images'] },
  { more: { prices: [{ type: 'CHILD', price: 10 }] }, fields: ['prices'] },
  { more: { dates: [EVENING, { start: '2026-06-02 20:00' }] }, fields: ['dates'] },
  { more: { dates: [{ ...EVENING, eventCancelled: true }] }, fields: ['eventCancelled', 'status'] },
  {
    more: { dates: [{ ...EVENING, eventSoldOut: true, ticketsURL: 'https://t.example/' }] },
    fields: ['eventSoldOut', 'ticketsURL'],
  },
  { more: { dates: [{ ...EVENING, duration: 90 }] }, fields: ['dates'] },
  { more: { dates: [{ ...EVENING, venue: null }] }, fields: ['venue'] },
  { more: { publishingDate: '2025-01-01 12:00' }, fields: ['publishingDate'] },
  { more: { categories: ['MUSIC'], tags: ['x'] }, fields: ['categories', 'tags'] },
  { more: { mode: 'online', type: 'x' }, fields: ['mode', 'type'] },
];

/** Builds of one record, each a minute after the one before; gives the fields that the report names. */
function createBuilds() {
  const target = temporaryFolder();
  const people = { 'organizers.json': [{ id: 'o', name: 'Lag' }] };
  let now = NOW;
  return async (more: object = {}) => {
    const report = createReport();
    now += 60;
    await built(source([event('a', more)], 'Sal', people), target, { now, report, force: true });
    return report.summary().changes?.lists.changed.map(({ fields }) => fields);
  };
}

test('G10: should name each kind of field that differs, when it changes and when it changes back', async () => {
  const build = createBuilds();
  await build();
  for (const { more, fields } of FIELDS) {
    assert.equal(await build(more), [fields], JSON.stringify(more));
    assert.equal(await build(), [fields], `${JSON.stringify(more)}, changed back`);
  }
});

test('G10: should name a slug that a record gives, and no change when it gives none: the slug stays', async () => {
  const build = createBuilds();
  await build();
  assert.equal(await build({ slug: 'egen' }), [['eventLink', 'event_slug']]);
  assert.equal(await build(), []);
});

/** The changes that `/status` shows of a folder, so many days after the first build. */
async function shownOf(snapshots: string, day: number): Promise<Changes> {
  const { keeper } = opened(await startServer({ snapshots, clock: () => NOW * 1_000 }));
  return (await publicAsBuilt(keeper, NOW + day * DAY)).changes;
}

type Changes = Awaited<ReturnType<typeof publicAsBuilt>>['changes'];

const HIDDEN = { publishingDate: '2026-01-05 12:00' };
const SECRET = event('s', { ...HIDDEN, title_nb: 'Hemmelig' });
const RENAMED = { title_nb: 'Nye b' };

/** Builds on three days: b is renamed on the second, and hidden on the third; s is never public. */
const THREE_BUILDS = [
  FIRST,
  source([event('a'), event('b', RENAMED), event('c'), SECRET]),
  source([event('a'), event('b', { ...RENAMED, ...HIDDEN }), event('d'), SECRET]),
];

test.before(async (context) => {
  context.snapshots = temporaryFolder();
  for (const [day, folder] of THREE_BUILDS.entries())
    await built(folder, context.snapshots, { now: NOW + day * DAY, force: true });
});

const namedIn = (changes: Changes) =>
  changes.map(({ lists }) =>
    Object.entries(lists).flatMap(([kind, list]) => list.map(({ id, title }) => `${kind} ${id} ${title}`)),
  );

test('G10: should count on /status the changes of the last builds', async ({ snapshots }) => {
  const changes = await shownOf(snapshots, 2);
  assert.equal(
    changes.map(({ builtAt, counts }) => ({ builtAt, ...counts })),
    [
      { builtAt: '2026-01-03T12:00:00Z', added: 1, changed: 1, renamed: 0, removed: 1 },
      { builtAt: '2026-01-02T12:00:00Z', added: 1, changed: 1, renamed: 1, removed: 0 },
    ],
  );
});

test('G10, H9: should name on /status only events that are public', async ({ snapshots }) => {
  const changes = await shownOf(snapshots, 2);
  assert.equal(namedIn(changes), [['added d Tittel d', 'removed c null'], []]);
});

test('G10, H9: should name a change of a hidden event once it is public again', async ({ snapshots }) => {
  const changes = await shownOf(snapshots, 9);
  assert.equal(namedIn(changes)[1], ['changed b Nye b', 'renamed b Nye b']);
});

test('G10, H9: should write the changes on the page, without titles that are not public', async ({
  snapshots,
}) => {
  const changes = await shownOf(snapshots, 2);
  const html = JSON.stringify(changesIn(changes, wordsIn('nb')));
  for (const part of ['<details', 'Tittel d']) assert.match(html, part);
  assert.not.match(html, 'Hemmelig');
});

test('G10: should keep the last 20 builds that changed something', async () => {
  const snapshots = temporaryFolder();
  for (let day = 0; day < 23; day++)
    await built(source([event('a', { title_nb: `T${day}` })]), snapshots, { now: NOW + day * DAY });
  const found = await shownOf(snapshots, 30);
  const dayOf = (at: number) => new Date((NOW + (22 - at) * DAY) * 1_000).toISOString().slice(0, 10);
  assert.equal(
    found.map(({ builtAt }) => builtAt.slice(0, 10)),
    Array.from({ length: 20 }, (_, at) => dayOf(at)),
  );
});

test.run();
