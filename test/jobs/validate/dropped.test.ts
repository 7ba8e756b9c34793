/** G2, A15: each value, record and date that a build leaves out, with its finding. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Finding, findingLine } from '../../../jobs/findings.ts';
import { validatedEvents } from '../../helpers/native-source.ts';
import { DAILY, DATETIME, GOOD, LONG, MOMENT, NOT_BLANK, START, TITLE, WHOLE } from './validating.ts';

const test = suite('validation: what is left out');

const COUNT = 'a whole number, 0 or more';
const NOT_BEFORE = 'a moment that is not before the start';
const WITHIN = 'an end before the year 9999 and at most 2147483647 minutes after the start';
const RULE_OF_DAYS = 'a rule of days, because the start has no time';

interface Row {
  readonly own: unknown;
  readonly field: string | null;
  readonly expected: string;
  readonly found: string;
  readonly id?: string | null;
}

/** Records that are left out, each with its finding. */
const DROPPED: readonly Row[] = [
  { own: 5, field: null, expected: 'an object', found: '5', id: null },
  { own: { id: undefined }, field: 'id', expected: NOT_BLANK, found: 'nothing', id: null },
  { own: { id: ' ' }, field: 'id', expected: NOT_BLANK, found: '" "', id: ' ' },
  { own: { title_nb: ' \t' }, field: 'title_nb', expected: TITLE, found: '" \\t"' },
  ...['2026-02-30 10:00', '2026-01-01', '10:00', '2026-01-01 24:00', '0000-01-01 10:00', ''].map(
    (text): Row => ({
      own: { publishingDate: text },
      field: 'publishingDate',
      expected: DATETIME,
      found: `"${text}"`,
    }),
  ),
  { own: { dates: { start: 'x' } }, field: 'dates', expected: 'a list of dates', found: '{"start":"x"}' },
  { own: { dates: [] }, field: 'dates', expected: 'at least one valid date or repeat', found: 'nothing' },
];

/** Values that are left out of a record that is kept, each with the finding. */
const DROPPED_VALUES: readonly Row[] = [
  { own: { desc_nb: [LONG] }, field: 'desc_nb', expected: 'a string', found: `["${LONG.slice(0, 77)}…` },
  { own: { categories: 'MUSIC' }, field: 'categories', expected: 'a list of strings', found: '"MUSIC"' },
  { own: { tags: ['a', 2] }, field: 'tags[1]', expected: 'a string', found: '2' },
  { own: { mode: 'hybrid' }, field: 'mode', expected: '"online" or "offline"', found: '"hybrid"' },
  { own: { images: {} }, field: 'images', expected: 'a list of images', found: '{}' },
  {
    own: { images: [{}, { focusX: 1.5 }] },
    field: 'images[1].focusX',
    expected: 'a number from 0 to 1',
    found: '1.5',
  },
  { own: { images: [{ width: 1.5 }] }, field: 'images[0].width', expected: COUNT, found: '1.5' },
  {
    own: { ticketsInformation: 'x' },
    field: 'ticketsInformation',
    expected: '"free" or "noTicketsInfo" or "ticketsInfo"',
    found: '"x"',
  },
  { own: { prices: [{ price: 1 }] }, field: 'prices[0].type', expected: 'a string', found: 'nothing' },
  { own: { eventCancelled: 'no' }, field: 'eventCancelled', expected: 'true or false', found: '"no"' },
  { own: { maximumAge: 17.5 }, field: 'maximumAge', expected: WHOLE, found: '17.5' },
  { own: { created_at: 1_700_000_000 }, field: 'created_at', expected: DATETIME, found: '1700000000' },
];

/** Validates the record of a row, and expects its only finding. */
async function validatedRow({ own, field, expected, found, id = 'e' }: Row, action: Finding['action']) {
  const isOwn = typeof own === 'object' && own !== null && !Array.isArray(own);
  const { events, findings, summary } = await validatedEvents([isOwn ? { ...GOOD, ...own } : own]);
  const origin = { file: 'events.json', line: 1 };
  assert.equal(findings, [{ action, origin, id, field, expected, found }], JSON.stringify(own));
  return { events: events.length, counts: summary.lists.events };
}

test('G2: should leave out an invalid value, report it, and keep the record', async () => {
  for (const row of DROPPED_VALUES) {
    const { events, counts } = await validatedRow(row, 'dropped value');
    assert.is(events, 1, row.expected);
    assert.equal(counts, { read: 1, kept: 1, dropped: 0 });
  }
});

test('G2: should leave out a record whose required field is invalid, and report it', async () => {
  for (const row of DROPPED) {
    const { events, counts } = await validatedRow(row, 'dropped record');
    assert.is(events, 0, row.expected);
    assert.equal(counts, { read: 1, kept: 0, dropped: 1 });
  }
});

interface DateRow {
  readonly list: 'dates' | 'repeats';
  readonly date: unknown;
  readonly field: string;
  readonly expected: string;
  readonly found: string;
}

const DAY_UNTIL_EIGHT = { start: '2026-12-01', end: '2026-12-01 20:00' };
const DAY_RULE = (rule: string) => ({ rule, start: '2026-12-01' });

/** Dates and repeats that are left out, each with its finding. */
const DROPPED_DATES: readonly DateRow[] = [
  { list: 'dates', date: 'tomorrow', field: '', expected: 'an object', found: '"tomorrow"' },
  { list: 'dates', date: {}, field: '.start', expected: MOMENT, found: 'nothing' },
  {
    list: 'dates',
    date: { start: '2026-12-01T25:00' },
    field: '.start',
    expected: MOMENT,
    found: '"2026-12-01T25:00"',
  },
  {
    list: 'dates',
    date: { ...START, end: '2026-12-01 19:29:59' },
    field: '.end',
    expected: NOT_BEFORE,
    found: '"2026-12-01 19:29:59"',
  },
  {
    list: 'dates',
    date: { start: '2026-12-01', end: '2026-11-30' },
    field: '.end',
    expected: NOT_BEFORE,
    found: '"2026-11-30"',
  },
  {
    list: 'dates',
    date: DAY_UNTIL_EIGHT,
    field: '.end',
    expected: 'a date alone, because the start is one',
    found: '"2026-12-01 20:00"',
  },
  {
    list: 'repeats',
    date: { ...DAILY, end: '2026-12-02' },
    field: '.end',
    expected: 'a datetime, because the start is one',
    found: '"2026-12-02"',
  },
  {
    list: 'repeats',
    date: DAY_RULE('FREQ=HOURLY'),
    field: '.rule',
    expected: RULE_OF_DAYS,
    found: 'FREQ=HOURLY',
  },
  {
    list: 'repeats',
    date: DAY_RULE('FREQ=DAILY;BYHOUR=10'),
    field: '.rule',
    expected: RULE_OF_DAYS,
    found: 'FREQ=DAILY;BYHOUR=10',
  },
];

/** Values that are left out of a date or repeat that is kept, each with the finding. */
const DROPPED_FROM_DATES: readonly DateRow[] = [
  { list: 'dates', date: { ...START, end: 'late' }, field: '.end', expected: MOMENT, found: '"late"' },
  { list: 'dates', date: { ...START, duration: -5 }, field: '.duration', expected: COUNT, found: '-5' },
  {
    list: 'dates',
    date: { start: '9999-12-29 19:30', duration: 1500 },
    field: '.duration',
    expected: WITHIN,
    found: '1500',
  },
  {
    list: 'dates',
    date: { ...START, startTime: 'kl 19' },
    field: '.startTime',
    expected: 'a time of day such as "19:30"',
    found: '"kl 19"',
  },
  {
    list: 'dates',
    date: { ...START, prices: [{ type: 'X' }, 5] },
    field: '.prices[1]',
    expected: 'an object',
    found: '5',
  },
  {
    list: 'repeats',
    date: { ...DAILY, except: '2026-12-02' },
    field: '.except',
    expected: 'a list of datetimes',
    found: '"2026-12-02"',
  },
];

/** Validates an event with the date of a row beside a good one, and expects its only finding. The number of dates that are kept. */
async function validatedDate({ list, date, field, expected, found }: DateRow, action: Finding['action']) {
  const other = { dates: [START], repeats: [DAILY] };
  const event = { ...GOOD, ...other, [list]: [date, ...other[list]] };
  const { events, findings } = await validatedEvents([event]);
  const line = `events.json:1 "e" ${list}[0]${field}: ${action}, expected ${expected}, found ${found}`;
  assert.equal(findings.map(findingLine), [line], JSON.stringify(date));
  return events[0]?.[list === 'dates' ? list : 'series'].length;
}

test('G2, A15: should leave out an invalid value of a date or repeat, and keep the date', async () => {
  for (const row of DROPPED_FROM_DATES) assert.is(await validatedDate(row, 'dropped value'), 2, row.expected);
});

test('G2, A15: should leave out an invalid date or repeat, and keep the other', async () => {
  for (const row of DROPPED_DATES) {
    const action = row.list === 'repeats' ? 'dropped series' : 'dropped date';
    assert.is(await validatedDate(row, action), 1, row.expected);
  }
});

test.run();
