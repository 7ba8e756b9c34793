/** A11: bounds on the work and the dates of recurrence rules. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createAllowance,
  FREE_OCCURRENCES,
  MOST_IN_BUILD,
  MOST_OCCURRENCES,
  MOST_STEPS,
  SHARED_OCCURRENCES,
} from '../../../jobs/recurrence/allowance.ts';
import { expand } from '../../../jobs/recurrence/expand.ts';
import { DAY, HOUR } from '../../../src/calendar/time.ts';
import { assertAtLeast, assertAtMost } from '../../helpers/assertions.ts';
import { wallAt } from '../../helpers/moments.ts';
import { expanded, ruleOf } from './expanding.ts';

const test = suite('recurrence bounds');

const LONG_AGO = wallAt('1890-01-01 12:00');
const NOW = wallAt('2026-11-20 10:00');
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
  test(`should bound ${rule.slice(0, 60)}, and always give the same`, () => {
    const wanted = { from: NOW, until: wallAt('9998-12-31 23:59:59') };
    const expansions = [LONG_AGO, NOW].map((start) => expanded(rule, start, wanted));
    for (const { walls } of expansions) {
      assertAtMost(walls.length, MOST_OCCURRENCES, 'occurrences');
      assertAtLeast(Math.min(NOW, ...walls), NOW, 'as the first occurrence');
    }
    // Only from now: a second expansion of centuries would take too long.
    assert.equal(expanded(rule, NOW, wanted), expansions[1]);
  });

test('G2: should say which bound cut a rule', () => {
  assert.is(expanded('FREQ=SECONDLY', NOW).cut, `at most ${MOST_OCCURRENCES} occurrences`);
  assert.is(expanded('FREQ=SECONDLY', NOW).walls.length, MOST_OCCURRENCES);
  const never = expanded('FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30', LONG_AGO);
  assert.equal(never, { walls: [], cut: `at most ${MOST_STEPS} steps` });
});

test('A11: should count excluded dates towards the bounds', () => {
  const { walls, cut } = expanded('FREQ=SECONDLY', NOW, { keep: () => false });
  assert.equal([walls.length, cut], [0, `at most ${MOST_STEPS} steps`]);
});

test('A11: should bound all rules of a build together, and leave each its own part', () => {
  const allowance = createAllowance();
  const wanted = { start: NOW, from: NOW, until: NOW + DAY, keep: () => true };
  const secondly = ruleOf('FREQ=SECONDLY');
  const greedy = Math.ceil(SHARED_OCCURRENCES / (MOST_OCCURRENCES - FREE_OCCURRENCES));
  const kept = Array.from(
    { length: greedy + 3 },
    () => expand(secondly, wanted, allowance.forEvent()).walls.length,
  );
  assert.equal([kept[0], kept.at(-1)], [MOST_OCCURRENCES, FREE_OCCURRENCES]);
  const hourly = expand(ruleOf('FREQ=HOURLY'), wanted, allowance.forEvent());
  assert.equal([hourly.walls.length, hourly.cut], [DAY / HOUR + 1, null]);
});

test('G2: should name the number that an event has when the events of a build have used their limit', () => {
  const { forEvent } = createAllowance();
  const isGranted = () => forEvent().takeOccurrences(MOST_OCCURRENCES) === null;
  while (isGranted());
  const event = forEvent();
  const left = SHARED_OCCURRENCES % (MOST_OCCURRENCES - FREE_OCCURRENCES);
  assert.is(event.takeOccurrences(FREE_OCCURRENCES + left), null);
  const bound = `at most ${FREE_OCCURRENCES + left} occurrences, because all events share a limit`;
  assert.is(event.takeOccurrences(1), bound);
});

test('A11: should bound all rules of an event together', () => {
  const event = createAllowance().forEvent();
  const wanted = { start: NOW, from: NOW, until: NOW + DAY, keep: () => true };
  const kept = ['FREQ=MINUTELY', 'FREQ=SECONDLY', 'FREQ=HOURLY'].map((rule) =>
    expand(ruleOf(rule), wanted, event),
  );
  assert.equal(
    kept.map(({ walls, cut }) => [walls.length, cut]),
    [
      [1441, null],
      [MOST_OCCURRENCES - 1441, `at most ${MOST_OCCURRENCES} occurrences`],
      [0, `at most ${MOST_OCCURRENCES} occurrences`],
    ],
  );
});

test('A11: should bound the dates of a source full of hostile rules', () => {
  const allowance = createAllowance();
  let granted = 0;
  for (let event = 0; event <= MOST_IN_BUILD / FREE_OCCURRENCES; event++) {
    const event = allowance.forEvent();
    for (let kept = 0; kept < FREE_OCCURRENCES && event.takeOccurrences(1) === null; kept++) granted++;
  }
  assert.is(granted, MOST_IN_BUILD);
});

test.run();
