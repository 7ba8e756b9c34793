/** H3: the moments at which a scheduled build runs, also after sleeps and changes of the clock. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTimetable } from '../../../../jobs/annexes/schedule/cron.ts';
import { rejects } from '../../../helpers/errors.ts';
import { installFakeTime } from '../../../helpers/fake-time.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

const scheduling = suite<{ timetables: { end: () => Promise<void> }[] }>('schedule', { timetables: [] });

scheduling.after.each(async ({ timetables }) => {
  for (const { end } of timetables.splice(0)) await end();
});

interface TimetableOptions {
  readonly cron?: string;
  readonly now?: string;
  readonly atOnce?: boolean;
  /** Whether a run lasts until `finish` is called. */
  readonly lasting?: boolean;
}

/** A timetable with a run each quarter of an hour from 11:14 on 20 November 2026 on, and the moments at which runs began. */
function startRecordedTimetable(timetables: { end: () => Promise<void> }[], options: TimetableOptions = {}) {
  const { cron = '*/15 * * * *', now = '2026-11-20T11:14:00Z', atOnce = false, lasting = false } = options;
  const time = installFakeTime(Date.parse(now));
  const runs: string[] = [];
  let finish = () => {};
  const timetable = startTimetable({
    expression: cron,
    atOnce,
    run: async (why) => {
      runs.push(`${new Date(time.now()).toISOString().slice(5, 19)}${why === 'due' ? '' : ' requested'}`);
      if (lasting) await new Promise<void>((resolve) => (finish = resolve));
    },
  });
  const end = () => {
    time.end();
    finish();
    return timetable.stop();
  };
  timetables.push({ end });
  return { time, timetable, runs, finish: () => finish() };
}

scheduling('H3: should run at each moment of the schedule, to the second', async ({ timetables }) => {
  const { time, runs } = startRecordedTimetable(timetables);
  await time.advance(40 * MINUTE);
  assert.equal(runs, ['11-20T11:15:00', '11-20T11:30:00', '11-20T11:45:00']);
});

scheduling('H1: should run at the start, too, if that is set', async ({ timetables }) => {
  const { time, runs } = startRecordedTimetable(timetables, { atOnce: true });
  await time.advance(2 * MINUTE);
  assert.equal(runs, ['11-20T11:14:00', '11-20T11:15:00']);
});

scheduling(
  'H3: should run once soon after a sleep, however many moments it missed',
  async ({ timetables }) => {
    const { time, runs } = startRecordedTimetable(timetables);
    await time.advance(2 * MINUTE);
    time.jump(9 * HOUR);
    await time.advance(15 * SECOND);
    assert.equal(runs, ['11-20T11:15:00', '11-20T20:16:15']);
    await time.advance(15 * MINUTE);
    assert.equal(runs.slice(2), ['11-20T20:30:00']);
  },
);

scheduling('H3: should run at the next moment after the clock is set back', async ({ timetables }) => {
  const { time, runs } = startRecordedTimetable(timetables);
  await time.advance(2 * MINUTE);
  time.jump(-30 * 24 * HOUR);
  await time.advance(15 * MINUTE);
  assert.equal(runs, ['11-20T11:15:00', '10-21T11:30:00']);
});

scheduling('H3: should not run twice when the clock is set back by seconds', async ({ timetables }) => {
  const { time, runs } = startRecordedTimetable(timetables);
  await time.advance(61 * SECOND);
  time.jump(-5 * SECOND);
  await time.advance(MINUTE);
  assert.equal(runs, ['11-20T11:15:00']);
});

scheduling('H3: should run late if the process was busy at the moment', async ({ timetables }) => {
  const { time, runs } = startRecordedTimetable(timetables, { now: '2026-11-20T11:14:50Z' });
  await time.advance(8 * SECOND);
  time.jump(3 * SECOND);
  await time.advance(2 * SECOND);
  assert.equal(runs, ['11-20T11:15:03']);
});

scheduling('H3: should run once each hour in the nights of both clock changes', async ({ timetables }) => {
  for (const now of ['2026-10-24T23:50:00Z', '2027-03-27T23:50:00Z']) {
    const { time, runs } = startRecordedTimetable(timetables, { cron: '30 * * * *', now });
    await time.advance(5 * HOUR);
    const hours = runs.map((run) => run.slice(6));
    assert.equal(hours, ['00:30:00', '01:30:00', '02:30:00', '03:30:00', '04:30:00']);
    time.end();
  }
});

scheduling('H3: should not begin a run while another one is at work', async ({ timetables }) => {
  const { time, runs, finish } = startRecordedTimetable(timetables, { lasting: true });
  await time.advance(50 * MINUTE);
  assert.equal(runs, ['11-20T11:15:00']);
  finish();
  // The three moments that went by are made up for with one run.
  await time.advance(MINUTE);
  assert.equal(runs.slice(1), ['11-20T12:04:00']);
  finish();
  await time.advance(11 * MINUTE);
  assert.equal(runs.slice(2), ['11-20T12:15:00']);
});

scheduling(
  'H11: should run when requested, after the run at work, once for several',
  async ({ timetables }) => {
    const { time, runs, timetable, finish } = startRecordedTimetable(timetables, { lasting: true });
    timetable.request();
    await time.advance(SECOND);
    assert.equal(runs, ['11-20T11:14:00 requested']);
    for (let request = 0; request < 3; request++) timetable.request();
    await time.advance(SECOND);
    assert.is(runs.length, 1, 'never two at once');
    finish();
    await time.advance(SECOND);
    assert.equal(runs.slice(1), ['11-20T11:14:02 requested']);
    timetable.request();
    // Runs that are due meanwhile are skipped.
    await time.advance(MINUTE);
    finish();
    await time.advance(SECOND);
    assert.equal(runs.slice(2), ['11-20T11:15:03']);
  },
);

scheduling('H4: should begin nothing after it is stopped', async ({ timetables }) => {
  const { time, timetable, runs } = startRecordedTimetable(timetables);
  await time.advance(30 * SECOND);
  await timetable.stop();
  assert.is(time.timers(), 0);
  await time.advance(HOUR);
  assert.equal(runs, []);
});

const WRONG = ['', '* * * *', '60 * * * *', '* 24 * * *', '0 0 30 2 *', 'soon', '0 0 * * 8', '0 0 0 * *'];

scheduling('H3: should refuse anything but a cron expression of five fields, and say why', async () => {
  const message = /^ALMANAKK_CRON: expected a cron expression.*, found ".*": \w/;
  for (const expression of WRONG) {
    const starting = (async () => startTimetable({ expression, run: async () => 0, atOnce: false }))();
    await rejects(starting, 'INVALID_SETTING', message);
  }
});

scheduling.run();
