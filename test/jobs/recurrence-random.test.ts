/** Random rules, expanded here and by RFC 5545 read the slow way. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MOST_OCCURRENCES } from '../../jobs/recurrence/allowance.ts';
import { DAY, HOUR } from '../../src/calendar/time.ts';
import { wallAt } from '../helpers/moments.ts';
import { IS_LONG } from '../helpers/run-options.ts';
import { expandByDefinition } from './recurrence/by-definition.ts';
import { expanded } from './recurrence/expanding.ts';
import {
  hourlyRules,
  minutelyRules,
  monthlyRules,
  plainRules,
  secondlyRules,
  yearlyRules,
} from './recurrence/rules.ts';

const test = suite('random recurrence');

/** 4,000 rules with `--long`. */
const RUNS = IS_LONG ? 667 : 10;

const starts = fc
  .integer({ min: wallAt('2024-01-01 00:00') / 60, max: wallAt('2027-01-01 00:00') / 60 })
  .map((minutes) => minutes * 60);

/** An expansion may stop short only where an event has had as many occurrences as it may. */
function assertSame(text: string, { walls, cut }: ReturnType<typeof expanded>, expected: readonly number[]) {
  const isCut = cut !== null && walls.length === MOST_OCCURRENCES;
  assert.equal(walls, isCut ? expected.slice(0, MOST_OCCURRENCES) : expected, text);
}

for (const [what, rules, seconds] of [
  ['plain rules', plainRules, 30 * DAY],
  ['days, weeks and months', monthlyRules, 900 * DAY],
  ['years', yearlyRules, 1_500 * DAY],
  ['hours', hourlyRules, 12 * DAY],
  ['minutes', minutelyRules, 4 * DAY],
  ['seconds', secondlyRules, 2 * HOUR],
] as const) {
  test(`should expand ${what} as RFC 5545 defines them`, () => {
    fc.assert(
      fc.property(rules, starts, fc.double({ min: 0, max: 1, noNaN: true }), (text, start, part) => {
        const limit = Math.min(start + seconds, untilOf(text));
        const from = start + Math.floor(part * seconds);
        const expected = expandByDefinition(text, start, limit).filter((one) => one >= from);
        assertSame(text, expanded(text, start, { from, until: start + seconds }), expected);
      }),
      { numRuns: RUNS },
    );
  });
}

test('should expand long rules to their end', () => {
  const months = 'BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12';
  const start = wallAt('2010-01-01 20:00');
  for (const [rule, step, until] of [
    [`FREQ=DAILY;${months}`, DAY, '2028-12-31 20:00'],
    [`FREQ=HOURLY;${months}`, HOUR, '2011-01-31 20:00'],
    [`FREQ=MINUTELY;INTERVAL=15;${months}`, 900, '2010-03-31 20:00'],
  ] as const) {
    const { walls, cut } = expanded(rule, start, { until: wallAt(until) });
    const count = (wallAt(until) - start) / step + 1;
    assert.equal([walls.length, cut, walls.at(-1)], [count, null, wallAt(until)], rule);
  }
});

function untilOf(text: string): number {
  const [, day] = /UNTIL=202707(\d\d)T180000/.exec(text) ?? [];
  return day === undefined ? Number.POSITIVE_INFINITY : wallAt(`2027-07-${day} 18:00`);
}

test.run();
