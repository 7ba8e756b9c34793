import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isFlaw, readRule } from '../../jobs/recurrence/rule.ts';

const recurrence = suite('recurrence rule');

for (const [text, part] of [
  ['', ''],
  ['RRULE:', ''],
  ['nonsense', 'NONSENSE'],
  ['COUNT=3', 'FREQ'],
  ['FREQ=FORTNIGHTLY', 'FREQ'],
  ['FREQ=', 'FREQ'],
  ['FREQ=DAILY;COUNT=3;COUNT=4', 'COUNT'],
  ['FREQ=DAILY;COUNT=0', 'COUNT'],
  ['FREQ=DAILY;COUNT=-1', 'COUNT'],
  ['FREQ=DAILY;COUNT=many', 'COUNT'],
  ['FREQ=DAILY;COUNT=1.5', 'COUNT'],
  ['FREQ=DAILY;COUNT=9999999999999999', 'COUNT'],
  ['FREQ=DAILY;INTERVAL=0', 'INTERVAL'],
  ['FREQ=DAILY;INTERVAL=', 'INTERVAL'],
  ['FREQ=DAILY;UNTIL=2026-12-31', 'UNTIL'],
  ['FREQ=DAILY;UNTIL=20260230', 'UNTIL'],
  ['FREQ=DAILY;UNTIL=20261231T250000Z', 'UNTIL'],
  ['FREQ=DAILY;UNTIL=garbage', 'UNTIL'],
  ['FREQ=DAILY;COUNT=3;UNTIL=20261231', 'COUNT'],
  ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY'],
  ['FREQ=WEEKLY;BYDAY=', 'BYDAY'],
  ['FREQ=WEEKLY;BYDAY=MO,', 'BYDAY'],
  ['FREQ=WEEKLY;BYDAY=1MO', 'BYDAY'],
  ['FREQ=MONTHLY;BYDAY=0MO', 'BYDAY'],
  ['FREQ=MONTHLY;BYDAY=54MO', 'BYDAY'],
  ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY'],
  ['FREQ=MONTHLY;BYMONTHDAY=32', 'BYMONTHDAY'],
  ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY'],
  ['FREQ=YEARLY;BYMONTH=13', 'BYMONTH'],
  ['FREQ=YEARLY;BYMONTH=-1', 'BYMONTH'],
  ['FREQ=YEARLY;BYYEARDAY=367', 'BYYEARDAY'],
  ['FREQ=DAILY;BYYEARDAY=100', 'BYYEARDAY'],
  ['FREQ=MONTHLY;BYWEEKNO=20', 'BYWEEKNO'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO', 'BYWEEKNO'],
  ['FREQ=DAILY;BYHOUR=24', 'BYHOUR'],
  ['FREQ=DAILY;BYMINUTE=60', 'BYMINUTE'],
  ['FREQ=DAILY;BYSECOND=61', 'BYSECOND'],
  ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=0', 'BYSETPOS'],
  ['FREQ=MONTHLY;BYDAY=MO;BYSETPOS=367', 'BYSETPOS'],
  ['FREQ=DAILY;WKST=XX', 'WKST'],
  ['FREQ=DAILY;X-FOO=1', 'X-FOO=1'],
  ['FREQ=DAILY;RSCALE=CHINESE', 'RSCALE=CHINESE'],
  ['FREQ=DAILY;__proto__=1', '__PROTO__=1'],
  ['FREQ=DAILY;;COUNT=3', ''],
  ['FREQ=DAILY\nDTSTART:20260101T000000Z', 'FREQ'],
] as const)
  recurrence(`G2: MUST refuse the rule ${JSON.stringify(text)} and say which part`, () => {
    const read = readRule(text);
    if (!isFlaw(read)) throw new Error('expected a flaw, found a rule');
    assert.is(read.part, part);
    assert.ok(read.expected.length > 0);
    assert.ok(read.found.length <= 200);
  });

recurrence('G2: MUST name all wrong parts of a rule', () => {
  assert.equal(readRule('FREQ=WEEKLY;BYDAY=XX;COUNT=0'), {
    part: 'BYDAY,COUNT',
    expected: 'BYDAY: weekdays such as MO or, within a month or year, -1FR; COUNT: a positive whole number',
    found: 'BYDAY: XX; COUNT: 0',
  });
});

recurrence('G2: MUST read hostile text of any length without choking', () => {
  for (const text of [
    'BYDAY='.repeat(100_000),
    `FREQ=DAILY;BYDAY=${'MO,'.repeat(100_000)}MO`,
    ';'.repeat(100_000),
  ])
    assert.type(isFlaw(readRule(text)), 'boolean');
  fc.assert(fc.property(fc.string(), (text) => assert.type(isFlaw(readRule(text)), 'boolean')));
});

recurrence.run();
