/** Limits on the history that a snapshot keeps for `changes`. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { RunningComparison } from '../../../jobs/changes/changes.ts';
import type { PreviousContent } from '../../../jobs/changes/history.ts';
import type { FormerState } from '../../../src/snapshot/changes.ts';
import { makeCalendar, NOW } from '../../helpers/calendar.ts';

const test = suite('limits of the history');

const { calendar, columnSet } = await makeCalendar({ events: 0 });
const { columns } = columnSet;

/** A build a minute up to now, with that history. */
function compared(builds: number, history: readonly FormerState[]) {
  const previous: PreviousContent = {
    isComparable: true,
    sequence: columns.sequence,
    horizonDay: 0,
    builtAt: NOW,
    history,
    sequences: [],
    recentChanges: '[]',
    builds: Array.from({ length: builds }, (_, at) => ({
      number: at + 1,
      id: `b${at + 1}`,
      builtAt: NOW - (builds - at) * 60,
    })),
    events: async function* () {},
    close: async () => undefined,
  };
  return new RunningComparison({ calendar, columns, previous, now: NOW, horizonDay: 0 }).finish();
}

test('E7: should keep the last 10,000 builds', async () => {
  const { builds } = await compared(10_050, []);
  assert.equal([builds.length, builds[0]?.number, builds.at(-1)?.number], [10_001, 51, 10_051]);
});

test('E7: should keep only as many builds as have at most 200,000 changed events', async () => {
  const rows = (build: number, length: number) =>
    Array.from({ length }, (_, at) => ({ id: `e${at}`, build, seen: null, changed: build }));
  const { builds, history } = await compared(4, [...rows(2, 1), ...rows(3, 150_000), ...rows(4, 60_000)]);
  assert.equal(
    builds.map(({ number }) => number),
    [3, 4, 5],
  );
  assert.equal([history.length, history.every(({ build }) => build === 4)], [60_000, true]);
});

test.run();
