/** A11 to A13: Norway's clock, with its changes in spring and autumn. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseInputDatetime } from '../../../src/calendar/input-datetime.ts';
import {
  addMonths,
  DAY,
  formatDay,
  formatMinute,
  formatOslo,
  formatWall,
  HOUR,
  instantOf,
  OPEN_ENDED_SECONDS,
  osloDay,
  osloMinute,
  osloOffset,
  overAt,
  startOfDay,
  wallOf,
} from '../../../src/calendar/time.ts';
import { assertAtMost } from '../../helpers/assertions.ts';
import { instantAt, wallAt } from '../../helpers/moments.ts';
import { wallOf as wallByIntl } from '../../oracle/clock.ts';

const recent = fc.integer({ min: instantAt('1970-01-01T00:00:00Z'), max: instantAt('2100-01-01T00:00:00Z') });
const ever = fc.integer({ min: instantAt('1896-01-01T00:00:00Z'), max: instantAt('9998-12-31T00:00:00Z') });
/** Around the clock changes, where everything that can go wrong does. */
const change = fc
  .tuple(
    fc.integer({ min: 1980, max: 2095 }),
    fc.constantFrom(2, 9),
    fc.integer({ min: -3 * HOUR, max: 3 * HOUR }),
  )
  .map(([year, month, beside]) => {
    const last = new Date(Date.UTC(year, month + 1, 0));
    return (last.getTime() - last.getUTCDay() * DAY * 1000) / 1000 + HOUR + beside;
  });

const time = suite('time');

time('A1: should be over at the end, or three hours after the start without one', () => {
  assert.is(overAt(1000, 1001), 1001);
  assert.is(overAt(1000, 1000), 1000 + OPEN_ENDED_SECONDS);
  assert.is(OPEN_ENDED_SECONDS, 10_800);
});

time('should read the wall clock as the engine does, at any instant of 8,000 years', () => {
  for (const instants of [recent, ever, change])
    fc.assert(fc.property(instants, (instant) => assert.is(wallOf(instant), wallByIntl(instant))));
});

time('should refuse a number that is no instant', () => {
  assert.throws(() => osloOffset(Number.NaN), /expected an instant/);
});

interface ReadingCase {
  readonly why: string;
  readonly reading: string;
  readonly instant: string;
}

/** A12, case by case. */
const READINGS: readonly ReadingCase[] = [
  {
    why: 'the last second before the gap',
    reading: '2026-03-29 01:59:59',
    instant: '2026-03-29T01:59:59+01:00',
  },
  {
    why: 'the first skipped second moves by the gap',
    reading: '2026-03-29 02:00:00',
    instant: '2026-03-29T03:00:00+02:00',
  },
  {
    why: 'the middle of the gap',
    reading: '2026-03-29 02:30:00',
    instant: '2026-03-29T03:30:00+02:00',
  },
  {
    why: 'the last skipped second',
    reading: '2026-03-29 02:59:59',
    instant: '2026-03-29T03:59:59+02:00',
  },
  {
    why: 'the first second of the double hour is read as the earlier one',
    reading: '2026-10-25 02:00:00',
    instant: '2026-10-25T02:00:00+02:00',
  },
  {
    why: 'the middle of the double hour',
    reading: '2026-10-25 02:30:00',
    instant: '2026-10-25T02:30:00+02:00',
  },
  {
    why: 'the first second after it',
    reading: '2026-10-25 03:00:00',
    instant: '2026-10-25T03:00:00+01:00',
  },
  {
    why: 'midnight after the autumn change',
    reading: '2026-10-26 00:00:00',
    instant: '2026-10-26T00:00:00+01:00',
  },
  {
    why: 'a year without summer time',
    reading: '1970-07-01 12:00:00',
    instant: '1970-07-01T12:00:00+01:00',
  },
  {
    why: 'the first year of the present rule',
    reading: '1996-10-27 02:30:00',
    instant: '1996-10-27T02:30:00+02:00',
  },
];

for (const { why, reading, instant } of READINGS)
  time(`A12: should find the instant of ${reading} (${why})`, () => {
    assert.is(formatOslo(instantOf(wallAt(reading))), formatOslo(instantAt(instant)));
  });

/** Instants that could read so, given any offset Norway has had since 1895. */
const candidates = (reading: number) =>
  [2 * HOUR, HOUR].map((offset) => reading - offset).filter((instant) => wallByIntl(instant) === reading);

time('A12: should give back every reading that exists, as the first instant that has it', () => {
  for (const instants of [recent, change])
    fc.assert(
      fc.property(instants, (instant) => {
        const reading = wallByIntl(instant);
        assert.is(instantOf(reading), candidates(reading)[0]);
      }),
    );
});

time('A12: should move every reading that does not exist forward by an hour', () => {
  const skipped = fc
    .tuple(fc.integer({ min: 1996, max: 2095 }), fc.integer({ min: 0, max: HOUR - 1 }))
    .map(([year, second]) => {
      const last = new Date(Date.UTC(year, 3, 0));
      return (last.getTime() - last.getUTCDay() * DAY * 1000) / 1000 + 2 * HOUR + second;
    });
  fc.assert(
    fc.property(skipped, (reading) => {
      assert.equal(candidates(reading), []);
      assert.is(wallByIntl(instantOf(reading)), reading + HOUR);
    }),
  );
});

time('should know the day and the minute of an instant in Norway', () => {
  assert.is(formatDay(osloDay(instantAt('2026-06-30T22:30:00Z'))), '2026-07-01');
  assert.is(formatDay(osloDay(instantAt('2026-12-31T22:59:59Z'))), '2026-12-31');
  assert.is(osloMinute(instantAt('2026-06-30T22:30:59Z')), 30);
  assert.is(osloMinute(instantAt('1969-12-31T22:59:00Z')), 23 * 60 + 59);
  fc.assert(
    fc.property(recent, (instant) => {
      const seconds = osloDay(instant) * DAY + osloMinute(instant) * 60;
      assert.is(seconds, Math.floor(wallByIntl(instant) / 60) * 60);
    }),
  );
});

time('should begin each day at midnight in Norway, also on days with a clock change', () => {
  assert.is(startOfDay(osloDay(instantAt('2026-03-29T12:00:00Z'))), instantAt('2026-03-29T00:00:00+01:00'));
  assert.is(startOfDay(osloDay(instantAt('2026-03-30T12:00:00Z'))), instantAt('2026-03-30T00:00:00+02:00'));
  fc.assert(fc.property(recent, (instant) => assertAtMost(startOfDay(osloDay(instant)), instant)));
});

time('A13: should write datetimes with the offset in force that day, bookkeeping in UTC', () => {
  assert.is(formatOslo(instantAt('2026-07-01T18:05:09Z')), '2026-07-01 20:05:09+02:00');
  assert.is(formatOslo(instantAt('2026-12-31T23:00:00Z')), '2027-01-01 00:00:00+01:00');
  assert.is(formatOslo(instantAt('2026-10-25T00:30:00Z')), '2026-10-25 02:30:00+02:00');
  assert.is(formatOslo(instantAt('2026-10-25T01:30:00Z')), '2026-10-25 02:30:00+01:00');
});

time('A13: should write 25 characters that read back as the same second', () => {
  fc.assert(
    fc.property(fc.oneof(recent, ever, change), (instant) => {
      const text = formatOslo(instant);
      assert.is(text.length, 25);
      assert.is(parseInputDatetime(text), instant);
      assert.is(instantAt(text.replace(' ', 'T')), instant);
      assert.is(parseInputDatetime(`${formatWall(instant)}+00:00`), instant);
    }),
  );
});

time('should write readings, days and minutes in fixed forms', () => {
  assert.is(formatWall(wallAt('0001-01-02 03:04:05')), '0001-01-02 03:04:05');
  assert.is(formatWall(wallAt('9999-12-30 23:59:59')), '9999-12-30 23:59:59');
  assert.is(formatWall(-1), '1969-12-31 23:59:59');
  assert.equal([0, -1, 0, 20_000].map(formatDay), ['1970-01-01', '1969-12-31', '1970-01-01', '2024-10-04']);
  assert.equal([0, 9, 60, 1439].map(formatMinute), ['00:00', '00:09', '01:00', '23:59']);
  fc.assert(
    fc.property(ever, (reading) =>
      assert.is(formatWall(reading), new Date(reading * 1000).toISOString().slice(0, 19).replace('T', ' ')),
    ),
  );
});

const day = (text: string) => wallAt(`${text} 00:00:00`) / DAY;

for (const { from, months, to } of [
  { from: '2026-11-20', months: 18, to: '2028-05-20' },
  { from: '2026-08-31', months: 6, to: '2027-02-28' },
  { from: '2027-08-31', months: 6, to: '2028-02-29' },
  { from: '2026-01-31', months: 1, to: '2026-02-28' },
  { from: '2026-12-01', months: 1, to: '2027-01-01' },
  { from: '2026-11-20', months: 0, to: '2026-11-20' },
] as const)
  time(`A11: should count ${months} months on from ${from} to ${to}`, () => {
    assert.is(formatDay(addMonths(day(from), months)), to);
  });

time.run();
