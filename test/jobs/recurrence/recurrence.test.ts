/** F4: dates of recurrence rules, with examples of RFC 5545. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { formatWall } from '../../../src/calendar/time.ts';
import { wallAt } from '../../helpers/moments.ts';
import { expanded } from './expanding.ts';

const test = suite('recurrence');

interface Example {
  readonly rule: string;
  readonly start: string;
  readonly starts: string;
}

/** Examples of RFC 5545, 3.8.5.3, and of real calendars. A list of starts ends in `…` where more follow. */
const EXAMPLES: readonly Example[] = [
  { rule: 'FREQ=DAILY;COUNT=3', start: '2026-09-02 09:00', starts: '09-02 09-03 09-04' },
  {
    rule: 'FREQ=DAILY;INTERVAL=10;COUNT=5',
    start: '2026-09-02 09:00',
    starts: '09-02 09-12 09-22 10-02 10-12',
  },
  { rule: 'FREQ=WEEKLY;INTERVAL=2;WKST=SU', start: '2026-09-02 09:00', starts: '09-02 09-16 09-30 10-14 …' },
  {
    rule: 'FREQ=WEEKLY;UNTIL=20261007T000000Z;WKST=SU;BYDAY=TU,TH',
    start: '2026-09-22 09:00',
    starts: '09-22 09-24 09-29 10-01 10-06',
  },
  {
    rule: 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO',
    start: '1997-08-05 09:00',
    starts: '08-05 08-10 08-19 08-24',
  },
  {
    rule: 'FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU',
    start: '1997-08-05 09:00',
    starts: '08-05 08-17 08-19 08-31',
  },
  { rule: 'FREQ=MONTHLY;COUNT=4;BYDAY=1FR', start: '1997-09-05 09:00', starts: '09-05 10-03 11-07 12-05' },
  {
    rule: 'FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU',
    start: '1997-09-07 09:00',
    starts: '09-07 09-28 11-02 11-30',
  },
  { rule: 'FREQ=MONTHLY;COUNT=3;BYDAY=-2MO', start: '1997-09-22 09:00', starts: '09-22 10-20 11-17' },
  { rule: 'FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=3', start: '1997-09-28 09:00', starts: '09-28 10-29 11-28' },
  {
    rule: 'FREQ=MONTHLY;COUNT=5;BYMONTHDAY=15,30',
    start: '2007-01-15 09:00',
    starts: '01-15 01-30 02-15 03-15 03-30',
  },
  { rule: 'FREQ=MONTHLY;COUNT=3', start: '2007-01-31 09:00', starts: '01-31 03-31 05-31' },
  { rule: 'FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=2', start: '1998-01-02 09:00', starts: '02-13 03-13' },
  {
    rule: 'FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3',
    start: '1997-09-04 09:00',
    starts: '09-04 10-07 11-06',
  },
  {
    rule: 'FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=3',
    start: '1997-09-29 09:00',
    starts: '09-29 10-30 11-27',
  },
  {
    rule: 'FREQ=YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200',
    start: '1997-01-01 09:00',
    starts: '01-01 04-10 07-19 2000-01-01',
  },
  { rule: 'FREQ=YEARLY;BYDAY=20MO;COUNT=2', start: '1997-05-19 09:00', starts: '05-19 1998-05-18' },
  { rule: 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=2', start: '1997-05-12 09:00', starts: '05-12 1998-05-11' },
  {
    rule: 'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;WKST=FR;COUNT=2',
    start: '1997-05-12 09:00',
    starts: '05-19 1998-05-18',
  },
  {
    rule: 'FREQ=YEARLY;BYWEEKNO=1,2;COUNT=4',
    start: '2013-01-01 00:00',
    starts: '01-01 01-08 12-31 2014-01-07',
  },
  { rule: 'FREQ=YEARLY;BYWEEKNO=53;COUNT=1', start: '2023-01-01 00:00', starts: '2027-01-03' },
  { rule: 'FREQ=YEARLY;BYMONTH=3;BYDAY=TH;COUNT=3', start: '1997-03-13 09:00', starts: '03-13 03-20 03-27' },
  {
    rule: 'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=2',
    start: '1996-11-05 09:00',
    starts: '11-05 2000-11-07',
  },
  {
    rule: 'FREQ=YEARLY;BYDAY=FR;BYYEARDAY=-275,-276,-277,-278,-279,-280,-281;COUNT=3',
    start: '2006-03-31 02:00',
    starts: '03-31 2007-03-30 2008-03-28',
  },
  { rule: 'FREQ=YEARLY;COUNT=2', start: '2024-02-29 12:00', starts: '02-29 2028-02-29' },
  { rule: 'FREQ=WEEKLY;BYDAY=MO;COUNT=2;', start: '2014-10-06 09:00', starts: '10-06 10-13' },
  { rule: 'RRULE:freq=weekly;byday=mo;count=2', start: '2014-10-06 09:00', starts: '10-06 10-13' },
  { rule: ' RRULE:FREQ=WEEKLY;BYDAY=MO,MO;COUNT=2 ', start: '2014-10-06 09:00', starts: '10-06 10-13' },
];

/** `2026-09-02` of `09-02`, in the year of the start. */
function isoDays(starts: string, start: string): readonly string[] {
  return starts
    .split(' ')
    .filter((text) => text !== '…')
    .map((text) => (text.length === 5 ? start.slice(0, 5) + text : text));
}

for (const { rule, start, starts } of EXAMPLES)
  test(`F4: should expand ${rule} from ${start}`, () => {
    const { walls, cut } = expanded(rule, wallAt(start), { until: wallAt('2030-01-01 00:00') });
    const expected = isoDays(starts, start).map((day) => `${day} ${start.slice(11)}:00`);
    const found = starts.endsWith('…') ? walls.slice(0, expected.length) : walls;
    assert.equal(found.map(formatWall), expected);
    assert.is(cut, null);
  });

/** Rules from 09:00 on 2 September 1997, a Tuesday, and what they give: a start counts only where the rule gives it. */
const TIMES: Readonly<Record<string, string>> = {
  'FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000': '02 09:00, 02 12:00, 02 15:00',
  'FREQ=MINUTELY;INTERVAL=90;COUNT=3': '02 09:00, 02 10:30, 02 12:00',
  'FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,40;COUNT=5': '02 09:00, 02 09:40, 02 10:00, 02 10:40, 03 09:00',
  'FREQ=HOURLY;BYDAY=SA;BYHOUR=10,11;COUNT=3': '06 10:00, 06 11:00, 13 10:00',
  'FREQ=WEEKLY;BYDAY=WE;COUNT=2': '03 09:00, 10 09:00',
  // No clock shows a sixtieth second.
  'FREQ=DAILY;BYSECOND=60,0;COUNT=1': '02 09:00',
  'FREQ=MINUTELY;BYSECOND=60': '',
  'FREQ=YEARLY;BYDAY=1MO;BYSECOND=60': '',
};

test('F4: should expand BYHOUR, BYMINUTE and BYSECOND, and not count a start outside of the rule', () => {
  for (const [rule, starts] of Object.entries(TIMES)) {
    const { walls, cut } = expanded(rule, wallAt('1997-09-02 09:00'));
    const found = walls.map((one) => formatWall(one).slice(8, 16));
    assert.equal([found.join(', '), cut], [starts, null], rule);
  }
});

test('F4: should read UNTIL as the end of a day, as a local time, or as an instant', () => {
  const start = wallAt('2026-07-01 20:00');
  for (const [until, last] of [
    ['20260710', '2026-07-10 20:00:00'],
    ['20260710T200000', '2026-07-10 20:00:00'],
    ['20260710T195959', '2026-07-09 20:00:00'],
    // 18:00 in UTC is 20:00 in a Norwegian summer, 19:00 in winter.
    ['20260710T180000Z', '2026-07-10 20:00:00'],
    ['20261210T180000Z', '2026-12-09 20:00:00'],
  ] as const) {
    const { walls } = expanded(`FREQ=DAILY;UNTIL=${until}`, start);
    assert.is(walls.map(formatWall).at(-1), last, until);
  }
});

test('A11: should expand only the requested window and number', () => {
  const start = wallAt('2026-01-01 20:00');
  const wanted = { from: wallAt('2026-02-01 20:00'), until: wallAt('2026-02-05 19:59') };
  const keep = (one: number) => one !== wallAt('2026-02-02 20:00');
  const days = (more: object) =>
    expanded('FREQ=DAILY', start, { ...wanted, ...more }).walls.map((one) => formatWall(one).slice(5, 10));
  assert.equal(days({}), ['02-01', '02-02', '02-03', '02-04']);
  assert.equal(days({ keep, most: 2 }), ['02-01', '02-03']);
  assert.equal(days({ until: wallAt('2026-01-31 00:00') }), []);
});

test('F4: should count COUNT from the start, wherever the window begins', () => {
  const start = wallAt('2026-01-05 20:00');
  for (const rule of [
    'FREQ=WEEKLY;COUNT=10',
    'FREQ=MONTHLY;BYDAY=MO;COUNT=10',
    'FREQ=YEARLY;BYDAY=1MO,9MO,18MO,-1MO;COUNT=10',
  ]) {
    const all = expanded(rule, start).walls;
    assert.is(all.length, 10, rule);
    assert.equal(expanded(rule, start, { from: (all[5] ?? 0) + 1 }).walls, all.slice(6), rule);
  }
});

test.run();
