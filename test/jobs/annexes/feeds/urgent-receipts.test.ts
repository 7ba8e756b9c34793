/** F19: the receipts of urgent sheets: which build applied a change, and how seldom the builder reports. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createReceipts } from '../../../../jobs/annexes/feeds/urgent-receipts.ts';
import type { UrgentSheetState } from '../../../../src/annexes/common/upkeep.ts';
import type { BuildRecord } from '../../../../src/upkeep.ts';

const test = suite('F19: receipts');

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Not at a whole second. */
const NOW = Date.parse('2026-11-20T10:17:00Z') + 500;

const HIDES_ONE = { added: 0, changed: 0, removed: 1 };

/** A build of one second that reads the sheet when it begins. */
function buildAt(startedAt: number, more: Partial<BuildRecord> = {}): BuildRecord {
  const readAt = new Date(Math.floor(startedAt / SECOND) * SECOND).toISOString();
  return {
    kind: 'rebuild',
    outcome: 'published',
    startedAt,
    ms: SECOND,
    id: null,
    counts: null,
    changes: HIDES_ONE,
    reason: null,
    dropped: 0,
    sheetsReadAt: { desk: readAt },
    ...more,
  };
}

/** Receipts with a clock at `NOW`. */
function start(previous: readonly UrgentSheetState[] = []) {
  const reports: (readonly UrgentSheetState[])[] = [];
  let now = NOW;
  const receipts = createReceipts({
    clock: () => now,
    reportState: ({ urgentSheets = [] }) => reports.push(urgentSheets),
    previous: { urgentSheets: previous },
  });
  const round = (isChanged = false) => {
    receipts.addRead('desk', 'hash');
    if (isChanged) receipts.addChange('desk');
    receipts.endRound(['desk']);
  };
  const wait = (ms: number) => {
    now += ms;
  };
  return { ...receipts, reports, round, wait, last: () => reports.at(-1)?.[0] };
}

test('should report every two minutes while nothing changes, and a failure and its end at once', () => {
  const { round, wait, reports, last, ...receipts } = start();
  for (let minutes = 0; minutes < 30; minutes += 0.5) {
    round();
    wait(MINUTE / 2);
  }
  assert.is(reports.length, 15, 'reports of 60 checks');
  for (const reason of ['status 500', 'status 500', 'status 404']) {
    receipts.addFailure('desk', reason);
    receipts.endRound(['desk']);
    wait(SECOND);
  }
  assert.is(reports.length, 17, 'a report for each reason');
  const since = NOW + 30 * MINUTE;
  const { readAt, failing } = last() ?? {};
  assert.equal([readAt, failing], [since - MINUTE / 2, { since, reason: 'status 404' }]);
  round();
  assert.is(last()?.failing, null);
  receipts.endRound(null);
  assert.is(reports.length, 18, 'a list of feeds that cannot be read');
  receipts.endRound([]);
  assert.equal(reports.at(-1), [], 'a sheet that is not urgent any more');
});

interface BuildCase {
  readonly title: string;
  readonly build: BuildRecord;
}

const BUILDS_WITHOUT: readonly BuildCase[] = [
  { title: 'that fails', build: buildAt(NOW + 1, { outcome: 'failed' }) },
  { title: 'that began before the change was seen', build: buildAt(NOW - 1) },
  {
    title: 'that uses the last rows of the sheet',
    build: buildAt(NOW + 1, { sheetsReadAt: { desk: '2026-11-20T10:16:59Z' } }),
  },
  { title: 'that cannot use the sheet', build: buildAt(NOW + 1, { sheetsReadAt: {} }) },
  { title: 'without correction sheets', build: buildAt(NOW + 1, { sheetsReadAt: undefined }) },
];

for (const { title, build } of BUILDS_WITHOUT)
  test(`should not call a change applied after a build ${title}`, () => {
    const { round, addBuild, last } = start();
    round(true);
    addBuild(build);
    assert.equal([last()?.waitingSince, last()?.applied], [NOW, null]);
    addBuild(buildAt(NOW + 1));
    const applied = { at: NOW + 1 + SECOND, changes: HIDES_ONE };
    assert.equal([last()?.waitingSince, last()?.applied], [null, applied]);
  });

test('should say that a build has changed nothing, and keep waiting for a change that it began too early for', () => {
  const { round, addBuild, wait, last } = start();
  round(true);
  wait(MINUTE);
  round(true);
  addBuild(buildAt(NOW + SECOND, { outcome: 'unchanged' }));
  const changes = { added: 0, changed: 0, removed: 0 };
  const applied = { at: NOW + 2 * SECOND, changes };
  assert.equal([last()?.waitingSince, last()?.applied], [NOW + MINUTE, applied]);
  addBuild(buildAt(NOW + MINUTE));
  assert.is(last()?.waitingSince, null);
});

test('should keep the receipt over a restart, and give one for a change that was waiting', () => {
  const applied = { at: NOW - MINUTE, changes: HIDES_ONE };
  const before = {
    id: 'desk',
    readAt: NOW - SECOND,
    content: 'hash',
    failing: null,
    waitingSince: NOW - SECOND,
    applied,
  };
  const { round, addBuild, last } = start([before]);
  round();
  assert.equal(last(), { ...before, readAt: NOW });
  addBuild(buildAt(NOW));
  assert.equal([last()?.waitingSince, last()?.applied?.at], [null, NOW + SECOND]);
});

test.run();
