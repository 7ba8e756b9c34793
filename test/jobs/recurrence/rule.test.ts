/** F4: parts of an RRULE: those that are read, and the messages about others. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isFlaw, readRule } from '../../../jobs/recurrence/rule.ts';
import { assertAtMost } from '../../helpers/assertions.ts';

const test = suite('recurrence rule');

/** Rules of a frequency, one for each of these parts. */
const of = (frequency: string, parts: string) => parts.split(' ').map((part) => `FREQ=${frequency};${part}`);

/** Rules by the part that is wrong. */
const REFUSED: readonly (readonly [parts: string, rules: readonly string[]])[] = [
  ['', ['', 'RRULE:', 'FREQ=DAILY;;COUNT=3']],
  ['NONSENSE', ['nonsense']],
  ['FREQ', ['COUNT=3', 'FREQ=FORTNIGHTLY', 'FREQ=', 'FREQ=DAILY\nDTSTART:20260101T000000Z']],
  ['COUNT', of('DAILY', 'COUNT=3;COUNT=4 COUNT=0 COUNT=-1 COUNT=many COUNT=1.5 COUNT=9999999999999999')],
  ['COUNT', of('DAILY', 'COUNT=3;UNTIL=20261231')],
  ['INTERVAL', of('DAILY', 'INTERVAL=0 INTERVAL=')],
  ['UNTIL', of('DAILY', 'UNTIL=2026-12-31 UNTIL=20260230 UNTIL=20261231T250000Z UNTIL=garbage')],
  ['BYDAY', of('WEEKLY', 'BYDAY=XX BYDAY= BYDAY=MO, BYDAY=1MO')],
  ['BYDAY', of('MONTHLY', 'BYDAY=0MO BYDAY=54MO')],
  ['BYMONTHDAY', [...of('MONTHLY', 'BYMONTHDAY=0 BYMONTHDAY=32'), ...of('WEEKLY', 'BYMONTHDAY=1')]],
  ['BYMONTH', of('YEARLY', 'BYMONTH=13 BYMONTH=-1')],
  ['BYYEARDAY', [...of('YEARLY', 'BYYEARDAY=367'), ...of('DAILY', 'BYYEARDAY=100')]],
  ['BYWEEKNO', [...of('MONTHLY', 'BYWEEKNO=20'), ...of('YEARLY', 'BYWEEKNO=20;BYDAY=1MO')]],
  ['BYHOUR', of('DAILY', 'BYHOUR=24')],
  ['BYMINUTE', of('DAILY', 'BYMINUTE=60')],
  ['BYSECOND', of('DAILY', 'BYSECOND=61')],
  ['BYSETPOS', of('DAILY', 'BYSETPOS=1')],
  ['BYSETPOS', of('MONTHLY', 'BYDAY=MO;BYSETPOS=0 BYDAY=MO;BYSETPOS=367')],
  ['WKST', of('DAILY', 'WKST=XX')],
  ['X-FOO=1', of('DAILY', 'X-FOO=1')],
  ['RSCALE=CHINESE', of('DAILY', 'RSCALE=CHINESE')],
  ['__PROTO__=1', of('DAILY', '__proto__=1')],
];

for (const [parts, texts] of REFUSED)
  for (const text of texts)
    test(`G2: should refuse the rule ${JSON.stringify(text)} and say which part`, () => {
      const read = readRule(text);
      if (!isFlaw(read)) throw new Error('expected a flaw, found a rule');
      assert.is(read.parts, parts);
      assert.is.not(read.expected, '');
      assertAtMost(read.found.length, 200, 'letters');
    });

test('G2: should name all wrong parts of a rule', () => {
  assert.equal(readRule('FREQ=WEEKLY;BYDAY=XX;COUNT=0'), {
    parts: 'BYDAY,COUNT',
    expected: 'BYDAY: weekdays such as MO or, within a month or year, -1FR; COUNT: a positive whole number',
    found: 'BYDAY: XX; COUNT: 0',
  });
});

test('G2: should return a rule or a flaw for any text, also a hostile one of any length', () => {
  for (const text of [
    'BYDAY='.repeat(100_000),
    `FREQ=DAILY;BYDAY=${'MO,'.repeat(100_000)}MO`,
    ';'.repeat(100_000),
  ])
    assert.type(isFlaw(readRule(text)), 'boolean');
  fc.assert(fc.property(fc.string(), (text) => assert.type(isFlaw(readRule(text)), 'boolean')));
});

test.run();
