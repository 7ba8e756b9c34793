import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ColumnSet } from '../../jobs/columns.ts';
import type { EventRecord } from '../../jobs/records.ts';
import { formatOslo, overAt } from '../../src/calendar/time.ts';
import { BUILD } from '../helpers/records.ts';
import {
  CATEGORIES,
  columnSetOf,
  moments,
  ORGANIZERS,
  randomEvents,
  VENUES,
} from './columns/random-events.ts';

const columns = suite('facet steps');

/** What the unfiltered `events` counts at a moment, by the contract: A1, A2, A4, A9, C1, C2. */
function countByHand(events: readonly EventRecord[], at: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const count = (key: string) => counts.set(key, (counts.get(key) ?? 0) + 1);
  for (const { dates, publishingDate, organizers, categories } of events) {
    if (publishingDate !== null && publishingDate > at) continue;
    const inOrder = dates.toSorted((a, b) => a.start - b.start || a.end - b.end);
    const shown = inOrder.find(({ start, end }) => overAt(start, end) > at);
    if (shown === undefined) continue;
    count('total ');
    if (shown.venue !== null) count(`venue ${shown.venue}`);
    for (const id of organizers) count(`organizer ${id}`);
    const carried = categories.flatMap((id) => [
      id,
      CATEGORIES[CATEGORIES.find((one) => one.id === id)?.parent ?? -1]?.id ?? id,
    ]);
    for (const id of new Set(carried)) count(`category ${id}`);
  }
  return counts;
}

const NAMES = [
  'total ',
  ...VENUES.map((id) => `venue ${id}`),
  ...ORGANIZERS.map((id) => `organizer ${id}`),
  ...CATEGORIES.map(({ id }) => `category ${id}`),
];

/** Places of the first of each kind among the names. */
const FIRST_OF_KIND = [0, 1, 1 + VENUES.length, 1 + VENUES.length + ORGANIZERS.length];

function countBySteps(
  { columns: { changeAt, changeOf, changeBy } }: ColumnSet,
  at: number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [step, when] of changeAt.entries()) {
    if (when > at) continue;
    const name = NAMES[changeOf[step] ?? -1] ?? 'no entity';
    counts.set(name, (counts.get(name) ?? 0) + (changeBy[step] ?? 0));
  }
  return new Map([...counts].filter(([, hits]) => hits !== 0));
}

function countByStretches({ facetCounts }: ColumnSet, at: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, entity, since, until, hits } of facetCounts) {
    if (since > at || at >= until) continue;
    const name = NAMES[(FIRST_OF_KIND[kind] ?? -1) + entity] ?? 'no entity';
    assert.not.ok(counts.has(name), `two stretches of ${name} at ${at}`);
    counts.set(name, hits);
  }
  return counts;
}

const sorted = (counts: ReadonlyMap<string, number>) => [...counts].sort(([a], [b]) => (a < b ? -1 : 1));

columns('C1, C2: MUST count the facets of every moment as they are counted by hand', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { set } = await columnSetOf(events);
      for (const at of moments(events)) {
        const expected = sorted(countByHand(events, at));
        assert.equal(sorted(countBySteps(set, at)), expected, `steps at ${formatOslo(at)}`);
        assert.equal(sorted(countByStretches(set, at)), expected, `stretches at ${formatOslo(at)}`);
      }
    }),
    { numRuns: 60 },
  );
});

columns('A3, A9: MUST show at every moment the rows that are shown by hand', async () => {
  await fc.assert(
    fc.asyncProperty(randomEvents, async (events) => {
      const { calendar, set } = await columnSetOf(events);
      const { predecessorsOver, over, publishing, event } = set.columns;
      for (const at of moments(events)) {
        const shown = [...over.keys()].filter((row) => {
          const since = Math.max(predecessorsOver[row] ?? 0, publishing[event[row] ?? 0] ?? 0);
          return since <= at && at < (over[row] ?? 0);
        });
        const ids = shown.map((row) => calendar.events[event[row] ?? -1]?.id);
        assert.is(new Set(ids).size, ids.length, 'each event once');
        assert.is(ids.length, countByHand(events, at).get('total ') ?? 0);
      }
    }),
    { numRuns: 60 },
  );
});

columns(
  'C1: should have steps in order of time, none of them nothing, and no two of one moment and entity',
  async () => {
    await fc.assert(
      fc.asyncProperty(randomEvents, async (events) => {
        const { changeAt, changeOf, changeBy } = (await columnSetOf(events)).set.columns;
        const keys = [...changeAt].map((at, step) => at * NAMES.length + (changeOf[step] ?? 0));
        assert.equal(
          keys,
          [...new Set(keys)].sort((a, b) => a - b),
        );
        assert.ok([...changeBy].every((by) => by !== 0));
        assert.ok([...changeAt].every((at) => at >= BUILD));
      }),
      { numRuns: 60 },
    );
  },
);

columns.run();
