import fc from 'fast-check';
import { RRuleTemporal } from 'rrule-temporal';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createAllowance,
  KEPT_FREELY,
  KEPT_IN_COMMON,
  MOST_KEPT,
  MOST_WORK,
} from '../../jobs/recurrence/allowance.ts';
import { plainSeries } from '../../jobs/recurrence/plain.ts';
import { isFlaw, type Rule, readRule } from '../../jobs/recurrence/rule.ts';
import { type Expansion, expand, type Wanted } from '../../jobs/recurrence.ts';
import { DAY, formatWall, HOUR } from '../../src/calendar/time.ts';
import { expandByDefinition } from './recurrence/by-definition.ts';
import { libraryRules, plainRules, yearlyRules } from './recurrence/rules.ts';

const wall = (text: string) => Date.parse(`${text.replace(' ', 'T')}Z`) / 1000;

function ruleOf(text: string): Rule {
  const rule = readRule(text);
  if (isFlaw(rule)) throw new Error(`${text}: expected ${rule.expected}, found ${rule.part} ${rule.found}`);
  return rule;
}

function expanded(text: string, start: number, wanted: Partial<Wanted> = {}): Expansion {
  const until = wall('2028-12-31 23:59:59');
  return expand(ruleOf(text), { start, from: start, until, keep: () => true, ...wanted }, createAllowance());
}

const recurrence = suite('recurrence');

/** From the examples of RFC 5545, 3.8.5.3, and of what calendars in the wild write. A start ends in `…` when more follow. */
const EXAMPLES: readonly (readonly [rule: string, start: string, starts: string])[] = [
  ['FREQ=DAILY;COUNT=3', '2026-09-02 09:00', '09-02 09-03 09-04'],
  ['FREQ=DAILY;INTERVAL=10;COUNT=5', '2026-09-02 09:00', '09-02 09-12 09-22 10-02 10-12'],
  ['FREQ=WEEKLY;INTERVAL=2;WKST=SU', '2026-09-02 09:00', '09-02 09-16 09-30 10-14 …'],
  [
    'FREQ=WEEKLY;UNTIL=20261007T000000Z;WKST=SU;BYDAY=TU,TH',
    '2026-09-22 09:00',
    '09-22 09-24 09-29 10-01 10-06',
  ],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO', '1997-08-05 09:00', '08-05 08-10 08-19 08-24'],
  ['FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU', '1997-08-05 09:00', '08-05 08-17 08-19 08-31'],
  ['FREQ=MONTHLY;COUNT=4;BYDAY=1FR', '1997-09-05 09:00', '09-05 10-03 11-07 12-05'],
  ['FREQ=MONTHLY;INTERVAL=2;COUNT=4;BYDAY=1SU,-1SU', '1997-09-07 09:00', '09-07 09-28 11-02 11-30'],
  ['FREQ=MONTHLY;COUNT=3;BYDAY=-2MO', '1997-09-22 09:00', '09-22 10-20 11-17'],
  ['FREQ=MONTHLY;BYMONTHDAY=-3;COUNT=3', '1997-09-28 09:00', '09-28 10-29 11-28'],
  ['FREQ=MONTHLY;COUNT=5;BYMONTHDAY=15,30', '2007-01-15 09:00', '01-15 01-30 02-15 03-15 03-30'],
  ['FREQ=MONTHLY;COUNT=3', '2007-01-31 09:00', '01-31 03-31 05-31'],
  ['FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13;COUNT=2', '1998-01-02 09:00', '02-13 03-13'],
  ['FREQ=MONTHLY;COUNT=3;BYDAY=TU,WE,TH;BYSETPOS=3', '1997-09-04 09:00', '09-04 10-07 11-06'],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2;COUNT=3', '1997-09-29 09:00', '09-29 10-30 11-27'],
  ['FREQ=YEARLY;INTERVAL=3;COUNT=4;BYYEARDAY=1,100,200', '1997-01-01 09:00', '01-01 04-10 07-19 2000-01-01'],
  ['FREQ=YEARLY;BYDAY=20MO;COUNT=2', '1997-05-19 09:00', '05-19 1998-05-18'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;COUNT=2', '1997-05-12 09:00', '05-12 1998-05-11'],
  ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO;WKST=FR;COUNT=2', '1997-05-12 09:00', '05-19 1998-05-18'],
  ['FREQ=YEARLY;BYWEEKNO=1,2;COUNT=4', '2013-01-01 00:00', '01-01 01-08 12-31 2014-01-07'],
  ['FREQ=YEARLY;BYWEEKNO=53;COUNT=1', '2023-01-01 00:00', '2027-01-03'],
  ['FREQ=YEARLY;BYMONTH=3;BYDAY=TH;COUNT=3', '1997-03-13 09:00', '03-13 03-20 03-27'],
  [
    'FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8;COUNT=2',
    '1996-11-05 09:00',
    '11-05 2000-11-07',
  ],
  [
    'FREQ=YEARLY;BYDAY=FR;BYYEARDAY=-275,-276,-277,-278,-279,-280,-281;COUNT=3',
    '2006-03-31 02:00',
    '03-31 2007-03-30 2008-03-28',
  ],
  ['FREQ=YEARLY;COUNT=2', '2024-02-29 12:00', '02-29 2028-02-29'],
  ['FREQ=WEEKLY;BYDAY=MO;COUNT=2;', '2014-10-06 09:00', '10-06 10-13'],
  ['RRULE:freq=weekly;byday=mo;count=2', '2014-10-06 09:00', '10-06 10-13'],
  [' RRULE:FREQ=WEEKLY;BYDAY=MO,MO;COUNT=2 ', '2014-10-06 09:00', '10-06 10-13'],
];

/** `2026-09-02` of `09-02`, in the year of the start. */
function isoDays(starts: string, start: string): readonly string[] {
  return starts
    .split(' ')
    .filter((text) => text !== '…')
    .map((text) => (text.length === 5 ? start.slice(0, 5) + text : text));
}

for (const [rule, start, starts] of EXAMPLES)
  recurrence(`F4: should expand ${rule} from ${start}`, () => {
    const { walls, cut } = expanded(rule, wall(start), { until: wall('2030-01-01 00:00') });
    const expected = isoDays(starts, start).map((day) => `${day} ${start.slice(11)}:00`);
    const found = starts.endsWith('…') ? walls.slice(0, expected.length) : walls;
    assert.equal(found.map(formatWall), expected);
    assert.is(cut, null);
  });

recurrence('F4: should expand times of day, within days and within hours', () => {
  const from = wall('1997-09-02 09:00');
  const times = (text: string) => expanded(text, from).walls.map((one) => formatWall(one).slice(5, 16));
  assert.equal(times('FREQ=HOURLY;INTERVAL=3;UNTIL=19970902T170000'), [
    '09-02 09:00',
    '09-02 12:00',
    '09-02 15:00',
  ]);
  assert.equal(times('FREQ=MINUTELY;INTERVAL=90;COUNT=3'), ['09-02 09:00', '09-02 10:30', '09-02 12:00']);
  assert.equal(times('FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,40;COUNT=5'), [
    '09-02 09:00',
    '09-02 09:40',
    '09-02 10:00',
    '09-02 10:40',
    '09-03 09:00',
  ]);
  assert.equal(times('FREQ=HOURLY;BYDAY=SA;BYHOUR=10,11;COUNT=3'), [
    '09-06 10:00',
    '09-06 11:00',
    '09-13 10:00',
  ]);
});

recurrence('F4: should not count a start that the rule does not give', () => {
  const monday = wall('2026-11-16 20:00');
  assert.equal(expanded('FREQ=WEEKLY;BYDAY=TU;COUNT=2', monday).walls.map(formatWall), [
    '2026-11-17 20:00:00',
    '2026-11-24 20:00:00',
  ]);
});

recurrence('F4: should take UNTIL as a day to its end, as a wall clock, or as a moment', () => {
  const start = wall('2026-07-01 20:00');
  const last = (until: string) => expanded(`FREQ=DAILY;UNTIL=${until}`, start).walls.at(-1) ?? 0;
  assert.is(formatWall(last('20260710')), '2026-07-10 20:00:00');
  assert.is(formatWall(last('20260710T200000')), '2026-07-10 20:00:00');
  assert.is(formatWall(last('20260710T195959')), '2026-07-09 20:00:00');
  // 18:00 in UTC is 20:00 in a Norwegian summer, 19:00 in winter.
  assert.is(formatWall(last('20260710T180000Z')), '2026-07-10 20:00:00');
  assert.is(formatWall(last('20261210T180000Z')), '2026-12-09 20:00:00');
});

recurrence('should give only what is wanted: from, until, kept, and not too many', () => {
  const start = wall('2026-01-01 20:00');
  const wanted = { from: wall('2026-02-01 20:00'), until: wall('2026-02-05 19:59') };
  assert.equal(expanded('FREQ=DAILY', start, wanted).walls.map(formatWall), [
    '2026-02-01 20:00:00',
    '2026-02-02 20:00:00',
    '2026-02-03 20:00:00',
    '2026-02-04 20:00:00',
  ]);
  const keep = (one: number) => one !== wall('2026-02-02 20:00');
  assert.equal(expanded('FREQ=DAILY', start, { ...wanted, keep, most: 2 }).walls.map(formatWall), [
    '2026-02-01 20:00:00',
    '2026-02-03 20:00:00',
  ]);
  assert.equal(expanded('FREQ=DAILY', start, { ...wanted, until: wall('2026-01-31 00:00') }).walls, []);
});

recurrence('F4: should count COUNT from the start, wherever the wanted part begins', () => {
  const start = wall('2026-01-05 20:00');
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

recurrence('should know a sixtieth second as one that no clock shows', () => {
  const start = wall('2026-01-05 20:00');
  assert.equal(expanded('FREQ=MINUTELY;BYSECOND=60', start), { walls: [], cut: null });
  assert.equal(expanded('FREQ=YEARLY;BYDAY=1MO;BYSECOND=60', start).walls, []);
  assert.equal(expanded('FREQ=DAILY;BYSECOND=60,0;COUNT=1', start).walls, [start]);
});

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
    assert.ok(read.found.length <= 80);
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

const starts = fc
  .integer({ min: wall('2024-01-01 00:00') / 60, max: wall('2027-01-01 00:00') / 60 })
  .map((minutes) => minutes * 60);

/** The library's own answer in one go: COUNT and UNTIL are its business here. */
function byLibrary(text: string, start: number, until: number): readonly number[] {
  const begin = formatWall(start).replace(' ', 'T').replace(/[-:]/g, '');
  // It wants UNTIL in UTC, which here is the wall clock.
  const rule = text.replace(/(UNTIL=\d+T\d+)/, '$1Z');
  const library = new RRuleTemporal({
    rruleString: `DTSTART:${begin}Z\nRRULE:${rule}`,
    maxIterations: 1_000_000,
  });
  return library
    .between(new Date(start * 1000), new Date(until * 1000), true)
    .map((one) => one.epochMilliseconds / 1000);
}

recurrence('should expand plain rules as the library does', () => {
  fc.assert(
    fc.property(plainRules, starts, fc.integer({ min: -40 * DAY, max: 400 * DAY }), (text, start, later) => {
      assert.ok(plainSeries(ruleOf(text), start) !== null, text);
      const until = start + 30 * DAY;
      const expected = byLibrary(text, start, until).filter((one) => one >= start + later);
      const { walls, cut } = expanded(text, start, { from: start + later, until });
      assert.equal(walls, expected.slice(0, walls.length), text);
      assert.ok(walls.length === expected.length || (cut !== null && walls.length === MOST_KEPT), text);
    }),
  );
});

recurrence('should expand other rules as RFC 5545 defines them, stretch by stretch', () => {
  const until = wall('2028-01-01 00:00');
  fc.assert(
    fc.property(libraryRules, starts, fc.boolean(), (text, start, fromNow) => {
      const limit = Math.min(until, untilOf(text));
      const from = fromNow ? wall('2026-11-20 10:00') : start;
      const expected = expandByDefinition(text, start, limit).filter((one) => one >= from);
      assert.equal(expanded(text, start, { from, until }), { walls: expected, cut: null }, text);
    }),
    { numRuns: 150 },
  );
});

recurrence('should lose nothing where one stretch of the library ends and the next begins', () => {
  const months = 'BYMONTH=1,2,3,4,5,6,7,8,9,10,11,12';
  const start = wall('2010-01-01 20:00');
  for (const [rule, step, until] of [
    [`FREQ=DAILY;${months}`, DAY, '2028-12-31 20:00'],
    [`FREQ=HOURLY;${months}`, HOUR, '2011-01-31 20:00'],
    [`FREQ=MINUTELY;INTERVAL=15;${months}`, 900, '2010-03-31 20:00'],
  ] as const) {
    const { walls, cut } = expanded(rule, start, { until: wall(until) });
    const count = (wall(until) - start) / step + 1;
    assert.equal([walls.length, cut, walls.at(-1)], [count, null, wall(until)], rule);
  }
});

recurrence('should expand years as RFC 5545 defines them, where the library does not', () => {
  const until = wall('2029-01-01 00:00');
  fc.assert(
    fc.property(yearlyRules, starts, fc.boolean(), (text, start, fromNow) => {
      const limit = Math.min(until, untilOf(text));
      const from = fromNow ? wall('2026-11-20 10:00') : start;
      const expected = expandByDefinition(text, start, limit).filter((one) => one >= from);
      assert.equal(expanded(text, start, { from, until }), { walls: expected, cut: null }, text);
    }),
    { numRuns: 150 },
  );
});

function untilOf(text: string): number {
  const [, day] = /UNTIL=202707(\d\d)T180000/.exec(text) ?? [];
  return day === undefined ? Number.POSITIVE_INFINITY : wall(`2027-07-${day} 18:00`);
}

const LONG_AGO = wall('1890-01-01 12:00');
const NOW = wall('2026-11-20 10:00');
const ALL_MINUTES = Array.from({ length: 60 }, (_, minute) => minute).join(',');
const ALL_HOURS = Array.from({ length: 24 }, (_, hour) => hour).join(',');

for (const rule of [
  'FREQ=SECONDLY',
  'FREQ=SECONDLY;COUNT=999999999',
  'FREQ=SECONDLY;COUNT=999999999999999;BYDAY=MO',
  'FREQ=SECONDLY;INTERVAL=61;BYSECOND=5,25',
  'FREQ=SECONDLY;BYYEARDAY=366',
  'FREQ=MINUTELY;INTERVAL=999999999999999',
  'FREQ=HOURLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30;COUNT=3',
  'FREQ=MONTHLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
  'FREQ=YEARLY;BYWEEKNO=53;BYYEARDAY=100',
  'FREQ=YEARLY;INTERVAL=999999999;BYDAY=1MO',
  'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=366,-366',
  `FREQ=DAILY;BYHOUR=${ALL_HOURS};BYMINUTE=${ALL_MINUTES};BYSECOND=${ALL_MINUTES}`,
  `FREQ=YEARLY;BYHOUR=${ALL_HOURS};BYMINUTE=${ALL_MINUTES};BYSECOND=${ALL_MINUTES}`,
  `FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYHOUR=${ALL_HOURS};BYMINUTE=${ALL_MINUTES};BYSECOND=${ALL_MINUTES};BYSETPOS=-1`,
  `FREQ=MONTHLY;BYDAY=MO;BYHOUR=${ALL_HOURS};BYMINUTE=${ALL_MINUTES};BYSECOND=${ALL_MINUTES};BYSETPOS=1,-1`,
  `FREQ=WEEKLY;BYHOUR=${ALL_HOURS};BYMINUTE=${ALL_MINUTES};BYSECOND=${ALL_MINUTES};BYSETPOS=1`,
])
  recurrence(`MUST bound ${rule.slice(0, 60)}, and always give the same`, () => {
    for (const start of [LONG_AGO, NOW]) {
      const wanted = { from: NOW, until: wall('9998-12-31 23:59:59') };
      const first = expanded(rule, start, wanted);
      assert.ok(first.walls.length <= MOST_KEPT);
      assert.equal(expanded(rule, start, wanted), first);
      assert.ok(first.walls.every((one) => one >= NOW));
    }
  });

recurrence('G2: should say which bound cut a rule', () => {
  assert.is(expanded('FREQ=SECONDLY', NOW).cut, `at most ${MOST_KEPT} occurrences`);
  assert.is(expanded('FREQ=SECONDLY', NOW).walls.length, MOST_KEPT);
  const never = expanded('FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', LONG_AGO);
  assert.equal(never, { walls: [], cut: `at most ${MOST_WORK} readings to look at` });
});

recurrence('should not let exceptions be a way around the bounds', () => {
  const { walls, cut } = expanded('FREQ=SECONDLY', NOW, { keep: () => false });
  assert.equal([walls.length, cut], [0, `at most ${MOST_WORK} readings to look at`]);
});

recurrence('should bound all rules of a build together, and leave each its own part', () => {
  const allowance = createAllowance();
  const wanted = { start: NOW, from: NOW, until: NOW + DAY, keep: () => true };
  const secondly = ruleOf('FREQ=SECONDLY');
  const greedy = Math.ceil(KEPT_IN_COMMON / (MOST_KEPT - KEPT_FREELY));
  const kept = Array.from({ length: greedy + 3 }, () => expand(secondly, wanted, allowance).walls.length);
  assert.equal([kept[0], kept.at(-1)], [MOST_KEPT, KEPT_FREELY]);
  const hourly = expand(ruleOf('FREQ=HOURLY'), wanted, allowance);
  assert.equal([hourly.walls.length, hourly.cut], [DAY / HOUR + 1, null]);
});

recurrence.run();
