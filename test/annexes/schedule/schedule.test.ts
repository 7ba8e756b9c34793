import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTimetable, type Timetable } from '../../../jobs/annexes/schedule/cron.ts';
import { rejects } from '../../helpers/errors.ts';
import { type FakeTime, installFakeTime } from '../../helpers/fake-time.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

interface Context {
  scenes: Pick<Scene, 'time' | 'timetable' | 'finish'>[];
}

const scheduling = suite<Context>('schedule', { scenes: [] });

scheduling.after.each(async ({ scenes }) => {
  for (const { time, timetable, finish } of scenes.splice(0)) {
    time.end();
    finish();
    await timetable.stop();
  }
});

interface Scene {
  readonly time: FakeTime;
  readonly timetable: Timetable;
  /** When each run began, as the clock read. */
  readonly runs: string[];
  /** Lets the run at work end. */
  readonly finish: () => void;
}

interface SceneOptions {
  readonly cron?: string;
  readonly now?: string;
  readonly atOnce?: boolean;
  /** Whether a run lasts until `finish` is called. */
  readonly lasting?: boolean;
}

function scene({ scenes }: Context, options: SceneOptions = {}): Scene {
  const { cron = '*/15 * * * *', now = '2026-11-20T11:14:00Z', atOnce = false, lasting = false } = options;
  const time = installFakeTime(Date.parse(now));
  const runs: string[] = [];
  let finish = () => {};
  const timetable = startTimetable({
    expression: cron,
    atOnce,
    run: async (why) => {
      runs.push(`${new Date(time.now()).toISOString().slice(0, 19)}${why === 'due' ? '' : ' requested'}`);
      if (lasting) await new Promise<void>((resolve) => (finish = resolve));
    },
  });
  scenes.push({ time, timetable, finish: () => finish() });
  return { time, timetable, runs, finish: () => finish() };
}

scheduling('H3: should run at each moment, to the second', async (context) => {
  const { time, runs } = scene(context);
  await time.advance(40 * MINUTE);
  assert.equal(runs, ['2026-11-20T11:15:00', '2026-11-20T11:30:00', '2026-11-20T11:45:00']);
});

scheduling('H1: should run at the start, too, when it is told to', async (context) => {
  const { time, runs } = scene(context, { atOnce: true });
  await time.advance(2 * MINUTE);
  assert.equal(runs, ['2026-11-20T11:14:00', '2026-11-20T11:15:00']);
});

scheduling('H3: should run once each hour in the nights of both clock changes', async (context) => {
  for (const now of ['2026-10-24T23:50:00Z', '2027-03-27T23:50:00Z']) {
    const { time, runs } = scene(context, { cron: '30 * * * *', now });
    await time.advance(5 * HOUR);
    const hours = runs.map((run) => run.slice(11));
    assert.equal(hours, ['00:30:00', '01:30:00', '02:30:00', '03:30:00', '04:30:00']);
    time.end();
  }
});

scheduling('H3: should run at the end of months and on the leap day', async (context) => {
  const { time, runs } = scene(context, { cron: '0 12 L * *', now: '2028-01-15T00:00:00Z' });
  await time.advance(80 * 24 * HOUR);
  assert.equal(runs, ['2028-01-31T12:00:00', '2028-02-29T12:00:00', '2028-03-31T12:00:00']);
});

scheduling('H3: MUST NOT begin a run while another one is at work', async (context) => {
  const { time, runs, finish } = scene(context, { lasting: true });
  await time.advance(50 * MINUTE);
  assert.equal(runs, ['2026-11-20T11:15:00']);
  finish();
  // The three moments that went by are made up for with one run.
  await time.advance(MINUTE);
  assert.equal(runs, ['2026-11-20T11:15:00', '2026-11-20T12:04:00']);
  finish();
  await time.advance(11 * MINUTE);
  assert.equal(runs.slice(2), ['2026-11-20T12:15:00']);
  finish();
});

scheduling(
  'H11: should run when it is requested, after the run at work, and once for several',
  async (context) => {
    const { time, runs, timetable, finish } = scene(context, { lasting: true });
    timetable.request();
    await time.advance(1_000);
    assert.equal(runs, ['2026-11-20T11:14:00 requested']);
    for (let request = 0; request < 3; request++) timetable.request();
    await time.advance(1_000);
    assert.is(runs.length, 1, 'never two at once');
    finish();
    await time.advance(1_000);
    assert.equal(runs.slice(1), ['2026-11-20T11:14:02 requested']);
    timetable.request();
    // What is due meanwhile is the whole of it.
    await time.advance(MINUTE);
    finish();
    await time.advance(1_000);
    assert.equal(runs.slice(2), ['2026-11-20T11:15:03']);
    finish();
  },
);

scheduling('H3: should run once, soon after a sleep in which moments went by', async (context) => {
  const { time, runs } = scene(context);
  await time.advance(2 * MINUTE);
  time.jump(9 * HOUR);
  await time.advance(15_000);
  assert.is(runs.length, 2);
  assert.ok(Date.parse(`${runs[1]}Z`) <= Date.parse('2026-11-20T20:16:15Z'), runs[1]);
  await time.advance(15 * MINUTE);
  assert.equal(runs.slice(2), ['2026-11-20T20:30:00']);
});

scheduling('H3: should go on at the next moment when the clock is set back', async (context) => {
  const { time, runs } = scene(context);
  await time.advance(2 * MINUTE);
  time.jump(-30 * 24 * HOUR);
  await time.advance(15 * MINUTE);
  assert.equal(runs, ['2026-11-20T11:15:00', '2026-10-21T11:30:00']);
});

scheduling('H3: should not run twice when the clock is set back by seconds', async (context) => {
  const { time, runs } = scene(context);
  await time.advance(MINUTE + 1_000);
  time.jump(-5_000);
  await time.advance(MINUTE);
  assert.equal(runs, ['2026-11-20T11:15:00']);
});

scheduling('H3: should run a little late when the process was too busy at the moment', async (context) => {
  const { time, runs } = scene(context, { now: '2026-11-20T11:14:50Z' });
  await time.advance(8_000);
  time.jump(3_000);
  await time.advance(2_000);
  assert.equal(runs, ['2026-11-20T11:15:03']);
});

scheduling('H4: should begin nothing after it is stopped', async (context) => {
  const { time, timetable, runs } = scene(context);
  await time.advance(30_000);
  await timetable.stop();
  assert.is(time.timers(), 0);
  await time.advance(HOUR);
  assert.equal(runs, []);
});

const WRONG = ['', '* * * *', '60 * * * *', '* 24 * * *', '0 0 30 2 *', 'soon', '0 0 * * 8', '0 0 0 * *'];

scheduling('H3: should refuse what is no cron expression of five fields, and say why', async () => {
  const message = /^ALMANAKK_CRON: expected a cron expression.*, found ".*": \w/;
  for (const expression of WRONG) {
    const starting = (async () => startTimetable({ expression, run: async () => 0, atOnce: false }))();
    await rejects(starting, 'INVALID_SETTING', message);
  }
});

scheduling.run();
