/** G2: records that were first dropped within the last seven days are a concern; older ones are listed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../../../jobs/findings.ts';
import { createReport } from '../../../../jobs/report/report.ts';
import { isDroppedLately } from '../../../../src/annexes/operator/build-report.ts';
import { asBuiltOf } from '../../../../src/annexes/operator/reports.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { built, events } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { snapshotRows } from '../../../helpers/snapshot-rows.ts';

const test = suite('dropped since');

const DAY = 86_400;
const day = (count: number) => new Date((NOW + count * DAY) * 1_000).toISOString().slice(0, 10);
const LOST = { id: 'lost' };
const ODD = { ...events(1)[0], id: 'odd', venue: 'nowhere' };

/** Whether the findings of a stored report are a concern at that second. */
async function isConcernAt(stored: object, now: number) {
  const { report } = await asBuiltOf({ json: async (name) => (name === 'report' ? stored : null) });
  assertDefined(report, 'a report');
  return isDroppedLately(report, now * 1_000);
}

/** Builds on a day. Gives the day since which each record or date is dropped, and whether that is a concern on the day of the build. */
async function builtOn(target: string, count: number, records: readonly unknown[]) {
  const report = createReport();
  const now = NOW + count * DAY;
  await built(sourceFolder({ 'events.json': records }), target, { now, report });
  const [text = ''] = await snapshotRows(target, "select value as text from meta where key = 'report'");
  const stored: { readonly findings: readonly Finding[] } = JSON.parse(text);
  const since = stored.findings.flatMap(({ id, since }) => (since ? [`${id} ${since.slice(0, 10)}`] : []));
  return { since, isConcern: await isConcernAt(stored, now), stored };
}

test('G2: should be a concern for seven days', async () => {
  const { since, stored } = await builtOn(temporaryFolder(), 0, [...events(8), LOST]);
  assert.equal(since, [`lost ${day(0)}`]);
  assert.is(await isConcernAt(stored, NOW), true, 'at the build');
  assert.is(await isConcernAt(stored, NOW + 6.9 * DAY), true, 'after 6.9 days');
  assert.is(await isConcernAt(stored, NOW + 7 * DAY), false, 'after seven days');
});

/** Builds in their order, each with the records that it drops. */
const BUILDS = [
  {
    title: 'a first build with a lost record',
    day: 0,
    records: [...events(8), LOST],
    since: [`lost ${day(0)}`],
    isConcern: true,
  },
  {
    title: 'a build on day 8, with the lost record at another place',
    day: 8,
    records: [...events(9), LOST],
    since: [`lost ${day(0)}`],
    isConcern: false,
  },
  {
    title: 'another lost record',
    day: 9,
    records: [...events(9), ODD, LOST],
    since: [`lost ${day(0)}`, `odd ${day(9)}`],
    isConcern: true,
  },
  {
    title: 'no lost record',
    day: 10,
    records: events(9),
    since: [],
    isConcern: false,
  },
  {
    title: 'the first one lost again',
    day: 30,
    records: [...events(9), LOST],
    since: [`lost ${day(30)}`],
    isConcern: true,
  },
];

test('G2: should keep the day since which a record is dropped, until it is read again', async () => {
  const target = temporaryFolder();
  for (const build of BUILDS) {
    const { since, isConcern } = await builtOn(target, build.day, build.records);
    assert.equal(since, build.since, build.title);
    assert.is(isConcern, build.isConcern, build.title);
  }
});

test('G2: should recognise a dropped date whose position in its event has changed', async () => {
  const target = temporaryFolder();
  const dated = (...starts: readonly string[]) => ({
    ...events(1)[0],
    id: 'dated',
    dates: starts.map((start) => ({ start })),
  });
  await builtOn(target, 0, [...events(8), dated('2026-03-01 19:00', 'soon')]);
  const { since } = await builtOn(target, 1, [
    ...events(8),
    dated('2026-03-01 19:00', '2026-03-02 19:00', 'soon'),
  ]);
  assert.equal(since, [`dated ${day(0)}`]);
});

test('G2: should be no concern when only single values are dropped', async () => {
  const odd = { ...events(1)[0], id: 'x', eventSoldOut: 'no', isFeaturedEvent: 1 };
  const { since, isConcern } = await builtOn(temporaryFolder(), 0, [...events(8), odd]);
  assert.equal(since, []);
  assert.is(isConcern, false);
});

/** A finding of a report from a version that wrote no day. */
const WITHOUT_DAY = { action: 'dropped record', origin: { file: 'events.json' }, expected: 'x', found: 'y' };
const OLD = { ...WITHOUT_DAY, since: new Date((NOW - 9 * DAY) * 1_000).toISOString() };

/** Whether a report is a concern that counts so many dropped records, and names these. */
const isConcern = (count: number, findings: readonly object[]) =>
  isConcernAt(
    { lists: {}, over: 0, findingsLeftOut: 0, actions: { 'dropped record': count }, findings },
    NOW,
  );

test('G2: should be a concern where a finding has no day', async () => {
  assert.is(await isConcern(2, [OLD, WITHOUT_DAY]), true);
});

test('G2: should be no concern where all findings have old days', async () => {
  assert.is(await isConcern(2, [OLD, OLD]), false);
});

test('G2: should be a concern where the report names fewer records than it counts', async () => {
  assert.is(await isConcern(3, [OLD, OLD]), true);
});

test.run();
