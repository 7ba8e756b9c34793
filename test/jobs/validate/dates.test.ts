/** A12, A15, F4: dates and series of records, from what is written to instants. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { wallAt } from '../../helpers/moments.ts';
import { validatedEvents } from '../../helpers/native-source.ts';
import { LIFTED } from '../../helpers/records.ts';

const test = suite('validation of dates');

const EVENING = { start: '2026-12-01 19:30' };
const FALL = '2026-10-25 02:30';

interface DateCase {
  readonly date: object;
  readonly span: string;
  readonly duration: number | null;
  readonly startTime?: string;
}

/** A date as written, and its start and end in UTC, its duration and startTime. */
const DATES: readonly DateCase[] = [
  { date: EVENING, span: '2026-12-01T18:30Z', duration: null },
  { date: { start: '2026-07-01T19:30:30' }, span: '2026-07-01T17:30:30Z', duration: null },
  { date: { start: '2026-07-01 17:30Z' }, span: '2026-07-01T17:30Z', duration: null },
  { date: { start: '2026-07-01 21:30+04' }, span: '2026-07-01T17:30Z', duration: null },
  { date: { ...EVENING, duration: 90 }, span: '2026-12-01T18:30Z 2026-12-01T20:00Z', duration: 90 },
  { date: { ...EVENING, duration: 0 }, span: '2026-12-01T18:30Z', duration: 0 },
  { date: { ...EVENING, end: '2026-12-01 19:30' }, span: '2026-12-01T18:30Z', duration: 0 },
  {
    date: { ...EVENING, end: '2026-12-01 21:00:31', duration: 5 },
    span: '2026-12-01T18:30Z 2026-12-01T20:00:31Z',
    duration: 91,
  },
  { date: { ...EVENING, startTime: '19:00' }, span: '2026-12-01T18:30Z', duration: null, startTime: '19:00' },
  // A12: 02:30 does not exist on 29 March; of 25 October's two the first is meant.
  { date: { start: '2026-03-29 02:30' }, span: '2026-03-29T01:30Z', duration: null, startTime: '02:30' },
  {
    date: { start: FALL, duration: 60 },
    span: '2026-10-25T00:30Z 2026-10-25T01:30Z',
    duration: 60,
    startTime: '02:30',
  },
  {
    date: { start: FALL, end: '2026-10-25 03:30' },
    span: '2026-10-25T00:30Z 2026-10-25T02:30Z',
    duration: 120,
    startTime: '02:30',
  },
  { date: { start: `${FALL}+01:00` }, span: '2026-10-25T01:30Z', duration: null, startTime: '02:30' },
];

interface WholeDayCase {
  readonly start: string;
  readonly end: string | undefined;
  readonly span: string;
  readonly minutes: number;
}

/** Dates alone: the first day and, where there is one, the last; start, end and elapsed minutes. */
const DAYS: readonly WholeDayCase[] = [
  { start: '2027-02-14', end: undefined, span: '2027-02-13T23:00Z 2027-02-14T23:00Z', minutes: 1440 },
  { start: '2027-02-14', end: '2027-02-14', span: '2027-02-13T23:00Z 2027-02-14T23:00Z', minutes: 1440 },
  { start: '2027-02-14', end: '2027-02-16', span: '2027-02-13T23:00Z 2027-02-16T23:00Z', minutes: 3 * 1440 },
  { start: '2027-03-28', end: undefined, span: '2027-03-27T23:00Z 2027-03-28T22:00Z', minutes: 1380 },
  { start: '2026-10-25', end: undefined, span: '2026-10-24T22:00Z 2026-10-25T23:00Z', minutes: 1500 },
  { start: '2027-12-31', end: '2028-01-01', span: '2027-12-30T23:00Z 2028-01-01T23:00Z', minutes: 2 * 1440 },
];

/** An event's only date as it is read, and its first series. */
async function readDate(date: object, repeats: readonly object[] = []) {
  const { events, findings } = await validatedEvents([{ id: 'e', title_nb: 'E', dates: [date], repeats }]);
  const [read] = events[0]?.dates ?? [];
  const [phase] = events[0]?.series[0]?.phases ?? [];
  const reports = findings.map(({ action, field, found }) => [action, field, found]);
  return { ...read, phase, reports };
}

/** Two instants in seconds; of one text it is both. */
function spanOf(text: string): readonly number[] {
  const [start = '', end = start] = text.split(' ');
  return [start, end].map((one) => Date.parse(one) / 1000);
}

test('A15, F4: should read dates alone as whole days, the last one included', async () => {
  for (const { start, end, span, minutes } of DAYS) {
    const date = { start, end };
    const read = await readDate(date, [{ rule: 'FREQ=YEARLY', ...date }]);
    assert.equal(
      [read.start, read.end, read.duration, read.startTime, read.allDay, read.reports],
      [...spanOf(span), minutes, '00:00', true, []],
      span,
    );
    const length = { days: Math.round(minutes / 1440), seconds: 0, isElapsed: false };
    assert.equal([read.phase?.allDay, read.phase?.length], [true, length], span);
  }
});

test('A15: should leave out the time of day of a whole day, and report it', async () => {
  const read = await readDate({ start: '2027-02-14', startTime: '19:00', duration: 90 });
  assert.equal([read.startTime, read.duration, read.allDay], ['00:00', 1440, true]);
  assert.equal(read.reports, [
    ['changed value', 'dates[0].startTime', '"19:00"'],
    ['changed value', 'dates[0].duration', '90'],
  ]);
});

test('F4: should read wall clock readings and instants, with end before duration', async () => {
  for (const { date, span, duration, startTime = '19:30' } of DATES) {
    const read = await readDate(date);
    assert.equal(
      [read.start, read.end, read.duration, read.startTime, read.reports],
      [...spanOf(span), duration, startTime, []],
      JSON.stringify(date),
    );
  }
});

/** The event's own moments, as written and in UTC. */
const MOMENTS = {
  publishingDate: ['2026-07-01 12:00', '2026-07-01T10:00Z'],
  ticketsFromDate: ['2026-07-01T12:00:00+0000', '2026-07-01T12:00Z'],
  created_at: ['2026-01-01 12:00:05', '2026-01-01T11:00:05Z'],
  updated_at: ['2026-01-01 12:00Z', '2026-01-01T12:00Z'],
};

test('F4: should read the event’s own moments as instants', async () => {
  for (const [field, [text, utc = '']] of Object.entries(MOMENTS)) {
    const { events } = await validatedEvents([{ id: 'e', title_nb: 'E', dates: [EVENING], [field]: text }]);
    const values = new Map(Object.entries(events[0] ?? {}));
    assert.is(values.get(field), Date.parse(utc) / 1000, field);
  }
});

test('F4: should read repeats as series on the wall clock', async () => {
  const except = ['2026-12-02 19:30', '2026-12-03T18:30Z'];
  const repeats = [
    { rule: 'FREQ=DAILY', start: '2026-12-01 19:30', end: '2026-12-02 01:00', duration: 5, except },
    { rule: 'FREQ=WEEKLY', start: '2026-03-29 02:30', duration: 90, startTime: '02:00' },
    { rule: 'FREQ=DAILY;BYHOUR=19', start: '2026-07-01 17:30Z' },
  ];
  const { events, findings } = await validatedEvents([{ id: 'e', title_nb: 'E', repeats }]);
  assert.equal(findings, []);
  const length = (hours: number, isElapsed: boolean) => ({ days: 0, seconds: hours * 3600, isElapsed });
  const expected = [
    {
      start: '2026-12-01T19:30',
      length: length(5.5, false),
      startTime: null,
      except: ['2026-12-02T19:30', '2026-12-03T19:30'],
    },
    { start: '2026-03-29T02:30', length: length(1.5, true), startTime: '02:00', except: [] },
    { start: '2026-07-01T19:30', length: null, startTime: null, except: [] },
  ];
  for (const [at, { start, startTime, ...one }] of expected.entries()) {
    const series = events[0]?.series[at];
    const from = wallAt(start);
    assert.equal([series?.zone, series?.start], ['Europe/Oslo', from], start);
    assert.equal(series?.except, one.except.map(wallAt), start);
    const phase = { from, shift: 0, length: one.length, allDay: false, startTime, own: LIFTED };
    assert.equal(series?.phases, [phase], start);
  }
});

test.run();
