/** G9: groups of random events, compared with those of the definition (by-definition.ts). */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Comparable } from '../../../jobs/duplicates/comparable.ts';
import { groupEvents } from '../../../jobs/duplicates/groups.ts';
import { momentOf } from '../../../jobs/event-dates.ts';
import { assertAbove } from '../../helpers/assertions.ts';
import { IS_LONG } from '../../helpers/run-options.ts';
import { type Entry, groupsByDefinition } from './by-definition.ts';

const test = suite('G9: random feeds');

/** 20,000 with `--long`. */
const RUNS = IS_LONG ? 20_000 : 500;

const HOUSES = ['hall', 'hall room', 'church', null] as const;
/** Its room and the hall are one place. */
const isPart = (one: string, other: string) => one.split(' ')[0] === other.split(' ')[0];
const NAMES = [
  ['concert'],
  ['concert', 'choir'],
  ['concert', 'band'],
  ['concert', 'choir', 'band'],
  ['market'],
];
const HOUR = 3_600;

const date = fc.record({ place: fc.constantFrom(...HOUSES), end: fc.integer({ min: 1, max: 2 }) });
const dates = fc
  .uniqueArray(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 4 })
  .chain((starts) =>
    fc
      .tuple(...starts.map(() => date))
      .map((all) =>
        Object.fromEntries(starts.map((start, at) => [`${start}`, all[at] ?? { place: null, end: 1 }])),
      ),
  );
const entry: fc.Arbitrary<Entry> = fc.record({
  source: fc.constantFrom(null, 'a', 'b', 'c'),
  words: fc.constantFrom(...NAMES),
  dates,
});

function comparableOf({ source, words, dates }: Entry, at: number): Comparable {
  const starts = Object.keys(dates).map(Number);
  const moment = (start: number) => momentOf(start * 10 * HOUR, false);
  return {
    number: at,
    feed: source,
    titles: [words],
    places: new Map(starts.map((start) => [moment(start), dates[start]?.place ?? null])),
    isContainer: false,
    form: null,
    ends: () =>
      new Map(starts.map((start) => [moment(start), (start * 10 + (dates[start]?.end ?? 0)) * HOUR])),
  };
}

test('G9: should find the groups of the definition in random feeds', () => {
  let found = 0;
  fc.assert(
    fc.property(fc.array(entry, { maxLength: 9 }), (entries) => {
      const decisions = { same: [], different: [], statements: [], numbersById: new Map<string, number>() };
      const { all } = groupEvents(entries.map(comparableOf), { ...decisions, isPart });
      const groups = all.map(({ members }) => members);
      found += groups.length;
      assert.equal(groups, groupsByDefinition(entries, isPart));
    }),
    { numRuns: RUNS },
  );
  assertAbove(found, RUNS / 10, 'groups');
});

test.run();
