import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { weekOf, writeDay, writeMoment } from '../../../../src/annexes/page/dates.ts';
import { instantOf, weekdayOf } from '../../../../src/calendar/time.ts';

const test = suite('dates of pages');

/** Days since 1970. */
const dayOf = (date: string) => Date.parse(date) / 86_400_000;

/** Days at both ends of a year, with their week by ISO 8601. */
const WEEKS: Readonly<Record<string, number>> = {
  '1969-12-29': 1,
  '2020-12-31': 53,
  '2024-12-30': 1,
  '2026-01-01': 1,
  '2026-11-20': 47,
  '2026-12-31': 53,
  '2027-01-03': 53,
  '2027-01-04': 1,
};

for (const [date, week] of Object.entries(WEEKS)) {
  test(`should count ${date} to week ${week}, by ISO 8601`, () => {
    assert.is(weekOf(dayOf(date)), week);
  });
}

/** Weekdays by number, Monday first. */
const WEEKDAYS: Readonly<Record<string, number>> = {
  '2026-11-22': 6,
  '2026-11-23': 0,
  '1969-12-29': 0,
};

for (const [date, weekday] of Object.entries(WEEKDAYS)) {
  test(`should number the weekday of ${date} ${weekday}, counted from Monday`, () => {
    assert.is(weekdayOf(dayOf(date)), weekday);
  });
}

const SUNDAY = dayOf('2026-11-22');
/** Five past one, on Norway's clock. */
const MOMENT = instantOf(SUNDAY * 86_400 + 3_900);

test('should write a day in Norwegian', () => {
  assert.is(writeDay(SUNDAY, 'long', 'nb'), 'søndag 22. november');
});

test('should write a day in English, without a comma after the weekday', () => {
  assert.is(writeDay(SUNDAY, 'long', 'en'), 'Sunday 22 November');
});

/** Seven days from a Monday on: the weekday, whole and short. */
const IN_NYNORSK = [
  ['måndag', 'mån.'],
  ['tysdag', 'tys.'],
  ['onsdag', 'ons.'],
  ['torsdag', 'tor.'],
  ['fredag', 'fre.'],
  ['laurdag', 'laur.'],
  ['søndag', 'søn.'],
];

test('I16: should write weekdays in Nynorsk, whatever data this Node has', () => {
  const monday = dayOf('2026-11-16');
  const written = IN_NYNORSK.map((_, at) => [
    writeDay(monday + at, 'weekday', 'nn'),
    writeDay(monday + at, 'shortWeekday', 'nn'),
  ]);
  assert.equal(written, IN_NYNORSK);
  assert.is(writeDay(SUNDAY, 'full', 'nn'), 'søndag 22. november 2026');
  assert.is(writeMoment(MOMENT, 'nn'), '22. november 2026 kl. 01.05');
});

test('should write a moment in Norwegian, with a full stop between hours and minutes', () => {
  assert.is(writeMoment(MOMENT, 'nb'), '22. november 2026 kl. 01.05');
});

test('should write a moment in English, with a colon between hours and minutes', () => {
  assert.is(writeMoment(MOMENT, 'en'), '22 November 2026 at 01:05');
});

test.run();
