import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Calendar } from '../../jobs/records.ts';
import type { Series } from '../../jobs/recurrence/series.ts';
import { formatMinute } from '../../src/calendar/time.ts';
import { OCCURRENCE_FLAGS } from '../../src/snapshot/columns.ts';
import { date, event, instant, materialised, repeat, times } from '../helpers/records.ts';

const test = suite('dates and repeats');

/** An event without listed dates. */
const repeated = (id: string, ...series: readonly Series[]) => event(id, { dates: [], series });

test('A11: should leave out what is over at the build, to the second', async () => {
  const { calendar } = await materialised([
    event('ends now', { dates: [date('2026-11-20 10:00', '2026-11-20 12:00')] }),
    event('ends later', { dates: [date('2026-11-20 10:00', '2026-11-20 12:00:01')] }),
    event('open, three hours ago', { dates: [date('2026-11-20 09:00')] }),
    event('open, not yet', { dates: [date('2026-11-20 09:00:01')] }),
    repeated('rule ends now', repeat('FREQ=DAILY;COUNT=2', '2026-11-19 10:00', { duration: 120 })),
    repeated('rule ends later', repeat('FREQ=DAILY;COUNT=2', '2026-11-19 10:00', { duration: 121 })),
    repeated('long over', repeat('FREQ=DAILY;COUNT=3', '2026-10-01 20:00')),
  ]);
  assert.equal(
    calendar.events.map(({ id }) => id),
    ['ends later', 'open, not yet', 'rule ends later'],
  );
});

test('A11: should expand rules to the last day of the horizon, and keep dates beyond it', async () => {
  const { calendar } = await materialised(
    [
      event('a', {
        dates: [date('2031-01-01 20:00')],
        series: [repeat('FREQ=DAILY', '2026-11-18 23:59', { duration: 60 })],
      }),
    ],
    { horizonMonths: 1 },
  );
  const found = times(calendar, 'a');
  assert.is(calendar.horizonDay, '2026-12-20');
  assert.is(found[0], '2026-11-20 23:59:00+01:00 – 2026-11-21 00:59:00+01:00');
  assert.is(found.at(-2), '2026-12-20 23:59:00+01:00 – 2026-12-21 00:59:00+01:00');
  assert.is(found.at(-1), '2031-01-01 20:00:00+01:00');
});

test('A11: should keep a repeat that began long ago and still goes on', async () => {
  const { calendar } = await materialised([
    repeated('a', repeat('FREQ=MONTHLY;COUNT=2', '2026-10-01 10:00', { wallSpan: 30 * 86_400 })),
    repeated('b', repeat('FREQ=YEARLY;COUNT=1', '2020-01-01 10:00', { duration: 5_000_000 })),
  ]);
  assert.equal(times(calendar, 'a'), ['2026-11-01 10:00:00+01:00 – 2026-12-01 10:00:00+01:00']);
  assert.is(times(calendar, 'b').length, 1);
});

test('A11: should keep a repeat that goes on over a clock change at the build', async () => {
  // 01:30 and four hours by a stopwatch are 06:30 in the night that skips an hour.
  const events = [repeated('a', repeat('FREQ=DAILY;COUNT=1', '2027-03-28 01:30', { duration: 240 }))];
  const found = async (now: string) =>
    times((await materialised(events, { now: instant(now) })).calendar, 'a').length;
  assert.equal([await found('2027-03-28 06:29:59'), await found('2027-03-28 06:30')], [1, 0]);
});

test('F4: should keep a repeat on the wall clock over a clock change', async () => {
  const { calendar } = await materialised([
    repeated(
      'a',
      repeat('FREQ=WEEKLY;COUNT=3', '2027-03-21 20:00', { wallSpan: 5 * 3600, startTime: '19:30' }),
    ),
  ]);
  assert.equal(times(calendar, 'a'), [
    '2027-03-21 20:00:00+01:00 – 2027-03-22 01:00:00+01:00',
    '2027-03-28 20:00:00+02:00 – 2027-03-29 01:00:00+02:00',
    '2027-04-04 20:00:00+02:00 – 2027-04-05 01:00:00+02:00',
  ]);
  assert.equal([...calendar.occurrences.startTime], [1170, 1170, 1170]);
});

test('F4: should measure an end on the wall clock and a duration by a stopwatch', async () => {
  const night = (own: object) => [repeat('FREQ=DAILY;COUNT=2', '2027-03-26 22:00', own)];
  const { calendar } = await materialised([
    event('end', { dates: [], series: night({ wallSpan: 8 * 3600 }) }),
    event('minutes', { dates: [], series: night({ duration: 480 }) }),
  ]);
  assert.is(times(calendar, 'end')[1], '2027-03-27 22:00:00+01:00 – 2027-03-28 06:00:00+02:00');
  assert.is(times(calendar, 'minutes')[1], '2027-03-27 22:00:00+01:00 – 2027-03-28 07:00:00+02:00');
  const { event: of, duration } = calendar.occurrences;
  assert.equal(
    [...duration].filter((_, row) => of[row] === 0),
    [480, 420],
  );
  assert.equal(
    [...duration].filter((_, row) => of[row] === 1),
    [480, 480],
  );
});

test('A12: should move a start that a clock change skips, and keep its time as entered', async () => {
  const { calendar } = await materialised([
    repeated('spring', repeat('FREQ=DAILY;COUNT=3', '2027-03-27 02:30', { duration: 60 })),
    repeated('autumn', repeat('FREQ=DAILY;COUNT=2', '2027-10-31 02:30', { duration: 60 })),
  ]);
  assert.equal(times(calendar, 'spring'), [
    '2027-03-27 02:30:00+01:00 – 2027-03-27 03:30:00+01:00',
    '2027-03-28 03:30:00+02:00 – 2027-03-28 04:30:00+02:00',
    '2027-03-29 02:30:00+02:00 – 2027-03-29 03:30:00+02:00',
  ]);
  assert.is(times(calendar, 'autumn')[0], '2027-10-31 02:30:00+02:00 – 2027-10-31 02:30:00+01:00');
  assert.equal([...calendar.occurrences.startTime].map(formatMinute), [
    '02:30',
    '02:30',
    '02:30',
    '02:30',
    '02:30',
  ]);
});

test('G2: should drop the night on which a clock change puts the end before the start', async () => {
  const nightly = repeat('FREQ=DAILY;COUNT=2', '2027-03-27 02:30', { wallSpan: 1800 });
  const { calendar, findings } = await materialised([repeated('a', nightly)]);
  assert.equal(times(calendar, 'a'), ['2027-03-27 02:30:00+01:00 – 2027-03-27 03:00:00+01:00']);
  assert.equal(
    findings.map(({ action, field, found }) => [action, field, found]),
    [['dropped date', 'repeats[0].end', '2027-03-28 03:30:00+02:00 to 2027-03-28 03:00:00+02:00']],
  );
});

test('F4: should leave out exceptions by their start, and put a listed date in place of an expanded one', async () => {
  const wall = (text: string) => Date.parse(`${text}:00Z`) / 1000;
  const weekly = repeat('FREQ=WEEKLY;COUNT=4', '2026-11-24 20:00', {
    duration: 60,
    except: [wall('2026-12-01T20:00'), wall('2026-12-02T20:00')],
  });
  const once = repeat('FREQ=WEEKLY;COUNT=1', '2026-11-24 20:00');
  const listed = date('2026-12-08 20:00', '2026-12-08 23:00', { eventCancelled: true });
  const { calendar } = await materialised([
    event('a', {
      dates: [listed],
      series: [weekly, { ...weekly, rules: once.rules }],
    }),
  ]);
  assert.equal(times(calendar, 'a'), [
    '2026-11-24 20:00:00+01:00 – 2026-11-24 21:00:00+01:00',
    '2026-11-24 20:00:00+01:00 – 2026-11-24 21:00:00+01:00',
    '2026-12-08 20:00:00+01:00 – 2026-12-08 23:00:00+01:00',
    '2026-12-15 20:00:00+01:00 – 2026-12-15 21:00:00+01:00',
  ]);
  const { byRule, cancelled } = OCCURRENCE_FLAGS;
  assert.equal([...calendar.occurrences.occurrenceFlags], [byRule, byRule, cancelled, byRule]);
});

test('G2: should report a rule that is cut, and one that gives nothing', async () => {
  const { calendar, findings } = await materialised([
    repeated('busy', repeat('FREQ=MINUTELY', '2026-11-24 20:00')),
    repeated('never', repeat('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2026-11-24 20:00')),
    repeated('later', repeat('FREQ=YEARLY', '2031-11-24 20:00')),
    repeated('was', repeat('FREQ=DAILY;COUNT=2', '2020-11-24 20:00')),
  ]);
  assert.equal(
    calendar.events.map(({ id }) => id),
    ['busy'],
  );
  assert.is(calendar.occurrences.start.length, 10_000);
  assert.equal(
    findings.map(({ action, id, expected }) => [action, id, expected]),
    [
      ['cut rule', 'busy', 'at most 10000 occurrences'],
      ['cut rule', 'never', 'an occurrence on or before the horizon, 2028-05-20, that is not taken out'],
      ['cut rule', 'later', 'an occurrence on or before the horizon, 2028-05-20, that is not taken out'],
      ['over', 'was', 'a date to come of a new event'],
    ],
  );
});

test('G2: should count a series as over whose dates are past, even if all were taken out', async () => {
  const daily = (start: string) => {
    const first = Date.parse(`${start.replace(' ', 'T')}:00Z`) / 1000;
    return repeat('FREQ=DAILY;COUNT=2', start, { except: [first, first + 86_400] });
  };
  const { calendar, findings } = await materialised([
    repeated('past', daily('2020-11-24 20:00')),
    repeated('half', daily('2026-11-19 20:00')),
    repeated('coming', daily('2026-11-24 20:00')),
  ]);
  assert.equal(
    [calendar.events, findings.map(({ action, id }) => [action, id])],
    [
      [],
      [
        ['cut rule', 'half'],
        ['cut rule', 'coming'],
      ],
    ],
  );
});

/** Numbers of an event's rows, in order. */
function nths({ events, occurrences }: Calendar, id: string): readonly number[] {
  const ordinal = events.findIndex((one) => one.id === id);
  return [...occurrences.nth].filter((_, row) => occurrences.event[row] === ordinal);
}

const HOURS = 60;

test('A16: should count those with the same start in order of their ends and places', async () => {
  const at = '2026-11-21 20:00';
  const dates = [date(at, '2026-11-21 23:00'), date(at, '2026-11-21 22:00'), date(at, '2026-11-21 22:00')];
  const { calendar } = await materialised([event('a', { dates: [...dates, date('2026-11-22 20:00')] })]);
  assert.equal(nths(calendar, 'a'), [1, 2, 3, 1]);
});

test('A16: should count what is over at the build, listed, of one rule or of another', async () => {
  // Noon of 20 November: what lasts three hours is over, what lasts a day or longer is not.
  const start = '2026-11-20 09:00';
  const rule = (minutes: number, from = start) =>
    repeat('FREQ=DAILY;COUNT=12', from, { duration: minutes * HOURS });
  const { calendar } = await materialised([
    event('listed', { dates: [date(start, '2026-11-20 11:00'), date(start, '2026-11-20 13:00')] }),
    repeated('two rules', rule(13), rule(2)),
    // The long one of ten days ago goes on; the short one of that day began with it.
    repeated('long ago', rule(2, '2026-11-10 09:00'), rule(250, '2026-11-10 09:00')),
    repeated('alone', rule(250, '2026-11-10 09:00'), rule(2, '2026-11-10 10:00')),
    event('open', { dates: [date(start), date(start, '2026-11-20 11:00'), date(start, '2026-11-20 13:00')] }),
  ]);
  assert.equal(nths(calendar, 'listed'), [2]);
  assert.equal(nths(calendar, 'two rules').slice(0, 3), [2, 1, 2]);
  assert.equal(nths(calendar, 'long ago').slice(0, 2), [2, 2]);
  assert.ok(nths(calendar, 'alone').every((nth) => nth === 1));
  // Without an end it comes first, and is over at noon.
  assert.equal(nths(calendar, 'open'), [3]);
});

test('A15: should expand a rule of dates alone from midnight to midnight over clock changes', async () => {
  const days = repeat('FREQ=DAILY;COUNT=3', '2027-03-27 00:00', { allDay: true, wallSpan: 86_400 });
  const { calendar } = await materialised([repeated('a', days)]);
  assert.equal(times(calendar, 'a'), [
    '2027-03-27 00:00:00+01:00 – 2027-03-28 00:00:00+01:00',
    '2027-03-28 00:00:00+01:00 – 2027-03-29 00:00:00+02:00',
    '2027-03-29 00:00:00+02:00 – 2027-03-30 00:00:00+02:00',
  ]);
  const { duration, occurrenceFlags } = calendar.occurrences;
  assert.equal([...duration], [1440, 1380, 1440]);
  assert.ok(occurrenceFlags.every((flags) => flags === OCCURRENCE_FLAGS.allDay + OCCURRENCE_FLAGS.byRule));
});

test.run();
