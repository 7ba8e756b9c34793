/** A11, A12, A15, F4: occurrences of listed dates and of repeats, also over clock changes. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findingLine } from '../../../jobs/findings.ts';
import type { Series } from '../../../jobs/recurrence/series.ts';
import { formatMinute } from '../../../src/calendar/time.ts';
import { OCCURRENCE_FLAGS } from '../../../src/snapshot/flags.ts';
import { costsAtMost } from '../../helpers/cost.ts';
import { wallAt } from '../../helpers/moments.ts';
import { date, event, instant, materialised, repeat, times } from '../../helpers/records.ts';

const test = suite('dates and repeats');

/** An event without listed dates. */
const repeated = (id: string, ...series: readonly Series[]) => event(id, { dates: [], series });

test('A11: should leave out dates that are over at the build, to the second', async () => {
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
  const series = [repeat('FREQ=DAILY', '2026-11-18 23:59', { duration: 60 })];
  const events = [
    event('a', { dates: [date('2031-01-01 20:00')], series }),
    repeated('at midnight', repeat('FREQ=DAILY', '2026-11-18 00:00')),
  ];
  const { calendar } = await materialised(events, { horizonMonths: 1 });
  const found = times(calendar, 'a');
  assert.is(calendar.horizonDay, '2026-12-20');
  assert.equal(
    [found[0], ...found.slice(-2)],
    [
      '2026-11-20 23:59:00+01:00 – 2026-11-21 00:59:00+01:00',
      '2026-12-20 23:59:00+01:00 – 2026-12-21 00:59:00+01:00',
      '2031-01-01 20:00:00+01:00',
    ],
  );
  assert.is(times(calendar, 'at midnight').at(-1), '2026-12-20 00:00:00+01:00');
});

test('A11: should keep a repeat that goes on over a clock change at the build', async () => {
  // 01:30 and four hours by a stopwatch are 06:30 in the night that skips an hour.
  const events = [repeated('a', repeat('FREQ=DAILY;COUNT=1', '2027-03-28 01:30', { duration: 240 }))];
  const found = async (now: string) =>
    times((await materialised(events, { now: instant(now) })).calendar, 'a').length;
  assert.equal([await found('2027-03-28 06:29:59'), await found('2027-03-28 06:30')], [1, 0]);
});

interface RepeatCase {
  readonly series: Series;
  readonly times: readonly string[];
  readonly minutes: string;
  readonly entered?: string;
}

/** A rule with its start and length; each time as it is shown, its minutes, and the time as entered. */
const REPEATS: Readonly<Record<string, RepeatCase>> = {
  'A11: should keep a repeat that began long ago and still goes on': {
    series: repeat('FREQ=MONTHLY;COUNT=2', '2026-10-01 10:00', { wallSpan: 30 * 86_400 }),
    times: ['2026-11-01 10:00:00+01:00 – 2026-12-01 10:00:00+01:00'],
    minutes: '43200',
  },
  'F4: should keep a repeat, and its end, on the wall clock over a clock change': {
    series: repeat('FREQ=WEEKLY;COUNT=2', '2027-03-21 20:00', { wallSpan: 8 * 86_400, startTime: '19:30' }),
    times: [
      '2027-03-21 20:00:00+01:00 – 2027-03-29 20:00:00+02:00',
      '2027-03-28 20:00:00+02:00 – 2027-04-05 20:00:00+02:00',
    ],
    minutes: '11460 11520',
    entered: '19:30 19:30',
  },
  'F4: should measure a duration by a stopwatch': {
    series: repeat('FREQ=DAILY;COUNT=2', '2027-03-26 22:00', { duration: 480 }),
    times: [
      '2027-03-26 22:00:00+01:00 – 2027-03-27 06:00:00+01:00',
      '2027-03-27 22:00:00+01:00 – 2027-03-28 07:00:00+02:00',
    ],
    minutes: '480 480',
  },
  'A12: should move a start that a clock change skips, and keep its time as entered': {
    series: repeat('FREQ=DAILY;COUNT=2', '2027-03-27 02:30', { duration: 60 }),
    times: [
      '2027-03-27 02:30:00+01:00 – 2027-03-27 03:30:00+01:00',
      '2027-03-28 03:30:00+02:00 – 2027-03-28 04:30:00+02:00',
    ],
    minutes: '60 60',
    entered: '02:30 02:30',
  },
  'A12: should take the first of two that a clock change repeats': {
    series: repeat('FREQ=DAILY;COUNT=1', '2027-10-31 02:30', { duration: 60 }),
    times: ['2027-10-31 02:30:00+02:00 – 2027-10-31 02:30:00+01:00'],
    minutes: '60',
    entered: '02:30',
  },
  'A15: should expand a rule of dates alone from midnight to midnight over clock changes': {
    series: repeat('FREQ=DAILY;COUNT=3', '2027-03-27 00:00', { allDay: true, wallSpan: 86_400 }),
    times: [
      '2027-03-27 00:00:00+01:00 – 2027-03-28 00:00:00+01:00',
      '2027-03-28 00:00:00+01:00 – 2027-03-29 00:00:00+02:00',
      '2027-03-29 00:00:00+02:00 – 2027-03-30 00:00:00+02:00',
    ],
    minutes: '1440 1380 1440',
  },
};

for (const [title, { series, times: expected, minutes, entered }] of Object.entries(REPEATS))
  test(title, async () => {
    const { calendar } = await materialised([repeated('a', series)]);
    const { duration, startTime, occurrenceFlags } = calendar.occurrences;
    assert.equal(times(calendar, 'a'), expected);
    assert.is(duration.join(' '), minutes);
    if (entered !== undefined) assert.is(Array.from(startTime, formatMinute).join(' '), entered);
    const flags = OCCURRENCE_FLAGS.byRule + (series.phases[0]?.allDay ? OCCURRENCE_FLAGS.allDay : 0);
    assert.equal([...new Set(occurrenceFlags)], [flags]);
  });

test('F4: should leave out exceptions by their start, and prefer a listed date to one of a rule', async () => {
  const except = [wallAt('2026-12-01 20:00'), wallAt('2026-12-02 20:00')];
  const weekly = repeat('FREQ=WEEKLY;COUNT=4', '2026-11-24 20:00', { duration: 60, except });
  const once = repeat('FREQ=WEEKLY;COUNT=1', '2026-11-24 20:00');
  const listed = date('2026-12-08 20:00', '2026-12-08 23:00', { status: 'CANCELLED' });
  const series = [weekly, { ...weekly, rules: once.rules }];
  const { calendar } = await materialised([event('a', { dates: [listed], series })]);
  assert.equal(times(calendar, 'a'), [
    '2026-11-24 20:00:00+01:00 – 2026-11-24 21:00:00+01:00',
    '2026-11-24 20:00:00+01:00 – 2026-11-24 21:00:00+01:00',
    '2026-12-08 20:00:00+01:00 – 2026-12-08 23:00:00+01:00',
    '2026-12-15 20:00:00+01:00 – 2026-12-15 21:00:00+01:00',
  ]);
  const { byRule, cancelled } = OCCURRENCE_FLAGS;
  assert.equal([...calendar.occurrences.occurrenceFlags], [byRule, byRule, cancelled, byRule]);
});

const HORIZON =
  'cut rule, expected an occurrence on or before the horizon, 2028-05-20, that is not excluded, found none';
const NIGHT = '2027-03-28 03:30:00+02:00 to 2027-03-28 03:00:00+02:00';

/** Two dates, both of them excluded. */
const excluded = (start: string) =>
  repeat('FREQ=DAILY;COUNT=2', start, { except: [wallAt(start), wallAt(start) + 86_400] });

const excludedBy = (rule: string, exception: string, start: string) => ({
  ...repeat(rule, start),
  exceptRules: repeat(exception, start).rules,
});

interface FaultCase {
  readonly title: string;
  readonly series: Series;
  /** The number of occurrences that are shown. */
  readonly shown: number;
  /** The finding about the event, after its id; null for none. */
  readonly finding: string | null;
}

const FAULTS: readonly FaultCase[] = [
  {
    title: 'cut a rule after 10,000 occurrences',
    series: repeat('FREQ=MINUTELY', '2026-11-24 20:00'),
    shown: 10_000,
    finding: 'repeats[0].rule: cut rule, expected at most 10000 occurrences, found FREQ=MINUTELY',
  },
  {
    title: 'report a rule that gives no date',
    series: repeat('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', '2026-11-24 20:00'),
    shown: 0,
    finding: `repeats[0].rule: ${HORIZON}`,
  },
  {
    title: 'report a rule that begins after the horizon',
    series: repeat('FREQ=YEARLY', '2031-11-24 20:00'),
    shown: 0,
    finding: `repeats[0].rule: ${HORIZON}`,
  },
  {
    title: 'report an event whose rule has ended as over',
    series: repeat('FREQ=DAILY;COUNT=2', '2020-11-24 20:00'),
    shown: 0,
    finding: 'dates: over, expected a future date, found none in the last 400 days',
  },
  {
    title: 'report nothing of a rule in the past whose dates are all excluded',
    series: excluded('2020-11-24 20:00'),
    shown: 0,
    finding: null,
  },
  {
    title: 'report a rule under way whose dates are all excluded',
    series: excluded('2026-11-19 20:00'),
    shown: 0,
    finding: `repeats[0].rule: ${HORIZON}`,
  },
  {
    title: 'report a coming rule whose dates are all excluded',
    series: excluded('2026-11-24 20:00'),
    shown: 0,
    finding: `repeats[0].rule: ${HORIZON}`,
  },
  {
    title: 'report a coming rule whose dates are all excluded by another rule',
    series: excludedBy('FREQ=DAILY;COUNT=2', 'FREQ=DAILY;COUNT=2', '2026-11-24 20:00'),
    shown: 0,
    finding: `repeats[0].rule: ${HORIZON}`,
  },
  {
    title: 'say that a rule in the past was cut, if its exceptions from the beginning on are too many',
    series: excludedBy('FREQ=DAILY;COUNT=2', 'FREQ=HOURLY;INTERVAL=2', '2020-11-24 20:00'),
    shown: 0,
    finding: 'repeats[0].rule: cut rule, expected at most 10000 occurrences, found FREQ=DAILY;COUNT=2',
  },
  {
    title: 'drop a date whose end is put before its start by a clock change',
    series: repeat('FREQ=DAILY;COUNT=2', '2027-03-27 02:30', { wallSpan: 1800 }),
    shown: 1,
    finding: `repeats[0].end: dropped date, expected an end that is not before the start, found ${NIGHT}`,
  },
];

for (const { title, series, shown, finding } of FAULTS)
  test(`G2: should ${title}`, async () => {
    const { calendar, findings } = await materialised([repeated('a', series)]);
    assert.is(calendar.occurrences.start.length, shown);
    assert.equal(findings.map(findingLine), finding === null ? [] : [`events.json "a" ${finding}`]);
  });

/** The build is at noon on 20 November: a date of two hours from 09:00 is over, one of thirteen hours is not. */
const MORNING = '2026-11-20 09:00';
const EVENING = '2026-11-21 20:00';

/** Twelve days of so many hours. */
const daily = (hours: number, from = MORNING) =>
  repeat('FREQ=DAILY;COUNT=12', from, { duration: hours * 60 });

/** Events, and the numbers of their dates that are shown. */
const NUMBERS = {
  'those that begin together by their ends': {
    source: event('a', {
      dates: [date(EVENING, '2026-11-21 23:00'), ...Array(2).fill(date(EVENING, '2026-11-21 22:00'))],
    }),
    numbers: '1 2 3',
  },
  'a listed date after one that is over': {
    source: event('a', { dates: [date(MORNING, '2026-11-20 11:00'), date(MORNING, '2026-11-20 13:00')] }),
    numbers: '2',
  },
  'a date without an end, which is over, as the first': {
    source: event('a', {
      dates: [date(MORNING), date(MORNING, '2026-11-20 11:00'), date(MORNING, '2026-11-20 13:00')],
    }),
    numbers: '3',
  },
  // The short date of the first day is over; each day after it has both.
  'those of two rules with one start': {
    source: repeated('a', daily(13), daily(2)),
    numbers: `2${' 1 2'.repeat(11)}`,
  },
  // Eleven long dates go on, whose short ones are over. The day after the build has both.
  'those that began days ago and go on': {
    source: repeated('a', daily(2, '2026-11-10 09:00'), daily(250, '2026-11-10 09:00')),
    numbers: `${'2 '.repeat(11)}1 2`,
  },
  // Twelve long dates, and one short date that is not over.
  'those of two rules with different starts independently': {
    source: repeated('a', daily(250, '2026-11-10 09:00'), daily(2, '2026-11-10 10:00')),
    numbers: `1${' 1'.repeat(12)}`,
  },
};

for (const [title, { source, numbers }] of Object.entries(NUMBERS))
  test(`A16: should number ${title}`, async () => {
    const { calendar } = await materialised([source]);
    assert.is(calendar.occurrences.nth.join(' '), numbers);
  });

test('should look through the dates of an event once for all of its repeats', async () => {
  const first = date('2026-12-01 19:30');
  const dates = Array.from({ length: 8_000 }, (_, second) => ({
    ...first,
    start: first.start + second,
    end: first.end + second,
  }));
  const series = Array.from({ length: 8_000 }, () => repeat('FREQ=DAILY;COUNT=1', '2026-11-01 12:00'));
  await costsAtMost(200, () => materialised([event('e', { dates, series })]));
});

test.run();
