import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer } from './answer.ts';
import { ask, closeAsked, each, event, pick } from './cases.ts';
import type { EventRecord } from './records.ts';

const test = suite('oracle: dates');

/** The one event of a calendar built on an evening in June. */
function shown(rest: Partial<EventRecord>, builtAt = '2026-06-01 10:00') {
  return ask({ events: [event('e', rest)] }, builtAt).eventByID('e');
}

/** Each of these as an event of one calendar, in turn. */
async function shownEach(
  records: readonly Partial<EventRecord>[],
  builtAt = '2026-06-01 10:00',
): Promise<readonly Answer[]> {
  const { eventByID } = ask({ events: records.map((rest, at) => event(`e${at}`, rest)) }, builtAt);
  return await Promise.all(records.map((_, at) => eventByID(`e${at}`)));
}

test('F4: should read a datetime without an offset as Oslo time and one with an offset as that instant', async () => {
  const cases = [
    ['2026-06-10 20:00', '2026-06-10 20:00:00+02:00'],
    ['2026-06-10T20:00:30', '2026-06-10 20:00:30+02:00'],
    ['2026-12-10 20:00', '2026-12-10 20:00:00+01:00'],
    ['2026-06-10 20:00Z', '2026-06-10 22:00:00+02:00'],
    ['2026-06-10T20:00:00-0500', '2026-06-11 03:00:00+02:00'],
    ['2026-06-10 20:00+01', '2026-06-10 21:00:00+02:00'],
  ] as const;
  const answers = await shownEach(cases.map(([start]) => ({ dates: [{ start }] })));
  for (const [at, [start, expected]] of cases.entries()) {
    assert.is(pick(answers[at] ?? null, 'startDate'), expected, start);
  }
});

test('F4: should let end win over duration, and count duration as elapsed minutes', async () => {
  const both = await shown({ dates: [{ start: '2026-06-10 20:00', end: '2026-06-10 21:30', duration: 10 }] });
  assert.equal([pick(both, 'endDate'), pick(both, 'duration')], ['2026-06-10 21:30:00+02:00', 90]);
  // Five elapsed hours from 00:00 summer time over the doubled hour are 04:00 winter time.
  const night = await shown({ dates: [{ start: '2026-10-25 00:00', duration: 300 }] });
  assert.equal([pick(night, 'endDate'), pick(night, 'duration')], ['2026-10-25 04:00:00+01:00', 300]);
  const neither = await shown({ dates: [{ start: '2026-06-10 20:00' }] });
  assert.equal([pick(neither, 'endDate'), pick(neither, 'duration')], ['2026-06-10 20:00:00+02:00', null]);
});

test('F4: should drop a date that ends before it starts, that does not exist, or has no start', async () => {
  const cases = [
    [{ start: '2026-06-10 20:00', end: '2026-06-10 19:59' }],
    [{ start: '2026-02-30 20:00' }],
    [{ start: '2026-06-10 25:00' }],
    [{ start: '2026-06-10', end: '2026-06-10 22:00' }],
    [{ start: '2026-06-10 20:00', end: '2026-06-11' }],
    [{ start: '2026-06-10', end: '2026-06-09' }],
    [{ start: '2026-06-31' }],
    [{ start: '2026-06-10 20:00+15:00' }],
    // 02:30 becomes 03:30 in the night that skips it, which is later than 03:00.
    [{ start: '2027-03-28 02:30', end: '2027-03-28 03:00' }],
  ];
  // One good date beside them: a calendar without any event is not built, and one of bad records alone neither.
  const good = Array.from({ length: 3 * cases.length }, () => ({ dates: [{ start: '2026-06-10 20:00' }] }));
  const answers = await shownEach([...cases.map((dates) => ({ dates })), ...good]);
  for (const [at, dates] of cases.entries()) {
    assert.is(pick(answers[at] ?? null), null, JSON.stringify(dates));
  }
  assert.is(answers.filter((answer) => pick(answer, 'id') !== null).length, good.length);
});

test('A12: should move a skipped time forward, take the first of a doubled one, and keep startTime', async () => {
  const skipped = await shown({ dates: [{ start: '2027-03-28 02:30' }] });
  assert.equal(
    [pick(skipped, 'startDate'), pick(skipped, 'startTime')],
    ['2027-03-28 03:30:00+02:00', '02:30'],
  );
  const doubled = await shown({ dates: [{ start: '2026-10-25 02:30' }] });
  assert.equal(
    [pick(doubled, 'startDate'), pick(doubled, 'startTime')],
    ['2026-10-25 02:30:00+02:00', '02:30'],
  );
});

test('F4: should keep a rule at 20:00 over a clock change and take out and replace dates by start', async () => {
  const rule = 'FREQ=WEEKLY;COUNT=4';
  const answer = await shown(
    {
      dates: [{ start: '2026-11-07 20:00', startTime: '19:45', duration: 15 }],
      repeats: [{ rule, start: '2026-10-17 20:00', end: '2026-10-17 22:00', except: ['2026-10-24 20:00'] }],
    },
    '2026-10-01 10:00',
  );
  assert.is(pick(answer, 'startDate'), '2026-10-17 20:00:00+02:00');
  assert.equal(each(pick(answer, 'repetitions'), 'startDate'), [
    '2026-10-31 20:00:00+01:00',
    '2026-11-07 20:00:00+01:00',
  ]);
  assert.equal(each(pick(answer, 'repetitions'), 'startTime'), ['20:00', '19:45']);
});

test('F4: should keep the end of a rule at the same distance on the wall clock', async () => {
  const repeats = [{ rule: 'FREQ=DAILY;COUNT=2', start: '2026-10-24 01:00', end: '2026-10-24 04:00' }];
  const answer = await shown({ repeats }, '2026-10-01 10:00');
  assert.is(pick(answer, 'duration'), 180);
  // 01:00 summer time to 04:00 winter time.
  assert.equal(each(pick(answer, 'repetitions'), 'duration'), [240]);
});

const RULES = [
  ['FREQ=DAILY;INTERVAL=2;COUNT=3', '2026-06-10 10:00', ['06-10', '06-12', '06-14']],
  ['FREQ=WEEKLY;BYDAY=MO,TH;COUNT=4', '2026-06-11 10:00', ['06-11', '06-15', '06-18', '06-22']],
  // Every other week counted from Mondays: the Sunday belongs to the first Monday's week.
  ['FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,TU;COUNT=3', '2026-06-09 10:00', ['06-09', '06-14', '06-23']],
  ['FREQ=MONTHLY;COUNT=3', '2026-07-31 10:00', ['07-31', '08-31', '10-31']],
  ['FREQ=MONTHLY;BYDAY=-1FR;COUNT=2', '2026-06-26 10:00', ['06-26', '07-31']],
  ['FREQ=MONTHLY;BYMONTHDAY=1,-1;COUNT=3', '2026-06-30 10:00', ['06-30', '07-01', '07-31']],
  ['FREQ=YEARLY;BYMONTH=9;BYDAY=2TU;COUNT=2', '2026-09-08 10:00', ['09-08', '09-14']],
  // ISO weeks: 21 September 2026 is the Monday of week 39.
  ['FREQ=YEARLY;BYWEEKNO=39;BYDAY=MO,WE;UNTIL=20270101T000000', '2026-09-21 10:00', ['09-21', '09-23']],
  ['FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3', '2026-07-31 10:00', ['07-31', '08-31', '09-30']],
  ['FREQ=DAILY;UNTIL=20260612T080000Z', '2026-06-10 10:00', ['06-10', '06-11', '06-12']],
  ['FREQ=DAILY;UNTIL=20260612T095959', '2026-06-10 10:00', ['06-10', '06-11']],
] as const;

test('F4: should expand each kind of rule as RFC 5545 says', async () => {
  const answers = await shownEach(RULES.map(([rule, start]) => ({ repeats: [{ rule, start }] })));
  for (const [at, [rule, , expected]] of RULES.entries()) {
    const answer = answers[at] ?? null;
    const days = [pick(answer, 'startDate'), ...each(pick(answer, 'repetitions'), 'startDate')];
    assert.equal(
      days.map((day) => String(day).slice(5, 10)),
      [...expected],
      rule,
    );
  }
});

test('A11: should expand rules up to the day 18 months ahead and keep listed dates beyond it', async () => {
  const rule = { rule: 'FREQ=MONTHLY', start: '2026-06-30 10:00' };
  const answer = await shown({ repeats: [rule], dates: [{ start: '2031-01-01 10:00' }] }, '2026-06-30 07:00');
  // 30 June 2026 and 18 months: 30 December 2027, included.
  const days = each(pick(answer, 'repetitions'), 'startDate');
  assert.equal(days.slice(-2), ['2027-12-30 10:00:00+01:00', '2031-01-01 10:00:00+01:00']);
  // From 31 August the same distance ends on the last of February.
  const clamped = await shown(
    { repeats: [{ rule: 'FREQ=DAILY', start: '2028-02-27 10:00' }] },
    '2026-08-31 07:00',
  );
  assert.equal(each(pick(clamped, 'repetitions'), 'startDate'), [
    '2028-02-28 10:00:00+01:00',
    '2028-02-29 10:00:00+01:00',
  ]);
});

test('A15: should show dates alone from midnight to midnight, and no container as all-day', async () => {
  const rule = { rule: 'FREQ=DAILY;COUNT=2', start: '2026-10-24', end: '2026-10-25', except: ['2026-10-24'] };
  const events = [
    event('days', { repeats: [rule], dates: [{ start: '2027-02-14', startTime: '10:00' }] }),
    event('fest', { isSuperEvent: true }),
    event('part', { superEvent: 'fest', dates: [{ start: '2026-10-24' }] }),
  ];
  const asked = ask({ events }, '2026-10-01 10:00');
  const days = await asked.eventByID('days');
  assert.equal(
    ['startDate', 'endDate', 'startTime', 'duration', 'allDay'].map((field) => pick(days, field)),
    // Two days, one of which has 25 hours.
    ['2026-10-25 00:00:00+02:00', '2026-10-27 00:00:00+01:00', '00:00', 2940, true],
  );
  assert.equal(each(pick(days, 'repetitions'), 'startTime'), ['00:00']);
  const fest = await asked.eventByID('fest');
  assert.equal(
    [pick(fest, 'startTime'), pick(fest, 'duration'), pick(fest, 'allDay')],
    ['00:00', 1440, false],
  );
});

test('A16: should name an occurrence by its event and start, and count those of one start, over ones too', async () => {
  const start = '2026-06-01 10:00Z';
  const dates = [
    { start, end: '2026-06-01 15:00Z' },
    { start, end: '2026-06-01 11:00Z' },
    { start, end: '2026-06-01 14:00Z' },
    { start: '2026-06-02 10:00' },
  ];
  const answer = await ask({ events: [event('e', { dates })] }, '2026-06-01 12:00').eventByID('e');
  assert.is(pick(answer, 'occurrenceID'), 'e@20260601T100000Z-2');
  assert.equal(each(pick(answer, 'repetitions'), 'id'), ['e@20260601T100000Z-3', 'e@20260602T080000Z']);
});

test.after(closeAsked);

test.run();
