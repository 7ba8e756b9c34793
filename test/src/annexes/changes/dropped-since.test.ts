/** G2: records that were first dropped within the last seven days are a concern; older ones are listed. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Finding } from '../../../../jobs/records.ts';
import { createReport } from '../../../../jobs/report.ts';
import { asBuiltOf, isDroppedLately } from '../../../../src/annexes/operator/reports.ts';
import { assertDefined } from '../../../helpers/assertions.ts';
import { built, events } from '../../../helpers/build.ts';
import { NOW } from '../../../helpers/calendar.ts';
import { temporaryFolder } from '../../../helpers/folder.ts';
import { sourceFolder } from '../../../helpers/native-source.ts';
import { snapshotRows } from '../../../helpers/snapshot-rows.ts';

const test = suite('G2: dropped since');

const DAY = 86_400;
const day = (count: number) => new Date((NOW + count * DAY) * 1_000).toISOString().slice(0, 10);
const LOST = { id: 'lost' };
const ODD = { ...events(1)[0], id: 'odd', venue: 'nowhere' };

/** Whether what this report names is a concern at that second. */
async function isConcernAt(stored: object, now: number) {
  const { report } = await asBuiltOf({ json: async (name) => (name === 'report' ? stored : null) });
  assertDefined(report, 'a report');
  return isDroppedLately(report, now * 1_000);
}

/** Builds on a day, and gives when each thing was first dropped, and whether that is a concern then. */
async function builtOn(target: string, count: number, records: readonly unknown[]) {
  const report = createReport();
  const now = NOW + count * DAY;
  await built(sourceFolder({ 'events.json': records }), target, { now, report });
  const [stored = ''] = await snapshotRows(target, "select value as text from meta where key = 'report'");
  const read: { readonly findings: readonly Finding[] } = JSON.parse(stored);
  const since = read.findings.flatMap(({ id, since }) => (since ? [`${id} ${since.slice(0, 10)}`] : []));
  return { since, isConcern: await isConcernAt(read, now), read };
}

test('should be a concern for seven days, and listed from then on', async () => {
  const target = temporaryFolder();
  const first = await builtOn(target, 0, [...events(8), LOST]);
  assert.equal([first.since, first.isConcern], [[`lost ${day(0)}`], true]);
  assert.is(await isConcernAt(first.read, NOW + 6.9 * DAY), true);
  assert.is(await isConcernAt(first.read, NOW + 7 * DAY), false);
  // A record before it, so that its place is another one.
  const next = await builtOn(target, 8, [...events(9), LOST]);
  assert.equal([next.since, next.isConcern], [[`lost ${day(0)}`], false]);
  const more = await builtOn(target, 9, [...events(9), ODD, LOST]);
  assert.equal([more.since, more.isConcern], [[`lost ${day(0)}`, `odd ${day(9)}`], true]);
  const mended = await builtOn(target, 10, events(9));
  assert.equal([mended.since, mended.isConcern], [[], false]);
  const again = await builtOn(target, 30, [...events(9), LOST]);
  assert.equal([again.since, again.isConcern], [[`lost ${day(30)}`], true]);
});

test('should recognise a dropped date whose position in its event has changed', async () => {
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

test('should be no concern when single values are all that is dropped', async () => {
  const odd = { ...events(1)[0], id: 'x', eventSoldOut: 'no', isFeaturedEvent: 1 };
  const { since, isConcern } = await builtOn(temporaryFolder(), 0, [...events(8), odd]);
  assert.equal([since, isConcern], [[], false]);
});

test('should be a concern for as long as a report does not say since when', async () => {
  const finding = { action: 'dropped record', origin: { file: 'events.json' }, expected: 'x', found: 'y' };
  const old = { ...finding, since: new Date((NOW - 9 * DAY) * 1_000).toISOString() };
  const isConcern = (count: number, findings: readonly object[]) => {
    const actions = { 'dropped record': count };
    return isConcernAt({ lists: {}, over: 0, findingsLeftOut: 0, actions, findings }, NOW);
  };
  assert.is(await isConcern(2, [finding]), true);
  assert.is(await isConcern(2, [old, old]), false);
  // The report names two of the three.
  assert.is(await isConcern(3, [old, old]), true);
});

test.run();
