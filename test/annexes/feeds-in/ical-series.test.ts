/** Recurrences of iCalendar files, and what an endpoint says of them. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { datesOf, fixture, type ServedFeed, serveFeed } from '../../helpers/feeds.ts';
import { costsAtMost } from '../../helpers/usage.ts';

const test = suite<{ series: ServedFeed }>('iCalendar series');

test.before(async (feeds) => {
  feeds.series = await serveFeed(fixture('series.ics'));
});

test.after(async ({ series }) => series.close());

const SERIES: readonly (readonly [uid: string, dates: readonly string[], what: string])[] = [
  [
    'quiz',
    [
      '2026-03-03 20:00:00+01:00 | 2026-03-03 22:30:00+01:00 | Puben',
      '2026-03-11 19:00:00+01:00 | 2026-03-11 21:00:00+01:00 | Kafeen',
      '2026-03-24 20:00:00+01:00 | 2026-03-24 22:30:00+01:00 | Puben | cancelled',
      '2026-03-31 20:00:00+02:00 | 2026-03-31 22:30:00+02:00 | Puben',
      '2026-04-07 20:00:00+02:00 | 2026-04-07 22:30:00+02:00 | Puben',
    ],
    'a rule with a date taken out, one moved and one cancelled',
  ],
  [
    'until',
    [9, 10, 11].map(
      (day) =>
        `2026-03-${day < 10 ? '0' : ''}${day} 18:00:00+01:00 | 2026-03-${day < 10 ? '0' : ''}${day} 19:00:00+01:00`,
    ),
    'UNTIL in UTC',
  ],
  [
    'new-york',
    [
      '2026-03-01 21:00:00+01:00 | 2026-03-01 22:00:00+01:00',
      '2026-03-08 20:00:00+01:00 | 2026-03-08 21:00:00+01:00',
      '2026-03-15 20:00:00+01:00 | 2026-03-15 21:00:00+01:00',
      '2026-03-22 20:00:00+01:00 | 2026-03-22 21:00:00+01:00',
      '2026-03-29 21:00:00+02:00 | 2026-03-29 22:00:00+02:00',
      '2026-04-05 21:00:00+02:00 | 2026-04-05 22:00:00+02:00',
    ],
    'a rule on the clock of another place',
  ],
  [
    'utc-rule',
    [
      '2026-03-21 19:00:00+01:00 | 2026-03-21 20:00:00+01:00',
      '2026-03-28 19:00:00+01:00 | 2026-03-28 20:00:00+01:00',
      '2026-04-04 20:00:00+02:00 | 2026-04-04 21:00:00+02:00',
    ],
    'a rule in UTC',
  ],
  [
    'rdate',
    [
      '2026-04-01 12:00:00+02:00 | 2026-04-01 13:00:00+02:00',
      '2026-04-22 15:00:00+02:00 | 2026-04-22 16:00:00+02:00',
      '2026-05-01 12:00:00+02:00 | 2026-05-01 15:00:00+02:00',
      '2026-05-02 12:00:00+02:00 | 2026-05-02 12:15:00+02:00',
    ],
    'listed dates and periods',
  ],
  [
    'all-day-rule',
    [
      '2026-03-28 00:00:00+01:00 | 2026-03-29 00:00:00+01:00 | all day',
      '2026-03-29 00:00:00+01:00 | 2026-03-30 00:00:00+02:00 | all day',
      '2026-03-31 00:00:00+02:00 | 2026-04-01 00:00:00+02:00 | all day',
    ],
    'whole days by a rule',
  ],
  ['day-exdate', ['2026-06-01 10:00:00+02:00', '2026-06-03 10:00:00+02:00'], 'a whole day taken out'],
  [
    'future',
    [
      '2026-06-01 10:00:00+02:00 | 2026-06-01 11:00:00+02:00',
      '2026-06-08 10:00:00+02:00 | 2026-06-08 11:00:00+02:00',
      '2026-06-16 18:00:00+02:00 | 2026-06-16 20:00:00+02:00 | Kirken',
      '2026-06-23 18:00:00+02:00 | 2026-06-23 20:00:00+02:00 | Kirken',
    ],
    'a change of this and all future dates',
  ],
  [
    'exrule',
    ['01', '02', '03', '04', '05'].map((day) => `2026-06-${day} 10:00:00+02:00`),
    'a rule of exception',
  ],
  [
    'orphan',
    ['2026-07-01 11:00:00+02:00', '2026-07-08 10:00:00+02:00 | cancelled'],
    'dates of a series that is not there',
  ],
  [
    'off-beat',
    ['2026-07-01 10:00:00+02:00', '2026-07-03 10:00:00+02:00'],
    'a start that the rule does not give as the first of COUNT',
  ],
  ['bad-rule', ['2026-07-01 10:00:00+02:00'], 'the start alone where the rule is none'],
];

for (const [uid, dates, what] of SERIES) {
  test(`should read ${what} (${uid})`, async ({ series }) => {
    assert.equal(datesOf(await series.event(uid)), dates);
  });
}

test('G2: should name the entry, property and reason of what it leaves out of series', ({ series }) => {
  const told = series.report.findings.map(({ id, field, action }) => `${id} ${field} ${action}`);
  assert.equal(told, ['f:bad-rule repeat (RRULE;FREQ) dropped series', 'f:taken-out dates dropped record']);
  assert.equal(series.report.feeds[0]?.counts, { entries: 17, events: 12, merged: 4, dropped: 1 });
});

test('should say that a series has changed when one of its dates has', async ({ series }) => {
  assert.is((await series.event('quiz'))?.updated_at, '2026-01-01 00:00:00+00:00');
});

test('A11: should not be held up by rules that never end', async () => {
  let served: ReturnType<typeof serveFeed> | undefined;
  const serve = () => (served = serveFeed(fixture('hostile.ics')));
  await costsAtMost(1_000, serve, { everyThread: true, tries: 1 });
  const hostile = await (served ?? serve());
  assert.is(datesOf(await hostile.event('good')).length, 2);
  const cut = hostile.report.findings.filter(({ action }) => action === 'cut rule').map(({ id }) => id);
  assert.equal(cut.sort(), ['f:count', 'f:seconds']);
  await hostile.close();
});

test.run();
