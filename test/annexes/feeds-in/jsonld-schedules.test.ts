/** Random schedules of schema.org, through a build, against a reading of them day by day. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DAY, formatDay, osloDay, weekdayOf } from '../../../src/calendar/time.ts';
import { NOW } from '../../helpers/calendar.ts';
import { datesOf, serveFeed } from '../../helpers/feeds.ts';

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const FIRST = osloDay(NOW) + 1;
/** Builds look so far ahead. */
const HORIZON = Math.floor(Date.parse('2027-07-01T00:00:00Z') / 1000 / DAY);

const schedule = fc.record({
  unit: fc.constantFrom('D', 'W', 'M'),
  interval: fc.integer({ min: 1, max: 3 }),
  first: fc.integer({ min: FIRST, max: FIRST + 200 }),
  length: fc.option(fc.integer({ min: 0, max: 500 })),
  weekdays: fc.subarray([0, 1, 2, 3, 4, 5, 6], { maxLength: 3 }),
  monthWeek: fc.option(fc.constantFrom(1, 2, 3, 4, -1)),
  count: fc.option(fc.integer({ min: 1, max: 30 }), { freq: 4 }),
  except: fc.array(fc.integer({ min: FIRST, max: FIRST + 300 }), { maxLength: 10 }),
});
type Schedule = typeof schedule extends fc.Arbitrary<infer T> ? T : never;

const test = suite('random schedules');

test('L2: should give a hundred random schedules the dates that a calendar on the wall gives them', async () => {
  const schedules = fc
    .sample(schedule, { numRuns: 100, seed: 14 })
    .filter((drawn) => naively(drawn).length > 0);
  const events = schedules.map((drawn, at) => ({
    '@type': 'Event',
    '@id': `e${at}`,
    name: `Kor ${at}`,
    startDate: `${formatDay(drawn.first)}T19:00:00`,
    eventSchedule: written(drawn),
  }));
  const served = await serveFeed(JSON.stringify(events), { kind: 'jsonld' });
  let dates = 0;
  for (const [at, drawn] of schedules.entries()) {
    const starts = datesOf(await served.event(`e${at}`)).map((line) => line.slice(0, 16));
    const expected = naively(drawn).map((day) => `${formatDay(day)} 19:00`);
    assert.equal(starts, expected, JSON.stringify(drawn));
    dates += starts.length;
  }
  await served.close();
  assert.equal(served.report.findings, []);
  assert.ok(dates > 1_000, `${dates} dates`);
});

test.run();

function written({ unit, interval, first, length, weekdays, monthWeek, count, except }: Schedule): object {
  const isByWeek = unit === 'M' && weekdays.length > 0 && monthWeek !== null;
  return {
    '@type': 'Schedule',
    repeatFrequency: `P${interval}${unit}`,
    startDate: formatDay(first),
    ...(length === null ? {} : { endDate: formatDay(first + length) }),
    ...(weekdays.length === 0 ? {} : { byDay: weekdays.map((day) => `https://schema.org/${WEEKDAYS[day]}`) }),
    ...(isByWeek ? { byMonthWeek: monthWeek } : {}),
    ...(count === null ? {} : { repeatCount: count }),
    exceptDate: except.map(formatDay),
  };
}

/** Day by day, from the first to the last. Where there is a count, it and not the last day ends it. */
function naively(drawn: Schedule): readonly number[] {
  const { first, length, count, except } = drawn;
  const last = count === null && length !== null ? Math.min(first + length, HORIZON) : HORIZON;
  const days: number[] = [];
  let counted = 0;
  for (let day = first; day <= last && counted < (count ?? Number.POSITIVE_INFINITY); day++) {
    if (!isIn(day, drawn)) continue;
    counted++;
    if (!except.includes(day)) days.push(day);
  }
  return days;
}

function isIn(day: number, { unit, interval, first, weekdays, monthWeek }: Schedule): boolean {
  const isWeekday = weekdays.length === 0 || weekdays.includes(weekdayOf(day));
  if (unit === 'D') return (day - first) % interval === 0 && isWeekday;
  if (unit === 'W') {
    const weeks = (day - weekdayOf(day) - (first - weekdayOf(first))) / 7;
    return (
      weeks % interval === 0 && (weekdays.length === 0 ? weekdayOf(day) === weekdayOf(first) : isWeekday)
    );
  }
  const [date, begun] = [day, first].map((number) => new Date(number * DAY * 1000));
  if (date === undefined || begun === undefined) return false;
  const months =
    (date.getUTCFullYear() - begun.getUTCFullYear()) * 12 + date.getUTCMonth() - begun.getUTCMonth();
  if (months % interval !== 0) return false;
  if (weekdays.length === 0) return date.getUTCDate() === begun.getUTCDate();
  if (!isWeekday || monthWeek === null) return isWeekday;
  const daysOfMonth = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  const fromEnd = Math.floor((daysOfMonth - date.getUTCDate()) / 7) + 1;
  return monthWeek > 0 ? Math.ceil(date.getUTCDate() / 7) === monthWeek : fromEnd === -monthWeek;
}
