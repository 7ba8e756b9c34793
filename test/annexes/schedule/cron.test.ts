import { createTask } from 'node-cron';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTimetable, ZONE } from '../../../jobs/annexes/schedule/cron.ts';
import { rejects } from '../../helpers/errors.ts';
import { installFakeTime } from '../../helpers/fake-time.ts';

const cron = suite('cron');

const at = (text: string) => Date.parse(text);

/** The first moments after that one, in milliseconds since 1970, as node-cron finds them. */
function nextOf(expression: string, after: string, count = 1): readonly number[] {
  const time = installFakeTime(at(after));
  const task = createTask(expression, () => undefined, ZONE);
  try {
    return task.getNextRuns(count).map((next) => next.getTime());
  } finally {
    void task.destroy();
    time.end();
  }
}

/** Expression, a moment, and the first match after it. */
const CASES: readonly (readonly [expression: string, after: string, next: string])[] = [
  ['*/15 * * * *', '2026-11-20T11:14:59.999Z', '2026-11-20T11:15Z'],
  ['*/15 * * * *', '2026-11-20T11:15:00.000Z', '2026-11-20T11:30Z'],
  ['*/15 * * * *', '2026-12-31T23:50:00.000Z', '2027-01-01T00:00Z'],
  ['0 3 * * *', '2026-11-20T03:00:00.000Z', '2026-11-21T03:00Z'],
  ['5,35 8-10/2 * * *', '2026-11-20T08:35:00.000Z', '2026-11-20T10:05Z'],
  // Months of 28, 29, 30 and 31 days.
  ['0 0 31 * *', '2026-01-31T00:00:00.000Z', '2026-03-31T00:00Z'],
  ['0 0 31 * *', '2026-03-31T00:00:00.000Z', '2026-05-31T00:00Z'],
  ['30 12 L * *', '2027-02-01T00:00:00.000Z', '2027-02-28T12:30Z'],
  ['30 12 L * *', '2028-02-01T00:00:00.000Z', '2028-02-29T12:30Z'],
  ['0 0 29 2 *', '2026-03-01T00:00:00.000Z', '2028-02-29T00:00Z'],
  ['0 0 29 2 *', '2096-03-01T00:00:00.000Z', '2104-02-29T00:00Z'],
  ['0 0 29 2 MON', '2028-03-01T00:00:00.000Z', '2044-02-29T00:00Z'],
  // Weekdays, by number and by name; 7 is Sunday, too.
  ['0 6 * * 1-5', '2026-11-20T06:00:00.000Z', '2026-11-23T06:00Z'],
  ['0 6 * * SUN', '2026-11-20T06:00:00.000Z', '2026-11-22T06:00Z'],
  ['0 6 * * 7', '2026-11-20T06:00:00.000Z', '2026-11-22T06:00Z'],
  ['0 0 1 JAN,JUL *', '2026-11-20T06:00:00.000Z', '2027-01-01T00:00Z'],
  // Both have to match.
  ['0 0 13 * FRI', '2026-11-13T00:00:00.000Z', '2027-08-13T00:00Z'],
  // A day on which that wall clock reads twice or not at all in Norway.
  ['30 2 * * *', '2026-10-24T02:30:00.000Z', '2026-10-25T02:30Z'],
  ['30 2 * * *', '2026-10-25T02:30:00.000Z', '2026-10-26T02:30Z'],
  ['30 2 * * *', '2027-03-27T02:30:00.000Z', '2027-03-28T02:30Z'],
  ['30 2 * * *', '2027-03-28T02:30:00.000Z', '2027-03-29T02:30Z'],
];

for (const [expression, after, next] of CASES) {
  cron(`H3: ${expression} after ${after} should be ${next}`, () =>
    assert.equal(nextOf(expression, after), [at(next)]),
  );
}

cron('H3: should run every quarter of an hour over both nights of a clock change', () => {
  for (const night of ['2026-10-24T20:00:00Z', '2027-03-27T20:00:00Z']) {
    const quarters = Array.from({ length: 40 }, (_, run) => at(night) + (run + 1) * 900_000);
    assert.equal(nextOf('*/15 * * * *', night, 40), quarters);
  }
});

const WRONG = ['', '* * * *', '60 * * * *', '* 24 * * *', '0 0 30 2 *', 'soon', '0 0 * * 8', '0 0 0 * *'];

for (const expression of WRONG) {
  cron(`H3: should refuse ${JSON.stringify(expression)} and say why`, async () => {
    const starting = (async () => startTimetable({ expression, run: async () => 0, atOnce: false }))();
    await rejects(
      starting,
      'INVALID_SETTING',
      /^ALMANAKK_CRON: expected a cron expression.*, found ".*": \w/,
    );
  });
}

cron.run();
