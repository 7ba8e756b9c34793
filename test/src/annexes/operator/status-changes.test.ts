/** G10 where people see it: in the report, in the JSON of a build, and on `/status`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runRebuild } from '../../../../jobs/rebuild.ts';
import { createReport } from '../../../../jobs/report.ts';
import { publicAsBuilt } from '../../../../src/annexes/operator/reports.ts';
import { changesIn, wordsIn } from '../../../../src/annexes/operator/status-page.ts';
import { annexSteps } from '../../../helpers/annex.ts';
import { built } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { type Files, sourceFolder } from '../../../helpers/native-source.ts';
import { startServer } from '../../../helpers/running.ts';

const test = suite('what builds changed');
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

test('G10: should list added, removed and changed events in the report and as JSON', async () => {
  const target = temporaryFolder();
  const run = async (folder: string, day: number, ...args: readonly string[]) => {
    let output = '';
    const stdout = (text: string) => {
      output += text;
    };
    const now = `2026-01-0${day}T12:00:00Z`;
    const defaults = { source: '', target: '', horizonMonths: 18, ...(await annexSteps()) };
    await runRebuild(['--source', folder, '--target', target, '--now', now, '--force', ...args], {
      defaults,
      now: NOW,
      clock: Date.now,
      stdout,
      stderr: () => true,
    });
    return output;
  };
  const first = JSON.parse(await run(FIRST, 1, '--json'));
  assert.equal([first.isFirst, first.changes.added, first.report.changes], [true, 3, null]);

  const output = await run(SECOND, 2);
  for (const line of [
    'since the last build: 1 added, 1 removed, 1 changed (1 renamed)\n',
    '  added "d" Tittel d\n  removed "b" Tittel b\n  changed "a" Ny tittel: desc_nb, summary_nb, title_nb\n',
    '  renamed "a" Ny tittel, before: Tittel a\n',
  ])
    assert.match(output, line);

  const { changes, report } = JSON.parse(await run(source([event('a')], 'Ny sal'), 3, '--json'));
  assert.equal(changes, { added: 0, changed: 1, removed: 2, renamed: 1 });
  const { changed, removed } = report.changes.lists;
  assert.equal(changed, [
    { id: 'a', title: 'Tittel a', fields: ['desc_nb', 'summary_nb', 'title_nb', 'venue'] },
  ]);
  assert.equal(
    removed.map(({ id }: { id: string }) => id),
    ['c', 'd'],
  );
});

test('G10: should count no change by the clock alone: neither events that are over nor new dates of rules', async () => {
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

/** Additions to a record, and the fields that its change names. */
const FIELDS: readonly (readonly [more: object, fields: readonly string[]])[] = [
  [{ venueNote: 'Bak' }, ['venueNote']],
  [{ organizers: ['o'] }, ['organizers']],
  [{ images: [{ urlSmall: 'https://x.example/1.jpg' }] }, ['images']],
  [{ prices: [{ type: 'CHILD', price: 10 }] }, ['prices']],
  [{ dates: [EVENING, { start: '2026-06-02 20:00' }] }, ['dates']],
  [{ dates: [{ ...EVENING, eventCancelled: true }] }, ['eventCancelled', 'status']],
  [
    { dates: [{ ...EVENING, eventSoldOut: true, ticketsURL: 'https://t.example/' }] },
    ['eventSoldOut', 'ticketsURL'],
  ],
  [{ dates: [{ ...EVENING, duration: 90 }] }, ['dates']],
  [{ dates: [{ ...EVENING, venue: null }] }, ['venue']],
  [{ publishingDate: '2025-01-01 12:00' }, ['publishingDate']],
  [{ categories: ['MUSIC'], tags: ['x'] }, ['categories', 'tags']],
  [{ mode: 'online', type: 'x' }, ['mode', 'type']],
  // A slug stays when the record gives none: the last one.
  [{ slug: 'egen' }, ['eventLink', 'event_slug']],
];

test('G10: should name each kind of field that differs', async () => {
  const target = temporaryFolder();
  const people = { 'organizers.json': [{ id: 'o', name: 'Lag' }] };
  let now = NOW;
  const build = async (more: object = {}) => {
    const report = createReport();
    now += 60;
    await built(source([event('a', more)], 'Sal', people), target, { now, report, force: true });
    return report.summary().changes?.lists.changed.map(({ fields }) => fields);
  };
  await build();
  for (const [more, fields] of FIELDS) {
    assert.equal(await build(more), [fields], JSON.stringify(more));
    assert.equal(await build(), 'slug' in more ? [] : [fields]);
  }
});

/** The changes that `/status` shows of a folder, by days since the first build. */
async function shownOf(snapshots: string, ...days: readonly number[]) {
  const server = await startServer({ snapshots, clock: () => NOW * 1_000 });
  const shown = [];
  for (const day of days) shown.push((await publicAsBuilt(server.keeper, NOW + day * DAY)).changes);
  await server.close();
  return shown;
}

test('G10, H9: should show on /status what the last builds changed, and nothing that is not public', async () => {
  const snapshots = temporaryFolder();
  const hidden = { publishingDate: '2026-01-05 12:00' };
  const secret = event('s', { ...hidden, title_nb: 'Hemmelig' });
  const renamed = { title_nb: 'Nye b' };
  const builds = [
    FIRST,
    source([event('a'), event('b', renamed), event('c'), secret]),
    source([event('a'), event('b', { ...renamed, ...hidden }), event('d'), secret]),
  ];
  for (const [day, folder] of builds.entries())
    await built(folder, snapshots, { now: NOW + day * DAY, force: true });
  const [found = [], later = []] = await shownOf(snapshots, 2, 9);
  const named = ({ lists }: (typeof found)[number]) =>
    Object.entries(lists).flatMap(([kind, list]) => list.map(({ id, title }) => `${kind} ${id} ${title}`));
  assert.equal(
    found.map(({ builtAt, counts }) => [builtAt, ...Object.values(counts)].join()),
    ['2026-01-03T12:00:00Z,1,1,0,1', '2026-01-02T12:00:00Z,1,1,1,0'],
  );
  assert.equal(found.map(named), [['added d Tittel d', 'removed c null'], []]);
  // Events that were hidden when they came stay a count. Those that are public again may be named.
  assert.equal(later.map(named)[1], ['changed b Nye b', 'renamed b Nye b']);
  const written = JSON.stringify(changesIn(found, wordsIn('nb')));
  for (const part of ['<details', 'Tittel d']) assert.match(written, part);
  assert.not.match(written, 'Hemmelig');
});

test('G10: should keep the last 20 builds that changed something', async () => {
  const snapshots = temporaryFolder();
  for (let day = 0; day < 23; day++)
    await built(source([event('a', { title_nb: `T${day}` })]), snapshots, { now: NOW + day * DAY });
  const [found = []] = await shownOf(snapshots, 30);
  const dayOf = (at: number) => new Date((NOW + (22 - at) * DAY) * 1_000).toISOString().slice(0, 10);
  assert.equal(
    found.map(({ builtAt }) => builtAt.slice(0, 10)),
    Array.from({ length: 20 }, (_, at) => dayOf(at)),
  );
});

test.run();
