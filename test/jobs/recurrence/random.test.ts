/** F4: random rules, expanded by the product and by the definitions of RFC 5545 (`recurrence/by-definition.ts`). */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MOST_OCCURRENCES } from '../../../jobs/recurrence/allowance.ts';
import { DAY, HOUR } from '../../../src/calendar/time.ts';
import { wallAt } from '../../helpers/moments.ts';
import { IS_LONG } from '../../helpers/run-options.ts';
import { expandByDefinition } from './by-definition.ts';
import { expanded } from './expanding.ts';
import { hourlyRules, minutelyRules, monthlyRules, plainRules, secondlyRules, yearlyRules } from './rules.ts';

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

interface RandomRules {
  readonly what: string;
  readonly rules: fc.Arbitrary<string>;
  /** The length of the expansion. */
  readonly seconds: number;
}

const RANDOM_RULES: readonly RandomRules[] = [
  { what: 'plain rules', rules: plainRules, seconds: 30 * DAY },
  { what: 'days, weeks and months', rules: monthlyRules, seconds: 900 * DAY },
  { what: 'years', rules: yearlyRules, seconds: 1_500 * DAY },
  { what: 'hours', rules: hourlyRules, seconds: 8 * DAY },
  { what: 'minutes', rules: minutelyRules, seconds: 2 * DAY },
  { what: 'seconds', rules: secondlyRules, seconds: 2 * HOUR },
];

for (const { what, rules, seconds } of RANDOM_RULES) {
  test(`F4: should expand ${what} as RFC 5545 defines them`, () => {
    fc.assert(
      fc.property(rules, starts, fc.double({ min: 0, max: 1, noNaN: true }), (text, start, part) => {
        const limit = Math.min(start + seconds, untilOf(text));
        const from = start + Math.floor(part * seconds);
        const expected = expandByDefinition(text, start, limit).filter((wall) => wall >= from);
        assertSame(text, expanded(text, start, { from, until: start + seconds }), expected);
      }),
      { numRuns: RUNS },
    );
  });
}

interface LongRule {
  readonly rule: string;
  /** Seconds between two occurrences. */
  readonly step: number;
  readonly until: string;
}

const ALL_MONTHS = 'BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12';
const LONG_RULES: readonly LongRule[] = [
  { rule: `FREQ=DAILY;${ALL_MONTHS}`, step: DAY, until: '2028-12-31 20:00' },
  { rule: `FREQ=HOURLY;${ALL_MONTHS}`, step: HOUR, until: '2011-01-31 20:00' },
  { rule: `FREQ=MINUTELY;INTERVAL=15;${ALL_MONTHS}`, step: 900, until: '2010-03-31 20:00' },
];

for (const { rule, step, until } of LONG_RULES) {
  test(`F4: should expand ${rule} to its end at ${until}`, () => {
    const start = wallAt('2010-01-01 20:00');
    const last = wallAt(until);
    const { walls, cut } = expanded(rule, start, { until: last });
    assert.is(cut, null);
    assert.is(walls.length, (last - start) / step + 1);
    assert.is(walls.at(-1), last);
  });
}

function untilOf(text: string): number {
  const [, day] = /UNTIL=202707(\d\d)T180000/.exec(text) ?? [];
  return day === undefined ? Number.POSITIVE_INFINITY : wallAt(`2027-07-${day} 18:00`);
}

test.run();
