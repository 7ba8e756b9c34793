/** Recurrences of iCalendar files, and what an endpoint says of them. Built on 1 January 2026, noon UTC. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { datesOf, fixture, type ServedFeed, serveFeed } from '../../helpers/feeds.ts';
import { costsAtMost } from '../../helpers/usage.ts';
import { casesOf, testCases } from './ical/cases.ts';

const test = suite<{ series: ServedFeed }>('iCalendar series');

test.before(async (feeds) => {
  feeds.series = await serveFeed(fixture('series.ics'));
});

test.after(async ({ series }) => series.close());

const SERIES = casesOf(`
# quiz should read a rule with a date taken out, one moved and one cancelled (quiz)
  = 2026-03-03 20:00–22:30 Puben, 2026-03-11 19:00–21:00 Kafeen, 2026-03-24 20:00–22:30 Puben cancelled
  = 2026-03-31 20:00–22:30 Puben, 2026-04-07 20:00–22:30 Puben
# until should read UNTIL in UTC (until)
  = 2026-03-09 18:00–19:00, 2026-03-10 18:00–19:00, 2026-03-11 18:00–19:00
# new-york should read a rule on the clock of another place (new-york)
  = 2026-03-01 21:00–22:00, 2026-03-08 20:00–21:00, 2026-03-15 20:00–21:00, 2026-03-22 20:00–21:00
  = 2026-03-29 21:00–22:00, 2026-04-05 21:00–22:00
# utc-rule should read a rule in UTC (utc-rule)
  = 2026-03-21 19:00–20:00, 2026-03-28 19:00–20:00, 2026-04-04 20:00–21:00
# rdate should read listed dates and periods (rdate)
  = 2026-04-01 12:00–13:00, 2026-04-22 15:00–16:00, 2026-05-01 12:00–13:00, 2026-05-02 12:00–13:00
  ! changed value further dates (RDATE): starts alone (their dates are as long as the others), "20260501T100000Z/PT3H"
# all-day-rule should read whole days by a rule (all-day-rule)
  = 2026-03-28–2026-03-29 all day, 2026-03-29–2026-03-30 all day, 2026-03-31–2026-04-01 all day
# day-exdate should read a whole day taken out (day-exdate)
  = 2026-06-01 10:00, 2026-06-03 10:00
# future should read a change of this and all future dates (future)
  = 2026-06-01 10:00–11:00, 2026-06-08 10:00–11:00, 2026-06-16 18:00–20:00 Kirken
  = 2026-06-23 18:00–20:00 Kirken
# exrule should read a rule of exception (exrule)
  = 2026-06-01 10:00, 2026-06-02 10:00, 2026-06-03 10:00, 2026-06-04 10:00, 2026-06-05 10:00
# orphan should read dates of a series that is not there (orphan)
  = 2026-07-01 11:00, 2026-07-08 10:00 cancelled
# off-beat should read a start that the rule does not give as the first of COUNT (off-beat)
  = 2026-07-01 10:00, 2026-07-03 10:00
# bad-rule should read the start alone where the rule is none (bad-rule)
  = 2026-07-01 10:00
  ! dropped series repeat (RRULE;FREQ): one of SECONDLY, MINUTELY, HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, "FREQ: FORTNIGHTLY"
`);

testCases(test, SERIES, ({ series }) => series);

test('G2: should name the entry, property and reason of what it leaves out of series', ({ series }) => {
  const told = series.report.findings.map(({ id, field, action }) => `${id} ${field} ${action}`);
  assert.equal(told, [
    'f:rdate further dates (RDATE) changed value',
    'f:bad-rule repeat (RRULE;FREQ) dropped series',
    'f:taken-out dates dropped record',
  ]);
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
